#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# test.sh BUILD: builds the wheel from the build folder BUILD, installs it into a scratch environment, and
# runs the package's tests there; then makes the wheel and the archive for other machines, and tries both in a bare
# system. CTest runs this; 77 is a test that was left out.
set -eu
build=$1
root=$(dirname "$(dirname "$(readlink -f "$0")")")
venv=$build/python_test
"$root/python/install.sh" "$venv" "$build" pytest ml_dtypes mypy pyyaml \
  ruamel.yaml polars pyarrow duckdb onnx onnxruntime
# From another folder, so that the installed package is imported, and not the folder of its sources.
(cd "$venv" && ./bin/python -m pytest -q -p no:cacheprovider --rootdir "$root" \
  "$root/python/tests" "$root/experiments/peers/cpu_peers_test.py")
"$root/python/wheel.sh" "$build" "$build/wheel" "$venv"
"$root/python/bare_test.sh" "$build/wheel" "$venv" "$build/bare"
