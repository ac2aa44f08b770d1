# SPDX-License-Identifier: Apache-2.0
"""Attention sinks: a number of each query head that takes part in the softmax and has no value."""
import numpy as np
import pytest
import quorumbench as qb

SINKS = np.array([0.5, -1.0, 2.0, 0.0], np.float32)


def arrays(seed=0, n=40, dtype=np.float32):
    random = np.random.default_rng(seed)
    return [random.standard_normal((2, heads, n, 16)).astype(dtype) for heads in (4, 2, 2, 4)]


def reference(q, k, v, sinks, causal=True, counted=1.0):
    """O, LSE and P of the sinks, in float64, which count so often."""
    q, k, v = (one.astype(np.float64) for one in (q, k, v))
    k, v = np.repeat(k, 2, axis=1), np.repeat(v, 2, axis=1)
    scores = q @ k.swapaxes(-1, -2) / 4.0
    if causal:
        scores = np.where(np.tri(q.shape[2], dtype=bool), scores, -np.inf)
    weights = np.exp(scores)
    of_sinks = counted * np.exp(sinks.astype(np.float64))[None, :, None]
    total = weights.sum(-1) + of_sinks
    return weights @ v / total[..., None], np.log(total), of_sinks / total


@pytest.mark.parametrize("algorithm, workers", [
    ("dense", 1), ("ring", 3), ("zigzag", 2), ("ulysses", 2), ("pass_q", 3), ("cqs", 7), ("cqs_sharded", 3)])
@pytest.mark.parametrize("ranks", ["serial", "threads"])
def test_outputs_and_gradients(algorithm, workers, ranks):
    q, k, v, do = arrays()
    o, lse, of_sinks = reference(q, k, v, SINKS)
    backward = algorithm != "pass_q"
    result = qb.attend(q, k, v, do=do if backward else None, sinks=SINKS, mask="causal",
                       algorithm=algorithm, workers=workers, ranks=ranks)
    assert np.abs(result.o - o).max() < 2e-5 and np.abs(result.lse - lse).max() < 2e-5
    assert result.error <= result.tolerances["o"]
    if backward:
        delta = (do.astype(np.float64) * o).sum(-1)
        assert result.dsinks.shape == (4,) and result.dsinks.dtype == np.float32
        assert np.abs(result.dsinks + (of_sinks * delta).sum((0, 2))).max() < 1e-4
        assert set(result.errors) == {"o", "lse", "dq", "dk", "dv", "dsinks"}
        moved = np.zeros_like(q)
        moved[1, 2, 7, 3] = 1e-3
        slope = (((reference(q + moved, k, v, SINKS)[0] - reference(q - moved, k, v, SINKS)[0]) * do).sum()
                 / 2e-3)
        assert abs(result.dq[1, 2, 7, 3] - slope) < 1e-3


def test_f64_and_lists_and_other_types():
    q, k, v, do = arrays(dtype=np.float64)
    o, _, of_sinks = reference(q, k, v, SINKS, causal=False)
    result = qb.attend(q, k, v, do=do, sinks=SINKS.tolist())
    assert np.abs(result.o - o).max() < 1e-13
    assert np.abs(result.dsinks + (of_sinks * (do * o).sum(-1)).sum((0, 2))).max() < 1e-12
    half = [one.astype(np.float16) for one in (q, k, v)]
    assert np.abs(qb.attention(*half, enable_gqa=True, sinks=SINKS.astype(np.float16), workers=2,
                               algorithm="ring") - o).max() < 4e-3
    assert qb.attend(q, k, v, do=do).dsinks is None


def test_verify_names_a_sink_that_is_counted_in_each_partial():
    q, k, v, _ = arrays()
    o, lse, _ = reference(q, k, v, SINKS)
    assert qb.verify(q, k, v, o=o, lse=lse, sinks=SINKS, mask="causal")
    o, lse, _ = reference(q, k, v, SINKS, counted=4.0)
    found = qb.verify(q, k, v, o=o, lse=lse, sinks=SINKS, mask="causal", algorithm="ring", workers=4)
    assert "the sink counts in each of 4 partials" in found.mistakes["o"]
    o, lse, _ = reference(q, k, v, SINKS, counted=0.0)
    found = qb.verify(q, k, v, o=o, lse=lse, sinks=SINKS, mask="causal")
    assert "the sink is missing" in found.mistakes["o"]


@pytest.mark.parametrize("sinks, words", [
    (SINKS[:3], "sinks has 3 numbers and q has 4 heads"), (SINKS[None], "2 axes"),
    ([0.0, 1.0, 2.0, float("inf")], "finite")])
def test_refuses_what_does_not_fit(sinks, words):
    q, k, v, _ = arrays()
    with pytest.raises(qb.UsageError, match=words):
        qb.attend(q, k, v, sinks=sinks)


def test_f64_refuses_digits_that_it_would_drop():
    q, k, v, _ = arrays(dtype=np.float64)
    with pytest.raises(qb.UsageError, match="sinks are f32"):
        qb.attend(q, k, v, sinks=[0.1, 0.0, 0.0, 0.0])
