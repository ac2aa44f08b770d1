# SPDX-License-Identifier: Apache-2.0
"""Sweeps that are specs, run folders as frames, tables and figures."""
from __future__ import annotations

import contextlib
import csv
import functools
import io
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

from . import _core, _frames, _qb
from ._algorithm import Algorithm, shown
from ._plans import spread
from .errors import EnvironmentError, UsageError

# Keys whose lists are one value, and those that are no parameters of a case.
_LISTS = {"interest_set", "worker_speeds", "sequences"}
_PLAIN = {"description", "measure", "figures", "zip", "exclude", "baseline", "cases", "sweep"}


class Run:
    """A run folder, whose path is `folder`: its tables are frames of pandas, else of polars, else
    dicts of NumPy arrays. frame.attrs has the units and meanings of the columns (`qb columns`)."""

    def __init__(self, folder: str | Path) -> None:
        self.folder = Path(folder)
        if not (self.folder / "manifest.json").exists():
            raise UsageError(f"{folder} is not a run folder: it has no manifest.json")

    def _table(self, file: str) -> Any:
        path = self.folder / file
        if not path.exists():
            raise UsageError(f"{path} is not there")
        frame = _frames.of_csv(path.read_text(), file)
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
        return f"<run {self.folder}>"


def load(folder: str | Path) -> Run:
    """Reads a run folder, which qb.run() or `qb run` has written. Raises UsageError for another."""
    return Run(folder)


def _folder_in(printed: str) -> Run:
    for line in reversed(printed.splitlines()):
        if line and (Path(line) / "manifest.json").exists():
            return Run(line)
    raise UsageError("qb named no run folder")


def run(spec: Any, *, set: Mapping[str, Any] | None = None, filter: Iterable[str] = (),
        out: str | Path = "results", progress: bool = True) -> Run:
    """Runs a spec: a YAML file, a dict of its keys, or a sweep; each case in a process of its own.

    set overrides entries ({"measure.repeats": 3}), filter keeps cases (["workers=4",
    "n_tokens>64"]); run folders are OUT/<experiment>/<run_id>. The same spec again goes on with an
    unfinished run, also after Ctrl-C. Cases that fail are rows with their status. Raises UsageError
    for a spec that is wrong, before anything runs, and EnvironmentError where OUT cannot be
    written.
    """
    words = [word for name, value in (set or {}).items()
             for word in ("--set", f"{_qb.key(name)}={_qb.flow(value)}")]
    words += [word for one in filter for word in ("--filter", one)]
    with tempfile.TemporaryDirectory() as folder:
        path = str(spec)
        if isinstance(spec, Mapping):
            spec = Sweep(spec)
        if isinstance(spec, Sweep):
            path = str(Path(folder) / f"{spec.name}.yaml")
            Path(path).write_text(spec.to_yaml())
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
        self._spec = _with_names(self._spec, own)

    def to_yaml(self) -> str:
        """Gives the spec as `qb run` reads it."""
        return _qb.yaml(self._spec)

    def plan(self, **set: Any) -> "Planned":
        """Predicts each case: pairs, bytes and memory, without a clock. Keywords override entries
        of the spec."""
        words = [f"{_qb.key(name)}={_qb.flow(value)}" for name, value in set.items()]
        return Planned(*_core.predict_spec(self.to_yaml(), self.name + ".yaml", words))

    def run(self, *, out: str | Path = "results", progress: bool = True, **set: Any) -> Run:
        """Runs the cases as qb.run() does; keywords override entries of the spec, as in
        run(ranks="threads")."""
        return run(self, set=set, out=out, progress=progress)

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


def _rows_of(frame: Any) -> tuple[Path, list[str] | None]:
    """Gives the run folder of a run or a frame, and the ids of its rows if it lacks some."""
    if isinstance(frame, (str, Path)):
        frame = Run(frame)
    if isinstance(frame, Run):
        return frame.folder, None
    folder = getattr(frame, "attrs", {}).get("folder")
    if folder is None and "run_folder" in getattr(frame, "columns", ()) and len(frame):
        folder = frame["run_folder"][0]
    if folder is None:
        raise UsageError("give a run, a run folder, or a frame of its cases that still has its attrs")
    ids = [str(one) for one in frame["case_id"]]
    return Path(folder), ids


class _Folder:
    """A run folder with those cases alone that a frame has."""

    def __init__(self, frame: Any) -> None:
        self.folder, ids = _rows_of(frame)
        self._temporary = None
        header, *lines = list(csv.reader(io.StringIO((self.folder / "cases.csv").read_text())))
        at = header.index("case_id")
        if ids is None or len(ids) == len(lines):
            return
        self._temporary = tempfile.TemporaryDirectory()
        kept = Path(self._temporary.name) / self.folder.name
        shutil.copytree(self.folder, kept, ignore=shutil.ignore_patterns("figures", "logs", "traces"))
        wanted = frozenset(ids)
        (kept / "cases.csv").write_text(
            _frames.csv_text([header, *(line for line in lines if line[at] in wanted)]))
        self.folder = kept

    def __enter__(self) -> str:
        return str(self.folder)

    def __exit__(self, *_: Any) -> None:
        if self._temporary:
            self._temporary.cleanup()


def _list(value: Any) -> str | None:
    return value if value is None or isinstance(value, str) else ",".join(value)


class Table:
    """Values of cases by parameters. Printed it is text, in a notebook a table."""

    def __init__(self, frame: Any, options: dict[str, Any], filters: list[str]) -> None:
        self._frame = frame
        self._options = options
        self._filters = filters
        self._text = self._printed("text")

    def _printed(self, form: str, width: str | None = None) -> str:
        with _Folder(self._frame) as folder:
            return _qb.run(["table", folder, *self._filters,
                            *_qb.options(self._options | {"format": form, "width": width})])

    def to_latex(self, width: str | None = None) -> str:
        """Gives LaTeX with booktabs, which fits a width such as "3.5in"."""
        return self._printed("latex", width)

    def to_markdown(self) -> str:
        """Gives a table of Markdown."""
        return self._printed("markdown")

    def frame(self) -> Any:
        """Gives the values with every digit, in the columns' own units: bytes, seconds."""
        return _frames.of_csv(self._printed("csv"))

    def __repr__(self) -> str:
        return self._text

    def _repr_markdown_(self) -> str:
        return self.to_markdown()


def table(frame: Any, rows: Any = "n_tokens", cols: Any = None, values: Any = "time", *,
          filter: Iterable[str] = (), interval: bool = False,
          base: Mapping[str, Any] | None = None) -> Table:
    """Puts values of a run's cases into a table: parameters `rows` down the side, `cols` across.

    frame     a Run, the path of a run folder, or a frame of all or some of its cases
    values    columns of cases.csv, or what `qb table --help` names: time, device_sent, speed_up, …
    filter    keeps cases: ["workers=4", "n_tokens>64"]
    interval  adds the interval of each median
    base      parameters of the case that a speed-up is over, such as {"algorithm": "ring"}

    Raises UsageError for what no case has.
    """
    words = ",".join(f"{name}={value}" for name, value in (base or {}).items()) or None
    return Table(frame, {"rows": _list(rows), "cols": _list(cols), "value": _list(values),
                         "interval": interval, "base": words},
                 [word for one in filter for word in ("--filter", one)])


class Figure:
    """A figure of a run, drawn with matplotlib by the renderer of `qb plot`; a notebook shows it."""

    def __init__(self, folder: Path, path: Path, temporary: Any) -> None:
        self.folder, self.path, self._temporary = folder, path, temporary

    def _renderer(self) -> Any:
        draw = str(_qb.ROOT / "plots" / "draw")
        if draw not in sys.path:
            sys.path.append(draw)
        try:
            from qbdraw import command
        except ImportError as missing:
            raise EnvironmentError("figures are drawn with matplotlib, which is missing: "
                                   "pip install matplotlib") from missing
        return command

    @contextlib.contextmanager
    def _page(self, words: list[str]) -> Iterator[tuple[Any, Any, Any]]:
        """Gives the page under the settings of its style, which its texts need until they are drawn."""
        command = self._renderer()
        import matplotlib

        with matplotlib.rc_context():
            try:
                options = command.parse([str(self.path), *words])
                figure = command.read_figure(str(self.path))
                command.choose(figure, options, str(self.path))
                page = command.laid_out(figure, options)
            except command.FigureError as error:
                raise UsageError(str(error)) from error
            yield command, page, options

    @property
    def figure(self) -> Any:
        """The figure of matplotlib, new at each time."""
        with self._page([]) as (_, page, _):
            from matplotlib import font_manager, text

            font = font_manager.get_font(font_manager.findfont(font_manager.FontProperties()))
            for one in page.canvas.findobj(text.Text):
                one.set_fontfamily(font.family_name)
            return page.canvas

    def save(self, path: str | Path, **looks: Any) -> Path:
        """Writes .pdf, .svg, .png or .pgf, and gives the path. looks are the options of `qb plot`,
        such as width="3.5in". Raises UsageError for others."""
        path = Path(path)
        words = _qb.options(looks | {"format": path.suffix.lstrip(".")})
        with self._page(words) as (command, page, options):
            command.save.save(page, str(path.with_suffix("")), [path.suffix.lstrip(".")], options.dpi)
        return path

    def frame(self) -> Any:
        """Gives every plotted number: a row a point, with its panel, series and interval."""
        return _frames.of_csv(self.path.with_suffix(".csv").read_text())

    def _repr_png_(self) -> bytes:
        return self.save(Path(self._temporary.name) / "notebook.png").read_bytes()


def figure(frame: Any, name: str, **filters: Any) -> Figure:
    """Draws a figure of a run, such as "scheme_comparison" (`qb plot --list` has all names).

    frame is as in qb.table(). Keywords keep only cases with those values: n_tokens=4096. Raises
    UsageError for a name that is none, and for a run that has nothing to draw.
    """
    temporary = tempfile.TemporaryDirectory()
    words = [word for key, value in filters.items()
             for word in ("--filter", f"{_qb.key(key)}={_qb.text(value)}")]
    path = Path(temporary.name) / f"{name}.json"
    with _Folder(frame) as folder:
        try:
            _qb.run(["plot", folder, "--figure", name, "--out", temporary.name, "--format", "svg",
                     *words])
        except EnvironmentError:
            if not path.exists():  # else only the picture is missing, which is drawn here
                raise
        return Figure(Path(folder), path, temporary)


def compare(a: Any, b: Any, **options: Any) -> Any:
    """Compares two runs case by case, as a frame with a row a case: medians in seconds, their ratio
    b / a, and a verdict, SLOW, FAST, SAME or AMBIGUOUS.

    a and b are Runs or paths; options are those of `qb compare`: threshold=0.05,
    metric="wall_time", ignore="kernel", across_devices=True. Raises CaseError where nothing can be
    compared.
    """
    words = [str(one.folder if isinstance(one, Run) else one) for one in (a, b)]
    return _frames.of_csv(_qb.run(["compare", *words, *_qb.options(options), "--csv"], (0, 4)))
