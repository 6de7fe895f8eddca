# shellcheck shell=sh
# Second half of in-root.sh, inside the new mount namespace:
#   sh -eu in-root-mounts.sh ROOT START-DIRECTORY BINDS COMMAND [ARGUMENT]...
# The new root is a tmpfs over the root's /mnt, so that mount points can be made without touching the cached root.

root=$1
start=$2
binds=$3
shift 3

fail() {
  echo "in-root.sh: $1" >&2
  exit 69
}

umask 022
view=$root/mnt
mount -t tmpfs -o mode=755,size=90% tmpfs "$view" || fail "cannot mount: this environment forbids it; run as root outside of a container"
for name in usr etc; do
  mkdir "$view/$name"
  mount --bind "$root/$name" "$view/$name"
  mount -o remount,bind,ro "$view/$name"
done
for name in bin sbin lib lib64; do
  # Links into /usr since Debian merged them.
  ln -s "usr/$name" "$view/$name"
done
for name in dev proc; do
  mkdir "$view/$name"
  mount --rbind "/$name" "$view/$name"
done
mkdir -p "$view/root" "$view/run" "$view/var/tmp" "$view/tmp"
chmod 1777 "$view/tmp" "$view/var/tmp"

while read -r mode dir; do
  [ -n "$dir" ] || continue
  case $dir in
    /usr/local/* | /usr/src/*) fail "cannot show $dir: the root has its own ${dir%"${dir#/usr/*/}"}; move it elsewhere" ;;
  esac
  mkdir -p "$view$dir" 2>/dev/null || fail "cannot show $dir: the root has its own /usr and /etc, read-only; move it elsewhere"
  mount --rbind "$dir" "$view$dir"
  [ "$mode" = rw ] || mount -o remount,bind,ro "$view$dir"
done <<END
$binds
END

# shellcheck disable=SC2016 # for the shell inside
exec env -i HOME=/root PATH=/usr/sbin:/usr/bin LC_ALL=C.UTF-8 ${TERM:+TERM="$TERM"} \
  chroot "$view" sh -c 'cd "$0" && exec "$@"' "$start" "$@"
