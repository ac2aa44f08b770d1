# SPDX-License-Identifier: Apache-2.0
"""The page of qb.explore(), used in a headless browser without a network as a reader does."""
import csv
import html
import json
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import quorumbench as qb
from quorumbench import _frames, _qb

pytest.importorskip("vl_convert")
ROOT = Path(__file__).resolve().parents[2]
MEASURED = ROOT / "data/measured/epyc-zen3-2-cores"
SCHEMES = MEASURED / "schemes"
MODELLED = ROOT / "paper_figures/schemes_model"
PROBLEMS = """<script>
window.problems = [];
for (const kind of ['warn', 'error']) console[kind] = (...words) => problems.push(words.join(' '));
addEventListener('error', (event) => problems.push(event.message));
addEventListener('unhandledrejection', (event) => problems.push(String(event.reason)));
document.addEventListener('securitypolicyviolation', (event) => problems.push('refused ' + event.blockedURI));
</script>"""


def cases_of(run):
    with open(run / "cases.csv", encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def data_of(page):
    text = re.search(r'id="data">(.*?)</script>', page.read_text(encoding="utf-8"), re.S).group(1)
    return json.loads(text)


def used(page, folder, steps=()):
    """What explore_checks.js saw in the page: at first, after each step (a name, the id of a field, its value), after a
    brush, and on a phone."""
    browser = shutil.which("chromium") or shutil.which("chromium-browser")
    if not browser:
        pytest.skip("there is no chromium (Debian: apt-get install chromium)")
    text = page.read_text(encoding="utf-8").replace("<head>", "<head>" + PROBLEMS, 1)
    checks = (Path(__file__).parent / "testing/explore_checks.js").read_text(encoding="utf-8")
    given = json.dumps(text).replace("</", "<\\/").replace("<!--", "<\\u0021--")
    around = folder / "checks.html"
    around.write_text(f'<!DOCTYPE html><meta charset="utf-8"><body><pre id="result"></pre><script>\nconst page = {given};\n'
                      f"const steps = {json.dumps(list(steps))};\n{checks}</script>", encoding="utf-8")
    done = subprocess.run([browser, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                           f"--user-data-dir={folder / 'profile'}", "--window-size=1300,1300",
                           "--host-resolver-rules=MAP * ~NOTFOUND", "--virtual-time-budget=60000", "--dump-dom",
                           around.as_uri()], capture_output=True, text=True, timeout=240, check=False)
    found = re.search(r'<pre id="result">(.+?)</pre>', done.stdout, re.S)
    assert found, done.stderr[-2000:]
    saw = json.loads(html.unescape(found[1]))
    assert "failed" not in saw, saw
    return saw


STEPS = [("peak", "y", "device_peak_bytes"), ("heat", "colour", "device_peak_bytes"), ("grey", "colour", ""), ("one_panel", "panel", ""), ("linear", "logx", False),
         ("kernels", "x", "algorithm"), ("pair", "pair", "1"), ("few", "words", "ring mpi"), ("none", "words", "nothing"),
         ("again", "words", "threads")]


@pytest.fixture(scope="module")
def saw(tmp_path_factory):
    folder = tmp_path_factory.mktemp("explore")
    return used(qb.explore(SCHEMES, to=folder / "page.html"), folder, STEPS)


def test_every_case_is_a_mark_or_is_listed(saw):
    cases = cases_of(SCHEMES)
    ok = [case for case in cases if case["status"] == "ok"]
    assert len(saw["first"]["marks"]) == len(ok) == 44
    assert saw["first"]["said"].startswith("44 of 48 cases drawn, 4 ")
    assert "Not drawn: 4 unsupported" in saw["first"]["missing"]
    assert {case["message"] for case in cases if case["status"] == "unsupported"} == {
        one for one in {case["message"] for case in cases} if one and one in saw["first"]["missing"]}
    assert saw["first"]["rows"] == 48 and "○ measured while other programs" in saw["first"]["notes"]
    # A hollow mark is a disturbed case.
    hollow = [mark for mark in saw["first"]["marks"] if " transparent " in mark]
    assert len(hollow) == sum(case["disturbed_by"] != "" for case in ok) == 2


def test_a_choice_changes_the_marks(saw):
    names = ["first"] + [name for name, _, _ in STEPS]
    for before, after in zip(names, names[1:]):
        assert saw[before]["marks"] != saw[after]["marks"], after
    assert "wall time (ms)" in saw["first"]["titles"] and "device peak (MiB)" in saw["peak"]["titles"]
    assert saw["first"]["panels"] == 2 and saw["one_panel"]["panels"] == 1
    assert len({mark.split(") ")[1] for mark in saw["first"]["marks"]}) > 6
    # A continuous colour has the unit of its title, and leaves no case out.
    assert len(saw["heat"]["marks"]) == 44 and "device peak (MiB)" in saw["heat"]["legend"]
    assert all(float(one) < 1000 for one in saw["heat"]["legend"] if "peak" not in one)
    assert len(saw["few"]["marks"]) == 3 and ", 45 without these words" in saw["few"]["said"]
    assert saw["none"]["marks"] == [] and saw["none"]["said"].startswith("0 of 48 cases drawn, 48 without these words")


def test_predicted_against_measured_has_the_line_of_equal_values(saw):
    assert saw["pair"]["lines"] == 1 and saw["kernels"]["lines"] == 0
    assert set(saw["pair"]["titles"]) == {"modelled wall time (ms)", "wall time (ms)"}
    ratios = sorted(float(case["wall_time_median_s"]) / float(case["modelled_wall_time_s"])
                    for case in cases_of(SCHEMES) if case["status"] == "ok")
    assert f"{ratios[0]:.3g} to {ratios[-1]:.3g}, median {ratios[22]:.3g}" in saw["pair"]["said"]
    names = {field["name"] for field in _frames.fields("cases.csv").values()}
    text = (Path(qb.__file__).parent / "explore.js").read_text(encoding="utf-8")
    pairs = re.findall(r"'(\w+)'", re.search(r"const PAIRS = (.*?);", text, re.S).group(1))
    assert len(pairs) == 8 and set(pairs) <= names


def test_a_brush_lists_its_cases_and_their_commands(saw):
    number = int(saw["brushed"]["caption"].split(" ")[0])
    assert "marked in the chart" in saw["brushed"]["caption"] and "marked" not in saw["again"]["caption"]
    assert 0 < number == saw["brushed"]["rows"] == len(saw["brushed"]["marks"]) - saw["brushed"]["faint"]
    assert saw["brushed"]["faint"] > 0 == saw["again"]["faint"]
    words = shlex.split(saw["first"]["commands"][0])
    assert words[:2] == ["qb", "run"] and Path(words[2]) == SCHEMES / "spec.resolved.yaml"


def test_it_asks_for_nothing_and_fits_a_phone(saw):
    assert saw["requests"] == [] and saw["problems"] == [] and saw["too_wide"] == 0
    assert len(saw["phone"]["marks"]) == 44
    assert saw["refused"] == ["refused https://example.org/a.png"]


def test_runs_stand_side_by_side(tmp_path):
    page = qb.explore(MODELLED, qb.load(MEASURED / "case_study_2"), to=tmp_path / "page.html")
    saw = used(page, tmp_path, [("run", "colour", "run"), ("joined", "panel", ""), ("forward", "y", "wall_time_median_s"),
                                ("pair", "pair", "0")])
    assert "case_study_2: 45 cases" in saw["first"]["runs"] and "schemes_model: " in saw["first"]["runs"]
    assert saw["first"]["panels"] == 2 and saw["joined"]["panels"] == 1
    assert len({mark.split(") ")[1].split(" ")[1] for mark in saw["joined"]["marks"]}) >= 2
    assert "◇ predicted by the cost model" in saw["forward"]["notes"] and "● measured" in saw["forward"]["notes"]
    assert "The first 100 are listed" in saw["first"]["caption"]
    # Every case of the model, and those that failed, are listed with a reason.
    total = len(cases_of(MODELLED)) + 45
    assert saw["pair"]["said"].startswith(f"{len(saw['pair']['marks'])} of {total} cases drawn")
    assert saw["problems"] == []


@pytest.mark.parametrize("run", ["schemes", "packed_sequences", "sparse_patterns"])
def test_the_command_of_a_case_runs_that_case_alone(run, tmp_path):
    folder = next(ROOT.glob(f"data/measured/*/{run}"))
    saw = used(qb.explore(folder, to=tmp_path / "page.html"), tmp_path)
    for at in (0, 7, 30):
        said = _qb.run([*shlex.split(saw["first"]["commands"][at])[1:], "--dry-run"])
        assert ": 1 cases, " in said, said


def test_an_unfinished_run_says_so(tmp_path):
    torn = shutil.copytree(SCHEMES, tmp_path / "torn")
    lines = (torn / "cases.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    (torn / "cases.csv").write_text("".join(lines[:4]) + lines[4][:100], encoding="utf-8")
    saw = used(qb.explore(torn), tmp_path)
    assert "torn: 3 of 48 cases, not finished" in saw["first"]["runs"] and len(saw["first"]["marks"]) == 3
    said = _qb.run([*shlex.split(saw["first"]["commands"][0])[1:], "--dry-run"])  # not those that are missing
    assert ": 1 cases, " in said, said
    assert (torn / "explore.html").exists()


def test_it_is_small_and_any_text_stays_a_text(tmp_path):
    page = qb.explore(MEASURED / "schemes_backward", SCHEMES, to=tmp_path / "page.html")
    assert len(data_of(page)["columns"][0]["values"]) == 204 and page.stat().st_size < 1.2e6
    odd = shutil.copytree(SCHEMES, tmp_path / "odd")
    text = (odd / "cases.csv").read_text(encoding="utf-8")
    (odd / "cases.csv").write_text(text.replace("cqs needs at least", "</script><b>&amp;"), encoding="utf-8")
    saw = used(qb.explore(odd, to=page), tmp_path)
    assert "</script><b>&amp; 3 workers" in saw["first"]["missing"]


def test_what_cannot_be_shown_is_refused(tmp_path, monkeypatch):
    empty = shutil.copytree(SCHEMES, tmp_path / "empty")
    (empty / "cases.csv").write_text((SCHEMES / "cases.csv").read_text(encoding="utf-8").splitlines(keepends=True)[0],
                                     encoding="utf-8")
    for runs, said in (((), "give a run"), ((tmp_path,), "is not a run folder"), ((empty,), "has no case yet"),
                       ((SCHEMES, str(SCHEMES)), "given twice")):
        with pytest.raises(qb.UsageError, match=said):
            qb.explore(*runs, to=tmp_path / "page.html")
    with pytest.raises(qb.EnvironmentError, match="page.html cannot be written: .*; name another path"):
        qb.explore(SCHEMES, to=tmp_path / "nowhere" / "page.html")
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    with pytest.raises(qb.EnvironmentError, match="pip install vl-convert-python"):
        qb.explore(SCHEMES, to=tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_the_command_line_writes_the_same_page(tmp_path):
    program = Path(sys.executable).with_name("qb")
    page = tmp_path / "page.html"
    done = subprocess.run([program, "explore", SCHEMES, "--out", page], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, f"{page}\n"), done.stderr
    assert page.read_bytes() == qb.explore(SCHEMES, to=tmp_path / "own.html").read_bytes()
    done = subprocess.run([program, "explore", tmp_path], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "is not a run folder" in done.stderr
