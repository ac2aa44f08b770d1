#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# torch_test.sh BUILD [TORCH]: runs the tests that need PyTorch on the wheel that test.sh made in BUILD: with Debian's
# python3-torch, or with what pip installs as TORCH (torch, torch==2.6.0 …), which takes 5 GB. Ends with 77 where there is
# none. Both have the NumPy that theirs was built for.
set -eu
build=$1 torch=${2:-}
root=$(dirname "$(dirname "$(readlink -f "$0")")")
venv=$build/python_torch${torch:+_$torch}
if [ -n "$torch" ]; then
  "$root/python/venv.sh" "$venv" pytest numpy "$torch"
else
  /usr/bin/python3 -c 'import torch' 2>/dev/null || {
    echo "skipped: Debian's python3-torch is not installed, and no gradient of PyTorch is compared"
    exit 77
  }
  "$root/python/venv.sh" --system-site-packages "$venv" pytest
fi
set -- "$build"/wheel/*.whl
[ -e "$1" ] || {
  echo "skipped: python/test.sh has made no wheel"
  exit 77
}
"$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --force-reinstall "$1"
cd "$venv"
./bin/python -c 'import numpy, torch; print("PyTorch", torch.__version__, "with NumPy", numpy.__version__)'
./bin/python -m pytest -q -rs -p no:cacheprovider --rootdir "$root" "$root/python/tests/test_torch.py"
