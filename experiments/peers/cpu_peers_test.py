# SPDX-License-Identifier: Apache-2.0
"""Tests cpu_peers.py with the libraries that this Python has, and with a torch that is wrong."""
import csv
import importlib.util
import json
import os
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import quorumbench

SCRIPT = Path(__file__).with_name("cpu_peers.py")
SPEC = """
experiment: peers
threads: 1
clock: cpu
n_tokens: 40
head_dim: 16
batch: 2
q_heads: 3
sweep: {mask: [full, causal]}
figures: [{name: over, y: speed_up, lines: kernel, panels: mask, base: {kernel: flash}}]
"""
PACKAGES = {"flash": "quorumbench", "torch_sdpa": "torch", "onnxruntime": "onnxruntime",
            "openvino": "openvino", "jax": "jax"}
TORCH = """
import types
__version__ = "0.0"
from_numpy, set_num_threads = (lambda array: array), (lambda _: None)
backends = types.SimpleNamespace(cpu=types.SimpleNamespace(get_cpu_capability=lambda: "FAKE"))
def attention(q, k, v, is_causal):
    if is_causal:
        raise NotImplementedError("a mask is too much")
    return v
nn = types.SimpleNamespace(functional=types.SimpleNamespace(scaled_dot_product_attention=attention))
"""


def peers(folder, *words, spec=SPEC):
    (folder / "peers.yaml").write_text(spec, encoding="utf-8")
    return subprocess.run(
        [sys.executable, SCRIPT, "--out", folder / "out", *words, folder / "peers.yaml"], check=False,
        capture_output=True, text=True,
        env=os.environ | {"PYTHONPATH": f"{folder}:{os.environ.get('PYTHONPATH', '')}"})


def rows(folder, name="cases.csv"):
    with open(folder / "out" / name, encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_every_library_that_is_there_has_verified_rows(tmp_path):
    there = {kernel for kernel, package in PACKAGES.items() if importlib.util.find_spec(package)}
    missing = set(PACKAGES) - there
    if missing:
        warnings.warn(f"not installed, and so not tried: {', '.join(sorted(missing))}")
    assert len(there) > 1, "no peer is installed"
    said = peers(tmp_path, "--rounds", "25")  # its interval has a coverage that roundings change
    assert said.returncode == 0, said.stdout + said.stderr
    assert {line.split(" is left out")[0] for line in said.stderr.splitlines()
            if " is left out" in line} == missing
    found = rows(tmp_path)
    assert {(row["kernel"], row["mask"]) for row in found} == {
        (kernel, mask) for kernel in there for mask in ("full", "causal")}
    samples = rows(tmp_path, "samples.csv")
    for row in found:
        assert (row["status"], row["clock"], row["threads"], row["batch"]) == ("ok", "cpu", "1", "2")
        assert 0.0 < float(row["max_error"]) <= float(row["tolerance"]) < 1e-5
        assert sum(sample["case_id"] == row["case_id"] for sample in samples) == 25
    manifest = json.loads((tmp_path / "out" / "manifest.json").read_text(encoding="utf-8"))
    assert f"quorumbench {quorumbench.__version__}" in manifest["environment"]["peer"]["version"]
    assert manifest["environment"]["build"]["version"] == quorumbench.__version__
    binary = Path(quorumbench.__file__).parent / "root" / "bin" / "qb"
    assert subprocess.run([binary, "verify", tmp_path / "out"], check=False).returncode == 0
    subprocess.run([binary, "plot", tmp_path / "out", "--format", "svg"], check=True)
    with open(tmp_path / "out" / "figures" / "over.csv", encoding="utf-8", newline="") as file:
        assert len({row["series"] for row in csv.DictReader(file)}) >= len(there)


def test_what_is_wrong_or_fails_has_a_row_without_a_time(tmp_path):
    (tmp_path / "torch.py").write_text(TORCH, encoding="utf-8")
    said = peers(tmp_path, "--rounds", "1")
    assert said.returncode == 1, said.stderr
    of_torch = {row["mask"]: row for row in rows(tmp_path) if row["kernel"] == "torch_sdpa"}
    assert of_torch["full"]["status"] == "incorrect" and "error" in of_torch["full"]["message"]
    assert (of_torch["causal"]["status"], of_torch["causal"]["message"]) == (
        "error", "a mask is too much")
    assert {row["wall_time_median_s"] for row in of_torch.values()} == {""}
    assert {row["status"] for row in rows(tmp_path) if row["kernel"] == "flash"} == {"ok"}


@pytest.mark.parametrize("change", ["dtype: f16", "clock: synchronized"])
def test_other_cases_are_refused(tmp_path, change):
    key = change.split(":", maxsplit=1)[0]
    spec = "\n".join(line for line in SPEC.splitlines() if not line.startswith(key + ":"))
    said = peers(tmp_path, spec=f"{spec}\n{change}\n")
    assert (said.returncode, said.stderr.splitlines()[-1].split(": ")[0]) == (2, "cpu_peers")
    assert not (tmp_path / "out").exists()
