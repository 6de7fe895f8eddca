# shellcheck shell=sh
# Second half of on-host.sh, the first process of the new namespaces:
#   sh -eu on-host-mounts.sh ROOT BINDS OUTPUT COMMAND [ARGUMENT]...
# With a file as OUTPUT it becomes systemd, whose service runs the command and writes there.

root=$1
binds=$2
output=$3
shift 3

fail() {
  echo "on-host.sh: $1" >&2
  exit 69
}

umask 022
memory=$root/mnt
mount -t tmpfs -o mode=755 tmpfs "$memory" || fail "cannot mount: this environment forbids it; run as root outside of a container"
mkdir "$memory/upper" "$memory/work" "$memory/view"
view=$memory/view
mount -t overlay -o "lowerdir=$root,upperdir=$memory/upper,workdir=$memory/work" overlay "$view" ||
  fail "this kernel has no overlayfs for a root on such a file system"
mount -t proc proc "$view/proc"
mount -t sysfs -o ro sysfs "$view/sys" || fail "cannot mount sysfs"
mount -t tmpfs -o mode=755 tmpfs "$view/dev"
for node in null zero full random urandom tty; do
  : >"$view/dev/$node"
  mount --bind "/dev/$node" "$view/dev/$node"
done
mkdir "$view/dev/pts" "$view/dev/shm"
mount -t devpts -o newinstance,ptmxmode=0666,mode=620 devpts "$view/dev/pts"
ln -s pts/ptmx "$view/dev/ptmx"
ln -s /proc/self/fd "$view/dev/fd"
for directory in dev/shm tmp; do
  mount -t tmpfs -o mode=1777 tmpfs "$view/$directory"
done
mount -t tmpfs -o mode=755 tmpfs "$view/run"
hostname host
echo host >"$view/etc/hostname"
printf '127.0.0.1 localhost\n' >"$view/etc/hosts"
while read -r directory; do
  [ -n "$directory" ] || continue
  mkdir -p "$view$directory"
  mount --bind "$directory" "$view$directory"
  mount -o remount,bind,ro "$view$directory"
done <<END
$binds
END

if [ -z "$output" ]; then
  exec env -i HOME=/root PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 chroot "$view" "$@"
fi

mount -t cgroup2 cgroup2 "$view/sys/fs/cgroup" || fail "cannot mount control groups"
: >"$view/run/output"
mount --bind "$output" "$view/run/output"
{
  echo '#!/bin/sh'
  printf 'exec'
  for word; do
    printf " '%s'" "$(printf '%s' "$word" | sed "s/'/'\\\\''/g")"
  done
  echo
} >"$view/usr/local/sbin/on-host"
chmod 755 "$view/usr/local/sbin/on-host"
cat >"$view/etc/systemd/system/on-host.service" <<'END'
[Unit]
After=basic.target
Requires=basic.target
SuccessAction=exit
FailureAction=exit
[Service]
Type=oneshot
Environment=HOME=/root PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8
StandardOutput=append:/run/output
StandardError=append:/run/output
ExecStart=/usr/local/sbin/on-host
END
exec env -i container=sluice PATH=/usr/sbin:/usr/bin \
  chroot "$view" /usr/lib/systemd/systemd --unit=on-host.service --log-target=null --show-status=no
