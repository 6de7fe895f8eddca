#!/bin/sh
# machine.sh OUTPUT ROOT IMAGE: packs a QEMU with the libraries and firmware it needs, the guest kernel and a guest image
# into OUTPUT, for a GPU machine without any of these. Copy the directory there beside the bundle and run
# bundle/test --machine OUTPUT. Called by ./sluice bundle --machine.
#   ROOT   what testbed/vm/root.sh has made
#   IMAGE  what testbed/vm/image.sh has printed

set -eu

home=$(cd "$(dirname -- "$0")/../.." && pwd -P)
output=$1
root=$2
image=$3
qemu=/usr/bin/qemu-system-x86_64

die() {
  printf 'machine.sh: %s\n' "$1" >&2
  exit 70
}

# Only what an earlier run of this script made is removed.
case $output in
  */machine) rm -rf "$output" ;;
  *) die "the output directory must be called machine, not $output" ;;
esac
packed=$output/root
kernel=$(cat "$image/kernel")
mkdir -p "$packed/lib" "$packed/usr/bin" "$packed/usr/share/qemu" "$packed/usr/share/seabios" \
  "$packed/usr/lib/modules/$kernel" "$output/vm"

cp "$root$qemu" "$packed/usr/bin/"
# Lines: "NAME => PATH (ADDRESS)", or the loader's "PATH (ADDRESS)"; the paths are the root's.
"$home/testbed/vm/in-root.sh" --root "$root" -- ldd "$qemu" >"$output/libraries" || die "$qemu: no list of its libraries"
sed -n 's/^.*=> \(\/[^ ]*\) (.*/\1/p; s/^[[:space:]]*\(\/[^ ]*\) (.*/\1/p' "$output/libraries" |
  while read -r library; do
    cp -L "$root$library" "$packed/lib/"
  done
rm "$output/libraries"
[ -x "$packed/lib/ld-linux-x86-64.so.2" ] || die "$qemu: its loader is not among its libraries"
# What a q35 machine loads that boots a kernel without network and display.
for file in qemu/linuxboot_dma.bin qemu/multiboot_dma.bin qemu/pvh.bin qemu/kvmvapic.bin seabios/bios-256k.bin; do
  cp -L "$root/usr/share/$file" "$packed/usr/share/$file"
done
cp "$root/usr/lib/modules/$kernel/vmlinux" "$packed/usr/lib/modules/$kernel/"
cp -R "$image" "$packed/image"
{
  cat "$root/root.conf"
  echo PORTABLE=yes
} >"$packed/root.conf"
cp "$home/testbed/vm/qemu.sh" "$home/testbed/vm/lib.sh" "$output/vm/"

printf 'machine: %s, %s MiB\n' "$output" "$(du -sm "$output" | cut -f 1)"
