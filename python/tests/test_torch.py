# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors; only where torch is."""
import numpy as np
import pytest
import quorumbench as qb

torch = pytest.importorskip("torch", exc_type=ImportError)
sdpa = torch.nn.functional.scaled_dot_product_attention


def tensors(dtype=torch.float32, n=48, **options):
    torch.manual_seed(1)
    return [torch.randn(2, 4, n, 16, dtype=torch.float32).to(dtype).requires_grad_(**options)
            if options else torch.randn(2, 4, n, 16).to(dtype) for _ in range(3)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("causal", [False, True])
def test_a_call_of_sdpa_can_be_swapped(dtype, causal):
    q, k, v = tensors(dtype)
    o = qb.attention(q, k, v, is_causal=causal, algorithm="ring", workers=3)
    assert o.dtype == dtype and o.shape == q.shape
    wanted = sdpa(q.double(), k.double(), v.double(), is_causal=causal)
    limit = {torch.bfloat16: 3e-2, torch.float16: 4e-3}.get(dtype, 1e-5)
    assert (o.double() - wanted).abs().max() < limit


def test_gradients_are_those_of_torch():
    q, k, v = tensors(requires_grad=True)
    weights = torch.randn(2, 4, 48, 16)
    (qb.attention(q, k, v, is_causal=True, algorithm="zigzag", workers=2) * weights).sum().backward()
    ours = [one.grad.clone() for one in (q, k, v)]
    for one in (q, k, v):
        one.grad = None
    (sdpa(q, k, v, is_causal=True) * weights).sum().backward()
    for mine, one in zip(ours, (q, k, v)):
        assert (mine - one.grad).abs().max() < 1e-5
    q.grad = None
    qb.attention(q, k, v, algorithm="ring", workers=2).sum().backward()  # dO is one number, expanded
    assert torch.isfinite(q.grad).all()


def test_nothing_is_copied_and_conjugates_are_seen():
    q, k, v = tensors()
    r = qb.attend(q, k, v)
    assert r.copied == [] and isinstance(r.o, torch.Tensor)
    assert np.array_equal(r.o.numpy(), qb.attend(q.numpy(), k.numpy(), v.numpy()).o)
    lazy = torch.randn(2, 4, 48, 16, dtype=torch.complex64).conj().imag
    assert lazy.is_neg()
    assert torch.equal(qb.attend(lazy, k, v).o, qb.attend(lazy.resolve_neg(), k, v).o)


def test_bf16_of_a_whole_step():
    q, k, v = tensors(torch.bfloat16)
    r = qb.attend(q, k, v, do=torch.ones_like(q), algorithm="zigzag", workers=8, mask="causal")
    assert r.dq.dtype == torch.bfloat16 and r.lse.dtype == torch.float32
    assert 0.0 < r.error < 0.05


@pytest.mark.parametrize("make", [lambda q: q.to("meta"), lambda q: q.to_sparse(),
                                  lambda q: q.int(), lambda q: q.numpy()])
def test_what_cannot_be_read_is_refused(make):
    q, k, v = tensors()
    with pytest.raises(qb.UsageError):
        qb.attend(make(q), k, v)
