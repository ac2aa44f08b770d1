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


def columns_of(file: str) -> list[str]:
    return list(fields(file))


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


def of_columns(columns: Mapping[str, list[str]], file: str = "") -> Any:
    """Makes a frame; units and meanings of the file's columns are in its attrs."""
    known = fields(file)
    data = {name: _typed(texts, known[name]["kind"] if name in known else None)
            for name, texts in columns.items()}
    attrs = {what: {name: field[what[:-1]] for name, field in known.items() if name in data}
             for what in ("units", "meanings") if known}
    return of_arrays(data, attrs)


def of_arrays(data: dict[str, Any], attrs: dict[str, Any]) -> Any:
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


def of_rows(rows: Sequence[Mapping[str, str]], file: str = "") -> Any:
    names: dict[str, None] = {}
    for row in rows:
        names |= dict.fromkeys(row)
    order = columns_of(file) if file else []
    kept = [name for name in order if name in names] + [name for name in names if name not in order]
    return of_columns({name: [row.get(name, "") for row in rows] for name in kept}, file)


def of_csv(text: str, file: str = "") -> Any:
    header, *lines = list(csv.reader(io.StringIO(text)))
    return of_columns({name: [line[i] for line in lines] for i, name in enumerate(header)}, file)
