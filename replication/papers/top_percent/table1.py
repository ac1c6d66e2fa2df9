"""Table I: EASY with eight predictors, each measure over that of the requested time."""

import numpy as np

from replication.basics import paths
from replication.basics.lazy import pandas as pd
from replication.evidence import compare, published
from replication.logs import traces
from replication.logs.workload import QUICK_JOBS
from replication.papers.top_percent.runs import PAPER, POLICIES, READINGS, TITLES, jobs
from replication.schedule import measures

BLUE_WATERS = "BW"
ABSENT = (
    "the converted log is not public: put one, made of the TORQUE logs, into a trace folder as bw.swf "
    "(python -m replication convert torque) and this block is filled in"
)
DEFINED = "1 by definition"


def blue_waters(like, drop=()):
    """The Blue Waters workload by name, if its log is in a trace folder; empty elsewhere.

    Parameters
    ----------
    like : str
        The log whose rules of the paper clean it.
    drop : sequence of str
        What is left out besides.

    Returns
    -------
    dict of str to replication.logs.workload.Workload
    """
    found = [
        folder / name
        for folder in paths.trace_folders()
        for name in ("bw.swf", "bw.swf.gz")
        if (folder / name).is_file()
    ]
    if not found:
        return {}
    rules = traces.rules(like, PAPER)
    whole = traces.load(found[0], size=rules.size, overrun=rules.overrun, drop=[*rules.drop, *drop])
    return {BLUE_WATERS: whole}


def workloads(own, reading, quick=False):
    """The jobs of every block under a reading; beside the real logs of the paper those of Blue Waters.

    Parameters
    ----------
    own : dict of str to replication.logs.workload.Workload
    reading : replication.evidence.variants.Variant
    quick : bool
        The first jobs of each log only.

    Returns
    -------
    dict of str to replication.logs.workload.Workload
    """
    found = jobs(own, reading, quick)
    if not any(workload.stand_in for workload in own.values()) and {*own} == {*traces.names(PAPER)}:
        found |= {
            name: whole.take(slice(QUICK_JOBS)) if quick else whole
            for name, whole in blue_waters(
                next(iter(own)), reading.cleaning.get("drop", ())
            ).items()
        }
    return found


def of(ours, reading):
    """One reading's rows, as `Page.compare` takes them."""
    return ours[ours["reading"] == reading].drop(columns="reading")


def reasons(ours):
    """Why numbers have no verdict, by trace, or by trace, policy and measure."""
    ones = [("Reqtime", measure) for measure in TITLES if measure != "r2"] + [("Clairvoyant", "r2")]
    defined = {(log, *one): DEFINED for log in dict.fromkeys(ours["trace"]) for one in ones}
    return defined if (ours["trace"] == BLUE_WATERS).any() else defined | {BLUE_WATERS: ABSENT}


def side_by_side(ours, undecided=""):
    """Published value and both readings of every number, with a verdict on each.

    Parameters
    ----------
    ours : pandas.DataFrame
        From `replication.papers.top_percent.runs.over_requested`, with a column of readings.
    undecided : str
        Why nothing is decided; see `Page.undecided`.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, published; ours and its verdict for each reading.
    """
    merged = None
    for reading in READINGS:
        frame = compare.table(PAPER, "table1", of(ours, reading), reasons(ours), stand_in=False)
        if undecided:
            frame["verdict"] = compare.NOT_COMPARABLE
        frame = frame.rename(columns={"ours": reading, "verdict": f"verdict, {reading}"})
        columns = ["trace", "policy", "measure", "published", reading, f"verdict, {reading}"]
        merged = frame[columns] if merged is None else merged.merge(frame[columns], on=columns[:4])
    return merged


def wide(ours, reading, trace):
    """One block as the paper prints it: policies down, measures across."""
    block = ours[(ours["reading"] == reading) & (ours["trace"] == trace)]
    table = block.pivot(index="policy", columns="measure", values="value")
    table = table.loc[list(dict.fromkeys(block["policy"])), list(TITLES)].rename(columns=TITLES)
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


def headline(both, far):
    """What the opening says: ranges of Top03's AP1WAF, and how far AVEbsld is at most from the published.

    Parameters
    ----------
    both : pandas.DataFrame
        From `side_by_side`.
    far : pandas.DataFrame
        From `distances`.

    Returns
    -------
    dict
        theirs, ours (least and largest over the logs that are simulated), words, coded.
    """
    top = both[(both["policy"] == "Top03") & (both["measure"] == "ap1waf") & both["words"].notna()]
    largest = far[far["rows"] == "all but CVH"].groupby("reading")["AVEbsld"].max()
    ends = {"theirs": top["published"], "ours": top["words"]}
    return {name: (part.min(), part.max()) for name, part in ends.items()} | largest.to_dict()


def r2_audit(workloads, ours):
    """What the R2 column can be: published values beside ours, and beside the R2 of always predicting 0 s.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
        As coded.
    ours : pandas.DataFrame

    Returns
    -------
    pandas.DataFrame
        One row a log and policy whose published R2 is doubtful, or repeats another row's.
    """
    printed = {row.key: row for row in published.rows(PAPER, "table1") if row.measure == "r2"}
    mine = ours[(ours["measure"] == "r2")].set_index(["reading", "trace", "policy"])["value"]
    rows = []
    for log, workload in workloads.items():
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
