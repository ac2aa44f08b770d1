# SPDX-License-Identifier: Apache-2.0
"""Compares what PyTorch computed with float64, by the rules of qb (harness/execute/verify/)."""

import collections
import math
import random

from run_folder import number_text
from torch_attention import DTYPES

VERIFIED_TOKENS = 64  # rows of each query head, and keys of each key-value head
UNIT_ROUNDOFF = {"f32": 2.0**-24, "f16": 2.0**-11, "bf16": 2.0**-8}
# A gradient may be off by so much, besides roundings to its type.
NAIVE_FACTOR, FLOOR = 1.5, 1e-4
ROUNDINGS_ONLY = 1e-5  # a relative error is not judged where no element is off by more
PAIRS_AT_ONCE = 2**22  # of a query and a key, in the float64 gradients
GRADIENTS = {"d_q": "dQ", "d_k": "dK", "d_v": "dV"}


def keys_of(problem, row):
    """Returns how many keys query `row` sees; if causal, the last query sees the last key."""
    if not problem.causal:
        return problem.kv_len
    return min(max(row + problem.kv_len - problem.q_len + 1, 0), problem.kv_len)


def tokens_to_verify(count, seed):
    if count <= VERIFIED_TOKENS:
        return list(range(count))
    chosen = random.Random(seed).sample(range(1, count - 1), VERIFIED_TOKENS - 2)
    return [0, *sorted(chosen), count - 1]


class WorstError:
    """The largest error among some elements, and what its tolerance needs (worst_error.h)."""

    def __init__(self):
        self.error = self.naive = self.magnitude = 0.0

    def add(self, error, naive, magnitude):
        if not math.isnan(self.error) and not error <= self.error:  # a NaN is taken and stays
            self.error = error
        self.naive = max(self.naive, naive)
        self.magnitude = max(self.magnitude, magnitude)

    def tolerance_of_output(self, dtype):
        floor = (UNIT_ROUNDOFF[dtype] + 16.0 * UNIT_ROUNDOFF["f32"]) * self.magnitude
        return 4.0 * self.naive + floor


class RelativeL2:
    """||X - X_ref|| / ||X_ref|| over what is added (verify.h)."""

    def __init__(self):
        self.off = self.size = 0.0

    def add(self, off, size):
        self.off, self.size = math.hypot(self.off, off), math.hypot(self.size, size)

    def error(self):
        if self.off == 0.0:
            return 0.0
        return self.off / self.size if self.size > 0.0 else math.inf


def largest(tensor):
    return tensor.abs().max().item()


def norm(torch, tensor):
    return torch.linalg.vector_norm(tensor).item()


def attend(torch, k, v, query, scale, weight_type):
    """Computes one query row by the definition, with weights rounded to `weight_type`."""
    weights = torch.softmax((k @ query) * scale, dim=0)
    return weights.to(weight_type).to(query.dtype) @ v


def verify_output(torch, problem, attention):
    """Returns the columns of the verification, and what is wrong or an empty string."""
    (q, k, v), out = attention.inputs, attention.out
    if not torch.isfinite(out).all().item():
        return {}, "an element of the output is not finite"
    rows = tokens_to_verify(problem.q_len, problem.seed)
    dtype = getattr(torch, DTYPES[problem.dtype])
    classes = collections.defaultdict(WorstError)  # of rows that see about as many keys
    l2 = RelativeL2()
    for b in range(problem.batch):
        for h in range(problem.q_heads):
            group = h * problem.kv_heads // problem.q_heads
            exact = [t[b][group].to(torch.float64) for t in (k, v)]
            plain = [t[b][group].to(torch.float32) for t in (k, v)]
            for row in rows:
                keys = keys_of(problem, row)
                got = out[b][h][row].to(torch.float64)
                if keys == 0:
                    classes[0].add(largest(got), 0.0, 0.0)
                    l2.add(norm(torch, got), 0.0)
                    continue
                query = q[b][h][row]
                want = attend(torch, *(t[:keys] for t in exact), query.to(torch.float64),
                              problem.scale, torch.float64)
                naive = attend(torch, *(t[:keys] for t in plain), query.to(torch.float32),
                               problem.scale, dtype).to(torch.float64)
                classes[keys.bit_length()].add(largest(got - want), largest(naive - want),
                                               largest(want))
                l2.add(norm(torch, got - want), norm(torch, want))
    columns, flaw = judge_output(classes, problem.dtype, len(rows))
    return columns | {"relative_l2_error": number_text(l2.error())}, flaw


def judge_output(classes, dtype, n_rows):
    def nearness(one):
        tolerance = one.tolerance_of_output(dtype)
        if not one.error <= tolerance:
            return math.inf
        return one.error / tolerance if tolerance > 0.0 else 0.0

    worst = max(classes.values(), key=nearness)
    tolerance = worst.tolerance_of_output(dtype)
    columns = {"verified_rows": str(n_rows), "max_error": number_text(worst.error),
               "naive_error": number_text(worst.naive), "tolerance": number_text(tolerance)}
    if worst.error <= tolerance:
        return columns, ""
    return columns, f"the output is off by {worst.error:.3g}, tolerance {tolerance:.3g}"


class GradientErrors:
    """The errors of dQ, dK or dV over all compared tokens (verify_gradients.h)."""

    def __init__(self, torch):
        self.torch, self.worst = torch, WorstError()
        self.l2, self.naive_l2 = RelativeL2(), RelativeL2()

    def add(self, found, want, naive):
        off, naive_off = (t.to(want.dtype) - want for t in (found, naive))
        self.worst.add(largest(off), largest(naive_off), largest(want))
        self.l2.add(norm(self.torch, off), norm(self.torch, want))
        self.naive_l2.add(norm(self.torch, naive_off), norm(self.torch, want))

    def judged(self, column, roundoff):
        """Returns the columns that begin with `column`, and what is wrong or an empty string."""
        worst, l2, name = self.worst, self.l2, GRADIENTS[column]
        tolerance = NAIVE_FACTOR * worst.naive + roundoff * worst.magnitude + FLOOR
        # Norms are compared and not their quotients, since all of a reference may be 0.
        largest_norm = NAIVE_FACTOR * self.naive_l2.off + (roundoff + FLOOR) * l2.size
        columns = {column + "_max_error": number_text(worst.error),
                   column + "_naive_error": number_text(worst.naive),
                   column + "_tolerance": number_text(tolerance)}
        if math.isfinite(l2.error()):
            columns[column + "_relative_l2_error"] = number_text(l2.error())
        if not worst.error <= tolerance:
            return columns, f"{name} is off by {worst.error:.3g}, tolerance {tolerance:.3g}"
        if worst.error > ROUNDINGS_ONLY and not l2.off <= largest_norm:
            return columns, (f"{name} has the L2 norm {l2.size:.3g} and is off by {l2.off:.3g}, "
                             f"tolerance {largest_norm:.3g}")
        return columns, ""


def head_gradients(torch, problem, head, tokens, rounding):
    """Computes by the definition what one query head gives to the gradients.

    Returns dQ of some rows and the head's part of dK and dV of some keys, in the type of the
    tensors of `head`: Q, K, V, O and dO. P and dS are rounded to `rounding`. The formulas are those
    of kernels/attention_backward.h; LSE is that of these Q and K, since PyTorch keeps its own.
    """
    (q, k, v, out, d_out), (rows, keys) = head, tokens
    # The first rows of a causal mask may see no key. Their dQ is 0, and they give nothing.
    without_keys = max(0, problem.q_len - problem.kv_len) if problem.causal else 0
    d_q = [q[row:row + 1] * 0.0 for row in rows if row < without_keys]
    d_k, d_v = k[keys] * 0.0, v[keys] * 0.0
    step = max(1, PAIRS_AT_ONCE // problem.kv_len)
    for first in range(without_keys, problem.q_len, step):
        last = min(first + step, problem.q_len)
        some = [t[first:last] for t in (q, out, d_out)]
        scores = (some[0] @ k.T) * problem.scale
        if problem.causal:
            seen = torch.ones_like(scores, dtype=torch.bool)
            seen = seen.tril(first + problem.kv_len - problem.q_len)
            scores = scores.masked_fill(seen.logical_not(), -math.inf)
        weights = torch.softmax(scores, dim=1)
        delta = (some[1] * some[2]).sum(dim=1, keepdim=True)
        d_scores = weights * (some[2] @ v.T - delta)
        weights, d_scores = (t.to(rounding).to(q.dtype) for t in (weights, d_scores))
        d_k = d_k + (d_scores[:, keys].T @ some[0]) * problem.scale
        d_v = d_v + weights[:, keys].T @ some[2]
        here = [row - first for row in rows if first <= row < last]
        if here:
            d_q.append((d_scores[here] @ k) * problem.scale)
    return torch.cat(d_q), d_k, d_v


def verify_gradients(torch, problem, attention, gradients, sum_roundings):
    """Does for dQ, dK and dV what verify_output() does for O, which it has verified before.

    A sum is rounded to the type of the inputs `sum_roundings` times on its way, in directions that
    are as good as random.
    """
    for name, gradient in zip(GRADIENTS.values(), gradients):
        if not torch.isfinite(gradient).all().item():
            return {}, f"an element of {name} is not finite"
    rows, keys = (tokens_to_verify(n, problem.seed) for n in (problem.q_len, problem.kv_len))
    (q, k, v), d_q, (d_k, d_v) = attention.inputs, gradients[0], gradients[1:]
    errors = {column: GradientErrors(torch) for column in GRADIENTS}
    share = problem.q_heads // problem.kv_heads
    dtype = getattr(torch, DTYPES[problem.dtype])
    kinds = (torch.float64, torch.float64), (torch.float32, dtype)  # of the exact and the naive
    for b in range(problem.batch):
        for group in range(problem.kv_heads):
            sums = None
            for h in range(group * share, (group + 1) * share):
                head = q[b][h], k[b][group], v[b][group], attention.out[b][h], attention.d_out[b][h]
                exact, naive = (head_gradients(torch, problem, [t.to(kind) for t in head],
                                               (rows, keys), rounding) for kind, rounding in kinds)
                errors["d_q"].add(d_q[b][h][rows], exact[0], naive[0])
                parts = exact[1:] + naive[1:]
                sums = [a + part for a, part in zip(sums, parts)] if sums else parts
            for at, column, found in ((0, "d_k", d_k), (1, "d_v", d_v)):
                errors[column].add(found[b][group][keys], sums[at], sums[at + 2])
    roundoff = UNIT_ROUNDOFF[problem.dtype] * math.sqrt(sum_roundings)
    judged = [one.judged(column, roundoff) for column, one in errors.items()]
    columns = {"verified_keys": str(len(keys))}
    for more, _ in judged:
        columns |= more
    return columns, next((flaw for _, flaw in judged if flaw), "")
