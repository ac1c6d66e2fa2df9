"""Table I: EASY with eight predictors, each measure over that of the requested time."""

import numpy as np
import pandas as pd

from replication.basics import paths
from replication.evidence import compare, published
from replication.logs import traces
from replication.logs.workload import QUICK_JOBS
from replication.papers.top_percent.runs import POLICIES, READINGS, TITLES, blocks, jobs
from replication.schedule import measures

BLUE_WATERS = "BW"
ABSENT = (
    "the converted log is not public: put one, made of the TORQUE logs, into a trace folder as bw.swf "
    "(python -m replication convert torque) and this block is filled in"
)
DEFINED = "1 by definition"


def table1(page):
    """All rows and columns of Table I under both readings.

    Returns
    -------
    pandas.DataFrame
        reading, trace, policy, measure, value, unit.
    """
    tasks = []
    for name, reading in READINGS.items():
        workloads = jobs(page, reading) | blue_waters(page, reading)
        tasks += [
            ({"reading": name, "trace": log}, workload, {"reading": reading})
            for log, workload in workloads.items()
        ]
    return blocks(tasks, page.workers)


def blue_waters(page, reading):
    """The Blue Waters workload by name, if its log is in a trace folder; empty elsewhere and on stand-ins."""
    found = [
        folder / name
        for folder in paths.trace_folders()
        for name in ("bw.swf", "bw.swf.gz")
        if (folder / name).is_file()
    ]
    if not found or page.stand_in:
        return {}
    rules = traces.rules(page.logs[0], page.paper)
    workload = traces.load(
        found[0],
        size=rules.size,
        overrun=rules.overrun,
        drop=[*rules.drop, *reading.cleaning.get("drop", ())],
    )
    return {BLUE_WATERS: workload.take(slice(QUICK_JOBS)) if page.quick else workload}


def of(ours, reading):
    """One reading's rows, as `Page.compare` takes them."""
    return ours[ours["reading"] == reading].drop(columns="reading")


def reasons(ours):
    """Why numbers have no verdict, by trace, or by trace, policy and measure."""
    ones = [("Reqtime", measure) for measure in TITLES if measure != "r2"] + [("Clairvoyant", "r2")]
    defined = {(log, *one): DEFINED for log in dict.fromkeys(ours["trace"]) for one in ones}
    return defined if (ours["trace"] == BLUE_WATERS).any() else defined | {BLUE_WATERS: ABSENT}


def side_by_side(page, ours):
    """Published value and both readings of every number, with a verdict on each.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, published; ours and its verdict for each reading.
    """
    merged = None
    for reading in READINGS:
        frame = compare.table(
            page.paper, "table1", of(ours, reading), reasons(ours), stand_in=page.stand_in
        )
        if page.kind == "quick":
            frame["verdict"] = compare.NOT_COMPARABLE
        frame = frame.rename(columns={"ours": reading, "verdict": f"verdict, {reading}"})
        columns = ["trace", "policy", "measure", "published", reading, f"verdict, {reading}"]
        merged = frame[columns] if merged is None else merged.merge(frame[columns], on=columns[:4])
    return merged


def wide(ours, reading, trace):
    """One block as the paper prints it: policies down, measures across."""
    block = ours[(ours["reading"] == reading) & (ours["trace"] == trace)]
    table = block.pivot(index="policy", columns="measure", values="value")
    table = table.loc[list(POLICIES), list(TITLES)].rename(columns=TITLES)
    return table.rename_axis("policy").rename_axis(None, axis=1)


def layout(ours, reading):
    """All blocks of one reading below each other, as the paper prints them."""
    traces = list(dict.fromkeys(ours["trace"]))
    return pd.concat(
        {trace: wide(ours, reading, trace) for trace in traces}, names=["trace"]
    ).reset_index()


def distances(frame):
    """How far each reading is from the published block: largest distance of each measure.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `side_by_side`.

    Returns
    -------
    pandas.DataFrame
        trace, rows (which policies), reading, and one column a measure.
    """
    rows = []
    for trace, block in frame.groupby("trace", sort=False):
        for about, others in (
            ("all but CVH", block["policy"] != "CVH"),
            ("CVH", block["policy"] == "CVH"),
        ):
            for reading in READINGS:
                far = (block[reading] - block["published"]).abs()[others]
                if far.notna().any():
                    largest = far.groupby(block["measure"], sort=False).max()
                    rows.append(
                        {"trace": trace, "rows": about, "reading": reading}
                        | {TITLES[m]: largest[m] for m in TITLES}
                    )
    return pd.DataFrame(rows)


def r2_audit(page, ours):
    """What the R2 column can be: published values beside ours, and beside the R2 of always predicting 0 s.

    Returns
    -------
    pandas.DataFrame
        One row a log and policy whose published R2 is doubtful, or repeats another row's.
    """
    printed = {row.key: row for row in published.rows(page.paper, "table1") if row.measure == "r2"}
    mine = ours[(ours["measure"] == "r2")].set_index(["reading", "trace", "policy"])["value"]
    rows = []
    for log, workload in jobs(page, READINGS["coded"]).items():
        nothing = measures.determination(workload.run_time, np.zeros(len(workload), np.int64))
        for policy in ("Reqtime", "CVH", "Tsafrir", "Complete"):
            value = printed[log, policy, "r2"].value
            same = [
                other
                for other in POLICIES
                if other != policy and printed[log, other, "r2"].value == value
            ]
            rows.append(
                {
                    "trace": log,
                    "policy": policy,
                    "published": value,
                    "ours, words": mine["words", log, policy],
                    "ours, coded": mine["coded", log, policy],
                    "if 0 s were predicted": nothing,
                    "published too for": ", ".join(same),
                }
            )
    return pd.DataFrame(rows)


def r2_verdict(audit):
    """What the audit finds, in a sentence."""
    zero = audit[audit["policy"] == "Reqtime"]
    near = int(((zero["published"] - zero["if 0 s were predicted"]).abs() < 0.0015).sum())
    far = (zero["published"] - zero["ours, coded"]).abs().min()
    repeated = audit[
        (audit["policy"] == "CVH") & audit["published too for"].str.contains("Tsafrir")
    ]
    apart = (
        audit[audit["policy"] == "Tsafrir"]["published"].to_numpy()
        - audit[audit["policy"] == "Tsafrir"]["ours, coded"].to_numpy()
    )
    return (
        f"On {near} of {len(zero)} logs the R2 printed for Reqtime is, to 0.0015, that of predicting 0 s "
        f"for every job, and at least {far:.2f} from that of the requests. "
        f"On {len(repeated)} of {len(zero)} logs CVH and Tsafrir have one printed value; "
        f"ours for Tsafrir is {min(abs(apart)):.2f} to {max(abs(apart)):.2f} from it."
    )
