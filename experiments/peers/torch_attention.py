# SPDX-License-Identifier: Apache-2.0
"""Sets the attention of a case up in PyTorch: its inputs, and the calls that are timed."""

import collections
import math
import os

DTYPES = {"f32": "float32", "f16": "float16", "bf16": "bfloat16"}

Problem = collections.namedtuple(
    "Problem",
    "batch q_heads kv_heads q_len kv_len head_dim dtype causal scale seed threads passes")


def problem_of(row):
    head_dim = int(row["head_dim"])
    return Problem(
        batch=int(row["batch"]), q_heads=int(row["q_heads"]), kv_heads=int(row["kv_heads"]),
        q_len=int(row["n_tokens"]), kv_len=int(row["kv_len"]), head_dim=head_dim,
        dtype=row["dtype"], causal=row["mask"] == "causal",
        scale=float(row["scale"]) if row["scale"] else 1.0 / math.sqrt(head_dim),
        seed=int(row["seed"]),
        threads=int(row["threads"]) or len(os.sched_getaffinity(0)), passes=row["pass"])


class Attention:
    """The tensors of a case on its device, and its passes.

    `inputs` are Q, K and V, and `out` is O. With a backward pass `d_out` is dO; else it is None.
    """

    def __init__(self, torch, problem, device):
        self.torch, self.passes = torch, problem.passes
        generator = torch.Generator().manual_seed(problem.seed)

        def normal(heads, length):
            shape = (problem.batch, heads, length, problem.head_dim)
            of_host = torch.randn(shape, generator=generator, dtype=torch.float32)
            return device.place(of_host.to(getattr(torch, DTYPES[problem.dtype])))

        self.inputs = [normal(problem.q_heads, problem.q_len),
                       normal(problem.kv_heads, problem.kv_len),
                       normal(problem.kv_heads, problem.kv_len)]
        if self.has_backward():
            for tensor in self.inputs:
                tensor.requires_grad_()
        self.options = options_of(torch, problem, device)
        self.out = self.forward()
        self.d_out = None
        if self.has_backward():
            # It lies in memory as O does, which is how the next layer of a network returns it.
            d_out = normal(problem.q_heads, problem.q_len)
            self.d_out = torch.empty_like(self.out).copy_(d_out)

    def has_backward(self):
        return self.passes != "forward"

    def forward(self, _before=None):
        attention = self.torch.nn.functional.scaled_dot_product_attention
        return attention(*self.inputs, **self.options)

    def backward(self, out, keep=False):
        """Returns dQ, dK and dV. Autograd can do so again for this O if `keep` is true."""
        return self.torch.autograd.grad(out, self.inputs, self.d_out, retain_graph=keep)

    def calls(self):
        """Returns what a repeat times, in turn. Each call takes the result of the one before it.

        A backward pass alone is timed again and again after one forward pass, as in qb, which
        repeats it on one O and LSE. A new forward pass before each repeat would leave a part of K,
        V and O in the cache, and would take four tenths of the time again. If both passes are
        timed, each repeat records a graph and its backward pass frees it, as a step of training
        does. autograd.grad() returns new gradients and adds to none, so that there are none to set
        to zero.
        """
        out, self.out = self.out, None
        if self.passes == "backward":
            return [lambda _before: self.backward(out, keep=True)]
        return [self.forward, self.backward] if self.passes == "both" else [self.forward]


def options_of(torch, problem, device):
    """Returns the options of every forward pass. A mask is made here, before the clock starts."""
    options = {"scale": problem.scale}
    if problem.q_heads != problem.kv_heads:
        options["enable_gqa"] = True
    if problem.causal and problem.q_len == problem.kv_len:
        options["is_causal"] = True
    elif problem.causal:
        ones = torch.ones((problem.q_len, problem.kv_len), dtype=torch.bool)
        options["attn_mask"] = device.place(ones.tril(problem.kv_len - problem.q_len))
    return options
