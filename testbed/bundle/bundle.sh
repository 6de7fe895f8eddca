#!/bin/sh
# bundle.sh OUTPUT JAVA_HOME MAVEN: packs the conformance tests and the attack suite with a trimmed Java into OUTPUT, for
# a machine that has neither Java nor Maven. Copy the directory there as it is and run OUTPUT/test or OUTPUT/attack.
# Called by ./sluice bundle.

set -eu

readonly MAX_MIB=64
# What the tests, JUnit and AssertJ use of the JDK beside the product's; jdk.jcmd: the attack suite has the daemon collect
# its garbage.
readonly MORE_MODULES=java.logging,jdk.jcmd,jdk.zipfs

home=$(cd "$(dirname -- "$0")/../.." && pwd -P)
output=$1
jdk=$2
maven=$3
jars=$home/testbed/conformance/target/bundle

die() {
  printf 'bundle.sh: %s\n' "$1" >&2
  exit 70
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
"$home/daemon/packaging/runtime.sh" "$jdk" "$output/runtime" --more "$MORE_MODULES" --compress zip-9
cp "$home/testbed/bundle/test" "$home/testbed/bundle/attack" "$home"/testbed/bundle/*.cu "$output/"
# The library by which CUDA programs are relayed: sources, which are built where they are used.
cp -R "$home/guest-driver-stubs/cuda" "$output/cuda"

size=$(du -sm "$output" | cut -f 1)
[ "$size" -le "$MAX_MIB" ] || die "the bundle has $size MiB, more than the $MAX_MIB that may travel"
printf 'bundle: %s, %s MiB\n' "$output" "$size"
