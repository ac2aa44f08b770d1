# SPDX-License-Identifier: Apache-2.0
"""Attention on arrays that are already there."""
from __future__ import annotations

import contextlib
import copy
import functools
import warnings
from typing import Any, Mapping

from . import _core, _kinds, _qb
from ._algorithm import Algorithm, Problem
from ._memory import Memory
from .errors import CaseError, UsageError

_OUTPUTS = ("o", "lse", "dq", "dk", "dv", "dsinks")


class Result:
    """What qb.attend() computed.

    o, lse, dq, dk, dv   arrays of the caller's kind, without a copy; lse is a natural logarithm, f32,
                         with the axes of o but the last; gradients are None unless do was given
    dsinks               the gradient of sinks, [h], where both were given
    error, errors        the largest error of O, and of each output, against a float64 reference of up
                         to 256 rows a head, computed when they are asked for; they raise CaseError
                         where an error is above its tolerance
    tolerances           what each error may be: four times that of a plain program in the inputs' type
    columns              the predicted columns of cases.csv (`qb columns`), and measured times in
                         seconds; each is an attribute too: device_sent_bytes, device_peak_bytes,
                         wall_time_s, …
    copied               names of the arrays that had to be copied, since their rows have gaps
    memory               what was held when: memory.frame(), memory.per_worker.plot(), and
                         memory.save("x.pickle") for PyTorch's page, .json for Perfetto, or .csv
    """

    def __init__(self, job: Any, inputs: Any, kind: str, dtype: str) -> None:
        self._job = job
        self._inputs = inputs
        self._kind = kind
        self._dtype = dtype

    def _output(self, name: str) -> Any:
        dtype = "f32" if name == "lse" else self._dtype
        array = self._job.output(name, dtype, "numpy" if self._kind == "numpy" else "dlpack")
        return None if array is None else _kinds.imported(array, self._kind, dtype)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name in _OUTPUTS:
            return self.__dict__.setdefault(name, self._output(name))
        if name in self.columns:
            return self.columns[name]
        raise AttributeError(f"a result of qb.attend has no {name}")

    def __dir__(self) -> list[str]:
        return [*_OUTPUTS, "error", "errors", "tolerances", "columns", "copied", "memory",
                *self.columns]

    @functools.cached_property
    def columns(self) -> dict[str, Any]:
        found = {name: _number(text) for name, text in self._job.columns().items()}
        # The arrays are the caller's, so that the ledger holds less than the plan counts.
        return found | {name.removeprefix("predicted_"): found[name]
                        for name in ("predicted_device_peak_bytes", "predicted_root_peak_bytes")
                        if name in found}

    @functools.cached_property
    def _compared(self) -> dict[str, dict[str, float]]:
        found: dict[str, dict[str, float]] = self._job.errors(256)
        if found["message"]:
            raise CaseError(str(found["message"]), "incorrect")
        return found

    @property
    def errors(self) -> dict[str, float]:
        return self._compared["errors"]

    @property
    def tolerances(self) -> dict[str, float]:
        return self._compared["tolerances"]

    @property
    def error(self) -> float:
        return self.errors["o"]

    @property
    def copied(self) -> list[str]:
        return list(self._job.copied)

    @functools.cached_property
    def memory(self) -> Memory:
        return Memory(self._job)

    def __getstate__(self) -> dict[str, Any]:
        """What a pickle keeps: the outputs, the columns and the memory, and the errors if they were
        asked for; not the inputs."""
        for name in (*_OUTPUTS, "columns"):
            getattr(self, name)
        kept = {name: one for name, one in vars(self).items() if name != "memory"}
        return kept | {"_job": _Stored(self._job), "_inputs": None}

    def __repr__(self) -> str:
        return (f"<attention {self.wall_time_s * 1e3:.3g} ms, {self.device_sent_bytes} bytes sent by "
                f"a device, peak {self.device_peak_bytes} bytes of a device>")


class _Stored:
    """Stands for the job of a result that was pickled."""

    def __init__(self, job: Any) -> None:
        self.copied = list(job.copied)
        for name in ("timeline", "trace", "snapshot"):
            setattr(self, name, functools.partial(copy.copy, getattr(job, name)()))

    def errors(self, _rows: int) -> Any:
        raise UsageError("a result from a pickle has no inputs to compare with; ask for its errors "
                         "before it is pickled")


def _number(text: str) -> Any:
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def sink_numbers(sinks: Any) -> list[float]:
    """Gives the numbers of sinks: an array or a list, one for each query head; None has none."""
    if sinks is None:
        return []
    if len(getattr(sinks, "shape", (0,))) != 1:
        raise UsageError(f"sinks has {len(sinks.shape)} axes; give one number for each query head")
    numbers = sinks.tolist() if hasattr(sinks, "tolist") else sinks
    return [float(one) for one in numbers]


def _texts(parameters: Mapping[str, Any]) -> dict[str, str]:
    for name, value in parameters.items():
        if getattr(value, "requires_grad", False):
            raise UsageError(f"{name} requires a gradient, and qb has none for it; give "
                             f"{name}.item(), or multiply q by what is learnt")
        if getattr(value, "ndim", 0) > 1:
            raise UsageError(f"{name} is an array of {value.ndim} axes; qb takes masks by name, such "
                             "as 'causal', or as a pattern such as {'sliding_window': {'left': 4, "
                             "'right': 4}}")
    return {_qb.key(name): _qb.text(value) for name, value in parameters.items()
            if value is not None}


def _start(arrays: Mapping[str, Any], layout: str, parameters: Mapping[str, Any],
           forward: Any = None, out_dtype: str | None = None) -> tuple[Any, Any, str, str]:
    of_keys = tuple(getattr(arrays["k"], "shape", ()))
    if layout == "auto" and len(of_keys) > 2 and of_keys[-3] >= 64 and of_keys[-3] > 4 * of_keys[-2]:
        warnings.warn(f"k is taken as {of_keys[-3]} heads of {of_keys[-2]} tokens; say layout='bnhd' "
                      "(or 'nhd') where tokens come before heads, and 'bhnd' where this is right",
                      stacklevel=3)
    kind = _kinds.kind_of("q", arrays["q"])
    dtype = _kinds.dtype_of("q", arrays["q"])
    given = {}
    for name, array in arrays.items():
        other, its_dtype = _kinds.kind_of(name, array), _kinds.dtype_of(name, array)
        if other != kind:
            raise UsageError(f"q is of {kind} and {name} of {other}; give one kind")
        if its_dtype != dtype:
            raise UsageError(f"q is {dtype} and {name} is {its_dtype}; convert them to one type")
        given[name] = _kinds.exported(name, array, kind, dtype)
    parameters = dict(parameters)
    sinks = sink_numbers(parameters.pop("sinks", None))
    recipe = None
    if isinstance(parameters.get("algorithm"), Algorithm):
        algorithm = parameters.pop("algorithm")
        recipe = algorithm.recipe(Problem.of_arrays(arrays, layout, parameters.get("mask")),
                                  int(parameters.get("workers", 1)), "do" in arrays)
    job = _core.attend(given, _texts(parameters), layout, kind == "numpy" and dtype == "bf16",
                       forward, recipe, (out_dtype or dtype) == "f64", sinks)
    return job, given, kind, dtype


def attend(q: Any, k: Any, v: Any, *, do: Any = None, sinks: Any = None, layout: str = "auto",
           out_dtype: str | None = None, **parameters: Any) -> Result:
    """Computes exact attention of arrays, split over workers, and its gradients where do is given.

    q, k, v, do   [n,d], [h,n,d] or [b,h,n,d], or as `layout` says (bhnd, hnd; bnhd, nhd: tokens
                  before heads), of NumPy, PyTorch, JAX or anything with __dlpack__, in the host's
                  memory; of one kind and type, f16, bf16, f32, or f64 (kernel reference). K and V may
                  have fewer heads and another length: queries take the last positions of the keys.
                  do has the shape of O, which is that of q with the last axis of v
    sinks         a number for each query head, f32, that takes part in the softmax of its rows as the
                  score of a key without a value (GPT-OSS): an array [h], or a list
    out_dtype     the type of o, dq, dk and dv: f16, bf16, f32, f64 (default: that of q). f64 is
                  computed in float64, by kernel reference and one worker; all else is float32
    parameters    as in a spec: algorithm (a name, or one made with @qb.algorithm), workers, mask
                  ("causal", or a pattern as a dict), kernel, ranks (serial or threads), threads,
                  scale, interest_set, distillation, memory_budget. Threads share the keys of few
                  rows, so that the last bits of O depend on their number: fix it for equal bits

    Raises UsageError for what does not fit, EnvironmentError without memory, CaseError for an
    output that is not finite.
    """
    arrays = {"q": q, "k": k, "v": v}
    if do is not None:
        arrays["do"] = do
    for name, array in (arrays | {"sinks": sinks}).items():
        if _kinds.wants_gradient(array):
            raise UsageError(f"{name} requires a gradient, and the outputs of qb.attend have none; "
                             f"call qb.attention, or give {name}.detach() and do=")
    if out_dtype is not None:
        _kinds.require_out_dtype(out_dtype, q)
    job, given, kind, dtype = _start(arrays, layout, parameters | {"sinks": sinks}, None, out_dtype)
    return Result(job, given, kind, out_dtype or dtype)


def clear_cache() -> None:
    """Gives back the memory, 64 MiB at most, and the plans, 64 at most, that small calls keep for the
    next ones."""
    _core.clear_cache()


def _sdpa_parameters(query: Any, key: Any, attn_mask: Any, dropout_p: float, is_causal: bool,
                     scale: float | None, enable_gqa: bool) -> dict[str, Any]:
    if dropout_p:
        raise UsageError(f"dropout_p={dropout_p}: exact attention drops nothing; give 0")
    if attn_mask is not None and not isinstance(attn_mask, (str, Mapping)):
        raise UsageError("attn_mask is an array; qb takes masks by name, such as 'causal', or as a "
                         "pattern such as {'sliding_window': {'left': 4, 'right': 4}}")
    if attn_mask is not None and is_causal:
        raise UsageError("give is_causal or attn_mask, not both")
    shape, of_keys = tuple(query.shape), tuple(key.shape)
    if is_causal and shape[-2] != of_keys[-2]:
        raise UsageError(
            f"is_causal with {shape[-2]} queries and {of_keys[-2]} keys: PyTorch lets query i see "
            "key j <= i, and qb aligns the mask with the last key; say attn_mask='causal' for that")
    if not enable_gqa and len(shape) > 2 and len(of_keys) > 2 and shape[-3] != of_keys[-3]:
        raise UsageError(f"query has {shape[-3]} heads and key has {of_keys[-3]}; say "
                         "enable_gqa=True to share key-value heads")
    return {"mask": "causal" if is_causal else attn_mask, "scale": scale}


def attention(query: Any, key: Any, value: Any, attn_mask: Any = None, dropout_p: float = 0.0,
              is_causal: bool = False, scale: float | None = None, enable_gqa: bool = False, *,
              sinks: Any = None, algorithm: Any = "dense", workers: int = 1,
              **parameters: Any) -> Any:
    """Computes O with the arguments of torch.nn.functional.scaled_dot_product_attention.

    query, key, value are [..., h, n, d] as qb.attend() takes them; attn_mask is a mask of qb by
    name or pattern. The keywords are those of qb.attend(). O has the type of query. PyTorch's
    tensors, sinks too, take part in autograd, whose backward pass runs over the same workers.

    It differs from PyTorch's: no dropout_p and no mask as an array; is_causal needs as many keys as
    queries, since PyTorch begins at the first key and qb ends at the last one; a query without
    keys has O = 0; float64 needs workers=1; second derivatives raise RuntimeError, and forward-mode
    derivatives and torch.func UsageError. docs/conventions.md has other libraries. Raises UsageError
    for what is not there, and for heads that differ without enable_gqa.
    """
    asked = _sdpa_parameters(query, key, attn_mask, dropout_p, is_causal, scale, enable_gqa)
    asked |= {"algorithm": algorithm, "workers": workers, **parameters}
    arrays = {"q": query, "k": key, "v": value}
    if _kinds.kind_of("query", query) == "torch":
        import torch

        if torch.is_grad_enabled() and any(getattr(one, "requires_grad", False)
                                           for one in (*arrays.values(), sinks)):
            return _torch_function().apply(query, key, value, sinks, asked)
    return Result(*_start(arrays, "auto", asked | {"sinks": sinks})).o


@functools.cache
def _torch_function() -> Any:
    import torch

    # once_differentiable would not do: torch.autograd.grad() does not reach its error, since
    # that is on no way to the inputs.
    class Gradients(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, query: Any, key: Any, value: Any, d_out: Any, sinks: Any,
                    asked: Any, job: Any) -> Any:
            arrays = {"q": query, "k": key, "v": value, "do": d_out}
            result = Result(*_start(arrays, "auto", asked | {"sinks": sinks}, job))
            of_sinks = result.dsinks.to(sinks.dtype) if torch.is_tensor(sinks) else None
            return result.dq, result.dk, result.dv, of_sinks

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            raise RuntimeError("qb.attention has no second derivatives; take those of "
                               "torch.nn.functional.scaled_dot_product_attention")

    class Attention(torch.autograd.Function):
        @staticmethod
        def forward(ctx: Any, query: Any, key: Any, value: Any, sinks: Any, asked: Any) -> Any:
            arrays = {"q": query, "k": key, "v": value}
            result = Result(*_start(arrays, "auto", asked | {"sinks": sinks}))
            # O too, whose memory the job's may be, so that a change in place is an error.
            of_autograd = sinks if torch.is_tensor(sinks) else None
            ctx.save_for_backward(query, key, value, result.o, of_autograd)
            ctx.asked, ctx.job = asked, result._job
            ctx.sinks = None if of_autograd is not None else sinks
            return result.o

        @staticmethod
        def backward(ctx: Any, *gradients: Any) -> Any:
            query, key, value, _, of_autograd = ctx.saved_tensors
            sinks = ctx.sinks if of_autograd is None else of_autograd
            return *Gradients.apply(query, key, value, gradients[0], sinks, ctx.asked,
                                    ctx.job), None

    return Attention
