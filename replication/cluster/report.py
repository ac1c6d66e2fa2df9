"""The two pages for those who run a cluster: pictures, tables and words of a study as a PDF."""

import json
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import typst
from matplotlib.figure import Figure

from replication.basics import style, writing
from replication.cluster import advice as cluster_advice
from replication.cluster import study as cluster_study
from replication.cluster.study import BASE, ESTIMATES
from replication.cluster.tables import TABLES
from replication.pages.render import Picture, Table

FAR = 10  # times the least value: drawn at the edge
PICTURES = {
    "schedulers": "Mean wait and mean bounded slowdown under each scheduler",
    "weeks": "Mean wait of the jobs submitted in each week",
    "estimates": "Mean bounded slowdown of EASY by what it is told",
}
ALWAYS = (
    "The machine is one pool of like processors: memory, GPUs, partitions, reservations and priorities are "
    "not "
    "simulated.",
    "A job that is killed runs from its beginning again; starting, stopping and moving jobs takes no time.",
)
TEMPLATE = Path(__file__).parents[1] / "report" / "templates" / "cluster.typ"


class Report:
    """Everything that is said of a study, worked out once.

    Parameters
    ----------
    found : replication.cluster.study.Study

    Attributes
    ----------
    overview, by_size, by_run_time, users, worth : pandas.DataFrame
        Tables of `replication.cluster.study`.
    advice : list of (str, str)
        See `replication.cluster.advice.recommend`.
    """

    def __init__(self, found):
        self.found = found
        self.overview = cluster_study.overview(found)
        self.by_size = cluster_study.gains(found, "size")
        self.by_run_time = cluster_study.gains(found, "run time")
        self.users = cluster_study.users(found)
        self.worth = cluster_study.worth(found)
        self.advice = cluster_advice.recommend(
            found, self.overview, self.worth, self.by_size, self.by_run_time
        )

    @property
    def banner(self):
        """What must be said above everything; empty for real logs."""
        stand_in = self.found.case.workload.stand_in
        return "STAND-IN DATA: generated jobs, which prove nothing about any cluster." * stand_in

    @property
    def subtitle(self):
        """The log in a sentence."""
        case, w = self.found.case, self.found.case.workload
        waited = ""
        if np.isfinite(case.logged_wait).any():
            waited = (
                f" In the log itself the mean wait was {np.nanmean(case.logged_wait) / 3600:.2f} h."
            )
        load = f", load {100 * w.load:.0f} %" if w.span else ""
        return (
            f"{len(w):,} jobs of {len(np.unique(w.user)):,} users on {w.machine:,} processors, "
            f"{w.span / 86400:,.0f} days{load} ({case.form}). The jobs were submitted again, at the same "
            f"times, to {len(self.found.schedules)} schedulers.{waited}"
        )

    def schedulers(self):
        """Picture: mean wait and mean bounded slowdown of each scheduler.

        Returns
        -------
        matplotlib.figure.Figure
        """
        names = self.overview["scheduler"]
        return _dots(
            [
                (names, self.overview["mean wait, h"], "mean wait [h]"),
                (names, self.overview["mean bounded slowdown"], "mean bounded slowdown"),
            ],
            (7.4, 1.9),
        )

    def weeks(self):
        """Picture: mean wait of each week's jobs under EASY and under the scheduler that is recommended.

        Returns
        -------
        matplotlib.figure.Figure
        """
        rival = cluster_advice.switched_to(self.advice) or next(
            (name for name in ("SJF-EASY", "Conservative") if name in self.found.schedules), BASE
        )
        names = list(dict.fromkeys((BASE, rival)))
        figure = Figure(figsize=(7.4, 1.9), layout="constrained")
        axes = figure.add_subplot()
        looks = style.series(names, marker=False)
        for name, waits in cluster_study.weekly(self.found, names).items():
            axes.step(
                range(len(waits) + 1),
                [*waits, waits[-1]],
                where="post",
                linewidth=1.2,
                **looks[name],
            )
        axes.set_xlabel("week of submission", fontsize=8)
        axes.set_ylabel("mean wait [h]", fontsize=8)
        axes.tick_params(labelsize=7.5)
        axes.xaxis.get_major_locator().set_params(integer=True)
        axes.set_ylim(bottom=0)
        axes.margins(x=0.01)
        axes.legend(fontsize=7.5, ncols=2, loc="upper left", bbox_to_anchor=(0, 1.22))
        return figure

    def estimates(self):
        """Picture: mean bounded slowdown of EASY by what it is told.

        Returns
        -------
        matplotlib.figure.Figure
        """
        return _dots(
            [
                (
                    self.worth["estimates"],
                    self.worth["mean bounded slowdown"],
                    "mean bounded slowdown",
                )
            ],
            (3.5, 2.0),
        )

    def render(self, form="pdf"):
        """The two pages.

        Parameters
        ----------
        form : {"pdf", "png"}

        Returns
        -------
        bytes, or list of bytes
            One picture a page for png.
        """
        style.apply()
        with tempfile.TemporaryDirectory() as folder:
            folder = Path(folder)
            (folder / "cluster.typ").write_text(
                TEMPLATE.read_text(encoding="utf-8"), encoding="utf-8"
            )
            (folder / "data.json").write_text(json.dumps(self._data()), encoding="utf-8")
            for name, figure in (
                ("schedulers", self.schedulers()),
                ("weeks", self.weeks()),
                ("estimates", self.estimates()),
            ):
                figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
            return typst.compile(folder / "cluster.typ", root=folder, timestamp=0, format=form)

    def write(self, path):
        """Write the PDF; it gets its name only when it is complete.

        Parameters
        ----------
        path : str or Path
        """
        pdf = self.render("pdf")
        with writing.opened(path) as file:
            file.write(pdf)

    def table(self, name):
        """One of the tables for a notebook.

        Parameters
        ----------
        name : {"overview", "by_size", "by_run_time", "users", "worth"}

        Returns
        -------
        replication.pages.render.Table
        """
        title, note, _ = TABLES[name]
        cells = self._cells(name)
        # A column without a heading gets a blank: a table needs names that differ.
        shown = pd.DataFrame(
            [[cell["text"] for cell in row] for row in cells["rows"]],
            columns=[head or " " for head in cells["head"]],
        )
        return Table(getattr(self, name), f"{title}. {note}", self.banner, shown=shown)

    def picture(self, name):
        """One of the pictures for a notebook.

        Parameters
        ----------
        name : {"schedulers", "weeks", "estimates"}

        Returns
        -------
        replication.pages.render.Picture
        """
        style.apply()
        return Picture(style.png(getattr(self, name)(), self.banner), PICTURES[name])

    def _cells(self, name):
        return TABLES[name][2](getattr(self, name))

    def _data(self):
        """What the template shows, as text."""
        case = self.found.case
        return {
            "title": f"What other schedulers would have done on {case.workload.name}",
            "subtitle": self.subtitle,
            "banner": self.banner,
            # No line begins with a percent sign.
            "advice": [(heading, words.replace(" %", "\u00a0%")) for heading, words in self.advice],
            "footer": "Simulated by replaying the log. Users would adapt to another scheduler: no replay "
            "shows it.",
            **{name: self._cells(name) for name in TABLES},
            **{f"{name}_note": note for name, (_, note, _) in TABLES.items()},
            "assumed": [*case.assumed, *ALWAYS],
            "counted": [f"{count:,} {what}" for what, count in case.counted],
        }


def _dots(panels, size):
    """Panels of one dot a name with its value beside it; the first of its kind filled, the others hollow.

    What is far beyond the others is drawn as an arrow at the edge, so that the others can be told apart.
    """
    figure = Figure(figsize=size, layout="constrained")
    for place, (names, values, label) in enumerate(panels):
        axes = figure.add_subplot(1, len(panels), place + 1)
        least = min((value for value in values if value > 0), default=0)
        edge = 1.3 * max(value for value in values if value <= FAR * least)
        for row, (name, value) in enumerate(zip(names, values)):
            filled = style.COLOURS[0] if name in (BASE, next(iter(ESTIMATES))) else "white"
            axes.plot(
                [min(value, edge)],
                [row],
                ">" if value > edge else "o",
                markersize=5.5,
                color=style.COLOURS[0],
                markerfacecolor=filled,
                clip_on=False,
            )
            axes.annotate(
                f"{value:,.2f}" if value < 10 else f"{value:,.0f}",
                (min(value, edge), row),
                xytext=(-7 if value > edge else 7, 0),
                textcoords="offset points",
                va="center",
                ha="right" if value > edge else "left",
                fontsize=7.5,
            )
        axes.set_xlim(0, max(edge, 1e-3))
        axes.set_yticks(
            range(len(names)), list(names) if place == 0 else [""] * len(names), fontsize=8
        )
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.tick_params(axis="x", labelsize=7.5)
        axes.set_xlabel(label, fontsize=8)
    return figure
