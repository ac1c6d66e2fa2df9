"""Figs. 3 to 6 and 11 with the head's reservation recomputed at every pass, and lasting until it is
due.

No estimate is below the run time here, so a reservation is never missed when it is due: one until
the start gives the same schedules.
"""

import pandas as pd

from notebooks import panels
from notebooks.heel_and_toe import campaign, trends
from notebooks.heel_and_toe.curves import PERFORMANCE, Z95
from replication import PaperEASY
from replication.drawing import style

RECOMPUTED, UNTIL_DUE = "recomputed", "until-due"
#: Claims about Figs. 3 to 6 and 11 that runs at any f decide.
CLAIMS = (
    "single-runs-help",
    "better-than-real",
    "initial-drop",
    "v-or-l",
    "usually-v",
    "high-load-v",
    "deterministic-better",
    "sjfness-lambda",
)
#: Axis label of each measure, and the factor from the sweep's unit.
SHOWN = PERFORMANCE | {"sjfness": ("SJFness [% of jobs]", 100)}


def results(workloads, badness, seeds, workers=1):
    """Simulate the f-model at all loads; return the runs, as of `campaign.all_loads`, by
    reservation.
    """
    by_lifetime, models = {}, campaign.models(badness)
    for name in (RECOMPUTED, UNTIL_DUE):
        scheduler, loads = PaperEASY(lifetime=name), campaign.LOADS
        runs = campaign.sweep_at_loads(workloads, scheduler, models, seeds, loads, workers)
        by_lifetime[name] = campaign.on_axis(runs)
    return by_lifetime


def shapes(runs):
    """Return `trends.shapes` of performance and SJFness for each reservation, which the column
    ``lifetime`` names.

    For SJFness, ``fall`` is the rise to its highest point, and ``rise`` the fall beyond that point.
    """
    tables = []
    for name, table in runs.items():
        upside_down = table.assign(sjfness=-table["sjfness"])
        shapes = trends.shapes(upside_down, [*PERFORMANCE, "sjfness"])
        tables.append(shapes.assign(lifetime=name))
    return pd.concat(tables, ignore_index=True)


def verdicts_by_reservation(page, claims, runs):
    """Return the count of cases that hold, such as ``3 of 4``, and the verdict under each
    reservation, a row for each of `CLAIMS`.
    """
    rows = {}
    for name, table in runs.items():
        for claim, decided in page.decide(claims, CLAIMS, runs=table).items():
            rows.setdefault(claim, {}).update(
                {name: decided.count, f"verdict, {name}": decided.verdict}
            )
    return pd.DataFrame(rows).T.rename_axis("claim").reset_index()


def draw(runs):
    """Draw means of the random model with 95 % intervals at the logs' own loads: a row for each
    measure, a panel for each log.
    """
    every = pd.concat([table.assign(lifetime=name) for name, table in runs.items()])
    every = every[(every["model"] == "random") & (every["load"] == "log")]
    labels = {name: f"reservation {name.replace('-', ' ')}" for name in runs}
    looks = style.series(labels.values())

    def draw_panel(axes, log, measure):
        part = every[every["log"] == log]
        for name, rows_of_lifetime in part.groupby("lifetime", sort=False):
            by = (
                (rows_of_lifetime[measure] * SHOWN[measure][1])
                .groupby(rows_of_lifetime["f"])
                .agg(["mean", "sem"])
            )
            look = looks[labels[name]] | {"markersize": 3}
            axes.errorbar(by.index, by["mean"], Z95 * by["sem"], **look)
        axes.set_xscale("symlog", linthresh=1)
        axes.set_xticks((0, 1, 2, 5, 10))
        axes.xaxis.set_major_formatter("{x:g}")

    rows = {measure: label for measure, (label, _) in SHOWN.items()}
    return panels.draw(every["log"], rows, draw_panel, "badness f", sharex=True)
