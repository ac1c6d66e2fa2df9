"""Heel-and-toe's headline conclusions under other interpretations, cleanings, logs and loads.

The functions return the cases of headlines from two tables of one log: `runs` and `order`, see
`tables`.
"""

import math
from functools import partial

import numpy as np
import pandas as pd
from scipy import stats

import sensitivity
from notebooks import variants
from notebooks.heel_and_toe import campaign, trends
from notebooks.heel_and_toe.curves import PERFORMANCE, SHORT
from notebooks.variants import NotApplicable
from replication import EASY, Deterministic, FModel, Perfect, Users, simulate
from replication.simulator.sweeps import grid as sweep
from replication.verdicts.rules import Case, level

#: Badness and runs at each; few, because every change needs them all on every log.
FS, LARGE = (0.5, 1.0, 2.0, 5.0, 10.0), 100.0
SEEDS = tuple(range(1, 6))
WATCHED, TRUNCATED, FEW = (0.1, 0.2), (1.0, 10.0, 100.0, 1000.0, 10000.0), (1, 2)
SINGLE = {
    "real": Users(),
    "perfect": Perfect(),
    "real x2": Users(2),
    "perfect x2": Deterministic(1),
}
#: Each interpretation changed alone, and cleanings.
CHANGES = (
    *variants.alone(*variants.TEXTBOOK, lasting=True),
    *variants.entered(campaign.PAPER, "alone"),
)


def tables(log, jobs, variant):
    """Return the runs of one log under a variant.

    Parameters
    ----------
    log : str
    jobs : Workload
    variant : notebooks.variants.Variant

    Returns
    -------
    dict
        ``runs``: a row for each run: model (those of `SINGLE`, random, truncated, and its real
        estimates: truncated real), f, seed, the measures of performance, and of the backfilled jobs
        their share, run time (s) and size. ``order``: f, and sjfness by seed; empty but under the
        textbook's EASY.
    """
    scheduler, count = variant.of(EASY()), variant.count
    rows = []

    def run(name, model, f=math.nan, seed=1):
        schedule = simulate(jobs, scheduler, model, seed)
        measured = schedule.measured(trim=count.get("trim", True))
        filled, of = schedule.backfilled, schedule.workload
        row = {name: measured[name] for name in (*PERFORMANCE, "backfilled")}
        for measure, values in (("run_time", of.run_time), ("size", of.processors)):
            row[measure] = float(values[filled].mean()) if filled.any() else math.nan
        rows.append({"model": name, "f": f, "seed": seed} | row)

    for name, model in SINGLE.items():
        run(name, model)
    for f in (*FS, LARGE):
        for seed in SEEDS:
            run("random", FModel(f), f, seed)
    limit = campaign.e_max(log, min if count.get("e_max") == "least" else max)
    if limit:
        run("truncated real", Users(e_max=limit) if count.get("cut real", True) else Users())
        for f in TRUNCATED:
            for seed in FEW:
                run("truncated", FModel(f, limit), f, seed)
    order = []
    for f in (0.0, *WATCHED) if scheduler == EASY() else ():
        task = sweep.Task(jobs, FModel(f), seeds=SEEDS if f else SEEDS[:1], watched=True)
        order.append((f, np.array(sweep.compute(task)["sjfness"])))
    return {"runs": pd.DataFrame(rows), "order": pd.DataFrame(order, columns=["f", "sjfness"])}


def other_estimates(runs, pairs):
    """Return the change of each measure from one kind of estimates to another, per cent; nan from a
    value of 0.
    """
    for after, before in pairs:
        for measure, name in SHORT.items():
            start = _one(runs, before, measure)
            change = 100 * (_one(runs, after, measure) / start - 1) if start else math.nan
            yield Case(f"{after} {name}", change)


def change_with_f(runs, fs, measures, before=()):
    """Return the change of measures to some f from others, or from perfect estimates, per cent of
    the run with these.
    """
    for measure, name in measures.items():
        perfect = _one(runs, "perfect", measure)
        start = _random(runs, before, measure) if before else perfect
        yield Case(name, *_less(_random(runs, fs, measure), start, perfect))


def better_than_real(runs):
    """Return the share of f at which the mean is better than with real estimates, per cent."""
    for measure, name in SHORT.items():
        means = _random(runs, FS, measure).mean(axis=1)
        limit = (1 - level("none") / 100) * _one(runs, "real", measure)
        yield Case(name, 100 * float((means < limit).mean()))


def sjfness_rises(order):
    """Return the change of the share of shortest jobs from f = 0 to small f, per cent."""
    if order.empty:
        raise NotApplicable("SJFness is asked of the default EASY only")
    by = dict(zip(order["f"], order["sjfness"], strict=True))
    return [Case("SJFness", *_less([by[f] for f in WATCHED], by[0.0], np.mean(by[0.0])))]


def truncated_meets_real(runs):
    """Return the f at which the mean comes up to the run with real estimates."""
    if not (runs["model"] == "truncated").any():
        raise NotApplicable("the paper names no E_max")
    for measure, name in SHORT.items():
        means = _runs(runs, "truncated", TRUNCATED, measure).mean(axis=1)
        met = trends.crossing(pd.Series(means, TRUNCATED), _one(runs, "truncated real", measure))
        yield Case(name, met)


def _one(runs, model, measure):
    """Return a measure of a single run."""
    return float(runs.loc[runs["model"] == model, measure].iloc[0])


def _random(runs, fs, measure):
    return _runs(runs, "random", fs, measure)


def _runs(runs, model, fs, measure):
    """Return a measure of the runs at some f, float64[f, seeds]."""
    of_model = runs[runs["model"] == model]
    return np.array([of_model.loc[of_model["f"] == f, measure] for f in fs])


def _less(values, base, unit):
    """Return a difference of two means in per cent of `unit` with its 95 % interval over the seeds
    (Student's, Welch's).

    Runs are float64[f, seeds] or float64[seeds]; a scalar is a run without randomness. All three
    are nan if `unit` is 0.
    """
    if unit == 0:
        return (math.nan,) * 3
    values, base = (np.atleast_2d(values).mean(axis=0) for values in (values, base))
    with np.errstate(divide="ignore"):  # of runs that are all the same
        interval = (
            stats.ttest_1samp(values - base, 0)
            if base.size == 1
            else stats.ttest_ind(values, base, equal_var=False)
        ).confidence_interval(0.95)
    ends = values.mean() - base.mean(), interval.low, interval.high
    return tuple(float(100 * x / unit) for x in ends)


#: ``study(workloads, first, workers)``, see `sensitivity.study`.
study = partial(sensitivity.study, campaign.PAPER, globals(), tables, CHANGES)
