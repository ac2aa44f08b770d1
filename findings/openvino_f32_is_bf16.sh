#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# OpenVINO 2026.4.1: a model whose tensors are all float32 is computed in bf16 on a CPU with AMX, unless one
# asks for float32. Ends with 77 on other CPUs too.
set -eu
grep -q -m 1 -w amx_bf16 /proc/cpuinfo || exit 77
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 openvino==2026.4.1 || exit 77
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import numpy as np
import openvino
from openvino import opset13

print("openvino", openvino.__version__, "numpy", np.__version__)
q, k, v = np.random.default_rng(0).standard_normal((3, 1, 2, 64, 64), dtype=np.float32)
scores = q.astype(np.float64) @ k.swapaxes(-1, -2) / 8
weights = np.exp(scores - scores.max(-1, keepdims=True))
exact = weights @ v / weights.sum(-1, keepdims=True)
inputs = [opset13.parameter(q.shape, np.float32) for _ in range(3)]
model = openvino.Model([opset13.scaled_dot_product_attention(*inputs)], inputs, "attention")
errors = []
for asked in ({}, {"INFERENCE_PRECISION_HINT": "f32"}, {"EXECUTION_MODE_HINT": "ACCURACY"}):
    o = openvino.Core().compile_model(model, "CPU", asked)([q, k, v])[0]
    errors.append(np.linalg.norm(o - exact) / np.linalg.norm(exact))
    print(f"{asked or 'no option'}: relative error of O {errors[-1]:.1e}, type {o.dtype}")
sys.exit(not (errors[0] > 1e-3 and max(errors[1:]) < 1e-6))
PYTHON
