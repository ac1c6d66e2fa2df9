"""Table I: EASY with eight predictors, each measure over that with the user estimate."""

import numpy as np
import pandas as pd
from matplotlib.figure import Figure

from notebooks import panels
from notebooks.top_percent import weeks
from notebooks.top_percent.runs import PAPER, POLICIES, TITLES, VARIANTS
from replication.drawing import style
from replication.simulator.schedules import measures
from replication.verdicts import published, rules, tables

BLUE_WATERS = "BW"
ABSENT = "the converted log is not public"
DEFINED = "1 by definition"
TOPS = ("Top02", "Top03", "Top04")
#: Of the axis of a picture beyond the outermost values, see `panels.limits`.
ROOM = 1.5
DECIDED = ("match", "close", "near", "differs")


def priority(schedules, ours) -> pd.DataFrame:
    """Return AP0WAF and AP1WAF over Reqtime's: as printed, ours by the words with intervals, and
    ours as coded.

    Parameters
    ----------
    schedules : dict of str to dict
        By log and policy, by the paper's words.
    ours : pandas.DataFrame
        From `runs.over_estimates`, both interpretations.

    Returns
    -------
    pandas.DataFrame
        log, policy, measure, source, value, low, high; the ends are nan where there is no interval.
    """
    wanted = ("ap0waf", "ap1waf")
    shown = list(schedules)
    in_words = weeks.table(weeks.replicates(schedules)).assign(source="ours, by the words")
    printed = pd.DataFrame(
        [(*row.key, "printed", row.value) for row in published.rows(PAPER, "table1")],
        columns=["log", "policy", "measure", "source", "value"],
    )
    coded = of(ours, "coded").rename(columns={"trace": "log"})
    coded = coded.assign(source="ours, as its simulator is coded")
    both = pd.concat([printed, coded[printed.columns]])
    both["measure"] = both["measure"].map(TITLES)
    every = pd.concat([both, in_words], ignore_index=True)
    kept = every["measure"].isin([TITLES[measure] for measure in wanted]) & every["log"].isin(shown)
    return every[kept & (every["policy"] != "Reqtime")].reset_index(drop=True)


def draw_priority(table) -> Figure:
    """Draw `priority`: a row for each measure, a panel for each log, a line for each predictor."""
    looks = style.series(dict.fromkeys(table["source"]))
    policies = list(dict.fromkeys(table["policy"]))

    def draw_panel(axes, log, measure):
        part = table[(table["log"] == log) & (table["measure"] == measure)]
        rows, hues = ("policy", policies), ("source", looks)
        panels.rows_of_dots(axes, part, rows, hues, "value", none=1, room=ROOM)
        axes.set_yticks(range(len(policies)), policies if log == table["log"].iloc[0] else [])
        axes.invert_yaxis()

    rows = dict.fromkeys(table["measure"], "")
    figure = panels.draw(table["log"], rows, draw_panel)
    return panels.label_below(figure, [f"{measure} over that with estimates" for measure in rows])


def at_estimate(schedule) -> dict[str, float]:
    """Return the share of predictions at submission that equal the estimate, and the share of jobs
    that run longer than their prediction, per cent.
    """
    prediction, jobs = schedule.first_prediction, schedule.workload
    equal, longer = prediction == schedule.estimate, jobs.run_time > prediction
    return {"equal to the estimate": 100 * equal.mean(), "run longer": 100 * longer.mean()}


def of(ours, variant) -> pd.DataFrame:
    """Return the rows of one interpretation, as `Page.compare` takes them."""
    return ours[ours["variant"] == variant].drop(columns="variant")


def reasons(ours) -> dict:
    """Return why numbers have no verdict, by trace, or by trace, policy and measure."""
    ones = [("Reqtime", measure) for measure in TITLES if measure != "r2"] + [("Clairvoyant", "r2")]
    defined = {(log, *row): DEFINED for log in dict.fromkeys(ours["trace"]) for row in ones}
    return defined | {BLUE_WATERS: ABSENT}


def side_by_side(ours, undecided="") -> pd.DataFrame:
    """Return for each number the published value and our value under both interpretations, each
    with its verdict.

    `undecided` gives the reason if nothing is decided, see `Page.undecided`.
    """
    both = []
    for variant in VARIANTS:
        mine = of(ours, variant)
        frame = tables.comparison(PAPER, "table1", mine, reasons(ours), not undecided)
        frame = frame.set_index(["trace", "policy", "measure", "published"])[["ours", "verdict"]]
        both.append(frame.set_axis([variant, f"verdict, {variant}"], axis=1))
    return pd.concat(both, axis=1).reset_index()


def layout(ours, variant) -> pd.DataFrame:
    """Return all blocks of one interpretation in the paper's layout: policies down, measures
    across.
    """
    values = of(ours, variant).set_index(["trace", "policy", "measure"])["value"]
    table = values.unstack(sort=False)[[*TITLES]].rename(columns=TITLES)
    return table.rename_axis(None, axis=1).reset_index()


def distances(frame) -> pd.DataFrame:
    """Return the largest distance of each interpretation from the published block, by measure."""
    rows = []
    kind = frame["policy"].map(lambda policy: "CVH" if policy == "CVH" else "all but CVH")
    far = frame.assign(rows=kind, **{r: (frame[r] - frame["published"]).abs() for r in VARIANTS})
    for (trace, about), block in far.groupby(["trace", "rows"], sort=False):
        for variant in VARIANTS:
            largest = block.groupby("measure", sort=False)[variant].max()
            if largest.notna().any():
                rows.append((trace, about, variant, *(largest[measure] for measure in TITLES)))
    return pd.DataFrame(rows, columns=["trace", "rows", "variant", *TITLES.values()])


def baseline(both) -> pd.DataFrame:
    """Return the number of published ratios of Top Percent with each verdict, for a constant 1.000
    and for our ratios.

    The ratios are those of Top02, Top03 and Top04 to Reqtime in the four measures of the schedule;
    takes `side_by_side`.
    """
    ratios = both["policy"].isin(TOPS) & (both["measure"] != "r2") & both["words"].notna()
    rows = []
    for log, block in both[ratios].groupby("trace", sort=False):
        printed = {row.key: row for row in published.rows(PAPER, "table1")}
        keys = [tuple(row) for row in block[["trace", "policy", "measure"]].to_numpy()]
        constant = [rules.number_verdict(1.0, printed[key]).verdict for key in keys]
        for name, decided in (
            ("constant 1.000", constant),
            *((variant, [*block[f"verdict, {variant}"]]) for variant in VARIANTS),
        ):
            rows.append([log, name, len(decided), *(decided.count(word) for word in DECIDED)])
    return pd.DataFrame(rows, columns=["trace", "ours", "ratios", *DECIDED])


def headline(both, far) -> dict:
    """Return the numbers of the opening, from the tables of `side_by_side` and `distances`.

    They are the range of the AP1WAF of Top03 over the simulated logs, published and ours, and for
    each interpretation the largest distance of AVEbsld.
    """
    top = both[(both["policy"] == "Top03") & (both["measure"] == "ap1waf") & both["words"].notna()]
    largest = far[far["rows"] == "all but CVH"].groupby("variant")["AVEbsld"].max()
    ends = {"theirs": top["published"], "ours": top["words"]}
    return {name: (part.min(), part.max()) for name, part in ends.items()} | largest.to_dict()


def r2_audit(workloads, ours) -> pd.DataFrame:
    """Return candidates for the R2 column: published values, ours, and the R2 of always predicting
    0 s.

    There is a row for each log (of `workloads`, as coded) and policy whose published R2 is doubtful
    or repeats another row's.
    """
    printed = {row.key: row.value for row in published.rows(PAPER, "table1")}
    mine = ours[(ours["measure"] == "r2")].set_index(["variant", "trace", "policy"])["value"]
    rows = []
    for log, workload in workloads.items():
        nothing = measures.determination(workload.run_time, np.zeros(len(workload), np.int64))
        for policy in ("Reqtime", "CVH", "Tsafrir", "Complete"):
            value = printed[log, policy, "r2"]
            same = [p for p in POLICIES if p != policy and printed[log, p, "r2"] == value]
            both = mine["words", log, policy], mine["coded", log, policy]
            rows.append((log, policy, value, *both, nothing, ", ".join(same)))
    columns = ["trace", "policy", "published", "ours, words", "ours, coded"]
    return pd.DataFrame(rows, columns=[*columns, "if 0 s were predicted", "published too for"])
