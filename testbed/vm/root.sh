#!/bin/sh
# root.sh: makes the root directory that machine tests and the demo run in, and prints its path.
#
# usage: root.sh            make it if need be, print its path
#        root.sh --cached   print its path if it is there, make nothing
#        root.sh --fresh    throw the cached one away first
#        root.sh --debug [--cached | --fresh]
#                           another root, whose kernel watches itself (KASAN, lockdep, kmemleak, UBSAN and more:
#                           debug-kernel.config), made from Debian's kernel source: ten minutes of two idle cores
#        root.sh --host [--cached | --fresh]
#                           another root: a plain Debian stable, as packages are installed on, with systemd, a C compiler
#                           and no Java, about 360 MiB
#        root.sh --libvirt [--cached | --fresh]
#                           another root: the first with libvirt, as a host has it whose machines are libvirt's, and with what a
#                           machine builds our module with (DKMS); 90 MiB more
#        root.sh --help
#
# Inside: Debian forky with QEMU 11 (vfio-user-pci), a Linux kernel with its modules and headers, gcc, make,
# kmod, cpio and a static busybox. About 750 MiB; made once in about a minute, then cached under
# ${SLUICE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/sluice}. Two callers at once: the second waits.
# A root is never changed once it is in place; root.conf in it says what it holds.
#
# Needs: Debian or a derivative on amd64, root, and the machine's own apt sources, whose mirror it uses.
# SLUICE_MIRROR names another mirror of the Debian archive.
#
# exit: 0 the path is on stdout; 64 usage; 69 this machine cannot have it (stderr says what is missing
# and how to get it); 75 a download or the disk failed (stderr says where the log is).

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/lib.sh"

# Raise when anything below changes what a root contains: each recipe has its own directory.
readonly RECIPE=2
readonly SUITE=forky
readonly PACKAGES='qemu-system-x86 busybox-static cpio gcc kmod libc6-dev make xz-utils zstd'
readonly HOST_RECIPE=1
readonly HOST_SUITE=trixie
readonly HOST_PACKAGES='adduser systemd-sysv gcc libc6-dev pkgconf'
readonly LIBVIRT_RECIPE=2
readonly LIBVIRT_PACKAGES='libvirt-daemon libvirt-daemon-driver-qemu libvirt-clients adduser dkms linux-headers-amd64 pkgconf'
readonly NEEDED_MIB=2500
readonly NEEDED_DEBUG_MIB=7000

cache=$(cache_dir)
root=$cache/root-$RECIPE-$SUITE
plain= # with --debug, the root that it is made from

main() {
  mode='make'
  debug=no
  host=no
  libvirt=no
  if [ "${1:-}" = --debug ]; then
    debug=yes
    # Another configuration is another root.
    root=$root-debug-$(sha256sum <"$here/debug-kernel.config" | cut -c1-8)
    shift
  elif [ "${1:-}" = --host ]; then
    host=yes
    root=$cache/root-host-$HOST_RECIPE-$HOST_SUITE
    shift
  elif [ "${1:-}" = --libvirt ]; then
    libvirt=yes
    root=$root-libvirt-$LIBVIRT_RECIPE
    shift
  fi
  case ${1:-} in
    '') ;;
    --cached) mode=cached ;;
    --fresh) mode=fresh ;;
    --help | -h)
      usage
      exit 0
      ;;
    *) die "$EX_USAGE" "unknown argument $1" "root.sh --help" ;;
  esac
  if [ "$mode" != fresh ] && [ -f "$root/root.conf" ]; then
    printf '%s\n' "$root"
    exit 0
  fi
  [ "$mode" != cached ] || die "$EX_UNAVAILABLE" "no root at $root" "run $here/root.sh as root"
  [ "$debug$libvirt" = nono ] || plain=$("$here/root.sh")
  check_machine
  mkdir -p "$cache" || die "$EX_TEMPFAIL" "cannot create the cache directory $cache" "set SLUICE_CACHE to a writable one"
  lock
  # Someone else may have finished it while we waited.
  if [ "$mode" = fresh ] || [ ! -f "$root/root.conf" ]; then
    check_space
    ensure_debootstrap
    build
  fi
  printf '%s\n' "$root"
}

check_machine() {
  [ "$(uname -sm)" = 'Linux x86_64' ] ||
    die "$EX_UNAVAILABLE" "the machine environment is built for Linux on x86_64, this is $(uname -sm)" "run on such a machine"
  [ "$(id -u)" = 0 ] ||
    die "$EX_UNAVAILABLE" "making the root directory takes root (debootstrap creates device nodes and chroots)" \
      "once, as root: SLUICE_CACHE='$cache' $here/root.sh"
  refusal=$(unshare -m --propagation private mount -t tmpfs none /mnt 2>&1) ||
    die "$EX_UNAVAILABLE" "this environment forbids mounts in a namespace of one's own ($refusal)" \
      "run on a machine; give a container CAP_SYS_ADMIN; or bind a chroot's root directory to itself first"
  if [ -z "${SLUICE_MIRROR:-}" ]; then
    command -v apt-get >/dev/null ||
      die "$EX_UNAVAILABLE" "no apt-get here, so no Debian mirror to ask" \
        "install debootstrap and the Debian archive keyring, and set SLUICE_MIRROR to a mirror of the Debian archive"
  fi
}

lock() {
  exec 9>"$cache/root.lock"
  if ! flock -n 9; then
    note "another process is making the root, waiting for it"
    flock 9
  fi
  # We hold the lock: what lies about is of builders that were killed.
  for left in "$cache"/root-*.new.* "$cache"/root-*.old.*; do
    [ ! -d "$left" ] || rm -rf --one-file-system "$left"
  done
}

check_space() {
  free=$(df -Pm "$cache" | awk 'NR == 2 { print $4 }')
  needed=$NEEDED_MIB
  [ "$debug" = no ] || needed=$NEEDED_DEBUG_MIB
  [ "$free" -ge "$needed" ] ||
    die "$EX_TEMPFAIL" "$cache has $free MiB free, making the root takes $needed MiB" \
      "make room, or set SLUICE_CACHE to a directory on a larger disk"
}

ensure_debootstrap() {
  command -v debootstrap >/dev/null && return
  command -v apt-get >/dev/null ||
    die "$EX_UNAVAILABLE" "debootstrap is not installed" "install debootstrap with this system's package manager"
  note "installing debootstrap"
  apt_install=$(mktemp)
  { apt-get -q update && DEBIAN_FRONTEND=noninteractive apt-get -qy install --no-install-recommends debootstrap; } \
    </dev/null >"$apt_install" 2>&1 9>&- || {
    tail -n 5 "$apt_install" >&2
    rm -f "$apt_install"
    die "$EX_TEMPFAIL" "apt-get could not install debootstrap" "apt-get update && apt-get install debootstrap"
  }
  rm -f "$apt_install"
}

# The URI of the Debian archive that this machine's apt uses, whatever the format of its configuration.
mirror() {
  if [ -n "${SLUICE_MIRROR:-}" ]; then
    printf '%s\n' "${SLUICE_MIRROR%/}"
    return
  fi
  # Lines look like 'URI/dists/SUITE/InRelease' NAME SIZE. The main archive ends in /debian; debian-security,
  # backports of vendors and the like do not.
  apt-get update --print-uris 2>/dev/null | sed -n "s,^'\([^']*\)/dists/[^']*'.*,\1,p" |
    awk '!any { any = $0 } /\/debian$/ { best = $0; exit } END { print best ? best : any }'
}

# build_plain DIRECTORY, build_libvirt DIRECTORY, build_host DIRECTORY, build_debug DIRECTORY: fill the directory. In a mount namespace of its own, so that whatever
# gets mounted inside is gone before anything is removed. The lock goes along: should only we be killed, it holds
# until that process has ended.
build_plain() {
  debootstrapped root-recipe.sh "$1" "$SUITE" "$PACKAGES"
}

build_libvirt() {
  note "making $root (log: $log)"
  unshare -m --propagation private sh -eu "$here/libvirt-recipe.sh" "$1" "$plain" "$LIBVIRT_PACKAGES" \
    </dev/null >"$log" 2>&1
}

build_host() {
  debootstrapped host-recipe.sh "$1" "$HOST_SUITE" "$HOST_PACKAGES"
}

# debootstrapped RECIPE DIRECTORY SUITE PACKAGES
debootstrapped() {
  mirror=$(mirror)
  [ -n "$mirror" ] ||
    die "$EX_UNAVAILABLE" "this machine's apt has no source to take a mirror from" "set SLUICE_MIRROR to a mirror of the Debian archive"
  # The debootstrap of an older Debian has no script named after a newer suite; all current ones are sid's.
  script=/usr/share/debootstrap/scripts/$3
  [ -e "$script" ] || script=/usr/share/debootstrap/scripts/sid
  note "making $root from $mirror (log: $log)"
  unshare -m --propagation private sh -eu "$here/$1" "$2" "$3" "$mirror" "$script" "$4" \
    </dev/null >"$log" 2>&1
}

build_debug() {
  note "making $root with a kernel from source (log: $log)"
  unshare -m --propagation private sh -eu "$here/debug-recipe.sh" "$1" "$plain" "$here/debug-kernel.config" \
    </dev/null >"$log" 2>&1
}

build() {
  new=$(mktemp -d "$root.new.XXXXXX")
  chmod 755 "$new"
  log=$cache/root.log
  trap 'rm -rf --one-file-system "$new"' EXIT
  trap 'exit 130' INT
  trap 'exit 143' TERM HUP
  recipe=build_plain
  [ "$debug" = no ] || recipe=build_debug
  [ "$libvirt" = no ] || recipe=build_libvirt
  suite=$SUITE
  [ "$host" = no ] || { recipe=build_host; suite=$HOST_SUITE; }
  if ! $recipe "$new"; then
    tail -n 15 "$log" >&2
    die "$EX_TEMPFAIL" "making the root failed; the whole log is in $log" \
      "check that the mirror can be reached and carries $suite; SLUICE_MIRROR names another"
  fi
  printf 'RECIPE=%s\n' "$RECIPE" >>"$new/root.conf"
  sync -f "$new"
  [ ! -e "$root" ] || mv "$root" "$root.old.$$"
  mv "$new" "$root"
  rm -rf --one-file-system "$root.old.$$"
  trap - EXIT
  note "made $root, $(du -sm "$root" | cut -f1) MiB"
}

main "$@"
