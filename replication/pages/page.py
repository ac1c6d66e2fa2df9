"""The page of a notebook: its workloads, and the only way its outputs are saved."""

import sys
import time
from dataclasses import dataclass, field
from functools import cached_property

from replication.basics import paths, style
from replication.pages import record, render
from replication.pages.parameters import NAME_HINT, PageError, Parameters, is_word
from replication.pages.render import Picture, Table

QUICK_JOBS = 5000
MIME = "application/vnd.replication.page+json"


@dataclass
class _Progress:
    """What changes while a notebook runs."""

    started: float = field(default_factory=time.perf_counter)
    files: dict = field(default_factory=dict)
    verdicts: dict = field(default_factory=dict)
    before: dict | None = None
    status: object = None


@dataclass(frozen=True)
class Page(Parameters):
    """One table or figure of a paper, as its notebook draws it.

    The parameters are those of `Parameters`. Making a page sets the style of figures; nothing is loaded until
    `workloads` is asked for. At quick scale a workload is the first `QUICK_JOBS` jobs of its log.
    """

    _progress: _Progress = field(default_factory=_Progress, init=False, repr=False, compare=False)

    def __post_init__(self):
        super().__post_init__()
        style.apply()
        self._show()

    @cached_property
    def _loaded(self):
        """Each log's workload as loaded, and the part of it that is simulated."""
        from replication.logs import traces

        whole = {log: traces.load(log, paper=self.paper) for log in self.logs}
        return {
            log: (workload, workload.take(slice(QUICK_JOBS)) if self.quick else workload)
            for log, workload in whole.items()
        }

    @property
    def workloads(self):
        """The workload of each log by name; at quick scale its first `QUICK_JOBS` jobs."""
        first = "_loaded" not in self.__dict__
        loaded = {log: used for log, (_, used) in self._loaded.items()}
        if first:
            self._show()
        return loaded

    @property
    def stand_in(self):
        """True if any of the workloads is a stand-in; loads them."""
        return any(workload.stand_in for workload in self.workloads.values())

    @property
    def kind(self):
        """What the outputs are worth: one of `record.KINDS`, by what was really loaded."""
        return "stand-in" if self.stand_in else "quick" if self.quick else "paper"

    @property
    def folder(self):
        """Folder of the outputs: in ``figures/`` only for real logs at paper scale."""
        return record.folder(self.kind, self.paper)

    @property
    def notice(self):
        """The words that mark an output that proves nothing; empty for real logs at paper scale."""
        words = []
        generated = [log for log, workload in self.workloads.items() if workload.stand_in]
        if generated:
            words.append(
                f"STAND-IN DATA for {', '.join(generated)}: generated jobs, prove nothing."
            )
        if self.quick:
            words.append(f"QUICK SCALE: at most the first {QUICK_JOBS:,} jobs of each log.")
        return " ".join(words)

    def figure(self, figure, caption, name=None):
        """Save a figure as PNG and close it.

        Parameters
        ----------
        figure : matplotlib.figure.Figure
        caption : str
            What it shows; also read out to those who cannot see it.
        name : str, optional
            Tells several figures of a notebook apart.

        Returns
        -------
        replication.pages.render.Picture
            The saved picture, for display.
        """
        facts = {"Title": self.name, "Description": caption, "Source": self._source()}
        data = style.png(figure, self.notice, facts)
        self._save(self._file(name, ".png"), data, "figure", caption)
        if "matplotlib.pyplot" in sys.modules:
            sys.modules["matplotlib.pyplot"].close(figure)
        return Picture(data, caption)

    def table(self, frame, caption, name=None, formats=None):
        """Save a table as CSV, each number with all its digits.

        Parameters
        ----------
        frame : pandas.DataFrame
            A plain numbered index is left out of the file; any other is kept.
        caption : str
        name : str, optional
            Tells several tables of a notebook apart.
        formats : dict of str to str, optional
            Format of a column's numbers on display, such as ``{"wait": "{:.1f}"}``.

        Returns
        -------
        replication.pages.render.Table
            For display; the data are in its ``frame``.
        """
        shown = Table(frame, caption, self.notice, formats)
        self._save(self._file(name, ".csv"), shown.csv(), "table", caption)
        return shown

    def compare(self, ours, reasons=None, item=None, part=False):
        """Lay our numbers beside the published ones and save the verdicts.

        On stand-ins and at quick scale every verdict is *not comparable*.

        Parameters
        ----------
        ours : pandas.DataFrame or list of dict
            Columns trace, policy, measure, value, unit; see `replication.evidence.compare.table`.
        reasons : dict, optional
            Why some numbers cannot be compared.
        item : str, optional
            Published item, where it is not the notebook's own, as ``text``.
        part : bool
            Leave out the published numbers that `ours` does not have: other notebooks draw those.

        Returns
        -------
        replication.pages.render.Table
            For display; the data are in its ``frame``.
        """
        from replication.evidence import compare

        frame = compare.table(self.paper, item or self.item, ours, reasons, stand_in=self.stand_in)
        if part:
            frame = frame[frame["reason"] != compare.NOT_COMPUTED].reset_index(drop=True)
        if self.quick:
            decided = frame["verdict"] != compare.NOT_COMPARABLE
            frame.loc[decided, ["verdict", "reason"]] = [compare.NOT_COMPARABLE, "quick scale"]
        caption = f"Paper against ours: {self.paper} {item or self.item}"
        shown = Table(
            frame, caption, self.notice, shown=_readable(frame, self.paper, item or self.item)
        )
        file = self._file(item if item != self.item else None, ".verdicts.csv")
        self._progress.verdicts[file] = {word: n for word, n in compare.counts(frame).items() if n}
        self._save(file, shown.csv(), "verdicts", caption)
        return shown

    def claims(self, table):
        """Save the verdicts on the paper's claims, with the cases that decide them.

        Parameters
        ----------
        table : pandas.DataFrame
            From `replication.evidence.claims.Claims.evaluate`, of all claims, under the default reading.

        Returns
        -------
        replication.pages.render.Table
            For display; the data are in its ``frame``.
        """
        caption = f"The claims of {self.paper}, what decides each, and the verdicts"
        shown = table.drop(columns=["claim", "answers"])
        shown = shown[[*shown.columns[shown.notna().any() & (shown != "").any()]]]
        made = Table(table, caption, self.notice, shown=shown)
        file = self._file(None, ".csv")
        self._progress.verdicts[file] = {
            word: int(n) for word, n in table["verdict"].value_counts().items()
        }
        self._save(file, made.csv(), "claims", caption)
        return made

    def say(self, markdown):
        """Display Markdown: for a sentence that holds numbers which were just computed.

        Parameters
        ----------
        markdown : str
        """
        if _in_notebook():
            from IPython.display import display

            display({"text/markdown": markdown, "text/plain": markdown}, raw=True)

    def close(self):
        """Bring the record and its duration up to date; every save has written it already."""
        self._write_record()

    def _file(self, name, ending):
        if name is not None and not is_word(name):
            raise PageError(f"{self.name}: output name {name!r}, allowed: {NAME_HINT}")
        return f"{self.item}{f'-{name}' if name else ''}{ending}"

    def _save(self, file, data, role, caption):
        if not isinstance(caption, str) or not caption.strip():
            raise PageError(f"{self.name}: {file}: caption {caption!r}, allowed: some words")
        other = self._progress.files.get(file, {}).get("caption", caption)
        if other != caption:
            raise PageError(
                f"{self.name}: {file} was saved with the caption {other!r} before; "
                "give one of the two a name=, or make the page anew"
            )
        record.write(self.folder / file, data)
        self._progress.files[file] = {
            "role": role,
            "caption": caption,
            "sha256": record.sha256(data),
        }
        self._write_record()

    def _write_record(self):
        path = self.folder / f"{self.item}.json"
        if self._progress.before is None:
            self._progress.before = record.read(path) or {}
        record.save(path, self._facts(), self._progress.before)
        self._show()

    def _facts(self):
        from replication.core import kernel_hash

        return {
            "item": self.name,
            "title": record.title(self.name),
            "kind": self.kind,
            "scale": self.scale,
            "stand_in": self.stand_in,
            "seed": self.seed,
            "settings": dict(self.settings),
            "kernels": kernel_hash(),
            "logs": {log: record.log_facts(*both) for log, both in self._loaded.items()},
            "files": self._progress.files,
            "verdicts": self._progress.verdicts,
            "run": record.environment() | {"workers": self.workers, "seconds": self._seconds()},
        }

    def _seconds(self):
        return round(time.perf_counter() - self._progress.started, 1)

    def _source(self):
        hashes = {log: record.log_facts(*both)["sha256"] for log, both in self._loaded.items()}
        logs = ", ".join(f"{log} {digest[:12]}" for log, digest in hashes.items()) or "none"
        return f"{self.kind}; {self.scale} scale; seed {self.seed}; logs: {logs}"

    def _show(self):
        """Keep the line below the notebook's page cell up to date; it tells the runner what was drawn."""
        if not _in_notebook():
            return
        from IPython.display import display

        loaded = "_loaded" in self.__dict__
        facts = {
            "item": self.name,
            "kind": self.kind if loaded or not self.logs else None,
            "files": {file: facts["sha256"] for file, facts in self._progress.files.items()},
        }
        bundle = {MIME: facts, "text/markdown": self._status(loaded), "text/plain": self.name}
        if self._progress.status is None:
            self._progress.status = display(bundle, raw=True, display_id=True)
        else:
            self._progress.status.update(bundle, raw=True)

    def _status(self, loaded):
        parts = [f"**{self.name}**", f"{self.scale} scale", f"seed {self.seed}"]
        if loaded:
            parts += [
                f"{log} ({len(workload):,} jobs{', stand-in' if workload.stand_in else ''})"
                for log, workload in self.workloads.items()
            ]
        else:
            parts += list(self.logs)
        if self._progress.files:
            folder = self.folder
            folder = folder.relative_to(paths.ROOT) if folder.is_relative_to(paths.ROOT) else folder
            parts.append(f"`{folder}/`: {', '.join(self._progress.files)} ({self._seconds()} s)")
        return " · ".join(parts)


def _in_notebook():
    return "IPython" in sys.modules and sys.modules["IPython"].get_ipython() is not None


def _readable(frame, paper, item):
    """A comparison with numbers as text: the paper's as printed, relative differences in percent."""
    from replication.evidence import compare, published

    printed = {row.key: render.printed(row) for row in published.rows(paper, item)}
    rows = frame.to_dict("records")
    shown = frame.assign(
        published=[printed[tuple(row[part] for part in compare.KEY)] for row in rows],
        ours=[render.ours(row["ours"], row["unit"]) for row in rows],
        difference=[
            render.difference(row["difference"], row["published"], row["unit"]) for row in rows
        ],
        remark=["; ".join(filter(None, (row["reason"], row["source"]))) for row in rows],
    )
    return shown[[*compare.KEY, "unit", "published", "ours", "difference", "verdict", "remark"]]
