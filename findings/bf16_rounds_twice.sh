#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ml_dtypes 0.6.0: float64 becomes bfloat16 by way of float32. 1 + 2^-8 + 2^-40 lies nearer to 1.0078125 than to 1, but
# float32 rounds it to the middle of the two, and the middle goes to 1. NumPy's own float16 is rounded once.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check ml_dtypes==0.6.0 numpy==2.4.6 || exit 77
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import ml_dtypes
import numpy as np

print("ml_dtypes", ml_dtypes.__version__, "numpy", np.__version__)
bf16 = float(np.float64(1 + 2**-8 + 2**-40).astype(ml_dtypes.bfloat16))
f16 = float(np.float64(1 + 2**-11 + 2**-40).astype(np.float16))
print(f"1 + 2^-8 + 2^-40 as bfloat16: {bf16} (nearest: 1.0078125)")
print(f"1 + 2^-11 + 2^-40 as float16: {f16} (nearest: 1.0009765625)")
sys.exit((bf16, f16) != (1.0, 1.0009765625))
PYTHON
