"""A small search over heel-and-toe's readings: nine numbers are printed that simulations decide.

They stand in running text, in round figures, over all logs at once ("2 to 5 %", "around 1 %"), for f = 10
against f = 0 at the logs' own loads. So there is no log to hold out, and little that they could identify.
"""

import json

import numpy as np
import pandas as pd

from replication.evidence import published, readings
from replication.evidence.readings import Dimension
from replication.logs import traces
from replication.papers.dimensions import default_on_stand_ins, size
from replication.papers.heel_and_toe.curves import BACKFILLED
from replication.sweep import grid as sweep

ITEMS = ("text",)
KTH, CTC, CLEANED = "KTH-SP2-2", "CTC-SP2", "KTH-SP2"

DIMENSIONS = (
    size("requested"),
    Dimension(
        "overrun",
        {"raise-estimate": "run times are as logged", "cut-run": "runs are cut at their requests"},
    ),
    Dimension(
        "jobs",
        {
            "all": "every job with a run time is one",
            "positive": "jobs of run time 0 are left out",
            "ran": "jobs without allocated processors are left out",
        },
    ),
    Dimension(
        "kth", {"recorded": "KTH is as recorded", "cleaned": "KTH is cleaned, as the other logs"}
    ),
    Dimension(
        "ctc",
        {
            "512": "CTC has 512 processors",
            "430": "CTC has the 430 processors of its batch part",
            "338": "CTC has the 338 processors of the archive's header",
        },
    ),
    Dimension(
        "span",
        {
            "extremes": "a range is that of the logs' means",
            "runs": "a range is that of all single runs",
        },
    ),
)
DROP = {"all": (), "positive": ("zero-run-time",), "ran": ("not-allocated",)}
NO_JOB = ("no-processors", "larger-than-machine")  # what no reading could simulate
OWN = {KTH: ("kth",), CTC: ("ctc",)}
STAND_IN = default_on_stand_ins(DIMENSIONS[:5])
LOW, HIGH = 0.0, 10.0


def grid(page):
    """All combinations; at quick scale and on stand-ins the default and single changes."""
    return readings.Grid(
        DIMENSIONS, STAND_IN if page.stand_in else (), None if page.kind == "paper" else ({},)
    )


def search(page, seeds=10, **how):
    """Run the search, or read what was found before.

    Parameters
    ----------
    page : replication.pages.page.Page
    seeds : int
        Runs at f = 10; the figures have 100.
    **how
        Of `replication.sweep.grid.run`, such as an executor.

    Returns
    -------
    replication.evidence.readings.Found
    """
    every = grid(page)
    names = [dimension.name for dimension in DIMENSIONS[:-1]]
    combinations = [every.chosen(k, names) for k in every.projections(names)]
    # What does not concern a log gives it no jobs of its own.
    jobs = {_key(log, chosen): None for chosen in combinations for log in page.logs}
    jobs = {key: _jobs(page, *key) for key in jobs}
    found = {key: _runs(workload, seeds, page.workers, how) for key, workload in jobs.items()}
    rows = []
    for chosen in combinations:
        logs = [found[_key(log, chosen)] for log in page.logs]
        for span in DIMENSIONS[-1].names:
            text = json.dumps(chosen | {"span": span}, sort_keys=True)
            rows += [
                ("all", policy, measure, text, value)
                for policy, measure, value in _numbers(logs, span)
            ]
    table = pd.DataFrame(rows, columns=["trace", "policy", "measure", "chosen", "value"])
    printed = [row for row in published.rows(page.paper, "text") if row.policy != "log"]
    return readings.Found(every, table, printed)


def _key(log, chosen):
    """A log and the choices that concern it."""
    return log, tuple(
        (name, choice)
        for name, choice in chosen.items()
        if name not in ("kth", "ctc") or name in OWN.get(log, ())
    )


def _jobs(page, log, choices):
    """The jobs of a log under some choices."""
    from replication.pages.page import QUICK_JOBS

    chosen = dict(choices)
    first = {dimension.name: dimension.names[0] for dimension in DIMENSIONS}
    if all(first[name] == choice for name, choice in choices):
        return page.workloads[log]
    own = traces.rules(log, page.paper)
    source = CLEANED if chosen.get("kth") == "cleaned" else log
    whole = traces.load(
        source,
        stand_in=False,
        machine=int(chosen.get("ctc", own.machine)),
        size=chosen["size"],
        overrun=chosen["overrun"],
        drop=[*own.drop, *DROP[chosen["jobs"]], *NO_JOB],
    )
    return whole.take(slice(QUICK_JOBS)) if page.quick else whole


def _runs(workload, seeds, workers, how):
    """Runs with perfect estimates and with random ones, as the sweep measures them."""
    tasks = [
        sweep.Task(workload, "log", "random", LOW, watched=True),
        *(
            sweep.Task(workload, "log", "random", HIGH, (seed,), watched=True)
            for seed in range(1, seeds + 1)
        ),
    ]
    table = sweep.run(tasks, workers, **how)
    return table[table["amount"] == LOW].iloc[0], table[table["amount"] == HIGH]


def _numbers(logs, span):
    """(policy, measure, value) of the nine numbers, in per cent."""

    def spread(value):
        """Least and largest over the logs, of means or of single runs."""
        several = [value(low, high) for low, high in logs]
        several = several if span == "runs" else [one.mean() for one in several]
        return np.min(np.hstack(several)), np.max(np.hstack(several))

    for measure in BACKFILLED:
        ends = spread(
            lambda low, high, measure=measure: 100 * (high[measure].to_numpy() / low[measure] - 1)
        )
        yield from (
            ("f=10", f"{measure}_increase_{end}", value)
            for end, value in zip(("min", "max"), ends, strict=True)
        )
    ends = spread(lambda low, high: 100 * high["wild"].to_numpy())
    yield from (
        ("f=10", f"wild_share_{end}", value)
        for end, value in zip(("min", "max"), ends, strict=True)
    )
    yield "f-random", "delayed_share", 100 * np.mean([high["delayed"].mean() for _, high in logs])
