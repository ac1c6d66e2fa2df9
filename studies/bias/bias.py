"""Effects of a predictor's bias and of its order on the schedule; the rules are in
docs/decisions/causes.md.
"""

from dataclasses import dataclass, replace
from itertools import product

import numpy as np
import pandas as pd

from notebooks import panels
from notebooks.ratios import over
from notebooks.top_percent import claims, weeks
from notebooks.top_percent.runs import POLICIES, REFERENCE, TITLES, by_scheduler
from replication import EASY, Estimate, Predictor, simulate
from replication.drawing import style
from replication.simulator.choices import option
from replication.simulator.schedules import intervals as over_weeks

FACTORS = (0.5, 0.7, 1, 1.4, 2, 2.8, 4)
COMPARED = ("Clairvoyant", "Complete", "CVH", "Tsafrir", "Top03")
SHOWN = {"avebsld": "mean bounded slowdown", "ap1waf": "AP1WAF"}
NAMES = {title: name for name, title in TITLES.items()}
ALL = "median of the logs"
#: Of an axis beyond the outermost values, see `panels.limits`.
ROOM = 1.5
AT_SUBMISSION = EASY(refresh="submission")


@dataclass(frozen=True)
class Recorded(Predictor):
    """Predictions that were made elsewhere, in whole seconds and at most the estimate."""

    draws_at_random = False

    values: tuple = option(about="a prediction for each job, s")

    def predictions(self, workload, estimate, seed):
        """Return the values, whole and cut to the estimate."""
        return np.clip(np.rint(self.values), 0, estimate)


Recorded.__repr__ = lambda self: f"Recorded({len(self.values)} predictions)"


def predictions_at_submission(workload, policies=COMPARED):
    """Return each predictor's prediction of each job at its submission, by policy; int64[n], s."""
    asked = {policy: replace(AT_SUBMISSION, predictor=POLICIES[policy]) for policy in policies}
    asked = {REFERENCE: AT_SUBMISSION} | asked
    return {
        policy: simulate(workload, scheduler).first_prediction
        for policy, scheduler in asked.items()
    }


def in_order_of(order, values):
    """Return the values in another order: the k-th shortest value goes to the job with the k-th
    shortest value of `order`.

    Of equal ones the earlier job comes first.
    """
    dealt = np.empty(len(values))
    dealt[np.argsort(order, kind="stable")] = np.sort(values)
    return dealt


def scale_predictions(workloads, factors=FACTORS, policies=COMPARED, workers=1):
    """Return jackknife replicates of the measures with the predictions of each predictor times a
    factor.

    The index has log, policy, factor and measure.
    """

    def tried(predictions):
        return {(policy, f): f * predictions[policy] for policy, f in product(policies, factors)}

    schedules = _schedules(workloads, policies, tried, workers)
    return weeks.replicates(schedules, ("policy", "factor"))


def table(replicates):
    """Return the measures in `SHOWN` of `scale_predictions` with intervals over weeks: log, policy,
    factor, measure, value, low, high.
    """
    table = weeks.table(replicates).dropna(subset="factor")
    table["measure"] = table["measure"].map(NAMES)
    return table[table["measure"].isin(SHOWN)].reset_index(drop=True)


def exchange_orders(workloads, workers=1):
    """Return measures over Reqtime's with the values of one predictor in the order of another, and
    shares of the differences.

    Columns of the first are log, order, values, measure, value; of the `shares`: log, measure, due
    to (values, order, or the two together), share, low, high, per cent of the sum of squares with
    intervals over weeks. The last rows, under the name `ALL`, are medians over the logs, without
    intervals.
    """
    policies = (REFERENCE, *COMPARED)
    pairs = list(product(policies, repeat=2))

    def tried(predictions):
        return {
            (order, of): in_order_of(predictions[order], predictions[of]) for order, of in pairs
        }

    replicates = weeks.replicates(
        _schedules(workloads, COMPARED, tried, workers), ("order", "values")
    )
    rows, found_shares = [], {}
    for log, measure in product(workloads, SHOWN):
        of_log = replicates.xs((log, TITLES[measure]), level=("log", "measure"))
        by = dict(zip(of_log.index, of_log.to_numpy(), strict=True))
        draws = [by[pair][~np.isnan(by[pair])] for pair in pairs]
        rows += [[log, *pair, measure, float(drawn[0])] for pair, drawn in zip(pairs, draws)]
        grid = np.log(draws).reshape(len(policies), len(policies), -1)
        found_shares |= {(log, measure, name): share for name, share in shares(grid).items()}
    key = ["log", "measure", "due to"]
    shares_ = over_weeks.table(found_shares, [*key, "share", "low", "high"])
    medians = shares_.groupby(key[1:], sort=False)["share"].median().reset_index()
    return (
        pd.DataFrame(rows, columns=["log", "order", "values", "measure", "value"]),
        pd.concat([shares_, medians.assign(log=ALL)], ignore_index=True),
    )


def _schedules(workloads, policies, tried, workers):
    """Return by log the schedules under Reqtime, and under the predictions that `tried` makes of
    those at submission.
    """
    schedules = {}
    for log, workload in workloads.items():
        lists = tried(predictions_at_submission(workload, policies))
        predictors = {name: Recorded(tuple(values)) for name, values in lists.items()}
        asked = {
            name: replace(AT_SUBMISSION, predictor=predictor)
            for name, predictor in ({REFERENCE: Estimate()} | predictors).items()
        }
        schedules[log] = by_scheduler(workload, asked, workers)
    return schedules


def shares(grid):
    """Return the parts of the differences due to values, order, and both together, float64[1 +
    blocks] each.

    They are per cent of the sum of squares, as in an analysis of variance with two factors. The
    grid, float64[orders, values, 1 + blocks], has logarithms of a measure.
    """
    rest = grid - grid.mean(axis=(0, 1))
    total = (rest**2).sum(axis=(0, 1)) / 100
    values = over(grid.shape[0] * (rest.mean(axis=0) ** 2).sum(axis=0), total)
    order = over(grid.shape[1] * (rest.mean(axis=1) ** 2).sum(axis=0), total)
    return {"values": values, "order": order, "together": 100 - values - order}


def draw(table):
    """Draw measures over Reqtime's against the factor: a row for each measure, a panel for each
    predictor but CVH, most of whose intervals go on beyond any panel, and a line for each log.

    The axes hold all values; an interval that goes on beyond them ends in a triangle.
    """
    policies = [policy for policy in COMPARED if policy != "CVH"]
    table = table[table["policy"].isin(policies)]
    looks = style.series(dict.fromkeys(table["log"]))

    def one_panel(axes, policy, measure):
        row = table[table["measure"] == measure]
        of_policy = row[row["policy"] == policy]
        panels.factors(axes, sorted(set(table["factor"])))
        axes.set_yscale("log")
        axes.set_ylim(panels.limits(row["value"], row["low"], row["high"], ROOM))
        for k, (log, look) in enumerate(looks.items()):
            part = of_policy[of_policy["log"] == log]
            x = panels.side_by_side(part["factor"], k, len(looks))
            ink = look | {"elinewidth": 0.8, "markersize": 3.5}
            axes.errorbar(x, part["value"], panels.bars(part, "value"), **ink)
            panels.mark_cuts(axes, x, part["low"], part["high"], look["color"])
        axes.axhline(1, color="black", lw=0.8)
        axes.plot([], [], **panels.CUT)
        panels.log_ticks(axes.yaxis)

    rows = {measure: f"{label}\nover that with estimates" for measure, label in SHOWN.items()}
    how = {"xlabel": "predictions multiplied by", "sharex": True, "sharey": "row"}
    return panels.draw(policies, rows, one_panel, **how)


def favouring_overprediction_helps(biased):
    """Yield the change of AP1WAF from halved to doubled predictions, per cent, as cases."""
    weighted = biased.xs("AP1WAF", level="measure", drop_level=False)
    weighted = weighted[weighted.index.get_level_values("policy").isin(claims.RELATED)]
    for case in claims.intervals(weighted.xs(2, level="factor") / weighted.xs(0.5, level="factor")):
        change = {name: 100 * (getattr(case, name) - 1) for name in ("value", "low", "high")}
        yield case._replace(**change)
