#!/bin/sh
# engine.sh: becomes a container engine for tests, Podman, that is asked by Docker's protocol.
#
# usage: engine.sh [--check] DIRECTORY
#   DIRECTORY   an empty one: the socket is DIRECTORY/socket, and all that the engine stores lies beside it
#   --check     says whether it could be, and ends
#
# For Testcontainers: DOCKER_HOST=unix://DIRECTORY/socket TESTCONTAINERS_RYUK_DISABLED=true. Images are made of what
# is here, FROM scratch: nothing is downloaded. The engine needs no cgroups: where the machine's are not of version 2,
# it sees an empty hierarchy in a mount namespace of its own.
#
# exit: 64 usage; 69 no such engine here, the message says why and what would help.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/../vm/lib.sh"

check=no
case ${1:-} in
  --check) check=yes; shift ;;
  --help | -h)
    usage
    exit 0
    ;;
esac
[ $# -eq 1 ] || die "$EX_USAGE" "one directory is wanted" "engine.sh --help"
directory=$(absolute "$1")

[ "$(id -u)" = 0 ] || die "$EX_UNAVAILABLE" "containers on a bridge need root" "run it as root"
# iptables: netavark, of the bridges, calls it and only says that no such file is there.
for tool in podman crun iptables ip unshare; do
  command -v "$tool" >/dev/null ||
    die "$EX_UNAVAILABLE" "no $tool here" "Debian: apt-get install podman crun netavark aardvark-dns iptables"
done
[ "$check" = no ] || exit 0

mkdir -p "$directory/run"
cat >"$directory/containers.conf" <<END
[containers]
default_ulimits = ["nofile=1024:1024", "nproc=1000:1000"]
cgroups = "disabled"
[engine]
cgroup_manager = "cgroupfs"
events_logger = "file"
runtime = "crun"
[network]
network_backend = "netavark"
network_config_dir = "$directory/networks"
END
cat >"$directory/storage.conf" <<END
[storage]
driver = "vfs"
graphroot = "$directory/storage"
runroot = "$directory/run"
END
export CONTAINERS_CONF="$directory/containers.conf" CONTAINERS_STORAGE_CONF="$directory/storage.conf"
export TMPDIR="$directory/run"
set -- podman system service --time 0 "unix://$directory/socket"
# shellcheck disable=SC2016 # for the shell inside
exec unshare --mount --net --propagation private sh -eu -c '
  ip link set lo up
  if [ "$(stat -f -c %T /sys/fs/cgroup)" != cgroup2fs ]; then
    umount -R /sys/fs/cgroup 2>/dev/null || :
    mount -t cgroup2 none /sys/fs/cgroup
  fi
  exec "$@"' sh podman system service --time 0 "unix://$directory/socket"
