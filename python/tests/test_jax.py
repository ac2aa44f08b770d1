# SPDX-License-Identifier: Apache-2.0
"""JAX's arrays; only where jax is."""
import numpy as np
import pytest
import quorumbench as qb
from testing import reference

jax = pytest.importorskip("jax", exc_type=ImportError)
jnp = jax.numpy


def arrays(dtype, layout="bhnd"):
    random = np.random.default_rng(1)
    shape = (2, 4, 48, 16) if layout == "bhnd" else (2, 48, 4, 16)
    return [jnp.asarray(random.standard_normal(shape), dtype=dtype) for _ in range(4)]


@pytest.mark.parametrize("layout", ["bhnd", "bnhd"])
@pytest.mark.parametrize("dtype", ["float32", "float16", "bfloat16"])
def test_both_passes_agree_with_float64(dtype, layout):
    given = dict(zip(("q", "k", "v", "do"), arrays(dtype, layout)))
    r = qb.attend(**given, layout=layout, algorithm="zigzag", workers=3, mask="causal")
    q, k, v, do = (reference.heads_first(one, layout) for one in given.values())
    wanted = reference.attention(q, k, v, "causal", None, do)
    assert r.copied == [] and isinstance(r.lse, jax.Array) and r.lse.dtype == jnp.float32
    most = {"float32": 2e-5, "float16": 4e-3, "bfloat16": 6e-2}[dtype]
    for name, one in zip(("o", "dq", "dk", "dv"), (wanted[0], *wanted[2:])):
        mine = getattr(r, name)
        assert isinstance(mine, jax.Array) and mine.dtype == dtype and mine.shape == r.o.shape
        error = np.abs(reference.heads_first(mine, layout) - one).max()
        assert error < most * (1 + np.abs(one).max()), name


def test_outputs_are_those_of_the_call_and_the_same_bits_as_numpys():
    q, k, v, _ = arrays("float32")
    r = qb.attend(q, k, v, algorithm="ring", workers=2)
    assert r.o.unsafe_buffer_pointer() == r._job.output("o", "f32", "numpy").ctypes.data
    of_numpy = qb.attend(*(np.asarray(one) for one in (q, k, v)), algorithm="ring", workers=2)
    assert np.array_equal(r.o, of_numpy.o)
    assert jnp.array_equal(qb.attention(q, k, v, algorithm="ring", workers=2), r.o)


@pytest.mark.parametrize("call, sentence", [
    (lambda q: jax.jit(lambda one: qb.attend(one, one, one).o)(q), "traces it; call qb outside"),
    (lambda q: jax.grad(lambda one: qb.attention(one, one, one).sum())(q), "traces it; call qb outside"),
    (lambda q: qb.attend(q, q, q, out_dtype="f64"), "unless jax_enable_x64"),
    (lambda q: qb.attend(q, q, np.asarray(q)), "q is of jax and v of numpy"),
    (lambda q: qb.attend(q.astype(int), q, q), "q has elements of type int32"),
    (lambda q: qb.attend(*[q.astype(jnp.float8_e4m3fn)] * 3), "float8_e4m3fn"),
    (lambda q: qb.attend(deleted(q), q, q), "q has been deleted"),
    (lambda q: jax.vmap(lambda one: qb.attend(one, one, one).o)(q), "traces it; call qb outside"),
])
def test_what_cannot_be_read_is_refused(call, sentence):
    with pytest.raises(qb.UsageError, match=sentence):
        call(arrays("float32")[0])


def deleted(array):
    other = array + 1
    other.delete()
    return other
