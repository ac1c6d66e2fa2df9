"""The paper's preferred model of estimates, modal, beside real, truncated and vanilla estimates.

All are run on the same jobs, with run times cut to E_max. That is the campaign's, the longest
estimate that a site allowed; but 4 h for KTH, as in the model's own description: at KTH's share of
60 h estimates, 0.1 %, the model has too few estimates for the longest jobs.
"""

import math
from itertools import pairwise

import numpy as np
import pandas as pd

import replication as rp
from notebooks.heel_and_toe import campaign, curves
from notebooks.heel_and_toe.curves import PERFORMANCE
from notebooks.ratios import ratio
from replication.simulator.estimates import cut_runs
from replication.simulator.estimates.modal import SMALLEST_E_MAX
from replication.verdicts.rules import level

SHARES = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5)
BADNESS = (1.0, 10.0, 100.0)
COLUMNS = [f"{name} [%]" for name in ("from", "to", "change", "low", "high")]


def e_max(workload) -> int:
    """Return the E_max that a log is run with here, s."""
    pick = min if workload.name == "KTH-SP2-2" else max
    return campaign.cut_at(workload.name, workload, pick)


def logs_with_little_lost(workloads) -> list[str]:
    """Return the logs of which cutting run times to E_max removes only a small part of the work
    (``words.toml``).
    """

    def work(jobs):
        return float((jobs.run_time * jobs.processors).sum())

    lost = {
        log: 100 * (1 - work(cut_runs(workload, e_max(workload))) / work(workload))
        for log, workload in workloads.items()
    }
    return [log for log, share in lost.items() if share <= level("small")]


def own_share(workload) -> float:
    """Return the share of jobs whose users asked for E_max or more."""
    return float((workload.estimate >= e_max(workload)).mean())


def usable_shares(workload, shares, runs) -> list[float]:
    """Return the shares of jobs at E_max, those given and the log's own, at which every run has an
    estimate; none for an E_max below the model's smallest.
    """
    limit = e_max(workload)
    if limit < SMALLEST_E_MAX:
        return []
    jobs, seeds = cut_runs(workload, limit), range(1, runs + 1)
    several = sorted({own_share(workload), *shares})
    return [share for share in several if rp.Modal(limit, share).covers(jobs, seeds)]


def results(workloads, runs, workers=1) -> pd.DataFrame:
    """Return the `summary` of every log with users' estimates, the modal model at each usable
    share, and f-models cut at E_max and not.
    """
    parts = []
    for workload in workloads.values():
        limit = e_max(workload)
        modal = [rp.Modal(limit, share) for share in usable_shares(workload, SHARES, runs)]
        others = [rp.FModel(f, longest) for f in BADNESS for longest in (limit, None)]
        models, jobs = [rp.Users(e_max=limit), *modal, *others], cut_runs(workload, limit)
        parts.append(rp.sweep(jobs, estimates=models, seeds=runs, workers=workers))
    return summary(pd.concat(parts, ignore_index=True), workloads)


def summary(table, workloads) -> pd.DataFrame:
    """Return mean and intervals of each measure with each kind of estimates, from a sweep over runs
    cut to `e_max`.

    Columns of `curves.spread` with estimates (real, modal, truncated, vanilla) and amount (share at
    E_max, or f), own (whether the share is the log's) and real (the value with the real estimates).
    The workloads are not cut.
    """
    own_shares = {log: own_share(workload) for log, workload in workloads.items()}
    if "share" not in table:
        table = table.assign(share=math.nan)  # no log has a usable share
    kind = table["model"].replace({"users": "real", "f-model": "vanilla"})
    kind = kind.mask((kind == "vanilla") & (table["e_max"] > 0), "truncated")
    amount = table["share"].fillna(table["f"]).fillna(table["factor"])
    summary = curves.spread(table.assign(model=kind, f=amount), PERFORMANCE).drop(columns="load")
    summary = summary.rename(columns={"model": "estimates", "f": "amount"})
    summary = pd.concat([summary[summary["log"] == log] for log in own_shares], ignore_index=True)
    is_own = np.isclose(summary["amount"], summary["log"].map(own_shares)) & (
        summary["estimates"] == "modal"
    )
    summary.insert(3, "own", is_own)
    real = summary[summary["estimates"] == "real"].set_index(["log", "measure"])["value"]
    return summary.join(real.rename("real"), on=["log", "measure"])


def change(summary, shares, step=False) -> pd.DataFrame:
    """Return the change of each mean from the smallest of some shares at E_max to the largest, or
    step by step.

    Shares that a log was not run with are left out. Columns in per cent: from, to, change, low and
    high (95 % interval).
    """
    rows = []
    modal = summary[(summary["estimates"] == "modal") & summary["amount"].isin(shares)]
    for key, part in modal.groupby(["log", "measure"], sort=False):
        part = part.sort_values("amount").to_dict("records")
        for a, b in pairwise(part if step else [part[0], part[-1]]):
            half = math.hypot(a["mean_high"] - a["value"], b["mean_high"] - b["value"])
            change = b["value"] - a["value"]
            ends = (100 * ratio(x, a["value"]) for x in (change, change - half, change + half))
            rows.append([*key, 100 * a["amount"], 100 * b["amount"], *ends])
    return pd.DataFrame(rows, columns=["log", "measure", *COLUMNS])
