#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh VENV BUILD [PACKAGE…]: makes a virtual environment, unless it is there, builds the wheel of
# quorumbench from the library and the binary of the build folder BUILD, and installs it there, with
# NumPy, pandas, matplotlib, vl-convert-python and these packages. Ends with 77 where venv.sh does.
set -eu
venv=$1 build=$2
shift 2
root=$(dirname "$(dirname "$(readlink -f "$0")")")
"$root/python/venv.sh" "$venv" scikit-build-core nanobind numpy pandas matplotlib vl-convert-python "$@"
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --no-build-isolation \
  --force-reinstall --config-settings=cmake.define.QB_BUILD="$build" \
  --config-settings=cmake.define.QB_PORTABLE=OFF --config-settings=build-dir="$build/python" "$root"
