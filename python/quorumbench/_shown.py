# SPDX-License-Identifier: Apache-2.0
"""Tables and figures of runs."""
from __future__ import annotations

import contextlib
import csv
import io
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any, Iterable, Iterator, Mapping

from . import _frames, _qb
from ._runs import Run
from .errors import EnvironmentError, UsageError


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


def _names(frame: Any) -> list[str]:
    return list(getattr(frame, "columns", frame))


def _require_rows_of(frame: Any, ids: list[str], folder: Path) -> None:
    """Raises UsageError unless each row of the frame is a row of the run, with its values."""
    cases = Run(folder).cases
    known = {str(one): at for at, one in enumerate(cases["case_id"])}
    for at, one in enumerate(ids):
        if one not in known:
            raise UsageError(f"the frame has a case {one}, which the run {folder} has not; give a frame "
                             "of one run's cases")
    if len(set(ids)) < len(ids):
        raise UsageError("the frame has a case twice; give each row once")
    own = set(_names(cases))
    for name in _names(frame):
        if name not in own:
            continue  # the caller's
        theirs, ours = list(frame[name]), list(cases[name])
        for at, one in enumerate(ids):
            a, b = theirs[at], ours[known[one]]
            if a != b and not (a != a and b != b) and not (a is None and b is None):
                raise UsageError(f"the frame says {name} {a} of case {one}, and the run says {b}; tables "
                                 "and figures show what the run says, so give its own values")


def _with_rows(frame: Any, ids: list[str], folder: Path, temporary: Path) -> Path:
    """Gives the run folder, or a copy that has those cases alone that the frame has."""
    text = (folder / "cases.csv").read_text(encoding="utf-8")
    header, *lines = list(csv.reader(io.StringIO(text)))
    at = header.index("case_id")
    _require_rows_of(frame, ids, folder)
    wanted = frozenset(ids)
    kept = [line for line in lines if line[at] in wanted]
    if len(kept) == len(lines):
        return folder
    own = temporary / folder.name
    shutil.copytree(folder, own, ignore=shutil.ignore_patterns("figures", "logs", "traces"))
    (own / "cases.csv").write_text(_frames.csv_text([header, *kept]), encoding="utf-8")
    dropped, manifest = len(lines) - len(kept), Run(folder)._manifest()
    manifest["n_cases"] = manifest.get("n_cases", dropped) - dropped
    (own / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return own


@contextlib.contextmanager
def _folder_of(frame: Any) -> Iterator[str]:
    """Gives a run folder with those cases alone that a frame has."""
    folder, ids = _rows_of(frame)
    with tempfile.TemporaryDirectory() as temporary:
        yield str(folder if ids is None else _with_rows(frame, ids, folder, Path(temporary)))


def _list(value: Any) -> str | None:
    return None if value is None else _qb.text(value)


def _base(base: Any) -> list[str]:
    """Writes the parameters of a base case as options."""
    if base is not None and not isinstance(base, Mapping):
        raise UsageError(f'base= takes a map such as {{"algorithm": "ring"}}, got {base!r}')
    return [word for key, value in (base or {}).items()
            for word in ("--base", f"{_qb.key(key)}={_qb.text(value)}")]


class Table:
    """Values of cases by parameters. Printed it is text, in a notebook a table."""

    def __init__(self, frame: Any, options: dict[str, Any], filters: list[str]) -> None:
        self._frame = frame
        self._options = options
        self._filters = filters
        self._text = self._printed("text")

    def _printed(self, form: str, width: str | None = None) -> str:
        with _folder_of(self._frame) as folder:
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
    return Table(frame, {"rows": _list(rows), "cols": _list(cols), "value": _list(values),
                         "interval": interval},
                 [word for one in filter for word in ("--filter", one)] + _base(base))


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

    @property
    def caption(self) -> str:
        """What it shows and what its marks mean; a picture of the style "web" has these notes."""
        said = json.loads(self.path.read_text())
        return " ".join([said["title"] + ".", said.get("finding", ""), *said.get("notes", [])])

    def _repr_png_(self) -> bytes:
        return self.save(Path(self._temporary.name) / "notebook.png", style="web").read_bytes()


def figure(frame: Any, name: str | None = None, *, y: Any = None, x: str | None = None,
           lines: Any = None, panels: Any = None, log: str | None = None,
           base: Mapping[str, Any] | None = None, bound: str | None = None, published: bool = False,
           **filters: Any) -> Figure:
    """Draws a figure of a run: one by its name, such as "scheme_comparison" (`qb plot --list` has
    all), or one of these values, as figures= of a spec declares it.

    frame      as in qb.table()
    y          values, each in panels of its own: "time", ["speed_up", "mfu"] (`qb plot --help`);
               name= then names its files
    x          a parameter or a value (default: "n_tokens")
    lines      parameters, a line for each of their values (default: all that differ)
    panels     parameters, a panel for each of their values
    log        the logarithmic axes: "x", "y", "xy", "none"
    base       parameters of the case that a speed-up is over, such as {"algorithm": "ring"}
    bound      a limit to draw too: "pairs", "memory", "peak", "one"
    published  draws what papers measured beside it

    Other keywords keep only cases with those values: n_tokens=4096. Raises UsageError for a name or
    a value that is none, and for a run that has nothing to draw.
    """
    if name is None and y is None:
        raise UsageError('name a figure, such as "scheme_comparison", or give the values that it '
                         'shows, such as y="time"')
    temporary = tempfile.TemporaryDirectory()
    name = name or "figure"
    words = _qb.options({"figure" if y is None else "name": name, "y": _list(y), "x": x,
                         "lines": _list(lines), "panels": _list(panels), "log": log, "bound": bound,
                         "published": published})
    words += _base(base) + [word for key, value in filters.items()
                            for word in ("--filter", f"{_qb.key(key)}={_qb.text(value)}")]
    path = Path(temporary.name) / f"{name}.json"
    with _folder_of(frame) as folder:
        try:
            _qb.run(["plot", folder, "--out", temporary.name, "--format", "svg", *words])
        except EnvironmentError:
            if not path.exists():  # else only the picture is missing, which is drawn here
                raise
        return Figure(Path(folder), path, temporary)
