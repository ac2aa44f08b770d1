# SPDX-License-Identifier: Apache-2.0
"""Is what another program computed attention, and if not, what is it?"""
from __future__ import annotations

from typing import Any

from . import _core, _kinds
from ._arrays import _texts, sink_numbers
from .errors import UsageError


class Check:
    """What qb.verify() found; true where every tensor agrees. Printed it says all of this.

    correct              whether every tensor that was given agrees with float64
    errors, tolerances   the largest error by tensor (o, lse, dq, dk, dv), and what it may be
    mistakes             by tensor that is wrong, the known mistake that agrees, with both errors
    message              where the first tensor is wrong, and how
    """

    def __init__(self, found: dict[str, Any]) -> None:
        self.correct: bool = found["correct"]
        self.errors: dict[str, float] = found["errors"]
        self.tolerances: dict[str, float] = found["tolerances"]
        self.mistakes: dict[str, str] = found["mistakes"]
        self.message: str = found["message"]

    def __bool__(self) -> bool:
        return self.correct

    def __repr__(self) -> str:
        lines = [f"{name}: error {error:.3g}, tolerance {self.tolerances[name]:.3g}"
                 for name, error in self.errors.items()]
        lines += [self.message] if self.message else []
        lines += [f"{name} is wrong: {why}" for name, why in self.mistakes.items()]
        return "\n".join(["agrees with float64" if self else "DOES NOT agree with float64", *lines])


def verify(q: Any, k: Any, v: Any, *, o: Any = None, lse: Any = None, do: Any = None, dq: Any = None,
           dk: Any = None, dv: Any = None, sinks: Any = None, layout: str = "auto",
           softcap: float | None = None, **parameters: Any) -> Check:
    """Compares what another program computed with float64, and names its mistake.

    q, k, v, do      its inputs, as qb.attend() takes them
    o, dq, dk, dv    its outputs, of any type, with the shapes of qb.attend(); gradients all three
    lse              a natural logarithm a row, with the axes of o but the last
    sinks            its attention sinks, [h], as qb.attend() takes them
    softcap          scores s are softcap tanh(s / softcap), before the mask; for o and lse
    parameters       mask, scale, threads, and how it splits the tokens, if you know: algorithm, workers

    Up to 256 rows a head are compared; tolerances are four times the error of a plain program in the
    inputs' type (f64 is compared as f32). Where a tensor is wrong, the known mistakes are tried, which
    `qb verify-tensors --help` lists. Raises UsageError for what does not fit.
    """
    given = {"q": q, "k": k, "v": v, "o": o, "lse": lse, "do": do, "dq": dq, "dk": dk, "dv": dv}
    arrays = {name: array for name, array in given.items() if array is not None}
    gradients = {"do", "dq", "dk", "dv"} & set(arrays)
    if gradients and len(gradients) < 4:
        raise UsageError("do, dq, dk and dv are verified together; give all four")
    if "o" not in arrays and ("lse" in arrays or not gradients):
        raise UsageError("o is missing: it is the output to verify; lse is verified beside it")
    types = {name: _kinds.dtype_of(name, array) for name, array in arrays.items()}
    kinds = {name: _kinds.kind_of(name, array) for name, array in arrays.items()}
    exported = {name: _kinds.exported(name, array, kinds[name], types[name])
                for name, array in arrays.items()}
    bits = any(kinds[name] == "numpy" and types[name] == "bf16" for name in arrays)
    return Check(_core.check(exported, _texts(parameters), layout, bits, softcap or 0.0,
                             sink_numbers(sinks)))
