# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are specs, and run folders as frames."""
from __future__ import annotations

import functools
import json
import tempfile
from pathlib import Path
from typing import Any, Iterable, Mapping

from . import _core, _frames, _qb
from ._algorithm import Algorithm, shown
from ._plans import spread
from .errors import UsageError

# Keys whose lists are one value, and those that are no parameters of a case.
_LISTS = {"interest_set", "sequences"}
_PLAIN = {"description", "measure", "figures", "zip", "exclude", "baseline", "cases", "sweep"}


class Run:
    """A run folder, whose absolute path is `folder`: its tables are frames of pandas, else of
    polars, else dicts of NumPy arrays. frame.attrs has the units and meanings of the columns (`qb
    columns`)."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder).absolute()
        if not (self.folder / "manifest.json").exists():
            raise UsageError(f"{folder} is not a run folder: it has no manifest.json")

    def _text(self, file: str) -> str:
        path = self.folder / file
        if not path.exists():
            raise UsageError(f"{path} is not there")
        text = path.read_text(encoding="utf-8")
        return text[: text.rfind("\n") + 1]  # not a line without its end

    def _manifest(self) -> dict[str, Any]:
        return json.loads((self.folder / "manifest.json").read_text(encoding="utf-8"))

    def _table(self, file: str) -> Any:
        frame = _frames.of_csv(self._text(file), file)
        if hasattr(frame, "attrs"):
            frame.attrs["folder"] = str(self.folder)
        return frame

    @functools.cached_property
    def cases(self) -> Any:
        """A row a case: its parameters, its status, predicted bytes, pairs and memory, measured
        medians with their intervals, errors against float64. `modelled` says that no worker ran and
        its times are predicted. A frame of polars has no attrs, and says in a column `run_folder`
        where its rows are from."""
        frame = self._table("cases.csv")
        added = {"algorithm": [shown(name) for name in frame["algorithm"]],
                 "modelled": [ranks == "model" for ranks in frame["ranks"]]}
        if hasattr(frame, "with_columns"):
            import polars

            return frame.with_columns(*(polars.Series(*column) for column in added.items()),
                                      run_folder=polars.lit(str(self.folder)))
        for name, values in added.items():
            frame[name] = values
        return frame

    @functools.cached_property
    def samples(self) -> Any:
        """A row a repeat of a case, warm-ups too: its times and what disturbed it."""
        return self._table("samples.csv")

    @functools.cached_property
    def steps(self) -> Any:
        """A row a worker and step of a case: when it computed, received and sent, in seconds."""
        return self._table("steps.csv")

    @functools.cached_property
    def timeline(self) -> Any:
        """A row an event of the memory ledger, of cases with measure.memory_timeline."""
        return self._table("memory_timeline.csv")

    def frame(self) -> Any:
        """Gives the cases."""
        return self.cases

    def verify(self) -> str:
        """Checks the run folder as `qb verify` does; raises CaseError with the first finding."""
        return _qb.run(["verify", str(self.folder)])

    def __repr__(self) -> str:
        there, planned = len(self.cases["case_id"]), self._manifest().get("n_cases", 0)
        unfinished = f": {there} of {planned} cases, not finished" if there < planned else ""
        return f"<run {self.folder}{unfinished}>"


def load(folder: str | Path) -> Run:
    """Reads a run folder, which qb.run() or `qb run` has written. Raises UsageError for another."""
    return Run(folder)


def _folder_in(printed: str) -> Run:
    for line in reversed(printed.splitlines()):
        if line and (Path(line) / "manifest.json").exists():
            return Run(line)
    raise UsageError("qb named no run folder")


def run(spec: Any, *, set: Mapping[str, Any] | None = None, filter: Iterable[str] = (),
        out: str | Path = "results", progress: bool = True, yes: bool = False) -> Run:
    """Runs a spec: a YAML file, a dict of its keys, or a sweep; each case in a process of its own.

    set overrides entries ({"measure.repeats": 3}), filter keeps cases (["workers=4",
    "n_tokens>64"]); run folders are OUT/<experiment>/<run_id>. The same spec again goes on with an
    unfinished run, also after Ctrl-C. yes=True runs however many cases there are. Cases that fail
    are rows with their status. Raises UsageError
    for a spec that is wrong, before anything runs, and EnvironmentError where OUT cannot be
    written.
    """
    words = [word for name, value in (set or {}).items()
             for word in ("--set", f"{_qb.key(name)}={_qb.flow(value)}")]
    words += [word for one in filter for word in ("--filter", one)]
    words += ["--yes"] * yes
    if "\n" in str(out):
        raise UsageError(f"out={str(out)!r} has a line break; give a path without one")
    with tempfile.TemporaryDirectory() as folder:
        path = str(spec)
        if isinstance(spec, Mapping):
            spec = Sweep(spec)
        if isinstance(spec, Sweep):
            path = str(Path(folder) / f"{spec.name}.yaml")
            Path(path).write_text(spec.to_yaml(), encoding="utf-8")
        printed = _qb.run_showing(["run", path, "--out", str(out), *words,
                                   *([] if progress else ["--quiet"])], (0, 1), progress)
    return _folder_in(printed)


def _with_names(value: Any, names: dict[Algorithm, str]) -> Any:
    """Puts the names of files in place of algorithms, and new ones where they have none."""
    if isinstance(value, Algorithm):
        return names.setdefault(value, f"{value}.{len(names)}.json")
    if isinstance(value, Mapping):
        return {key: _with_names(one, names) for key, one in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_names(one, names) for one in value]
    return value


class Sweep:
    """A spec that is made in Python: its cases, their plans, and a run of them."""

    def __init__(self, spec: Mapping[str, Any]) -> None:
        self._spec = {"experiment": "python"} | spread(spec)
        self.name = str(self._spec["experiment"])
        own: dict[Algorithm, str] = {}
        named = _with_names(self._spec, own)
        for algorithm, name in own.items():
            cases = [case for case in _core.cases(_qb.yaml(named), self.name + ".yaml")
                     if case["algorithm"] == name]
            own[algorithm] = algorithm._file(cases)
        self._own = own
        self._files_in = Path.cwd()

    def to_yaml(self) -> str:
        """Gives the spec as `qb run` reads it."""
        here = Path.cwd() == self._files_in
        return _qb.yaml(_with_names(self._spec, {
            one: name if here else str(self._files_in / name) for one, name in self._own.items()}))

    def plan(self, **set: Any) -> "Planned":
        """Predicts each case: pairs, bytes and memory, without a clock. Keywords override entries
        of the spec."""
        words = [f"{_qb.key(name)}={_qb.flow(value)}" for name, value in set.items()]
        return Planned(*_core.predict_spec(self.to_yaml(), self.name + ".yaml", words))

    def run(self, *, out: str | Path = "results", progress: bool = True, yes: bool = False,
            **set: Any) -> Run:
        """Runs the cases as qb.run() does; keywords override entries of the spec, as in
        run(ranks="threads")."""
        return run(self, set=set, out=out, progress=progress, yes=yes)

    def __repr__(self) -> str:
        return self.to_yaml()


class Planned:
    """The predicted columns of the cases of a sweep; resolved_yaml is the spec with every default."""

    def __init__(self, rows: list[dict[str, str]], resolved: str) -> None:
        self.rows = [row | {"algorithm": shown(row["algorithm"])} for row in rows]
        self.resolved_yaml = resolved

    def frame(self) -> Any:
        """Gives a row a case, with the columns of cases.csv that are known before it runs, or the
        status and the message of a case that has no plan."""
        return _frames.of_rows(self.rows, "cases.csv")


def sweep(name: str = "python", **keys: Any) -> Sweep:
    """Makes a spec of keywords: a list is swept, {"from": 256, "to": 4096, "factor": 2} too.

    Keys are those of a spec (experiments/README.md), with `passes` for `pass` and cluster_inside
    for `cluster.inside`; measure=, figures=, zip=, exclude= and baseline= are as there. cluster=
    takes a Cluster, or a list of them that differ in their sizes.
    """
    spec: dict[str, Any] = {"experiment": name}
    swept: dict[str, Any] = {}
    for given, value in spread(keys).items():
        key, value = _qb.key(given), _qb.plain(value)
        nested = isinstance(value, list) and value and isinstance(value[0], list)
        is_range = isinstance(value, dict) and "from" in value
        is_list = isinstance(value, list) and (key not in _LISTS or nested)
        (swept if key not in _PLAIN and (is_list or is_range) else spec)[key] = value
    if swept:
        spec["sweep"] = swept
    return Sweep(spec)


def compare(a: Any, b: Any, **options: Any) -> Any:
    """Compares two runs case by case, as a frame with a row a case: medians in seconds, their ratio
    b / a, and a verdict, SLOW, FAST, SAME or AMBIGUOUS.

    a and b are Runs or paths; options are those of `qb compare`: threshold=0.05,
    metric="wall_time", ignore="kernel", across_devices=True. Raises CaseError where nothing can be
    compared.
    """
    words = [str(one.folder if isinstance(one, Run) else one) for one in (a, b)]
    return _frames.of_csv(_qb.run(["compare", *words, *_qb.options(options), "--csv"], (0, 4)))
