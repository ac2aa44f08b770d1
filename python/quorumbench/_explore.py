# SPDX-License-Identifier: Apache-2.0
"""Writes the cases of runs as one HTML page in which a reader chooses what is drawn."""
from __future__ import annotations

import contextlib
import csv
import io
import itertools
import json
import math
import re
import shlex
import sys
from pathlib import Path
from typing import Any

from . import _frames, _qb
from ._runs import Run
from .errors import EnvironmentError, UsageError


def _bundle() -> str:
    """Gives Vega, Vega-Lite and Vega-Embed as one script."""
    try:
        import vl_convert
    except ImportError as missing:
        raise EnvironmentError(f"explore draws with vl-convert-python, and {sys.executable} has none: "
                               "pip install vl-convert-python") from missing
    return vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed")


def _rows(run: Run) -> list[dict[str, str]]:
    rows = list(csv.DictReader(io.StringIO(run._text("cases.csv"))))
    if not rows:
        raise UsageError(f"{run.folder} has no case yet; let its run go on")
    return rows


def _value(text: str | None, field: dict[str, Any]) -> Any:
    """Gives None for no value; what JSON has no number for stays a text. Results are rounded to
    seven digits, parameters are not, since filters compare them."""
    with contextlib.suppress(ValueError):
        if text and field["kind"] in ("integer", "real") and math.isfinite(number := float(text)):
            rounded = field["kind"] == "real" and not field["key"]
            return float(f"{number:.7g}") if rounded else int(number) if number.is_integer() else number
    return text or None


def _plain(meaning: str) -> str:
    """Gives the first sentence, without links and quotes of Markdown."""
    text = re.sub(r"; see \[[^\]]*\]\([^)]*\)|\[([^\]]*)\]\([^)]*\)|`", r"\1", meaning)
    return text.partition(". ")[0]


def _columns(runs: dict[str, list[dict[str, str]]]) -> list[dict[str, Any]]:
    """Gives the columns in which some case has a value; one that is the same everywhere has it once."""
    rows = [row for own in runs.values() for row in own]
    names = [name for name, own in runs.items() for _ in own]
    columns: list[dict[str, Any]] = [
        {"name": "run", "kind": "word", "unit": "", "group": "identity", "key": "",
         "meaning": "the run that the case is of", "values": names}]
    for name, field in _frames.fields("cases.csv").items():
        values = [_value(row.get(name), field) for row in rows]
        if any(value is not None for value in values):
            what = {key: field[key] for key in ("name", "kind", "unit", "group", "key")}
            columns.append(what | {"meaning": _plain(field["meaning"]), "values": values})
    for column in columns:
        if all(value == column["values"][0] for value in column["values"]):
            del column["values"][1:]
    return columns


def _facts(run: Run, path: str, n_cases: int) -> dict[str, Any]:
    manifest = run._manifest()
    environment = manifest.get("environment", {})
    planned = manifest.get("n_cases", n_cases)
    # The cases that are missing may differ in whatever the spec does not say once.
    fixed = re.findall(r"^([\w.]+):", run._text("spec.resolved.yaml"), re.M) if n_cases < planned else []
    return {"path": path, "cases": n_cases, "planned": planned, "fixed": fixed,
            "machine": environment.get("device_fingerprint", ""), "started": manifest.get("started_at", ""),
            # Another program's cases are run by its own command alone.
            "command": shlex.join(manifest.get("argv", [])) if "peer" in environment else ""}


def explore(*runs: Run | str | Path, to: str | Path | None = None) -> Path:
    """Writes one HTML page about the cases of runs, RUN/explore.html of the first one or `to`, and
    gives its path. In a browser one chooses the columns of x, y, colour and panels, marks cases to
    see their statuses and commands, and compares what was predicted with what was measured. The
    page needs no network and no other file. Raises UsageError for what is not a run, and
    EnvironmentError without vl-convert-python or where the page cannot be written.
    """
    if not runs:
        raise UsageError("give a run, as in qb.explore('results/smoke/latest')")
    given = [run if isinstance(run, Run) else Run(run) for run in runs]
    if len({run.folder.resolve() for run in given}) < len(given):
        raise UsageError("a run is given twice; give each once")
    names = next(names for depth in itertools.count(1)  # the shortest ends of the paths that differ
                 if len(set(names := ["/".join(run.folder.parts[-depth:]) for run in given])) == len(given))
    rows = {name: _rows(run) for name, run in zip(names, given)}
    paths = [str(run.folder if isinstance(run, Run) else run) for run in runs]
    data = {"columns": _columns(rows), "colours": _frames._schema()["colours"],
            "runs": {name: _facts(run, path, len(rows[name]))
                     for name, run, path in zip(names, given, paths)}}
    here = Path(__file__).parent
    page = (here / "explore.html").read_text(encoding="utf-8")
    for mark, text in (("{{style}}", (_qb.ROOT / "plots/report/page.css").read_text(encoding="utf-8")),
                       ("{{script}}", (here / "explore.js").read_text(encoding="utf-8")),
                       ("{{vega}}", _bundle().replace("</script", "<\\/script")),
                       ("{{data}}", json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"))):
        page = page.replace(mark, text)
    path = Path(to or given[0].folder / "explore.html")
    try:
        path.write_text(page, encoding="utf-8")
    except OSError as error:
        raise EnvironmentError(f"{path} cannot be written: {error.strerror}; name another path") from error
    return path


def main(to: str, *runs: str) -> int:
    """Does what `qb explore` is asked for, and gives the exit code."""
    try:
        print(explore(*runs, to=to or None))
    except (UsageError, EnvironmentError) as error:
        print(f"qb: {error}", file=sys.stderr)
        return 2 if isinstance(error, UsageError) else 3
    return 0
