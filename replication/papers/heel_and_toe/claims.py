"""The paper's findings as claims: each decided by a number, by the rule in
``data/published/heel_and_toe/claims.toml``.
"""

import math
import tomllib

import numpy as np
import pandas as pd

from replication import paths
from replication.papers.heel_and_toe import campaign, masquerade, modality, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE, Z95

HOLDS, PART, FAILS, UNDECIDED = "holds", "holds in part", "fails", "undecided"
SHORT = {"mean_wait": "wait", "mean_bounded_slowdown": "slowdown"}
CTC, KTH, SDSC, BLUE = "CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE"
SHAPES = {(CTC, "mean_wait"): "L", (CTC, "mean_bounded_slowdown"): "L", (KTH, "mean_wait"): "L",
          (KTH, "mean_bounded_slowdown"): "V", (SDSC, "mean_wait"): "V", (SDSC, "mean_bounded_slowdown"): "V",
          (BLUE, "mean_wait"): "V", (BLUE, "mean_bounded_slowdown"): "V"}
GROWING = ("backfilled", "backfilled_run_time", "backfilled_size")
UNIT_STEPS = range(11)
RANKS = {CTC: 1, KTH: 1, SDSC: 3, BLUE: 1}
DECIDERS = {}


def decides(name):
    """Register the function that decides a claim: it takes `Evidence` and gives cases.

    A case is (what, words for the number and its interval, True, False or None for undecided).
    """
    def register(function):
        DECIDERS[name] = function
        return function
    return register


def published():
    """The claims as entered, by id."""
    with open(paths.PUBLISHED / campaign.PAPER / "claims.toml", "rb") as file:
        return tomllib.load(file)


def evaluate(evidence, only=None):
    """Decide claims.

    Parameters
    ----------
    evidence : replication.papers.heel_and_toe.evidence.Evidence
    only : list of str, optional
        Their ids; all of them by default.

    Returns
    -------
    pandas.DataFrame
        claim, section, statement, verdict, count (cases that hold, of how many), numbers (of every case),
        rule.
    """
    rows = []
    known = published()
    for name in known if only is None else only:
        claim = known[name]
        cases = list(DECIDERS[name](evidence))
        held = sum(case[2] is True for case in cases)
        proves_nothing = evidence.page.quick or evidence.page.stand_in
        rows.append({"claim": name, "section": claim["section"], "statement": claim["statement"],
                     "verdict": UNDECIDED if proves_nothing else verdict([case[2] for case in cases]),
                     "count": f"{held} of {len(cases)}",
                     "numbers": "; ".join(f"{what} {words}".strip() for what, words, _ in cases),
                     "statistic": claim["statistic"], "rule": claim["rule"]})
    return pd.DataFrame(rows)


def shown(table):
    """What a figure's notebook shows of the claims about it."""
    return table[["statement", "verdict", "count", "numbers"]]


def totals(table):
    """How many claims got each verdict, in a sentence."""
    counts = table["verdict"].value_counts()
    said = [f"**{counts[word]}** {word}" for word in (HOLDS, PART, FAILS, UNDECIDED) if word in counts]
    return f"Of {len(table)} claims: {', '.join(said)}."


def verdict(answers):
    """One verdict from the answers of all cases.

    Parameters
    ----------
    answers : list of bool or None

    Returns
    -------
    str
    """
    held, failed = answers.count(True), answers.count(False)
    if answers and held == len(answers):
        return HOLDS
    if 2 * held > len(answers):
        return PART
    return FAILS if failed else UNDECIDED


def _panels(evidence):
    return [(log, measure) for log in evidence.logs() for measure in PERFORMANCE]


def _name(log, measure=None):
    return f"{log} {SHORT[measure]}" if measure else log


def _interval(change, unit=" %"):
    return f"{change[0]:+.1f}{unit} ({change[1]:+.1f} to {change[2]:+.1f})"


def _above(change, least=0.0):
    """Whether a number with its interval is above a level: yes, no, or undecided."""
    return True if change[1] > least else False if change[2] <= least else None


@decides("single-runs-help")
def _(e):
    for log, measure in _panels(e):
        if log == SDSC:
            continue
        table = e.own[(e.own["log"] == log) & (e.own["f"] > 0)]
        single = table[(table["model"] == "deterministic") | (table["seed"] == e.page.seed)]
        share = float((single[measure] < e.curve(log, measure).iloc[0]).mean())
        yield _name(log, measure), f"{100 * share:.0f} %", share > 0.5


@decides("better-than-real")
def _(e):
    for log, measure in _panels(e):
        curve = e.curve(log, measure)
        curve = curve[curve.index >= 0.5] if (log, measure) == (CTC, "mean_wait") else curve
        share = float((curve < e.real(log, measure)).mean())
        yield _name(log, measure), f"{100 * share:.0f} %", share == 1


@decides("initial-drop")
def _(e):
    for row in e.shapes.to_dict("records"):
        change = row["fall [%]"], row["fall low [%]"], row["fall high [%]"]
        yield _name(row["log"], row["measure"]), _interval(change), _above(change) and change[
            0
        ] >= 100 * trends.MATERIAL


def _shape_words(row):
    return (f"{row['shape']} (falls {row['fall [%]']:.1f} % to f = {row['minimum at f']:g}, "
            f"rises {row['rise [%]']:.1f} %, {row['rise low [%]']:.1f} to {row['rise high [%]']:.1f})")


@decides("shapes")
def _(e):
    wide = e.shapes_wide[e.shapes_wide["log"] == BLUE]
    narrow = e.shapes[e.shapes["log"] != BLUE]
    for row in [*narrow.to_dict("records"), *wide.to_dict("records")]:
        said = SHAPES[row["log"], row["measure"]]
        yield f"{_name(row['log'], row['measure'])} said {said}:", _shape_words(row), row["shape"] == said


@decides("high-load-v")
def _(e):
    for row in e.shapes_high.to_dict("records"):
        if row["log"] in (KTH, BLUE):
            yield _name(row["log"], row["measure"]), _shape_words(row), row["shape"] == "V"


@decides("low-load-flatter")
def _(e):
    own_shapes, low_shapes = ({(r["log"], r["measure"]): r for r in table.to_dict("records")}
                              for table in (e.shapes, e.shapes_low))
    for log, measure in _panels(e):
        if log in (KTH, SDSC, BLUE):
            low, own = low_shapes[log, measure], own_shapes[log, measure]
            difference = low["rise [%]"] - own["rise [%]"]
            half = math.hypot(*(r["rise high [%]"] - r["rise [%]"] for r in (low, own)))
            change = -difference, -difference - half, -difference + half
            yield _name(log, measure), _interval((difference, difference - half, difference + half)), _above(
                change
            )


@decides("ctc-invariant")
def _(e):
    for row in e.shapes_high.to_dict("records"):
        if row["log"] == CTC:
            yield _name(row["log"], row["measure"]), _shape_words(row), row["shape"] == "L"


@decides("deterministic-lower-bound")
def _(e):
    for log, measure in _panels(e):
        band, exact = e.band(log, measure), e.curve(log, measure, "deterministic")
        place = ((exact - band[0.05]) / (band[0.95] - band[0.05]))[band.index > 0]
        yield _name(log, measure), f"{place.median():.2f}", place.median() <= 0.25


@decides("not-robust")
def _(e):
    for log, measure in _panels(e):
        curve = e.curve(log, measure)
        change = e.change(log, measure, curve.idxmin(), curve.idxmax())
        unit = curve[curve.idxmin()] / curve.iloc[0]
        change = tuple(x * unit for x in change)
        yield _name(log, measure), _interval(change), _above(change, 5.0)


def _growing(e, log, measure, fs):
    """Whether a mean never steps down beyond chance and ends higher; the largest step down in words."""
    steps = [e.change(log, measure, a, b) for a, b in zip(fs, fs[1:], strict=False)]
    whole = e.change(log, measure, fs[0], fs[-1])
    worst = min(steps)
    return (
        _interval(whole) + f", worst step {worst[0]:+.2f} %",
        all(s[2] >= 0 for s in steps) and whole[1] > 0,
    )


@decides("more-backfilling")
def _(e):
    for log in e.logs():
        for measure in GROWING:
            yield f"{log} {measure}", *_growing(e, log, measure, list(UNIT_STEPS))


@decides("backfilling-growth")
def _(e):
    for log in e.logs():
        for measure in GROWING:
            change = e.change(log, measure, 0, 10)
            yield f"{log} {measure}", _interval(change), 10 <= change[0] <= 20


@decides("equal-load-equal-rates")
def _(e):
    spread, own = {}, e.at("backfilled", 10)
    for load in campaign.LOADS:
        # The log that sets a load is not run at it a second time.
        at = {log: 100 * mean for log, (mean, _) in (own | e.at("backfilled", 10, load=load)).items()}
        spread[load] = max(at.values()) - min(at.values())
    for load in ("high", "low"):
        yield f"{load} load", f"{spread[load]:.1f} points, {spread['log']:.1f} at the logs' own", spread[
            load
        ] < spread["log"]


@decides("no-wild-at-0")
def _(e):
    for log in e.logs():
        mean, _ = e.at("wild", 0)[log]
        yield log, f"{100 * mean:g} %", bool(mean == 0)


@decides("wild-share")
def _(e):
    for log in e.logs():
        mean, error = (100 * x for x in e.at("wild", 10)[log])
        yield log, f"{mean:.2f} % (± {Z95 * error:.2f})", 2 <= round(mean) <= 5


@decides("wild-longer-wider")
def _(e):
    for log in e.logs():
        ratios = [
            e.at(f"wild_{what}", 10)[log][0] / e.at(f"backfilled_{what}", 10)[log][0]
            for what in ("run_time", "size")
        ]
        yield log, f"run time × {ratios[0]:.2f}, size × {ratios[1]:.2f}", min(ratios) > 1


@decides("delayed-share")
def _(e):
    for log in e.logs():
        mean, error = (100 * x for x in e.at("delayed", 10)[log])
        yield log, f"{mean:.2f} % (± {Z95 * error:.2f})", 0.5 <= mean <= 1.5


@decides("wild-is-delayed-times-events")
def _(e):
    some = e.vanilla[e.vanilla["wild"] > 0]
    off = float((abs(some["delayed"] * some["events"] - some["wild"]) / some["wild"]).max())
    yield "", f"{off:.1e} over {len(some):,} runs", off < 1e-9


@decides("delay-grows")
def _(e):
    for log in e.logs():
        yield log, *_growing(e, log, "delay", list(UNIT_STEPS)[1:])


@decides("sjfness-lambda")
def _(e):
    for log in e.logs():
        part = e.runs(log)
        # The shape of a V, upside down.
        found = trends.shape(part.assign(sjfness=-part["sjfness"]), "sjfness")
        rise = tuple(-found[key] for key in ("fall [%]", "fall high [%]", "fall low [%]"))
        fall = tuple(-found[key] for key in ("rise [%]", "rise high [%]", "rise low [%]"))
        answers = [_above(rise), _above(fall)]
        yield (log, f"rises {_interval(rise)} to f = {found['minimum at f']:g}, then falls {_interval(fall)}",
               None if None in answers and False not in answers else all(answers))


@decides("sjfness-deterministic")
def _(e):
    for log in e.logs():
        better = (e.curve(log, "sjfness", "deterministic") > e.curve(log, "sjfness"))[lambda s: s.index > 0]
        yield log, f"{100 * better.mean():.0f} %", better.mean() > 0.9


@decides("deterministic-better")
def _(e):
    for log, measure in _panels(e):
        better = (e.curve(log, measure, "deterministic") < e.curve(log, measure))[lambda s: s.index > 0]
        yield _name(log, measure), f"{100 * better.mean():.0f} %", better.mean() > 0.9


@decides("regular-shorter")
def _(e):
    for log in e.logs():
        change = e.change(log, "regular_run_time", 0, 10)
        yield log, _interval(change), _above(tuple(-x for x in (change[0], change[2], change[1])))


@decides("masquerade")
def _(e):
    found = masquerade.verdict(e.masquerade)
    factors = np.geomspace(1.01, 1e6, 500)
    curves = [masquerade.probability(ratio, factors) for ratio in masquerade.RATIOS]
    rises = all((np.diff(curve) >= 0).all() for curve in curves)
    below = all(
        curve.max() <= masquerade.limit(ratio) for ratio, curve in zip(masquerade.RATIOS, curves, strict=True)
    )
    yield "", f"{found['largest']:.1f} standard errors", found["largest"] < 4 and found[
        "impossible_drawn"
    ] == 0 and rises and below


@decides("top-20")
def _(e):
    for row in e.estimates.to_dict("records"):
        yield row["log"], f"{row['top 20 share [%]']:.1f} %", 85 <= row["top 20 share [%]"] <= 95


@decides("e-max-popular")
def _(e):
    for row in e.estimates.to_dict("records"):
        yield row["log"], f"rank {row['E_max rank']} ({row['E_max share [%]']:.1f} %)", row[
            "E_max rank"
        ] == RANKS[row["log"]]


@decides("accuracy-grows")
def _(e):
    for row in e.accuracy[e.accuracy["equal"] == "jobs"].to_dict("records"):
        yield row["log"], f"{row['correlation']:.2f}", row["correlation"] > 0.5


@decides("truncation-harmless-at-first")
def _(e):
    cut = e.truncated[e.truncated["model"] == "random"]
    for log, measure in _panels(e):
        plain = e.curve(log, measure)
        changed = cut[cut["log"] == log].groupby("f")[measure].mean() / plain - 1
        worst = 100 * float(abs(changed[(changed.index >= 0.1) & (changed.index <= 0.5)]).max())
        yield _name(log, measure), f"{worst:.1f} %", worst <= 5


def _meeting(row):
    if math.isnan(row["meets at f"]):
        share = 100 * row["at the largest f"] / row["real"]
        return f"none (at f = {row['largest f']:,.0f}: {share:.0f} % of real)"
    return f"f = {row['meets at f']:.3g} ({row['from']:.3g} to {row['to']:.3g})"


@decides("truncated-meets-real")
def _(e):
    for row in trends.crossovers(e.truncated_wide, PERFORMANCE).to_dict("records"):
        yield _name(row["log"], row["measure"]), _meeting(row), not math.isnan(row["meets at f"])


@decides("vanilla-never-meets-real")
def _(e):
    for row in trends.crossovers(e.vanilla_wide, PERFORMANCE).to_dict("records"):
        said = (row["log"], row["measure"]) == (BLUE, "mean_wait")
        yield _name(row["log"], row["measure"]), _meeting(row), math.isnan(row["meets at f"]) != said


@decides("crossover-differs")
def _(e):
    found = trends.crossovers(e.truncated_wide, PERFORMANCE)["meets at f"].dropna()
    ratio = float(found.max() / found.min()) if len(found) > 1 else math.nan
    yield "", f"{ratio:.3g} ({found.min():.3g} to {found.max():.3g}, {len(found)} crossings)", bool(ratio > 2)


@decides("modal-like-real")
def _(e):
    own = e.modal[e.modal["own"]]
    for row in own.to_dict("records"):
        change = tuple(100 * (row[key] / row["real"] - 1) for key in ("value", "mean_low", "mean_high"))
        yield _name(row["log"], row["measure"]), _interval(change), abs(change[0]) <= 10


@decides("modal-worse")
def _(e):
    for row in modality.change(e.modal).to_dict("records"):
        change = row["change [%]"], row["low [%]"], row["high [%]"]
        shares = f"{row['from [%]']:.0f} to {row['to [%]']:.0f} %:"
        yield f"{_name(row['log'], row['measure'])} {shares}", _interval(change), _above(change)
