#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# stream-cqsa 2.2.3, the package of the CQS-Attention paper: its NumPy function cqsa_attention takes exp(Q K^T) as it is.
# There is no 1/sqrt(d), and no maximum is subtracted: a row whose scores all lie below about -28 is zeros.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
pip="$folder/venv/bin/pip"
{ "$pip" install --quiet --disable-pip-version-check numpy==2.4.6 &&
  "$pip" install --quiet --disable-pip-version-check --no-deps stream-cqsa==2.2.3; } || exit 77
"$folder/venv/bin/python" - <<'PYTHON'
import importlib.metadata
import importlib.util
import sys
import types
import numpy as np

# The package's own start needs PyTorch, this module does not.
package = types.ModuleType("stream_cqsa")
package.__path__ = importlib.util.find_spec("stream_cqsa").submodule_search_locations
sys.modules["stream_cqsa"] = package
from stream_cqsa.cqs_attention import cqsa_attention

print("stream-cqsa", importlib.metadata.version("stream-cqsa"), "numpy", np.__version__)


def softmax(scores, v):
    weights = np.exp(scores - scores.max(axis=1, keepdims=True))
    return weights @ v / weights.sum(axis=1, keepdims=True)


random = np.random.default_rng(0)
q, k, v = random.standard_normal((3, 28, 16))
o = cqsa_attention(q, k, v, 1)
plain, scaled = (np.abs(o - softmax(q @ k.T * scale, v)).max() for scale in (1.0, 16**-0.5))
print(f"largest difference from softmax(Q K^T) V: {plain:.1e}, with 1/sqrt(d): {scaled:.2f}")
far = cqsa_attention(np.full((28, 16), 3.0), np.full((28, 16), -3.0), v, 1)
print(f"all scores -144: the largest element of O is {np.abs(far).max()}, that of V's mean {np.abs(v.mean(0)).max():.2f}")
sys.exit(not (plain < 1e-12 and scaled > 0.1 and not far.any()))
PYTHON
