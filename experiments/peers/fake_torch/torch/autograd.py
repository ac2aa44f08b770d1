# SPDX-License-Identifier: Apache-2.0
"""For tests only: the gradients of the attention of this torch, by their definition in float64."""

import collections
import math

import torch

Graph = collections.namedtuple("Graph", "inputs allows scale")
FAULTY = {"d_q": 0, "d_k": 1, "d_v": 2}


def grad(out, inputs, d_out, retain_graph):
    """Returns dQ, dK and dV. A fault "wrong_d_k" or "nan_d_k" spoils the last element of one."""
    graph = out.graph
    if graph is None:
        raise RuntimeError("Trying to backward through the graph a second time")
    if not retain_graph:
        out.graph = None
    assert all(own is given for own, given in zip(graph.inputs, inputs)), "inputs of another graph"
    assert (out.shape, out.dtype) == (d_out.shape, d_out.dtype)
    sums = [tensor.mapped(lambda _: 0.0, torch.float64) for tensor in inputs]
    q, k, v = inputs
    share = len(q.data[0]) // len(k.data[0])
    for b, heads in enumerate(q.data):
        for h in range(len(heads)):
            at = b, h // share
            add_head(graph, [q.data[b][h], k.data[b][at[1]], v.data[b][at[1]], d_out.data[b][h]],
                     [sums[0].data[b][h], sums[1].data[b][at[1]], sums[2].data[b][at[1]]])
    kind, _, name = torch.faulty(len(q.data[0][0])).partition("_")
    if name:
        row = sums[FAULTY[name]].data[-1][-1][-1]
        row[-1] = math.nan if kind == "nan" else row[-1] + 0.5
    return tuple(total.to(tensor.dtype) for total, tensor in zip(sums, inputs))


def add_head(graph, head, sums):
    (queries, keys, values, d_outs), (d_q, d_k, d_v) = head, sums
    for i, (query, d_out) in enumerate(zip(queries, d_outs)):
        seen, weights = torch.weights_of(i, query, keys, graph.allows, graph.scale)
        d_weights = [torch.dot(d_out, values[j]) for j in seen]
        delta = torch.dot(weights, d_weights)
        for j, weight, d_weight in zip(seen, weights, d_weights):
            d_score = weight * (d_weight - delta) * graph.scale
            for x, _ in enumerate(query):
                d_q[i][x] += d_score * keys[j][x]
                d_k[j][x] += d_score * query[x]
                d_v[j][x] += weight * d_out[x]
