#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh VENV BUILD [PACKAGE…]: makes a virtual environment, unless it is there, builds the wheel of
# quorumbench from the library and the binary of the build folder BUILD, and installs it there, with
# NumPy, pandas, matplotlib and these packages. Ends with 77 where Python cannot make one, or where pip cannot get a package.
set -eu
venv=$1 build=$2
shift 2
root=$(dirname "$(dirname "$(readlink -f "$0")")")
tools="scikit-build-core nanobind"

skip() {
  echo "quorumbench: $*" >&2
  exit 77
}

# Debian's python3 has its headers from python3-dev; else another one in PATH is taken.
python=/usr/bin/python3
headers=$("$python" -c 'import sysconfig; print(sysconfig.get_path("include"))' 2>/dev/null || true)
[ -e "$headers/Python.h" ] || python=python3
if [ ! -x "$venv/bin/pip" ]; then
  "$python" -m venv "$venv" ||
    skip "$python cannot make a virtual environment; install python3-venv and python3-dev"
fi
wanted=$(for one in $tools numpy pandas matplotlib "$@"; do
  module=$(echo "$one" | tr - _)
  "$venv/bin/python" -c "import $module" 2>/dev/null || echo "$one"
done)
if [ -n "$wanted" ]; then
  "$venv/bin/pip" install --quiet --disable-pip-version-check $wanted ||
    skip "pip cannot install $(echo $wanted)"
fi
command -v ccache >/dev/null && export CMAKE_CXX_COMPILER_LAUNCHER=${CMAKE_CXX_COMPILER_LAUNCHER:-ccache}
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --force-reinstall --config-settings=cmake.define.QB_BUILD="$build" \
  --config-settings=build-dir="$build/python" "$root"
