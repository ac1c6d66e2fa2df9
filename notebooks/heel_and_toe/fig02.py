"""Fig. 2: real and perfect estimates, as they are and doubled."""

import pandas as pd
from matplotlib.figure import Figure

import replication as rp
from notebooks import panels, ratios
from notebooks.heel_and_toe.curves import PERFORMANCE
from replication.drawing import style


def label_rows(table, factor=2) -> pd.DataFrame:
    """Return the rows of `replication.compare` as the figure names them.

    Columns: trace, estimates (users' and perfect ones, each as it is and multiplied), mean_wait
    (min), mean_bounded_slowdown, backfilled (a share).
    """
    models = {
        "real": rp.Users(),
        "perfect": rp.Perfect(),
        f"real x{factor:g}": rp.Users(factor),
        f"perfect x{factor:g}": rp.Deterministic(factor - 1),
    }
    names = {repr(model): name for name, model in models.items()}
    table = table.assign(estimates=table["estimates"].map(names)).rename(columns={"log": "trace"})
    units = {measure: table[measure] * factor for measure, (_, factor) in PERFORMANCE.items()}
    return table.assign(**units)[["trace", "estimates", *PERFORMANCE, "backfilled"]]


def draw(results) -> Figure:
    """Draw both measures as bars, a panel for each log, as in the paper."""
    looks = style.bars(dict.fromkeys(results["estimates"]))
    looks = {name: look | {"label": in_words(name)} for name, look in looks.items()}

    def draw_panel(axes, log, measure):
        part = results[results["trace"] == log].set_index("estimates")[measure]
        for k, (name, look) in enumerate(looks.items()):
            axes.bar(k, part[name], **look)
        axes.set(xticks=[])
        axes.grid(axis="x", visible=False)

    rows = {measure: label for measure, (label, _) in PERFORMANCE.items()}
    return panels.draw(results["trace"], rows, draw_panel)


def in_words(name) -> str:
    """Return the label of estimates that the paper's tables call, for example, ``real x2``."""
    kind, _, factor = name.partition(" ")
    label = {"real": "users' estimates", "perfect": "perfect estimates"}[kind]
    return f"{label}, {factor.replace('x', '× ')}" if factor else label


def change(results) -> pd.DataFrame:
    """Return the change of each measure in per cent, negative is better: a row for each log and
    measure; nan of a measure that is 0, as the wait is where nobody waits.
    """
    rows = []
    for log, group in results.groupby("trace", sort=False):
        for measure, (label, _) in PERFORMANCE.items():
            real, more_real, perfect, more_perfect = group[measure]  # as `label_rows` has them
            pairs = (more_real, real), (more_perfect, perfect), (perfect, real)
            changes = (ratios.percent_more(*pair) for pair in pairs)
            rows.append([log, label.split(" [")[0], *changes])
    columns = [f"{name} [%]" for name in ("doubling real", "doubling perfect", "real to perfect")]
    return pd.DataFrame(rows, columns=["trace", "measure", *columns])
