#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# transformers 5.24.0, the PyTorch path of the gated delta rule (Qwen3-Next): a decay that ends a document costs the
# chunk precision, and -inf makes every later row NaN, while the recurrent path of the same module is exact.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check torch==2.15.0 transformers==5.24.0 || exit 77
"$folder/venv/bin/python" - <<'PYTHON'
import sys
import torch
import transformers
from transformers.models.qwen3_next import modeling_qwen3_next as qwen

print("transformers", transformers.__version__, "torch", torch.__version__)
torch.manual_seed(0)
q, k, v = torch.randn(3, 1, 256, 2, 64)
beta, decay = torch.rand(1, 256, 2), -0.1 * torch.rand(1, 256, 2)
errors = {}
for ends in (0.0, -1e2, -1e4, -1e6, -float("inf")):  # all but the first leave nothing of the first 70 tokens
    g = decay.clone()
    g[:, 70] += ends
    chunked, _ = qwen.torch_chunk_gated_delta_rule(q, k, v, g, beta, use_qk_l2norm_in_kernel=True)
    exact, _ = qwen.torch_recurrent_gated_delta_rule(q, k, v, g, beta, None, False,
                                                     use_qk_l2norm_in_kernel=True)
    bad = chunked.isnan().any(-1).any(-1).sum().item()
    errors[ends] = ((chunked - exact).norm() / exact.norm()).item(), bad
    print(f"decay {ends:g} at token 70: relative error {errors[ends][0]:.1e}, rows with NaN {bad}")
sys.exit(not (errors[0.0][0] < 1e-6 and errors[-1e4][0] > 1e-4 and errors[-1e6][0] > 5e-3
              and errors[-float("inf")][1] == 192))
PYTHON
