"""Section 7, on E_max: the crossings of the truncated model with the real estimates, and all jobs
asking for E_max.
"""

import math

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

import replication as rp
from notebooks import audits
from notebooks.heel_and_toe import campaign, curves, trends
from notebooks.heel_and_toe.curves import PERFORMANCE
from notebooks.ratios import percent_more, ratio
from replication.simulator.estimates import cut_runs


def meetings(results) -> pd.DataFrame:
    """Return the table under Fig. 16 from results up to the largest f, in the figure's units."""
    units = {label: results[measure] * factor for measure, (label, factor) in PERFORMANCE.items()}
    return curves.round_digits(trends.crossovers(results.assign(**units), [*units]), 4)


def draw(results, met) -> Figure:
    """Draw Fig. 16 with its table (`meetings`): the f of each crossing is below its panel."""
    figure = curves.panels(results, PERFORMANCE)
    order = [(label, log) for label, _ in PERFORMANCE.values() for log in dict.fromkeys(met["log"])]
    at = met.set_index(["measure", "log"])["meets at f"]
    for axes, key in zip(figure.axes, order, strict=True):
        never = math.isnan(at[key])
        meeting = "does not meet users'" if never else f"meets users' at f = {at[key]:.3g}"
        axes.set_xlabel("\n".join(filter(None, [axes.get_xlabel(), meeting])), visible=True)
    return figure


def results(workloads) -> pd.DataFrame:
    """Return EASY with users' estimates, EASY with all estimates at E_max, and FCFS, on runs cut at
    E_max.

    Columns: log, measure, real, at E_max and FCFS (s, or a ratio); worse [%] (at E_max than with
    real estimates); way (the part of the way from real estimates to FCFS, a share of the
    logarithm); and with either estimates the shares of jobs backfilled, and of those planned to end
    by the head's reservation.
    """
    rows = []
    for log, workload in workloads.items():
        limit = campaign.cut_at(log, workload)
        cut = cut_runs(workload, limit)
        runs = {
            "real": rp.simulate(cut, rp.EASY(), rp.Users(e_max=limit)),
            "at E_max": rp.simulate(cut, rp.EASY(), np.full(len(cut), limit)),
            "FCFS": rp.simulate(cut, rp.FCFS()),
        }
        shares = {
            f"{about}, {name} [%]": 100 * float(which(runs[name]).mean())
            for name in ("real", "at E_max")
            for about, which in (("backfilled", lambda run: run.backfilled), ("in time", in_time))
        }
        for measure in PERFORMANCE:
            values = {name: run.measures[measure] for name, run in runs.items()}
            real, at_e_max, fcfs = values.values()
            change = {"worse [%]": percent_more(at_e_max, real)}
            change["way"] = ratio(*(_log(ratio(value, real)) for value in (at_e_max, fcfs)))
            rows.append({"log": log, "measure": measure} | values | change | shares)
    return pd.DataFrame(rows)


def _log(value):
    return math.log(value) if value > 0 else math.nan


def in_time(schedule) -> np.ndarray:
    """Return the mask of the backfilled jobs planned to end by the reservation of the head,
    bool[n].

    The others started on its extra processors.
    """
    _, passing = audits.postponements(schedule)
    return passing == 1
