"""Heel-and-toe's headline conclusions under other readings, cleanings, logs and loads."""

import math

import numpy as np
import pandas as pd

from replication.estimates import Exact, FModel, Users
from replication.evidence import robustness
from replication.evidence.claims import above, below
from replication.evidence.robustness import CLEANING, DEFAULT, READING, Change
from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.papers.heel_and_toe.deciding import SHORT, interval
from replication.schedule.simulation import simulate
from replication.schedulers import EASY
from replication.sweep import grid as sweep

#: Badness and runs at each; few, because every change needs them all on every log.
SMALL, LARGE, FS = (0.5, 1.0, 2.0), 100.0, (0.5, 1.0, 2.0, 5.0, 10.0)
SEEDS = tuple(range(1, 6))
WATCHED, TRUNCATED, FEW = (0.1, 0.2), (1.0, 10.0, 100.0, 1000.0, 10000.0), (1, 2)
BACKFILLED = {"backfilled": "share", "run_time": "run time", "size": "size"}
#: Options of EASY that the paper leaves to the textbook.
OPTIONS = ("reservation", "extra", "shadow", "events", "order")
#: CTC's machine: the paper has all processors, the header 338 for batch jobs, PV-EASY 430.
MACHINES = (338, 430)
HEADLINES = robustness.Headlines("heel_and_toe")
decides = HEADLINES.decides


def changes(page):
    """The default, each reading changed alone, cleanings, other logs and other loads."""
    logs = tuple(page.logs)
    cleanings = {
        "runs cut at the estimate": {"overrun": "cut-run"},
        "runs may pass the estimate": {"overrun": "as-is"},
        "allocated processors": {"size": "allocated"},
        "jobs of run time 0 left out": {"drop": ("no-run-time", "zero-run-time")},
        "jobs without allocated processors left out": {"drop": ("no-run-time", "not-allocated")},
    }
    cleaned = [
        Change(CLEANING, "KTH-SP2 cleaned", (log,), source={log: "KTH-SP2"})
        for log in logs
        if log == "KTH-SP2-2"
    ]
    return [
        Change(DEFAULT, "default", logs),
        *robustness.readings(logs, OPTIONS),
        Change(READING, "nothing trimmed", logs, {"trim": False}),
        Change(READING, "E_max of daytime and express queues", logs, {"e_max": min}),
        Change(READING, "real estimates as logged beside the truncated", logs, {"cut real": False}),
        *(Change(CLEANING, name, logs, cleaning=rules) for name, rules in cleanings.items()),
        *robustness.machines(page, "CTC-SP2", MACHINES),
        *cleaned,
        *robustness.others(page),
    ]


class Evidence:
    """Runs of one case, made when asked for.

    Parameters
    ----------
    case : replication.evidence.robustness.Case
    """

    def __init__(self, case):
        self.case, self.workload, self.options = case, case.workload, case.change.options
        self._found = {}

    def run(self, model, seed=1):
        """Measures of one run by name: those of performance, and of its backfilled jobs."""
        if (model, seed) not in self._found:
            scheduler = EASY(**self.options.get("scheduler", {}))
            schedule = simulate(self.workload, scheduler, model, seed)
            found = schedule.measured(trim=self.options.get("trim", True))
            filled = schedule.backfilled
            means = {
                name: float(column[filled].mean()) if filled.any() else math.nan
                for name, column in (
                    ("run_time", schedule.workload.run_time),
                    ("size", schedule.workload.processors),
                )
            }
            self._found[model, seed] = {
                name: found[name] for name in (*PERFORMANCE, "backfilled")
            } | means
        return self._found[model, seed]

    def runs(self, fs, measure, e_max=None, seeds=SEEDS):
        """A measure of the random model at some f, float64[f, seeds]."""
        return np.array([[self.run(FModel(f, e_max), seed)[measure] for seed in seeds] for f in fs])

    def sjfness(self, f):
        """Share of jobs that were the shortest waiting when started, of each run at an f."""
        if "scheduler" in self.options:
            raise robustness.NotApplicable("the queue is watched in the default EASY only")
        seeds = SEEDS if f else SEEDS[:1]
        found = sweep.compute(sweep.Task(self.workload, "log", "random", f, seeds, watched=True))
        return np.array(found["sjfness"])

    def limit(self):
        """The E_max that the truncated model has on this log, s."""
        limit = campaign.e_max(self.case.log, self.options.get("e_max", max))
        if not limit:
            raise robustness.NotApplicable("the paper names no E_max")
        return limit


def study(page):
    """The cases of every headline under every change; see `replication.evidence.robustness.study`."""
    return robustness.study(page, HEADLINES, changes(page), Evidence)


def _less(some, others, unit):
    """Difference of two means in % of `unit`, with its 95 % interval over the seeds (Student's, Welch's).

    Runs are float64[f, seeds] or float64[seeds]; a scalar is a run that nothing is drawn for.
    """
    from scipy.stats import ttest_1samp, ttest_ind

    some, others = (np.atleast_2d(runs).mean(axis=0) for runs in (some, others))
    with np.errstate(divide="ignore"):  # of runs that are all the same
        found = (
            ttest_1samp(some - others, 0)
            if others.size == 1
            else ttest_ind(some, others, equal_var=False)
        ).confidence_interval(0.95)
    return tuple(
        float(100 * x / unit) for x in (some.mean() - others.mean(), found.low, found.high)
    )


def _lower(e, pairs):
    """A case for each measure and named pair of models: whether the first one's run is lower."""
    for name, first, second in pairs:
        for measure, short in SHORT.items():
            change = 100 * (e.run(first)[measure] / e.run(second)[measure] - 1)
            yield f"{name} {short}", f"{change:+.1f} %", bool(change < 0)


@decides("perfect-better")
def _(e):
    return _lower(e, [("perfect", Exact(), Users())])


@decides("doubling-helps")
def _(e):
    return _lower(e, [("log*2", Users(2), Users()), ("perfect*2", Exact(2), Exact())])


@decides("initial-drop")
def _(e):
    for measure, short in SHORT.items():
        start = e.run(Exact())[measure]
        change = _less(e.runs(SMALL, measure), start, start)
        yield short, interval(change), below(change) and change[0] <= -100 * trends.MATERIAL


@decides("rises-again")
def _(e):
    for measure, short in SHORT.items():
        change = _less(e.runs([LARGE], measure), e.runs(SMALL, measure), e.run(Exact())[measure])
        yield short, interval(change), above(change) and change[0] >= 100 * trends.MATERIAL


@decides("better-than-real")
def _(e):
    for measure, short in SHORT.items():
        share = float((e.runs(FS, measure).mean(axis=1) < e.run(Users())[measure]).mean())
        yield short, f"{100 * share:.0f} %", share == 1


@decides("more-backfilling")
def _(e):
    for measure, about in BACKFILLED.items():
        start = e.run(Exact())[measure]
        change = _less(e.runs([10.0], measure), start, start)
        yield about, interval(change), above(change)


@decides("sjfness-rises")
def _(e):
    change = _less([e.sjfness(f) for f in WATCHED], e.sjfness(0.0), 1.0)
    yield "", interval(change, " points"), above(change)


@decides("truncated-meets-real")
def _(e):
    limit = e.limit()
    real = e.run(Users(e_max=limit) if e.options.get("cut real", True) else Users())
    for measure, short in SHORT.items():
        curve = pd.Series(e.runs(TRUNCATED, measure, limit, FEW).mean(axis=1), TRUNCATED)
        at = trends.crossing(curve, real[measure])
        yield short, "none" if math.isnan(at) else f"f = {at:.3g}", not math.isnan(at)
