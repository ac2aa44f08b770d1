#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh BUILD: builds the wheel from the build folder BUILD, installs it into a scratch environment, and
# runs the package's tests there. CTest runs this; 77 is a test that was left out.
set -eu
build=$1
root=$(dirname "$(dirname "$(readlink -f "$0")")")
"$root/python/install.sh" "$build/python_test" "$build" pytest ml_dtypes mypy
cd "$build/python_test" # so that the installed package is imported, and not the folder of its sources
exec ./bin/python -m pytest -q -p no:cacheprovider --rootdir "$root" "$root/python/tests"
