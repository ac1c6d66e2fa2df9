"""Claims about estimates (sections 6 to 8): what random ones do to order, users' own, and better models."""

import math

import numpy as np

from replication.papers.heel_and_toe import masquerade, modality, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.papers.heel_and_toe.deciding import (BLUE, CTC, KTH, SDSC, above, decides, interval,
                                                       named, panels)

RANKS = {CTC: 1, KTH: 1, SDSC: 3, BLUE: 1}


def _meeting(row):
    if math.isnan(row["meets at f"]):
        share = 100 * row["at the largest f"] / row["real"]
        return f"none (at f = {row['largest f']:,.0f}: {share:.0f} % of real)"
    return f"f = {row['meets at f']:.3g} ({row['from']:.3g} to {row['to']:.3g})"


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
    for log, measure in panels(e):
        plain = e.curve(log, measure)
        changed = cut[cut["log"] == log].groupby("f")[measure].mean() / plain - 1
        worst = 100 * float(abs(changed[(changed.index >= 0.1) & (changed.index <= 0.5)]).max())
        yield named(log, measure), f"{worst:.1f} %", worst <= 5


@decides("truncated-meets-real")
def _(e):
    for row in trends.crossovers(e.truncated_wide, PERFORMANCE).to_dict("records"):
        yield named(row["log"], row["measure"]), _meeting(row), not math.isnan(row["meets at f"])


@decides("vanilla-never-meets-real")
def _(e):
    for row in trends.crossovers(e.vanilla_wide, PERFORMANCE).to_dict("records"):
        said = (row["log"], row["measure"]) == (BLUE, "mean_wait")
        yield named(row["log"], row["measure"]), _meeting(row), math.isnan(row["meets at f"]) != said


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
        yield named(row["log"], row["measure"]), interval(change), abs(change[0]) <= 10


@decides("modal-worse")
def _(e):
    for row in modality.change(e.modal).to_dict("records"):
        change = row["change [%]"], row["low [%]"], row["high [%]"]
        shares = f"{row['from [%]']:.0f} to {row['to [%]']:.0f} %:"
        yield f"{named(row['log'], row['measure'])} {shares}", interval(change), above(change)
