"""Each notebook runs at quick scale on synthetic jobs and gives the pinned values; the rules of the
papers make the pinned jobs of the real logs.
"""

import functools
import re

import numpy as np
import pandas as pd
import papermill
import pytest

import replication as rp
from replication.report import parameters, record, results, run
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.verdicts import published
from tests import pins
from tests.in_process import in_process

NOTEBOOKS = results.notebooks() | results.studies()
AGAIN = "results changed; if they should: make pins, then draw the item again\n{}"
OWN = "paths of SWF files of your own"
#: The longest notebooks of studies, which decide no claim of a paper. What they share with papers
#: and with other studies runs in those, too.
LONG = {
    "studies/causes/exceptions",
    "studies/causes/machines",
    "studies/interpretations/pv_easy",
    "studies/other_logs/other_logs",
    "studies/reservations/reservations",
    "studies/sensitivity/heel_and_toe",
    "studies/sensitivity/pv_easy",
}
read_once = functools.lru_cache(maxsize=1)(registry.read)
#: Parameters of the papers' notebooks that use several logs.
SEVERAL = {
    name: values
    for name in results.notebooks()
    if len((values := parameters.on_disk(name)).get("logs") or ()) > 1
}
PINNED_VALUES, PINNED_LOGS = pins.read(pins.VALUES), pins.read(pins.LOGS)


@pytest.fixture
def output(results_of_this_run, monkeypatch):
    """A folder that all notebooks of a session write to."""
    monkeypatch.setattr(paths, "FIGURES", results_of_this_run / "figures")
    return results_of_this_run


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[pytest.mark.slow] * (name in LONG)) for name in NOTEBOOKS]
)
def test_notebook_at_quick_scale(name, output, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    pins.without_logs(monkeypatch.setattr)
    kind = pins.run(name, NOTEBOOKS[name])
    assert kind in ("quick", "stand-in")
    assert not paths.FIGURES.exists()
    pinned = PINNED_VALUES[PINNED_VALUES["item"] == name]
    differences = pins.differences(pinned, pins.values_of(name, kind), pins.ITEM)
    assert not differences, AGAIN.format("\n".join(differences))


@pytest.mark.parametrize(
    ("paper", "log"), [*PINNED_LOGS[pins.KEY].itertuples(index=False, name=None)]
)
def test_the_rules_of_a_paper_make_the_pinned_jobs_of_a_log(paper, log, real_log, monkeypatch):
    monkeypatch.setattr(registry, "read", read_once)
    real_log(log)
    pinned = PINNED_LOGS[(PINNED_LOGS["paper"] == paper) & (PINNED_LOGS["log"] == log)]
    now = pd.DataFrame([pins.log_of(log, paper)])
    differences = pins.differences(pinned, now, pins.KEY)
    assert not differences, AGAIN.format("\n".join(differences))


#: Notebooks whose opening compares one published value of each log with ours: item and measure.
OPENINGS = {
    "heel_and_toe/fig13": ("e_max", "e_max_share"),
    "heel_and_toe/table1": ("table1", "utilization"),
    "pv_easy/table1": ("table1", "max_delay"),
    "pv_easy/table2": ("table2", "max_dtr"),
    "pv_easy/table3": ("table3", "load"),
    "pv_easy/table5": ("table5", "wasted_load"),
    "pv_easy/table6": ("table6", "preempted_share"),
}


@pytest.mark.parametrize(
    "name",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in OPENINGS)) for name in SEVERAL],
)
def test_a_notebook_runs_on_one_log_and_its_opening_has_the_value_published_for_it(
    name, output, monkeypatch
):
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    pins.without_logs(monkeypatch.setattr)
    log = parameters.on_disk(name)["logs"][-2 if name in OPENINGS else -1]
    changes = {"logs": [log]} | ({"variants": False} if "variants" in SEVERAL[name] else {})
    page = in_process(NOTEBOOKS[name], scale="quick", workers=1, **changes)["page"]
    record.publish(name, page.folder)
    summary = record.read("other", name)["summary"]
    assert not re.search(r"(\S+) to \1\b", summary.replace("*", ""))
    if name in OPENINGS:
        item, measure = OPENINGS[name]
        (theirs,) = published.of_logs(name.partition("/")[0], item, measure, [log])
        shown_values = re.findall(r"[\d.]+\d", summary)
        digits = 0 if item == "e_max" else 6
        assert round(theirs, digits) in [float(value) for value in shown_values]


def one_after_another(jobs):
    """Jobs that are submitted when the one before must have ended."""
    lasts = np.maximum(jobs.estimate, jobs.run_time) + 600
    return jobs.replace(submit=np.cumsum(lasts) - lasts)


#: Logs of one's own: one with a queue, and one in which nobody waits, so that all waits are 0.
OWN_LOGS = {
    "queue": lambda: registry.like("KTH-SP2").take(slice(2_000)),
    "no queue": lambda: one_after_another(registry.like("KTH-SP2").take(slice(400))),
}


@pytest.mark.slow  # 4.5 minutes for all, once the kernels are compiled
@pytest.mark.parametrize("jobs", OWN_LOGS)
@pytest.mark.parametrize("name", [name for name in NOTEBOOKS if OWN in NOTEBOOKS[name].read_text()])
def test_notebook_on_a_log_of_ones_own(name, jobs, output, tmp_path, monkeypatch):
    monkeypatch.chdir(NOTEBOOKS[name].parent)
    rp.simulate(OWN_LOGS[jobs](), rp.FCFS()).write_swf(tmp_path / "own.swf")
    logs = [str(tmp_path / "own.swf")]
    page = in_process(NOTEBOOKS[name], scale="quick", workers=1, logs=logs)["page"]
    assert page.kind == "other" and page.logs == ("own",)
    record.publish(name, page.folder)
    assert not re.search(r"\bnan\b", record.read("other", name)["summary"])


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_papermill_reads_every_parameter(name, caplog):
    names = papermill.inspect_notebook(str(NOTEBOOKS[name]))
    assert set(names) == set(parameters.on_disk(name))
    assert caplog.messages == []


def test_a_notebook_in_a_kernel(output, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    name = "pv_easy/fig01"
    kind = run.execute(NOTEBOOKS[name], {"scale": "quick", "workers": 1})
    assert kind == "quick" and record.notebook(kind, name).is_file()
