#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# onnxruntime 1.32.0 on a CPU: MultiHeadAttention computes in tiles, but with a causal mask (unidirectional) it holds the
# scores of all heads, half of which it does not need: 512 MiB at 8 heads and 4096 tokens, where O has 8 MiB.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 onnx==1.23.2 onnxruntime==1.32.0 || exit 77
cat >"$folder/grows.py" <<'PYTHON'
import re
import sys
import numpy as np
import onnx.parser
import onnxruntime

causal, shape = int(sys.argv[1]), [1, 4096, 8 * 64]
tensors = ", ".join(f"float{shape} {name}" for name in "qkv")
model = onnx.parser.parse_model(
    f'<ir_version: 10, opset_import: ["": 23, "com.microsoft": 1]> model ({tensors}) => (float{shape} o) '
    f"{{ o = com.microsoft.MultiHeadAttention <num_heads = 8, unidirectional = {causal}> (q, k, v) }}")
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
random = np.random.default_rng(0)
inputs = {name: random.standard_normal(shape, dtype=np.float32) for name in "qkv"}


def peak_mib():
    with open("/proc/self/status", encoding="ascii") as file:
        return int(re.search(r"VmHWM:\s*(\d+)", file.read()).group(1)) / 1024


before = peak_mib()
session.run(None, inputs)
print(f"{peak_mib() - before:.0f}")
PYTHON
echo "onnxruntime 1.32.0, onnx 1.23.2"
full=$("$folder/venv/bin/python" "$folder/grows.py" 0)
causal=$("$folder/venv/bin/python" "$folder/grows.py" 1)
echo "a call raises the peak of the process by $full MiB with a full mask, by $causal MiB with a causal one"
[ "$full" -lt 128 ] && [ "$causal" -gt 512 ]
