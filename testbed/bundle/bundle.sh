#!/bin/sh
# bundle.sh OUTPUT JAVA_HOME MAVEN: packs the conformance tests and the attack suite with a trimmed Java into OUTPUT, for
# a machine that has neither Java nor Maven. Copy the directory there as it is and run OUTPUT/test or OUTPUT/attack.
# Called by ./sluice bundle.

set -eu

readonly MAX_MIB=64
# What the tests, JUnit, AssertJ and sluiced use of the JDK.
readonly MODULES=java.base,java.logging,java.management,java.management.rmi,java.naming,java.rmi,java.xml,jdk.management
# jdk.jcmd: the attack suite has the daemon collect its garbage.
readonly MORE_MODULES=jdk.jcmd,jdk.net,jdk.unsupported,jdk.zipfs

home=$(cd "$(dirname -- "$0")/../.." && pwd -P)
output=$1
jdk=$2
maven=$3
jars=$home/testbed/conformance/target/bundle

die() {
  printf 'bundle.sh: %s\n' "$1" >&2
  exit 70
}

[ -x "$jdk/bin/jlink" ] || {
  printf 'bundle.sh: %s\n  fix: %s\n' "$jdk has no jlink" "install the whole JDK, with its jmods" >&2
  exit 69
}
# Only what an earlier run of this script made is removed.
case $output in
  */bundle) rm -rf "$output" ;;
  *) die "the output directory must be called bundle, not $output" ;;
esac
rm -rf "$jars"
mkdir -p "$output/lib"
(cd "$home" && "$maven" -B -q -Pbundle -pl testbed/conformance,testbed/attack -am -DskipTests -Dspotless.check.skip=true package) >&2 ||
  die "the build failed; Maven's reason is above"
cp "$jars"/*.jar "$home"/testbed/conformance/target/*-tests.jar "$output/lib/"
for part in attack workloads; do
  cp "$home/testbed/$part/target/testbed-$part"-*.jar "$output/lib/"
done
"$jdk/bin/jlink" --add-modules "$MODULES,$MORE_MODULES" --output "$output/runtime" \
  --compress zip-9 --strip-debug --no-header-files --no-man-pages
# jlink leaves the JVM's own symbols, 5 MiB that only a debugger reads.
strip --strip-unneeded "$output/runtime/lib/server/libjvm.so"
cp "$home/testbed/bundle/test" "$home/testbed/bundle/attack" "$home"/testbed/bundle/*.cu "$output/"
# The library by which CUDA programs are relayed: sources, which are built where they are used.
cp -R "$home/guest-driver-stubs/cuda" "$output/cuda"

size=$(du -sm "$output" | cut -f 1)
[ "$size" -le "$MAX_MIB" ] || die "the bundle has $size MiB, more than the $MAX_MIB that may travel"
printf 'bundle: %s, %s MiB\n' "$output" "$size"
