"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/heel_and_toe``."""

import math
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from replication.evidence.claims import (
    Claims,
    above,
    around,
    below,
    every,
    level,
    opposite,
    totals,
    within,
)
from replication.papers.heel_and_toe import (
    campaign,
    causes,
    masquerade,
    modality,
    real_estimates,
    trends,
)
from replication.papers.heel_and_toe.curves import BACKFILLED, PERFORMANCE, SHORT, WILD
from replication.papers.heel_and_toe.trends import difference

CTC, KTH, SDSC, BLUE = "CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE"
L_SHAPED = {(CTC, "mean_wait"), (CTC, "mean_bounded_slowdown"), (KTH, "mean_wait")}
SMALL = 0.5  # f below it is "very small"
STEPS = (0.1, 0.2, 0.3)
CLAIMS = Claims("heel_and_toe")
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate
__all__ = ["CLAIMS", "evaluate", "interval", "totals"]


def panels(evidence):
    """Every log with both measures of performance."""
    return [(log, measure) for log in evidence.logs() for measure in PERFORMANCE]


def named(log, measure, load="log"):
    """A log, a measure and a load in words."""
    return f"{log} {SHORT[measure]}" + ("" if load == "log" else f", {load} load")


def interval(change, unit=" %"):
    """A change with its interval in words."""
    return f"{change[0]:+.1f}{unit} ({change[1]:+.1f} to {change[2]:+.1f})"


# ---- performance (sections 1, 3, 6 and 8)


def _changed(e, columns):
    for row in e.real_and_perfect.to_dict("records"):
        for column in columns:
            about = f"{row['trace']} {row['measure']} {column.removesuffix(' [%]')}"
            yield about, f"{row[column]:+.1f} %", row[column] < 0


def _singles(e, log):
    """The single runs that Fig. 3 draws: one seed of the random model, and the deterministic one."""
    table = e.at_load()
    table = table[table["log"] == log]
    random = (table["model"] == "random") & (table["seed"] == e.seed)
    return table[random | (table["model"] == "deterministic")]


@decides("single-runs-help")
def _(e):
    for log, measure in panels(e):
        if log != SDSC:
            single = _singles(e, log)
            better = single.loc[single["f"] > 0, measure] < e.curve(log, measure).iloc[0]
            yield named(log, measure), f"{100 * better.mean():.0f} %", better.mean() > 0.5


@decides("better-than-real")
def _(e):
    for log, measure in panels(e):
        single = _singles(e, log)
        worse = single.loc[single[measure] >= e.real(log, measure), "f"]
        words = f"{100 * (1 - len(worse) / len(single)):.0f} %"
        words += f", the others at f up to {worse.max():g}" if len(worse) else ""
        exception = (log, measure) == (CTC, "mean_wait")
        yield named(log, measure), words, worse.max() < SMALL if exception else not len(worse)


@decides("positive-better")
def _(e):
    for log, measure in panels(e):
        change = e.change(log, measure, 0, 10)
        yield named(log, measure), interval(change), below(change)


@decides("opposite-trends")
def _(e):
    for log, goes in ((CTC, below), (SDSC, above)):
        if log in e.logs():
            change = e.change(log, "mean_wait", 0, 10)
            yield named(log, "mean_wait"), interval(change), goes(change)


@decides("initial-drop")
def _(e):
    for row in e.shapes().to_dict("records"):
        fall = trends.change(row, "fall")
        yield named(row["log"], row["measure"]), interval(fall), above(fall, level("none"))


def _shaped(table, said):
    """A case for each curve of a table of shapes, held to the shapes that `said` allows it."""
    for row in table.to_dict("records"):
        names = said(row)
        yield (
            f"{named(row['log'], row['measure'], row['load'])} said {' or '.join(names)}:",
            f"{row['shape']} (falls {interval(trends.change(row, 'fall'))} to "
            f"f = {row['minimum at f']:g}, rises {interval(trends.change(row, 'rise'))})",
            trends.has_shape(row, names),
        )


def _as_said(row):
    return ["L" if (row["log"], row["measure"]) in L_SHAPED else "V"]


@decides("shapes")
def _(e):
    narrow, wide = e.shapes(), e.shapes_wide
    beyond = (KTH, BLUE)
    parts = [narrow[~narrow["log"].isin(beyond)], wide[wide["log"].isin(beyond)]]
    return _shaped(pd.concat(parts), _as_said)


@decides("high-load-v")
def _(e):
    table = e.shapes("high")
    return _shaped(table[table["log"].isin((KTH, BLUE))], lambda row: ["V"])


@decides("trends-invariant")
def _(e):
    high, low = e.shapes("high"), e.shapes("low")
    return _shaped(pd.concat([high[high["log"] == CTC], low[low["log"] == SDSC]]), _as_said)


@decides("low-load-flatter")
def _(e):
    key = ["log", "measure"]
    both = e.shapes("low").merge(e.shapes(), on=key, suffixes=("", ", own"))
    for row in both[both["log"].isin((KTH, SDSC, BLUE))].to_dict("records"):
        low = trends.change(row, "rise")
        own = [row[f"rise{end} [%], own"] for end in ("", " low", " high")]
        change = low[0] - own[0], low[1] - own[2], low[2] - own[1]
        yield named(row["log"], row["measure"]), interval(change), below(change)


def _places(e, is_good):
    """Where the deterministic run usually lies between the random ones' 5th and 95th percentile."""
    for log, measure in panels(e):
        band, exact = e.band(log, measure), e.curve(log, measure, "deterministic")
        place = float(((exact - band[0.05]) / (band[0.95] - band[0.05]))[band.index > 0].median())
        yield named(log, measure), f"{place:.2f}", is_good(place)


def _spans(e, least, word):
    for log, measure in panels(e):
        change = trends.span(e.runs(log), measure, least)
        yield named(log, measure), interval(change), above(change, level(word))


@decides("not-in-proportion")
def _(e):
    for log, measure in panels(e):
        (at0, _), (at5, s5), (at10, s10) = (e.at(measure, f)[log] for f in (0, 5, 10))
        lacking = (at0 - at5) / 2 - (at5 - at10)
        change = difference(lacking, math.hypot(1.5 * s5, s10), at0)
        yield named(log, measure), interval(change), above(change)


@decides("simulations")
def _(e):
    panel = len(campaign.badness(10)) * campaign.PAPER_SCALE.seeds
    curves = sum(len(campaign.loads_of(log)) for log in (CTC, KTH, SDSC, BLUE))
    low, high = around(10_000)
    yield "a panel:", f"{panel:,}", low <= panel <= high
    for about, number, bound in (
        ("Figs. 4 to 6:", curves * panel, 100_000),
        ("all ranges of f:", curves * panel * len(campaign.RANGES), 400_000),
    ):
        yield about, f"{number:,}", number > bound


@decides("sensitive-to-small-changes")
def _(e):
    for log, measure in panels(e):
        steps = [
            abs(run.sort_values("f")[measure].pct_change()).iloc[1:]
            for _, run in _singles(e, log).groupby("model")
        ]
        step = 100 * float(np.median(np.concatenate(steps)))
        yield named(log, measure), f"{step:.2f} %", step > level("none")


@decides("deterministic-better")
def _(e):
    for load in campaign.LOADS:
        for log, measure in panels(e):
            if load in campaign.loads_of(log):
                change = _exact_less_random(e, log, measure, load)
                yield named(log, measure, load), f"{change:+.2f} %", change < 0


@decides("sjfness-deterministic")
def _(e):
    for log in e.logs():
        change = _exact_less_random(e, log, "sjfness")
        yield log, f"{change:+.2f} %", change > 0


def _exact_less_random(e, log, measure, load="log"):
    """Mean over f > 0 of the deterministic run less the random mean, per cent of the latter."""
    exact, random = (e.curve(log, measure, model, load) for model in ("deterministic", "random"))
    return float(100 * (exact / random - 1)[lambda part: part.index > 0].mean())


# ---- backfilling and heel and toe (sections 4 to 6)


def _growing(e, measures, fs, up=1):
    """Whether means never step down (or up) by more than none and end higher (lower)."""
    for log in e.logs():
        for measure in measures:
            steps = [e.change(log, measure, a, b) for a, b in pairwise(fs(log, measure))]
            ends = fs(log, measure)
            whole = e.change(log, measure, ends[0], ends[-1])
            against, side = (min, above) if up > 0 else (max, below)
            worst = against(steps, default=whole)
            yield (
                " ".join((log, *(() if len(measures) == 1 else (measure,)))),
                f"{interval(whole)}, worst step {worst[0]:+.2f} %",
                every([side(whole), *(side(step, -up * level("none")) for step in steps)]),
            )


@decides("sjfness-falls-on")
def _(e):
    def behind_the_peak(log, measure):
        peak = e.curve(log, measure).idxmax()
        return [peak, *(f for f in range(11) if f > peak)]

    return _growing(e, ["sjfness"], behind_the_peak, up=-1)


@decides("tight-intervals")
def _(e):
    for log in e.logs():
        for measure in BACKFILLED:
            band = e.band(log, measure)
            half = 50 * (band[0.95] - band[0.05]) / e.curve(log, measure)
            yield f"{log} {measure}", f"{half.max():.2f} %", half.max() <= level("same")


@decides("rates-follow-load")
def _(e):
    at = e.at("backfilled", 10)
    for low, high in pairwise(sorted(e.logs(), key=campaign.utilization)):
        (a, sa), (b, sb) = at[low], at[high]
        change = difference(b - a, math.hypot(sa, sb))
        yield f"{high} less {low}", interval(change, " points"), above(change)


@decides("growth-whatever-the-load")
def _(e):
    for log in e.logs():
        for measure in ("backfilled_run_time", "backfilled_size"):
            growth = {load: e.change(log, measure, 0, 10, load) for load in campaign.loads_of(log)}
            ends = sorted(growth.values())
            apart = ends[-1][0] - ends[0][0]
            half = math.hypot(*(end[2] - end[0] for end in (ends[0], ends[-1])))
            words = ", ".join(f"{load} {change[0]:+.1f} %" for load, change in growth.items())
            answer = within((apart, apart - half, apart + half), level("same"))
            yield f"{log} {measure}", words, answer


@decides("equal-load-equal-rates")
def _(e):
    own = e.at("backfilled", 10)
    for load in ("high", "low"):
        # The log that sets a load is not run at it a second time.
        rates = [100 * mean for mean, _ in (own | e.at("backfilled", 10, load)).values()]
        more = 100 * (max(rates) / min(rates) - 1)
        words = f"{min(rates):.1f} to {max(rates):.1f} % of jobs, {more:+.1f} %"
        yield f"{load} load", words, more <= level("similar")


@decides("short-enjoy-more")
def _(e):
    for log in e.logs():
        (a, sa), (b, sb) = (e.at(f"{what}_run_time", 10)[log] for what in ("backfilled", "regular"))
        change = difference(a - b, math.hypot(sa, sb), b)
        yield log, interval(change), below(change)


@decides("no-wild-at-0")
def _(e):
    for log in e.logs():
        mean, _ = e.at("wild", 0)[log]
        yield log, f"{100 * mean:g} %", mean == 0


@decides("wild-longer-wider")
def _(e):
    for log in e.logs():
        ratios = [
            e.at(f"wild_{what}", 10)[log][0] / e.at(f"backfilled_{what}", 10)[log][0]
            for what in ("run_time", "size")
        ]
        yield log, f"run time × {ratios[0]:.2f}, size × {ratios[1]:.2f}", min(ratios) > 1


@decides("load-affects-wild")
def _(e):
    for log in e.logs():
        low, high = (
            e.at("wild", 10, load if load in campaign.loads_of(log) else "log")[log]
            for load in ("low", "high")
        )
        change = difference(high[0] - low[0], math.hypot(low[1], high[1]))
        yield log, interval(change, " points"), above(change)


@decides("real-wild")
def _(e):
    for log in e.logs():
        share = 100 * e.real(log, "wild")
        yield log, f"{share:.2f} %", share > level("none")


@decides("blue-trend-is-load")
def _(e):
    for log in e.logs():
        for load in campaign.loads_of(log):
            found = trends.band(e.runs(log, load=load), "delayed")
            unit, last = found["mean"].max() / 100, found.iloc[-1]
            fall = (
                trends.extreme(found, np.argmax, -1) / unit,
                (found["low"].max() - last["high"]) / unit,
                (found["high"].max() - last["low"]) / unit,
            )
            if log == BLUE or load != "low":
                falls = above(fall, level("none"))
                said = load == "high" or (log in (BLUE, SDSC) and load == "log")
                about = f"{log}, {campaign.LOADS[load]}, said {'to fall' if said else 'not to'}:"
                yield about, interval(fall), falls if said else opposite(falls)


@decides("wild-is-delayed-times-events")
def _(e):
    some = e.vanilla[e.vanilla["wild"] > 0]
    off = float((abs(some["delayed"] * some["events"] - some["wild"]) / some["wild"]).max())
    yield "", f"{off:.1e} over {len(some):,} runs", off < 1e-9


@decides("sjfness-lambda")
def _(e):
    for log in e.logs():
        part = e.runs(log)
        # The shape of a V, upside down.
        found = trends.shape(part.assign(sjfness=-part["sjfness"]), "sjfness")
        rise, fall = (trends.change(found, name) for name in ("fall", "rise"))
        yield (
            log,
            f"rises {interval(rise)} to f = {found['minimum at f']:g}, then falls {interval(fall)}",
            every(above(change) for change in (rise, fall)),
        )


@decides("regular-shorter")
def _(e):
    for log in e.logs():
        change = e.change(log, "regular_run_time", 0, 10)
        yield log, interval(change), below(change)


@decides("masquerade")
def _(e):
    found = masquerade.verdict(e.masquerade)
    factors = np.geomspace(1.01, 1e6, 500)
    curves = {ratio: masquerade.probability(ratio, factors) for ratio in masquerade.RATIOS}
    rises = all((np.diff(curve) >= 0).all() for curve in curves.values())
    limited = all(curve.max() <= masquerade.limit(ratio) for ratio, curve in curves.items())
    drawn = found["largest"] < 4 and found["impossible_drawn"] == 0
    yield "", f"{found['largest']:.1f} standard errors", drawn and rises and limited


# ---- estimates (sections 7 and 8)


@decides("all-at-e-max")
def _(e):
    for row in e.all_at_e_max.to_dict("records"):
        change = 100 * (row["at E_max"] / row["real"] - 1)
        yield named(row["log"], row["measure"]), f"{change:+.0f} %", change >= level("serious")


@decides("e-max-stops-hole-filling")
def _(e):
    for row in e.all_at_e_max.drop_duplicates("log").to_dict("records"):
        share = row["in time, at E_max [%]"]
        words = f"{share:.2f} %, {row['in time, real [%]']:.1f} % with real ones"
        yield row["log"], words, share <= level("same")


@decides("e-max-reverts-to-fcfs")
def _(e):
    for row in e.all_at_e_max.to_dict("records"):
        way = math.log(row["at E_max"] / row["real"]) / math.log(row["FCFS"] / row["real"])
        words = (
            f"{way:.2f} (backfilled {row['backfilled, at E_max [%]']:.0f} % of jobs, "
            f"{row['backfilled, real [%]']:.0f} % with real ones)"
        )
        yield named(row["log"], row["measure"]), words, 100 * way > level("large_part")


@decides("accuracy-grows")
def _(e):
    for row in e.accuracy[e.accuracy["equal"] == "jobs"].to_dict("records"):
        correlated = 100 * row["correlation"] > level("large_part")
        yield row["log"], f"{row['correlation']:.2f}", correlated


@decides("effective-e-max")
def _(e):
    for row in e.estimates.to_dict("records"):
        if row["log"] in (KTH, BLUE):
            share = row["at most E_max [%]"]
            yield row["log"], f"{share:.1f} %", share > 50


@decides("peaks-are-popular")
def _(e):
    for log, workload in e.recorded.items():
        for hours, popular in real_estimates.peaks(workload):
            yield f"{log} {hours:.2f} h", "yes" if popular else "no", popular


@decides("short-at-e-max")
def _(e):
    for row in e.estimates.to_dict("records"):
        share = row["of those at E_max, short [%]"]
        yield row["log"], f"{share:.1f} %", share >= 25


@decides("alike-but-for-e-max")
def _(e):
    for one, other in combinations(e.recorded, 2):
        apart = real_estimates.apart(one, e.recorded[one], other, e.recorded[other])
        yield f"{one} and {other}", f"{apart:.1f} points", apart <= level("similar")


@decides("truncation-harmless-at-first")
def _(e):
    for log, measure in panels(e):
        changes = [_through_cutting(e.barely, log, measure, f) for f in campaign.VERY_SMALL]
        worst = max(changes, key=lambda change: abs(change[0]))
        answer = every(within(change, level("same")) for change in changes)
        yield named(log, measure), interval(worst), answer


def _through_cutting(runs, log, measure, f):
    """Change from runs without cut estimates to those with, seed by seed: per cent, with its interval."""
    part = runs[(runs["log"] == log) & np.isclose(runs["f"], f)].set_index("seed")
    before, after = (part.loc[cut, measure] for cut in (part["e_max"].isna(), part["e_max"] > 0))
    change = after - before
    return difference(change.mean(), change.std() / math.sqrt(len(change)), before.mean())


def _meeting(row):
    if math.isnan(row["meets at f"]):
        share = 100 * row["at the largest f"] / row["real"]
        return f"none (at f = {row['largest f']:,.0f}: {share:.0f} % of real)"
    return f"f = {row['meets at f']:.3g} ({row['from']:.3g} to {row['to']:.3g})"


@decides("truncated-meets-real")
def _(e):
    for row in e.crossovers(campaign.truncated):
        yield named(row["log"], row["measure"]), _meeting(row), not math.isnan(row["meets at f"])


@decides("vanilla-never-meets-real")
def _(e):
    for row in e.crossovers(campaign.vanilla):
        said = (row["log"], row["measure"]) == (BLUE, "mean_wait")
        meets = not math.isnan(row["meets at f"])
        yield named(row["log"], row["measure"]), _meeting(row), meets == said


@decides("crossover-differs")
def _(e):
    found = [row for row in e.crossovers(campaign.truncated) if not math.isnan(row["meets at f"])]
    for row, after in pairwise(sorted(found, key=lambda row: row["meets at f"])):
        more = [
            100 * (b / a - 1)
            for a, b in zip(
                (row["meets at f"], row["to"], row["from"]),
                (after["meets at f"], after["from"], after["to"]),
                strict=True,
            )
        ]
        about = f"{named(after['log'], after['measure'])} over {named(row['log'], row['measure'])}"
        yield about, interval(more), above(more, level("similar"))


def _modal(e):
    """The runs with the modal model on the logs that keep nearly all their work when runs are cut."""
    return e.modal[e.modal["log"].isin(modality.kept(e.workloads))]


@decides("modal-like-real")
def _(e):
    found = _modal(e)
    for row in found[found["own"]].to_dict("records"):
        change = [100 * (row[key] / row["real"] - 1) for key in ("value", "mean_low", "mean_high")]
        answer = within(change, level("similar"))
        yield named(row["log"], row["measure"]), interval(change), answer


def _steps(table):
    for row in table.to_dict("records"):
        about = (
            f"{named(row['log'], row['measure'])} {row['from [%]']:.0f} to {row['to [%]']:.0f} %:"
        )
        change = row["change [%]"], row["low [%]"], row["high [%]"]
        yield about, interval(change), above(change)


# ---- causes (docs/decisions/causes.md)


@decides("wild-backfills-explain-the-gain")
def _(e):
    for row in e.without_wild.to_dict("records"):
        if row["gain low"] > level("none"):
            share = row["left"], row["left low"], row["left high"]
            yield _at(row), interval(share), below(share, level("large_part"))


@decides("order-explains-the-gain")
def _(e):
    for row in e.alike[e.alike["f"].isin(causes.ASKED)].to_dict("records"):
        gain = row["gain"], row["low"], row["high"]
        yield _at(row), interval(gain), below(gain, level("none"))


def _at(row):
    return f"{named(row['log'], row['measure'], row['load'])}, f = {row['f']:g}"


# ---- claims that one of the functions above decides


CLAIMS.decide_by(
    ("perfect-helps", _changed, ["real to perfect [%]"]),
    ("doubling-helps", _changed, ["doubling real [%]", "doubling perfect [%]"]),
    ("v-or-l", lambda e: _shaped(e.shapes_everywhere(), lambda row: ["V", "L"])),
    ("usually-v", lambda e: _shaped(e.shapes_everywhere(), lambda row: ["V"])),
    ("deterministic-closer-to-best", _places, lambda place: place < 0.5),
    ("deterministic-lower-bound", _places, lambda place: place <= 0.25),
    ("not-robust", _spans, campaign.RANGES[10], "same"),
    ("not-balanced", _spans, 0.0, "none"),
    ("more-backfilling", _growing, BACKFILLED, lambda *_: range(11)),
    ("wild-grows", _growing, WILD, lambda *_: range(1, 11)),
    ("delay-grows", _growing, ["delay"], lambda *_: range(1, 11)),
    ("events-grow", _growing, ["events"], lambda *_: range(1, 11)),
    ("modal-worse", lambda e: _steps(modality.change(_modal(e), modality.SHARES))),
    ("modal-steps", lambda e: _steps(modality.change(_modal(e), STEPS, step=True))),
)
