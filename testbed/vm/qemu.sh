#!/bin/sh
# qemu.sh: becomes a QEMU that runs a guest image, with vfio-user devices attached.
#
# usage: qemu.sh [OPTION]... [-- QEMU-ARGUMENT...]
#   --root DIR         the root that has QEMU (default: what root.sh has cached)
#   --image DIR        the guest image, as image.sh prints it (default: image.sh's default image)
#   --socket PATH      attach the vfio-user device whose server listens at PATH (any number of times); the n-th, from
#                      0, gets the device id vfio-user-N on the root port root-port-N
#   --msg-timeout MS   how long QEMU waits for a server's reply (QEMU's default: 5000)
#   --memory SIZE      guest memory, a memfd shared with the servers (default: what root.conf says, else 512M)
#   --cpus N           virtual processors (default: 1)
#   --run COMMAND      what the guest runs before it powers off (sluice.run= of image.sh; no double quotes in it)
#   --share DIR:GUESTDIR
#                      show DIR of the host at GUESTDIR of the guest, read-only, by 9p (any number of times; in this
#                      order, so that a later one may lie in an earlier one). Nothing in it may change meanwhile. The
#                      host's / can be shared by a packed root only
#   --append TEXT      more kernel command line
#   --serial stdio|FILE|SOCKET.sock
#                      where the serial console goes (default: stdio); a name ending in .sock is a UNIX socket on which
#                      QEMU listens
#   --qmp PATH         QMP server socket to create
#   --iommu            an Intel IOMMU, for vfio-pci in the guest (with --append intel_iommu=on)
#   --reboot           a reset of the guest starts it again
#   --bind DIR         show DIR inside (directories of the paths given above are shown anyway)
#   --print            print the command instead of running it
#   --help
# All paths are absolute or relative to the current directory; servers listen before QEMU is started.
#
# SLUICE_ACCEL: the accelerator (default: tcg).
#
# A root whose root.conf says PORTABLE=yes is one that testbed/bundle/machine.sh packed: QEMU is started in place, with
# the libraries beside it, without mounts.
#
# The script execs all the way: its process id is QEMU's. SIGTERM ends QEMU in order. A guest's reset, or panic, ends
# QEMU too, without --reboot.
#
# exit: QEMU's (0 after the guest has powered off: read its SLUICE-EXIT line, see image.sh); 64 usage; 66 an input
# is missing; 69 no root; 70 the default image could not be built.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/lib.sh"

root=
image=
sockets= # one path a line
shares=  # DIR:GUESTDIR a line
timeout=
memory=
cpus=1
run=
append=
serial=stdio
qmp=
print=no
reboot=no
iommu=no
set_bind() {
  case "
$binds
" in
    *"
$1
"*) ;;
    *) binds="$binds
$1" ;;
  esac
}
binds=

# json TEXT: as a JSON string. Paths with control characters are refused by the caller.
json() {
  printf '"%s"' "$(printf '%s' "$1" | sed 's/[\\"]/\\&/g')"
}

# escape TEXT: a comma in a QEMU option's value is written twice.
escape() {
  printf '%s\n' "$1" | sed 's/,/,,/g'
}

while [ $# -gt 0 ]; do
  case $1 in
    --root) need_value "$1" $#; root=$2; shift 2 ;;
    --image) need_value "$1" $#; image=$(absolute "$2"); shift 2 ;;
    --socket)
      need_value "$1" $#
      path=$(absolute "$2")
      [ -S "$path" ] || die "$EX_NOINPUT" "--socket $path: no socket there" "start the server first"
      sockets="$sockets$path
"
      set_bind "$(dirname "$path")"
      shift 2
      ;;
    --msg-timeout) need_value "$1" $#; timeout=$2; shift 2 ;;
    --memory) need_value "$1" $#; memory=$2; shift 2 ;;
    --cpus) need_value "$1" $#; cpus=$2; shift 2 ;;
    --run)
      need_value "$1" $#
      case $2 in
        *\"*) die "$EX_USAGE" "--run: no double quotes, they end the value on the kernel command line" ;;
      esac
      run=$2
      shift 2
      ;;
    --share)
      need_value "$1" $#
      case $2 in
        *[[:space:]\"\*\?\[]*) die "$EX_USAGE" "--share: no blanks, quotes and patterns in $2" ;;
        /*:/?*) ;;
        *) die "$EX_USAGE" "--share takes DIR:GUESTDIR, both absolute, not $2" ;;
      esac
      [ -d "${2%:*}" ] || die "$EX_NOINPUT" "--share ${2%:*}: no such directory"
      shares="$shares$2
"
      shift 2
      ;;
    --append) need_value "$1" $#; append="$append $2"; shift 2 ;;
    --serial)
      need_value "$1" $#
      serial=$2
      [ "$serial" = stdio ] || { serial=$(absolute "$serial") && set_bind "$(dirname "$serial")"; }
      shift 2
      ;;
    --qmp) need_value "$1" $#; qmp=$(absolute "$2"); set_bind "$(dirname "$qmp")"; shift 2 ;;
    --bind) need_value "$1" $#; set_bind "$(absolute "$2")"; shift 2 ;;
    --iommu) iommu=yes; shift ;;
    --reboot) reboot=yes; shift ;;
    --print) print=yes; shift ;;
    --help | -h)
      usage
      exit 0
      ;;
    --)
      shift
      break
      ;;
    *) die "$EX_USAGE" "unknown argument $1" "qemu.sh --help" ;;
  esac
done
[ -n "$root" ] || root=$("$here/root.sh" --cached)
[ -n "$image" ] || image=$("$here/image.sh" --root "$root")
[ -f "$image/initrd" ] || die "$EX_NOINPUT" "--image $image: no initrd there" "image.sh builds one and prints its directory"
kernel=$(cat "$image/kernel")
grep -qx "KERNEL=$kernel" "$root/root.conf" ||
  die "$EX_NOINPUT" "the image is for kernel $kernel, the root has another" "build it anew: image.sh --root $root"
set_bind "$image"
# configured NAME DEFAULT: what the root wants of a machine.
configured() {
  value=$(sed -n "s/^$1=//p" "$root/root.conf")
  printf '%s\n' "${value:-$2}"
}
[ -n "$memory" ] || memory=$(configured MEMORY 512M)
if [ -n "$timeout" ]; then
  case $timeout in
    *[!0-9]*) die "$EX_USAGE" "--msg-timeout takes milliseconds, not $timeout" ;;
  esac
fi

portable=$(configured PORTABLE no)
# Where QEMU sees the root.
inside=
[ "$portable" = no ] || inside=$(cd "$root" && pwd -P)

mounts= # what the guest mounts, TAG:GUESTDIR each
n=0
for share in $shares; do
  [ "$portable" = yes ] || [ "${share%:*}" != / ] ||
    die "$EX_USAGE" "--share /: QEMU has another root directory here" "take one that testbed/bundle/machine.sh has packed"
  [ "$portable" = yes ] || set_bind "${share%:*}"
  mounts="$mounts${mounts:+ }share-$n:${share##*:}"
  n=$((n + 1))
done

# From here on the positional parameters are QEMU's arguments; the caller's own come last.
extra=$#
set -- "$@" -nodefaults -no-user-config -display none \
  -accel "${SLUICE_ACCEL:-tcg}" -cpu "$(configured CPU max)" -smp "$cpus" \
  -machine q35,memory-backend=ram -m "$memory" -object "memory-backend-memfd,id=ram,size=$memory,share=on" \
  -kernel "$inside/usr/lib/modules/$kernel/vmlinux" -initrd "$image/initrd" \
  -append "console=ttyS0 quiet panic=-1$append${mounts:+ sluice.share=\"$mounts\"}${run:+ sluice.run=\"$run\"}"
# Before the devices that it shall serve.
[ "$iommu" = no ] || set -- "$@" -device intel-iommu,caching-mode=on
[ "$reboot" = yes ] || set -- "$@" -no-reboot
case $serial in
  stdio) set -- "$@" -chardev stdio,id=console,signal=off ;;
  *.sock) set -- "$@" -chardev "socket,id=console,server=on,wait=off,path=$(escape "$serial")" ;;
  *) set -- "$@" -chardev "file,id=console,path=$(escape "$serial")" ;;
esac
set -- "$@" -serial chardev:console
[ -z "$qmp" ] || set -- "$@" -qmp "unix:$(escape "$qmp"),server=on,wait=off"
n=0
while IFS= read -r path; do
  [ -n "$path" ] || continue
  # Only behind a root port can a device be hot-plugged on q35.
  set -- "$@" -device "pcie-root-port,id=root-port-$n,chassis=$((n + 1)),slot=$((n + 1))" \
    -device "{\"driver\":\"vfio-user-pci\",\"id\":\"vfio-user-$n\",\"bus\":\"root-port-$n\",\"socket\":{\"type\":\"unix\",\"path\":$(json "$path")}${timeout:+,\"x-msg-timeout\":$timeout}}"
  n=$((n + 1))
done <<END
$sockets
END
n=0
for share in $shares; do
  # A directory may have others mounted in it, whose files have the same numbers.
  set -- "$@" -fsdev "local,id=share-$n,path=$(escape "${share%:*}"),security_model=none,readonly=on,multidevs=remap" \
    -device "virtio-9p-pci,fsdev=share-$n,mount_tag=share-$n"
  n=$((n + 1))
done
# Rotate the caller's arguments to the end.
while [ "$extra" -gt 0 ]; do
  argument=$1
  shift
  set -- "$@" "$argument"
  extra=$((extra - 1))
done

if [ "$print" = yes ]; then
  printf "'%s' " qemu-system-x86_64 "$@"
  echo
  exit 0
fi
if [ "$portable" = yes ]; then
  exec "$inside/lib/ld-linux-x86-64.so.2" --library-path "$inside/lib" "$inside/usr/bin/qemu-system-x86_64" \
    -L "$inside/usr/share/qemu" -L "$inside/usr/share/seabios" "$@"
fi
set -- -- qemu-system-x86_64 "$@"
while IFS= read -r dir; do
  [ -z "$dir" ] || set -- --bind "$dir" "$@"
done <<END
$binds
END
exec "$here/in-root.sh" --root "$root" "$@"
