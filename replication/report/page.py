"""The page of a notebook: what a reader sees, and what it leaves for the report."""

import math
import os
import re
import string
import sys
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from numbers import Real

import pandas as pd
from IPython import get_ipython
from IPython.display import display

from replication.drawing import style
from replication.report import parameters, record, rerun
from replication.report.inputs import Inputs
from replication.report.outputs import Outputs
from replication.report.render import Picture, Table
from replication.simulator import paths, writing
from replication.simulator.logs import registry
from replication.simulator.workload import Workload, usage
from replication.verdicts import evidence, published, shown, tables

NOT_PRINTED = "not in the paper"
NO_CASE = "0 of 0"  # as `replication.verdicts.evidence.Claim.count`


class Page(Inputs):
    """One table or figure of a paper, as its notebook draws it.

    Making a page checks the parameters and sets the style of figures. The logs are loaded at the
    first use of `workloads`. Outputs are written below ``build/running/``;
    `replication.report.run.execute` moves them when the notebook has ended: to ``figures/`` those
    of real logs under the parameters that were committed in the notebook of this name. Others go
    below ``build/``, are marked, and get no verdict. A saved figure or table is returned for
    display, as a `replication.report.render.Picture` or a `replication.report.render.Table` with
    the data in its ``frame``.

    Parameters
    ----------
    name : str
        ``paper/item``: the notebook's folder and its stem. For a notebook of a study
        ``studies/study/item``.
    scale : str
        ``paper`` for all jobs and seeds, ``quick`` for the first `QUICK_JOBS` jobs of each log.
    logs : list of str or dict
        Registry names, or paths of SWF files of one's own; empty for an item that needs none. A
        dict has rules besides, such as ``{"file": "my.swf", "bad_lines": "skip"}``; see
        `replication.load`. With ``"missing": "run-time"`` the run time stands in for estimates that
        the log does not have.
    seed, workers : int
        Seed of all random draws, and number of threads that simulate.
    paper : str, optional
        For a study: the paper whose rules make the jobs of its logs and whose claims it can decide.
    allowed : dict of str to collection of str, optional
        Allowed values of some of the settings.
    **settings
        Parameters that only this item has (load, E_max, errors, ...): JSON types, each of the type
        of the value in the notebook's cell. The record has them too.

    Attributes
    ----------
    name, paper, scale, seed, settings
        As given; the paper is empty for a study without one.
    item : str
        The last part of the name.
    quick : bool
    first : int or None
        Number of jobs of each log: `QUICK_JOBS` at quick scale, None for all.
    changes : list of str
        Differences from the committed parameters.
    scheduler, predictor : replication.simulator.choices.Choice
        The value of the parameter of that name, such as ``EASY(predictor=Last())``, if it exists.

    Raises
    ------
    PageError
        If a parameter is not of its type, or was handed to the notebook by a name that the page
        does not have.
    """

    def __init__(
        self, name, scale="paper", logs=None, seed=1, workers=1, paper="", allowed=None, **settings
    ):
        super().__init__(name, scale, logs, seed, workers, paper, allowed, **settings)
        style.apply()
        self._outputs, self._shown, self._answer = Outputs(self), None, None
        self._show()

    @cached_property
    def workloads(self) -> dict[str, Workload]:
        """The workload of each log by name; at quick scale its first `QUICK_JOBS` jobs."""
        loaded = super().workloads
        self._show()
        return loaded

    def opening(self, sentence, units=None, **numbers) -> None:
        """Set the summary at the top of the notebook: the paper's result and ours.

        Parameters
        ----------
        sentence : str
            Markdown with the names of `numbers` in braces, such as ``"The paper finds {theirs} min,
            we {ours:.1f} min."``. A pair of numbers is a range: 3.1 to 4.2.
        units : dict of str to str, optional
            Units of the numbers in the evidence.
        **numbers
            Values from the results, also rows of evidence; written by
            `replication.verdicts.shown.text` unless the sentence has a format.
        """
        rows = [
            {"case": name, "unit": (units or {}).get(name, "")} | _cells(value)
            for name, value in numbers.items()
        ]
        self._outputs.summary = _Sentence().format(sentence, **numbers)
        if self.changes and any(map(_is_missing, numbers.values())):
            self._outputs.summary = (
                "These parameters leave too few cases for the summary of this page."
            )
        self._outputs.keep({evidence.OPENING: tuple(rows)})
        self._saved()

    def figure(self, figure, caption, name=None, estimates_of=None) -> Picture:
        """Save a figure as PNG and close it.

        Parameters
        ----------
        figure : matplotlib.figure.Figure
        caption : str
            Also the alternative text of the picture.
        name : str, optional
            For a notebook with several figures.
        estimates_of : collection of str, optional
            Logs whose users' estimates the picture depends on; all by default. A footnote names
            those of them without estimates.
        """
        footnote = self.without_estimates(self.logs if estimates_of is None else estimates_of)
        notice = self.undecided and f"No verdict: {self.undecided}."
        facts = {"Title": self.name, "Description": caption, "Source": self.source}
        data = style.png(figure, notice, footnote, facts)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close(figure)
        self._outputs.save(name, ".png", data, "figure", caption)
        self._saved()
        return Picture(data, caption)

    def table(self, frame, caption, name=None, formats=None, units=None) -> Table:
        """Save a table as CSV, numbers `replication.simulator.writing.rounded`.

        Parameters
        ----------
        frame : pandas.DataFrame
            A plain numbered index is left out of the file; any other is kept.
        caption : str
        name : str, optional
            For a notebook with several tables.
        formats : dict of str to str, optional
            Format of a column's numbers on display, such as ``{"wait": "{:.1f}"}``.
        units : dict of str to str, optional
            Units of columns and of the measures in the column ``measure``, for display.
        """
        table = Table(frame, caption, formats, units, file=self._outputs.file(name, ".csv"))
        self._outputs.save(name, ".csv", table.csv(), "table", caption)
        self._saved()
        return table

    def compare(self, ours, reasons=None, item=None, part=False, extra=False) -> Table | None:
        """Compare our numbers with the published ones and save the verdicts.

        Where the outputs may not decide (`undecided`) every verdict is *not comparable*. Under
        parameters other than the committed ones, numbers of other logs and reasons for them are
        left out.

        Parameters
        ----------
        ours : pandas.DataFrame or list of dict
            Columns trace, policy, measure, value, unit, and words where a value is the end of a
            range; see `replication.verdicts.tables.compare`.
        reasons : dict, optional
            Why some numbers cannot be compared.
        item : str, optional
            Published item, where it is not the notebook's own, as ``text``.
        part : bool
            Leave out the published numbers that `ours` does not have: other notebooks draw those.
        extra : bool
            Show rows of `ours` whose policy the item does not print, without a verdict, in place of
            an error.
        """
        item = item or self.item
        row_of = tables.by_key(f"{self.paper}/{item}", ours)
        printed = {row.key for row in published.rows(self.paper, item)}
        policies = {policy for _, policy, _ in printed}
        others = [row for (_, policy, _), row in row_of.items() if extra and policy not in policies]
        mine = [row for row in row_of.values() if row not in others]
        if self.changes:  # of other logs
            mine = [row for key, row in row_of.items() if key in printed]
            named = printed | {trace for trace, *_ in printed}
            reasons = {key: why for key, why in (reasons or {}).items() if key in named}
        numbers = tables.compare(self.paper, item, mine, reasons, self.name)
        if part or self.changes:
            numbers = [number for number in numbers if number.is_computed]
        if not numbers and not others:
            return self.say(f"The paper has no numbers of {', '.join(self.logs)}.")
        self._keep(numbers)
        rows = [replace(number, undecided=self.undecided).shown() for number in numbers]
        rows += [
            row | {"ours": shown.ours(row["value"], row["unit"]), "remark": NOT_PRINTED}
            for row in others
        ]
        columns = [*numbers[0].shown()] if numbers else None
        return self._stated(rows, f"Paper against ours: {self.paper} {item}", columns)

    def claims(self, functions=None, only=None, variants=None, distances=None, **data) -> "Claims":
        """Decide claims of the paper from tables, and save each with the numbers of its cases.

        Where the outputs may not decide (`undecided`) every verdict is *undecided*. Under
        parameters other than the committed ones, such as other logs, the cases are for or against
        the claim on these logs, and the paper gets no verdict. Claims that need a log or a
        parameter of the paper are left out and named.

        Parameters
        ----------
        functions : module, optional
            The functions that return the cases, such as ``notebooks.top_percent.claims``. None is
            needed where every claim has `select`.
        only : list of str, optional
            Ids of claims; all of the paper by default.
        variants : dict of str to dict, optional
            The tables under each simulator of a baseline, for the claims that have one.
        distances : dict of str to dict, optional
            The mean distance of each of these simulators from the paper's numbers of each policy,
            %; those that are near decide.
        **data
            The tables that the functions take, by name.

        Returns
        -------
        Decided
            Displays the claims; has the `replication.verdicts.evidence.Claim` of each by its id.
        """
        decided = self.decide(functions, only, variants, distances, **data)
        claims = {claim.id: claim for claim in evidence.claims(self.paper)}
        every = {name: decided.get(name, claims[name]) for name in self._names(only)}
        if missing := [name for name in every if name not in decided]:
            lines = [f"* {every[name].entry['statement']}" for name in missing]
            self.say("\n".join(["With these parameters there is no case of:\n", *lines]))
        if not decided:
            return Claims(every)
        self._keep(decided.values())
        away = [
            {"variant": name, "case": policy, "value": writing.rounded(value), "unit": "%"}
            for name, by_policy in (distances or {}).items()
            for policy, value in by_policy.items()
            if math.isfinite(value)
        ]
        if away:
            self._outputs.keep({evidence.DISTANCE: tuple(away)})
            self._saved()
        about = "all of the paper" if only is None else "what the paper says of this"
        caption = f"Claims ({about}), the numbers that decide each, and the verdicts"
        if self.undecided:
            caption = "Claims of the paper: the cases of this run for and against; no verdict"
        rows = [claim.shown(with_verdict=not self.undecided) for claim in decided.values()]
        return Claims(every, self._stated(rows, caption))

    def decide(
        self, functions=None, only=None, variants=None, distances=None, **data
    ) -> dict[str, evidence.Claim]:
        """Decide claims as `claims` does, without saving them: for another interpretation of the
        paper, or other logs.
        """
        how = {"variants": variants, "distances": distances}
        # A notebook gives None for a table that needs the paper's parameters.
        frames = {name: table for name, table in data.items() if table is not None}
        names, decided = self._names(only), {}
        if not self.changes:
            return tables.decide(self.paper, functions or {}, frames, names, **how)
        for name in names:
            try:
                decided |= tables.decide(self.paper, functions or {}, frames, [name], **how)
            except published.EvidenceError:
                continue  # it has no table or no case here
            except KeyError as error:
                key = error.args[0] if isinstance(error.args[0], tuple) else error.args
                absent = {
                    *self.logs,
                    *registry.names(),
                    *parameters.left_out(self.parameters, self.name),
                }
                if not {*map(str, absent)} & {*filter(None, map(str, key))}:
                    raise  # a mistake of its function
        return decided

    def say(self, markdown) -> None:
        """Display Markdown, such as a sentence with computed numbers."""
        _display({"text/markdown": markdown, "text/plain": markdown})

    def _names(self, only):
        """Return the ids of some claims, by default of all but those of other notebooks."""
        entries = published.claims_of(self.paper)
        return [name for name in entries if not entries[name]["notebook"]] if only is None else only

    def _keep(self, statements):
        self._outputs.keep({statement.id: statement.rows for statement in statements})
        self._saved()

    def _stated(self, rows, caption, columns=None):
        """Return the table of some statements for readers."""
        frame = pd.DataFrame(rows, columns=columns).fillna("")
        return Table(frame, caption, file=f"{self.item}.evidence.csv")

    def _saved(self):
        """Write the record, and show what has become of the run."""
        facts = self._outputs.write()
        if record.RUNNING not in os.environ:  # the runner answers at the end
            before, self._answer = self._answer, rerun.answer(facts, self.folder, running=True)
            if self._answer.equal is not None and not self._answer.left and before != self._answer:
                self.say(f"**Re-run**: {self._answer}.")  # all committed tables are drawn
        self._show()

    def _show(self):
        """Update the summary and the status below the page cell of the notebook."""
        text = "\n\n".join(filter(None, [self._outputs.summary, self._status()]))
        shown = {"text/markdown": text, "text/plain": self.name}
        if self._shown is None:
            self._shown = _display(shown, display_id=True)
        else:
            self._shown.update(shown, raw=True)

    def _status(self):
        loaded = vars(self).get("workloads")
        logs = [_machine(*log) for log in loaded.items()] if loaded else self.logs
        parts = [f"**{self.name}**", f"{self.scale} scale", f"seed {self.seed}", *logs]
        if self._outputs.files:
            by_runner = record.RUNNING in os.environ
            folder = record.folder(self.kind, self.name) if by_runner else self.folder
            if folder.is_relative_to(paths.OUTPUT):
                folder = folder.relative_to(paths.OUTPUT)
            parts.append(f"`{folder}/`: {', '.join(sorted(self._outputs.files))}")
        if record.RUNNING not in os.environ and (paths.FIGURES / f"{self.name}.ipynb").exists():
            parts.append(f"committed with outputs: `figures/{self.name}.ipynb`")
        lines = [" · ".join(parts)]
        if loaded is None:
            return lines[0]
        if idle := [log for log, workload in loaded.items() if not _can_wait(workload)]:
            lines.append(
                f"No job of {', '.join(idle)} ever waits: schedulers cannot differ. "
                "`Workload.at_load` raises the load."
            )
        lines.append(self.notice)
        if self._answer and not (self.changes and self._answer.equal is None):
            lines.append(f"**Re-run**: {self._answer}.")
        return "\n\n".join(filter(None, lines))


def _machine(log, workload):
    """Return a workload in a few words."""
    synthetic = ", synthetic" if workload.stand_in else ""
    return (
        f"{log} ({len(workload):,} jobs{synthetic} on {workload.machine:,} processors, "
        f"load {workload.load:.2f})"
    )


def _can_wait(workload):
    """Return whether the jobs need more processors than there are if each starts at once."""
    submit, processors = workload.submit, workload.processors
    return usage(submit, submit + workload.run_time, processors)[1].max() > workload.machine


class _Sentence(string.Formatter):
    """Formats numbers without a format by `shown.text`, and a pair as a range, unless both are the
    same.
    """

    def format_field(self, value, format_spec) -> str:
        if isinstance(value, tuple):
            texts = (self.format_field(end, format_spec) for end in value)
            return " to ".join(dict.fromkeys(texts))
        return format(value, format_spec) if format_spec else shown.text(value)


def _display(bundle, **how):
    """Display a bundle in a notebook; with ``display_id`` return its handle."""
    return get_ipython() and display(bundle, raw=True, **how)


def _cells(value):
    """Return a value of a sentence as cells of evidence: a number, the ends of a range, or text."""
    if isinstance(value, tuple | list):
        return dict(zip(("low", "high"), map(_number, value), strict=True))
    return {"part": value} if isinstance(value, str) else {"value": _number(value)}


def _is_missing(value):
    """Return whether a value of a sentence says nothing: no case, nan, or a range with a nan."""
    if isinstance(value, str):
        return value == NO_CASE or "nan" in re.findall(r"\w+", value)
    ends = value if isinstance(value, tuple | list) else [value]
    return any(isinstance(end, Real) and math.isnan(end) for end in ends)


def _number(value):
    value = value.item() if hasattr(value, "item") else value
    return writing.rounded(value) if math.isfinite(value) else None


class Claims(dict):
    """Claims by id, which a notebook displays as a table; those that its logs or parameters cannot
    decide have no cases.
    """

    def __init__(self, claims: Mapping, table: Table | None = None):
        super().__init__(claims)
        self._table = table

    def number(self, *verdicts) -> int:
        """Return the number of claims with one of some verdicts."""
        return sum(claim.verdict in verdicts for claim in self.values())

    def _repr_html_(self):
        return self._table and self._table._repr_html_()

    def __repr__(self):
        return self._table.caption if self._table else "no claim is decided"
