# shellcheck shell=sh
# Fills an empty directory with a copy of a root whose kernel watches itself. Run by root.sh only, as
#   sh -eu debug-recipe.sh DIRECTORY ROOT CONFIGURATION
# in a mount namespace of its own. Everything it prints goes to the log.

new=$1
root=$2
configuration=$3

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
unset TMPDIR

in_new() {
  chroot "$new" "$@"
}

echo "== copy of $root"
cp -a --reflink=auto "$root/." "$new/"
mount -t proc proc "$new/proc"
[ ! -e /etc/resolv.conf ] || cp -L /etc/resolv.conf "$new/etc/resolv.conf"

echo "== source"
packaged=$(cd "$new/usr/lib/modules" && echo *)
version=$(printf '%s\n' "$packaged" | sed 's/^\([0-9]*\.[0-9]*\).*/\1/')
in_new apt-get -q update
in_new apt-get -qy install --no-install-recommends "linux-source-$version" bc bison flex libelf-dev perl
mkdir "$new/tmp/linux"
tar -xf "$new/usr/src/linux-source-$version.tar.xz" -C "$new/tmp/linux" --strip-components=1

echo "== kernel"
cp "$configuration" "$new/tmp/linux/sluice.config"
in_new sh -eu -c '
  cd /tmp/linux
  make -s tinyconfig
  # Of two lines the last one counts.
  cat sluice.config >>.config
  make -s olddefconfig
  missing=$(grep -v "^#" sluice.config | grep . | grep -vxFf .config || true)
  [ -z "$missing" ] || {
    echo "this kernel does not have:"
    echo "$missing"
    exit 1
  }
  make -j"$(nproc)" bzImage modules
  rm -rf /usr/lib/modules/*
  make -s modules_install
  kernel=$(make -s kernelrelease)
  # Not the bare kernel: with KASAN it does not come up by PVH.
  cp arch/x86/boot/bzImage "/usr/lib/modules/$kernel/vmlinux"
  rm -f "/usr/lib/modules/$kernel/build"
  make -s run-command KBUILD_RUN_COMMAND="+scripts/package/install-extmod-build /usr/lib/modules/$kernel/build"
  depmod "$kernel"
'
kernel=$(cd "$new/usr/lib/modules" && echo *)

echo "== clean"
umount "$new/proc"
in_new apt-get clean
rm -rf "$new"/tmp/* "$new"/usr/src/* "$new"/var/lib/apt/lists/* "$new"/var/cache/apt/*.bin "$new"/var/log/*
sed -i "s/^KERNEL=.*/KERNEL=$kernel/" "$new/root.conf"
# KASAN keeps freed memory, and shadows of all that is mapped. With five levels of page tables it takes an interrupt
# early in the boot, while the processor is being identified, for a wild access.
cat >>"$new/root.conf" <<END
MEMORY=1536M
CPU=max,la57=off
END
echo "kernel $kernel"
