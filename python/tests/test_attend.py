# SPDX-License-Identifier: Apache-2.0
"""qb.attend() and qb.attention() against NumPy's float64."""
import os
import threading
import warnings

import numpy as np
import pytest
import quorumbench as qb
from testing import reference

TRIALS = int(os.environ.get("QB_PYTHON_TRIALS", "200"))
SCHEMES = ("dense", "ring", "striped", "zigzag", "ulysses", "all_gather_kv", "pass_q", "burst", "cqs",
           "cqs_sharded", "mesh", "usp")
MASKS = ("full", "causal", {"sliding_window": {"left": 5, "right": 2}})
TOLERANCES = {"f64": 2e-5, "f32": 2e-5, "f16": 4e-3, "bf16": 3e-2}
try:
    from ml_dtypes import bfloat16
except ImportError:
    bfloat16 = None


def types():
    found = {"f64": np.float64, "f32": np.float32, "f16": np.float16}
    return found if bfloat16 is None else found | {"bf16": bfloat16}


def shaped(random, shape, dtype):
    """Random values, in one of the forms that arrays have: with gaps, reversed, transposed, shared."""
    form = random.integers(6)
    if form == 1:  # every second token of a longer array
        return random.standard_normal((*shape[:-2], 2 * shape[-2], shape[-1])).astype(dtype)[..., ::2, :]
    if form == 2:
        return random.standard_normal(shape).astype(dtype)[..., ::-1, :]
    if form == 3:  # the last axis has gaps
        return np.asfortranarray(random.standard_normal(shape).astype(dtype))
    if form == 4:  # one head or one token for all
        one = random.standard_normal((*shape[:-3], 1, *shape[-2:]) if len(shape) > 2 else shape)
        return np.broadcast_to(one.astype(dtype), shape)
    array = random.standard_normal(shape).astype(dtype)
    if form == 5:
        array.flags.writeable = False
    return array


def random_call(seed):
    random = np.random.default_rng(seed)
    name = str(random.choice(list(types())))
    kv_heads = int(random.integers(1, 4))
    heads = kv_heads * int(random.integers(1, 4))
    n, d, e = (int(random.integers(1, most)) for most in (70, 40, 40))
    algorithm = str(random.choice(SCHEMES))
    keys = n + (int(random.integers(0, 20)) if algorithm == "dense" else 0)
    e = e if algorithm == "dense" else d
    layout = str(random.choice(["auto", "bhnd", "bnhd", "hnd", "nhd"]))
    batch = int(random.integers(1, 3)) if layout not in ("hnd", "nhd") else 1

    def array(h, length, width):
        shape = [batch, h, length, width]
        if layout in ("bnhd", "nhd"):
            shape[1:3] = shape[2:0:-1]
        return shaped(random, shape[1:] if layout in ("hnd", "nhd") else shape, types()[name])

    arrays = {"q": array(heads, n, d), "k": array(kv_heads, keys, d), "v": array(kv_heads, keys, e)}
    if random.integers(2):
        arrays["do"] = array(heads, n, e)
    asked = {"algorithm": algorithm, "layout": layout, "mask": MASKS[random.integers(3)],
             "workers": 1 if algorithm == "dense" else int(random.integers(1, 9)),
             "ranks": str(random.choice(["serial", "threads"])), "threads": 2}
    return name, arrays, asked


def test_random_calls_agree_with_float64():
    computed, refused = 0, []
    for seed in range(TRIALS):
        name, arrays, asked = random_call(seed)
        try:
            r = qb.attend(**arrays, **asked, out_dtype="f64" if name == "f64" and asked["workers"] == 1 else "f32")
        except qb.UsageError as error:
            refused.append(str(error))
            continue
        computed += 1
        layout = asked["layout"]
        given = {key: reference.heads_first(array, layout) for key, array in arrays.items()}
        mask = asked["mask"]
        wanted = reference.attention(given["q"], given["k"], given["v"], mask, None, given.get("do"))
        lse = np.asarray(r.lse)
        lse = lse.swapaxes(-1, -2) if layout in ("bnhd", "nhd") else lse
        got = [reference.heads_first(r.o, layout), lse.reshape(wanted[1].shape)]
        if "do" in arrays:
            got += [reference.heads_first(one, layout) for one in (r.dq, r.dk, r.dv)]
        for what, one, other in zip(("o", "lse", "dq", "dk", "dv"), got, wanted):
            if what == "lse":
                assert np.array_equal(np.isneginf(one), np.isneginf(other)), (seed, asked)
                one, other = (np.where(np.isneginf(other), 0, some) for some in (one, other))
            most = TOLERANCES[name] * (1 + np.abs(other).max())
            assert np.abs(one - other).max() <= most, (seed, what, name, asked)
        assert r.o.shape == arrays["q"].shape[:-1] + arrays["v"].shape[-1:]
    assert computed > TRIALS // 2, refused


def arrays(n=64, heads=2, d=16, dtype=np.float32, batch=1):
    random = np.random.default_rng(3)
    return [random.standard_normal((batch, heads, n, d)).astype(dtype) for _ in range(4)]


def test_no_array_is_copied():
    for n in (128, 65536):
        q, k, v = (np.zeros((1, 1, n, 8), np.float32) for _ in range(3))
        q[:] = v[:] = 1.0
        if n > 128:  # a window keeps it short
            r = qb.attend(q, k, v, mask={"sliding_window": {"left": 8, "right": 0}})
        else:
            r = qb.attend(q, k, v)
        assert r.copied == []
        assert not any(row["label"] in ("q", "k", "v", "copy") for row in r._job.timeline())
        assert r.o is r.o and r.o.ctypes.data == r._job.output("o", "f32", "numpy").ctypes.data


def test_an_array_with_gaps_in_its_rows_is_copied_and_named():
    q, k, v, _ = arrays()
    r = qb.attend(q, np.asfortranarray(k), v)
    assert r.copied == ["k"]
    assert np.array_equal(r.o, qb.attend(q, k, v).o)


def test_layouts_agree():
    q, k, v, do = arrays(batch=2)
    heads = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=2)
    swapped = [np.ascontiguousarray(one.swapaxes(1, 2)) for one in (q, k, v, do)]
    tokens = qb.attend(*swapped[:3], do=swapped[3], algorithm="zigzag", workers=2, layout="bnhd")
    for name in ("o", "dq", "dk", "dv"):
        assert np.array_equal(getattr(heads, name), getattr(tokens, name).swapaxes(1, 2)), name
        assert getattr(tokens, name).flags.c_contiguous
    assert np.array_equal(heads.lse, tokens.lse.swapaxes(1, 2))


def test_a_decoded_batch_is_packed_and_comes_back():
    q, k, v, _ = arrays(n=1, batch=3)
    k, v = (np.repeat(one, 9, 2) for one in (k, v))
    r = qb.attend(q, k, v, algorithm="decode", workers=2, mask="causal", ranks="threads")
    want = reference.attention(*(reference.heads_first(one, "bhnd") for one in (q, k, v)), "causal")
    assert np.abs(r.o - want[0]).max() < 1e-5
    assert np.abs(r.lse - want[1]).max() < 1e-5


def test_what_a_result_says():
    q, k, v, do = arrays(n=512)
    r = qb.attend(q, k, v, do=do, algorithm="ring", workers=4, mask="causal")
    shard = 512 // 4 * 2 * 16 * 4  # bytes of one tensor of a worker
    assert r.columns["device_sent_bytes"] == r.device_sent_bytes
    assert r.device_sent_bytes == 3 * 2 * shard + 3 * 2 * shard + 4 * 2 * shard  # K, V; K, V, dK, dV
    assert 0.0 < r.error < 1e-5
    assert set(r.errors) == set(r.tolerances) == {"o", "lse", "dq", "dk", "dv"}
    assert all(0.0 <= error <= r.tolerances[name] for name, error in r.errors.items())
    assert "ms" in repr(r) and "device_sent_bytes" in dir(r)
    with pytest.raises(AttributeError, match="has no speed"):
        r.speed


def test_memory_is_written_for_other_programs(tmp_path):
    q, k, v, _ = arrays(n=256)
    r = qb.attend(q, k, v, algorithm="ring", workers=4)
    import json
    import pickle

    snapshot = pickle.loads(r.memory.save(tmp_path / "zigzag.pickle").read_bytes())
    assert {"segments", "device_traces"} <= set(snapshot)
    assert json.loads(r.memory.save(tmp_path / "a.json").read_text())["traceEvents"]
    assert r.memory.save(tmp_path / "a.csv").read_text().startswith("time_s")
    assert len(r.memory.per_worker) == 4
    for times, held in r.memory.per_worker.values():
        assert max(held) > 0 and times == sorted(times)
    with pytest.raises(qb.UsageError):
        r.memory.save(tmp_path / "a.txt")


def test_a_shape_that_looks_like_tokens_before_heads_is_said():
    tokens_first = np.ones((1, 512, 4, 16), np.float32)
    with pytest.warns(UserWarning, match="k is taken as 512 heads of 4 tokens; say layout='bnhd'"):
        qb.attend(tokens_first, tokens_first, tokens_first)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for layout in ("bhnd", "bnhd"):
            qb.attend(tokens_first, tokens_first, tokens_first, layout=layout)
        decoded = np.ones((1, 128, 1, 16), np.float32)
        keys = np.ones((1, 8, 64, 16), np.float32)
        qb.attend(decoded, keys, keys, mask="causal")


def test_outputs_live_longer_than_the_result():
    q, k, v, _ = arrays()
    o = qb.attend(q, k, v).o
    copy = o.copy()
    for _ in range(20):
        qb.attend(*arrays(dtype=np.float16)[:3])
    assert np.array_equal(o, copy)


def test_threads_of_python_compute_at_once():
    q, k, v, _ = arrays(n=600)
    wanted = qb.attend(q, k, v, algorithm="ring", workers=4, threads=1).o
    found = [None] * 4

    def work(i):
        for _ in range(5):
            found[i] = qb.attend(q, k, v, algorithm="ring", workers=4, ranks="threads", threads=1).o

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(np.array_equal(one, wanted) for one in found)


def test_memory_does_not_grow():
    import resource

    q, k, v, do = arrays(n=64)

    def call(times):
        for _ in range(times):
            r = qb.attend(q, k, v, do=do, algorithm="ring", workers=2, threads=1)
            r.o, r.lse, r.dq, r.columns
            with pytest.raises(qb.UsageError):
                qb.attend(q, k, v, algorithm="none")
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss

    before = call(100)
    assert call(int(os.environ.get("QB_PYTHON_CALLS", "300"))) < before + 4096  # KiB


def test_small_calls_in_threads_agree_whatever_earlier_ones_left():
    """They take each other's memory, as it was left, and plans; and new ones after clear_cache()."""
    random = np.random.default_rng(64)
    cases = []
    for i in range(96):  # more than are kept, and some that differ in one thing
        shape = (3, 1, 2, 8 + i % 3, 16)
        asked = {"mask": MASKS[i // 3 % 3], "scale": (None, 0.5)[i // 9 % 2],
                 "layout": ("bhnd", "bnhd")[i // 18 % 2], "threads": 1 + i // 36}
        given = random.standard_normal(shape).astype("f4")
        wanted = reference.attention(*given.astype("f8"), asked["mask"], asked["scale"])[0]
        if asked["layout"] == "bnhd":
            given, wanted = given.swapaxes(2, 3).copy(), wanted.swapaxes(1, 2)
        cases.append((given, asked, wanted))
    wrong = []

    def call(seed):
        for i in np.random.default_rng(seed).integers(len(cases), size=200):
            given, asked, wanted = cases[i]
            if not np.allclose(qb.attend(*given, **asked).o, wanted, atol=2e-5):
                wrong.append(asked)
            if i == 0:
                qb.clear_cache()

    threads = [threading.Thread(target=call, args=(seed,)) for seed in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    qb.clear_cache()
