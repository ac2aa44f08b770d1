# SPDX-License-Identifier: Apache-2.0
"""Signals, forks, pipes and folders: what surrounds a computation in a process of Python."""
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import numpy as np
import pytest
import quorumbench as qb
from quorumbench import _qb


def started(script, *words):
    return subprocess.Popen([sys.executable, "-c", textwrap.dedent(script), *words], text=True,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE)


# Each takes far longer than the test waits: by its pairs, by its workers, by its masks, by its plan.
LONG = {
    "pairs": "qb.attend(*[np.ones((1, 8, 60000, 64), np.float32)] * 3)",
    "float64": "qb.attend(*[np.ones((1, 1, 4000, 256))] * 3)",
    "errors": "qb.attend(*[np.ones((64, 8, 512, 64), np.float32)] * 3).errors",
    "workers": "qb.attend(*[np.ones((1, 1, 2048, 16), np.float32)] * 3, algorithm='ring', workers=2048)",
    "threads": "qb.attend(*[np.ones((1, 8, 60000, 64), np.float32)] * 3, algorithm='ring', workers=4,"
               " ranks='threads')",
    "plan": "[qb.plan('ring', n_tokens=4096, workers=1024) for _ in range(99)]",
    "sweep": "qb.sweep(algorithm='ring', workers=[64], n_tokens=list(range(64, 9000))).plan()",
}


@pytest.mark.parametrize("what", LONG)
def test_ctrl_c_ends_whatever_takes_long_and_the_program_goes_on(what, tmp_path):
    child = started(f"""
        import sys, numpy as np, quorumbench as qb
        print("ready", flush=True)
        try: {LONG[what]}
        except KeyboardInterrupt: print("stopped", flush=True)
        print(qb.attend(*[np.ones((1, 1, 9, 4), np.float32)] * 3).error < 1e-6, flush=True)
        open(sys.argv[1], "w").write("not closed")
        """, str(tmp_path / "kept"))
    assert child.stdout.readline() == "ready\n"
    time.sleep(1.0)
    child.send_signal(signal.SIGINT)
    begin = time.monotonic()
    assert child.stdout.readline() == "stopped\n", child.stderr.read()
    assert time.monotonic() - begin < 10.0  # under two seconds where nothing else runs
    assert child.stdout.read() == "True\n" and child.wait(20) == 0
    assert (tmp_path / "kept").read_text() == "not closed"


@pytest.mark.parametrize("kernel", ["flash", "materialized", "reference"])
@pytest.mark.parametrize("ranks", ["serial", "threads"])
def test_a_forked_process_computes(kernel, ranks):
    q = np.random.default_rng(0).standard_normal((1, 4, 128, 64)).astype("f4")

    def compute(*_):
        return qb.attend(q, q, q, threads=2, kernel=kernel, algorithm="ring", workers=2, ranks=ranks).o

    wanted = compute()
    _forked.compute = compute
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert np.array_equal(pool.map_async(_forked, [0]).get(timeout=30)[0], wanted)
    assert np.array_equal(compute(), wanted)


def test_a_process_forked_during_small_calls_computes():
    q = np.random.default_rng(0).standard_normal((1, 1, 8, 64)).astype("f4")
    wanted, stopped = qb.attend(q, q, q).o.copy(), threading.Event()

    def call():
        while not stopped.is_set():
            qb.attend(q, q, q)

    threads = [threading.Thread(target=call) for _ in range(2)]
    for thread in threads:
        thread.start()
    _forked.compute = lambda: qb.attend(q, q, q).o
    for _ in range(8):
        with multiprocessing.get_context("fork").Pool(1) as pool:
            assert np.array_equal(pool.map_async(_forked, [0]).get(timeout=30)[0], wanted)
    stopped.set()
    for thread in threads:
        thread.join()


def _forked(_):
    return _forked.compute()


def test_both_pipes_of_qb_are_read(monkeypatch, tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "manifest.json").write_text("{}")
    noisy = tmp_path / "qb"
    noisy.write_text("#!/bin/sh\nfor i in $(seq 3000); do printf '%0100d\\n' $i; printf '%0100d\\n' $i >&2;"
                     f" done\necho {run}\n")
    noisy.chmod(0o755)
    monkeypatch.setattr(_qb, "BINARY", noisy)
    assert qb.run({"experiment": "x"}, progress=False).folder == run


@pytest.mark.parametrize("name", ["SIGINT", "SIGINT ignored", "SIGTERM", "SIGKILL"])
def test_qb_ends_with_the_program_that_started_it(name, tmp_path):
    # A shell's script starts what runs in its background so that it ignores SIGINT.
    child = started("""
        import signal, sys, quorumbench as qb
        if "ignored" in sys.argv[2]: signal.signal(signal.SIGINT, signal.SIG_IGN)
        qb.sweep("long", n_tokens=list(range(512, 600)), q_heads=8,
                 measure={"warmups": 0, "repeats": 20}).run(out=sys.argv[1], progress=False)
        """, str(tmp_path), name)
    rows = tmp_path / "long" / "latest" / "cases.csv"
    for _ in range(600):
        time.sleep(0.1)
        if rows.exists() and rows.read_text().count("\n") > 1:
            break
    (of_qb,) = Path(f"/proc/{child.pid}/task/{child.pid}/children").read_text().split()
    child.send_signal(getattr(signal, name.split()[0]))
    child.wait(10)
    for _ in range(100):
        if not Path(f"/proc/{of_qb}/exe").exists():
            break
        time.sleep(0.1)
    assert not Path(f"/proc/{of_qb}/exe").exists()
    assert len(qb.load(rows.parent).cases["case_id"]) >= 1  # what was measured is there


def test_a_run_is_found_from_another_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    run = qb.sweep("s", algorithm="ring", workers=[2], n_tokens=[64],
                   measure={"warmups": 0, "repeats": 1}).run(progress=False)
    monkeypatch.chdir("/")
    assert run.folder.is_absolute() and "64" in repr(qb.table(run.frame(), rows="n_tokens"))
    assert run.verify() is not None


@pytest.mark.parametrize("text", [
    "caf\u00e9", "rocket \U0001F680", "{draft} of mine", "[1] see Table 2", "yes", "1e3", "null",
    "# no comment", "a: b", "tab\there", "'q' \"d\"", "~", "", "-", "line\nline", "\u2028 \x85 \x7f \ufeff",
    "\\u0041", "%d", "&a *b", "!tag", "trailing ", "\u0660\u0661"])
def test_any_text_is_a_description(text):
    spec = qb.sweep(n_tokens=[64], description=text)
    assert len(spec.plan().rows) == 1
    yaml = pytest.importorskip("yaml")
    assert yaml.safe_load(spec.to_yaml())["description"] == text


def test_half_a_character_is_refused():
    with pytest.raises(qb.UsageError, match="half a character"):
        qb.sweep(n_tokens=[64], description="\ud800").to_yaml()
    with pytest.raises(qb.UsageError, match="line break"):
        qb.run({"experiment": "x", "n_tokens": 64}, out="a\nb")


def test_results_and_plans_can_be_pickled():
    q = np.random.default_rng(0).standard_normal((1, 2, 32, 8)).astype("f4")
    r = qb.attend(q, q, q, do=q, algorithm="ring", workers=2)
    error = r.error
    back = pickle.loads(pickle.dumps(r))
    assert np.array_equal(back.o, r.o) and np.array_equal(back.dk, r.dk) and back.columns == r.columns
    assert back.error == error and len(back.memory.frame()) == len(r.memory.frame())
    other = pickle.loads(pickle.dumps(qb.attend(q, q, q)))
    with pytest.raises(qb.UsageError, match="before it is pickled"):
        other.error
    plan = qb.plan("ring", n_tokens=64, workers=4)
    assert pickle.loads(pickle.dumps(plan)).columns == plan.columns


def test_a_part_of_a_run_says_so(tmp_path):
    run = qb.sweep("part", algorithm="ring", workers=[1, 2, 4], n_tokens=64,
                   measure={"warmups": 0, "repeats": 1}).run(out=tmp_path, progress=False)
    whole = repr(qb.table(run, rows="workers"))
    assert "not finished" not in whole and "not finished" not in repr(run)
    some = run.cases[run.cases["workers"] < 4]
    assert "not finished" not in repr(qb.table(some, rows="workers"))
    path = run.folder / "cases.csv"
    path.write_text(path.read_text()[:-5])  # the writer died
    torn = qb.load(run.folder)
    assert "2 of 3 cases" in repr(torn)
    for form in (repr, qb.Table.to_markdown, qb.Table.to_latex):
        assert "2 of 3 cases: the run is not finished" in form(qb.table(torn, rows="workers"))
    figure = qb.figure(torn, "wall_clock")
    assert "2 of 3 cases" in figure.path.read_text()


def test_a_frame_is_what_its_run_says(tmp_path):
    run = qb.sweep("frame", algorithm="ring", workers=[1, 2], n_tokens=64,
                   measure={"warmups": 0, "repeats": 1}).run(out=tmp_path, progress=False)
    changed, other, twice = (run.cases.copy() for _ in range(3))
    changed.loc[0, "wall_time_median_s"] *= 2
    other.loc[0, "case_id"] = "abc"
    twice.loc[0, "case_id"] = twice.loc[1, "case_id"]
    for frame, sentence in ((changed, "the run says"), (other, "has a case abc"), (twice, "twice")):
        with pytest.raises(qb.UsageError, match=sentence):
            qb.table(frame, rows="workers")
    assert repr(qb.table(run.cases[::-1], rows="workers")) == repr(qb.table(run, rows="workers"))
