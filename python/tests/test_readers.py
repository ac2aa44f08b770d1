# SPDX-License-Identifier: Apache-2.0
"""Readers of CSV and YAML that are not ours find in a run folder what qb wrote, by the calls that data/README.md prints."""
import ast
import csv
import os
import re
from pathlib import Path

import pytest
import quorumbench as qb
from quorumbench import _qb

duckdb, pandas, polars, pyarrow, ruamel_yaml, yaml = map(
    pytest.importorskip, ("duckdb", "pandas", "polars", "pyarrow", "ruamel.yaml", "yaml"))
import pyarrow.csv  # noqa: E402

README = Path(__file__).parents[2] / "data" / "README.md"
READERS = ("pandas", "polars", "pyarrow", "duckdb")
# What each says of a column of these kinds; that of a flag is an integer's.
TYPES = {"integer": ("Int64", "Int64", "int64", "BIGINT"), "flag": ("Int64", "Int64", "int64", "BIGINT"),
         "seed": ("UInt64", "UInt64", "uint64", "UBIGINT"),
         "real": ("float64", "Float64", "double", "DOUBLE"), None: ("str", "String", "string", "VARCHAR")}
OF_KIND = {"integer": int, "flag": int, "seed": int, "real": float}
LARGEST = 2**64 - 1
# More rows than polars looks at have no time, a whole scale and a small seed; then come others. The
# name and a bandwidth are texts that read as something else.
ALL = {"algorithm": "ring", "workers": 2, "ranks": "threads", "workload": "attention", "scale": 2, "seed": 7,
       "cluster": "none", "cluster.inside": None, "mask": "full"}
OTHERS = [{"scale": 0.25},
          {"cluster": "1x2", "cluster.inside": "5e6", "mask": {"random": {"fraction": 1e-5}}},
          {"algorithm": "dense", "workers": 1, "ranks": "serial", "workload": "transformer_layer"}]
SPEC = {"experiment": "NA", "description": "é 😀 \x85 \u2028 \ufeff: yes", "n_tokens": 32, "head_dim": 8,
        "device": "cpu", "measure": {"repeats": 3, "retakes": 0, "relative_interval": 1e-6, "memory_timeline": True},
        "cases": [ALL | {"algorithm": "cqs", "seed": seed} for seed in range(120)] + [ALL | one for one in OTHERS]}


@pytest.fixture(scope="module")
def folders(tmp_path_factory):
    """The run of SPEC, and one whose seeds are the largest."""
    out = tmp_path_factory.mktemp("readers")
    found = []
    for spec in (SPEC, {"experiment": "1e5", "n_tokens": 32, "seed": LARGEST, "measure": {"repeats": 2}}):
        path = out / "spec.yaml"
        path.write_text(_qb.yaml(spec), encoding="utf-8")
        printed = _qb.run(["run", str(path), "--out", str(out), "--order", "spec", "--quiet"], (0, 1))
        found.append(Path(printed.strip().splitlines()[-1]))
    return found


@pytest.fixture(scope="module")
def printed():
    """The names that the page defines, and its call for each reader."""
    first, second = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    names = {"duckdb": duckdb, "pandas": pandas, "polars": polars, "pyarrow": pyarrow}
    path, os.environ["PATH"] = os.environ["PATH"], f"{_qb.BINARY.parent}:{os.environ['PATH']}"
    try:
        exec(first, names)
    finally:
        os.environ["PATH"] = path
    calls = [ast.unparse(one) for one in ast.parse(second).body]
    assert [call.split(".")[0] for call in calls] == list(READERS)
    return names, dict(zip(READERS, calls))


def tables(folders):
    found = [path for folder in folders for path in sorted(folder.glob("*.csv"))]
    assert len(found) == 10
    return found


def kinds_of(path, printed):
    return {field["name"]: field["kind"] for field in printed[0]["tables"][path.name]}


def columns_of(reader, table):
    """The columns of what a reader gives, by name: its type, and its values with None for no value."""
    if reader == "pandas":
        return {name: (str(table[name].dtype), [None if pandas.isna(one) else one for one in table[name].tolist()])
                for name in table}
    if reader == "polars":
        return {name: (str(table.schema[name]), values) for name, values in table.to_dict(as_series=False).items()}
    if reader == "pyarrow":
        return {field.name: (str(field.type), [None if one == "" else one for one in table[field.name].to_pylist()])
                for field in table.schema}
    rows = table.fetchall()
    return {name: (str(kind), [row[at] for row in rows])
            for at, (name, kind) in enumerate(zip(table.columns, table.types))}


@pytest.mark.parametrize("reader", READERS)
def test_the_printed_call_reads_every_table_with_its_types(folders, printed, reader):
    names, calls = printed
    for path in tables(folders):
        found = columns_of(reader, eval(calls[reader], names | {"file": str(path)}))
        with open(path, encoding="utf-8", newline="") as file:
            header, *lines = csv.reader(file)
        assert list(found) == header
        kinds = kinds_of(path, printed)
        for at, name in enumerate(header):
            kind = kinds[name]
            parse = OF_KIND.get(kind, str)
            kind, values = TYPES[kind if parse is not str else None], [
                parse(line[at]) if line[at] else None for line in lines]
            assert found[name] == (kind[READERS.index(reader)], values), (path, name)
            assert {type(one) for one in found[name][1]} <= {parse, type(None)}


def test_readers_that_guess_never_fail_and_take_ids_for_texts(folders):
    for path in tables(folders):
        ids = polars.read_csv(path)["case_id"]
        if len(ids):
            assert ids.dtype == polars.String and str(pandas.read_csv(path)["case_id"].dtype) == "str"
            assert pyarrow.csv.read_csv(path)["case_id"].type == pyarrow.string()
            assert str(duckdb.read_csv(str(path))["case_id"].types[0]) == "VARCHAR"
        assert all(re.fullmatch("[g-v][0-9a-f]{11}", one) for one in ids)


def test_reals_have_points_and_seeds_every_bit(folders, printed):
    for path in tables(folders):
        kinds = kinds_of(path, printed)
        with open(path, encoding="utf-8", newline="") as file:
            for row in csv.DictReader(file):
                for name, text in row.items():
                    if text and kinds[name] in OF_KIND:
                        assert bool(re.search(r"[.a-z]", text)) == (kinds[name] == "real"), (path, name, text)
    frame = qb.load(folders[1]).cases
    assert frame["seed"].dtype == "uint64" and list(frame["seed"]) == [LARGEST]
    with pytest.raises(qb.UsageError, match=r"seed must be a whole number from 0 to 2\^64 - 1, got '18446744073709551616'"):
        qb.plan("ring", n_tokens=8, workers=2, seed=LARGEST + 1)


def test_resolved_specs_are_the_same_to_readers_of_yaml_1_1(folders, printed):
    fields = {field["key"]: field for field in printed[0]["tables"]["cases.csv"] if field["key"]}
    for folder in folders:
        text = (folder / "spec.resolved.yaml").read_text(encoding="utf-8")
        spec = yaml.safe_load(text)
        assert ruamel_yaml.YAML(typ="safe").load(text) == spec
        with open(folder / "cases.csv", encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        cases = [{**spec, **case} for case in spec.get("cases", [{}])]
        assert len(cases) == len(rows)
        for case, row in zip(cases, rows):
            for key, value in case.items():
                if key not in fields or value is None:
                    continue
                parse = OF_KIND.get(fields[key]["kind"], str)
                assert isinstance(value, parse) or fields[key]["kind"] == "mask", (key, value)
                if fields[key]["kind"] in ("real", "seed") and row[fields[key]["name"]]:
                    assert value == parse(row[fields[key]["name"]]), key
    spec = yaml.safe_load((folders[0] / "spec.resolved.yaml").read_text(encoding="utf-8"))
    assert spec["experiment"] == "NA" and spec["description"] == SPEC["description"]
    assert spec["measure"]["relative_interval"] == 1e-6
    assert spec["cases"][121]["mask"] == {"random": {"fraction": 1e-5}}
