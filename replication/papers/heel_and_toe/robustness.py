"""Heel-and-toe's headline conclusions under other readings, cleanings, logs and loads."""

import functools
import math

import numpy as np
import pandas as pd
from scipy import stats

from replication.papers import dimensions, robustness
from replication.papers.deciders import above, at_least, below, each_log
from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.claims import FORM, NONE, POINTS, each_panel
from replication.papers.heel_and_toe.curves import PERFORMANCE, SHORT
from replication.papers.variants import NotApplicable
from replication.simulator import grid as sweep
from replication.simulator.estimates import Exact, FModel, Users
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate

#: Badness and runs at each; few, because every change needs them all on every log.
SMALL, LARGE, FS = (0.5, 1.0, 2.0), 100.0, (0.5, 1.0, 2.0, 5.0, 10.0)
SEEDS = tuple(range(1, 6))
WATCHED, TRUNCATED, FEW = (0.1, 0.2), (1.0, 10.0, 100.0, 1000.0, 10000.0), (1, 2)
BACKFILLED = {"backfilled": "share", "run_time": "run time", "size": "size"}
DOUBLED = {(Users(2), Users()): "log*2", (Exact(2), Exact()): "perfect*2"}
OPEN = dimensions.TEXTBOOK


class Evidence:
    """Runs of one log under one variant, made when asked for; the log needs no name in its cases."""

    def __init__(self, log, workload, variant):
        self.log, self.workload, self.workloads = log, workload, {"": workload}
        self.scheduler, self.count = variant.of(EASY()), variant.count
        self.run = functools.cache(self.run)

    def run(self, model, seed=1):
        """Measures of one run by name: those of performance, and of its backfilled jobs."""
        schedule = simulate(self.workload, self.scheduler, model, seed)
        found = schedule.measured(trim=self.count.get("trim", True))
        filled, of = schedule.backfilled, schedule.workload
        backfilled = {"run_time": of.run_time[filled], "size": of.processors[filled]}
        return {name: found[name] for name in (*PERFORMANCE, "backfilled")} | {
            name: float(some.mean()) if len(some) else math.nan for name, some in backfilled.items()
        }

    def runs(self, fs, measure, e_max=None, seeds=SEEDS):
        """A measure of the random model at some f, float64[f, seeds]."""
        return np.array([[self.run(FModel(f, e_max), seed)[measure] for seed in seeds] for f in fs])

    def sjfness(self, f):
        """Share of jobs that were the shortest waiting when started, of each run at an f."""
        if self.scheduler != EASY():
            raise NotApplicable("SJFness is asked of the default EASY only")
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


#: Each reading changed alone, and cleanings.
CHANGES = (*dimensions.alone(OPEN), *dimensions.entered(campaign.PAPER, "alone"))
HEADLINES = robustness.Headlines(campaign.PAPER, Evidence, CHANGES, FORM)
decides = HEADLINES.decides


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
    ends = some.mean() - others.mean(), found.low, found.high
    return tuple(float(100 * x / unit) for x in ends)


def _change(fs, others=None):
    """What some f change from other f, or from perfect estimates, in per cent of these."""

    def value(e, _, measure):
        start = e.run(Exact())[measure]
        before = start if others is None else e.runs(others, measure)
        return _less(e.runs(fs, measure), before, start)

    return value


def _other_estimates(e, _, models, measure):
    first, second = (e.run(model)[measure] for model in models)
    return 100 * (first / second - 1)


def _better_than_real(e, _, measure):
    return 100 * float((e.runs(FS, measure).mean(axis=1) < e.run(Users())[measure]).mean())


decides("perfect-better", below(), "{:+.1f} %")(
    each_log(_other_estimates, {(Exact(), Users()): "perfect"}, SHORT)
)
decides("doubling-helps", below(), "{:+.1f} %")(each_log(_other_estimates, DOUBLED, SHORT))
decides("initial-drop", below(-NONE))(each_panel(_change(SMALL)))
decides("rises-again", above(NONE))(each_panel(_change([LARGE], SMALL)))
decides("better-than-real", at_least(100), "{:.0f} %")(each_panel(_better_than_real))
decides("more-backfilling", above())(each_log(_change([10.0]), BACKFILLED))


@decides("sjfness-rises", above(), POINTS)
def _(e):
    yield "", _less([e.sjfness(f) for f in WATCHED], e.sjfness(0.0), 1.0)


@decides("truncated-meets-real")
def _(e):
    limit = e.limit()
    real = e.run(Users(e_max=limit) if e.count.get("cut real", True) else Users())
    for measure, short in SHORT.items():
        curve = pd.Series(e.runs(TRUNCATED, measure, limit, FEW).mean(axis=1), TRUNCATED)
        at = trends.crossing(curve, real[measure])
        yield short, "none" if math.isnan(at) else f"f = {at:.3g}", not math.isnan(at)
