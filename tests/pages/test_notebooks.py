"""Each notebook runs at quick scale, on the real logs where they are available, else on stand-ins."""

import json

import pytest

from replication.report import results
from replication.simulator import paths
from tests.in_process import in_process

NOTEBOOKS = results.notebooks()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebook_at_quick_scale(name, tmp_path, monkeypatch):
    monkeypatch.setattr(paths, "STAND_IN", tmp_path / "stand-in")
    monkeypatch.setattr(paths, "BUILD", tmp_path)
    page = in_process(NOTEBOOKS[name], scale="quick", workers=2)["page"]
    assert page.kind in ("quick", "stand-in")
    assert (tmp_path / page.kind / f"{name}.json").is_file()


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_committed_notebooks_have_no_outputs(name):
    cells = json.loads(NOTEBOOKS[name].read_text(encoding="utf-8"))["cells"]
    assert not any(cell.get("outputs") or cell.get("execution_count") for cell in cells)
