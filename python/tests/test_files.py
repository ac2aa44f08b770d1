# SPDX-License-Identifier: Apache-2.0
"""The bits of qb.attend() are those that `qb attend` writes for the same tensors in files."""
import json

import numpy as np
import pytest
import quorumbench as qb
from quorumbench import _qb
from test_attend import arrays, bfloat16


def test_bits_are_those_of_qb_attend(tmp_path):
    q, k, v, _ = arrays(n=100)
    for name, array in (("q", q), ("k", k), ("v", v)):
        np.save(tmp_path / f"{name}.npy", array)
    asked = {"algorithm": "cqs", "workers": 7, "mask": "causal"}
    _qb.run(["attend", *_qb.options(asked | {name: str(tmp_path / f"{name}.npy")
                                             for name in ("q", "k", "v")}),
             "--out", str(tmp_path / "o.npy"), "--lse", str(tmp_path / "lse.npy")])
    r = qb.attend(q, k, v, **asked)
    assert np.array_equal(r.o, np.load(tmp_path / "o.npy"))
    assert np.array_equal(r.lse, np.load(tmp_path / "lse.npy"))
    attention = qb.attention(q, k, v, is_causal=True, algorithm="cqs", workers=7)
    assert np.array_equal(attention, r.o)


@pytest.mark.skipif(bfloat16 is None, reason="ml_dtypes is missing")
def test_bits_of_bf16_files_are_those_too(tmp_path):
    given = [one.astype(bfloat16) for one in arrays(n=50)[:3]]
    files = {name: str(tmp_path / f"{name}.npy") for name in ("q", "k", "v", "out")}
    for name, array in zip("qkv", given):
        np.save(files[name], array)
    with pytest.raises(qb.UsageError, match="say dtype= bf16"):
        _qb.run(["attend", *_qb.options(files)])
    _qb.run(["attend", *_qb.options(files | {"dtype": "bf16", "verify": True})])
    r = qb.attend(*given, out_dtype="f32")
    assert np.array_equal(r.o, np.load(files["out"])) and r.copied == []
    assert qb.attend(*given).o.dtype == bfloat16


@pytest.mark.skipif(bfloat16 is None, reason="ml_dtypes is missing")
def test_bits_of_a_safetensors_file_are_those_too(tmp_path):
    header, data = {"__metadata__": {"format": "np"}}, b""
    given = dict(zip(("q", "k", "v", "do"), (one.astype(bfloat16) for one in arrays(n=50))))
    for name in ("v", "do", "q", "k"):
        bits = given[name].tobytes()
        header[name] = {"dtype": "BF16", "shape": given[name].shape,
                        "data_offsets": [len(data), len(data) + len(bits)]}
        data += bits
    text = json.dumps(header).encode()
    file = tmp_path / "qkv.safetensors"
    file.write_bytes(len(text).to_bytes(8, "little") + text + data)
    try:
        from safetensors import safe_open
    except ImportError:
        pass
    else:
        assert set(safe_open(file, "np").keys()) == set(given)
    paths = {name: str(tmp_path / f"{name}.npy") for name in ("out", "dq", "dk", "dv")}
    asked = {"algorithm": "zigzag", "workers": 2, "mask": "causal"}
    _qb.run(["attend", *_qb.options(paths | asked | {"safetensors": str(file), "backward": True})])
    r = qb.attend(**given, **asked, out_dtype="f32")
    for name, mine in {"out": r.o, "dq": r.dq, "dk": r.dk, "dv": r.dv}.items():
        assert np.array_equal(np.load(paths[name]), mine), name
