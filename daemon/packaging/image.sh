#!/bin/sh
# image.sh PACKAGE [ARGUMENT...]: makes an image for containers of a package that package.sh has made, and prints its
# name. ARGUMENTs are the engine's: --build-arg BASE=... and the others that Containerfile names.
#
# CONTAINER_ENGINE is what to call instead of podman. exit: 64 usage; 69 something is missing here; 70 it was not made

set -eu
here=$(cd "$(dirname -- "$0")" && pwd -P)

die() {
  printf 'image.sh: %s\n' "$2" >&2
  exit "$1"
}

[ $# -ge 1 ] || die 64 "it takes a package, and what the engine is to be told"
package=$1
shift
[ -f "$package" ] || die 64 "no package at $package"
engine=${CONTAINER_ENGINE:-podman}
command -v "${engine%% *}" >/dev/null || die 69 "no $engine here: apt-get install podman, or name another in CONTAINER_ENGINE"
version=$(dpkg-deb --field "$package" Version)
# A tag has no ~.
tag=$(printf '%s' "$version" | tr '~+' '--')

context=$(mktemp -d "${TMPDIR:-/tmp}/sluice-image.XXXXXX")
trap 'rm -rf "$context"' EXIT
cp "$here/container/Containerfile" "$context/"
cp "$package" "$context/sluice.deb"
# shellcheck disable=SC2086 # an engine may be a command with options
$engine build --file "$context/Containerfile" --tag "sluice:$tag" --tag sluice:latest --build-arg "VERSION=$version" \
  "$@" "$context" >&2 || die 70 "$engine did not build it; its reason is above"
printf 'sluice:%s\n' "$tag"
