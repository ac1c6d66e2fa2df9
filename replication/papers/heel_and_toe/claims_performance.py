"""Claims about performance (sections 1, 3 and 6): which way it goes, and how it depends on f."""

import math

from replication.papers.heel_and_toe import trends
from replication.papers.heel_and_toe.deciding import (BLUE, CTC, KTH, SDSC, above, below, decides,
                                                       interval, named, panels)

SHAPES = {(CTC, "mean_wait"): "L", (CTC, "mean_bounded_slowdown"): "L", (KTH, "mean_wait"): "L",
          (KTH, "mean_bounded_slowdown"): "V", (SDSC, "mean_wait"): "V", (SDSC, "mean_bounded_slowdown"): "V",
          (BLUE, "mean_wait"): "V", (BLUE, "mean_bounded_slowdown"): "V"}


def _shape_words(row):
    return (f"{row['shape']} (falls {row['fall [%]']:.1f} % to f = {row['minimum at f']:g}, "
            f"rises {row['rise [%]']:.1f} %, {row['rise low [%]']:.1f} to {row['rise high [%]']:.1f})")


@decides("single-runs-help")
def _(e):
    for log, measure in panels(e):
        if log == SDSC:
            continue
        table = e.own[(e.own["log"] == log) & (e.own["f"] > 0)]
        single = table[(table["model"] == "deterministic") | (table["seed"] == e.page.seed)]
        share = float((single[measure] < e.curve(log, measure).iloc[0]).mean())
        yield named(log, measure), f"{100 * share:.0f} %", share > 0.5


@decides("better-than-real")
def _(e):
    for log, measure in panels(e):
        curve = e.curve(log, measure)
        curve = curve[curve.index >= 0.5] if (log, measure) == (CTC, "mean_wait") else curve
        share = float((curve < e.real(log, measure)).mean())
        yield named(log, measure), f"{100 * share:.0f} %", share == 1


@decides("initial-drop")
def _(e):
    for row in e.shapes.to_dict("records"):
        change = row["fall [%]"], row["fall low [%]"], row["fall high [%]"]
        yield named(row["log"], row["measure"]), interval(change), above(change) and change[
            0
        ] >= 100 * trends.MATERIAL


@decides("shapes")
def _(e):
    wide = e.shapes_wide[e.shapes_wide["log"] == BLUE]
    narrow = e.shapes[e.shapes["log"] != BLUE]
    for row in [*narrow.to_dict("records"), *wide.to_dict("records")]:
        said = SHAPES[row["log"], row["measure"]]
        yield f"{named(row['log'], row['measure'])} said {said}:", _shape_words(row), row["shape"] == said


@decides("high-load-v")
def _(e):
    for row in e.shapes_high.to_dict("records"):
        if row["log"] in (KTH, BLUE):
            yield named(row["log"], row["measure"]), _shape_words(row), row["shape"] == "V"


@decides("low-load-flatter")
def _(e):
    own_shapes, low_shapes = ({(r["log"], r["measure"]): r for r in table.to_dict("records")}
                              for table in (e.shapes, e.shapes_low))
    for log, measure in panels(e):
        if log in (KTH, SDSC, BLUE):
            low, own = low_shapes[log, measure], own_shapes[log, measure]
            difference = low["rise [%]"] - own["rise [%]"]
            half = math.hypot(*(r["rise high [%]"] - r["rise [%]"] for r in (low, own)))
            change = difference, difference - half, difference + half
            yield named(log, measure), interval(change), below(change)


@decides("ctc-invariant")
def _(e):
    for row in e.shapes_high.to_dict("records"):
        if row["log"] == CTC:
            yield named(row["log"], row["measure"]), _shape_words(row), row["shape"] == "L"


@decides("deterministic-lower-bound")
def _(e):
    for log, measure in panels(e):
        band, exact = e.band(log, measure), e.curve(log, measure, "deterministic")
        place = ((exact - band[0.05]) / (band[0.95] - band[0.05]))[band.index > 0]
        yield named(log, measure), f"{place.median():.2f}", place.median() <= 0.25


@decides("not-robust")
def _(e):
    for log, measure in panels(e):
        curve = e.curve(log, measure)
        change = e.change(log, measure, curve.idxmin(), curve.idxmax())
        unit = curve[curve.idxmin()] / curve.iloc[0]
        change = tuple(x * unit for x in change)
        yield named(log, measure), interval(change), above(change, 5.0)


@decides("deterministic-better")
def _(e):
    for log, measure in panels(e):
        better = (e.curve(log, measure, "deterministic") < e.curve(log, measure))[lambda s: s.index > 0]
        yield named(log, measure), f"{100 * better.mean():.0f} %", better.mean() > 0.9
