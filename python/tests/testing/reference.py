# SPDX-License-Identifier: Apache-2.0
"""Attention and its gradients in NumPy's float64, in the obvious way."""
import numpy as np


def allowed(mask, queries, keys):
    """Which pairs a mask allows: [queries, keys]; queries take the last positions of the keys."""
    at = np.arange(queries)[:, None] + keys - queries
    key = np.arange(keys)[None, :]
    if mask == "full":
        return np.ones((queries, keys), bool)
    if mask == "causal":
        return key <= at
    window = mask["sliding_window"]
    return (key >= at - window["left"]) & (key <= at + window["right"])


def heads_first(array, layout):
    """[b,h,n,d] in float64."""
    array = np.asarray(array).astype(np.float64)
    if layout in ("bnhd", "nhd"):
        array = array.swapaxes(-3, -2)
    return array.reshape((1,) * (4 - array.ndim) + array.shape)


def attention(q, k, v, mask="full", scale=None, do=None):
    """O, LSE and, with do, dQ, dK and dV of arrays [b,h,n,d]."""
    share = q.shape[1] // k.shape[1]
    keys, values = k.repeat(share, 1), v.repeat(share, 1)
    scale = q.shape[-1] ** -0.5 if scale is None else scale
    scores = np.where(allowed(mask, q.shape[2], k.shape[2]), scale * q @ keys.swapaxes(-1, -2),
                      -np.inf)
    top = scores.max(-1, keepdims=True)
    weights = np.exp(scores - np.where(np.isfinite(top), top, 0.0))
    total = weights.sum(-1, keepdims=True)
    with np.errstate(divide="ignore"):
        lse = (top + np.log(total))[..., 0]
    p = weights / np.where(total > 0, total, 1.0)
    o = p @ values
    if do is None:
        return o, lse
    dp = do @ values.swapaxes(-1, -2)
    ds = scale * p * (dp - (do * o).sum(-1, keepdims=True))
    groups = (q.shape[0], k.shape[1], share, k.shape[2])
    dk = (ds.swapaxes(-1, -2) @ q).reshape(*groups, -1).sum(2)
    dv = (p.swapaxes(-1, -2) @ do).reshape(*groups, -1).sum(2)
    return o, lse, ds @ keys, dk, dv
