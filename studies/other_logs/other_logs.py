"""The headline conclusions of the three papers on thirteen logs: schedules, effects, intervals,
words and pools.

The rules are in ``rules.toml`` and ``README.md`` beside this file. Every quantity is a quotient of
two sums over jobs, so a schedule is reduced to such sums for each week of submission; effects and
intervals come from the sums. All jobs of a log count.
"""

import itertools
import math
import tomllib
import warnings
from pathlib import Path

import joblib
import numpy as np
import pandas as pd
from scipy import stats

import replication as rp
from notebooks import audits
from notebooks.pv_easy import runs
from replication.simulator.estimates.modal import SMALLEST_E_MAX
from replication.simulator.estimates.models import MissingEstimates
from replication.simulator.observation import observe
from replication.simulator.schedules import intervals, measures

WEEK = 7 * 24 * 3600
RULES = tomllib.loads(Path(__file__).with_name("rules.toml").read_text(encoding="utf-8"))
CONCLUSIONS = {key: rule for key, rule in RULES.items() if isinstance(rule, dict)}
#: Shares of the jobs that may pass the head at random. The last ones are tried in turn, then those
#: between the two where wild backfills become more than wanted, until they differ by `PRECISION`.
SHARES = (0.01, 0.1, 0.2, 0.4, 0.7, 1.0)
PRECISION = 1.04
MODAL_SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3)
#: The lifetimes of EASY's reservation by the key of their conclusions.
LIFETIMES = {name.split(" EASY")[0].replace(" ", "-"): name for name in runs.LIFETIMES}
PREDICTORS = {
    "Top 3 %": rp.TopPercent(3),
    "Complete": rp.Complete(),
    "CVH": rp.CVH(),
    "Tsafrir": rp.Tsafrir(),
}
#: The arms that are compared at an equal share of wild backfills.
MATCHED = "f = 1", "random wild"
NO_INTERVAL, NO_MATCH = "no interval", "no match"
COLUMNS = "log load conclusion measure value low high p word".split()
POOLED = "pooled low high prediction_low prediction_high above_one pooled_logs".split()
FEWEST = 3  # machines of a mean with an interval
LARGEST = 10  # standard errors; an effect of more is not expected
#: Quotients whose interval spans more than this factor have no usable interval.
USABLE = 100


def loads(workload):
    """Return the loads at which a log is simulated: None for its own, and those above it."""
    return [None, *(load for load in RULES["loads"] if load > workload.load)]


def reduce(schedules):
    """Return sums over the jobs of each week, over the runs of several seeds.

    Parameters
    ----------
    schedules : list of replication.Schedule
        Of one workload.

    Returns
    -------
    dict of str to float64[2, weeks]
        For each measure the sums above and below the line.
    """
    w = schedules[0].workload
    _, week = np.unique((w.submit - w.submit[0]) // WEEK, return_inverse=True)
    ones, run_time, size = np.ones(len(w)), w.run_time.astype(float), w.processors.astype(float)
    total = {}
    for run in schedules:
        wait, filled = run.wait.astype(float), run.backfilled.astype(float)
        flow, area = wait + run_time, size * run_time
        priority = size * (flow**2 - wait**2)
        pv = measures.pv_bounded_slowdown(wait, run_time)
        columns = {
            "mean_wait": (wait, ones),
            "mean_bounded_slowdown": (measures.bounded_slowdown(wait, run_time), ones),
            "mbs": (pv, ones),
            "mwbs": (size * pv, size),
            "ap0waf": (area * flow, area),
            "ap1waf": (priority * flow, priority),
            "backfilled": (filled, ones),
            "backfilled_run_time": (filled * run_time, filled),
            "backfilled_size": (filled * size, filled),
            "regular_run_time": ((1 - filled) * run_time, 1 - filled),
            "killed": (100.0 * (run.times_killed > 0), ones),
            "wasted_load": (
                100.0 * measures.wasted_time(run) * size,
                np.full(len(w), w.machine * w.span / len(w)),
            ),
        }
        if run.prediction is not None:
            columns["underpredicted"] = (100.0 * (run.prediction < run_time), ones)
        for name, pair in columns.items():
            sums = np.array([np.bincount(week, column) for column in pair])
            total[name] = total.get(name, 0) + sums
    return total


def arms(workload, workers=2):
    """Return the weekly sums of every schedule that the conclusions compare, for a log at a load.

    Parameters
    ----------
    workload : replication.Workload
    workers : int
        Threads.

    Returns
    -------
    sums : dict of str to dict
        By the name of the arm; see `reduce`.
    facts : dict of str to float
        Quantities without intervals: violations, the share of jobs let past at random, and the
        shares of wild backfills of the two `MATCHED` arms, means over the seeds.
    """
    seeds = range(1, RULES["seeds"] + 1)
    easy = rp.EASY()
    tasks = {
        "perfect": [(easy, rp.Perfect(), 1)],
        "perfect doubled": [(easy, rp.Deterministic(1), 1)],
        "f = 1": [(easy, rp.FModel(1), seed) for seed in seeds],
        "f = 10": [(easy, rp.FModel(10), seed) for seed in seeds],
    }
    has_estimates = workload.without_estimate <= RULES["most_without_estimate"]
    if has_estimates:
        users, doubled = rp.Users(), rp.Users(2)
        tasks |= {
            "users": [(easy, users, 1)],
            "users doubled": [(easy, doubled, 1)],
            "PV-EASY": [(rp.PVEasy(), users, 1)],
            "PV-EASY, now": [(rp.PVEasy(correction="now"), users, 1)],
            "shortest first, Tsafrir": [
                (rp.EASY(candidates="shortest", predictor=rp.Tsafrir()), users, 1)
            ],
        }
        for name, predictor in PREDICTORS.items():
            tasks[name] = [(rp.EASY(predictor=predictor), users, 1)]
        for name, variant in runs.VARIANTS.items():
            tasks[f"EASY-Last, {name}"] = [(variant.of(rp.EASY(predictor=rp.Last())), users, 1)]
            if name in runs.LIFETIMES:
                tasks[f"EASY, {name}"] = [(variant.of(easy), users, 1)]
        limit = int(workload.estimate.max())
        shares = MODAL_SHARES if limit >= SMALLEST_E_MAX else ()
        usable = [s for s in shares if rp.Modal(limit, s).covers(workload, seeds)]
        if usable and rp.Modal(limit, 0.5).covers(workload, seeds):
            for name, share in (("modal, few", usable[0]), ("modal, half", 0.5)):
                tasks[name] = [(easy, rp.Modal(limit, share), seed) for seed in seeds]
    let_past, matched = share_of_wild(workload)
    tasks["random wild"] = [(rp.PaperEASY(let_past=let_past), rp.Perfect(), seed) for seed in seeds]

    def simulate_arm(name, several):
        facts = {}
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingEstimates)  # the log is marked in all tables
            if name in MATCHED:
                seen = [
                    observe(workload, model, seed, scheduler) for scheduler, model, seed in several
                ]
                facts[f"wild, {name}"] = float(np.mean([run.measures["wild"] for run in seen]))
                schedules = [run.schedule for run in seen]
            else:
                schedules = [rp.simulate(workload, *run) for run in several]
        if name == f"EASY-Last, {runs.TEXTBOOK}":
            facts["violations"] = float((audits.reservation_delays(schedules[0]) > 0).sum())
        return name, reduce(schedules), facts

    results = joblib.Parallel(workers, prefer="threads")(
        joblib.delayed(simulate_arm)(*task) for task in tasks.items()
    )
    facts = {"let past": let_past, "matched": matched}
    for _, _, arm_facts in results:
        facts |= arm_facts
    return {name: sums for name, sums, _ in results}, facts


def share_of_wild(workload):
    """Return the share of jobs to let past the head at random with as many wild backfills as f = 1
    has, for the first seed, and whether there is one.

    Of the shares tried, the one whose wild backfills are nearest by quotient. Where no share has as
    many, that is the one with the most.
    """
    tried = {}

    def is_enough(share):
        observed = observe(workload, rp.Perfect(), 1, rp.PaperEASY(let_past=share))
        tried[share] = observed.measures["wild"]
        return tried[share] > wanted

    def distance(share):
        both = tried[share], wanted
        return abs(math.log(tried[share] / wanted)) if min(both) > 0 else math.inf

    wanted, matched = observe(workload, rp.FModel(1), 1).measures["wild"], False
    for below, above in itertools.pairwise(SHARES):
        if matched := bool(is_enough(above)):
            while above > PRECISION * below:
                middle = math.sqrt(below * above)
                below, above = (below, middle) if is_enough(middle) else (middle, above)
            break
    return min(sorted(tried), key=distance), matched


#: The arms of each conclusion: one over, or less, another; several in place of one mean the least
#: of them.
PAIRS = {
    "perfect-helps": ("perfect", "users"),
    "doubling-users": ("users doubled", "users"),
    "doubling-perfect": ("perfect doubled", "perfect"),
    "small-f-helps": ("f = 1", "perfect"),
    "large-f-helps": ("f = 10", "perfect"),
    "random-wild-backfills": ("random wild", "perfect"),
    "more-backfilled": ("f = 10", "perfect"),
    "longer-and-wider": ("f = 10", "perfect"),
    "short-jobs-backfilled": ("f = 10", "f = 10"),
    "modal-worse": ("modal, half", "modal, few"),
    **{f"pv-easy-like-{key}": ("PV-EASY", f"EASY, {name}") for key, name in LIFETIMES.items()},
    **{
        f"pv-easy-beats-last-{key}": ("PV-EASY", f"EASY-Last, {name}")
        for key, name in LIFETIMES.items()
    },
    **{
        f"pv-easy-beats-last-{key}-now": ("PV-EASY, now", f"EASY-Last, {name}, now")
        for key, name in LIFETIMES.items()
    },
    "few-are-killed": ("PV-EASY", None),
    "little-waste": ("PV-EASY", None),
    "top-underpredicts-least": ("Top 3 %", ("Complete", "CVH", "Tsafrir")),
    "top-beats-estimates": ("Top 3 %", "users"),
    "shortest-first-with-predictions": ("shortest first, Tsafrir", "users"),
}
#: Measures of the two arms where they differ from the conclusion's own.
COLUMN = {"run_time": ("backfilled_run_time", "regular_run_time")}


def effect(sums, conclusion, measure):
    """Return an effect with the ends of its 95 % interval over weeks, and its p-value.

    Of several arms to compare with, the one that is least in the whole log is taken.

    Parameters
    ----------
    sums : dict
        Of `arms`.
    conclusion, measure : str

    Returns
    -------
    tuple of float
        A quotient, or a difference or a value in the unit of the measure; the ends; and the
        probability of a value as far from the rule's threshold. nan over no jobs.
    """
    arm, other = PAIRS[conclusion]
    column, other_column = COLUMN.get(measure, (measure, measure))
    pairs = [sums[arm][column]]
    if other:
        others = other if isinstance(other, tuple) else (other,)
        pairs.append(min((sums[name][other_column] for name in others), key=_mean))
    quotient = CONCLUSIONS[conclusion]["effect"] == "quotient"
    # Columns are above and below the line, rows weeks.
    columns = np.vstack(pairs).T
    totals = intervals.sums_without(columns, WEEK * np.arange(len(columns)))
    with np.errstate(divide="ignore", invalid="ignore"):
        values = totals[:, 0] / totals[:, 1]
        if other:
            base = totals[:, 2] / totals[:, 3]
            values = values / base if quotient else values - base
    factor = intervals.PRIORITY if measure in ("ap0waf", "ap1waf") else intervals.PLAIN
    rule = CONCLUSIONS[conclusion]
    p = intervals.p_value(values, rule.get("below", rule.get("above")), factor, log=quotient)
    return *intervals.interval(values, factor, log=quotient), p


def _mean(pair):
    above, below = pair.sum(axis=1)
    return above / below if below > 0 else math.inf


def word(rule, value, low, high):
    """Return for, against or open: the side of the rule's threshold on which the whole interval
    lies; no interval, where there is none or that of a quotient spans more than `USABLE`.
    """
    quotient = rule.get("effect") == "quotient"
    if math.isnan(value) or math.isnan(low) or (quotient and high > USABLE * low):
        return NO_INTERVAL
    if "below" in rule:
        return "for" if high < rule["below"] else "against" if low >= rule["below"] else "open"
    return "for" if low > rule["above"] else "against" if high <= rule["above"] else "open"


def cases(workload, load=None, workers=2):
    """Return the cases of a log at a load, and its facts.

    Parameters
    ----------
    workload : replication.Workload
    load : float, optional
        Offered load; by default that of the log.
    workers : int

    Returns
    -------
    pandas.DataFrame
        A row for each conclusion and measure: `COLUMNS`, load being a share. Conclusions that the
        log cannot decide are left out.
    dict of str to float
    """
    jobs = workload if load is None else workload.at_load(load)
    sums, facts = arms(jobs, workers)
    waits = {arm: float(np.divide(*total["mean_wait"].sum(axis=1))) for arm, total in sums.items()}
    rows = []
    for conclusion, rule in CONCLUSIONS.items():
        if conclusion == "easy-last-violates":
            if "violations" in facts:
                value, nan = facts["violations"], math.nan  # a count has no interval
                said = word(rule, value, value, value)
                rows.append((conclusion, "violations", value, nan, nan, nan, said))
            continue
        arm, other = PAIRS[conclusion]
        needed = [arm, *(other if isinstance(other, tuple) else [other] if other else [])]
        baseline = needed[-1] if rule["effect"] == "quotient" else arm
        if not set(needed) <= set(sums) or waits[baseline] < RULES["least_wait"]:
            continue
        for measure in rule["measures"]:
            *interval, p = effect(sums, conclusion, measure)
            said = word(rule, *interval)
            if conclusion == "random-wild-backfills" and not facts["matched"]:
                p, said = math.nan, NO_MATCH
            rows.append((conclusion, measure, *interval, p, said))
    table = pd.DataFrame(rows, columns=COLUMNS[2:])
    table.insert(0, "load", jobs.load)
    table.insert(0, "log", workload.name)
    table["recorded load"] = load is None
    facts |= {"load": jobs.load} | {f"mean wait, {arm}": wait for arm, wait in waits.items()}
    return table, facts


def random_wild(facts):
    """Return how many jobs pass the head at random, and the wild backfills of the `MATCHED` arms.

    Parameters
    ----------
    facts : iterable of (str, dict)
        Of each log and load, the name of the log and the facts of `cases`.

    Returns
    -------
    pandas.DataFrame
        Columns log, load; let past, and wild, f = 1 and wild, random wild, per cent of all jobs;
        matched, whether a share of jobs has as many.
    """
    names = ["let past", *(f"wild, {arm}" for arm in MATCHED)]
    rows = [
        [log, row["load"], *(100 * row[name] for name in names), row["matched"]]
        for log, row in facts
    ]
    return pd.DataFrame(rows, columns=["log", "load", *names, "matched"])


def of_log(table):
    """Return the word of each log on each conclusion, from its cases at the recorded load.

    A conclusion without a case on any log, as many are where nobody waits, has no interval on all.
    """
    table = table[table["recorded load"]]

    def joint_word(words):
        words = set(words)
        if len(words) == 1 and words & {NO_INTERVAL, NO_MATCH}:
            return words.pop()
        if "against" not in words and "for" in words:
            return "for"
        return "against" if "for" not in words and "against" in words else "open"

    words = table.groupby(["conclusion", "log"], sort=False)["word"].agg(joint_word).reset_index()
    absent = itertools.product(CONCLUSIONS.keys() - {*words["conclusion"]}, table["log"].unique())
    rows = [[*names, NO_INTERVAL] for names in sorted(absent)]
    return pd.concat([words, pd.DataFrame(rows, columns=words.columns)]) if rows else words


def certain(p, level=0.05):
    """Return which of several results survive Holm's correction for their number, bool[n].

    Parameters
    ----------
    p : float64[n]
        Their p-values; nan never survives, and does not count.
    """
    p = np.asarray(p, float)
    finite = np.isfinite(p)
    order = np.argsort(np.where(finite, p, np.inf), kind="stable")
    holds = p[order] <= level / np.maximum(finite.sum() - np.arange(len(p)), 1)
    survives = np.zeros(len(p), bool)
    survives[order] = np.logical_and.accumulate(holds)
    return survives


def could_survive(submit, results, level=0.05):
    """Return whether a result of a log could survive Holm's correction for several results: whether
    an effect of `LARGEST` standard errors does, with the most degrees of freedom that its blocks
    of weeks allow.
    """
    blocks = int(intervals.blocks(submit)[-1]) + 1
    return bool(results and 2 * stats.t.sf(LARGEST, (blocks - 1) / 2) <= level / results)


def pool(effects, level=0.95):
    """Return the geometric mean of some quotients with its confidence and its prediction interval.

    Both are Student's on the logarithms. Every machine counts alike: weights by precision would
    favour the machines on which little happens, since standard errors grow with effects. The
    prediction interval is that of the quotient that one more machine would show.

    Parameters
    ----------
    effects : float64[k]
        Quotients; those that are not above 0 are left out.

    Returns
    -------
    dict of str to float
        The values of `POOLED`: the mean, the ends of both intervals, the probability that the
        quotient of one more machine is above 1, and the number of machines. nan for fewer than
        three machines.
    """
    y = np.asarray(effects, float)
    y = np.log(y[y > 0])
    k = len(y)
    if k < FEWEST:
        return dict.fromkeys(POOLED, math.nan) | {"pooled_logs": k}
    t, deviation = stats.t.ppf((1 + level) / 2, k - 1), y.std(ddof=1)
    one_more = deviation * math.sqrt(1 + 1 / k)
    half, wide = t * deviation / math.sqrt(k), t * one_more
    values = np.exp(y.mean() + np.array([0, -half, half, -wide, wide]))
    above_one = stats.t.sf(0, k - 1, loc=y.mean(), scale=one_more)
    return dict(zip(POOLED, (*map(float, values), float(above_one), k), strict=True))


def compared(table):
    """Return the cases whose two arms can be compared."""
    return table[table["word"] != NO_MATCH]


def left_out(table):
    """Return each quotient at its recorded load beside the prediction interval of the other
    machines.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `cases`, of several logs.

    Returns
    -------
    pandas.DataFrame
        conclusion, measure, log, value, low, high, inside (bool). Conclusions of fewer than four
        machines are left out.
    """
    rows = []
    table = compared(table[table["recorded load"] & (table["value"] > 0)])
    for (conclusion, measure), part in table.groupby(["conclusion", "measure"], sort=False):
        if CONCLUSIONS[conclusion]["effect"] != "quotient" or len(part) <= FEWEST:
            continue
        for row in part.itertuples():
            rest = pool(part.loc[part["log"] != row.log, "value"])
            low, high = rest["prediction_low"], rest["prediction_high"]
            inside = low <= row.value <= high
            rows.append((conclusion, measure, row.log, row.value, low, high, inside))
    return pd.DataFrame(rows, columns="conclusion measure log value low high inside".split())


def describe(workload):
    """Return facts of a log that may separate logs that agree with a conclusion from those that do
    not.
    """
    run_time, estimate = workload.run_time.astype(float), workload.estimate.astype(float)
    counts = np.sort(np.unique(workload.estimate, return_counts=True)[1])[::-1]
    has_estimates = workload.without_estimate <= RULES["most_without_estimate"]
    nan = math.nan
    past = dict(workload.cleaning).get("estimate-raised", 0) / len(workload)
    return {
        "log": workload.name,
        "jobs": len(workload),
        "processors": workload.machine,
        "load": workload.load,
        "without estimate": workload.without_estimate,
        "past the estimate": past if has_estimates else nan,
        "accuracy": float((run_time / np.maximum(estimate, 1)).mean()) if has_estimates else nan,
        "twenty estimates": float(counts[:20].sum() / len(workload)) if has_estimates else nan,
        "size and run time": float(stats.spearmanr(workload.processors, run_time).statistic),
    }
