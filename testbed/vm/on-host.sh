#!/bin/sh
# on-host.sh: runs a command on a plain host: in a fresh copy of the root directory of root.sh --host.
#
# usage: on-host.sh [--root DIR] [--systemd] [--bind-ro DIR]... [--] COMMAND [ARGUMENT]...
#   --root DIR     the root (default: what root.sh --host has cached)
#   --systemd      the host has booted: systemd is its first process, and runs the command when the basic system is up
#   --bind-ro DIR  show this machine's DIR there, at the same path, read-only
#   --help
#
# The command may write, install and start what it likes: the copy is in memory, the processes are in a namespace of
# theirs, there is no network, and all of it is gone when the command ends.
#
# exit: the command's; 64 usage; 66 no such directory; 69 no root, or this machine cannot have such a host (stderr says why)

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/lib.sh"

root=
systemd=no
binds=
while [ $# -gt 0 ]; do
  case $1 in
    --root) need_value "$1" $#; root=$2; shift 2 ;;
    --systemd) systemd=yes; shift ;;
    --bind-ro)
      need_value "$1" $#
      [ -d "$2" ] || die "$EX_NOINPUT" "$1 $2: no such directory"
      binds="$binds$(absolute "$2")
"
      shift 2
      ;;
    --help | -h)
      usage
      exit 0
      ;;
    --)
      shift
      break
      ;;
    -*) die "$EX_USAGE" "unknown option $1" "on-host.sh --help" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || die "$EX_USAGE" "no command" "on-host.sh --help"
[ "$(id -u)" = 0 ] || die "$EX_UNAVAILABLE" "a host's users and mounts take root" "run it as root"
[ -n "$root" ] || root=$("$here/root.sh" --host --cached)
[ -f "$root/root.conf" ] || die "$EX_UNAVAILABLE" "$root is no root directory of ours" "$here/root.sh --host prints one"

if [ "$systemd" = no ]; then
  exec unshare --mount --propagation private --pid --fork --kill-child --ipc --uts --net \
    sh -eu "$here/on-host-mounts.sh" "$root" "$binds" '' "$@"
fi

# systemd wants a control group of version 2 of its own.
groups=/sys/fs/cgroup
[ -e "$groups/cgroup.procs" ] || groups=$groups/unified
group=$groups/sluice-host-$$
mkdir "$group" 2>/dev/null ||
  die "$EX_UNAVAILABLE" "no control groups of version 2 that may be written, which systemd needs" "run on a machine, as root"
output=$(mktemp)
mine=$groups$(sed -n 's/^0:://p' /proc/self/cgroup)
trap 'echo $$ >"$mine/cgroup.procs"; find "$group" -depth -type d -exec rmdir {} \; || :; rm -f "$output"' EXIT
trap 'exit 143' TERM HUP INT
echo $$ >"$group/cgroup.procs"
code=0
unshare --mount --propagation private --pid --fork --kill-child --ipc --uts --net --cgroup \
  sh -eu "$here/on-host-mounts.sh" "$root" "$binds" "$output" "$@" || code=$?
cat "$output"
exit "$code"
