# SPDX-License-Identifier: Apache-2.0
"""What a new user gets wrong: each call is refused with a sentence that says what to do."""
import numpy as np
import pytest
import quorumbench as qb


def f32(*shape):
    return np.ones(shape, np.float32)


Q = f32(1, 2, 8, 4)
PROBLEM = {"n_tokens": 64, "workers": 4}

BAD = [
    # arrays
    (lambda: qb.attend([1, 2], Q, Q), "q is a list; give an array"),
    (lambda: qb.attend(Q, None, Q), "k is a NoneType"),
    (lambda: qb.attend("q.npy", Q, Q), "q is a str"),
    (lambda: qb.attend(Q, Q, 3.0), "v is a float"),
    (lambda: qb.attend(Q.astype(int), Q, Q), "q has elements of type int64"),
    (lambda: qb.attend(Q.astype(np.uint16), Q, Q), "q has elements of type uint16"),
    (lambda: qb.attend(Q.astype(complex), Q, Q), "complex128"),
    (lambda: qb.attend(Q.astype(bool), Q, Q), "q has elements of type bool"),
    (lambda: qb.attend(Q.astype(object), Q, Q), "q has elements of type object"),
    (lambda: qb.attend(Q.astype(">f4"), Q, Q), "another byte order"),
    (lambda: qb.attend(Q.astype(np.float16), Q, Q), "q is f16 and k is f32; convert"),
    (lambda: qb.attend(Q, Q, Q.astype(np.float64)), "q is f32 and v is f64; convert"),
    (lambda: qb.attend(Q[0, 0, 0], Q, Q), r"q has shape \[4\]; it must be \[n, d\]"),
    (lambda: qb.attend(f32(1, 1, 1, 8, 4), Q, Q), r"q has shape \[1, 1, 1, 8, 4\]"),
    (lambda: qb.attend(Q[:, :, :0], Q, Q), "it is empty"),
    (lambda: qb.attend(f32(), Q, Q), r"q has shape \[\]"),
    (lambda: qb.attend(Q, f32(1, 2, 8, 3), Q), "has 4 elements a token and k"),
    (lambda: qb.attend(Q, Q, f32(1, 2, 9, 4)), "has 8 tokens and v .* has 9"),
    (lambda: qb.attend(Q, Q, f32(1, 1, 8, 4)), "has 2 heads and v"),
    (lambda: qb.attend(Q, f32(2, 2, 8, 4), f32(2, 2, 8, 4)), "1 batches and k"),
    (lambda: qb.attend(f32(1, 3, 8, 4), Q, Q), "query heads must be a multiple of key-value heads"),
    (lambda: qb.attend(f32(1, 1, 8, 300), f32(1, 1, 8, 300), Q), "300"),
    (lambda: qb.attend(Q, Q, Q, do=f32(1, 2, 8, 5)), "dO must have"),
    (lambda: qb.attend(Q, Q, Q, do=Q.astype(np.float16)), "q is f32 and do is f16"),
    (lambda: qb.attend(Q, Q, Q, layout="nhd"), "layout nhd needs 3 axes"),
    (lambda: qb.attend(Q, Q, Q, layout="bnhs"), "unknown layout 'bnhs'; did you mean"),
    (lambda: qb.attend(Q, Q, Q, out_dtype="float32"), "one of f16, bf16, f32, f64"),
    (lambda: qb.attend(Q, Q, Q, out_dtype="bf16"), "NumPy has no bf16"),
    (lambda: qb.attend(np.ma.masked_less(Q, 2), Q, Q), "q is a masked array"),
    (lambda: qb.attend(Q, Q, Q, mask=np.ones((4096, 4096), bool)), "mask is an array of 2 axes"),
    (lambda: qb.attend(*[Q.astype(np.float64)] * 3, algorithm="ring", workers=2), "digits of float32"),
    (lambda: qb.attend(Q, Q, Q, out_dtype="f64"), "digits of float32: kernel flash"),
    # parameters
    (lambda: qb.attend(Q, Q, Q, algorithm="zigzagg"), "did you mean 'zigzag'"),
    (lambda: qb.attend(Q, Q, Q, algorithm=7), "algorithm"),
    (lambda: qb.attend(Q, Q, Q, worker=7), "did you mean 'workers'"),
    (lambda: qb.attend(Q, Q, Q, n_tokens=8), "unknown parameter 'n_tokens'"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ring", workers=0), "workers"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ring", workers=-3), "workers"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ring", workers=2.5), "workers must be a whole number"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ring", workers="many"), "workers must be a whole number"),
    (lambda: qb.attend(Q, Q, Q, workers=4), "workers|worker"),
    (lambda: qb.attend(Q, Q, Q, algorithm="cqs", workers=2), "cqs|interest set"),
    (lambda: qb.attend(Q, Q, Q, algorithm="cqs", workers=7, interest_set=[0, 1]), "interest set"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ring", workers=2, interest_set=[0, 1]), "interest_set"),
    (lambda: qb.attend(Q, Q, Q, algorithm="ulysses", workers=3), "ulysses|heads"),
    (lambda: qb.attend(Q, Q, Q, mask="casual"), "did you mean 'causal'"),
    (lambda: qb.attend(Q, Q, Q, mask={"sliding": {"left": 1}}), "sliding"),
    (lambda: qb.attend(Q, Q, Q, mask={"sliding_window": {"left": -1}}), "sliding_window|left"),
    (lambda: qb.attend(Q, Q, Q, mask=3), "mask"),
    (lambda: qb.attend(Q, Q, Q, kernel="flahs"), "did you mean 'flash'"),
    (lambda: qb.attend(*[Q.astype(np.float64)] * 3, kernel="flash"), "kernel flash has no f64"),
    (lambda: qb.attend(Q, Q, Q, do=Q, kernel="staged"), "staged"),
    (lambda: qb.attend(Q, Q, Q, ranks="nccl"), "nccl"),
    (lambda: qb.attend(Q, Q, Q, ranks="model"), "model"),
    (lambda: qb.attend(Q, Q, Q, threads=-1), "threads"),
    (lambda: qb.attend(Q, Q, Q, scale="big"), "scale"),
    (lambda: qb.attend(Q, Q, Q, memory_budget="lots"), "memory_budget"),
    # the arguments of scaled_dot_product_attention
    (lambda: qb.attention(Q, Q, Q, dropout_p=0.1), "drops nothing"),
    (lambda: qb.attention(Q, Q, Q, attn_mask=np.ones((8, 8), bool)), "masks by name"),
    (lambda: qb.attention(Q, Q, Q, attn_mask="causal", is_causal=True), "not both"),
    (lambda: qb.attention(Q[:, :, :3], Q, Q, is_causal=True), "attn_mask='causal'"),
    (lambda: qb.attention(Q, Q[:, :1], Q[:, :1]), "enable_gqa=True"),
    # plans, sweeps, runs
    (lambda: qb.plan("zigzagg", **PROBLEM), "did you mean 'zigzag'"),
    (lambda: qb.plan("ring", workers=4), "n_tokens is missing, the length"),
    (lambda: qb.plan("ring", heads=4, **PROBLEM), "heads"),
    (lambda: qb.plan("cqs", n_tokens=64, workers=2), "cqs|interest set"),
    (lambda: qb.plan("ring", passes="backwards", **PROBLEM), "did you mean 'backward'"),
    (lambda: qb.sets(2), "no interest set for 2 workers"),
    (lambda: qb.bounds(n_tokens=64), "workers"),
    (lambda: qb.advise(n_tokens=64), "workers"),
    (lambda: qb.papers("no_such_paper"), "no_such_paper"),
    (lambda: qb.load("/nonexistent"), "not a run folder"),
    (lambda: qb.run("/nonexistent.yaml"), "nonexistent"),
    (lambda: qb.run({"experiment": "x", "heads": 3}), "qb calls this q_heads"),
    (lambda: qb.sweep(workers=[2, "x"], n_tokens=64).plan(), "workers"),
    (lambda: qb.sweep(worker=[2], n_tokens=64).plan(), "did you mean 'workers'"),
    (lambda: qb.sweep(algorithm=["ring", wrong], workers=2), "n_tokens"),
    (lambda: qb.sweep(cluster=qb.Cluster(2, 2), n_tokens=64).plan(), "a cluster needs the link inside of its hosts"),
    (lambda: qb.sweep(cluster=qb.Cluster(2, 2, inside="ndr", between="ndr"), n_tokens=64).plan(),
     "ranks: threads"),
    (lambda: qb.sweep(cluster="2by2", ranks="threads", n_tokens=64).plan(), "2by2"),
    (lambda: qb.sweep(clusters="2x2", n_tokens=64).plan(), "did you mean 'cluster'"),
    (lambda: qb.sweep(algorithm="./own.json", n_tokens=64).plan(), "cannot read ./own.json"),
    (lambda: qb.sweep(n_tokens={"from": 4}).plan(), "n_tokens"),
    (lambda: qb.compare("/nonexistent", "/nonexistent"), "nonexistent"),
    (lambda: qb.papers("usp", verdict="wrong"), "wrong"),
    (lambda: qb.advise(n_tokens=64, workers=4, device="h1000"), "h1000"),
    (lambda: qb.plan("ring", n_tokens=-4, workers=2), "n_tokens must be from 1"),
    (lambda: qb.plan("ring", n_tokens=2.5, workers=2), "n_tokens must be a whole number"),
    (lambda: qb.table([1], rows="workers"), "give a run"),
    (lambda: qb.algorithm(3), "before a function"),
    (lambda: qb.attend(Q, Q, Q, algorithm=wrong, workers=2), "wrong is not exact with 2 workers"),
    (lambda: qb.plan(misspelt, **PROBLEM), "did you mean 'zigzag'"),
]


@qb.algorithm
def wrong(problem, workers, b):
    b.task(0, keys=0)


@qb.algorithm
def misspelt(problem, workers, b):
    b.deal("zigzg")


@pytest.mark.parametrize("at", range(len(BAD)))
def test_a_bad_call_is_refused_with_a_sentence(at):
    call, sentence = BAD[at]
    with pytest.raises(qb.UsageError, match=sentence) as refused:
        call()
    said = str(refused.value)
    assert "unexpected" not in said and "--layout" not in said and len(said) > 20


def test_the_other_errors():
    with pytest.raises(qb.CaseError, match="O|finite|nan") as wrong_output:
        qb.attend(Q * np.float32(np.nan), Q, Q)
    assert wrong_output.value.status == "incorrect"
    with pytest.raises(qb.CaseError) as out_of_memory:
        qb.attend(f32(1, 2, 4096, 64), *[f32(1, 2, 4096, 64)] * 2, memory_budget="1KiB")
    assert out_of_memory.value.status == "oom"
    assert issubclass(qb.UsageError, ValueError) and issubclass(qb.EnvironmentError, OSError)
