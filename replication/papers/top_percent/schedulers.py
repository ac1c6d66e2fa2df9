"""The table under other schedulers, which the paper only mentions, and on logs it does not have."""

from dataclasses import replace

from replication.basics import style
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.papers.top_percent.runs import READINGS, REFERENCE, TITLES
from replication.schedulers import EASY, Conservative, LargestAreaFirst

#: What the paper calls a scheduler.
PAPER = {"EASY": EASY(), "Conservative": Conservative(), "LAF": LargestAreaFirst()}
ALL = {"EASY": EASY(), "EASY-SJBF": EASY(candidates="sjf")} | PAPER
#: Changes below this many per cent are drawn on a linear axis, others on a logarithmic one.
LINEAR = 1
TICKS = (-50, -10, -1, 0, 1, 10, 100, 1000)


def tasks(workloads, schedulers, predictors, reading=READINGS["words"]):
    """Rows to be simulated: each log under each scheduler with each predictor.

    Parameters
    ----------
    workloads : dict of str to replication.logs.workload.Workload
    schedulers : dict of str to replication.schedulers.Scheduler
    predictors : dict of str to replication.predictors.Predictor
    reading : replication.evidence.variants.Variant

    Yields
    ------
    dict, Workload, Scheduler
        As `replication.papers.top_percent.runs.simulated` takes them.
    """
    for log, workload in workloads.items():
        for about, scheduler in schedulers.items():
            for policy, predictor in predictors.items():
                names = {"trace": log, "scheduler": about, "policy": policy}
                yield names, workload, reading.of(replace(scheduler, predictor=predictor))


def named(schedulers):
    """Schedulers by what the paper calls them, others by their `repr`."""
    names = {scheduler: name for name, scheduler in ALL.items()}
    return {names.get(scheduler, repr(scheduler)): scheduler for scheduler in schedulers}


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
    table = table.loc[list(dict.fromkeys(ours["policy"]))]
    table.columns = [f"{trace} {scheduler}" for trace, scheduler in table.columns]
    return table.reset_index()


def draw(ours):
    """A row a log, a column a measure of the schedule: what each predictor changes under each scheduler."""
    some = ours[(ours["measure"] != "r2") & (ours["policy"] != REFERENCE)]
    some = some.assign(change=100 * (some["value"] - 1))
    logs, names = list(dict.fromkeys(some["trace"])), list(dict.fromkeys(some["scheduler"]))
    measures = list(dict.fromkeys(some["measure"]))
    figure, panels = plt.subplots(
        len(logs),
        len(measures),
        figsize=(style.size(1, len(measures))[0], 2.1 * len(logs) + 0.9),
        sharex=True,
        sharey=True,
        squeeze=False,
    )
    for row, log in zip(panels, logs, strict=True):
        for panel, measure in zip(row, measures, strict=True):
            sns.pointplot(
                some[(some["trace"] == log) & (some["measure"] == measure)],
                x="policy",
                y="change",
                hue="scheduler",
                dodge=0.45,
                errorbar=None,
                linestyle="none",
                palette=dict(zip(names, style.COLOURS, strict=False)),
                markers=[*style.MARKERS[: len(names)]],
                markersize=4,
                legend=panel is panels[0, 0],
                ax=panel,
            )
            panel.axhline(0, color="black", linewidth=0.8)
            panel.set_yscale("symlog", linthresh=LINEAR)
            panel.set_yticks(TICKS, [f"{tick:+d} %" if tick else "0" for tick in TICKS])
            panel.set(title=f"{log}: {TITLES[measure]}", xlabel="", ylabel="")
            panel.tick_params(axis="x", rotation=90)
        row[0].set_ylabel("change from Reqtime")
    handles, labels = panels[0, 0].get_legend_handles_labels()
    panels[0, 0].get_legend().remove()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(names))
    return figure
