"""The report on a cluster's log: one HTML page, or all its tables as CSV."""

import base64
import io
from pathlib import Path

import jinja2
import numpy as np
import pandas as pd
from markupsafe import Markup
from matplotlib.figure import Figure

from replication_cluster import advice, files, replay, study
from replication_cluster.advice import percent
from replication_cluster.study import BASE, SCHEDULERS

NOT_SIMULATED = (
    "Memory, accelerators, reservations, fair shares and priorities are not simulated; a killed "
    "job runs again from its "
    "beginning. Users would adapt to another scheduler, which no replay shows."
)
#: Captions of the tables, in order.
TABLES = {
    "causes": "Features of the log and of the replay, over the jobs with a logged wait.",
    "overview": (
        f"All schedulers. Change of the mean bounded slowdown relative to {BASE}; low and high: "
        "simultaneous 95 % intervals over resampled users. Users: with a mean wait that changes "
        f"by more than {100 * study.NOTICEABLE:.0f} % and {study.MIN_CHANGE} s."
    ),
    "gains": f"Change of the mean wait of groups of jobs relative to {BASE}; negative is shorter.",
}
CHANGES = {"change", "low", "high", *SCHEDULERS}
COLOURS = {"logged, h": "#0B3C7D", "replayed, h": "#E9A227"}


class Report:
    """Contents of the report on a `replication_cluster.study.Study`.

    The tables of `TABLES` are attributes; causes is None for a log without waits.
    """

    def __init__(self, result):
        self.result = result
        self.overview, self.gains = study.overview(result), study.gains(result)
        self.advice = advice.recommend(result, self.overview, self.gains)
        known = result.similarity is not None
        self.causes = replay.causes(result.case, result.schedules[BASE])[0] if known else None

    @property
    def title(self):
        """Heading of the page."""
        return f"Other schedulers on {self.result.case.workload.name}"

    @property
    def notices(self):
        """Warnings, which come first."""
        case, w = self.result.case, self.result.case.workload
        notices = []
        if case.estimated < 1:
            without = round((1 - case.estimated) * len(w))
            notices.append(f"{without:,} of {len(w):,} jobs came without an estimate.")
        if case.inferred:
            notices.append(
                f"The log does not state the size of the machine; {w.machine:,} processors were in "
                f"use at once."
            )
        if w.span < replay.WEEK:
            notices.append(f"The log is shorter than a week ({w.span / 86400:.1f} days).")
        return notices

    @property
    def subtitle(self):
        """The log in a sentence."""
        case, w = self.result.case, self.result.case.workload
        load = f", load {100 * w.load:.0f} %" if w.span else ""
        return (
            f"{len(w):,} jobs of {len(np.unique(w.user)):,} users on {w.machine:,} processors, "
            f"{w.span / 86400:,.0f} days{load} ({case.form}), submitted at the same times to "
            f"{len(self.result.schedules)} schedulers."
        )

    @property
    def similarity(self):
        """Similarity of log and replay in words."""
        if self.result.similarity is None:
            return "The log does not state how long its jobs waited, so the similarity is unknown."
        logged, replayed = replay.known_waits(self.result.case, self.result.schedules[BASE]).mean()
        by = ", ".join(f"{value:.2f} by {what}" for what, value in self.result.similarity.items())
        return (
            f"Jobs waited {logged:.2f} h on average in the log and {replayed:.2f} h in the replay "
            f"under {BASE}. Similarity: {by} (1 is equal, 2/3 half or double everywhere). Below "
            f"{replay.SIMILAR:.2f} there is no advice."
        )

    def waits(self):
        """Return a figure of logged and replayed mean waits by week, size and partition (those with
        the most jobs).
        """
        waits = self.result.waits
        kinds = waits["by"].unique()
        figure = Figure(figsize=(9, 2.6), layout="constrained")
        widths = [2.2, *[1] * (len(kinds) - 1)]
        panels = figure.subplots(1, len(kinds), width_ratios=widths, squeeze=False)[0]
        for axes, by in zip(panels, kinds):
            rows = waits[waits["by"] == by]
            if by == "week":
                for name, colour in COLOURS.items():
                    label = name.removesuffix(", h")
                    axes.step(rows["group"], rows[name], where="post", color=colour, label=label)
                axes.legend(loc="lower left", bbox_to_anchor=(0, 0.97), ncols=2, frameon=False)
                axes.set_ylabel("mean wait [h]")
            else:
                rows = rows.nlargest(8, "jobs").sort_index()
                places = np.arange(len(rows))
                for shift, (name, colour) in zip((-0.2, 0.2), COLOURS.items()):
                    axes.bar(places + shift, rows[name], 0.4, color=colour)
                # A name may contain $, which is no formula.
                axes.set_xticks(places, rows["group"].astype(str), parse_math=False)
            axes.set_xlabel(by)
            axes.set_ylim(bottom=0)
            axes.tick_params(axis="x", labelrotation=30)
        return figure

    def html(self):
        """Return the page, str; it needs no other file."""
        templates = jinja2.Environment(
            loader=jinja2.FileSystemLoader(Path(__file__).parent),
            autoescape=True,
            undefined=jinja2.StrictUndefined,
            trim_blocks=True,
        )
        case, picture = self.result.case, None
        if self.causes is not None:
            buffer = io.BytesIO()
            self.waits().savefig(buffer, format="png", dpi=128, metadata={"Software": None})
            picture = base64.b64encode(buffer.getvalue()).decode()
        tables = [
            {"caption": caption, "frame": getattr(self, name), "before_advice": name == "causes"}
            for name, caption in TABLES.items()
            if getattr(self, name) is not None
        ]
        return templates.get_template("report.html.j2").render(
            **{
                name: getattr(self, name) for name in ("title", "notices", "subtitle", "similarity")
            },
            advice=self.advice,
            picture=picture,
            tables=tables,
            show=_table,
            assumptions=[
                *case.assumed,
                NOT_SIMULATED,
                *(f"{count:,} {what}." for what, count in case.counted),
            ],
        )

    def csv(self):
        """Return all tables in one, str: table, row, column, value."""
        frames = {name: getattr(self, name) for name in TABLES} | {"replay": self.result.waits}
        rows = [
            (name, number, column, _no_formula(value))
            for name, frame in frames.items()
            if frame is not None
            for number, row in enumerate(frame.to_dict("records"), start=1)
            for column, value in row.items()
        ]
        frame = pd.DataFrame(rows, columns=["table", "row", "column", "value"])
        return frame.to_csv(index=False, lineterminator="\n")

    def write(self, path):
        """Write the page (``.html``) or the tables (``.csv``)."""
        text = {".html": self.html, ".csv": self.csv}[Path(path).suffix]()
        files.write(path, text.encode())


def _no_formula(value):
    """Return a value that no spreadsheet takes for a formula."""
    return f"'{value}" if isinstance(value, str) and value[:1] in "=+-@\t\r" else value


def _table(table):
    """Return the HTML of a table."""
    frame, numeric = table["frame"], [one.kind in "iuf" for one in table["frame"].dtypes]
    kinds = [Markup('<{} class="text">{}</{}>'), Markup("<{}>{}</{}>")]
    head = Markup("").join(
        kinds[number].format("th", name, "th") for name, number in zip(frame, numeric)
    )
    rows = Markup("\n").join(
        Markup("<tr>{}</tr>").format(
            Markup("").join(
                kinds[number].format("td", _text(name, value), "td")
                for name, value, number in zip(frame, row, numeric)
            )
        )
        for row in frame.itertuples(index=False)
    )
    page = "<table>\n<caption>{}</caption>\n<tr>{}</tr>\n{}\n</table>\n"
    return Markup(page).format(table["caption"], head, rows)


def _text(name, value):
    if isinstance(value, str):
        return value
    if name in CHANGES or value != value:
        return percent(value)
    if name == "share of work":
        return f"{100 * value:.0f} %"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
