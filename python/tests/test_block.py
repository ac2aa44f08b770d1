# SPDX-License-Identifier: Apache-2.0
"""What a newcomer wished for, as it stands but for lengths of a sixteenth."""
import os
import pathlib
import re
import subprocess
import sys

import numpy as np
import pytest
import quorumbench as qb

THOROUGH = int(os.environ.get("QB_PYTHON_TRIALS", "0")) >= 2000
LENGTHS = [128, 256, 512, 1024] if THOROUGH else [128]


def test_the_whole_of_it(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        import torch

        q, k, v, do = (torch.randn(1, 32, 512, 128).to(torch.bfloat16) for _ in range(4))
    except ImportError:
        q, k, v, do = (np.random.default_rng(1).standard_normal((1, 32, 512, 128))
                       .astype(np.float32) for _ in range(4))
    k, v = k[:, :8], v[:, :8]
    r = qb.attend(q, k, v, do=do, algorithm="zigzag", workers=8, mask="causal")
    assert all(type(one) is type(q) for one in (r.o, r.lse, r.dq, r.dk, r.dv))
    assert r.device_sent_bytes > 0 and r.error < 0.1
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("Agg")
    r.memory.per_worker.plot()
    r.memory.save("zigzag.pickle")

    s = qb.sweep(algorithm=["ring", "striped", "zigzag", "ulysses", "cqs"], workers=[4, 8],
                 n_tokens=LENGTHS, q_heads=32, kv_heads=8, head_dim=128, mask="causal",
                 passes="both", dtype="bf16", measure={"repeats": 1, "warmups": 0, "retakes": 0, "verify_rows": 8})
    planned = s.plan().frame()
    assert len(planned["device_sent_bytes"]) == 10 * len(LENGTHS)
    df = s.run(ranks="threads").frame()
    assert set(df["status"]) == {"ok"} and not any(df["modelled"])
    assert "zigzag" in qb.table(df, rows=["workers", "n_tokens"], cols="algorithm",
                                values=["device_sent_bytes", "device_peak_bytes"]).to_latex()
    assert qb.figure(df, "scheme_comparison", n_tokens=LENGTHS[-1]).save("fig.pdf", width="3.5in").exists()


ROOT = pathlib.Path(__file__).resolve().parents[2]


def test_the_lines_of_the_pages_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("matplotlib")
    for page in ("README.md", "docs/own_algorithm.md"):
        names = {}
        for lines in re.findall(r"```python\n(.*?)```", (ROOT / page).read_text(), re.S):
            exec(compile(lines, page, "exec"), names)
    assert (tmp_path / "fig.pdf").exists()


def test_the_page_of_the_api_is_that_of_the_docstrings(capsys):
    import runpy

    runpy.run_path(str(ROOT / "docs" / "python_page.py"), run_name="__main__")
    assert capsys.readouterr().out == (ROOT / "docs" / "python.md").read_text(), \
        "run docs/python_page.py > docs/python.md"


def test_types_are_checked(tmp_path):
    pytest.importorskip("mypy")
    checked = subprocess.run([sys.executable, "-m", "mypy", "--ignore-missing-imports", "--cache-dir",
                              os.devnull, "-p", "quorumbench"], capture_output=True, text=True,
                             cwd=tmp_path, check=False)
    assert checked.returncode == 0, checked.stdout
