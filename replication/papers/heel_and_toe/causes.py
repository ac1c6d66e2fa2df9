"""What causes the gain of inaccurate estimates, found by intervening; the rules are in docs/decisions/causes.md."""

import numpy as np
import pandas as pd

from replication.papers import resampling, style
from replication.papers.claims import level
from replication.papers.heel_and_toe import campaign
from replication.papers.heel_and_toe.campaign import PAPER
from replication.papers.heel_and_toe.curves import PERFORMANCE, SHORT
from replication.papers.heel_and_toe.trends import ends
from replication.papers.panels import bars, draw
from replication.simulator import audits, measures
from replication.simulator import grid as sweep
from replication.simulator.schedulers import EASY

ASKED = (1, 3, 10)  # the f that claims are decided at
BADNESS = (0, 0.1, 0.2, 0.5, 1, 2, 3, 5, 10, 30, 100, 1000)
RUNS, QUICK_RUNS = 40, 5
DAY = 24 * 3600
FORBIDDEN = repr(EASY(wild="forbidden"))
GAINS = {measure: f"gain in {words} [%]" for measure, words in SHORT.items()}
QUARTERS = {"run_time": ("short", "long"), "processors": ("narrow", "wide")}


def runs_alike(workload):
    """The workload with one run time for all jobs, such that the total work stays: there is nothing to sort."""
    work = float((workload.run_time * workload.processors).sum())
    alike = max(1, round(work / int(workload.processors.sum())))
    told = np.full(len(workload), alike)
    return workload.replace(run_time=told, estimate=told)


def results(workloads, schedulers, models, seeds, loads=("log",), workers=1):
    """A watched sweep at several loads, one table; loads as in `replication.papers.heel_and_toe.campaign.LOADS`."""
    tables = []
    for load in loads:
        at = [workload for *_, workload in campaign.placed(workloads, load)]
        table = sweep.sweep(at, schedulers, models, seeds, watched=True, workers=workers)
        tables.append(table.assign(load=load))
    return pd.concat(tables, ignore_index=True)


def gains(results, by=("log", "load", "scheduler")):
    """Gain over f = 0 at every f of a sweep with f-models, f = 0 among them: per cent of the mean
    there, with its 95 % interval over seeds.

    Columns are those of `by`, which tell the curves apart, f, measure, gain, low, high [%]; and the
    share of wild backfills, per cent of all jobs.
    """
    drawn = _drawn_gains(results, by)
    table = resampling.table(drawn, [*by, "f", "measure", "gain", "low", "high"])
    wild = results.groupby([*by, "f"])["wild"].agg(lambda runs: 100 * runs.mean())
    return table.join(wild, on=[*by, "f"])


def left(results, without=FORBIDDEN):
    """What is left of each gain at the `ASKED` f under the scheduler `without` the supposed cause,
    named as in the column scheduler; takes runs of both with the same seeds.

    Columns are log, load, measure, f; gain and left with their intervals, per cent; left is nan where there is no
    gain to explain. Returned besides is the median of what is left over all of them, with its interval, per cent.
    """
    rows, shares = [], []
    for (log, load), part in results.groupby(["log", "load"], sort=False):
        for measure in PERFORMANCE:
            start, full = _drawn_means(part[part["scheduler"] == repr(EASY())], measure)
            _, fewer = _drawn_means(part[part["scheduler"] == without], measure)
            for f in ASKED:
                gain, share = resampling.interval(100 * (start - full[f]) / start), (np.nan,) * 3
                if gain[1] > level("none"):
                    shares.append(100 * (start - fewer[f]) / (start - full[f]))
                    share = resampling.interval(shares[-1])
                rows.append([log, load, measure, f, *gain, *share])
    columns = ["log", "load", "measure", "f", *ends("gain"), *ends("left")]
    table = pd.DataFrame(rows, columns=columns)
    return table, resampling.median(shares) if shares else (np.nan,) * 3


def median_gain(results):
    """The median gain over logs, measures and the `ASKED` f, with its interval over seeds, per cent; see `gains`."""
    drawn = _drawn_gains(results, ["log"])
    return resampling.median([gain for (_, f, _), gain in drawn.items() if f in ASKED])


def _drawn_gains(results, by):
    """The gain at every f and measure of each curve, per cent, then over seeds drawn anew."""
    found = {}
    for names, curve in results.groupby([*by], sort=False):
        for measure in PERFORMANCE:
            start, means = _drawn_means(curve, measure)
            found |= {
                (*names, f, measure): 100 * (start - mean) / start for f, mean in means.items()
            }
    return found


def _drawn_means(curve, measure):
    """The value at f = 0, and for each f the mean over the seeds, then over seeds drawn anew."""
    wide = curve.pivot_table(index="f", columns="seed", values=measure, sort=False)
    drawn = wide.loc[wide.index > 0]
    means = resampling.runs(drawn.to_numpy())
    return float(wide.loc[0.0].iloc[0]), dict(zip(drawn.index, means, strict=True))


def at_equal_wild(results, let_past):
    """Gains of f and of jobs let past at random, where both have the same share of wild backfills.

    Takes results of one load as `gains` does, and a sweep with perfect estimates and
    `EASY(let_past=share)`, the share 0 among them. Columns are log, measure, f; wild, per cent of
    all jobs; gain, and random with its interval over seeds, per cent: between the two shares tried
    that are next to it, nan beyond the largest.
    """
    model = gains(results[results["scheduler"] == repr(EASY())], ("log",))
    rows = []
    for (log, measure), curve in model.groupby(["log", "measure"], sort=False):
        value, wild = (
            _by_share(let_past[let_past["log"] == log], name) for name in (measure, "wild")
        )
        gain = 100 * (1 - value / value[0, 0])
        for f in ASKED:
            point = curve[curve["f"] == f].iloc[0]
            random = [
                np.interp(point["wild"], 100 * one, other, right=np.nan)
                for one, other in zip(wild.T, gain.T, strict=True)
            ]
            found = resampling.interval(np.array(random))
            rows.append([log, measure, f, point["wild"], point["gain"], *found])
    return pd.DataFrame(rows, columns=["log", "measure", "f", "wild", "gain", *ends("random")])


def _by_share(part, measure):
    """Means over the seeds and over seeds drawn anew, a row for each share let past, none first."""
    wide = part.pivot_table(index="scheduler", columns="seed", values=measure)
    # Without a draw there is one run for all seeds.
    wide = wide.loc[part["scheduler"].unique()].ffill(axis=1)
    return resampling.runs(wide.to_numpy())


def change_by_order(schedules):
    """What trying the shortest candidate first changes of perfect estimates, over the log's weeks
    drawn anew: log, measure, gain, low, high [%]. `schedules` have by log that in queue order and
    that shortest first.
    """
    drawn = {}
    for log, pair in schedules.items():
        jobs, waits = pair[0].workload, [one.wait for one in pair]
        slowdowns = [measures.bounded_slowdown(wait, jobs.run_time) for wait in waits]
        for measure, values in zip(PERFORMANCE, (waits, slowdowns), strict=True):
            before, after = resampling.weeks(np.column_stack(values), jobs.submit, log).T
            with np.errstate(divide="ignore", invalid="ignore"):
                drawn[log, measure] = 100 * (1 - after / before)
    return resampling.table(drawn, ["log", "measure", "gain", "low", "high"])


def who_pays(changes):
    """Change of the mean wait by kind of job, and what gains and losses sum up to.

    `changes` have by log and what was changed the run that is compared with, and a list of the runs
    after. Columns are log, change, jobs (all, heads, short, ...), share of jobs [%], minutes of
    wait more (fewer if below 0) with the interval over weeks, and that in per cent of their mean
    wait.
    """
    rows = []
    for (log, what), (before, after) in changes.items():
        more = _more(before, after)
        for kind, chosen in kinds(before).items():
            columns = np.column_stack([more * chosen, before.wait * chosen, chosen])
            sums = resampling.weeks(columns, before.workload.submit, log)
            minutes = resampling.interval(resampling.ratio(sums, 0, 2) / 60)
            percent = 100 * resampling.ratio(sums, 0, 1)[0]
            rows.append([log, what, kind, 100 * chosen.mean(), *minutes, percent])
    columns = ["log", "change", "jobs", "share", "minutes", "low", "high", "per cent"]
    return pd.DataFrame(rows, columns=columns)


def _more(before, after):
    """How much longer each job waits on average over some runs, s."""
    return np.mean([one.wait for one in after], axis=0) - before.wait


def kinds(schedule):
    """Which jobs are of which kind, bool[n] by name; see the rules."""
    found = {"all": np.ones(len(schedule.start), bool), "heads": audits.blocked(schedule)}
    for column, (few, many) in QUARTERS.items():
        values = getattr(schedule.workload, column)
        low, high = np.quantile(values, [0.25, 0.75])
        found |= {few: values <= low, many: values >= high}
    return found


def balance(changes):
    """What all gains and all losses of `who_pays` sum up to, in days of wait, and how many jobs and
    users have them: log, change, gained and lost [days of wait], lost of gained with its interval over weeks [%];
    jobs and users that wait longer by more than a second on average [%], of those whose wait changes so much.
    """
    rows = []
    for (log, what), (before, after) in changes.items():
        more = _more(before, after)
        _, user = np.unique(before.workload.user, return_inverse=True)
        by_user = np.bincount(user, more) / np.bincount(user)
        sides = np.column_stack([np.maximum(-more, 0), np.maximum(more, 0)]) / DAY
        sums = resampling.weeks(sides, before.workload.submit, log)
        lost = resampling.interval(100 * resampling.ratio(sums, 1, 0))
        rows.append([log, what, *sums[0], *lost, _losers(more), _losers(by_user)])
    columns = ["log", "change", "gained", "lost", "lost of gained", "low", "high"]
    return pd.DataFrame(rows, columns=[*columns, "jobs that pay", "users that pay"])


def _losers(more):
    """Who waits longer, in per cent of those whose wait changes by more than a second."""
    changed = more[np.abs(more) > 1]
    return 100 * float((changed > 0).mean()) if len(changed) else float("nan")


def draw_gains(table, names):
    """Gain against badness, a row a measure and a column a log; a line for each of `names` (scheduler: words)."""
    looks = style.series(names.values())

    def one(axes, log, measure):
        own = table[(table["log"] == log) & (table["measure"] == measure)]
        for name, words in names.items():
            part = own[own["scheduler"] == name]
            axes.errorbar(part["f"], part["gain"], bars(part, "gain"), capsize=2, **looks[words])
        axes.axhline(0, color="black", lw=0.8)
        axes.set_xscale("symlog", linthresh=1)

    return draw(PAPER, table["log"], GAINS, one, "badness f", sharex=True)


def draw_random(table, let_past):
    """Gain against the share of wild backfills: of the f-model, and of jobs let past at random."""
    model = table[table["scheduler"] == repr(EASY())]
    looks = style.series(["badness f", "let past at random"])

    def one(axes, log, measure):
        own = model[(model["log"] == log) & (model["measure"] == measure)]
        wild, gain = ([0, *own[name]] for name in ("wild", "gain"))  # nothing is wild at f = 0
        axes.plot(wild, gain, **looks["badness f"])
        tried = let_past[let_past["log"] == log]
        value, wild = _by_share(tried, measure)[:, 0], _by_share(tried, "wild")[:, 0]
        axes.plot(100 * wild, 100 * (1 - value / value[0]), **looks["let past at random"])
        axes.axhline(0, color="black", lw=0.8)
        axes.set_xlim(-0.2, 1.6 * own["wild"].max())

    return draw(PAPER, model["log"], GAINS, one, "wild backfills [% of jobs]")
