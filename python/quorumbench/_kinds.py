# SPDX-License-Identifier: Apache-2.0
"""Arrays of NumPy, PyTorch and JAX: what they are, and how their memory comes to qb and back."""
from __future__ import annotations

import functools
from typing import Any

from .errors import UsageError

WORDS = {"float16": "f16", "bfloat16": "bf16", "float32": "f32", "float64": "f64"}


_OF_MODULES = {"numpy": "numpy", "torch": "torch", "jax": "jax", "jaxlib": "jax"}


@functools.cache
def _kind_of_type(type_: type) -> str:
    """A class that a program derives from one of theirs is of the same kind."""
    modules = (base.__module__.partition(".")[0] for base in type_.__mro__)
    return next((_OF_MODULES[module] for module in modules if module in _OF_MODULES), "dlpack")


def kind_of(name: str, array: Any) -> str:
    """Gives numpy, torch, jax or dlpack; `name` is for the sentence where it is no array."""
    if not hasattr(array, "__dlpack__"):
        raise UsageError(
            f"{name} is a {type(array).__name__}; give an array with __dlpack__, as NumPy, PyTorch "
            "and JAX have")
    of: Any = type(array)
    return _kind_of_type(of)


def wants_gradient(array: Any) -> bool:
    """Whether autograd of PyTorch follows what is computed with it."""
    if not getattr(array, "requires_grad", False):
        return False
    import torch

    return bool(torch.is_grad_enabled())


def _require_plain(name: str, array: Any) -> None:
    """Raises UsageError for a tensor of PyTorch that stands for more than its values."""
    import torch

    if str(array.layout) != "torch.strided" or array.device.type == "meta":
        raise UsageError(f"{name} is a sparse or meta tensor; give a dense one with values")
    if torch.autograd.forward_ad.unpack_dual(array).tangent is not None:
        raise UsageError(f"{name} has a tangent, and qb has no forward-mode derivative; take the "
                         "gradient by backward()")
    functorch = getattr(torch._C, "_functorch", None)
    if functorch is not None and functorch.is_functorch_wrapped_tensor(array):
        raise UsageError(f"{name} has no values yet, since torch.func transforms it (vmap, grad); call "
                         "qb outside of it: it takes a batch as an axis")


@functools.cache
def _word(dtype: Any) -> str:
    """Gives qb's word for a type of elements, or an empty one."""
    name = getattr(dtype, "name", None) or str(dtype)
    return WORDS.get(name.rpartition(".")[2], "")


@functools.cache
def _is_native(dtype: Any) -> bool:
    return bool(dtype.isnative)


def dtype_of(name: str, array: Any) -> str:
    """Gives qb's word for the type of its elements."""
    word = _word(getattr(array, "dtype", "float32"))
    if not word:
        raise UsageError(f"{name} has elements of type {array.dtype}; give float16, bfloat16, float32 "
                         "or float64")
    return word


def exported(name: str, array: Any, kind: str, dtype: str) -> Any:
    """Gives what the module can read, of the same memory."""
    if kind == "numpy":
        if hasattr(array, "filled"):
            raise UsageError(f"{name} is a masked array, and qb would take what is behind its mask; "
                             f"give {name}.filled(0), or a mask of pairs by mask=")
        if not _is_native(array.dtype):
            raise UsageError(
                f"{name} has another byte order than this machine; give "
                f"{name}.astype({name}.dtype.newbyteorder('='))")
        return array.view("uint16") if dtype == "bf16" else array
    if kind == "torch":
        _require_plain(name, array)
        return array.detach().resolve_conj().resolve_neg()
    if kind == "jax":
        import jax

        if isinstance(array, jax.core.Tracer):
            raise UsageError(f"{name} has no values yet, since jax.jit or jax.grad traces it; call qb "
                             "outside of them")
        if array.is_deleted():
            raise UsageError(f"{name} has been deleted (donated to a compiled function, or by delete())")
    return array


def imported(array: Any, kind: str, dtype: str) -> Any:
    """Gives an output as an array of the caller's kind, of the same memory."""
    if kind == "numpy":
        if dtype != "bf16":
            return array
        import ml_dtypes  # the caller's array is of its type

        return array.view(ml_dtypes.bfloat16)
    if kind == "torch":
        import torch

        return torch.from_dlpack(array)
    if kind == "jax":
        import jax.dlpack

        return jax.dlpack.from_dlpack(array)
    return array


def require_out_dtype(out_dtype: str, q: Any) -> None:
    """Raises UsageError unless arrays of the kind of q can be of that type."""
    if out_dtype not in WORDS.values():
        raise UsageError(f"out_dtype {out_dtype!r}: it must be one of f16, bf16, f32, f64")
    kind = kind_of("q", q)
    if out_dtype == "bf16" and kind == "numpy" and dtype_of("q", q) != "bf16":
        raise UsageError("out_dtype bf16: NumPy has no bf16; give arrays of ml_dtypes.bfloat16")
    if out_dtype == "f64" and kind == "jax":
        import jax

        if jax.dtypes.canonicalize_dtype("float64") != "float64":
            raise UsageError("out_dtype f64: JAX has no f64 unless jax_enable_x64 is set")
