# shellcheck shell=sh
# Fills an empty directory with a copy of a root that has libvirt, too. Run by root.sh only, as
#   sh -eu libvirt-recipe.sh DIRECTORY ROOT PACKAGES
# in a mount namespace of its own. Everything it prints goes to the log.

new=$1
root=$2
packages=$3

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
unset TMPDIR

in_new() {
  chroot "$new" "$@"
}

echo "== copy of $root"
cp -a --reflink=auto "$root/." "$new/"
mount -t proc proc "$new/proc"
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$new/etc/resolv.conf"

echo "== packages"
in_new apt-get -q update
# shellcheck disable=SC2086 # a list
in_new apt-get -qy install --no-install-recommends $packages

echo "== check"
in_new libvirtd --version
in_new virsh --version
in_new getent passwd libvirt-qemu

echo "== clean"
umount "$new/proc"
in_new apt-get clean
rm -rf "$new"/tmp/* "$new"/var/lib/apt/lists/* "$new"/var/cache/apt/*.bin "$new"/var/log/apt
sed -i '/^RECIPE=/d' "$new/root.conf"
