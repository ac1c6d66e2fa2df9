"""The page of a notebook: its parameters and workloads; it saves all outputs."""

import math
import os
import re
import shutil
import string
import sys
import time
from dataclasses import replace
from functools import cached_property
from pathlib import Path

import pandas as pd
from IPython import get_ipython
from IPython.display import display

from replication.drawing import style
from replication.report import parameters, record, rerun
from replication.report.parameters import PageError
from replication.report.render import Picture, Table
from replication.simulator import paths, writing
from replication.simulator.choices import among
from replication.simulator.logs import registry
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import Scheduler
from replication.simulator.workload import FEW_WITHOUT_ESTIMATE, QUICK_JOBS, Workload, usage
from replication.verdicts import evidence, published, rules, shown, tables

NOT_PRINTED = "not in the paper"


class Page:
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
        arguments = {
            "scale": scale,
            "logs": logs or [],
            "seed": seed,
            "workers": workers,
        } | settings
        folder, _, self.item = name.rpartition("/")
        self.paper = paper if name.startswith(record.STUDY) else folder
        if self.paper or not name.startswith(record.STUDY):
            among(record.CHAPTERS, f"page {name}: paper", self.paper, PageError)
        parameters.check_known(name, _handed_over(), arguments)
        parameters.check(name, arguments)
        for parameter, values in (allowed or {}).items():
            among(values, f"{name}: {parameter}", settings[parameter], PageError)
        self.name, self.scale, self.seed, self.settings = name, scale, seed, settings
        self.quick = scale == "quick"
        self.first = QUICK_JOBS if self.quick else None
        if "scheduler" in settings:
            self.scheduler = Scheduler.check(settings["scheduler"])
        if "predictor" in settings:
            self.predictor = Predictor.check(settings["predictor"])
        self.changes = parameters.changes(name, arguments)
        self._given, self._started = arguments, time.perf_counter()
        self._shown = self._loaded = None
        self._summary, self._answer, self._files = "", None, {}
        self._evidence = {}  # rows by statement
        style.apply()
        shutil.rmtree(self.folder, ignore_errors=True)  # outputs of an earlier run
        self.folder.mkdir(parents=True)  # papermill saves the notebook there while it runs
        self._show()

    @cached_property
    def logs(self) -> tuple[str, ...]:
        """Names of the logs: those of the registry, and the stems of files."""
        names = tuple(
            log if log in registry.names() else re.sub(r"(\.swf)?(\.gz)?$", "", Path(log).name)
            for log, _ in map(registry.file_and_rules, self._given["logs"])
        )
        if len(set(names)) < len(names):
            raise PageError(f"{self.name}: logs {', '.join(names)}; expected each name once")
        return names

    def load(self, log, **rules) -> Workload:
        """Return the jobs of a log as this page simulates them.

        Parameters
        ----------
        log : str
            A registry name, or the path of an SWF file. The paper's rules make the jobs of a log
            that the paper uses, the default rules those of any other.
        **rules
            Rules to use instead, see `replication.simulator.logs.registry.load`.

        Returns
        -------
        replication.simulator.workload.Workload
            At quick scale the first `QUICK_JOBS` jobs.
        """
        return self._both(log, **rules)[1]

    def _both(self, log, missing=None, **rules):
        """Return the workload of a log as loaded, and the part of it that is simulated, where no
        estimates are missing if something stands in for them.
        """
        if missing is not None:
            among(("run-time",), f"{self.name}: logs: missing", missing, PageError)
        paper = record.rules_of(log, self.paper)
        try:
            whole = registry.load(log, paper=paper, **rules)
        except registry.Missing:
            whole = registry.load(log, paper=paper, synthetic=True)
        used = whole.take(slice(QUICK_JOBS)) if self.quick else whole
        return whole, used.replace(without_estimate=0.0) if missing else used

    @cached_property
    def _pairs(self):
        """The workload as loaded and the simulated part of it, by the name of the log."""
        sources = map(registry.file_and_rules, self._given["logs"])
        return {
            name: self._both(log, **log_rules) for name, (log, log_rules) in zip(self.logs, sources)
        }

    @property
    def workloads(self) -> dict[str, Workload]:
        """The workload of each log by name; at quick scale its first `QUICK_JOBS` jobs."""
        if self._loaded is None:
            self._loaded = {log: used for log, (_, used) in self._pairs.items()}
            self._show()
        return self._loaded

    def reload(self, drop=(), **rules) -> dict[str, Workload]:
        """Return the workload of each log under other rules; generated jobs stay as they are.

        Parameters
        ----------
        drop : sequence of str
            Rules for jobs to leave out, added to those of `workloads`.
        **rules
            Rules to use instead, see `replication.simulator.logs.registry.load`.
        """
        reloaded = dict(self.workloads)
        for name, (log, log_rules) in zip(
            self.logs, map(registry.file_and_rules, self._given["logs"])
        ):
            if not reloaded[name].stand_in:
                dropped = (*reloaded[name].provenance["drop"], *drop)
                reloaded[name] = self._both(log, **log_rules | rules | {"drop": dropped})[1]
        return reloaded

    @property
    def kind(self) -> str:
        """The kind of the outputs, one of `record.KINDS` or ``other``, by the parameters and the
        loaded logs.
        """
        if self.changes:
            return record.OTHER
        stand_in = any(workload.stand_in for workload in self.workloads.values())
        return "stand-in" if stand_in else self.scale

    @property
    def undecided(self) -> str:
        """The reason for giving no verdict, in a few words; empty if the outputs may decide.

        All verdicts depend on this property alone.
        """
        return ({"paper": "", record.OTHER: "other parameters"} | rerun.UNDECIDED)[self.kind]

    @property
    def folder(self) -> Path:
        """Folder of the outputs while the notebook runs; its runner moves them to that of their
        kind when it has ended.
        """
        return record.running(self.name)

    @property
    def notice(self) -> str:
        """The sentences on outputs without a verdict, and on jobs without estimates; else empty."""
        words = []
        generated = [log for log, workload in self.workloads.items() if workload.stand_in]
        if self.changes:
            words.append(f"other parameters: {', '.join(self.changes)}")
        if generated:
            words.append(f"synthetic jobs for {', '.join(generated)}")
        if self.quick:
            words.append(f"quick scale, at most the first {QUICK_JOBS:,} jobs of each log")
        said = f"**No verdict**: {'; '.join(words)}." if words else ""
        return " ".join(filter(None, [said, self._without_estimates(self.logs)]))

    def _without_estimates(self, logs):
        """Return the sentence that names those of some logs in which run times stand in for
        estimates; empty if there are none.
        """
        shares = {
            log: workload.without_estimate
            for log, (workload, _) in self._pairs.items()
            if log in logs and workload.without_estimate > FEW_WITHOUT_ESTIMATE
        }
        names = ", ".join(f"{log} ({100 * share:.0f} %)" for log, share in shares.items())
        return f"Without an estimate, run time instead: {names}." if names else ""

    def seeds(self, runs, quick_runs=5) -> range:
        """Return the seeds of `runs` runs, beginning with the page's; at quick scale of
        `quick_runs`.
        """
        return range(self.seed, self.seed + (min(runs, quick_runs) if self.quick else runs))

    def grid(self, values, stride=10) -> list:
        """Return all values of a parameter; at quick scale every `stride`-th of the committed ones,
        the first among them.
        """
        names = {change.partition(" ")[0] for change in self.changes}
        return list(values)[:: 1 if not self.quick or names & {*self.settings} else stride]

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
        self._summary = _Sentence().format(sentence, **numbers)
        rows = [
            {"case": name, "unit": (units or {}).get(name, "")} | _cells(value)
            for name, value in numbers.items()
        ]
        self._record({evidence.OPENING: tuple(rows)})

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
        hashes = [f"{log} {facts['sha256'][:12]}" for log, facts in self._log_facts().items()]
        source = f"{self.kind}; {self.scale} scale; seed {self.seed}; "
        source += f"logs: {', '.join(hashes) or 'none'}"
        facts = {"Title": self.name, "Description": caption, "Source": source}
        footnote = self._without_estimates(self.logs if estimates_of is None else estimates_of)
        notice = self.undecided and f"No verdict: {self.undecided}."
        data = style.png(figure, notice, footnote, facts)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close(figure)
        self._save(self._file(name, ".png"), data, "figure", caption)
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
        file = self._file(name, ".csv")
        table = Table(frame, caption, formats, units, file=file)
        self._save(file, table.csv(), "table", caption)
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
        ours = tables.by_key(f"{self.paper}/{item}", ours)
        printed = {row.key for row in published.rows(self.paper, item)}
        policies = {policy for _, policy, _ in printed}
        others = {key: row for key, row in ours.items() if extra and key[1] not in policies}
        comparable = printed if self.changes else {*ours} - {*others}
        if self.changes:
            named = printed | {trace for trace, *_ in printed}
            reasons = {key: why for key, why in (reasons or {}).items() if key in named}
        mine = [row for key, row in ours.items() if key in comparable]
        numbers = tables.compare(self.paper, item, mine, reasons, self.name)
        if part or self.changes:
            numbers = [one for one in numbers if one.decided().reason != rules.NOT_COMPUTED]
        if self.changes and not numbers and not others:
            return self.say(f"The paper has no numbers of {', '.join(self.logs)}.")
        numbers = [replace(one, undecided=self.undecided) for one in numbers]
        texts = [one.shown() for one in numbers]
        texts += [
            row | {"ours": shown.ours(row["value"], row["unit"]), "remark": NOT_PRINTED}
            for row in others.values()
        ]
        readable = pd.DataFrame(texts, columns=[*numbers[0].shown()] if numbers else None)
        self._record({one.id: one.rows for one in numbers})
        return self._shown_table(readable, f"Paper against ours: {self.paper} {item}")

    def claims(
        self, functions=None, only=None, variants=None, distances=None, **given
    ) -> "Decided":
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
        distances : dict of str to float, optional
            The mean distance of each of these simulators from the paper's tables, %; those that are
            near decide.
        **given
            The tables that the functions take, by name.

        Returns
        -------
        Decided
            Displays the claims; has the `replication.verdicts.evidence.Claim` of each by its id.
        """
        decided = self.decide(functions, only, variants, distances, **given)
        if self.changes:
            names = published.claims_of(self.paper) if only is None else only
            missing = [name for name in names if name not in decided]
            if missing:
                self.say(f"These logs cannot decide {', '.join(missing)}.")
            if not decided:
                return Decided({}, "", "")
        readable = pd.DataFrame([claim.shown() for claim in decided.values()])
        if self.undecided:
            readable["verdict"] = rules.UNDECIDED
        about = "all of the paper" if only is None else "what the paper says of this"
        caption = f"Claims ({about}), the numbers that decide each, and the verdicts"
        if self.changes:
            caption = (
                f"The paper's claim{'s' * (len(decided) > 1)} on these logs: "
                "the cases for and against; no verdict on the paper"
            )
            readable["numbers"] = [
                "; ".join(": ".join(case) for case in claim.cases) for claim in decided.values()
            ]
            readable = readable.drop(columns=["verdict", "otherwise", "counts"], errors="ignore")
        away = [
            {"variant": name, "value": writing.rounded(float(value)), "unit": "%"}
            for name, value in (distances or {}).items()
            if math.isfinite(value)
        ]
        self._record(
            ({evidence.DISTANCE: tuple(away)} if away else {})
            | {name: claim.rows for name, claim in decided.items()}
        )
        return Decided(decided, self._shown_table(readable, caption)._repr_html_(), caption)

    def _record(self, rows):
        """Save rows of evidence by statement."""
        self._evidence |= rows
        ordered = sorted(self._evidence.items(), key=lambda one: one[0] == evidence.OPENING)
        every = [{"statement": name} | row for name, own in ordered for row in own]
        about = "evidence", "Values of the summary, of printed numbers, and of cases of claims"
        self._save(f"{self.item}.evidence.csv", evidence.table(every), *about)

    def _shown_table(self, frame, caption):
        return Table(frame.fillna(""), caption, file=f"{self.item}.evidence.csv")

    def decide(
        self, functions=None, only=None, variants=None, distances=None, **given
    ) -> dict[str, evidence.Claim]:
        """Decide claims as `claims` does, without saving them: for another interpretation of the
        paper, or other logs.
        """
        functions = functions or {}
        how = {"variants": variants, "distances": distances}
        if not self.changes:
            return tables.decide(self.paper, functions, given, only, **how)
        # A notebook gives None for a table that needs the paper's parameters.
        given = {name: table for name, table in given.items() if table is not None}
        decided = {}
        for name in published.claims_of(self.paper) if only is None else only:
            try:
                decided |= tables.decide(self.paper, functions, given, [name], **how)
            except published.EvidenceError:
                continue  # it has no table or no case here
            except KeyError as error:
                names = error.args[0] if isinstance(error.args[0], tuple) else error.args
                if not {*self.logs, *registry.names()} & {*filter(None, map(str, names))}:
                    raise  # a mistake of its function
        return decided

    def say(self, markdown) -> None:
        """Display Markdown, such as a sentence with computed numbers."""
        _display({"text/markdown": markdown, "text/plain": markdown})

    def _file(self, name, ending):
        return f"{self.item}{f'-{name}' if name else ''}{ending}"

    def _save(self, file, data, role, caption):
        other = self._files.get(file, {}).get("caption", caption)
        if other != caption:
            raise PageError(
                f"{self.name}: {file} was saved with the caption {other!r} before; "
                "give one of the two a name=, or create the page again"
            )
        writing.write(self.folder / file, data)
        self._files[file] = {"role": role, "caption": caption}
        self._write_record()

    def _write_record(self):
        seconds = round(time.perf_counter() - self._started, 1)
        facts = {
            "format": record.FORMAT,
            "item": self.name,
            **({"paper": self.paper} if self.name.startswith(record.STUDY) else {}),
            "summary": self._summary,
            "parameters": {name: v for name, v in self._given.items() if name != "workers"},
            "provenance": {"kind": self.kind, "logs": self._log_facts()},
            "files": self._files,
            "run": record.environment() | {"workers": self._given["workers"], "seconds": seconds},
        }
        record.save(self.folder, self.name, facts)
        if record.RUNNING not in os.environ:  # the runner answers at the end
            before, self._answer = self._answer, rerun.answer(facts, self.folder, running=True)
            if self._answer.equal is not None and not self._answer.left and before != self._answer:
                self.say(f"**Re-run**: {self._answer}.")  # all committed tables are drawn
        self._show()

    def _log_facts(self):
        return {log: record.log_facts(*both) for log, both in self._pairs.items()}

    def _show(self):
        """Update the summary and the status below the page cell of the notebook."""
        words = "\n\n".join(filter(None, [self._summary, self._status()]))
        shown = {"text/markdown": words, "text/plain": self.name}
        if self._shown is None:
            self._shown = _display(shown, display_id=True)
        else:
            self._shown.update(shown, raw=True)

    def _status(self):
        logs = self.logs
        if self._loaded is not None:
            logs = [
                f"{log} ({len(workload):,} jobs{', synthetic' if workload.stand_in else ''})"
                for log, workload in self._loaded.items()
            ]
        parts = [f"**{self.name}**", f"{self.scale} scale", f"seed {self.seed}", *logs]
        if self._files:
            by_runner = record.RUNNING in os.environ
            folder = record.folder(self.kind, self.name) if by_runner else self.folder
            if folder.is_relative_to(paths.OUTPUT):
                folder = folder.relative_to(paths.OUTPUT)
            parts.append(f"`{folder}/`: {', '.join(sorted(self._files))}")
        line = " · ".join(parts)
        idle = [log for log, workload in (self._loaded or {}).items() if not _can_wait(workload)]
        if idle:
            line += f"\n\nNo job of {', '.join(idle)} ever waits: schedulers cannot differ. "
            line += "`Workload.at_load` raises the load."
        if self._loaded is not None and self.notice:
            line += f"\n\n{self.notice}"
        if self._answer and not (self.changes and self._answer.equal is None):
            line += f"\n\n**Re-run**: {self._answer}."
        return line


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


def _handed_over():
    """Return the names of the parameters that papermill has added."""
    inputs = get_ipython().user_ns.get("In", ()) if get_ipython() else ()
    injected = [cell for cell in inputs if cell.startswith("# Parameters\n")]
    return [name for cell in injected for name in re.findall(r"^(\w+) = ", cell, re.MULTILINE)]


def _cells(value):
    """Return a value of a sentence as cells of evidence: a number, the ends of a range, or text."""
    if isinstance(value, tuple | list):
        return dict(zip(("low", "high"), map(_number, value), strict=True))
    return {"part": value} if isinstance(value, str) else {"value": _number(value)}


def _number(value):
    value = value.item() if hasattr(value, "item") else value
    return writing.rounded(value) if math.isfinite(value) else None


class Decided(dict):
    """Decided claims by id, which a notebook displays as a table; a claim that its logs or
    parameters cannot decide counts as one without cases.
    """

    def __init__(self, decisions, markup, caption):
        super().__init__(decisions)
        self._markup, self._caption = markup, caption

    def __missing__(self, name):
        return evidence.Claim("", name, rules.SIMULATED, entry={"word": "always"})

    def number(self, *verdicts) -> int:
        """Return the number of claims with one of some verdicts."""
        return sum(claim.verdict in verdicts for claim in self.values())

    def _repr_html_(self):
        return self._markup

    def __repr__(self):
        return self._caption
