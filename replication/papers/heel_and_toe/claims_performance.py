"""Claims about performance (sections 1, 3 and 6): which way it goes, and how it depends on f."""

import math

import numpy as np
import pandas as pd

from replication.evidence.claims import above, below, usually
from replication.papers.heel_and_toe import campaign, trends
from replication.papers.heel_and_toe.deciding import (
    BLUE,
    CTC,
    KTH,
    SDSC,
    decides,
    difference,
    interval,
    named,
    panels,
)

SHAPES = {
    (CTC, "mean_wait"): "L",
    (CTC, "mean_bounded_slowdown"): "L",
    (KTH, "mean_wait"): "L",
    (KTH, "mean_bounded_slowdown"): "V",
    (SDSC, "mean_wait"): "V",
    (SDSC, "mean_bounded_slowdown"): "V",
    (BLUE, "mean_wait"): "V",
    (BLUE, "mean_bounded_slowdown"): "V",
}


SMALL = 0.5  # f below it is "very small"
ROBUST = 5.0  # per cent: what a change has to exceed to be called more than none
MATERIAL = 100 * trends.MATERIAL


def _shape_words(row):
    return (
        f"{row['shape']} (falls {row['fall [%]']:.1f} % to f = {row['minimum at f']:g}, "
        f"rises {row['rise [%]']:.1f} %, {row['rise low [%]']:.1f} to {row['rise high [%]']:.1f})"
    )


def _shaped(table, said):
    """A case for each curve of a table of shapes, held to the shapes that `said` allows it."""
    for row in table.to_dict("records"):
        names = said(row)
        load = "" if row["load"] == "log" else f", {row['load']} load"
        about = f"{named(row['log'], row['measure'])}{load} said {trends.OR.join(names)}:"
        yield about, _shape_words(row), trends.has_shape(row, names)


def _singles(e, log):
    """The single runs that Fig. 3 draws: one seed of the random model, and the deterministic one."""
    table = e.own[e.own["log"] == log]
    random = (table["model"] == "random") & (table["seed"] == e.seed)
    return table[random | (table["model"] == "deterministic")]


@decides("perfect-helps")
def _(e):
    yield _usually_better(e.real_and_perfect, ["real to perfect [%]"])


@decides("doubling-helps")
def _(e):
    yield _usually_better(e.real_and_perfect, ["doubling real [%]", "doubling perfect [%]"])


def _usually_better(table, columns):
    changes = table[columns].to_numpy().ravel()
    words = (
        f"{(changes < 0).sum()} of {len(changes)}, {changes.min():+.1f} to {changes.max():+.1f} %"
    )
    return "", words, usually([bool(x < 0) for x in changes])


@decides("single-runs-help")
def _(e):
    for log, measure in panels(e):
        if log == SDSC:
            continue
        single = _singles(e, log)
        share = float((single.loc[single["f"] > 0, measure] < e.curve(log, measure).iloc[0]).mean())
        yield named(log, measure), f"{100 * share:.0f} %", share > 0.5


@decides("better-than-real")
def _(e):
    for log, measure in panels(e):
        single = _singles(e, log)
        worse = single.loc[single[measure] >= e.real(log, measure), "f"]
        words = f"{100 * (1 - len(worse) / len(single)):.0f} %"
        words += f", the others at f up to {worse.max():g}" if len(worse) else ""
        exception = (log, measure) == (CTC, "mean_wait")
        yield named(log, measure), words, bool(worse.max() < SMALL) if exception else not len(worse)


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
    for row in e.shapes.to_dict("records"):
        change = row["fall [%]"], row["fall low [%]"], row["fall high [%]"]
        yield named(row["log"], row["measure"]), interval(change), above(change, MATERIAL)


@decides("shapes")
def _(e):
    beyond = (KTH, BLUE)
    wide = e.shapes_wide[e.shapes_wide["log"].isin(beyond)]
    narrow = e.shapes[~e.shapes["log"].isin(beyond)]
    return _shaped(pd.concat([narrow, wide]), lambda row: [SHAPES[row["log"], row["measure"]]])


@decides("v-or-l")
def _(e):
    return _shaped(e.shapes_everywhere, lambda row: ["V", "L"])


@decides("usually-v")
def _(e):
    answers = [trends.has_shape(row, ["V"]) for row in e.shapes_everywhere.to_dict("records")]
    words = f"{answers.count(True)} of {len(answers)}, {answers.count(None)} more undecided"
    yield "", words, usually(answers)


@decides("high-load-v")
def _(e):
    return _shaped(e.shapes_high[e.shapes_high["log"].isin((KTH, BLUE))], lambda row: ["V"])


@decides("low-load-flatter")
def _(e):
    own_shapes, low_shapes = (
        {(r["log"], r["measure"]): r for r in table.to_dict("records")}
        for table in (e.shapes, e.shapes_low)
    )
    for log, measure in panels(e):
        if log in (KTH, SDSC, BLUE):
            low, own = low_shapes[log, measure], own_shapes[log, measure]
            difference = low["rise [%]"] - own["rise [%]"]
            half = math.hypot(*(r["rise high [%]"] - r["rise [%]"] for r in (low, own)))
            change = difference, difference - half, difference + half
            yield named(log, measure), interval(change), below(change)


@decides("trends-invariant")
def _(e):
    table = pd.concat(
        [e.shapes_high[e.shapes_high["log"] == CTC], e.shapes_low[e.shapes_low["log"] == SDSC]]
    )
    return _shaped(table, lambda row: [SHAPES[row["log"], row["measure"]]])


def _places(e, is_good):
    """Where the deterministic run usually lies between the random ones' 5th and 95th percentile."""
    for log, measure in panels(e):
        band, exact = e.band(log, measure), e.curve(log, measure, "deterministic")
        place = float(((exact - band[0.05]) / (band[0.95] - band[0.05]))[band.index > 0].median())
        yield named(log, measure), f"{place:.2f}", is_good(place)


@decides("deterministic-closer-to-best")
def _(e):
    return _places(e, lambda place: place < 0.5)


@decides("deterministic-lower-bound")
def _(e):
    return _places(e, lambda place: place <= 0.25)


@decides("not-robust")
def _(e):
    least = campaign.RANGES[10]
    for log, measure in panels(e):
        change = trends.span(e.runs(log), measure, least)
        yield named(log, measure), interval(change), above(change, ROBUST)


@decides("not-balanced")
def _(e):
    for log, measure in panels(e):
        change = trends.span(e.runs(log), measure)
        yield named(log, measure), interval(change), above(change, MATERIAL)


@decides("not-in-proportion")
def _(e):
    for log, measure in panels(e):
        (at0, _), (at5, s5), (at10, s10) = (e.at(measure, f)[log] for f in (0, 5, 10))
        lacking = (at0 - at5) / 2 - (at5 - at10)
        change = difference(lacking, math.hypot(1.5 * s5, s10), at0)
        yield named(log, measure), interval(change), above(change)


@decides("sensitive-to-small-changes")
def _(e):
    for log, measure in panels(e):
        steps = [
            abs(run.sort_values("f")[measure].pct_change()).iloc[1:]
            for _, run in _singles(e, log).groupby("model")
        ]
        step = 100 * float(np.median(np.concatenate(steps)))
        yield named(log, measure), f"{step:.2f} %", step >= MATERIAL


@decides("deterministic-better")
def _(e):
    for load in campaign.LOADS:
        for log, measure in panels(e):
            random = e.curve(log, measure, load=load)
            better = (e.curve(log, measure, "deterministic", load) < random)[lambda s: s.index > 0]
            if len(better):
                about = named(log, measure) + ("" if load == "log" else f", {load} load")
                yield about, f"{100 * better.mean():.0f} %", better.mean() > 0.9
