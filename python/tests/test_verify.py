# SPDX-License-Identifier: Apache-2.0
"""qb.verify(): what is right is accepted in every layout and type, and mistakes get their names."""
import numpy as np
import pytest
import quorumbench as qb
from test_attend import types


def arrays(heads=4, kv_heads=2, n=40, keys=40, d=16, seed=0, dtype=np.float32):
    random = np.random.default_rng(seed)
    return [random.standard_normal((2, h, length, d)).astype(dtype)
            for h, length in ((heads, n), (kv_heads, keys), (kv_heads, keys), (heads, n))]


def program(q, k, v, sees=None, scale=None, kv_head=None, mean=False):
    """Attention in NumPy, as another program might have it: O and LSE."""
    q, k, v = (one.astype(np.float64) for one in (q, k, v))
    groups = q.shape[1] // k.shape[1]
    out = np.empty((*q.shape[:3], v.shape[3]))
    lse = np.empty(q.shape[:3])
    allowed = np.ones((q.shape[2], k.shape[2]), bool) if sees is None else sees
    for h in range(q.shape[1]):
        g = h // groups if kv_head is None else kv_head(h)
        score = q[:, h] @ k[:, g].swapaxes(1, 2) * (scale or q.shape[3] ** -0.5)
        score = np.where(allowed, score, -np.inf)
        top = np.maximum(score.max(-1, keepdims=True), -1e300)
        weight = np.exp(score - top)
        total = weight.sum(-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            out[:, h] = np.where(total > 0, weight @ v[:, g] / total,
                                 v[:, g].mean(1, keepdims=True) if mean else 0.0)
            lse[:, h] = np.where(total > 0, top + np.log(total), -np.inf)[..., 0]
    return out, lse.astype(np.float32)


@pytest.mark.parametrize("name", sorted(types()))
def test_takes_what_is_right(name):
    q, k, v, do = arrays(dtype=types()[name], seed=3)
    for layout in ("auto", "bnhd"):
        given = [one.swapaxes(1, 2) if layout == "bnhd" else one for one in (q, k, v, do)]
        r = qb.attend(*given[:3], do=given[3], layout=layout, mask="causal", algorithm="dense")
        found = qb.verify(*given[:3], o=r.o, lse=r.lse, do=given[3], dq=r.dq, dk=r.dk, dv=r.dv,
                          layout=layout, mask="causal")
        assert found, found
        assert set(found.errors) == {"o", "lse", "dq", "dk", "dv"}
        assert all(found.errors[one] <= found.tolerances[one] for one in found.errors)
        assert not found.mistakes and not found.message


def test_takes_one_head_and_outputs_of_another_type():
    q, k, v, _ = (one[0, 0] for one in arrays(heads=2, kv_heads=2))
    r = qb.attend(q, k, v)
    assert qb.verify(q, k, v, o=r.o.astype(np.float16), lse=r.lse.astype(np.float64))
    assert not qb.verify(q, k, v, o=r.o + np.float32(1e-3))


@pytest.mark.parametrize("what, tensor, words", [
    ("corner", "o", "top-left"), ("interleaved", "o", "interleaved"), ("scale", "o", "scale is missing"),
    ("base 2", "lse", "base 2"), ("mean", "o", "mean of V"), ("striped", "o", "striped layout of 4"),
    ("left out", "o", "left out"), ("neighbour", "o", "V of the previous shard in place of its own of 4"), ("window", "o", "left 4 in place of 3")])
def test_names_mistakes_of_another_program(what, tensor, words):
    n, keys = (40, 56) if what == "corner" else (48, 40) if what == "mean" else (40, 40)
    q, k, v, _ = arrays(n=n, keys=keys)
    row, column = np.arange(n)[:, None], np.arange(keys)
    sees = column <= row + keys - n
    mask, asked = "causal", {}
    o, lse = program(q, k, v, sees)
    if what == "corner":
        o, lse = program(q, k, v, column <= row)
    elif what == "interleaved":
        o, lse = program(q, k, v, sees, kv_head=lambda h: h % 2)
    elif what == "scale":
        o, lse = program(q, k, v, sees, scale=1.0)
    elif what == "base 2":
        lse = lse / np.float32(np.log(2.0))
    elif what == "mean":
        o, lse = program(q, k, v, sees, mean=True)
    elif what == "striped":
        o = o[:, :, np.argsort(np.arange(n) % 4, kind="stable")]
        lse = None
    elif what == "left out":
        asked = {"algorithm": "ring", "workers": 4}
        o, lse = program(q, k, v, sees & ~((row >= 20) & (row < 30) & (column >= 10) & (column < 20)))
    elif what == "neighbour":
        o, lse = program(q, k, np.roll(v, keys // 4, 2), sees)
    elif what == "window":
        mask = {"sliding_window": {"left": 3, "right": 0}}
        o, lse = program(q, k, v, sees & (column >= row - 4))
    found = qb.verify(q, k, v, o=o, lse=lse, mask=mask, **asked)
    assert not found
    assert words in found.mistakes[tensor], found
    assert words in repr(found) and "DOES NOT" in repr(found)


def test_names_gradients_that_are_not_added_up():
    q, k, v, do = arrays()
    r = qb.attend(q, k, v, do=do)
    heads = [qb.attend(q[:, h::2], k, v, do=do[:, h::2]) for h in range(2)]
    found = qb.verify(q, k, v, o=r.o, do=do, dq=r.dq, dk=heads[0].dk, dv=r.dv)
    assert "not their sum" in found.mistakes["dk"], found
    assert list(found.mistakes) == ["dk"]
    found = qb.verify(q, k, v, do=do, dq=r.dq * 4, dk=r.dk, dv=r.dv)
    assert "scale is missing in the last product" in found.mistakes["dq"], found


def test_says_that_it_does_not_know():
    q, k, v, _ = arrays()
    found = qb.verify(q, k, v, o=np.zeros_like(q))
    assert found.mistakes == {"o": "no known mistake agrees"} and "no known mistake" in repr(found)
    o = qb.attend(q, k, v).o.copy()
    o[1, 2, 3, 4] = np.nan
    assert "batch 1, head 2, row 3" in qb.verify(q, k, v, o=o).message


def test_blames_lse_alone_where_rows_without_keys_have_0():
    q, k, v, _ = arrays(n=48, keys=40)
    o, lse = program(q, k, v, np.arange(40) <= np.arange(48)[:, None] - 8)
    found = qb.verify(q, k, v, o=o, lse=np.where(np.isinf(lse), 0, lse), mask="causal")
    assert not found and list(found.mistakes) == ["lse"] and "have 0, not -inf" in found.mistakes["lse"]
    assert found.errors["o"] <= found.tolerances["o"] and not found.errors["lse"] <= found.tolerances["lse"]


def test_softcap():
    q, k, v, do = arrays()
    o, _ = program(q, k, v)
    assert qb.verify(q, k, v, o=o, softcap=1e9)
    assert "softcap is missing" in qb.verify(q, k, v, o=o, softcap=0.5).mistakes["o"]


@pytest.mark.parametrize("change, words", [
    ({}, "o is missing"), ({"lse": 1}, "o is missing"), ({"dq": 1}, "give all four"),
    ({"o": 1, "shape": 1}, "O must have"), ({"o": 1, "lse": 1, "shape": 1}, "must have"),
    ({"o": 1, "mask": "casual"}, "causal"), ({"all": 1, "softcap": 1.0}, "softcap: gradients")])
def test_refuses_what_does_not_fit(change, words):
    q, k, v, do = arrays()
    r = qb.attend(q, k, v, do=do)
    given = {"o": r.o, "lse": r.lse, "do": do, "dq": r.dq, "dk": r.dk, "dv": r.dv}
    asked = {name: one for name, one in given.items() if name in change or "all" in change}
    if "shape" in change:
        asked = {name: one[:, :, 1:] for name, one in asked.items()}
    with pytest.raises(qb.UsageError, match=words):
        qb.verify(q, k, v, **asked, **{name: one for name, one in change.items() if name in ("mask", "softcap")})

