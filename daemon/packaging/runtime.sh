#!/bin/sh
# runtime.sh JDK OUTPUT [--more MODULE,...] [JLINK-OPTION]...: makes the Java that runs the product, without what only
# developers read, and with more modules.

set -eu
here=$(cd "$(dirname -- "$0")" && pwd -P)
# shellcheck source=daemon/packaging/programs.sh
. "$here/programs.sh"

jdk=$1
output=$2
shift 2
modules=$PRODUCT_MODULES
if [ "${1:-}" = --more ]; then
  modules=$modules,$2
  shift 2
fi

[ -x "$jdk/bin/jlink" ] || {
  printf 'runtime.sh: %s\n  fix: %s\n' "$jdk has no jlink" "install the whole JDK, with its jmods" >&2
  exit 69
}
"$jdk/bin/jlink" --add-modules "$modules" --output "$output" --strip-debug --no-header-files --no-man-pages "$@" >&2
# jlink leaves the symbols of native code, 5 MiB that only a debugger reads.
find "$output/lib" -name '*.so' -exec strip --strip-unneeded {} +
