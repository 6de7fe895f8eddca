# shellcheck shell=sh
# Builds a guest image inside the root: run by image.sh only, in the work directory that it has filled, as
#   sh -eu image-build.sh OUTPUT-DIRECTORY KERNEL-MODULES
# cuda/ include/ lib/ linux/ programs/ hold sources, tree/ becomes the initramfs.

out=$1
kmods=$2
kernel=$(cd /usr/lib/modules && echo *)
tree=$PWD/tree
mkdir -p "$tree/bin" "$tree/etc" "$tree/lib/modules"
: >"$tree/etc/modules-in-order"
: >"$tree/etc/modules-of-shares"
order=$tree/etc/modules-in-order

# add_module FILE: copies FILE, which modprobe or kbuild named, and puts it into the order, once.
add_module() {
  name=${1##*/}
  name=${name%.xz}
  name=${name%.zst}
  name=${name%.gz}
  ! grep -qx "$name" "$tree/etc/modules-in-order" "$order" || return 0
  case $1 in
    *.xz) xz -dc "$1" ;;
    *.zst) zstd -dc "$1" ;;
    *.gz) gzip -dc "$1" ;;
    *) cat "$1" ;;
  esac >"$tree/lib/modules/$name"
  echo "$name" >>"$order"
}

# add_kernel_module NAME: with everything it depends on, dependencies first.
add_kernel_module() {
  modprobe -S "$kernel" --show-depends "$1" >show-depends
  # Lines: "insmod PATH [OPTIONS]" or "builtin NAME".
  while read -r verb path _; do
    [ "$verb" != insmod ] || add_module "$path"
  done <show-depends
}

for name in $kmods; do
  add_kernel_module "$name"
done

if [ -e linux/Makefile ] || [ -e linux/Kbuild ]; then
  make -j"$(nproc)" -C "/usr/lib/modules/$kernel/build" M="$PWD/linux" modules
  for ko in linux/*.ko; do
    for name in $(modinfo -F depends "$ko" | tr , ' '); do
      [ -e "linux/$name.ko" ] || add_kernel_module "$name"
    done
  done
  # modules.order lists ours in an order that suits their dependencies on each other.
  while read -r object; do
    name=${object##*/}
    add_module "linux/${name%.o}.ko"
  done <<END
$(sed 's/\.ko$/.o/' linux/modules.order)
END
fi

# What mounts directories of the host: loaded when there are any. A kernel of our own making may be without.
order=$tree/etc/modules-of-shares
if modprobe -S "$kernel" --show-depends 9p >/dev/null 2>&1; then
  add_kernel_module 9pnet_virtio
  add_kernel_module 9p
fi

if [ -e programs/Makefile ]; then
  # What newer compilers warn of must not keep anybody from a guest.
  make -j"$(nproc)" -C programs CFLAGS='-O2 -g0' WERROR=
  for source in programs/*.c; do
    name=${source##*/}
    cp "${source%.c}" "$tree/bin/${name%.c}"
  done
fi

if [ -e cuda/Makefile ]; then
  make -j"$(nproc)" -C cuda OUT="$PWD/cuda/out" CFLAGS='-O2 -g0' WERROR= check
  install -D -t "$tree/usr/lib/sluice" cuda/out/sluice-cuda-run cuda/out/libsluice-cuda.so cuda/out/calls
  # All else is linked statically; a library to preload wants a program that is not. Whoever adds a C library has that.
  if [ ! -e "$tree/lib64/ld-linux-x86-64.so.2" ]; then
    install -D -t "$tree/lib64" /lib64/ld-linux-x86-64.so.2
    install -D -t "$tree/lib/x86_64-linux-gnu" /lib/x86_64-linux-gnu/libc.so.6
  fi
fi

for cubin in programs/*.cubin; do
  [ ! -e "$cubin" ] || install -D -m 644 "$cubin" "$tree/usr/share/sluice/${cubin##*/}"
done

busybox=$(command -v busybox)
cp "$busybox" "$tree/bin/busybox"
echo "$kernel" >"$out/kernel"
cp "$tree/etc/modules-in-order" "$out/modules"
# Not compressed: under an emulated processor, decompressing costs more than loading.
(cd "$tree" && find . -print0 | LC_ALL=C sort -z | cpio -0 --quiet -o -H newc -R 0:0) >"$out/initrd"
