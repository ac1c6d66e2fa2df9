"""Fig. 2: real and perfect estimates, as they are and doubled."""

from replication.basics import style
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.basics.lazy import seaborn as sns
from replication.estimates import Exact, Users
from replication.papers.heel_and_toe.curves import PERFORMANCE


def named(table, factor=2):
    """The rows of a comparison as the figure names them.

    Parameters
    ----------
    table : pandas.DataFrame
        Of `replication.compare`, with `replication.Users` and `replication.Exact`, each plain and multiplied.
    factor : float
        By which they are multiplied.

    Returns
    -------
    pandas.DataFrame
        trace, estimates, mean_wait (s), mean_bounded_slowdown, backfilled (a share).
    """
    names = {
        repr(model(times)): words + (f" x{factor:g}" if times != 1 else "")
        for words, model in (("real", Users), ("perfect", Exact))
        for times in (1, factor)
    }
    table = table.assign(estimates=table["estimates"].map(names))
    return table.rename(columns={"log": "trace"})[
        ["trace", "estimates", *PERFORMANCE, "backfilled"]
    ]


def draw(results):
    """Bars of both measures, a panel a log, as in the paper."""
    logs, names = (list(dict.fromkeys(results[column])) for column in ("trace", "estimates"))
    figure, grid = plt.subplots(
        len(PERFORMANCE), len(logs), figsize=style.size(2, len(logs)), squeeze=False
    )
    for row, (measure, (label, factor)) in zip(grid, PERFORMANCE.items(), strict=True):
        for axes, log in zip(row, logs, strict=True):
            sns.barplot(
                results[results["trace"] == log].assign(value=lambda rows: rows[measure] * factor),
                x="estimates",
                y="value",
                hue="estimates",
                palette=dict(zip(names, style.COLOURS, strict=False)),
                saturation=1,
                legend=False,
                ax=axes,
            )
            axes.set(xlabel="", xticks=[], ylabel=label if axes is row[0] else "")
            axes.grid(axis="x", visible=False)
    for axes, log in zip(grid[0], logs, strict=True):
        axes.set_title(log)
    bars = [container[0] for container in grid[0, 0].containers]
    figure.legend(bars, names, loc="outside lower center", ncols=len(names))
    return figure


def change(results):
    """Change of each measure in per cent: from doubling, and from real to perfect. Negative is better.

    Returns
    -------
    pandas.DataFrame
        One row a log and measure; columns doubling real, doubling perfect, real to perfect.
    """
    rows = []
    for log, group in results.groupby("trace", sort=False):
        by = group.set_index("estimates")
        real, more_real, perfect, more_perfect = by.index  # as `named` has them
        for measure, (label, _) in PERFORMANCE.items():
            value = by[measure]
            rows.append(
                {
                    "trace": log,
                    "measure": label.split(" [")[0],
                    "doubling real [%]": 100 * (value[more_real] / value[real] - 1),
                    "doubling perfect [%]": 100 * (value[more_perfect] / value[perfect] - 1),
                    "real to perfect [%]": 100 * (value[perfect] / value[real] - 1),
                }
            )
    return pd.DataFrame(rows)


def sentences(changes):
    """What the changes say of the paper's two statements, with the counts that decide."""
    parts = []
    for column, about in (
        ("real to perfect [%]", "perfect estimates do better than the users' own"),
        ("doubling real [%]", "doubling the users' estimates helps"),
        ("doubling perfect [%]", "doubling perfect estimates helps"),
    ):
        better = changes[changes[column] < 0]
        worse = changes[changes[column] >= 0]
        text = f"- {about} in **{len(better)} of {len(changes)}** cases"
        if len(worse):
            text += "; not in " + ", ".join(
                f"{r['trace']} ({r['measure']}, {r[column]:+.1f} %)" for _, r in worse.iterrows()
            )
        parts.append(text + ".")
    return "\n".join(parts)
