"""The table under other schedulers, which the paper only mentions, and on logs it does not have."""

from replication.logs import traces
from replication.logs.workload import QUICK_JOBS
from replication.papers.top_percent.runs import POLICIES, READINGS, TITLES, blocks
from replication.schedulers import EASY, Conservative, LargestAreaFirst

# What the table calls a scheduler.
PAPER = {"EASY": EASY(), "Conservative": Conservative(), "LAF": LargestAreaFirst()}
ALL = {
    "EASY": EASY(),
    "EASY-SJBF": EASY(candidates="sjf"),
    "Conservative": Conservative(),
    "LAF": LargestAreaFirst(),
}
OTHER_LOGS = ("SDSC-BLUE", "CEA-Curie")
TICKS = (0.1, 0.2, 0.5, 0.7, 1, 1.5, 2, 3, 5, 10, 20, 50)


def tasks(workloads, which=None, reading=READINGS["words"]):
    """Blocks to be simulated: each log under each scheduler.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
    which : dict, optional
        `ALL` by default.
    reading : replication.evidence.variants.Variant
    """
    return [
        ({"trace": log, "scheduler": about}, workload, {"reading": reading, "scheduler": scheduler})
        for log, workload in workloads.items()
        for about, scheduler in (which or ALL).items()
    ]


def results(found, workers):
    """The rows of all blocks; see `replication.papers.top_percent.runs.blocks`."""
    return blocks(found, workers)


def other_logs(page):
    """Logs that the paper lacks, by its rules and on the machine the log names; none beside stand-ins.

    Returns
    -------
    dict of str to replication.logs.workload.Workload
        Without the logs that are not to be had.
    """
    if page.stand_in:
        return {}
    rules, found = traces.rules(page.logs[0], page.paper), {}
    for log in OTHER_LOGS:
        try:
            workload = traces.load(
                log, stand_in=False, size=rules.size, overrun=rules.overrun, drop=rules.drop
            )
        except traces.TraceError:
            continue
        found[log] = workload.take(slice(QUICK_JOBS)) if page.quick else workload
    return found


def spread(ours):
    """How far the schedulers are from each other: largest difference of a row's measure, per log.

    Returns
    -------
    pandas.DataFrame
        trace and one column a measure.
    """
    ranges = ours.groupby(["trace", "policy", "measure"], sort=False)["value"].agg(
        lambda v: v.max() - v.min()
    )
    table = ranges.groupby(["trace", "measure"], sort=False).max().unstack("measure")
    return table[list(TITLES)].rename(columns=TITLES).rename_axis(None, axis=1).reset_index()


def wide(ours, measure):
    """One measure: policies down, logs and schedulers across."""
    table = ours[ours["measure"] == measure].pivot(
        index="policy", columns=["trace", "scheduler"], values="value"
    )
    table = table.loc[list(POLICIES)]
    table.columns = [f"{trace} {scheduler}" for trace, scheduler in table.columns]
    return table.reset_index()


def draw(ours, measures=("avebsld", "ap1waf")):
    """One panel a measure and log: a bar for each practical predictor and scheduler, over Reqtime's."""
    from matplotlib import pyplot as plt

    from replication.basics import style

    logs, names = list(dict.fromkeys(ours["trace"])), list(dict.fromkeys(ours["scheduler"]))
    shown = [policy for policy in POLICIES if policy != "Reqtime"]
    figure, panels = plt.subplots(
        len(logs), len(measures), figsize=style.size(len(logs), 2), sharex=True, squeeze=False
    )
    looks, width = style.bars(names), 0.8 / len(names)
    for row, log in zip(panels, logs, strict=True):
        for panel, measure in zip(row, measures, strict=True):
            part = ours[
                (ours["trace"] == log) & (ours["measure"] == measure) & ours["policy"].isin(shown)
            ]
            for k, name in enumerate(names):
                values = part[part["scheduler"] == name].set_index("policy")["value"]
                # Bars begin at 1, so that on a logarithmic axis twice as good is as long as twice as bad.
                panel.bar(
                    [x + (k - (len(names) - 1) / 2) * width for x in range(len(shown))],
                    [values[policy] - 1 for policy in shown],
                    width,
                    bottom=1,
                    **looks[name],
                )
            panel.axhline(1, color="black", linewidth=0.8)
            panel.set_yscale("log")
            panel.set_yticks([], minor=True)
            panel.set_yticks(
                [t for t in TICKS if 0.8 * part["value"].min() <= t <= 1.2 * part["value"].max()]
            )
            panel.yaxis.set_major_formatter("{x:g}")
            panel.set_xticks(range(len(shown)), shown, rotation=45, ha="right")
            panel.set(title=f"{log}: {TITLES[measure]}", ylabel="over Reqtime's")
    figure.legend(
        *panels[0, 0].get_legend_handles_labels(), loc="outside lower center", ncols=len(names)
    )
    return figure
