"""Curves over badness: means and intervals of many runs, and panels like the paper's."""

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from notebooks.panels import draw, log_ticks
from replication.drawing import style

MINUTE = 60
#: measure: axis label, factor from the sweep's unit.
PERFORMANCE = {
    "mean_wait": ("mean wait [min]", 1 / MINUTE),
    "mean_bounded_slowdown": ("mean bounded slowdown", 1),
}
SHORT = {"mean_wait": "wait", "mean_bounded_slowdown": "slowdown"}
BACKFILLED = {
    "backfilled": ("backfilled [% of jobs]", 100),
    "backfilled_run_time": ("run time of\nbackfilled jobs [min]", 1 / MINUTE),
    "backfilled_size": ("size of backfilled\njobs [processors]", 1),
}
WILD = {
    "wild": ("wild [% of jobs]", 100),
    "wild_run_time": ("run time of\nwild backfills [min]", 1 / MINUTE),
    "wild_size": ("size of wild\nbackfills [processors]", 1),
}
DELAYED = {
    "delayed": ("delayed [% of jobs]", 100),
    "events": ("wild events per delayed job", 1),
    "delay": ("mean delay [min]", 1 / MINUTE),
}
ORDER = {
    "regular_run_time": ("run time of jobs\nnot backfilled [min]", 1 / MINUTE),
    "sjfness": ("SJFness [% of jobs]", 100),
}
#: Units of the measures above, from their labels.
UNITS = {
    measure: label.partition("[")[2].rstrip("]")
    for several in (PERFORMANCE, BACKFILLED, WILD, DELAYED, ORDER)
    for measure, (label, _) in several.items()
}
BAND = "random: 5th to 95th percentile of runs"
INTERVAL = (5, 95)  # percentiles of the runs, section 3
Z95 = 1.959964  # normal quantile: 95 % interval of a mean
DIGITS = 6


def summary(results, measures) -> pd.DataFrame:
    """Return `spread` with six significant digits."""
    return round_digits(spread(results, measures))


def spread(results, measures) -> pd.DataFrame:
    """Return mean and intervals over the seeds, in the figures' units.

    Columns: log, load, model, f, measure, runs, value (the mean), mean_low and mean_high (its 95 %
    interval), p5 and p95 (of the runs). Models other than the random one are single runs without
    intervals.
    """
    keys = ["log", "load", "model", "f"]
    parts = []
    for measure, (_, factor) in measures.items():
        grouped = (results[measure] * factor).groupby(
            [results[k] for k in keys], sort=False, dropna=False
        )
        part = grouped.agg(runs="size", value="mean", sd="std").reset_index()
        for name, percent in zip(("p5", "p95"), INTERVAL, strict=True):
            part[name] = grouped.quantile(percent / 100).to_numpy()
        half = Z95 * part.pop("sd") / np.sqrt(part["runs"])
        part.insert(4, "measure", measure)
        part.insert(7, "mean_low", part["value"] - half)
        part.insert(8, "mean_high", part["value"] + half)
        part.loc[part["runs"] == 1, ["mean_low", "mean_high", "p5", "p95"]] = np.nan
        parts.append(part)
    return pd.concat(parts, ignore_index=True)


def round_digits(table, digits=DIGITS) -> pd.DataFrame:
    """Return a table with its real numbers rounded to some significant digits."""
    real = table.select_dtypes("float").columns
    return table.assign(**{name: [float(f"{x:.{digits}g}") for x in table[name]] for name in real})


def panels(results, measures, band=True, scale="linear", yscale="linear") -> Figure:
    """Draw results of the campaign at one load: a row of panels for each measure (of the tables
    above), a column for each log.

    The band is from the 5th to the 95th percentile of the random model's runs; the scales are as
    matplotlib names them.
    """

    def draw_panel(axes, log, measure):
        part = results[results["log"] == log]
        panel(axes, part.assign(value=part[measure] * measures[measure][1]), band)
        axes.set(xscale=scale, yscale=yscale)
        axes.margins(x=0, y=0.05)  # y: so that the limits contain the horizontal line too
        if yscale == "log":
            log_ticks(axes.yaxis)

    rows = {measure: label for measure, (label, _) in measures.items()}
    figure = draw(results["log"], rows, draw_panel, "badness f", sharex=True)
    least, most = results["f"].min(), results["f"].max()
    if least > 0:  # of what does not exist at f = 0 the axis says where it starts
        ticks = [f for f in figure.axes[0].get_xticks() if least + 0.1 * (most - least) < f <= most]
        figure.axes[0].set_xticks([least, *ticks])
        figure.axes[0].xaxis.set_major_formatter("{x:g}")
    return figure


def panel(axes, part, band=True) -> None:
    """Draw the runs of the random model, of the deterministic model and of the log's own estimates,
    for one log and measure.
    """
    looks = style.series(["random", "deterministic", "real"], marker=False)
    looks["random"]["label"] = "random: mean of runs" if band else "random: one run"
    ink = {"linewidth": 0, "alpha": 0.25, "label": BAND}
    bars = {"errorbar": ("pi", INTERVAL[1] - INTERVAL[0]), "err_kws": ink}
    for model, how in (
        ("random", bars if band else {"errorbar": None}),
        ("deterministic", {"errorbar": None, "linewidth": 1}),
    ):
        runs, look = part[part["model"] == model], looks[model]
        sns.lineplot(runs, x="f", y="value", ax=axes, legend=False, **how, **look)
    real = part.loc[part["model"] == "users", "value"]
    if np.isfinite(real).any():
        axes.axhline(real.iloc[0], **looks["real"] | {"label": "users' estimates"})


def at_few_f(table, fs=(0, 0.5, 1, 2, 5, 10)) -> pd.DataFrame:
    """Return the means of the random model at a few f, with a row for each log and measure."""
    part = table[(table["model"] == "random") & table["f"].isin(fs)]
    wide = part.pivot_table(index=["log", "measure"], columns="f", values="value", sort=False)
    return wide.rename(columns=lambda f: f"f={f:g}").reset_index()
