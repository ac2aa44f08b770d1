# SPDX-License-Identifier: Apache-2.0
"""The cells of each notebook run, one after another."""
import json
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).resolve().parents[2] / "examples" / "notebooks"


@pytest.mark.parametrize("notebook", sorted(FOLDER.glob("*.ipynb")), ids=lambda path: path.stem)
def test_a_notebook_runs(notebook, tmp_path, monkeypatch):
    pytest.importorskip("matplotlib").use("Agg")
    monkeypatch.chdir(tmp_path)
    names = {}
    for number, cell in enumerate(json.loads(notebook.read_text())["cells"]):
        assert not cell.get("outputs"), "outputs are not committed"
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{notebook.stem}[{number}]", "exec"), names)
