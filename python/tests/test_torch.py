# SPDX-License-Identifier: Apache-2.0
"""PyTorch's tensors; only where torch is."""
import subprocess
import sys

import numpy as np
import pytest
import quorumbench as qb

torch = pytest.importorskip("torch", exc_type=ImportError)


def sdpa(q, k, v, is_causal=False):
    scores = q @ k.transpose(-1, -2) / q.shape[-1] ** 0.5
    if is_causal:
        hidden = torch.ones(scores.shape[-2:], dtype=torch.bool).triu(1)
        scores = scores.masked_fill(hidden, float("-inf"))
    return torch.softmax(scores, -1) @ v


def tensors(dtype=torch.float32, n=48, **options):
    torch.manual_seed(1)
    return [torch.randn(2, 4, n, 16, dtype=torch.float32).to(dtype).requires_grad_(**options)
            if options else torch.randn(2, 4, n, 16).to(dtype) for _ in range(3)]


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16, torch.float64])
@pytest.mark.parametrize("causal", [False, True])
def test_a_call_of_sdpa_can_be_swapped(dtype, causal):
    q, k, v = tensors(dtype)
    split = {} if dtype == torch.float64 else {"algorithm": "ring", "workers": 3}
    o = qb.attention(q, k, v, is_causal=causal, **split)
    assert o.dtype == dtype and o.shape == q.shape
    wanted = sdpa(q.double(), k.double(), v.double(), is_causal=causal)
    limit = {torch.bfloat16: 3e-2, torch.float16: 4e-3, torch.float64: 1e-13}.get(dtype, 1e-5)
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


@pytest.mark.parametrize("changed", [
    lambda o, *_: o[:, :, 10:20].add_(1), lambda o, *_: o.mul_(2), lambda o, q, *_: q.data.mul_(1) + q.zero_(),
    lambda o, q, k, v: v[..., :1].add_(1),
    lambda o, *_: o.index_add_(2, torch.tensor([3, 40]), torch.ones(2, 4, 2, 16, dtype=o.dtype))])
@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_a_change_in_place_of_what_backward_reads_is_an_error(changed, dtype):
    leaves = tensors(dtype, requires_grad=True)
    q, k, v = (one * 1 for one in leaves)
    o = qb.attention(q, k, v, algorithm="ring", workers=2)
    changed(o, q, k, v)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        o.float().sum().backward()


def test_no_derivative_is_dropped():
    q, k, v = tensors(requires_grad=True)
    o = qb.attention(q, k, v)
    gradient, = torch.autograd.grad((o ** 2).sum(), q, create_graph=True)
    for differentiate in (lambda loss: torch.autograd.grad(loss, q), lambda loss: loss.backward()):
        with pytest.raises(RuntimeError, match="no second derivatives"):
            differentiate((gradient ** 2).sum() + (o ** 2).sum())
        o = qb.attention(q, k, v)
        gradient, = torch.autograd.grad((o ** 2).sum(), q, create_graph=True)
    scale = torch.tensor(0.25, requires_grad=True)
    with pytest.raises(qb.UsageError, match="scale requires a gradient"):
        qb.attention(q, k, v, scale=scale)
    with pytest.raises(qb.UsageError, match="q requires a gradient, and the outputs of qb.attend"):
        qb.attend(q, k, v)
    with torch.no_grad():
        assert not qb.attend(q, k, v).o.requires_grad
    plain = q.detach()
    with torch.autograd.forward_ad.dual_level():
        dual = torch.autograd.forward_ad.make_dual(plain, torch.ones_like(plain))
        with pytest.raises(qb.UsageError, match="q has a tangent"):
            qb.attention(dual, plain, plain)


def test_a_class_of_ones_own_keeps_its_gradient():
    class Mine(torch.Tensor):
        pass

    q, k, v = (one.as_subclass(Mine).requires_grad_() for one in tensors())
    qb.attention(q, k, v, algorithm="ring", workers=2).sum().backward()
    assert q.grad is not None and torch.isfinite(q.grad).all()


@pytest.mark.parametrize("causal", [False, True])
def test_float64_is_float64(causal):
    torch.manual_seed(0)
    q, k, v = (torch.randn(1, 2, 5, 3, dtype=torch.float64, requires_grad=True) for _ in range(3))
    assert torch.autograd.gradcheck(lambda *x: qb.attention(*x, is_causal=causal), (q, k, v))
    r = qb.attend(*(one.detach() for one in (q, k, v)))
    assert r.o.dtype == torch.float64 and r.error < 1e-6
    with pytest.raises(qb.UsageError, match="workers hand each other float32"):
        qb.attention(q, k, v, algorithm="ring", workers=2)


@pytest.mark.skipif(not hasattr(torch, "func"), reason="this PyTorch has no torch.func")
def test_transforms_of_torch_func_are_refused():
    q, k, v = tensors()
    with pytest.raises((qb.UsageError, RuntimeError)):
        torch.func.vmap(qb.attention)(q, k, v)
    with pytest.raises((qb.UsageError, RuntimeError)):
        torch.func.grad(lambda one: qb.attention(one, k, v).sum())(q)


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


def test_torch_compiles_scripts_beside_it():
    """A second libstdc++ in the process kept it from ending."""
    code = "import quorumbench, torch; torch.jit.script(torch.nn.Softmax(-1))"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=120)


def test_a_graph_of_a_module_ends_in_silence():
    code = """
import quorumbench as qb, torch
q, k, v = (torch.randn(1, 1, 8, 8, requires_grad=True) for _ in range(3))
o = qb.attention(q, k, v)
loss = o.sum()
"""
    done = subprocess.run([sys.executable, "-c", code], check=True, timeout=120, stderr=subprocess.PIPE)
    assert done.stderr == b""


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_sinks_take_part_in_autograd(dtype):
    q, k, v = tensors(requires_grad=True)
    sinks = torch.tensor([0.5, -1.0, 2.0, 0.0], dtype=dtype, requires_grad=True)
    weights = torch.randn(2, 4, 48, 16)
    split = {"algorithm": "zigzag", "workers": 2}
    (qb.attention(q, k, v, is_causal=True, sinks=sinks, **split) * weights).sum().backward()
    ours = [one.grad.clone() for one in (q, k, v, sinks)]
    for one in (q, k, v, sinks):
        one.grad = None
    scores = q @ k.transpose(-1, -2) / 4.0
    scores = scores.masked_fill(torch.ones(48, 48, dtype=torch.bool).triu(1), float("-inf"))
    column = sinks.float()[None, :, None, None].expand(2, 4, 48, 1)
    o = torch.softmax(torch.cat([scores, column], -1), -1)[..., :-1] @ v
    (o * weights).sum().backward()
    for mine, one in zip(ours, (q, k, v, sinks)):
        assert mine.dtype == one.dtype
        assert (mine - one.grad).abs().max() < (1e-4 if mine.dtype == torch.float32 else 0.3)
    # A list has no gradient, and neither has a tensor that asks for none.
    for plain in (sinks.tolist(), sinks.detach()):
        o = qb.attention(q, k, v, sinks=plain, **split)
        q.grad = None
        o.sum().backward()
        assert torch.isfinite(q.grad).all()
    with pytest.raises(qb.UsageError, match="sinks requires a gradient"):
        qb.attend(q.detach(), k.detach(), v.detach(), sinks=sinks)
