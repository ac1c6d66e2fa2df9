"""Schedulers, an estimate model and predictors outside of the package: those of docs/extending.md,
so the page is tested too.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator.schedulers import SchedulerError
from replication.simulator.schedules.schedule import ScheduleError
from replication.simulator.workload import usage
from tests.extending import CODE, Rounded
from tests.workloads import jobs, random_jobs

CROWD = random_jobs(300, 8, 4000, 200, 400)
BUSY = jobs(4, (0, 10, 3), (1, 20, 4), (2, 8, 1), (3, 5, 2, 9), (40, 10, 4), (41, 700, 1))


@pytest.fixture(scope="module")
def recipes():
    """The schedulers of the recipes, by name."""
    variables = {}
    exec(CODE[CODE.rindex("import math") :].partition("memory = ")[0], variables)
    return variables


def test_the_page_on_extensions_runs(real_log):
    real_log("KTH-SP2"), real_log("SDSC-SP2")
    seen = {}
    exec(CODE, seen)
    assert seen["run"].workload.run_time.max() <= 18 * 3600
    assert seen["run"].provenance["estimates"] == "Rounded(step=3600, e_max=64800)"
    assert seen["shorter"]["mean_wait"].nunique() == 2
    assert seen["online"].prediction.min() < seen["online"].estimate.min()
    assert seen["ordered"]["mean_wait"].nunique() == 4
    waits = seen["own"]["mean_wait"].tolist()
    assert waits[:2] == waits[2:] and len(set(waits)) == 2
    assert seen["slack"].start.tolist() != (textbook := rp.simulate(seen["kth"]).start.tolist())
    assert rp.simulate(seen["kth"], seen["SlackEASY"]()).start.tolist() == textbook
    assert seen["same"].all() and seen["faster"]["mean_wait"].nunique() == 2
    assert list(seen["table"]["scheduler"])[1:] == [*map(repr, seen["recipes"])]
    assert seen["table"]["mean_wait"].nunique() == len(seen["recipes"]) + 1  # each has an effect


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
def test_named_processors_by_hand(recipes, rows, counted, named):
    scheduler = recipes["NamedEASY"]()
    assert rp.simulate(jobs(5, *rows)).start.tolist() == counted
    assert rp.simulate(jobs(5, *rows), scheduler).start.tolist() == named


def deciding(**columns):
    """A scheduler that decides these columns, whatever the jobs."""

    @dataclass(frozen=True)
    class Stubborn(rp.Scheduler, name=""):
        def run(self, workload, estimate, seed):
            return columns

    return Stubborn()


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"start": [0, 1, 2], "backfilled": [False] * 3}, ScheduleError, "processors in use"),
        ({"start": [0.0, 9], "backfilled": [False] * 2}, SchedulerError, r"allowed: int64\[3\]"),
        ({"start": [0, 9, 2]}, SchedulerError, "decided start; allowed: a dict with start and"),
    ],
)
def test_an_added_scheduler_that_decides_wrongly_is_refused(columns, error, message):
    with pytest.raises(error, match=message):
        rp.simulate(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1)), deciding(**columns))


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (lambda w: w.submit[:1], r"order: int64\[1\]; expected numbers \[6\]"),
        (lambda w: w.submit * np.nan, "job 1: nan; expected finite numbers"),
        (lambda w: np.ma.masked_less(w.submit, 1), "order: a masked array"),
        (lambda w: pd.Series(w.run_time).sort_values(), "a Series whose index is not 0 to 5;"),
    ],
)
def test_values_that_are_no_order_are_refused(order, message):
    with pytest.raises(SchedulerError, match=message):
        rp.simulate(BUSY, rp.OrderedEASY(order))


def test_an_added_estimate_model_depends_on_its_options_and_the_seed():
    run = rp.simulate(BUSY, rp.EASY(), Rounded(60, e_max=600), seed=3)
    assert (run.estimate[:5] % 60 == 0).all() and (run.estimate >= run.workload.run_time).all()
    assert run.workload.run_time.max() == run.estimate.max() == 600
    first, again, other_seed = (Rounded(7).make(BUSY, seed)[1].tolist() for seed in (3, 3, 4))
    assert first == again != other_seed


def test_the_head_has_a_reservation_in_memory_too(recipes):
    """A job that needs two thirds of the memory waited as long as others came."""
    memory = np.where(np.arange(400) == 5, 40, 20)
    log = jobs(10, *[(1090 * k, 3300, 2) for k in range(400)])
    log = log.replace(more={"requested_memory": memory})
    run = rp.simulate(log, recipes["Memory"](memory=120))
    assert run.wait[5] < 3300
    assert usage(run.start, run.end, 2 * memory)[1].max() <= 120


def test_with_enough_memory_it_is_easy(recipes):
    memory = np.arange(300) % 7
    log = CROWD.replace(more={"requested_memory": memory})
    assert rp.simulate(log, recipes["Memory"]()).start.tolist() == rp.simulate(log).start.tolist()


def test_a_user_has_at_most_so_many_running_jobs(recipes):
    log = CROWD.replace(user=np.arange(300) % 3)
    run = rp.simulate(log, recipes["UserLimit"](most=2))
    for user in range(3):
        start, end = run.start[log.user == user], run.end[log.user == user]
        running = (start <= start[:, None]) & (start[:, None] < end)
        assert running.sum(axis=1).max() == 2


def test_users_who_have_used_less_go_first(recipes):
    # User 1 runs first. Of the jobs that wait then, that of user 2 goes before those of user 1.
    log = jobs(4, (0, 100, 4), (1, 10, 4), (2, 10, 4), (3, 10, 4))
    log = log.replace(user=np.array([1, 1, 2, 3]))
    assert rp.simulate(log, recipes["FairShare"]()).start.tolist() == [0, 120, 100, 110]
    # After many half-lives the usage of user 1 is below that of user 2.
    log = jobs(4, (0, 100, 4), (900, 50, 4), (910, 5, 4), (911, 5, 4))
    log = log.replace(user=np.array([1, 2, 1, 2]))
    assert rp.simulate(log, recipes["FairShare"](half_life=50)).start.tolist() == [0, 900, 950, 955]
