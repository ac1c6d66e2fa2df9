"""Schedulers, an estimate model and predictors in files of their own outside the package.

The files are those of docs/extending.md and docs/compiled-scheduler.md, so the pages are tested
too.
"""

import importlib
import re
import sys
from dataclasses import dataclass, replace

import numpy as np
import pytest

import replication as rp
from replication.simulator import paths
from replication.simulator.estimates import EstimateError
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedules.schedule import ScheduleError
from tests.workloads import jobs

PAGES = [paths.ROOT / "docs" / name for name in ("extending.md", "compiled-scheduler.md")]
BLOCKS = [
    re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    for page in PAGES
]
FILES = {block.split()[1]: block for blocks in BLOCKS for block in blocks if block.startswith("# ")}
USES, USES_COMPILED = (
    [block for block in blocks if not block.startswith("# ")] for blocks in BLOCKS
)
BUSY = jobs(4, (0, 10, 3), (1, 20, 4), (2, 8, 1), (3, 5, 2, 9), (40, 10, 4), (41, 700, 1))


@pytest.fixture(scope="module", autouse=True)
def own(tmp_path_factory):
    """The folder of somebody's own files."""
    folder = tmp_path_factory.mktemp("own")
    for name, source in FILES.items():
        (folder / name).write_text(source)
    sys.path.insert(0, str(folder))
    yield folder
    sys.path.remove(str(folder))


@pytest.fixture(scope="module")
def shortest(own):
    return importlib.import_module("shortest_first").ShortestFirst


@pytest.fixture(scope="module")
def rounded(own):
    return importlib.import_module("rounded").Rounded


def test_the_page_runs(own, real_log):
    real_log("KTH-SP2"), real_log("SDSC-SP2")
    seen = {}
    for use in USES:
        exec(use, seen)
    assert list(seen["table"]["scheduler"]) == [
        "EASY()",
        "ShortestFirst()",
        "ShortestFirst(by='area')",
    ]
    assert seen["run"].workload.run_time.max() <= 18 * 3600
    assert seen["run"].provenance["estimates"] == "Rounded(step=3600, e_max=64800)"
    assert seen["shorter"]["mean_wait"].nunique() == 2
    assert seen["online"].prediction.min() < seen["online"].estimate.min()
    assert seen["ordered"]["mean_wait"].nunique() == 5
    waits = seen["own"]["mean_wait"].tolist()
    assert waits[:2] == waits[2:4] and len(set(waits)) == 4
    assert not (seen["relaxed"].start == rp.simulate(seen["kth"]).start).all()
    assert seen["named"]["mean_wait"].tolist() == [2, 3.75]


def test_the_page_on_compiled_schedulers_runs(own, real_log):
    real_log("KTH-SP2")
    seen = {}
    for use in USES_COMPILED:
        exec(use, seen)
    assert seen["same"].all()
    assert seen["table"]["mean_wait"].nunique() == 2


def test_the_example_with_scikit_learn_runs(own, monkeypatch):
    pytest.importorskip("sklearn")
    boosting = importlib.import_module("boosting").Boosting(every=50)
    run = rp.simulate(rp.synthetic(120, 64), rp.EASY(predictor=boosting, refresh="submission"))
    assert run.prediction[0] == run.estimate[0]
    assert (run.prediction < run.estimate).any()


def test_a_scheduler_runs_through_simulate_and_compare(shortest):
    found = rp.simulate(BUSY, shortest())
    # Job 4, the shortest to be told of, waits for job 1; job 2 needs the whole machine and goes
    # last.
    assert found.start.tolist() == [0, 15, 2, 10, 40, 50]
    assert found.backfilled.tolist() == [False, False, True, True, False, False]
    four = BUSY.take(slice(0, 4)).replace(name="four")
    table = rp.compare([BUSY, four], [rp.FCFS(), shortest()], rp.Exact())
    assert list(table["scheduler"]) == ["FCFS()", "ShortestFirst()"] * 2
    assert table["backfilled"][1] == pytest.approx(2 / 6)
    assert rp.Scheduler.members["shortest-first"] is shortest
    assert rp.Scheduler.check("ShortestFirst(by='area')") == replace(shortest(), by="area")


@pytest.mark.parametrize(
    ("rows", "counted", "named"),
    [
        # The last job fits the extra processor, which is reserved by name; a job that ends in time
        # may use it.
        ([(0, 1, 3), (0, 10, 2), (2, 5, 4), (3, 20, 1)], [0, 0, 10, 3], [0, 0, 10, 10]),
        ([(0, 1, 3), (0, 10, 2), (2, 5, 4), (3, 7, 1)], [0, 0, 10, 3], [0, 0, 10, 3]),
        # Here the running job holds the lowest processors, and the last one stays free.
        ([(0, 10, 2), (2, 5, 4), (3, 20, 1)], [0, 10, 3], [0, 10, 3]),
        # The reserved processors of a job past its estimate count as free now.
        ([(0, 9, 2, 4), (2, 5, 4), (6, 20, 1)], [0, 9, 6], [0, 9, 6]),
    ],
)
def test_named_processors_by_hand(own, rows, counted, named):
    scheduler = importlib.import_module("named_easy").NamedEASY()
    assert rp.simulate(jobs(5, *rows)).start.tolist() == counted
    assert rp.simulate(jobs(5, *rows), scheduler).start.tolist() == named


def test_an_estimate_model_runs_through_simulate_and_compare(rounded):
    found = rp.simulate(BUSY, rp.EASY(), rounded(60, e_max=600), seed=3)
    assert (found.estimate[:5] % 60 == 0).all()
    assert (found.estimate >= found.workload.run_time).all()
    assert found.workload.run_time.max() == found.estimate.max() == 600
    again, other = (rp.simulate(BUSY, rp.EASY(), rounded(7), seed=s).estimate for s in (3, 4))
    assert again.tolist() == rp.simulate(BUSY, rp.EASY(), rounded(7), seed=3).estimate.tolist()
    assert again.tolist() != other.tolist()
    table = rp.compare(BUSY, [rp.EASY()], [rp.Users(), rounded(60)])
    assert list(table["estimates"]) == ["Users()", "Rounded(step=60)"]
    assert rp.EstimateModel.check("Rounded(60, e_max=600)") == rounded(60, e_max=600)


def deciding(**columns):
    """A scheduler that decides these columns, whatever the jobs."""

    @dataclass(frozen=True)
    class Stubborn(rp.Scheduler):
        def run(self, workload, estimate, seed):
            return columns

    return Stubborn()


NOBODY = [False] * 3


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"start": [0, 1, 2], "backfilled": NOBODY}, ScheduleError, "processors in use at second"),
        ({"start": [0, 0, 2], "backfilled": NOBODY}, ScheduleError, "before its submission"),
        ({"start": [0, 9, -1], "backfilled": NOBODY}, ScheduleError, "never started"),
        ({"start": [0, 9], "backfilled": NOBODY}, SchedulerError, r"allowed: int64\[3\]"),
        ({"start": [0.0, 9, 2], "backfilled": NOBODY}, SchedulerError, "decided start as float64"),
        ({"start": [0, 9, 2]}, SchedulerError, "decided start; allowed: a dict with start and"),
        ({"start": [0, 9, 2], "backfilled": NOBODY, "begin": [1]}, SchedulerError, "begin"),
    ],
)
def test_an_added_scheduler_that_decides_wrongly_is_refused(columns, error, message):
    with pytest.raises(error, match=message):
        rp.simulate(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1)), deciding(**columns))


def test_an_added_estimate_model_that_makes_no_estimates_is_refused():
    @dataclass(frozen=True)
    class Endless(rp.EstimateModel):
        def estimate(self, workload, seed):
            return np.full(len(workload), 2**62)

    with pytest.raises(ValueError, match="times reach"):
        rp.simulate(BUSY, rp.EASY(), Endless())

    @dataclass(frozen=True)
    class Few(rp.EstimateModel):
        def estimate(self, workload, seed):
            return np.array([1])

    with pytest.raises(ValueError, match=r"shape \(1,\), expected \(6,\)"):
        rp.simulate(BUSY, rp.EASY(), Few())


def test_a_name_is_taken_once(shortest, rounded):
    with pytest.raises(SchedulerError, match="scheduler 'easy' exists already"):
        type("Other", (rp.Scheduler,), {}, name="easy")
    with pytest.raises(EstimateError, match="estimates 'rounded' exists already: rounded.Rounded"):
        type("Rounded", (rp.EstimateModel,), {})
