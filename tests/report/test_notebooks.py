"""Each notebook runs at quick scale, on the real logs where they are available, else on synthetic
ones.
"""

import functools

import papermill
import pytest

import replication as rp
from replication.report import parameters, record, results, run
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.verdicts import git
from tests.in_process import in_process

NOTEBOOKS = results.notebooks() | results.studies()
LONG = {"studies/prediction/prediction"}
OWN = "paths of SWF files of your own"
IN_A_KERNEL = ("heel_and_toe/table2", "pv_easy/table3", "studies/preemption/modes")


#: Most notebooks read the same logs.
read_once = functools.lru_cache(maxsize=8)(registry.read)
#: Without git's history the committed parameters are unknown.
KINDS = ("quick", "stand-in") if git.head(paths.NOTEBOOKS) else ("other",)


@pytest.fixture
def output(tmp_path_factory, monkeypatch):
    """A folder that all notebooks of a session write to; stored results stay in the checkout."""
    folder = tmp_path_factory.getbasetemp() / "notebooks"
    for name in ("FIGURES", "BUILD", "STAND_IN"):
        monkeypatch.setattr(paths, name, folder / name.lower())
    monkeypatch.setattr(registry, "read", read_once)
    return folder


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in NOTEBOOKS]
)
def test_notebook_at_quick_scale(name, output, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    page = in_process(NOTEBOOKS[name], scale="quick", workers=1)["page"]
    assert page.kind in KINDS
    assert record.publish(name, page.folder) == page.kind
    assert not paths.FIGURES.exists()


@pytest.mark.slow
@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if OWN in NOTEBOOKS[name].read_text()])
def test_notebook_on_a_log_of_ones_own(name, output, tmp_path, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    jobs = registry.like("KTH-SP2").take(slice(2_000))
    rp.simulate(jobs, rp.FCFS()).write_swf(tmp_path / "own.swf")
    logs = [str(tmp_path / "own.swf")]
    page = in_process(NOTEBOOKS[name], scale="quick", workers=1, logs=logs)["page"]
    assert page.kind == "other" and page.logs == ("own",)


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_papermill_reads_every_parameter(name, caplog):
    known = papermill.inspect_notebook(str(NOTEBOOKS[name]))
    assert set(known) == set(parameters.on_disk(name))
    assert caplog.messages == []


@pytest.mark.parametrize("name", IN_A_KERNEL)
def test_notebook_in_a_kernel(name, tmp_path, monkeypatch):
    monkeypatch.setenv("REPLICATION_OUTPUT", str(tmp_path))
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    monkeypatch.setattr(paths, "FIGURES", tmp_path / "figures")
    monkeypatch.setattr(paths, "BUILD", tmp_path / "build")
    monkeypatch.setattr(paths, "STAND_IN", tmp_path / "build" / "stand-in")
    kind = run.execute(NOTEBOOKS[name], {"scale": "quick", "workers": 1})
    assert kind in KINDS
    assert record.notebook(kind, name).is_file()
