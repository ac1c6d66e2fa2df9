"""A small search over heel-and-toe's readings: nine numbers are printed that simulations decide.

They stand in running text, in round figures, over all logs at once ("2 to 5 %", "around 1 %"), for f = 10
against f = 0 at the logs' own loads. So there is no log to hold out, and little that they could identify.
"""

import json

import numpy as np
import pandas as pd

from replication.estimates import FModel
from replication.evidence import published, readings, variants
from replication.evidence.variants import Variant
from replication.papers import dimensions
from replication.papers.heel_and_toe.curves import BACKFILLED
from replication.sweeps import grid as sweep

PAPER, ITEMS = "heel_and_toe", ("text",)
KTH, CTC = ("KTH-SP2-2",), ("CTC-SP2",)

CLEANING = dimensions.size("requested") | {
    "overrun": (
        Variant("raise-estimate", "run times are as logged"),
        Variant("cut-run", "runs are cut at their requests", cleaning={"overrun": "cut-run"}),
    ),
    "jobs": (
        Variant("all", "every job with a run time is one"),
        Variant(
            "positive", "jobs of run time 0 are left out", cleaning={"drop": ("zero-run-time",)}
        ),
        Variant(
            "ran",
            "jobs without allocated processors are left out",
            cleaning={"drop": ("not-allocated",)},
        ),
    ),
    "kth": (
        Variant("recorded", "KTH is as recorded"),
        Variant("cleaned", "KTH is cleaned, as the other logs", log="KTH-SP2", logs=KTH),
    ),
    "ctc": (
        Variant("512", "CTC has 512 processors"),
        Variant(
            "430",
            "CTC has the 430 processors of its batch part",
            cleaning={"machine": 430},
            logs=CTC,
        ),
        Variant(
            "338",
            "CTC has the 338 processors of the archive's header",
            cleaning={"machine": 338},
            logs=CTC,
        ),
    ),
}
SPAN = {
    "span": (
        Variant("extremes", "a range is that of the logs' means"),
        Variant("runs", "a range is that of all single runs"),
    )
}
LOW, HIGH = 0.0, 10.0


def search(workloads, seeds=10, first=None, workers=1, **how):
    """Run the search, or read what was found before.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
        The paper's logs.
    seeds : int
        Runs at f = 10; the figures have 100.
    first : int, optional
        How many jobs of a log are taken. Where that is given, and on stand-ins, only the default and single
        changes are tried.
    workers : int
    **how
        Of `replication.sweeps.grid.run`, such as an executor.

    Returns
    -------
    replication.evidence.readings.Found
    """
    stand_in = any(one.stand_in for one in workloads.values())
    clean = readings.kept_to_defaults("a stand-in has no lines to read otherwise", CLEANING)
    grid = readings.Grid(
        CLEANING | SPAN, clean if stand_in else (), ({},) if stand_in or first else None
    )
    rows, found = [], {}
    for k in grid.projections([*CLEANING]):
        alternatives, several = grid.variants(k, CLEANING).values(), []
        for log in workloads:
            # What does not concern a log gives it no runs of its own.
            variant = variants.together(alternatives, log)
            if (log, repr(variant)) not in found:
                jobs = variants.jobs(PAPER, workloads, log, variant, first)
                found[log, repr(variant)] = _runs(jobs, seeds, workers, how)
            several.append(found[log, repr(variant)])
        for span in grid.names["span"]:
            text = json.dumps(grid.chosen(k, CLEANING) | {"span": span}, sort_keys=True)
            rows += [
                ("all", policy, measure, text, value)
                for policy, measure, value in _numbers(several, span)
            ]
    table = pd.DataFrame(rows, columns=["trace", "policy", "measure", "chosen", "value"])
    printed = [row for row in published.rows(PAPER, "text") if row.policy != "log"]
    return readings.Found(grid, table, printed)


def _runs(workload, seeds, workers, how):
    """Runs with perfect estimates and with random ones, as the sweep measures them."""
    tasks = [
        sweep.Task(workload, FModel(LOW), watched=True),
        *(
            sweep.Task(workload, FModel(HIGH), seeds=(seed,), watched=True)
            for seed in range(1, seeds + 1)
        ),
    ]
    table = sweep.run(tasks, workers, **how)
    return table[table["f"] == LOW].iloc[0], table[table["f"] == HIGH]


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
