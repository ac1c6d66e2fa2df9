"""The paper's findings as claims: each decided by numbers, by its rule in ``data/published/heel_and_toe``."""

import math
from itertools import combinations, pairwise

import numpy as np
import pandas as pd

from replication.papers.deciders import (
    Claims,
    above,
    around,
    at_least,
    at_most,
    below,
    contrary,
    each_log,
    every,
    level,
    totals,
    within,
)
from replication.papers.heel_and_toe import campaign, masquerade, modality, real_estimates, trends
from replication.papers.heel_and_toe.curves import BACKFILLED, SHORT, WILD
from replication.papers.heel_and_toe.trends import difference, ends

CTC, KTH, SDSC, BLUE = "CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE"
L_SHAPED = {(CTC, "mean_wait"), (CTC, "mean_bounded_slowdown"), (KTH, "mean_wait")}
SMALL = 0.5  # f below it is "very small"
STEPS = (0.1, 0.2, 0.3)
NONE, SAME, SIMILAR, LARGE_PART = map(level, ("none", "same", "similar", "large_part"))
FORM, POINTS = (f"{{:+.1f}} {unit} ({{:+.1f}} to {{:+.1f}})" for unit in ("%", "points"))
CLAIMS = Claims("heel_and_toe", FORM)
decides, evaluate = CLAIMS.decides, CLAIMS.evaluate
__all__ = ["CLAIMS", "FORM", "POINTS", "evaluate", "totals"]


def named(log, measure, load="log"):
    """A log, a measure and a load in words."""
    return f"{log} {SHORT[measure]}" + ("" if load == "log" else f", {load} load")


def each_panel(value):
    """Measures ``value(evidence, log, measure)`` for each log and each measure of performance."""
    return each_log(value, SHORT)


def each_row(table, *columns):
    """Measures some columns of each row of a table of the evidence, ``table(evidence)``."""

    def measured(e):
        for row in table(e).to_dict("records"):
            yield called(row), tuple(row[column] for column in columns)

    return measured


def called(row):
    """What a row is of, in words: its log, and its measure, load and f if it has them."""
    if "measure" not in row:
        return row["log"]
    words = named(row["log"], row["measure"], row.get("load", "log"))
    return f"{words}, f = {row['f']:g}" if "f" in row else words


def on(logs, table):
    """The rows of some logs."""
    return table[table["log"].isin(logs)]


def to_ten(e, log, measure="regular_run_time"):
    """The change from f = 0 to f = 10."""
    return e.change(log, measure, 0, 10)


# ---- performance (sections 1, 3, 6 and 8)


def _changed(*columns):
    """What the other estimates of Fig. 2 change."""
    return lambda e: [
        (f"{row['trace']} {row['measure']} {column.removesuffix(' [%]')}", row[column])
        for row in e.real_and_perfect.to_dict("records")
        for column in columns
    ]


def _singles(e, log):
    """The single runs that Fig. 3 draws: one seed of the random model, and the deterministic one."""
    table = on([log], e.at_load())
    random = (table["model"] == "random") & (table["seed"] == e.seed)
    return table[random | (table["model"] == "deterministic")]


def _better_than_perfect(e, log, measure):
    single = _singles(e, log)
    return 100 * (single.loc[single["f"] > 0, measure] < e.curve(log, measure).iloc[0]).mean()


@decides("better-than-real")
def _(e):
    for log in e.workloads:
        for measure in SHORT:
            single = _singles(e, log)
            worse = single.loc[single[measure] >= e.real(log, measure), "f"]
            words = f"{100 * (1 - len(worse) / len(single)):.0f} %"
            words += f", the others at f up to {worse.max():g}" if len(worse) else ""
            exception = (log, measure) == (CTC, "mean_wait")
            yield named(log, measure), words, worse.max() < SMALL if exception else not len(worse)


def _shaped(table, said):
    """A case for each curve of a table of shapes, held to the shapes that `said` allows it."""

    def cases(e):
        for row in table(e).to_dict("records"):
            names = said(row)
            fall, rise = (FORM.format(*trends.change(row, name)) for name in ("fall", "rise"))
            yield (
                f"{named(row['log'], row['measure'], row['load'])} said {' or '.join(names)}:",
                f"{row['shape']} (falls {fall} to f = {row['minimum at f']:g}, rises {rise})",
                trends.has_shape(row, names),
            )

    return cases


def _as_said(row):
    return ["L" if (row["log"], row["measure"]) in L_SHAPED else "V"]


def _v(row):
    return ["V"]


@decides("low-load-flatter", below())
def _(e):
    both = e.shapes("low").merge(e.shapes(), on=["log", "measure"], suffixes=("", ", own"))
    for row in on((KTH, SDSC, BLUE), both).to_dict("records"):
        low = trends.change(row, "rise")
        own = [row[column] for column in ends("rise", " [%], own")]
        yield named(row["log"], row["measure"]), (low[0] - own[0], low[1] - own[2], low[2] - own[1])


def _place(e, log, measure):
    """Where the deterministic run usually lies between the random ones' 5th and 95th percentile."""
    band, exact = e.band(log, measure), e.curve(log, measure, "deterministic")
    return float(((exact - band[0.05]) / (band[0.95] - band[0.05]))[band.index > 0].median())


def _span(least):
    return each_panel(lambda e, log, measure: trends.span(e.runs(log), measure, least))


@decides("not-in-proportion", above(), over=each_panel)
def _(e, log, measure):
    (at0, _), (at5, s5), (at10, s10) = (e.at(measure, f)[log] for f in (0, 5, 10))
    return difference((at0 - at5) / 2 - (at5 - at10), math.hypot(1.5 * s5, s10), at0)


@decides("simulations")
def _(e):
    panel = len(campaign.badness(10)) * campaign.PAPER_SCALE.seeds
    figures = panel * sum(len(campaign.loads_of(log)) for log in (CTC, KTH, SDSC, BLUE))
    ranges = figures * len(campaign.RANGES)
    low, high = around(10_000)
    yield "a panel:", f"{panel:,}", low <= panel <= high
    yield "Figs. 4 to 6:", f"{figures:,}", figures > 100_000
    yield "all ranges of f:", f"{ranges:,}", ranges > 400_000


@decides("sensitive-to-small-changes", above(NONE), "{:.2f} %", each_panel)
def _(e, log, measure):
    runs = [run.sort_values("f")[measure] for _, run in _singles(e, log).groupby("model")]
    return 100 * float(np.median(np.concatenate([abs(run.pct_change()).iloc[1:] for run in runs])))


def _exact_less_random(e, log, measure="sjfness", load="log"):
    """Mean over f > 0 of the deterministic run less the random mean, per cent of the latter."""
    exact, random = (e.curve(log, measure, model, load) for model in ("deterministic", "random"))
    return float(100 * (exact / random - 1)[lambda part: part.index > 0].mean())


@decides("deterministic-better", below(), "{:+.2f} %")
def _(e):
    for load in campaign.LOADS:
        for log in e.workloads:
            for measure in SHORT if load in campaign.loads_of(log) else ():
                yield named(log, measure, load), _exact_less_random(e, log, measure, load)


decides("perfect-helps", below(), "{:+.1f} %")(_changed("real to perfect [%]"))
decides("doubling-helps", below(), "{:+.1f} %")(
    _changed(*(f"doubling {one} [%]" for one in ("real", "perfect")))
)
decides("single-runs-help", above(50), "{:.0f} %")(
    each_log(_better_than_perfect, SHORT, of=lambda log: log != SDSC)
)
decides("positive-better", below())(each_panel(to_ten))
decides("opposite-trends", below())(each_log(to_ten, {"mean_wait": "wait"}, of=[CTC].__contains__))
decides("opposite-trends", above())(each_log(to_ten, {"mean_wait": "wait"}, of=[SDSC].__contains__))
decides("initial-drop", above(NONE))(each_row(lambda e: e.shapes(), *ends("fall", " [%]")))
decides("shapes")(
    _shaped(
        lambda e: pd.concat([on([CTC, SDSC], e.shapes()), on([KTH, BLUE], e.shapes_wide)]), _as_said
    )
)
decides("trends-invariant")(
    _shaped(
        lambda e: pd.concat([on([CTC], e.shapes("high")), on([SDSC], e.shapes("low"))]), _as_said
    )
)
decides("high-load-v")(_shaped(lambda e: on([KTH, BLUE], e.shapes("high")), _v))
decides("usually-v")(_shaped(lambda e: e.shapes_everywhere(), _v))
decides("v-or-l")(_shaped(lambda e: e.shapes_everywhere(), lambda row: ["V", "L"]))
decides("deterministic-closer-to-best", below(0.5), "{:.2f}")(each_panel(_place))
decides("deterministic-lower-bound", at_most(0.25), "{:.2f}")(each_panel(_place))
decides("sjfness-deterministic", above(), "{:+.2f} %")(each_log(_exact_less_random))
decides("not-robust", above(SAME))(_span(campaign.RANGES[10]))
decides("not-balanced", above(NONE))(_span(0.0))


# ---- backfilling and heel and toe (sections 4 to 6)


def _growing(measures, fs, up=1):
    """Whether means never step down (or up) by more than none and end higher (lower)."""
    against, side = (min, above) if up > 0 else (max, below)

    def cases(e):
        for log in e.workloads:
            for measure in measures:
                at = fs(e, log, measure)
                steps = [e.change(log, measure, a, b) for a, b in pairwise(at)]
                whole = e.change(log, measure, at[0], at[-1])
                worst = against(steps, default=whole)
                about = log if len(measures) == 1 else f"{log} {measure}"
                words = f"{FORM.format(*whole)}, worst step {worst[0]:+.2f} %"
                yield about, words, every([side()(whole), *map(side(-up * NONE), steps)])

    return cases


def _behind_the_peak(e, log, measure):
    peak = e.curve(log, measure).idxmax()
    return [peak, *(f for f in range(11) if f > peak)]


@decides("tight-intervals", at_most(SAME), "{:.2f} %", lambda value: each_log(value, [*BACKFILLED]))
def _(e, log, measure):
    band = e.band(log, measure)
    return (50 * (band[0.95] - band[0.05]) / e.curve(log, measure)).max()


@decides("rates-follow-load", above(), POINTS)
def _(e):
    at = e.at("backfilled", 10)
    for low, high in pairwise(sorted(e.workloads, key=campaign.utilization)):
        (a, sa), (b, sb) = at[low], at[high]
        yield f"{high} less {low}", difference(b - a, math.hypot(sa, sb))


@decides("growth-whatever-the-load")
def _(e):
    for log in e.workloads:
        for measure in ("backfilled_run_time", "backfilled_size"):
            growth = {load: e.change(log, measure, 0, 10, load) for load in campaign.loads_of(log)}
            least, *_, most = min(growth.values()), max(growth.values())
            apart, half = most[0] - least[0], math.hypot(least[2] - least[0], most[2] - most[0])
            words = ", ".join(f"{load} {change[0]:+.1f} %" for load, change in growth.items())
            yield f"{log} {measure}", words, within(SAME)((apart, apart - half, apart + half))


@decides(
    "equal-load-equal-rates", lambda v: v[2] <= SIMILAR, "{:.1f} to {:.1f} % of jobs, {:+.1f} %"
)
def _(e):
    own = e.at("backfilled", 10)
    for load in ("high", "low"):
        # The log that sets a load is not run at it a second time.
        rates = [100 * mean for mean, _ in (own | e.at("backfilled", 10, load)).values()]
        yield f"{load} load", (min(rates), max(rates), 100 * (max(rates) / min(rates) - 1))


@decides("short-enjoy-more", below(), over=each_log)
def _(e, log):
    (a, sa), (b, sb) = (e.at(f"{what}_run_time", 10)[log] for what in ("backfilled", "regular"))
    return difference(a - b, math.hypot(sa, sb), b)


@decides("wild-longer-wider", lambda v: min(v) > 1, "run time × {:.2f}, size × {:.2f}", each_log)
def _(e, log):
    names = [[f"{kind}_{what}" for kind in ("wild", "backfilled")] for what in ("run_time", "size")]
    return tuple(e.at(wild, 10)[log][0] / e.at(all_, 10)[log][0] for wild, all_ in names)


@decides("load-affects-wild", above(), POINTS, each_log)
def _(e, log):
    loads = [load if load in campaign.loads_of(log) else "log" for load in ("low", "high")]
    low, high = (e.at("wild", 10, load)[log] for load in loads)
    return difference(high[0] - low[0], math.hypot(low[1], high[1]))


@decides("blue-trend-is-load")
def _(e):
    for log in e.workloads:
        for load in campaign.loads_of(log):
            found = trends.band(e.runs(log, load=load), "delayed")
            fall = trends.higher(found, "max", -1, found["mean"].max() / 100)
            if log == BLUE or load != "low":
                said = load == "high" or (log in (BLUE, SDSC) and load == "log")
                about = f"{log}, {campaign.LOADS[load]}, said {'to fall' if said else 'not to'}:"
                rule = above(NONE) if said else contrary(above(NONE))
                yield about, FORM.format(*fall), rule(fall)


@decides("wild-is-delayed-times-events", lambda v: v[0] < 1e-9, "{:.1e} over {:,} runs")
def _(e):
    runs = pd.concat([e.at_load(load) for load in campaign.LOADS])
    some = runs[runs["wild"] > 0]
    off = abs(some["delayed"] * some["events"] - some["wild"]) / some["wild"]
    yield "", (float(off.max()), len(some))


@decides(
    "sjfness-lambda",
    lambda v: every([above()(v[:3]), above()(v[4:])]),
    f"rises {FORM} to f = {{:g}}, then falls {FORM}",
    each_log,
)
def _(e, log):
    part = e.runs(log)
    # The shape of a V, upside down.
    found = trends.shape(part.assign(sjfness=-part["sjfness"]), "sjfness")
    return *trends.change(found, "fall"), found["minimum at f"], *trends.change(found, "rise")


@decides("masquerade")
def _(e):
    found = masquerade.verdict(e.masquerade)
    factors = np.geomspace(1.01, 1e6, 500)
    curves = {ratio: masquerade.probability(ratio, factors) for ratio in masquerade.RATIOS}
    rises = all((np.diff(curve) >= 0).all() for curve in curves.values())
    limited = all(curve.max() <= masquerade.limit(ratio) for ratio, curve in curves.items())
    drawn = found["largest"] < 4 and found["impossible_drawn"] == 0
    yield "", f"{found['largest']:.1f} standard errors", drawn and rises and limited


decides("more-backfilling")(_growing(BACKFILLED, lambda *_: range(11)))
decides("wild-grows")(_growing(WILD, lambda *_: range(1, 11)))
decides("delay-grows")(_growing(["delay"], lambda *_: range(1, 11)))
decides("events-grow")(_growing(["events"], lambda *_: range(1, 11)))
decides("sjfness-falls-on")(_growing(["sjfness"], _behind_the_peak, up=-1))
decides("no-wild-at-0", at_most(0), "{:g} %")(
    each_log(lambda e, log: 100 * e.at("wild", 0)[log][0])
)
decides("real-wild", above(NONE), "{:.2f} %")(each_log(lambda e, log: 100 * e.real(log, "wild")))
decides("regular-shorter", below())(each_log(to_ten))


# ---- estimates (sections 7 and 8)


@decides("peaks-are-popular")
def _(e):
    for log, workload in e.recorded.items():
        for hours, popular in real_estimates.peaks(workload):
            yield f"{log} {hours:.2f} h", "yes" if popular else "no", popular


@decides("alike-but-for-e-max", at_most(SIMILAR), "{:.1f} points")
def _(e):
    for one, other in combinations(e.recorded, 2):
        apart = real_estimates.apart(one, e.recorded[one], other, e.recorded[other])
        yield f"{one} and {other}", apart


@decides("truncation-harmless-at-first")
def _(e):
    for log in e.workloads:
        for measure in SHORT:
            changes = [_through_cutting(e.barely, log, measure, f) for f in campaign.VERY_SMALL]
            worst = max(changes, key=lambda change: abs(change[0]))
            yield named(log, measure), FORM.format(*worst), every(map(within(SAME), changes))


def _through_cutting(runs, log, measure, f):
    """Change from runs without cut estimates to those with, seed by seed: per cent, with its interval."""
    part = runs[(runs["log"] == log) & np.isclose(runs["f"], f)].set_index("seed")
    before, after = (part.loc[cut, measure] for cut in (part["e_max"].isna(), part["e_max"] > 0))
    change = after - before
    return difference(change.mean(), change.std() / math.sqrt(len(change)), before.mean())


def _meets(model, said):
    """Whether a model meets the real estimates in those panels where it is `said` to."""

    def cases(e):
        for row in e.crossovers(model):
            panel, share = (row["log"], row["measure"]), 100 * row["at the largest f"] / row["real"]
            meets = not math.isnan(row["meets at f"])
            words = (
                f"f = {row['meets at f']:.3g} ({row['from']:.3g} to {row['to']:.3g})"
                if meets
                else f"none (at f = {row['largest f']:,.0f}: {share:.0f} % of real)"
            )
            yield named(*panel), words, meets == said(panel)

    return cases


@decides("crossover-differs", above(SIMILAR))
def _(e):
    found = [row for row in e.crossovers(campaign.truncated) if not math.isnan(row["meets at f"])]
    for row, after in pairwise(sorted(found, key=lambda row: row["meets at f"])):
        ends = ("meets at f", "meets at f"), ("from", "to"), ("to", "from")
        about = f"{named(after['log'], after['measure'])} over {named(row['log'], row['measure'])}"
        yield about, [100 * (after[one] / row[other] - 1) for one, other in ends]


def _modal(e):
    """The runs with the modal model on the logs that keep nearly all their work when runs are cut."""
    return on(modality.kept(e.workloads), e.modal)


@decides("modal-like-real", within(SIMILAR))
def _(e):
    for row in _modal(e).query("own").to_dict("records"):
        ends = [100 * (row[key] / row["real"] - 1) for key in ("value", "mean_low", "mean_high")]
        yield named(row["log"], row["measure"]), ends


def _more_at_e_max(shares, **how):
    """What the modal model changes from share to share of the jobs at E_max."""

    def measured(e):
        for row in modality.change(_modal(e), shares, **how).to_dict("records"):
            about = f"{named(row['log'], row['measure'])} {row['from [%]']:.0f} to {row['to [%]']:.0f} %:"
            yield about, [row[f"{end} [%]"] for end in ("change", "low", "high")]

    return measured


def _once_a_log(e):
    """What is backfilled if all ask for E_max, which does not depend on the measure."""
    return e.all_at_e_max.drop_duplicates("log").drop(columns="measure")


WITH_REAL = "{:.2f} %, {:.1f} % with real ones"
TO_FCFS = "{:.2f} (backfilled {:.0f} % of jobs, {:.0f} % with real ones)"
decides("all-at-e-max", at_least(level("serious")), "{:+.0f} %")(
    each_row(lambda e: e.all_at_e_max, "worse [%]")
)
decides("e-max-stops-hole-filling", lambda v: v[0] <= SAME, WITH_REAL)(
    each_row(_once_a_log, "in time, at E_max [%]", "in time, real [%]")
)
decides("e-max-reverts-to-fcfs", lambda v: 100 * v[0] > LARGE_PART, TO_FCFS)(
    each_row(lambda e: e.all_at_e_max, "way", "backfilled, at E_max [%]", "backfilled, real [%]")
)
decides("accuracy-grows", lambda v: 100 * v[0] > LARGE_PART, "{:.2f}")(
    each_row(lambda e: e.accuracy, "correlation")
)
decides("effective-e-max", above(50), "{:.1f} %")(
    each_row(lambda e: on((KTH, BLUE), e.estimates), "at most E_max [%]")
)
decides("short-at-e-max", at_least(25), "{:.1f} %")(
    each_row(lambda e: e.estimates, "of those at E_max, short [%]")
)
decides("truncated-meets-real")(_meets(campaign.truncated, lambda panel: True))
decides("vanilla-never-meets-real")(
    _meets(campaign.vanilla, lambda panel: panel == (BLUE, "mean_wait"))
)
decides("modal-worse", above())(_more_at_e_max(modality.SHARES))
decides("modal-steps", above())(_more_at_e_max(STEPS, step=True))
# Causes (docs/decisions/causes.md).
decides("wild-backfills-explain-the-gain", below(LARGE_PART))(
    each_row(lambda e: e.without_wild, *ends("left"))
)
decides("order-explains-the-gain", below(NONE))(each_row(lambda e: e.alike, "gain", "low", "high"))
