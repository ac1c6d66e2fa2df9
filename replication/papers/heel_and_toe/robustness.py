"""Heel-and-toe's headline conclusions under other readings, cleanings, logs and loads."""

import math

import numpy as np
import pandas as pd

from replication.basics.lazy import stats
from replication.estimates import Exact, FModel, Users
from replication.evidence import robustness
from replication.evidence.claims import above, below, level
from replication.evidence.variants import NotApplicable
from replication.papers import dimensions
from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.claims import interval
from replication.papers.heel_and_toe.curves import PERFORMANCE, SHORT
from replication.schedule.simulation import simulate
from replication.schedulers import EASY
from replication.sweeps import grid as sweep

#: Badness and runs at each; few, because every change needs them all on every log.
SMALL, LARGE, FS = (0.5, 1.0, 2.0), 100.0, (0.5, 1.0, 2.0, 5.0, 10.0)
SEEDS = tuple(range(1, 6))
WATCHED, TRUNCATED, FEW = (0.1, 0.2), (1.0, 10.0, 100.0, 1000.0, 10000.0), (1, 2)
BACKFILLED = {"backfilled": "share", "run_time": "run time", "size": "size"}
OPEN = dimensions.TEXTBOOK
HEADLINES = robustness.Headlines("heel_and_toe")
decides = HEADLINES.decides


def changes(logs):
    """The default, each reading changed alone, cleanings, other logs and other loads."""
    own = dimensions.entered(campaign.PAPER, "alone")
    return dimensions.changes(logs, *dimensions.alone(OPEN), *own)


class Evidence:
    """Runs of one log under one variant, made when asked for."""

    def __init__(self, log, workload, variant):
        self.log, self.workload = log, workload
        self.scheduler, self.count = variant.of(EASY()), variant.count
        self._found = {}

    def run(self, model, seed=1):
        """Measures of one run by name: those of performance, and of its backfilled jobs."""
        if (model, seed) not in self._found:
            schedule = simulate(self.workload, self.scheduler, model, seed)
            found = schedule.measured(trim=self.count.get("trim", True))
            filled, of = schedule.backfilled, schedule.workload
            self._found[model, seed] = {
                name: float(column[filled].mean()) if filled.any() else math.nan
                for name, column in (("run_time", of.run_time), ("size", of.processors))
            } | {name: found[name] for name in (*PERFORMANCE, "backfilled")}
        return self._found[model, seed]

    def runs(self, fs, measure, e_max=None, seeds=SEEDS):
        """A measure of the random model at some f, float64[f, seeds]."""
        return np.array([[self.run(FModel(f, e_max), seed)[measure] for seed in seeds] for f in fs])

    def sjfness(self, f):
        """Share of jobs that were the shortest waiting when started, of each run at an f."""
        if self.scheduler != EASY():
            raise NotApplicable("the queue is watched in the default EASY only")
        seeds = SEEDS if f else SEEDS[:1]
        found = sweep.compute(sweep.Task(self.workload, FModel(f), seeds=seeds, watched=True))
        return np.array(found["sjfness"])

    def limit(self):
        """The E_max that the truncated model has on this log, s."""
        pick = min if self.count.get("e_max") == "least" else max
        limit = campaign.e_max(self.log, pick)
        if not limit:
            raise NotApplicable("the paper names no E_max")
        return limit


def study(workloads, first=None, workers=1):
    """The cases of every headline under every variant; see `replication.evidence.robustness.study`."""
    return robustness.study(HEADLINES, workloads, changes(workloads), Evidence, first, workers)


def _less(some, others, unit):
    """Difference of two means in % of `unit`, with its 95 % interval over the seeds (Student's, Welch's).

    Runs are float64[f, seeds] or float64[seeds]; a scalar is a run that nothing is drawn for.
    """
    some, others = (np.atleast_2d(runs).mean(axis=0) for runs in (some, others))
    with np.errstate(divide="ignore"):  # of runs that are all the same
        found = (
            stats.ttest_1samp(some - others, 0)
            if others.size == 1
            else stats.ttest_ind(some, others, equal_var=False)
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


HEADLINES.decide_by(
    ("perfect-better", _lower, [("perfect", Exact(), Users())]),
    ("doubling-helps", _lower, [("log*2", Users(2), Users()), ("perfect*2", Exact(2), Exact())]),
)


@decides("initial-drop")
def _(e):
    for measure, short in SHORT.items():
        start = e.run(Exact())[measure]
        change = _less(e.runs(SMALL, measure), start, start)
        yield short, interval(change), below(change, -level("none"))


@decides("rises-again")
def _(e):
    for measure, short in SHORT.items():
        change = _less(e.runs([LARGE], measure), e.runs(SMALL, measure), e.run(Exact())[measure])
        yield short, interval(change), above(change, level("none"))


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
    real = e.run(Users(e_max=limit) if e.count.get("cut real", True) else Users())
    for measure, short in SHORT.items():
        curve = pd.Series(e.runs(TRUNCATED, measure, limit, FEW).mean(axis=1), TRUNCATED)
        at = trends.crossing(curve, real[measure])
        yield short, "none" if math.isnan(at) else f"f = {at:.3g}", not math.isnan(at)
