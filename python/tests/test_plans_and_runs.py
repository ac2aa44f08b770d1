# SPDX-License-Identifier: Apache-2.0
"""Plans, sweeps, run folders, tables, figures, and an algorithm that is written in Python."""
import json

import numpy as np
import pytest
import quorumbench as qb
from testing import reference


@qb.algorithm
def two_way_zigzag(problem, workers, b):
    """Keys and values go round both ways at once."""
    b.deal("zigzag")
    for i in range(workers // 2 + 1):
        both_ways = i != 0 and 2 * i != workers
        b.task(i, keys=-i)
        if both_ways:
            b.task(i, keys=i)
        for what in b.inputs:
            if i < workers // 2:
                b.send(i, to=1, what=what, of=-i)
            if i < (workers - 1) // 2:
                b.send(i, to=-1, what=what, of=i)
        if b.backward and i > 0:
            for what in b.gradients:
                b.send(i, to=-i, what=what, of=-i)
                if both_ways:
                    b.send(i, to=i, what=what, of=i)


def test_a_plan_counts_what_qb_plan_counts():
    p = qb.plan("zigzag", n_tokens=4096, workers=8, mask="causal", q_heads=4, kv_heads=2)
    said = json.loads(p.check().to_json())
    assert p.pairs == [worker["pairs_count"] for worker in said["workers"]]
    assert sum(p.pairs) == 4096 * 4097 // 2
    assert p.device_sent_bytes == said["device_sent_bytes"] and p.predicted_device_peak_bytes > 0
    assert p.critical_path_pairs == said["critical_path_pairs"]
    with pytest.raises(AttributeError, match="a plan has no bytes"):
        p.bytes
    assert "8 workers" in repr(p)
    assert "<svg" in p._repr_html_() or "<pre>" in p._repr_html_()


def test_sets_bounds_advice_and_papers():
    assert list(qb.sets(7)) == [0, 1, 3] and qb.sets(7).quorum(5) == [1, 5, 6]
    assert len(qb.sets()["workers"]) == 109
    bounds = qb.bounds(n_tokens=8192, workers=8, q_heads=8, passes="both")
    ring = qb.plan("ring", n_tokens=8192, workers=8, q_heads=8, head_dim=64, dtype="bf16")
    assert ("ring", ring.device_sent_bytes) in list(zip(bounds["scheme"], bounds["device_sent_bytes"]))
    advice = qb.advise(n_tokens=65536, q_heads=32, kv_heads=8, head_dim=128, mask="causal",
                       passes="both", cluster=qb.Cluster(hosts=2, workers_per_host=8, device="h100",
                                                         inside="nvlink4", between="50e9,5us"))
    assert json.loads(advice.to_json()) and len(repr(advice)) > 100
    assert len(qb.papers()) > 0


def test_an_algorithm_of_ones_own_is_checked_counted_and_executed():
    random = np.random.default_rng(1)
    q, k, v, do = (random.standard_normal((1, 2, 90, 8)).astype(np.float32) for _ in range(4))
    wanted = reference.attention(q, k, v, "causal", None, do)
    for workers in (1, 2, 5, 8):
        r = qb.attend(q, k, v, do=do, algorithm=two_way_zigzag, workers=workers, mask="causal",
                      ranks="threads" if workers > 1 else "serial")
        for name, one in zip(("o", "lse", "dq", "dk", "dv"), wanted):
            assert np.abs(getattr(r, name) - one).max() < 1e-5, (workers, name)
    own = qb.plan(two_way_zigzag, n_tokens=4096, workers=8, mask="causal", passes="both").check()
    ring = qb.plan("zigzag", n_tokens=4096, workers=8, mask="causal", passes="both")
    assert own.pairs == ring.pairs and own.device_sent_bytes < ring.device_sent_bytes
    rows = own.partition()
    assert len(set(rows["worker"])) == 8 and max(rows["k_end"]) == 4096
    pytest.importorskip("matplotlib").use("Agg")
    assert "<svg" in own._repr_html_() and own.plot().get_xlabel() == "key"
    assert np.array_equal(qb.attention(q, k, v, algorithm=two_way_zigzag, workers=4),
                          qb.attend(q, k, v, algorithm=two_way_zigzag, workers=4).o)


def test_an_algorithm_of_ones_own_is_swept_as_a_file(folder, monkeypatch):
    monkeypatch.chdir(folder)
    asked = dict(algorithm=["zigzag", two_way_zigzag], workers=[2, 5], n_tokens=[60, 90], q_heads=2,
                 head_dim=8, mask="causal", passes="both",
                 measure={"repeats": 2, "warmups": 0, "retakes": 0})
    s = qb.sweep("own", **asked, ranks=["serial", "threads"])
    written, = folder.glob("two_way_zigzag.*.json")
    assert f"algorithm: [zigzag, {written.name}]" in s.to_yaml()
    planned = s.plan().frame()
    assert set(planned["algorithm"]) == {"zigzag", "two_way_zigzag"}
    run = s.run(progress=False)
    run.verify()
    frame = run.frame()
    assert list(frame["status"]) == ["ok"] * 16 and set(frame["algorithm"]) == set(planned["algorithm"])
    plan = qb.plan(two_way_zigzag, n_tokens=90, workers=5, q_heads=2, head_dim=8, mask="causal",
                   passes="both")
    of_plan = frame[(frame["algorithm"] == "two_way_zigzag") & (frame["workers"] == 5)
                    & (frame["n_tokens"] == 90)]
    assert list(of_plan["device_sent_bytes"]) == [plan.device_sent_bytes] * 2
    assert "two_way_zigzag" in qb.table(frame[frame["ranks"] == "serial"], cols="algorithm",
                                        rows=["workers", "n_tokens"], values="time").to_markdown()
    asked |= {"head_dim": 64, "ranks": "model", "model_device": "h100", "dtype": "bf16"}
    modelled = qb.sweep("own", **asked).run(progress=False)
    assert list(modelled.cases["status"]) == ["ok"] * 8 and all(modelled.cases["modelled"])
    assert list(folder.glob("two_way_zigzag.*.json")) == [written]


@qb.algorithm
def by_length(problem, workers, b):
    b.deal("striped" if problem.n_tokens > 64 else "zigzag")
    b.task(0, keys=0)


@qb.algorithm
def inexact(problem, workers, b):
    b.task(0, keys=0)


def test_an_algorithm_that_a_sweep_cannot_take_is_refused(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(qb.UsageError, match="has other tasks for another problem with 1 worker"):
        qb.sweep(algorithm=by_length, n_tokens=[64, 128])
    s = qb.sweep(algorithm=by_length, n_tokens=64)
    with pytest.raises(qb.UsageError, match=r"by_length\.\w+\.json has no plan for 2 workers, but for 1"):
        s.plan(workers=2)
    run = qb.sweep(algorithm=inexact, n_tokens=64, workers=2).run(progress=False)
    assert list(run.cases["status"]) == ["error"]
    assert run.cases["message"][0] == "the plan is wrong: block (0, 1): computed by no worker"
    next(tmp_path.glob("by_length.*.json")).unlink()
    with pytest.raises(qb.UsageError, match="cannot read by_length"):
        s.run(progress=False)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("results")


@pytest.fixture(scope="module")
def ran(folder):
    s = qb.sweep("small", algorithm=["dense", "ring", "zigzag"], workers=[2], n_tokens=[64, 128],
                 q_heads=4, kv_heads=2, head_dim=16, mask="causal", passes="both", dtype="f32",
                 exclude=[{"algorithm": "dense", "workers": 2}], baseline="dense",
                 measure={"repeats": 3, "warmups": 1, "memory_timeline": True})
    return s.run(out=folder, progress=False, ranks="threads")


def test_a_sweep_is_a_spec_and_its_run_a_folder_that_qb_verifies(ran, folder):
    from quorumbench import _qb

    ran.verify()
    frame = ran.frame()
    assert sorted(set(frame["algorithm"])) == ["dense", "ring", "zigzag"]
    assert list(frame["status"]) == ["ok"] * 6 and not any(frame["modelled"])
    assert frame.attrs["units"]["device_sent_bytes"] and frame.attrs["meanings"]["wall_time_median_s"]
    assert len(ran.samples["case_id"]) >= 18 and len(ran.steps["worker"]) > 0
    assert len(ran.timeline["action"]) > 0
    again = qb.load(ran.folder)
    assert list(again.cases["case_id"]) == list(frame["case_id"])
    assert str(folder) in str(ran.folder) and _qb.run(["status", str(ran.folder)])


def test_a_plan_of_a_sweep_predicts_what_is_measured(ran):
    s = qb.sweep("small", algorithm=["ring", "zigzag"], workers=2, n_tokens=[64, 128], q_heads=4,
                 kv_heads=2, head_dim=16, mask="causal", passes="both", dtype="f32")
    planned = s.plan(ranks="threads").frame()
    measured = ran.frame()
    for algorithm in ("ring", "zigzag"):
        one = planned[(planned["algorithm"] == algorithm) & (planned["n_tokens"] == 128)]
        other = measured[(measured["algorithm"] == algorithm) & (measured["n_tokens"] == 128)]
        for column in ("device_sent_bytes", "unmasked_pairs", "predicted_device_peak_bytes"):
            assert list(one[column]) == list(other[column]), column


def test_a_sweep_over_clusters_is_a_spec_of_their_keys(folder):
    two, four = (qb.Cluster(hosts, 2, inside="20e6,200us", between="5e6,1ms", nics=1) for hosts in (1, 2))
    small = {"algorithm": ["ring", "usp"], "n_tokens": 64, "head_dim": 16, "q_heads": 4, "ranks": "threads",
             "measure": {"repeats": 1, "warmups": 0, "retakes": 0}}
    s = qb.sweep("clusters", cluster=[two, four], **small)
    by_keys = qb.sweep("clusters", **small, cluster=["1x2", "2x2"], cluster_inside="20e6,200us",
                       **{"cluster.between": "5e6,1ms"}, cluster_nics=1)
    assert sorted(s.to_yaml().splitlines()[:-1]) == sorted(by_keys.to_yaml().splitlines()[:-1])
    frame = s.plan().frame()
    assert sorted(zip(frame["cluster"], frame["workers"])) == [("1x2", 2)] * 2 + [("2x2", 4)] * 2
    run = s.run(out=folder, progress=False)
    run.verify()
    assert set(run.cases["status"]) == {"ok"} and set(run.cases["cluster_between"]) == {"5e+06,0.001"}
    one = qb.sweep(cluster=qb.Cluster(2, 8, device="h100", inside="nvlink4", between="ndr"), n_tokens=8,
                   cluster_order="rhc")
    assert one.to_yaml() == ("experiment: python\nmodel.device: h100\ncluster.inside: nvlink4\n"
                             "cluster.between: ndr\ncluster: 2x8\nn_tokens: 8\ncluster.order: rhc\n")
    with pytest.raises(qb.UsageError, match="have the same device, links and NICs"):
        qb.sweep(cluster=[two, qb.Cluster(2, 2)], n_tokens=8)


@pytest.mark.parametrize("kind", ["polars", "nothing"])
def test_frames_are_of_polars_or_plain_where_pandas_is_missing(ran, monkeypatch, kind):
    import sys

    monkeypatch.setitem(sys.modules, "pandas", None)
    if kind == "polars":
        polars = pytest.importorskip("polars")
    else:
        monkeypatch.setitem(sys.modules, "polars", None)
    run = qb.load(ran.folder)
    frame = run.frame()
    assert list(frame["modelled"]) == [False] * 6 and len(run.steps["worker"]) > 0
    part = frame
    if kind == "polars":
        assert isinstance(frame, polars.DataFrame) and frame["n_tokens"].dtype == polars.Int64
        assert frame["sm_clock_median_hz"].null_count() == 6 and frame["message"].null_count() == 6
        part = frame.filter(polars.col("n_tokens") == 64)
    else:
        assert frame["n_tokens"].dtype == np.int64 and frame.attrs["units"]["wall_time_median_s"] == "s"
    table = qb.table(part, cols="algorithm", values="device_sent_bytes").frame()
    assert list(table["n_tokens"]) == ([64] if kind == "polars" else [64, 128])
    assert len(qb.plan("ring", n_tokens=64, workers=2).partition()["worker"]) == 4


def test_a_dict_runs_and_is_compared(ran, folder):
    spec = {"experiment": "dict", "algorithm": "ring", "workers": 2, "n_tokens": 64, "head_dim": 16,
            "measure": {"repeats": 3}}
    run = qb.run(spec, set={"n_tokens": 32}, out=folder, progress=False)
    assert list(run.cases["n_tokens"]) == [32]
    compared = qb.compare(run, run)
    assert len(compared) > 0


def test_progress_is_one_line_of_a_notebook_and_of_a_pipe(folder, monkeypatch, capfd):
    import sys
    import types

    shown = []

    class Handle:
        update = staticmethod(lambda data, raw: shown.append(data["text/plain"]))

    spec = {"experiment": "shown", "n_tokens": 64, "sweep": {"workers": [1, 2]}, "algorithm": "ring",
            "measure": {"repeats": 1, "warmups": 0, "retakes": 0}}
    qb.run(spec, out=folder)
    piped = capfd.readouterr().err
    assert "\r[2/2] ring" in piped and piped.endswith("\n")
    kernel = types.SimpleNamespace(get_ipython=lambda: types.SimpleNamespace(kernel=True))
    monkeypatch.setitem(sys.modules, "IPython", kernel)
    monkeypatch.setitem(sys.modules, "IPython.display", types.SimpleNamespace(display=lambda *_, **__: Handle))
    qb.run(spec | {"n_tokens": 32}, out=folder)
    assert len(shown) == 2 and shown[-1].startswith("[2/2] ring") and capfd.readouterr().err == ""


def test_tables_and_figures(ran, tmp_path):
    t = qb.table(ran, rows=["workers", "n_tokens"], cols="algorithm", values=["device_sent_bytes"])
    assert "\\toprule" in t.to_latex() and "zigzag" in t.to_markdown() and "zigzag" in repr(t)
    frame = ran.frame()
    part = frame[frame["n_tokens"] == 64] if hasattr(frame, "query") else ran
    assert "zigzag" in qb.table(part, cols="algorithm", values="time").to_latex(width="3.5in")
    assert "128" not in repr(qb.table(ran, cols="algorithm", filter=["n_tokens<100", "workers=2"]))
    with pytest.raises(qb.UsageError, match="add to rows= or cols=, or choose by filter=: n_tokens"):
        qb.table(ran, rows="workers", cols="algorithm")
    pytest.importorskip("matplotlib")
    figure = qb.figure(ran, "wall_clock", published=True)
    assert figure.caption.endswith(".") and "intervals" in figure.caption
    saved = figure.save(tmp_path / "fig.pdf", width="3.5in")
    assert saved.read_bytes().startswith(b"%PDF")
    assert figure.figure.get_size_inches()[0] > 1.0 and len(figure.frame()) > 0
    with pytest.raises(qb.UsageError):
        figure.save(tmp_path / "fig.pdf", width="a lot")


def test_a_table_divides_by_a_base_of_several_parameters(ran):
    t = qb.table(ran, rows=["workers", "n_tokens"], cols="algorithm", values="speed_up",
                 base={"algorithm": "zigzag", "workers": 2})
    frame = t.frame()
    at = [i for i, workers in enumerate(frame["workers"]) if workers == 2]
    assert at and all(frame["zigzag"][i] == 1 for i in at)
    with pytest.raises(qb.UsageError, match="base= takes a map such as"):
        qb.table(ran, rows="workers", values="speed_up", base="zigzag")


def test_a_figure_is_declared_by_keywords(ran):
    pytest.importorskip("matplotlib")
    figure = qb.figure(ran, y=["time", "device_sent"], x="workers", lines="algorithm",
                       panels=["n_tokens"], log="xy", n_tokens=64)
    assert len(set(figure.frame()["panel"])) == 2
    assert "zigzag" in list(figure.frame()["series"])
    named = qb.figure(ran, "mine", y="speed_up", x="n_tokens", base={"algorithm": "zigzag", "workers": 2},
                      bound="one", algorithm="zigzag", workers=2)
    assert named.path.name == "mine.json"
    drawn = named.frame()
    medians = [y for y, series in zip(drawn["speed_up"], drawn["series"]) if "interval" not in series]
    assert len(medians) > 2 and all(y == 1 for y in medians)


def test_what_is_no_declaration_is_a_sentence(ran, tmp_path):
    for keywords, sentence in (
            ({}, "name a figure, such as"),
            ({"y": "tim"}, "y: unknown value 'tim'; did you mean 'time'"),
            ({"y": "time", "lines": "algoritm"}, "did you mean 'algorithm'"),
            ({"y": "time", "bound": "peek"}, "did you mean 'peak'"),
            ({"y": "time", "base": "ring"}, "base= takes a map such as"),
            ({"y": "time", "name": "a/b"}, "name: it has only letters"),
            ({"name": "wall_clock", "x": "workers"}, "x=: only with y=")):
        with pytest.raises(qb.UsageError, match=sentence):
            qb.figure(ran, **keywords)
    with pytest.raises(qb.UsageError, match="y: unknown value 'tim'; did you mean 'time'"):
        qb.sweep("part", n_tokens=64, figures=[{"y": "tim"}]).run(out=tmp_path, progress=False)


def test_a_sweep_declares_its_figures(tmp_path):
    run = qb.sweep("declared", algorithm="ring", workers=[1, 2], n_tokens=64,
                   measure={"warmups": 0, "repeats": 1},
                   figures=["wall_clock", {"y": "speed_up", "x": "workers", "base": {"workers": 1},
                                           "only": "workers>1"}]).run(out=tmp_path, progress=False)
    said = json.loads((run.folder / "manifest.json").read_text())["figures"]
    assert said[0] == "wall_clock" and json.loads(said[1])["name"] == "speed_up_by_workers"

