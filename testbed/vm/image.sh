#!/bin/sh
# image.sh: builds a guest image (an initramfs for the root's kernel) and prints the directory it lies in.
#
# usage: image.sh [OPTION]...
#   --root DIR              the root to build in (default: what root.sh has cached)
#   --stubs DIR             where linux/, lib/, include/, programs/ and cuda/ are (default: guest-driver-stubs here);
#                           what is missing of these is left out of the image
#   --no-module             leave out our kernel module
#   --kmod NAME             load kernel module NAME too, with all it depends on (any number of times; drm always is)
#   --program FILE.c        build FILE.c like those of programs/ (any number of times)
#   --add FILE:GUESTPATH    put FILE of the host at GUESTPATH, mode kept (any number of times)
#   --help
#
# The directory holds initrd, kernel (the version it belongs to) and modules (what the guest loads, in order). Images are cached by a hash of
# everything they are made of; of those not used within the hour only the newest few are kept.
#
# In the guest: linux/ is built as an out-of-tree module and its *.ko loaded after what they depend on; each
# programs/NAME.c becomes the static program /bin/NAME, as programs/Makefile says, each programs/NAME.cubin lies in
# /usr/share/sluice; what starts CUDA programs (docs/cuda.md) lies in /usr/lib/sluice, with a C library for it; the rest
# is busybox.
# /init mounts proc, sys, dev, shm and tmp, loads the modules, prints
#   SLUICE-BOOTED KERNELVERSION
# runs the command of sluice.run= on the kernel command line (sluice.run="several words"; without it, a shell
# on the serial console), and at its end prints
#   SLUICE-EXIT STATUS
# and powers off. STATUS 97: a share was not mounted. STATUS 98: a module did not load. STATUS 99: the command said 0 but the kernel had an oops or a
# warning meanwhile. Unless STATUS is 0, the last kernel messages come before it, as lines SLUICE-DMESG.
# No SLUICE-EXIT line: the guest did not come to its end.
#
# sluice.share="TAG:DIRECTORY ..." has it mount what QEMU offers by 9p, read-only (qemu.sh --share). The command in-share,
# whose head is its manual, runs a program of the host in the host's root directory, if that is at /share.
#
# exit: 0 the directory is on stdout; 64 usage; 66 an input is missing; 69 no root; 70 a build failed (stderr has
# the compiler's words).

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/lib.sh"

readonly KEPT_IMAGES=4

root=
stubs=$(dirname "$(dirname "$here")")/guest-driver-stubs
module=yes
kmods='drm'
programs= # one path a line
additions=
add_line() { printf '%s%s\n' "${1:+$1
}" "$2"; }

while [ $# -gt 0 ]; do
  case $1 in
    --root) need_value "$1" $#; root=$2; shift 2 ;;
    --stubs) need_value "$1" $#; stubs=$(absolute "$2"); shift 2 ;;
    --no-module) module=no; shift ;;
    --kmod) need_value "$1" $#; kmods="$kmods $2"; shift 2 ;;
    --program) need_value "$1" $#; programs=$(add_line "$programs" "$(absolute "$2")"); shift 2 ;;
    --add)
      need_value "$1" $#
      case $2 in
        ?*:/?*) ;;
        *) die "$EX_USAGE" "--add takes FILE:GUESTPATH with an absolute GUESTPATH, not $2" ;;
      esac
      additions=$(add_line "$additions" "$2")
      shift 2
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) die "$EX_USAGE" "unknown argument $1" "image.sh --help" ;;
  esac
done
[ -n "$root" ] || root=$("$here/root.sh" --cached)
[ -f "$root/root.conf" ] || die "$EX_UNAVAILABLE" "$root is no root directory of ours" "$here/root.sh prints one"
cache=$(cache_dir)

# The sources of what is built: paths relative to $stubs.
sources() {
  parts='include lib programs cuda linux'
  # Programs need the headers of the module's user ABI in any case.
  [ "$module" = yes ] || parts='include lib programs cuda linux/uapi'
  for part in $parts; do
    [ -d "$stubs/$part" ] || continue
    (cd "$stubs" && find "$part" -type f \( -name '*.[ch]' -o -name '*.cubin' -o -name Makefile -o -name Kbuild \))
  done | LC_ALL=C sort
}

# Programs that attack and test what is built: they are built like those of $stubs/programs.
tests() {
  find "$here/../programs" -name '*.[ch]' 2>/dev/null | LC_ALL=C sort
}

# Everything an image depends on, as text: names and contents.
inputs() {
  cat "$root/root.conf" "$here/image.sh" "$here/image-build.sh" "$here/guest-init" "$here/guest-in-share"
  printf 'kmods %s\nprograms %s\n' "$kmods" "$programs"
  sources | while IFS= read -r file; do
    printf 'source %s ' "$file"
    sha256sum <"$stubs/$file"
  done
  tests | while IFS= read -r file; do
    printf 'test %s ' "${file##*/}"
    sha256sum <"$file"
  done
  printf '%s\n' "$programs" | while IFS= read -r file; do
    [ -z "$file" ] || sha256sum <"$file"
  done
  printf '%s\n' "$additions" | while IFS= read -r line; do
    [ -z "$line" ] || { echo "addition ${line#*:}" && stat -L -c %a "${line%%:*}" && sha256sum <"${line%%:*}"; }
  done
}

check_inputs() {
  printf '%s\n' "$programs" | while IFS= read -r file; do
    [ -z "$file" ] || [ -f "$file" ] || die "$EX_NOINPUT" "--program $file: no such file"
  done
  printf '%s\n' "$additions" | while IFS= read -r line; do
    [ -z "$line" ] || [ -f "${line%%:*}" ] || die "$EX_NOINPUT" "--add ${line%%:*}: no such file"
  done
}

check_inputs
mkdir -p "$cache" || die "$EX_TEMPFAIL" "cannot create the cache directory $cache" "set SLUICE_CACHE to a writable one"
inputs=$(inputs)
hash=$(printf '%s' "$inputs" | sha256sum | cut -c1-16)
image=$cache/image-$hash

done_already() {
  [ -f "$image/initrd" ] || return 1
  touch "$image"
  printf '%s\n' "$image"
}

! done_already || exit 0
exec 9>"$cache/image.lock"
flock 9
! done_already || exit 0
# We hold the lock: these are of builders that were killed.
rm -rf "$cache"/image-*.new.*
# Newest use first; images that may be in use were used within the hour.
find "$cache" -maxdepth 1 -type d -name 'image-*' -printf '%T@ %p\n' | sort -rn | tail -n "+$KEPT_IMAGES" |
  cut -d ' ' -f 2- | while IFS= read -r stale; do
  find "$stale" -maxdepth 0 -mmin +60 -exec rm -rf {} +
done

new=$(mktemp -d "$image.new.XXXXXX")
trap 'rm -rf "$new"' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP
work=$new/work
mkdir "$work" "$work/tree" "$work/extra"
sources | while IFS= read -r file; do
  mkdir -p "$work/$(dirname "$file")"
  cp "$stubs/$file" "$work/$file"
done
mkdir -p "$work/programs"
tests | while IFS= read -r file; do
  cp "$file" "$work/programs/"
done
printf '%s\n' "$programs" | while IFS= read -r file; do
  [ -z "$file" ] || cp "$file" "$work/programs/"
done
printf '%s\n' "$additions" | while IFS= read -r line; do
  [ -n "$line" ] || continue
  mkdir -p "$work/tree$(dirname "${line#*:}")"
  cp -L -p "${line%%:*}" "$work/tree${line#*:}"
done
install -m 755 "$here/guest-init" "$work/tree/init"
install -D -m 755 "$here/guest-in-share" "$work/tree/bin/in-share"
cp "$here/image-build.sh" "$work/"

"$here/in-root.sh" --root "$root" --bind "$new" --dir "$work" -- \
  sh -eu "$work/image-build.sh" "$new" "$kmods" </dev/null >"$cache/image.log" 2>&1 || {
  cat "$cache/image.log" >&2
  die "$EX_SOFTWARE" "building the guest image failed; what the tools said stands above and in $cache/image.log"
}
# Compilers' warnings are for whoever changes the sources.
grep -E 'warning:' "$cache/image.log" >&2 || true
rm -rf "$work"
chmod 755 "$new"
mv "$new" "$image"
trap - EXIT
printf '%s\n' "$image"
