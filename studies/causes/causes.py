"""Causes of the gain of inaccurate estimates, by interventions; the rules are in
docs/decisions/causes.md.

The last functions return the cases of the paper's claims that only an intervention decides, as
`replication.verdicts.tables.decide` takes them.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd

from notebooks import audits, over_seeds, placebo
from notebooks.heel_and_toe import campaign, claims
from notebooks.heel_and_toe.curves import PERFORMANCE, SHORT
from notebooks.heel_and_toe.trends import ends
from notebooks.panels import bars, dots, draw, factors, side_by_side
from notebooks.ratios import over, ratio
from replication import EASY, EstimateModel, FModel, PaperEASY, Perfect, Schedule, Users, simulate
from replication.drawing import style
from replication.simulator.choices import Number, option
from replication.simulator.schedules import intervals, measures
from replication.simulator.workload import generator
from replication.verdicts.rules import Case, level

SMALL_F, LARGE_F = (0.1, 0.2, 0.5, 1), (3, 10)  # the falling part of the curves, and beyond it
CASES = (*SMALL_F, *LARGE_F)
RANGES = {f: "small f" if f in SMALL_F else "large f" for f in CASES}
EQUAL_WILD = (1, 3, 10)  # where some backfills, or random ones, are compared with all of f's
RUNS = 40
DAY = 24 * 3600
DOUBLED, TO_REAL = "real, doubled", "perfect to real"
#: Changes of estimates in the picture of `who_pays`, in its words.
PICTURED = {
    DOUBLED: "users' estimates doubled",
    "perfect to f = 1": "f = 1 in place of perfect estimates",
    "perfect to f = 10": "f = 10 in place of perfect estimates",
}
EQUAL, PERMUTED = "run times equal", "estimates permuted"
#: Arms of the third intervention: jobs that may be backfilled wildly, and the option of the
#: scheduler.
SOME_WILD = {
    "all jobs": "allowed",
    "shorter than the median": "shorter",
    "longer than the median": "longer",
    "half of the jobs, at random": "half",
    "no job": "forbidden",
}
SHORTER, LONGER, HALF = list(SOME_WILD)[1:4]
HEADS, OWN_HEADS = "heads", "heads of the baseline"
#: Kinds of jobs in the words of the picture.
KINDS = {
    HEADS: "blocked at the head\nin a third schedule",
    OWN_HEADS: "blocked at the head\nbefore the change",
    "short": "short (quarter)",
    "long": "long (quarter)",
    "narrow": "narrow (quarter)",
    "wide": "wide (quarter)",
}
GAINS = {measure: f"gain in {name} [%]" for measure, name in SHORT.items()}
QUARTERS = {"run_time": ("short", "long"), "processors": ("narrow", "wide")}

#: Units of the columns of tables of gains, and of those of `who_pays` and `balance`.
UNITS = dict.fromkeys(("low", "high", "wild", "backfilled", "backfilled left", "without"), "%")
UNITS |= {end: "%" for name in ("gain", "left", "lost") for end in ends(name)}
UNITS |= dict.fromkeys(ends("difference"), "points")
PAYERS = {"share": "%", "low": "min", "high": "min"} | dict.fromkeys(ends("placebo"), "%")
BALANCE = dict.fromkeys(("gained", "lost"), "days")
BALANCE |= dict.fromkeys(("lost of gained", "low", "high", "jobs that pay", "users that pay"), "%")
BALANCE |= {f"{name}, placebo": unit for name, unit in BALANCE.items()}


def equal_run_times(workload):
    """Return the workload with one run time for all jobs and the same total work, so that all
    orders are equal.
    """
    work = float((workload.run_time * workload.processors).sum())
    equal = max(1, round(work / int(workload.processors.sum())))
    run_time = np.full(len(workload), equal)
    return workload.replace(run_time=run_time, estimate=run_time)


@dataclass(frozen=True)
class Permuted(EstimateModel, name="permuted"):
    """The estimates of the f-model, permuted at random among the jobs of a size class.

    Size classes are powers of two of the number of processors. The permutation depends on the
    workload's `draw_key`, its length and the seed, and is the same at every f. Estimates below the
    run time occur.

    Parameters
    ----------
    f : float
        The badness factor, 0 or more.
    """

    f: float = option(allowed=Number(0), about="badness factor; 0 is exact")

    def estimate(self, workload, seed):
        """Return the estimates, int64[n], s."""
        size_class = np.frexp(workload.processors)[1]
        key = workload.draw_key, len(workload), "permuted within size classes", int(seed)
        taken = np.lexsort((generator(*key).random(len(workload)), size_class))
        permuted = np.empty(len(workload), np.int64)
        estimates = FModel(self.f).estimate(workload, seed)
        permuted[np.argsort(size_class, kind="stable")] = estimates[taken]
        return permuted


def without_order(workloads, badness, seeds, loads=("log",), workers=1):
    """Return the runs without an order of jobs, as `campaign.sweep_at_loads` does: run times equal,
    and estimates permuted.
    """
    equal = {log: equal_run_times(workload) for log, workload in workloads.items()}
    models = [FModel(f) for f in badness], [Permuted(f) for f in badness]
    return {
        EQUAL: campaign.sweep_at_loads(equal, EASY(), models[0], seeds, loads, workers),
        PERMUTED: campaign.sweep_at_loads(workloads, EASY(), models[1], seeds, loads, workers),
    }


def left_without_order(as_is, changed):
    """Return `left` for each of the interventions of `without_order`, their names in the column
    ``without``.
    """
    both = {name: left(as_is, runs) for name, runs in changed.items()}
    tables = (
        pd.concat([pair[k].assign(without=name) for name, pair in both.items()]) for k in (0, 1)
    )
    return tuple(table.reset_index(drop=True) for table in tables)


def gains(results, by=("log", "load", "scheduler")):
    """Return the gain over f = 0 at every f of a sweep with f-models, with its 95 % interval over
    seeds.

    The sweep includes f = 0; the gain is a percentage of the mean there. Columns are those of `by`,
    which identify a curve; f, measure, gain, low, high [%]; and the shares of wild backfills and of
    all backfills, per cent of all jobs.
    """
    drawn = {
        (*names, f, measure): gain
        for names, curve in results.groupby([*by], sort=False)
        for measure in PERFORMANCE
        for f, gain in _drawn_gains(curve, measure).items()
    }
    table = over_seeds.table(drawn, [*by, "f", "measure", "gain", "low", "high"])
    shares = 100 * results.groupby([*by, "f"])[["wild", "backfilled"]].mean()
    return table.join(shares, on=[*by, "f"])


def some_wild(workloads, badness, seeds, workers=1):
    """Return the runs where only some jobs may be backfilled wildly, loads as recorded; the arm is
    in the column ``scheduler``.
    """
    schedulers = {repr(PaperEASY(wild=wild)): arm for arm, wild in SOME_WILD.items()}
    models = [FModel(f) for f in badness]
    each = [PaperEASY(wild=wild) for wild in SOME_WILD.values()]
    runs = campaign.sweep_at_loads(workloads, each, models, seeds, workers=workers)
    return runs.assign(scheduler=runs["scheduler"].map(schedulers))


def more_gain(runs, arm, other):
    """Return how much more is gained in one arm of `some_wild` than in another, in percentage
    points of the mean at f = 0.

    Columns are log, measure, f, and the difference with its interval over seeds, which the arms
    have in common.
    """
    drawn = {}
    for log, part in runs.groupby("log", sort=False):
        curves = [part[part["scheduler"] == name] for name in (arm, other)]
        for measure in PERFORMANCE:
            gains = [_drawn_gains(curve, measure) for curve in curves]
            drawn |= {(log, measure, f): gain - gains[1][f] for f, gain in gains[0].items()}
    return over_seeds.table(drawn, ["log", "measure", "f", *ends("difference")])


def left(as_is, changed):
    """Return the part of each gain at the f of `CASES` that an intervention leaves, and a summary.

    Parameters
    ----------
    as_is, changed : pandas.DataFrame
        Runs of the f-model without and with the intervention, of the same seeds, as
        `campaign.sweep_at_loads` returns them.

    Returns
    -------
    table : pandas.DataFrame
        Columns log, load, measure, f, range of f; gain, left and lost with their intervals, per
        cent; backfilled without and with the intervention (`backfilled`, `backfilled left`), per
        cent of all jobs. `left` is a share of the gain, `lost` the difference of the two gains.
        Both are nan where the interval of the gain is not above 1 %: there is no case.
    summary : pandas.DataFrame
        For each range of f: the number of cases, the cases explained (less than half is left),
        those of them and of the others whose interval excludes a half, and the median of the share
        left with its interval, per cent.
    """
    rows, shares = [], {name: [] for name in RANGES.values()}
    for (log, load), part in as_is.groupby(["log", "load"], sort=False):
        pair = part, changed[(changed["log"] == log) & (changed["load"] == load)]
        backfilled = [100 * runs.groupby("f")["backfilled"].mean() for runs in pair]
        for measure in PERFORMANCE:
            before, after = (_drawn_gains(runs, measure) for runs in pair)
            for f in CASES:
                gain, share, lost = over_seeds.interval(before[f]), (np.nan,) * 3, (np.nan,) * 3
                if gain[1] > level("none"):
                    shares[RANGES[f]].append(100 * after[f] / before[f])
                    share = over_seeds.interval(shares[RANGES[f]][-1])
                    lost = over_seeds.interval(before[f] - after[f])
                jobs = [mean[f] for mean in backfilled]
                rows.append([log, load, measure, f, RANGES[f], *gain, *share, *lost, *jobs])
    columns = ["log", "load", "measure", "f", "range"]
    columns += [end for name in ("gain", "left", "lost") for end in ends(name)]
    table = pd.DataFrame(rows, columns=[*columns, "backfilled", "backfilled left"])
    return table, pd.DataFrame([_summary(table, *item) for item in shares.items()])


def _summary(table, name, shares):
    cases = table[table["range"] == name].dropna(subset="left")
    half = level("large_part")
    sure = (cases["left high"] < half) | (cases["left low"] > half)
    median = over_seeds.median(shares) if shares else (np.nan,) * 3
    return {
        "range": name,
        "cases": len(cases),
        "explained": int((cases["left"] < half).sum()),
        "sure": int(sure.sum()),
        **dict(zip(ends("left"), median, strict=True)),
        "backfilled": cases["backfilled"].median(),
        "backfilled left": cases["backfilled left"].median(),
    }


def resampled_runs(values, *key):
    """Return the means of several quantities over runs, float64[k, n], and over resampled runs:
    float64[k, 1 + DRAWS].

    The same runs are drawn for all quantities of a key, so that differences are paired.
    """
    n = values.shape[1]
    picked = generator("seeds drawn anew", *key, n, over_seeds.DRAWS).integers(
        0, n, (over_seeds.DRAWS, n)
    )
    # Each row lies in one piece, so that its sum does not depend on how the table was made.
    drawn = (np.take(values, row, axis=1) for row in (np.arange(n), *picked))
    return np.column_stack([sample.mean(axis=1) for sample in drawn])


def _drawn_gains(curve, measure):
    """Return the gain at each f > 0 of one curve, per cent: with the seeds as they are, then with
    resampled ones.
    """
    wide = curve.pivot_table(index="f", columns="seed", values=measure, sort=False)
    drawn = wide.ffill(axis=1).to_numpy()  # without random numbers there is one run for all seeds
    means = dict(zip(wide.index, resampled_runs(drawn), strict=True))
    start = means.pop(0.0)
    return {f: over(100 * (start - mean), start) for f, mean in means.items()}


def change_by_order(schedules):
    """Return the gain of trying the shortest candidate first, with perfect estimates.

    `schedules` are two for each log: in queue order, and shortest first. Columns are log, measure,
    gain, low, high [%]; the interval is over the weeks of the log.
    """
    without = {}
    for log, pair in schedules.items():
        jobs, waits = pair[0].workload, [schedule.wait for schedule in pair]
        slowdowns = [measures.bounded_slowdown(wait, jobs.run_time) for wait in waits]
        for measure, values in zip(PERFORMANCE, (waits, slowdowns), strict=True):
            before, after = intervals.sums_without(np.column_stack(values), jobs.submit).T
            with np.errstate(divide="ignore", invalid="ignore"):
                without[log, measure] = 100 * (1 - after / before)
    return intervals.table(without, ["log", "measure", "gain", "low", "high"])


class Change(NamedTuple):
    """A comparison of the waits in one schedule with the mean waits in others, beside comparisons
    without an effect.
    """

    before: Schedule
    after: list
    third: Schedule  # takes no part in the comparison; the jobs that it blocks are the heads
    placebos: list  # of (before, after), which differ in the seed or in submissions alone


def changes_of_estimates(workloads, badness, seeds):
    """Return the comparisons of `who_pays`, by log and name: users' estimates doubled; users'
    estimates, and each f, in place of perfect ones.

    The third schedule is that of the users' estimates, of perfect ones where users' estimates are
    compared with doubled ones, and of doubled ones where users' are compared with perfect ones. In
    the placebos of an f each run is compared with all others.
    """
    changes = {}
    for log, workload in workloads.items():
        models = Perfect(), Users(), Users(2)
        perfect, real, doubled = (simulate(workload, EASY(), model) for model in models)
        changes[log, DOUBLED] = Change(real, [doubled], perfect, [(real, placebo.again(real))])
        changes[log, TO_REAL] = Change(
            perfect, [real], doubled, [(perfect, placebo.again(perfect))]
        )
        for f in badness:
            runs = [simulate(workload, EASY(), FModel(f), seed) for seed in seeds]
            pairs = [(run, [other for other in runs if other is not run]) for run in runs]
            changes[log, f"perfect to f = {f}"] = Change(perfect, runs, real, pairs)
    return changes


def who_pays(changes):
    """Return the change of the mean wait by kind of job, beside that of the placebos.

    `changes` are the `Change` by log and name. Columns are log, change, jobs (all, heads, short,
    ...), share of jobs [%], change of the wait in minutes with its interval over weeks, the same in
    per cent of the mean wait, and the placebos' change in per cent with its interval.
    """
    rows = []
    for (log, what), change in changes.items():
        by_kind = _sums_by_kind([(change.before, change.after)], change.third)
        without = _sums_by_kind(change.placebos, change.third)
        for kind, columns in by_kind.items():
            submit = change.before.workload.submit
            pair = columns, without[kind]
            sums, alike = (intervals.sums_without(table, submit) for table in pair)
            minutes = intervals.interval(intervals.ratio(sums, 0, 2) / 60)
            percent = 100 * intervals.ratio(sums, 0, 1)[0]
            none = intervals.interval(100 * intervals.ratio(alike, 0, 1))
            rows.append([log, what, kind, 100 * columns[:, 2].mean(), *minutes, percent, *none])
    columns = ["log", "change", "jobs", "share", "minutes", "low", "high", "per cent"]
    return pd.DataFrame(rows, columns=[*columns, *ends("placebo")])


def _sums_by_kind(pairs, third):
    """Return additional wait, wait before, and one, of the jobs of each kind and else 0: means over
    pairs of before and after.
    """
    sums = {}
    for before, after in pairs:
        columns = np.column_stack([_more(before, after), before.wait, np.ones(len(before.wait))])
        for kind, chosen in kinds(before, third).items():
            sums[kind] = sums.get(kind, 0) + columns * chosen[:, None] / len(pairs)
    return sums


def _more(before, after):
    """Return the additional wait of each job, averaged over some runs, s."""
    return np.mean([schedule.wait for schedule in after], axis=0) - before.wait


def kinds(schedule, third):
    """Return the jobs of each kind, bool[n] by name; heads are those of a third schedule, and of
    this one.
    """
    masks = {"all": np.ones(len(schedule.start), bool), HEADS: audits.blocked(third)}
    masks[OWN_HEADS] = audits.blocked(schedule)
    for column, (few, many) in QUARTERS.items():
        values = getattr(schedule.workload, column)
        low, high = np.quantile(values, [0.25, 0.75])
        masks |= {few: values <= low, many: values >= high}
    return masks


def balance(changes):
    """Return the sums of all gains and all losses of `who_pays`, and the shares of jobs and users
    that lose.

    Columns are log, change, gained and lost [days of wait], lost of gained with its interval over
    weeks [%]; jobs and users that wait longer [%], of those whose mean wait changes by more than a
    second; and the same of the placebos.
    """
    columns = ["gained", "lost", "lost of gained", "low", "high", "jobs that pay", "users that pay"]
    columns += [f"{name}, placebo" for name in columns]
    rows = [
        [log, what, *_balance([(change.before, change.after)]), *_balance(change.placebos)]
        for (log, what), change in changes.items()
    ]
    return pd.DataFrame(rows, columns=["log", "change", *columns])


def _balance(pairs):
    """Return the numbers of `balance`, means over pairs of before and after."""
    workload = pairs[0][0].workload
    _, user = np.unique(workload.user, return_inverse=True)
    sides, losers = np.zeros((len(workload), 2)), []
    for more in (_more(*pair) for pair in pairs):
        sides += np.column_stack([np.maximum(-more, 0), np.maximum(more, 0)]) / DAY / len(pairs)
        losers.append([_losers(more), _losers(np.bincount(user, more) / np.bincount(user))])
    sums = intervals.sums_without(sides, workload.submit)
    lost = intervals.interval(100 * intervals.ratio(sums, 1, 0), log=True)
    return *sums[0], *lost, *np.mean(losers, axis=0)


def _losers(more):
    """Return the share of positive values, per cent of the values that differ from 0 by more than a
    second.
    """
    changed = more[np.abs(more) > 1]
    return 100 * float((changed > 0).mean()) if len(changed) else float("nan")


def draw_gains(table, names):
    """Draw the gain against badness, with a row for each measure, a column for each log, and a line
    for each of `names`.
    """
    looks = style.series(names.values())

    def draw_panel(axes, log, measure):
        panel = table[(table["log"] == log) & (table["measure"] == measure)]
        for name, label in names.items():
            part = panel[panel["scheduler"] == name]
            ink = {"elinewidth": 0.8, "capsize": 0, "markersize": 3.5}
            axes.errorbar(part["f"], part["gain"], bars(part, "gain"), **ink, **looks[label])
        axes.axhline(0, color="black", lw=0.8)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xticks((0, 1, 10, 100, 1000))
        axes.xaxis.set_major_formatter("{x:g}")

    return draw(table["log"], GAINS, draw_panel, "badness f", sharex=True)


def draw_payers(table):
    """Draw the changes of `PICTURED` by kind of job, of `who_pays`: a panel for each log."""
    table = table[table["change"].isin(PICTURED)]
    table = table.assign(jobs=table["jobs"].map(lambda kind: KINDS.get(kind, kind)))
    table["change"] = table["change"].map(PICTURED)
    label = "change of the mean wait [min]\n← shorter    longer →"
    return dots(table, "jobs", "change", "minutes", label)


def draw_some_wild(table):
    """Draw the gain by badness as dots, with a row for each measure, a column for each log, and a
    dot for each of `SOME_WILD`.
    """
    looks = style.series(SOME_WILD)
    badness = sorted(set(table["f"]))

    def draw_panel(axes, log, measure):
        panel = table[(table["log"] == log) & (table["measure"] == measure)]
        for place, arm in enumerate(SOME_WILD):
            part = panel[panel["scheduler"] == arm].set_index("f").loc[badness]
            at = side_by_side(badness, place, len(SOME_WILD))
            axes.errorbar(at, part["gain"], bars(part, "gain"), **looks[arm] | {"linestyle": ""})
        axes.axhline(0, color="black", lw=0.8)
        factors(axes, badness)

    return draw(table["log"], GAINS, draw_panel, "badness f")


def gains_left(left, fs):
    """Return the share of each gain that an intervention leaves at some f, per cent; a case has a
    part for each intervention.

    A gain that is not surely above none has no share.
    """
    for row in left[left["f"].isin(fs)].dropna(subset="left").to_dict("records"):
        name = f"{claims.named(row['log'], row['measure'], row['load'])}, f = {row['f']:g}"
        yield Case(name, *(row[column] for column in ends("left")), part=row.get("without", ""))


def more_gained(more, fs, logs):
    """Return the rows of `more_gain` of some logs at some f as cases."""
    for row in more[more["f"].isin(fs) & more["log"].isin(logs)].to_dict("records"):
        name = f"{claims.named(row['log'], row['measure'])}, f = {row['f']:g}"
        yield Case(name, *(row[column] for column in ends("difference")))


def heads_pay(payers, doubled):
    """Return the change of the heads' mean wait, per cent, where users' estimates are doubled, or
    else where estimates of the f-model replace perfect ones.

    It has to exceed the placebo's, too, where that is above none.
    """
    for row in payers[payers["jobs"] == HEADS].to_dict("records"):
        if row["change"] != TO_REAL and (row["change"] == DOUBLED) == doubled:
            scale = ratio(row["per cent"], row["minutes"])
            ends_ = (scale * row[end] for end in ("low", "high"))
            beyond = row["placebo"] if row["placebo"] > level("none") else None
            name = f"{row['log']}, {row['change']}"
            yield Case(name, row["per cent"], *ends_, threshold=beyond)
