# SPDX-License-Identifier: Apache-2.0
"""Lets `qb verify-tensors` compare what PyTorch computed with float64."""

import ctypes
import json
import os
import subprocess
import tempfile

from run_folder import qb_path

TYPES = {"f32": "F32", "f16": "F16", "bf16": "BF16"}  # of safetensors


def write_safetensors(path, tensors, dtype):
    """Writes tensors of one type: {name: tensor}."""
    header, end = {}, 0
    tensors = {name: tensor.detach().cpu().contiguous() for name, tensor in tensors.items()}
    for name, tensor in tensors.items():
        begin, end = end, end + tensor.numel() * tensor.element_size()
        header[name] = {"dtype": TYPES[dtype], "shape": list(tensor.shape),
                        "data_offsets": [begin, end]}
    text = json.dumps(header).encode()
    with open(path, "wb") as file:
        file.write(len(text).to_bytes(8, "little") + text)
        for tensor in tensors.values():
            file.write(ctypes.string_at(tensor.data_ptr(), tensor.numel() * tensor.element_size()))


def verify(problem, attention, sum_roundings):
    """Returns the columns of the verification, and what is wrong or an empty string.

    A sum of a gradient is rounded to the type of the inputs `sum_roundings` times on its way.
    """
    tensors = dict(zip("qkv", attention.inputs)) | {"o": attention.out}
    if attention.has_backward():
        gradients = attention.backward(attention.out, keep=True)
        tensors |= {"do": attention.d_out} | dict(zip(("dq", "dk", "dv"), gradients))
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "tensors.safetensors")
        write_safetensors(path, tensors, problem.dtype)
        said = subprocess.run(
            [qb_path(), "verify-tensors", "--json", "--safetensors", path, "--mask",
             "causal" if problem.causal else "full", "--scale", repr(problem.scale), "--threads",
             str(problem.threads), "--sum-roundings", str(sum_roundings)],
            capture_output=True, text=True, check=False)
    if said.returncode not in (0, 4):  # right, wrong
        raise RuntimeError("qb verify-tensors: " + said.stderr.strip())
    columns = json.loads(said.stdout)
    is_right, message = columns.pop("correct"), columns.pop("message")
    return columns, "" if is_right else message
