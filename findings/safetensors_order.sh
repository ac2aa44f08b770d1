#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# safetensors 0.8.0 with NumPy: an array whose elements do not lie in C order (Fortran order, a transpose, a slice with
# a step) is saved as its memory lies, under its shape. What is loaded has the right shape and type and other values.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check safetensors==0.8.0 numpy==2.4.6 || exit 77
"$folder/venv/bin/python" - "$folder/x.safetensors" <<'PYTHON'
import sys
import numpy as np
import safetensors
from safetensors.numpy import load_file, save_file

print("safetensors", safetensors.__version__, "numpy", np.__version__)
plain = np.arange(6, dtype=np.float32).reshape(2, 3)
arrays = {"C order": plain, "Fortran order": np.asfortranarray(plain),
          "transposed": plain.T.copy().T, "every second column": np.repeat(plain, 2, 1)[:, ::2]}
changed = []
for name, array in arrays.items():
    save_file({"x": array}, sys.argv[1])
    back = load_file(sys.argv[1])["x"]
    same = np.array_equal(back, array)
    print(f"{name}: saved {array.tolist()}, loaded {back.tolist()}")
    changed += [] if same else [name]
sys.exit(changed != ["Fortran order", "transposed", "every second column"])
PYTHON
