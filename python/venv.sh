#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# venv.sh [--system-site-packages] VENV PACKAGE…: makes a virtual environment with these packages, unless it is there and
# has them; the option lets it see Debian's packages. Ends with 77 where Python cannot make one, or where pip cannot get a
# package.
set -eu
option=
case $1 in --*) option=$1 && shift ;; esac
venv=$1
shift

skip() {
  echo "quorumbench: $*" >&2
  exit 77
}

# Debian's python3 has its headers from python3-dev; else another one in PATH is taken.
python=/usr/bin/python3
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null || true)
[ -e "$headers/Python.h" ] || python=python3
if [ ! -x "$venv/bin/pip" ]; then
  "$python" -m venv ${option:+"$option"} "$venv" ||
    skip "$python cannot make a virtual environment; install python3-venv and python3-dev"
fi
grep -qxF "$*" "$venv/packages" 2>/dev/null && exit
"$venv/bin/pip" install --quiet --disable-pip-version-check "$@" || skip "pip cannot install $*"
echo "$*" >>"$venv/packages"
