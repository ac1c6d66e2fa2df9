"""What every table of the paper is made of: predictors by the paper's names, readings, and the measures."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from replication.basics.lazy import pandas as pd
from replication.evidence import variants
from replication.evidence.variants import Variant
from replication.predictors import CVH, Clairvoyant, Complete, Request, TopPercent, Tsafrir
from replication.schedule import measures, text
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

PAPER, REFERENCE = "top_percent", "Reqtime"
POLICIES = {
    "Reqtime": Request(),
    "Clairvoyant": Clairvoyant(),
    "Complete": Complete(),
    "CVH": CVH(),
    "Tsafrir": Tsafrir(),
    "Top02": TopPercent(2),
    "Top03": TopPercent(3),
    "Top04": TopPercent(4),
}
UNITS = {
    "avebsld": "x Reqtime",
    "af": "x Reqtime",
    "ap0waf": "x Reqtime",
    "ap1waf": "x Reqtime",
    "r2": "1",
}
TITLES = {"avebsld": "AVEbsld", "af": "AF", "ap0waf": "AP0WAF", "ap1waf": "AP1WAF", "r2": "R2"}


READINGS = {
    "words": Variant("words", "the paper's words, and the textbook where they end"),
    "coded": Variant(
        "coded",
        "what the paper's simulator does",
        scheduler={"order": "submissions-first", "passes": "if-fits"},
        predictor={"coded": True},
        cleaning={"drop": ("no-estimate",)},
    ),
}


def measured(schedule):
    """The paper's five measures of a schedule; R2 is of the predictions made at submission.

    Returns
    -------
    dict of str to float
        By the names in `UNITS`; all but R2 in their own units, not over Reqtime's.
    """
    w, wait = schedule.workload, schedule.wait
    return {
        "avebsld": float(measures.bounded_slowdown(wait, w.run_time).mean()),
        "af": measures.average_flow(wait, w.run_time),
        "ap0waf": measures.weighted_flow(wait, w.run_time, w.processors, 0),
        "ap1waf": measures.weighted_flow(wait, w.run_time, w.processors, 1),
        "r2": measures.determination(w.run_time, schedule.first_prediction),
    }


def run(workload, policy, reading=READINGS["words"], scheduler=EASY()):  # noqa: B008, it is frozen
    """The schedule of one row of the table.

    Parameters
    ----------
    workload : replication.logs.workload.Workload
    policy : str
        One of `POLICIES`.
    reading : replication.evidence.variants.Variant
        Options of it that the scheduler does not have are left out.
    scheduler : replication.schedulers.Scheduler
    """
    return simulate(workload, reading.of(replace(scheduler, predictor=POLICIES[policy])))


def named(texts):
    """Predictors by the paper's names, others by their text; Reqtime, which all are divided by, is always there.

    Parameters
    ----------
    texts : sequence of str
        Such as ``top=3``, see `replication.schedule.text`.

    Returns
    -------
    dict of str to replication.predictors.Predictor
    """
    names = {predictor: name for name, predictor in POLICIES.items()}
    asked = {one: names.get(one, given) for given in texts for one in [text.predictor(given)]}
    return {name: one for one, name in ({POLICIES[REFERENCE]: REFERENCE} | asked).items()}


def over_requested(rows):
    """Measures over those of Reqtime, but for R2.

    Parameters
    ----------
    rows : list of dict
        A row a schedule: what names its block (log, scheduler, ...), policy, and what `measured` gives.

    Returns
    -------
    pandas.DataFrame
        The names, then policy, measure, value and unit; a row a number.
    """
    table = pd.DataFrame(rows)
    block = [name for name in table if name not in UNITS and name != "policy"]
    base = table[[*block]].merge(table[table["policy"] == REFERENCE], on=block, how="left")
    for measure in UNITS:
        if measure != "r2":
            table[measure] /= base[measure]
    long = table.set_index([*block, "policy"])[[*UNITS]].rename_axis("measure", axis=1).stack()
    return long.rename("value").reset_index().assign(unit=lambda rows: rows["measure"].map(UNITS))


def simulated(tasks, workers=1):
    """Simulate rows of the table in one pool.

    Parameters
    ----------
    tasks : iterable of (dict, Workload, Scheduler)
        For each row: what names it (policy among it), the jobs, and who decides.
    workers : int
        Threads; the kernels let go of Python's lock.

    Returns
    -------
    pandas.DataFrame
        As `over_requested` gives it.
    """
    with ThreadPoolExecutor(workers) as pool:
        return over_requested(
            list(pool.map(lambda task: task[0] | measured(simulate(*task[1:])), tasks))
        )


def jobs(workloads, reading, quick=False):
    """The workload of each log under a reading; as it is, unless the reading drops more jobs.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
    reading : replication.evidence.variants.Variant
    quick : bool
        Whether they are only the first jobs of their logs.

    Returns
    -------
    dict of str to replication.logs.workload.Workload
    """
    found = {}
    for log, workload in workloads.items():
        first = len(workload) if quick else None
        try:
            found[log] = variants.jobs(PAPER, workloads, log, reading, first)
        except variants.NotApplicable:
            found[log] = workload
    return found
