# shellcheck shell=sh
# Fills an empty directory with the plain host that root.sh --host describes. Run by root.sh only, as
#   sh -eu host-recipe.sh DIRECTORY SUITE MIRROR DEBOOTSTRAP-SCRIPT PACKAGES
# in a mount namespace of its own. Everything it prints goes to the log.

new=$1
suite=$2
mirror=$3
script=$4
packages=$5

export DEBIAN_FRONTEND=noninteractive LC_ALL=C.UTF-8
unset TMPDIR

# debootstrap asks wget, not apt, so it does not see a proxy that only apt is configured for.
if command -v apt-config >/dev/null && [ -z "${http_proxy:-}" ]; then
  eval "$(apt-config shell http_proxy Acquire::http::Proxy)"
  [ -z "${http_proxy:-}" ] || export http_proxy
fi

echo "== system"
debootstrap --variant=minbase --arch=amd64 --include="$(echo "$packages" | tr ' ' ',')" \
  "$suite" "$new" "$mirror" "$script"

echo "== check"
[ -x "$new/usr/bin/dpkg" ] && [ -x "$new/usr/sbin/adduser" ] && [ -x "$new/usr/lib/systemd/systemd" ]
! chroot "$new" sh -c 'command -v java'

echo "== clean"
chroot "$new" apt-get clean
rm -rf "$new"/var/lib/apt/lists/* "$new"/var/cache/apt/*.bin "$new"/var/log/*
: >"$new/etc/machine-id"
printf 'SUITE=%s\n' "$suite" >"$new/root.conf"
