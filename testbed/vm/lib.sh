# shellcheck shell=sh
# shellcheck disable=SC2034 # the codes are used by those who source this
# What the scripts of this directory have in common. Sourced, never run.

# Exit codes, after sysexits.h. Callers depend on them.
readonly EX_USAGE=64       # wrong arguments
readonly EX_NOINPUT=66     # an input file is missing
readonly EX_UNAVAILABLE=69 # this machine cannot have it; the message says what is missing and how to get it
readonly EX_SOFTWARE=70    # a build step inside the root failed
readonly EX_TEMPFAIL=75    # it should have worked here (mirror, disk); the message says what failed

# chroot, debootstrap and depmod live in sbin, which not every caller's PATH has.
PATH=$PATH:/usr/sbin:/sbin

# note TEXT: progress, on stderr, since stdout carries results.
note() {
  printf '%s: %s\n' "${0##*/}" "$1" >&2
}

# die CODE WHAT [FIX]: the end, with the reason and what to do about it.
die() {
  printf '%s: %s\n' "${0##*/}" "$2" >&2
  [ -z "${3:-}" ] || printf '  fix: %s\n' "$3" >&2
  exit "$1"
}

# usage: the comment at the head of the running script is its manual.
usage() {
  sed -n '2,/^$/s/^# \{0,1\}//p' "$0"
}

# need_value OPTION COUNT: COUNT is $#, OPTION included.
need_value() {
  [ "$2" -ge 2 ] || die "$EX_USAGE" "option $1 needs a value" "see ${0##*/} --help"
}

cache_dir() {
  printf '%s\n' "${SLUICE_CACHE:-${XDG_CACHE_HOME:-${HOME:?HOME is not set, and neither is SLUICE_CACHE}/.cache}/sluice}"
}

# absolute PATH: PATH made absolute; its last component need not exist.
absolute() {
  case $1 in
    /*) printf '%s\n' "$1" ;;
    *) printf '%s/%s\n' "$(pwd)" "$1" ;;
  esac
}
