"""Claims about estimates (sections 6 to 8): what random ones do to order, users' own, and better models."""

import math

import numpy as np

from replication.evidence import published
from replication.evidence.claims import above, every, within
from replication.papers.heel_and_toe import campaign, masquerade, modality, trends
from replication.papers.heel_and_toe.curves import PERFORMANCE
from replication.papers.heel_and_toe.deciding import (
    BLUE,
    decides,
    difference,
    interval,
    named,
    panels,
)

NEGLIGIBLE = 5.0  # per cent
LIKE = 10.0  # per cent: as far apart as "almost identical" may be
SERIOUS = 10.0  # per cent: how much worse is seriously worse
STEPS = (0.1, 0.2, 0.3)


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
        curve.max() <= masquerade.limit(ratio)
        for ratio, curve in zip(masquerade.RATIOS, curves, strict=True)
    )
    yield (
        "",
        f"{found['largest']:.1f} standard errors",
        found["largest"] < 4 and found["impossible_drawn"] == 0 and rises and below,
    )


@decides("top-20")
def _(e):
    for row in e.estimates.to_dict("records"):
        yield row["log"], f"{row['top 20 share [%]']:.1f} %", 85 <= row["top 20 share [%]"] <= 95


@decides("e-max-popular")
def _(e):
    for row in e.estimates.to_dict("records"):
        said = published.value(
            campaign.PAPER, "text", trace=row["log"], policy="log", measure="e_max_rank"
        )
        yield (
            row["log"],
            f"rank {row['E_max rank']} ({row['E_max share [%]']:.1f} %)",
            row["E_max rank"] == said.value,
        )


@decides("all-at-e-max")
def _(e):
    for row in e.all_at_e_max.to_dict("records"):
        change = 100 * (row["at E_max"] / row["real"] - 1)
        yield named(row["log"], row["measure"]), f"{change:+.0f} %", change >= SERIOUS


@decides("e-max-reverts-to-fcfs")
def _(e):
    for row in e.all_at_e_max.to_dict("records"):
        way = (row["at E_max"] - row["real"]) / (row["FCFS"] - row["real"])
        words = (
            f"{way:.2f} (backfilled {row['backfilled, at E_max [%]']:.0f} % of jobs, "
            f"{row['backfilled, real [%]']:.0f} % with real ones)"
        )
        yield named(row["log"], row["measure"]), words, way > 0.5


@decides("accuracy-grows")
def _(e):
    for row in e.accuracy[e.accuracy["equal"] == "jobs"].to_dict("records"):
        yield row["log"], f"{row['correlation']:.2f}", row["correlation"] > 0.5


@decides("truncation-harmless-at-first")
def _(e):
    for log, measure in panels(e):
        changes = [_through_cutting(e.barely, log, measure, f) for f in campaign.VERY_SMALL]
        worst = max(changes, key=lambda change: abs(change[0]))
        yield named(log, measure), interval(worst), every(within(x, NEGLIGIBLE) for x in changes)


def _through_cutting(runs, log, measure, f):
    """Change from runs without cut estimates to those with, seed by seed: per cent, with its interval."""
    part = runs[(runs["log"] == log) & np.isclose(runs["f"], f)].set_index("seed")
    before, after = (part.loc[cut, measure] for cut in (part["e_max"].isna(), part["e_max"] > 0))
    change = after - before
    return difference(change.mean(), change.std() / math.sqrt(len(change)), before.mean())


@decides("truncated-meets-real")
def _(e):
    for row in trends.crossovers(e.truncated_wide, PERFORMANCE).to_dict("records"):
        yield named(row["log"], row["measure"]), _meeting(row), not math.isnan(row["meets at f"])


@decides("vanilla-never-meets-real")
def _(e):
    for row in trends.crossovers(e.vanilla_wide, PERFORMANCE).to_dict("records"):
        said = (row["log"], row["measure"]) == (BLUE, "mean_wait")
        yield (
            named(row["log"], row["measure"]),
            _meeting(row),
            math.isnan(row["meets at f"]) != said,
        )


@decides("crossover-differs")
def _(e):
    found = trends.crossovers(e.truncated_wide, PERFORMANCE).dropna(
        subset=["meets at f", "from", "to"]
    )
    found = found.sort_values("from")
    reached = np.maximum.accumulate(found["to"].to_numpy())
    overlap, at = int((found["from"].to_numpy()[1:] <= reached[:-1]).sum()), found["meets at f"]
    yield (
        "",
        f"{overlap} of {len(found)} overlap another ({at.min():.3g} to {at.max():.3g})",
        not overlap,
    )


@decides("modal-like-real")
def _(e):
    own = e.modal[e.modal["own"]]
    for row in own.to_dict("records"):
        change = tuple(
            100 * (row[key] / row["real"] - 1) for key in ("value", "mean_low", "mean_high")
        )
        yield named(row["log"], row["measure"]), interval(change), within(change, LIKE)


@decides("modal-worse")
def _(e):
    for row in modality.change(e.modal, modality.SHARES).to_dict("records"):
        yield _step(row), interval(_of(row)), above(_of(row))


@decides("modal-steps")
def _(e):
    for row in modality.change(e.modal, STEPS, step=True).to_dict("records"):
        yield _step(row), interval(_of(row)), above(_of(row))


def _step(row):
    return f"{named(row['log'], row['measure'])} {row['from [%]']:.0f} to {row['to [%]']:.0f} %:"


def _of(row):
    return row["change [%]"], row["low [%]"], row["high [%]"]
