#!/bin/sh
# package.sh JDK JARS OUTPUT: makes OUTPUT/sluice_VERSION_amd64.deb, which needs no Java where it is installed, and
# OUTPUT/sluice-guest_VERSION_amd64.deb, the guest's side. JARS is the directory of the product's jars, which the build
# of this module gathers. Called by ./sluice package and by its test.
#
# The same commit, JDK and compiler make the same bytes: all times are the commit's, or SOURCE_DATE_EPOCH.
# Prints the paths of the packages. exit: 69 something is missing here; 70 it was not made

set -eu
umask 022
export LC_ALL=C
here=$(cd "$(dirname -- "$0")" && pwd -P)
home=$(cd "$here/../.." && pwd -P)
# shellcheck source=daemon/packaging/programs.sh
. "$here/programs.sh"
stubs=$home/guest-driver-stubs

main() {
  [ $# -eq 3 ] || die 64 "it takes a JDK, a directory of jars, and where to put the packages"
  jdk=$1
  jars=$2
  output=$3
  ls "$jars"/sluiced-*.jar >/dev/null 2>&1 || die 70 "no jars in $jars"
  echo '#include <CL/cl_icd.h>' | gcc -E -o /dev/null - 2>/dev/null ||
    die 69 "no OpenCL headers here: apt-get install opencl-c-headers"
  : "${SOURCE_DATE_EPOCH:=$(git -C "$home" log -1 --format=%ct 2>/dev/null || date +%s)}"
  export SOURCE_DATE_EPOCH
  pom_version=$(sed -n '/<artifactId>sluice</{n;s:.*<version>\(.*\)</version>.*:\1:p;q;}' "$home/pom.xml")
  [ -n "$pom_version" ] || die 70 "no version in pom.xml"
  number=${pom_version%-SNAPSHOT}
  version=$number
  # Of snapshots the commit's time makes later ones higher, and all lower than the release.
  [ "$number" = "$pom_version" ] || version=$number~$(date -u -d "@$SOURCE_DATE_EPOCH" +%Y%m%d%H%M%S)
  mkdir -p "$output"
  work=$(mktemp -d "$output/work.XXXXXX")
  trap 'rm -rf "$work"' EXIT
  rm -f "$output"/sluice*.deb
  host
  guest
}

die() {
  printf 'package.sh: %s\n' "$2" >&2
  exit "$1"
}

# --- the host -------------------------------------------------------------------------------------------------

host() {
  tree=$work/sluice
  lib=$tree/usr/lib/sluice
  mkdir -p "$lib/lib" "$tree/usr/bin"
  cp "$jars"/*.jar "$lib/lib/"
  # Its classes are of Java 5, which no AOT cache takes.
  for jar in "$lib"/lib/picocli-*.jar; do
    "$jdk/bin/java" "$here/StackMaps.java" "$jar" "$work/picocli.jar"
    mv "$work/picocli.jar" "$jar"
  done
  cp "$here/programs.sh" "$lib/"
  "$here/runtime.sh" "$jdk" "$lib/java" --more "$AGENT_MODULES" --compress zip-0 --generate-cds-archive
  # Of java.desktop an agent uses java.beans, which has no native code; the rest needs an X server's libraries.
  for name in awt awt_headless awt_xawt fontmanager freetype javajpeg jawt jsound lcms mlib_image splashscreen; do
    rm -f "$lib/java/lib/lib$name.so"
  done
  # The archive of a JVM whose heap is too large for compressed pointers: no program of ours is one.
  rm -f "$lib/java/lib/server/classes_nocoops.jsa"
  install -m 755 "$here/host/sluiced" "$here/host/sluicectl" "$tree/usr/bin/"
  cuda_parts
  put 644 "$here/host/sluiced.service" usr/lib/systemd/system/sluiced.service
  put 644 "$here/host/sluice.toml" etc/sluice/sluice.toml
  mkdir -p "$tree/etc/sluice/conf.d"
  for file in sluice-jmx.yml sluice-grafana.json; do
    put 644 "$here/metrics/$file" "usr/share/sluice/metrics/$file"
  done
  completions
  for page in sluiced.8 sluicectl.1 sluice.toml.5; do
    section=${page##*.}
    mkdir -p "$tree/usr/share/man/man$section"
    gzip -9n <"$here/host/man/$page" >"$tree/usr/share/man/man$section/$page.gz"
  done
  documents sluice "$here/host/copyright"
  all_jars_licensed
  for page in "$home"/docs/*.md; do
    put 644 "$page" "usr/share/doc/sluice/${page##*/}"
  done
  deb sluice "$here/host/control" "$here/host/postinst" "$here/host/prerm" "$here/host/postrm"
}

# What `sluicectl guest run` starts CUDA programs with.
cuda_parts() {
  make -s -C "$stubs/cuda" OUT="$work/cuda" CFLAGS=-O2 >&2
  strip --strip-unneeded "$work/cuda/libsluice-cuda.so" "$work/cuda/sluice-cuda-run"
  install -m 644 "$work/cuda/libsluice-cuda.so" "$lib/"
  install -m 755 "$work/cuda/sluice-cuda-run" "$lib/"
}

completions() {
  bash=$tree/usr/share/bash-completion/completions
  zsh=$tree/usr/share/zsh/vendor-completions
  mkdir -p "$bash" "$zsh"
  "$jdk/bin/java" --module-path "$lib/lib" --module "$CONTROL" completion \
    >"$bash/sluicectl"
  cp "$here/host/zsh-completion" "$zsh/_sluicectl"
}

# Each jar that others made has its licence in the package.
all_jars_licensed() {
  for jar in "$lib"/lib/*.jar; do
    name=${jar##*/}
    case $name in
      *"-$pom_version.jar") continue ;;
    esac
    name=$(printf '%s' "$name" | sed 's/-[0-9].*//')
    grep -q "usr/lib/sluice/lib/$name-[*]" "$here/host/copyright" ||
      die 70 "no licence of $name in daemon/packaging/host/copyright"
  done
}

# --- the guest ------------------------------------------------------------------------------------------------

guest() {
  tree=$work/sluice-guest
  triplet=$(gcc -dumpmachine)
  cp -R "$stubs" "$work/stubs"
  make -s -C "$work/stubs/lib" clean
  make -s -C "$work/stubs/lib" CFLAGS=-O2 >&2
  put 644 "$work/stubs/lib/libsluice.a" "usr/lib/$triplet/libsluice.a"
  # Laid out as in the tree, since they name each other by it.
  for header in "$stubs"/include/sluice_abi.h "$stubs"/lib/sluice.h "$stubs"/lib/compute.h "$stubs"/linux/uapi/*.h; do
    put 644 "$header" "usr/include/sluice/${header#"$stubs"/}"
  done
  mkdir -p "$tree/usr/lib/$triplet/pkgconfig"
  sed "s/@VERSION@/$number/; s/@TRIPLET@/$triplet/" "$here/guest/sluice.pc" >"$tree/usr/lib/$triplet/pkgconfig/sluice.pc"
  api_libraries
  module=usr/src/sluice-$number
  for file in "$stubs"/linux/*.[ch] "$stubs"/linux/Kbuild "$stubs"/linux/Makefile "$stubs"/linux/COPYING; do
    put 644 "$file" "$module/linux/${file##*/}"
  done
  for file in "$stubs"/linux/uapi/*.h; do
    put 644 "$file" "$module/linux/uapi/${file##*/}"
  done
  put 644 "$stubs/include/sluice_abi.h" "$module/include/sluice_abi.h"
  sed "s/@VERSION@/$number/" "$here/guest/dkms.conf" >"$tree/$module/dkms.conf"
  documents sluice-guest "$here/guest/copyright"
  put 644 "$stubs/README.md" usr/share/doc/sluice-guest/README.md
  put 644 "$stubs/programs/example.c" usr/share/sluice-guest/examples/example.c
  deb sluice-guest "$here/guest/control" "$here/guest/postinst" "$here/guest/prerm"
}

# What OpenCL and CUDA programs find a guest's GPU by. The launcher has a directory of its own: on a host it is in the
# other package, too.
api_libraries() {
  generated=$home/api-remoting/opencl/target/generated-c
  [ -e "$generated/opencl_calls.h" ] || die 70 "no $generated/opencl_calls.h, which the build writes"
  make -s -C "$stubs/opencl" OUT="$work/opencl" GENERATED="$generated" CFLAGS=-O2 >&2
  strip --strip-unneeded "$work/opencl/libsluice-opencl.so"
  put 644 "$work/opencl/libsluice-opencl.so" "usr/lib/$triplet/libsluice-opencl.so"
  mkdir -p "$tree/etc/OpenCL/vendors" "$tree/usr/bin"
  echo libsluice-opencl.so >"$tree/etc/OpenCL/vendors/sluice.icd"
  put 755 "$work/cuda/sluice-cuda-run" usr/lib/sluice-guest/sluice-cuda-run
  put 644 "$work/cuda/libsluice-cuda.so" usr/lib/sluice-guest/libsluice-cuda.so
  ln -s ../lib/sluice-guest/sluice-cuda-run "$tree/usr/bin/sluice-cuda-run"
}

# --- both -----------------------------------------------------------------------------------------------------

# put MODE FILE PATH: into the package.
put() {
  install -D -m "$1" "$2" "$tree/$3"
}

# documents PACKAGE COPYRIGHT
documents() {
  doc=$tree/usr/share/doc/$1
  put 644 "$2" "usr/share/doc/$1/copyright"
  put 644 "$home/CHANGELOG.md" "usr/share/doc/$1/CHANGELOG.md"
  printf '%s (%s) unstable; urgency=medium\n\n  * %s\n\n -- %s  %s\n' "$1" "$version" \
    'Made from the source tree; what users notice is in CHANGELOG.md.' 'Sluice developers <developers@sluice.invalid>' \
    "$(date -u -R -d "@$SOURCE_DATE_EPOCH")" | gzip -9n >"$doc/changelog.gz"
}

# deb PACKAGE CONTROL SCRIPT...: the package of the tree.
deb() {
  package=$1
  control=$2
  shift 2
  mkdir "$tree/DEBIAN"
  libc=$(libc_needed)
  sed "s/@VERSION@/$version/; s/@LIBC@/$libc/; s/@MODULE@/$number/; s/@SIZE@/$(du -sk --apparent-size "$tree" | cut -f 1)/" \
    "$control" >"$tree/DEBIAN/control"
  for script; do
    sed "s/@MODULE@/$number/" "$script" >"$tree/DEBIAN/${script##*/}"
    chmod 755 "$tree/DEBIAN/${script##*/}"
  done
  if [ -d "$tree/etc" ]; then
    (cd "$tree" && find etc -type f | sort | sed 's:^:/:') >"$tree/DEBIAN/conffiles"
  fi
  (cd "$tree" && find usr -type f -print0 | sort -z | xargs -0 md5sum) >"$tree/DEBIAN/md5sums"
  chmod -R u=rwX,go=rX "$tree"
  find "$tree" -exec touch -h -d "@$SOURCE_DATE_EPOCH" {} +
  file=$output/${package}_${version}_amd64.deb
  dpkg-deb --root-owner-group -Zzstd --build "$tree" "$file" >&2 || die 70 "dpkg-deb failed; its reason is above"
  printf '%s\n' "$file"
}

# The newest version of the C library that a program or library of the tree asks for; nothing else may be asked for.
libc_needed() {
  elf=$(find "$tree" -type f \( -name '*.so' -o -perm -u+x \) -exec sh -c 'for f; do
    [ "$(od -An -t x1 -N 4 "$f")" != " 7f 45 4c 46" ] || printf "%s\n" "$f"; done' _ {} +)
  newest=2.17
  for file in $elf; do
    for needed in $(readelf -d "$file" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
      case $needed in
        libc.so.6 | libm.so.6 | libdl.so.2 | libpthread.so.0 | librt.so.1 | ld-linux-x86-64.so.2) ;;
        *)
          find "$tree" -name "$needed" | grep -q . ||
            die 70 "$file needs $needed, which is not of the C library: take a JDK that brings its own"
          ;;
      esac
    done
    newest=$({ echo "$newest"; readelf -V "$file" | sed -n 's/.*Name: GLIBC_\([0-9.]*\).*/\1/p'; } | sort -V | tail -n 1)
  done
  echo "$newest"
}

main "$@"
