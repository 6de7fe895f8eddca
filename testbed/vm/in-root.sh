#!/bin/sh
# in-root.sh: becomes a command that runs inside the root directory of root.sh.
#
# usage: in-root.sh [--root DIR] [--bind DIR]... [--bind-ro DIR]... [--dir DIR] [--] COMMAND [ARGUMENT]...
#   --root DIR     the root (default: what root.sh has cached)
#   --bind DIR     show the host's DIR inside, at the same path, writable
#   --bind-ro DIR  the same, read-only
#   --dir DIR      start in DIR (default: /)
#   --help
#
# The command sees the root's /usr and /etc read-only, the host's /dev and /proc, an empty /tmp and /var of its
# own, and the directories bound. Mounts live in a mount namespace of the command and vanish with it; nothing is
# ever written into the root. Process, network and IPC namespaces are the host's.
#
# The script execs all the way: its process id is the command's, so signals, stdio and the exit code are too.
# Run by another user than root, it uses a user namespace.
#
# exit: the command's; 64 usage; 69 no root, or mounts are forbidden here; 126 or 127 as shells do.

set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=testbed/vm/lib.sh
. "$here/lib.sh"

root=
start=/
binds= # lines of: mode, blank, absolute path
while [ $# -gt 0 ]; do
  case $1 in
    --root) need_value "$1" $#; root=$2; shift 2 ;;
    --dir) need_value "$1" $#; start=$2; shift 2 ;;
    --bind | --bind-ro)
      need_value "$1" $#
      case $1 in --bind) mode=rw ;; *) mode=ro ;; esac
      case $2 in
        /*) ;;
        *) die "$EX_USAGE" "$1 takes an absolute path, not $2" ;;
      esac
      [ -d "$2" ] || die "$EX_NOINPUT" "$1 $2: no such directory"
      binds="$binds$mode $2
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
    -*) die "$EX_USAGE" "unknown option $1" "in-root.sh --help" ;;
    *) break ;;
  esac
done
[ $# -gt 0 ] || die "$EX_USAGE" "no command" "in-root.sh --help"
[ -n "$root" ] || root=$("$here/root.sh" --cached)
[ -f "$root/root.conf" ] || die "$EX_UNAVAILABLE" "$root is no root directory of ours" "$here/root.sh prints one"
root=$(cd "$root" && pwd -P)

as_root=
[ "$(id -u)" = 0 ] || as_root=--map-root-user
# shellcheck disable=SC2086 # none or one word
exec unshare $as_root --mount --propagation private sh -eu "$here/in-root-mounts.sh" "$root" "$start" "$binds" "$@"
