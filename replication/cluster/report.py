"""The two pages for those who run a cluster: parts (prose, tables, pictures) for the report's templates, PDF, HTML and CSV."""

import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
import seaborn as sns
from matplotlib.figure import Figure

from replication.cluster import advice as cluster_advice
from replication.cluster import replay, study
from replication.cluster.advice import percent
from replication.cluster.study import BASE, SCHEDULERS
from replication.papers import style
from replication.report import html, pdf, tree
from replication.report.render import Picture, Table
from replication.simulator import writing

ALWAYS = (
    "Memory, accelerators, reservations, fair shares and priorities are not simulated; a killed job runs again from its "
    "beginning. Users would adapt to another scheduler: no replay shows it."
)
#: Titles and notes of the tables, in order.
TABLES = {
    "causes": (
        "What the log shows and what the replay shows",
        "Counted over the jobs whose wait is known.",
    ),
    "overview": (
        "What each scheduler would have done",
        f"Change of the mean bounded slowdown against {BASE}; low and high: over users drawn anew, together 95 % for the "
        f"candidates. Users: whose mean wait changes by more than {100 * study.NOTICEABLE:.0f} % and {study.LEAST} s.",
    ),
    "gains": (
        "Who gains and who loses",
        f"Change of the group's mean wait against {BASE}; minus is shorter.",
    ),
    "what_if": (
        "What if",
        f"All under {BASE}, without the first and the last jobs. Change of the mean bounded slowdown; other machines over "
        "the jobs that fit both.",
    ),
}
CHANGES = {"change", "low", "high", *SCHEDULERS}


class Report:
    """Everything that is said of a `replication.cluster.study.Study`, worked out once: the tables of `TABLES` (causes is
    None for a log without waits) and the advice.
    """

    def __init__(self, found):
        self.found, self.what_if = found, found.what_if
        self.overview, self.gains = study.overview(found), study.gains(found)
        self.advice = cluster_advice.recommend(found, self.overview, self.gains)
        known = found.near is not None
        self.causes = replay.causes(found.case, found.schedules[BASE])[0] if known else None

    @property
    def title(self):
        """The report's first line."""
        return f"What other schedulers would have done on {self.found.case.workload.name}"

    @property
    def notices(self):
        """What must be said above everything."""
        case, w = self.found.case, self.found.case.workload
        said = [
            "STAND-IN DATA: generated jobs, which prove nothing about any cluster."
        ] * w.stand_in
        if case.estimated < 1:
            without = round((1 - case.estimated) * len(w))
            said.append(f"{without:,} of {len(w):,} jobs came without an estimate.")
        if case.sizes:
            least, most = case.sizes
            said.append(
                f"The log does not say how large the machine is: {w.machine:,} processors, or {least:,} to {most:,}."
            )
        if w.span < replay.WEEK:
            said.append(f"The log is shorter than a week ({w.span / 86400:.1f} days).")
        return said

    @property
    def subtitle(self):
        """The log in a sentence."""
        case, w = self.found.case, self.found.case.workload
        load = f", load {100 * w.load:.0f} %" if w.span else ""
        return (
            f"{len(w):,} jobs of {len(np.unique(w.user)):,} users on {w.machine:,} processors, {w.span / 86400:,.0f} days{load} "
            f"({case.form}), submitted again at the same times to {len(self.found.schedules)} schedulers."
        )

    @property
    def likeness(self):
        """How near the replay is, in words."""
        if self.found.near is None:
            return "The log does not say how long its jobs waited, so nothing can be said of that."
        logged, replayed = replay.known_waits(self.found.case, self.found.schedules[BASE]).mean()
        by = ", ".join(f"{near:.2f} by {what}" for what, near in self.found.near.items())
        return (
            f"In the log jobs waited {logged:.2f} h on average, in the replay under {BASE} {replayed:.2f} h. Nearness: {by} "
            f"(1 is the same, 2/3 half or double everywhere). Below {replay.NEAR:.2f} there is no advice."
        )

    def parts(self):
        """What the pages show, in order: parts as in `replication.report.tree`, but pictures with their figure, tables with their frame."""
        case = self.found.case
        doubt = ", in a replay that is not near the log" if self.found.withheld else ""
        tables = [
            {
                "type": "table",
                "caption": f"{caption}{doubt * (name != 'causes')}. {note}",
                "of": getattr(self, name),
            }
            for name, (caption, note) in TABLES.items()
        ]
        yield _prose(self.subtitle, "## Does the replay resemble your cluster?", self.likeness)
        if self.causes is not None:
            caption = (
                "Mean wait in the log and in the replay, hours; each panel has an axis of its own."
            )
            yield {"type": "picture", "caption": caption, "of": self.waits()}
            yield tables[0]
        yield _prose("## Advice", *(f"**{heading}** {words}" for heading, words in self.advice))
        yield from tables[1:]
        said = [*case.assumed, ALWAYS, *(f"{count:,} {what}." for what, count in case.counted)]
        words = "\n".join(f"* {_plain(one)}" for one in said)
        yield _prose("## What was assumed, and what was left out", words)

    def waits(self):
        """Picture: logged and replayed mean waits by week, size and partition (those with the most jobs)."""
        held = self.found.held.rename(columns=lambda name: name.removesuffix(", h"))
        kinds = held["by"].unique()
        figure = Figure(figsize=(9, 2.3), layout="constrained")
        widths = [2.2, *[1] * (len(kinds) - 1)]
        looks = dict(zip(("logged", "replayed"), style.COLOURS))
        panels = figure.subplots(1, len(kinds), width_ratios=widths, squeeze=False)[0]
        for axes, by in zip(panels, kinds):
            rows = held[held["by"] == by]
            rows = rows if by == "week" else rows.nlargest(8, "jobs").sort_index()
            shown = rows.melt("group", [*looks], "wait", "h").infer_objects()
            how = {"x": "group", "y": "h", "hue": "wait", "palette": looks, "errorbar": None}
            if by == "week":
                sns.lineplot(shown, **how, style="wait", drawstyle="steps-post", ax=axes)
                sns.move_legend(axes, "lower left", bbox_to_anchor=(0, 0.97), ncols=2, title=None)
            else:
                sns.barplot(shown, **how, legend=False, ax=axes)
            axes.set(xlabel=by, ylabel="mean wait [h]" if by == "week" else "", ylim=(0, None))
            axes.tick_params(axis="x", labelrotation=30)
        return figure

    def show(self):
        """The parts as a notebook displays them: Markdown as text, tables and pictures."""
        style.apply()
        banner = " ".join(self.notices)
        for part in self.parts():
            if part["type"] == "prose":
                yield part["source"]
            elif part["type"] == "picture":
                yield Picture(style.png(part["of"], banner), part["caption"])
            else:
                yield Table(part["of"], part["caption"], banner, shown=_cells(part["of"]))

    def pages(self, form="pdf"):
        """The pages as bytes: pdf, html, or all tables as csv."""
        if form == "csv":
            return self._csv()
        style.apply()
        with tempfile.TemporaryDirectory() as folder:
            parts, pictures = [], {}
            for part in self.parts():
                if part["type"] == "picture":
                    name, data = "waits.png", style.png(part["of"])
                    pictures[name] = Path(folder) / name
                    pictures[name].write_bytes(data)
                    width, height = (int.from_bytes(data[at : at + 4]) for at in (16, 20))
                    part = part | {"file": name, "width": width, "height": height, "of": None}
                elif part["type"] == "table":
                    cells, right = _cells(part["of"]), [k.kind in "iuf" for k in part["of"].dtypes]
                    part = tree.table(part["caption"], [*cells], cells.values.tolist(), right)
                parts.append(part)
            return (pdf if form == "pdf" else html).page(self.title, self.notices, parts, pictures)

    def _csv(self):
        """All tables in one: table, row, column, value."""
        frames = {name: getattr(self, name) for name in TABLES} | {"replay": self.found.held}
        rows = [
            (name, number, column, value)
            for name, frame in frames.items()
            if frame is not None
            for number, row in enumerate(frame.to_dict("records"), start=1)
            for column, value in row.items()
        ]
        return writing.frame_csv(pd.DataFrame(rows, columns=["table", "row", "column", "value"]))

    def write(self, path):
        """Write the pages; the name's ending says as what."""
        data = self.pages(Path(path).suffix[1:])
        with writing.opened(path) as file:
            file.write(data)


def _prose(*paragraphs):
    return {"type": "prose", "source": "\n\n".join(paragraphs)}


def _plain(words):
    """Words that Markdown leaves as they are."""
    return "".join(f"\\{c}" if c in "\\`*_{}[]<>#|" else c for c in words)


def _cells(frame):
    """A table as text."""
    columns = {str(name): [_text(name, value) for value in frame[name]] for name in frame}
    return pd.DataFrame(columns, dtype=object)


def _text(name, value):
    if isinstance(value, str):
        return value
    if name in CHANGES or value != value:
        return percent(value)
    if name == "share of work":
        return f"{100 * value:.0f} %"
    return f"{value:,.0f}" if value == round(value) else f"{value:,.2f}"
