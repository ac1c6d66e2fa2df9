"""The committed list of all verdicts, ``figures/verdicts.csv``, and its changes.

The list has no measured values and therefore changes only when a verdict changes.
"""

import csv
import io
from pathlib import Path
from typing import NamedTuple

import pandas as pd

from replication.simulator import paths, writing
from replication.verdicts import git, tables
from replication.verdicts.published import EvidenceError

NAME = ("kind", "paper", "item", "trace", "policy", "measure")
COLUMNS = (*NAME, "about", "verdict")
ABSENT = "not in the list"
WORDS = dict.fromkeys((*tables.NUMBER_WORDS, *tables.CLAIM_WORDS))


class Change(NamedTuple):
    """A verdict that differs between two lists, or that is `ABSENT` from one."""

    name: tuple  # as `replication.verdicts.tables.Number.name`
    before: str
    after: str

    def __str__(self):
        kind, paper, item, *key = self.name
        which = f"{item} {'/'.join(key)}" if kind == "number" else f"claim {item}"
        return f"{paper} {which}: {self.before} -> {self.after}"


def path() -> Path:
    """Return the path of the list."""
    return paths.FIGURES / "verdicts.csv"


def by_name(papers) -> dict[tuple, str]:
    """Return the verdicts of some papers by name, decided by the present rules."""
    return {result.name: result.verdict for result in _numbers_and_claims(papers)}


def _numbers_and_claims(papers):
    return [result for paper in papers for result in (*paper.numbers, *paper.claims)]


def derived(papers) -> dict[Path, bytes]:
    """Return the files that follow from all verdicts, decided by the present rules: their list, and
    the sensitivity to thresholds.
    """
    rows = [[*result.name, result.about, result.verdict] for result in _numbers_and_claims(papers)]
    return {
        path(): writing.frame_csv(pd.DataFrame(rows, columns=COLUMNS)),
        path().with_name("sensitivity.csv"): writing.frame_csv(tables.sensitivity(papers)),
    }


def save(papers) -> None:
    """Write the files that follow from all verdicts, see `derived`."""
    for file, content in derived(papers).items():
        writing.write(file, content)


def load() -> tuple[dict[tuple, str], str]:
    """Return the list of the last commit, or that of the file where git gives none; and
    its source.
    """
    text, source = git.at_head(path()), "the last commit"
    if text is None:
        if not path().exists():
            raise EvidenceError(
                f"{path()}: no such file; a complete report writes it (make figures)"
            )
        text, source = path().read_text(encoding="utf-8"), "the file, which is not committed"
    return parse(text, f"{path().name} of {source}"), source


def parse(text, where) -> dict[tuple, str]:
    """Return the verdicts in a list by name."""
    header, *lines = csv.reader(io.StringIO(text)) if text else [()]
    if tuple(header) != COLUMNS:
        raise EvidenceError(f"{where}: columns {','.join(header)}; expected {','.join(COLUMNS)}")
    verdicts = {}
    for number, cells in enumerate(lines, start=2):
        *name, _, verdict = cells if len(cells) == len(COLUMNS) else COLUMNS
        if verdict not in WORDS or tuple(name) in verdicts:
            raise EvidenceError(
                f"{where} line {number}: {','.join(cells)!r}; expected a new name and one of "
                f"{', '.join(WORDS)}"
            )
        verdicts[tuple(name)] = verdict
    return verdicts


def changes(before, after) -> list[Change]:
    """Return the changes between two lists, in the order of the second."""
    names = [*after, *(name for name in before if name not in after)]
    pairs = [Change(name, before.get(name, ABSENT), after.get(name, ABSENT)) for name in names]
    return [pair for pair in pairs if pair.before != pair.after]
