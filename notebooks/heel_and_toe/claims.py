"""The statistics of the paper's claims; the rules are in
``data/published/heel_and_toe/claims.toml``.

Each function returns the cases of the claim of its name, or of those that name it.

Tables
------
runs : pandas.DataFrame
    Every run of EASY with f up to 10, at one or all of `campaign.LOADS`: `campaign.on_axis`.
vanilla, truncated : pandas.DataFrame
    Every run of EASY with the f-model and with the truncated f-model, f up to 10,000, at the logs'
    own loads.
barely : pandas.DataFrame
    Runs at very small f, with estimates cut at E_max and with estimates as they are:
    `campaign.barely`.
changes : pandas.DataFrame
    Changes by perfect and doubled estimates: `fig02.change`.
modal : pandas.DataFrame
    Modal and other estimates: `modality.summary`.
workloads : dict
    The workload of each log.
estimates, recorded, accuracy, at_e_max : pandas.DataFrame or dict
    `real_estimates.modality`, `real_estimates.workloads_as_recorded`,
    `real_estimates.rank_correlation`, `extreme.results`.
drawings : pandas.DataFrame
    `masquerade.samples`.
"""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pandas as pd

from notebooks.heel_and_toe import campaign, modality, real_estimates, trends
from notebooks.heel_and_toe.curves import BACKFILLED, PERFORMANCE, SHORT
from notebooks.heel_and_toe.masquerade import RATIOS, limit, probability
from notebooks.heel_and_toe.masquerade import verdict as distances
from notebooks.heel_and_toe.trends import difference, more
from notebooks.ratios import percent_more, ratio
from replication.verdicts.published import EvidenceError
from replication.verdicts.rules import BETWEEN, Case, around, level

CTC, KTH, SDSC, BLUE = "CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE"
L_SHAPED = {(CTC, "mean_wait"), (CTC, "mean_bounded_slowdown"), (KTH, "mean_wait")}
SMALL = 0.5  # f below it is "very small"
NONE = level("none")
LESS = 1 - NONE / 100


def named(log, measure, load="log") -> str:
    """Return the name of a panel: log, measure, and load where it is not the log's own."""
    return f"{log} {SHORT[measure]}" + ("" if load == "log" else f", {load} load")


def logs_of(table) -> list[str]:
    """Return the logs of a table in their order."""
    return list(dict.fromkeys(table["log"]))


def panels(table) -> list[tuple[str, str]]:
    """Return the pairs of log and measure of performance."""
    return [(log, measure) for log in logs_of(table) for measure in SHORT]


def part(runs, log, model="random", load="log") -> pd.DataFrame:
    """Return the runs of one log, model and load; EvidenceError if there are none."""
    row = _of(runs, log, model, load)
    if row.empty:
        raise EvidenceError(f"no runs of {log} with the model {model} at the load {load}")
    return row


def _of(runs, log, model, load="log"):
    return runs[(runs["log"] == log) & (runs["model"] == model) & (runs["load"] == load)]


def at(runs, measure, f, load="log") -> dict[str, tuple[float, float]]:
    """Return the mean of the random model at an f and its standard error, by log."""
    runs_at_f = runs[
        (runs["model"] == "random") & (runs["load"] == load) & np.isclose(runs["f"], f)
    ]
    values = {log: group[measure] for log, group in runs_at_f.groupby("log", sort=False)}
    return {
        log: (
            runs_of_log.mean(),
            runs_of_log.std() / np.sqrt(len(runs_of_log)) if len(runs_of_log) > 1 else 0.0,
        )
        for log, runs_of_log in values.items()
    }


def curve(runs, log, measure, model="random", load="log") -> pd.Series:
    """Return the mean over the seeds by f."""
    return part(runs, log, model, load).groupby("f")[measure].mean()


def band(runs, log, measure) -> pd.DataFrame:
    """Return the 5th and 95th percentile of the random model by f."""
    return part(runs, log).groupby("f")[measure].quantile([0.05, 0.95]).unstack()


def real(runs, log, measure) -> float:
    """Return the value of the run with real estimates."""
    return float(part(runs, log, "users")[measure].iloc[0])


def change(runs, log, measure, low, high, load="log") -> tuple[float, float, float]:
    """Return the change of a mean from one f to another, per cent of the mean at the first f, with
    its 95 % interval.
    """
    ends_ = [at(part(runs, log, load=load), measure, f, load)[log] for f in (low, high)]
    return more(*ends_, ends_[0][0])


def singles(runs, log) -> pd.DataFrame:
    """Return the single runs that Fig. 3 draws: the first seed of the random model, and the
    deterministic model.
    """
    random, exact = part(runs, log), _of(runs, log, "deterministic")
    return pd.concat([random[random["seed"] == random["seed"].min()], exact])


# ---- performance (sections 1, 3, 6 and 8)


def single_runs_help(runs) -> Iterator[Case]:
    """Return the share of single runs with f > 0 that are better than the run with f = 0, per cent,
    for all logs but SDSC.
    """
    for log, measure in panels(runs):
        if log != SDSC:
            single = singles(runs, log)
            limit = LESS * curve(runs, log, measure).iloc[0]
            better = single.loc[single["f"] > 0, measure] < limit
            yield Case(named(log, measure), 100 * better.mean())


def better_than_real(runs) -> Iterator[Case]:
    """Return the share of single runs that are better than the run with real estimates.

    For CTC's wait, the largest f of the runs that are not better.
    """
    for log, measure in panels(runs):
        single = singles(runs, log)
        worse = single.loc[single[measure] >= LESS * real(runs, log, measure), "f"]
        if (log, measure) == (CTC, "mean_wait"):
            name = f"{named(log, measure)}, largest f of a run that is not better"
            yield Case(name, worse.max(), operator="<", threshold=SMALL, unit="f")
        else:
            yield Case(named(log, measure), 100 * (1 - len(worse) / len(single)))


def sensitive_to_small_changes(runs) -> Iterator[Case]:
    """Return the median change of a single run from one f to the next, per cent."""
    for log, measure in panels(runs):
        ordered = [run.sort_values("f")[measure] for _, run in singles(runs, log).groupby("model")]
        steps = np.concatenate([abs(run.pct_change()).iloc[1:] for run in ordered])
        yield Case(named(log, measure), 100 * float(np.median(steps)))


def opposite_trends(runs) -> Iterator[Case]:
    """Return the change of the wait from f = 0 to f = 10, per cent: down in CTC, up in SDSC."""
    for log, sign, threshold in ((CTC, "<", -NONE), (SDSC, ">", NONE)):
        difference_at_10 = change(runs, log, "mean_wait", 0, 10)
        name = named(log, "mean_wait")
        yield Case(name, *difference_at_10, operator=sign, threshold=threshold, word_of_size="none")


def changes(runs, measures) -> Iterator[Case]:
    """Return the change of the means of some measures from f = 0 to f = 10, per cent."""
    for log in logs_of(runs):
        for measure in measures:
            name = named(log, measure) if measure in SHORT else log
            yield Case(name, *change(runs, log, measure, 0, 10))


def not_in_proportion(runs) -> Iterator[Case]:
    """Return half of the gain up to f = 5 less the gain from f = 5 to f = 10, per cent of the value
    at f = 0.
    """
    for log, measure in panels(runs):
        (at0, _), (at5, s5), (at10, s10) = (at(runs, measure, f)[log] for f in (0, 5, 10))
        gain = (at0 - at5) / 2 - (at5 - at10)
        yield Case(named(log, measure), *difference(gain, math.hypot(1.5 * s5, s10), at0))


def span(runs, least_f) -> Iterator[Case]:
    """Return the highest less the lowest mean over all f from `least_f` on, per cent of the value
    at f = 0.
    """
    for log, measure in panels(runs):
        yield Case(named(log, measure), *trends.span(part(runs, log), measure, least_f))


def deterministic_place(runs) -> Iterator[Case]:
    """Return the place of the deterministic run between the 5th (0) and the 95th (1) percentile of
    the random runs, median over f.
    """
    for log, measure in panels(runs):
        ends_, exact = band(runs, log, measure), curve(runs, log, measure, "deterministic")
        place = (exact - ends_[0.05]) / (ends_[0.95] - ends_[0.05])
        yield Case(named(log, measure), float(place[ends_.index > 0].median()))


def deterministic_better(runs) -> Iterator[Case]:
    """Return the mean of the deterministic run less the random mean over f > 0 at each load, per
    cent.
    """
    for load in campaign.LOADS:
        for log, measure in panels(runs):
            if load in campaign.loads_of(log):
                yield Case(named(log, measure, load), _exact_less_random(runs, log, measure, load))


def sjfness_deterministic(runs) -> list[Case]:
    """Return the SJFness of the deterministic run less that of the random mean at the logs' own
    loads, per cent.
    """
    return [Case(log, _exact_less_random(runs, log, "sjfness")) for log in logs_of(runs)]


def _exact_less_random(runs, log, measure, load="log"):
    random, exact = (curve(runs, log, measure, m, load) for m in ("random", "deterministic"))
    share = exact / random - 1
    return float(100 * share[share.index > 0].mean())


def simulations() -> Iterator[Case]:
    """Return the number of runs of the random model on the paper's grids."""
    panel = len(campaign.badness(10)) * campaign.PAPER_SCALE.seeds
    figures = panel * sum(len(campaign.loads_of(log)) for log in (CTC, KTH, SDSC, BLUE))
    yield Case("a panel", panel, operator=BETWEEN, threshold=around(10_000))
    yield Case("Figs. 4 to 6", figures, threshold=100_000)
    yield Case("all ranges of f", figures * len(campaign.RANGES), threshold=400_000)


# ---- shapes (section 3)


def falls(runs, loads) -> Iterator[Case]:
    """Return the fall from f = 0 to the lowest point at each load, per cent: V and L are the shapes
    that fall.
    """
    for load in loads:
        for row in _shapes(runs, load):
            name = named(row["log"], row["measure"], row["load"])
            yield Case(name, *trends.change(row, "fall"))


def v_shapes(runs, loads, logs=None) -> Iterator[Case]:
    """Return fall and rise of the curves of some logs, or of all, at each load."""
    for load in loads:
        for row in _shapes(runs, load, logs):
            yield from shape_cases(row, "V")


def shapes(runs, vanilla) -> Iterator[Case]:
    """Return fall and rise of the curves: of CTC and SDSC for f up to 10, of KTH and BLUE for f up
    to 100.
    """
    wide = trends.on_grid(vanilla, 100, campaign.RANGES[100])
    for row in [*_shapes(runs, logs=(CTC, SDSC)), *_shapes(wide, None, (KTH, BLUE))]:
        yield from shape_cases(row, "L" if (row["log"], row["measure"]) in L_SHAPED else "V")


def trends_invariant(runs) -> Iterator[Case]:
    """Return fall and rise of CTC at high load, an L, and of SDSC at low load, a V."""
    for load, log, letter in (("high", CTC, "L"), ("low", SDSC, "V")):
        for row in _shapes(runs, load, (log,)):
            yield from shape_cases(row, letter)


def low_load_flatter(runs) -> Iterator[Case]:
    """Return the rise at low load less the rise at the log's own load, per cent of the value at f =
    0, of the V curves.
    """
    own_load = {(row["log"], row["measure"]): row for row in _shapes(runs)}
    for row in _shapes(runs, "low", (KTH, SDSC, BLUE)):
        if (row["log"], row["measure"]) in L_SHAPED:
            continue
        low = trends.change(row, "rise")
        base = trends.change(own_load[row["log"], row["measure"]], "rise")
        # The half-widths of independent results add up as squares.
        below, above = (math.hypot(low[k] - low[0], base[3 - k] - base[0]) for k in (1, 2))
        less = low[0] - base[0]
        yield Case(named(row["log"], row["measure"]), less, less - below, less + above)


def _shapes(runs, load="log", logs=None):
    """Return `trends.shapes` of some logs at a load as dicts."""
    selected = runs[runs["log"].isin(logs)] if logs else runs
    selected = selected[selected["load"] == load] if load else selected
    return trends.shapes(selected, PERFORMANCE).to_dict("records")


def shape_cases(row, letter) -> Iterator[Case]:
    """Yield the two parts of a V (falls, then rises) or an L (falls, does not rise)."""
    name = f"{named(row['log'], row['measure'], row['load'])}, expected {letter}"
    for turn, sign in (("fall", ">"), ("rise", ">" if letter == "V" else "<=")):
        yield Case(name, *trends.change(row, turn), part=turn, operator=sign)


# ---- backfilling and heel and toe (sections 4 to 6)


def growth_by_steps(runs, measures, first) -> Iterator[Case]:
    """Return the change from a whole f to f = 10 and from step to step, per cent, of
    each measure.
    """
    for log in logs_of(runs):
        for measure in measures:
            name = log if len(measures) == 1 else f"{log} {measure}"
            fs = [*range(first, 11)]
            yield from _steps(part(runs, log), log, measure, fs, name, ">", -NONE)


def sjfness_falls_on(runs) -> Iterator[Case]:
    """Return the change of SJFness from its highest point to f = 10 and from step to step."""
    for log in logs_of(runs):
        peak = curve(runs, log, "sjfness").idxmax()
        fs = [peak, *(f for f in range(11) if f > peak)]
        yield from _steps(part(runs, log), log, "sjfness", fs, log, "<", NONE)


def _steps(runs, log, measure, fs, name, sign, slack):
    """Yield the change from end to end, and each step, whose threshold is `slack`."""
    whole = change(runs, log, measure, fs[0], fs[-1])
    yield Case(name, *whole, part=f"f = {fs[0]:g} to {fs[-1]:g}", operator=sign)
    for a, b in pairwise(fs):
        step = change(runs, log, measure, a, b)
        interval_of_f = f"f = {a:g} to {b:g}"
        yield Case(name, *step, interval_of_f, sign, threshold=slack, word_of_size="none")


def tight_intervals(runs) -> Iterator[Case]:
    """Return the largest half-width over f of the 5th to 95th percentile, per cent of the mean."""
    for log in logs_of(runs):
        for measure in BACKFILLED:
            ends_ = band(runs, log, measure)
            widths = 50 * (ends_[0.95] - ends_[0.05]) / curve(runs, log, measure)
            yield Case(f"{log} {measure}", widths.max())


def rates_follow_load(runs) -> Iterator[Case]:
    """Return the share of backfilled jobs at f = 10 of each log less the share of the log with the
    next lower load, percentage points.
    """
    rates = at(runs, "backfilled", 10)
    for low, high in pairwise(sorted(rates, key=campaign.utilization)):
        yield Case(f"{high} less {low}", *more(rates[low], rates[high]))


def growth_whatever_the_load(runs) -> Iterator[Case]:
    """Return the largest less the smallest growth from f = 0 to f = 10 over the loads, percentage
    points.
    """
    for log in logs_of(runs):
        for measure in ("backfilled_run_time", "backfilled_size"):
            growth = [change(runs, log, measure, 0, 10, load) for load in campaign.loads_of(log)]
            least, most = min(growth), max(growth)
            apart, half = most[0] - least[0], math.hypot(least[2] - least[0], most[2] - most[0])
            yield Case(f"{log} {measure}", apart, apart - half, apart + half)


def equal_load_equal_rates(runs) -> Iterator[Case]:
    """Return the largest share of backfilled jobs over the smallest at f = 10 and equal load, per
    cent more.
    """
    at_own_load = at(runs, "backfilled", 10)
    for load in ("high", "low"):
        # The log that sets a load is not run at it a second time.
        rates = [mean for mean, _ in (at_own_load | at(runs, "backfilled", 10, load)).values()]
        yield Case(f"{load} load", percent_more(max(rates), min(rates)))


def short_enjoy_more(runs) -> Iterator[Case]:
    """Return the mean run time of backfilled jobs less the mean of the other jobs at f = 10, per
    cent of the mean of the other jobs.
    """
    for log in logs_of(runs):
        backfilled, regular = (
            at(runs, f"{kind}_run_time", 10)[log] for kind in ("backfilled", "regular")
        )
        yield Case(log, *more(regular, backfilled, regular[0]))


def wild_longer_wider(runs) -> Iterator[Case]:
    """Return the mean run time and the mean size of wild backfills over the means of all backfills
    at f = 10.
    """
    for log in logs_of(runs):
        for measure, name in (("run_time", "run time"), ("size", "size")):
            wild, every = (
                at(runs, f"{kind}_{measure}", 10)[log][0] for kind in ("wild", "backfilled")
            )
            yield Case(log, ratio(wild, every), part=name)


def load_affects_wild(runs) -> Iterator[Case]:
    """Return the share of wild backfills at f = 10 and high load less the share at low load,
    percentage points.
    """
    for log in logs_of(runs):
        loads = [load if load in campaign.loads_of(log) else "log" for load in ("low", "high")]
        yield Case(log, *more(*(at(runs, "wild", 10, load)[log] for load in loads)))


def blue_trend_is_load(runs) -> Iterator[Case]:
    """Return the fall of the share of delayed jobs from its highest point to f = 10, per cent of
    the highest share.
    """
    for log in logs_of(runs):
        for load in campaign.loads_of(log):
            if log != BLUE and load == "low":
                continue
            delayed = trends.band(part(runs, log, load=load), "delayed")
            fall = trends.higher(delayed, "max", -1, delayed["mean"].max() / 100)
            falls = load == "high" or (log in (BLUE, SDSC) and load == "log")
            name = f"{log}, {campaign.LOADS[load]}"
            yield Case(name, *fall, operator=">" if falls else "<=")


def no_wild_at_0(runs) -> list[Case]:
    """Return the share of wild backfills at f = 0, per cent."""
    return [Case(log, 100 * mean) for log, (mean, _) in at(runs, "wild", 0).items()]


def real_wild(runs) -> list[Case]:
    """Return the share of wild backfills with real estimates, per cent."""
    return [Case(log, 100 * real(runs, log, "wild")) for log in logs_of(runs)]


def wild_is_delayed_times_events(runs) -> list[Case]:
    """Return the largest relative distance of delayed jobs times events for each from the wild
    backfills, over all runs.
    """
    with_wild = runs[runs["wild"] > 0]
    off = abs(with_wild["delayed"] * with_wild["events"] - with_wild["wild"]) / with_wild["wild"]
    return [Case(f"{len(with_wild):,} runs", float(off.max()))]


def sjfness_lambda(runs) -> Iterator[Case]:
    """Return the rise of SJFness to its highest point, by the lower end of its interval, and the
    fall beyond that point, per cent of the value at f = 0.
    """
    for log in logs_of(runs):
        curve_runs = part(runs, log)
        # The shape of a V, upside down.
        row = trends.shape(curve_runs.assign(sjfness=-curve_runs["sjfness"]), "sjfness")
        _, least, _ = trends.change(row, "fall")
        yield Case(log, least, part="least rise", threshold=0)
        yield Case(log, *trends.change(row, "rise"), part="fall")


def masquerade(drawings) -> Iterator[Case]:
    """Return the distance of the drawn values from the formula, and the change of the formula as F
    grows.
    """
    summary = distances(drawings)
    factors = np.geomspace(1.01, 1e6, 500)
    curves = {ratio: probability(ratio, factors) for ratio in RATIOS}
    least = min(float(np.diff(drawn).min()) for drawn in curves.values())
    most = max(float(drawn.max() - limit(ratio)) for ratio, drawn in curves.items())
    name = "formula and drawings"
    yield Case(name, summary["largest"], part="distance", unit="standard errors")
    yield Case(
        name, summary["impossible_drawn"], part="drawn where impossible", operator="<=", threshold=0
    )
    yield Case(name, least, part="least step of the formula", operator=">=", threshold=0)
    yield Case(name, most, part="formula less its limit", operator="<=", threshold=0)


# ---- estimates (sections 7 and 8)


def peaks_are_popular(recorded) -> Iterator[Case]:
    """Return the share of the ten bins whose accuracy stands out that have a popular estimate, per
    cent: of bins of equally many jobs, and as the other end of an interval, of equal width.
    """
    for log, workload in recorded.items():
        jobs, width = (
            100 * np.mean([popular > 0 for _, popular in real_estimates.peaks(workload, equal)])
            for equal in ("jobs", "width")
        )
        yield Case(log, jobs, min(jobs, width), max(jobs, width))


def value_at_e_max(at_e_max, column) -> Iterator[Case]:
    """Return a column of `extreme.results` for each log and measure."""
    for row in at_e_max.to_dict("records"):
        yield Case(named(row["log"], row["measure"]), row[column])


def e_max_stops_hole_filling(at_e_max) -> Iterator[Case]:
    """Return the backfilled jobs that were to end by the head's reservation, per cent
    of all jobs.
    """
    for row in at_e_max.drop_duplicates("log").to_dict("records"):
        yield Case(row["log"], row["in time, at E_max [%]"])


def truncation_harmless_at_first(barely) -> Iterator[Case]:
    """Return the change of a measure if estimates are cut at E_max, at each very small f and seed
    by seed, per cent.
    """
    for log, measure in panels(barely):
        for f in campaign.VERY_SMALL:
            pair = barely[(barely["log"] == log) & np.isclose(barely["f"], f)].set_index("seed")
            before, after = (
                pair.loc[cut, measure] for cut in (pair["e_max"].isna(), pair["e_max"] > 0)
            )
            more = after - before
            error = more.std() / math.sqrt(len(more))
            interval = difference(more.mean(), error, before.mean())
            yield Case(named(log, measure), *interval, part=f"f = {f:g}")


def truncated_meets_real(truncated) -> Iterator[Case]:
    """Return the f at which the truncated model comes up to the real estimates."""
    for row in trends.crossovers(truncated, PERFORMANCE).to_dict("records"):
        yield Case(named(row["log"], row["measure"]), row["meets at f"])


def vanilla_never_meets_real(vanilla) -> Iterator[Case]:
    """Return the highest mean beyond the lowest point over the value with real estimates."""
    for log, measure in panels(vanilla):
        means = curve(vanilla, log, measure)
        highest = means.iloc[int(np.argmin(means)) :].max()
        meets = (log, measure) == (BLUE, "mean_wait")
        share = ratio(highest, real(vanilla, log, measure))
        yield Case(named(log, measure), share, operator=">=" if meets else "<")


def crossover_differs(truncated) -> Iterator[Case]:
    """Return each f at which the truncated model meets the real estimates over the next smaller
    such f: the lower end of the interval of the quotient, per cent more.

    Half-widths of the logarithms of the two are added as squares.
    """
    met = trends.crossovers(truncated, PERFORMANCE).dropna(subset="meets at f")
    rows = met.sort_values("meets at f", kind="stable").to_dict("records")
    for row, after in pairwise(rows):
        difference = math.log(ratio(after["meets at f"], row["meets at f"]))
        below = math.log(ratio(after["meets at f"], after["from"]))
        above = math.log(ratio(row["to"], row["meets at f"]))
        name = f"{named(after['log'], after['measure'])} over {named(row['log'], row['measure'])}"
        yield Case(name, 100 * math.expm1(difference - math.hypot(below, above)))


def modal_like_real(modal, workloads) -> Iterator[Case]:
    """Return the distance of the modal model at the log's own share from real
    estimates, per cent.
    """
    for row in _kept(modal, workloads).query("own").to_dict("records"):
        keys = ("value", "mean_low", "mean_high")
        ends_ = (percent_more(row[key], row["real"]) for key in keys)
        yield Case(named(row["log"], row["measure"]), *ends_)


def _kept(modal, workloads):
    """Return the rows of the logs that keep nearly all their work when run times are cut."""
    return modal[modal["log"].isin(modality.logs_with_little_lost(workloads))]


def modal_change(modal, workloads, shares, step=False) -> Iterator[Case]:
    """Return the change from the smallest share at E_max to the largest, or from each share to the
    next, per cent.
    """
    for row in modality.change(_kept(modal, workloads), shares, step).to_dict("records"):
        name = f"{named(row['log'], row['measure'])} {row['from [%]']:.0f} to {row['to [%]']:.0f} %"
        yield Case(name, *(row[f"{end} [%]"] for end in ("change", "low", "high")))


# ---- numbers of the text, as `Page.compare` takes them


def wild_shares(runs) -> list[dict]:
    """Return the least and largest share of wild backfills over the logs at f = 10 (Fig. 9)."""
    return _ends("wild_share", [100 * mean for mean, _ in at(runs, "wild", 10).values()])


def delayed_share(runs) -> list[dict]:
    """Return the mean share of delayed jobs over the logs at f = 10 (Fig. 10)."""
    shares = [mean for mean, _ in at(runs, "delayed", 10).values()]
    return [_text("delayed_share", 100 * np.mean(shares), "f-random")]


def _ends(measure, values):
    return [_text(f"{measure}_{end.__name__}", end(values)) for end in (min, max)]


def _text(measure, value, policy="f=10"):
    keys = {"trace": "all", "policy": policy, "measure": measure}
    return keys | {"value": float(value), "unit": "%"}
