# SPDX-License-Identifier: Apache-2.0
"""Tables of texts as frames of pandas or polars, or else as dicts of NumPy arrays."""
from __future__ import annotations

import contextlib
import csv
import functools
import io
import json
from typing import Any, Iterable, Mapping, Sequence

from . import _core


class Frame(dict[str, Any]):
    """Columns by name, NumPy arrays; where neither pandas nor polars is installed."""

    attrs: dict[str, Any]


@functools.cache
def _schema() -> dict[str, Any]:
    return json.loads(_core.schema())


def fields(file: str) -> dict[str, Any]:
    return {field["name"]: field for field in _schema()["tables"].get(file, [])}


def csv_text(lines: Iterable[Sequence[str]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(lines)
    return out.getvalue()


def _typed(texts: list[str], kind: str | None) -> Any:
    import numpy

    missing = any(text == "" for text in texts)
    if kind == "seed" and not missing:
        return numpy.array([int(text) for text in texts], dtype=numpy.uint64)
    if kind in (None, "integer") and not missing:
        with contextlib.suppress(ValueError, OverflowError):
            return numpy.array([int(text) for text in texts], dtype=numpy.int64)
    if kind in ("integer", "real") or (kind is None and any(texts)):
        with contextlib.suppress(*([] if kind == "real" else [ValueError])):
            return numpy.array([float(text) if text else float("nan") for text in texts])
    if kind == "flag" and not missing:
        return numpy.array([text == "1" for text in texts])
    return numpy.array([text or None for text in texts], dtype=object)


def _frame(lines: Iterable[Sequence[str]], file: str) -> Any:
    """Makes a frame of a header and lines; units and meanings of the file's columns are in its attrs."""
    header, *rows = lines
    known = fields(file)
    data = {name: _typed([row[i] for row in rows], known[name]["kind"] if name in known else None)
            for i, name in enumerate(header)}
    attrs = {what: {name: field[what[:-1]] for name, field in known.items() if name in data}
             for what in ("units", "meanings") if known}
    try:
        import pandas
    except ImportError:
        pass
    else:
        frame = pandas.DataFrame(data)
        frame.attrs.update(attrs)
        return frame
    try:
        import polars
    except ImportError:
        plain = Frame(data)
        plain.attrs = attrs
        return plain
    plain_lists = {name: one.tolist() if one.dtype == object else one for name, one in data.items()}
    return polars.DataFrame(plain_lists, nan_to_null=True)


def lines_of(rows: Sequence[Mapping[str, str]], file: str) -> list[list[str]]:
    """Gives a header and a line a row; the file's columns come first, in its order."""
    names = dict.fromkeys(name for row in rows for name in row)
    order = fields(file)
    kept = [name for name in order if name in names] + [name for name in names if name not in order]
    return [kept, *([row.get(name, "") for name in kept] for row in rows)]


def of_rows(rows: Sequence[Mapping[str, str]], file: str) -> Any:
    return _frame(lines_of(rows, file), file)


def of_csv(text: str, file: str = "") -> Any:
    return _frame(csv.reader(io.StringIO(text)), file)
