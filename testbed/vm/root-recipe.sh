# shellcheck shell=sh
# Fills an empty directory with the root that root.sh describes. Run by root.sh only, as
#   sh -eu root-recipe.sh DIRECTORY SUITE MIRROR DEBOOTSTRAP-SCRIPT PACKAGES
# in a mount namespace of its own. Everything it prints goes to the log.

new=$1
suite=$2
mirror=$3
script=$4
packages=$5

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
unset TMPDIR

in_new() {
  chroot "$new" "$@"
}

# debootstrap asks wget, not apt, so it does not see a proxy that only apt is configured for.
if command -v apt-config >/dev/null && [ -z "${http_proxy:-}" ]; then
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [ -z "${http_proxy:-}" ] || export http_proxy
fi

echo "== base system"
debootstrap --variant=minbase --arch=amd64 "$suite" "$new" "$mirror" "$script"

echo "== packages"
# How this machine reaches its mirror (proxies, a frozen mirror's dates) holds inside as well.
if command -v apt-config >/dev/null; then
  apt-config dump | grep -E '^Acquire::(https?|ftp|Check-|Max-ValidTime|Retries|ForceIPv)' \
    >"$new/etc/apt/apt.conf.d/10host" || true
fi
[ ! -e /etc/hosts ] || cp /etc/hosts "$new/etc/hosts"
cat >"$new/etc/dpkg/dpkg.cfg.d/10small" <<'END'
path-exclude=/usr/share/doc/*
path-exclude=/usr/share/man/*
path-exclude=/usr/share/locale/*
path-exclude=/usr/share/info/*
END
# No service is to start in here.
printf '#!/bin/sh\nexit 101\n' >"$new/usr/sbin/policy-rc.d"
chmod 755 "$new/usr/sbin/policy-rc.d"
mount -t proc proc "$new/proc"

in_new apt-get -q update
# shellcheck disable=SC2086 # a list
in_new apt-get -qy install --no-install-recommends $packages

echo "== kernel"
# The image's packages are unpacked, not installed: their scripts would pull in and run an initramfs generator.
# linux-image-amd64 names the newest kernel; older archives hold it in one package, newer ones in several.
kernel_packages=$(in_new apt-get -s --no-install-recommends install linux-image-amd64 |
  sed -n 's/^Inst \(linux-\(image\|binary\|modules\)-[0-9][^ ]*\) .*/\1/p')
[ -n "$kernel_packages" ]
mkdir "$new/tmp/kernel"
# shellcheck disable=SC2086 # a list
in_new sh -eu -c 'cd /tmp/kernel && apt-get -q -o APT::Sandbox::User=root download "$@"' sh $kernel_packages
for deb in "$new"/tmp/kernel/*.deb; do
  in_new dpkg-deb -x "/tmp/kernel/${deb##*/}" /tmp/kernel/tree
done
tree=$new/tmp/kernel/tree
modules=$tree/usr/lib/modules
[ -d "$modules" ] || modules=$tree/lib/modules
kernel=$(ls "$modules")
case $kernel in
  *' '* | '') echo "expected one kernel, found: $kernel"; exit 1 ;;
esac
in_new apt-get -qy install --no-install-recommends "linux-headers-$kernel"
mkdir -p "$new/usr/lib/modules"
# The headers' package has put its build link into the same directory.
cp -a "$modules/$kernel" "$new/usr/lib/modules/"
in_new depmod "$kernel"
# QEMU starts the bare kernel (PVH), which spares an emulated processor the decompression: a quarter of the boot.
# Offsets: the kernel's Documentation/arch/x86/boot.rst, setup_sects, payload_offset and payload_length.
bzimage=$new/usr/lib/modules/$kernel/vmlinuz
[ -e "$bzimage" ] || bzimage=$tree/boot/vmlinuz-$kernel
field() { od -An -t "u$2" -j "$1" -N "$2" "$bzimage" | tr -d ' '; }
payload=$((($(field 497 1) + 1) * 512 + $(field 584 4)))
tail -c "+$((payload + 1))" "$bzimage" | head -c "$(field 588 4)" >"$new/tmp/kernel/payload"
# The payload's last 4 bytes are its size, not part of the stream: decompressors grumble about them.
case $(od -An -t x1 -N 4 "$new/tmp/kernel/payload" | tr -d ' ') in
  28b52ffd) unpack='zstd -dc' ;;
  fd377a58) unpack='xz -dc' ;;
  1f8b*) unpack='gzip -dc' ;;
  *) echo "the kernel is compressed in a way this recipe does not know"; exit 1 ;;
esac
# shellcheck disable=SC2086 # command and option
in_new $unpack /tmp/kernel/payload >"$new/usr/lib/modules/$kernel/vmlinux" || true
rm -f "$new/usr/lib/modules/$kernel/vmlinuz"

echo "== check"
qemu=$(in_new qemu-system-x86_64 --version | sed -n '1s/.*version \([0-9.]*\).*/\1/p')
in_new qemu-system-x86_64 -device help | grep -q '"vfio-user-pci"'
in_new modprobe -S "$kernel" --show-depends drm
[ -e "$new/usr/lib/modules/$kernel/build/Makefile" ]
[ "$(od -An -t x1 -N 4 "$new/usr/lib/modules/$kernel/vmlinux")" = ' 7f 45 4c 46' ]
[ -x "$new/usr/bin/busybox" ] || [ -x "$new/bin/busybox" ]

echo "== clean"
umount "$new/proc"
in_new apt-get clean
rm -rf "$new"/tmp/* "$new"/var/lib/apt/lists/* "$new"/var/cache/apt/*.bin "$new"/var/log/* \
  "$new"/usr/share/doc/* "$new"/usr/share/man/* "$new"/usr/share/locale/* "$new"/usr/share/info/*

cat >"$new/root.conf" <<END
SUITE=$suite
KERNEL=$kernel
QEMU=$qemu
END
echo "kernel $kernel, QEMU $qemu"
