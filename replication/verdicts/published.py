"""Published numbers: the rows of ``data/published/<paper>/<item>.csv``.

``data/published/README.md`` defines the columns, the policies and the measures.
"""

import csv
from dataclasses import dataclass, replace

from replication.simulator import paths
from replication.simulator.choices import among
from replication.simulator.paths import toml

COLUMNS = ("trace", "policy", "measure", "value", "unit", "source")
#: Fields of a claim, where its entry does not have them.
DEFAULTS = {"word": "always", "kind": "simulated"}
DEFAULTS |= dict.fromkeys(("number", "unit", "baseline", "notebook"), "")
#: Fields that a headline does not have from its claim.
OF_CLAIMS = ("headline", "kind", "rule", "number", "baseline", "notebook", "decided_by")


class EvidenceError(ValueError):
    """Published numbers, claims or records that cannot be used; the message gives the place and
    what was expected.
    """


@dataclass(frozen=True)
class Published:
    """A number of a paper, in the unit that is printed."""

    item: str  # table, figure or ``text``; the stem of the file
    trace: str  # log; ``all`` for a statement over all logs of a paper; the figure of an example
    policy: str  # scheduler, predictor or estimate model; ``log`` for a property of the log
    measure: str
    value: float
    unit: str
    decimals: int  # digits printed after the decimal point
    source: str  # paper, section and table
    right: float | None = None  # the correct number, if an erratum is printed

    @property
    def key(self) -> tuple[str, str, str]:
        """The (trace, policy, measure) that identifies the number within its item."""
        return self.trace, self.policy, self.measure

    @property
    def is_ratio(self) -> bool:
        """True for a ratio to the value of a baseline, such as x Reqtime."""
        return self.unit.startswith("x ")

    @property
    def is_around(self) -> bool:
        """True if the paper has *around* or *about*: the number is rounded to its last digit other
        than 0.
        """
        return "'around'" in self.source or "'about'" in self.source


def registered() -> dict[str, dict]:
    """Return short name and title of each paper by its folder, in the order of
    ``data/published/papers.toml``.
    """
    return entries("papers.toml")


def entries(*parts) -> dict[str, dict]:
    """Return a TOML file under ``data/published``, given by the parts of its path; empty if it does
    not exist.
    """
    path = paths.PUBLISHED.joinpath(*parts)
    return toml(path) if path.exists() else {}


def claims_of(paper) -> dict[str, dict]:
    """Return the claims of a paper by id, with defaults filled in; empty for a paper without a
    ``claims.toml``.

    Raises
    ------
    EvidenceError
        If a claim lacks a field or has a word of another meaning.
    """
    claims = {name: DEFAULTS | entry for name, entry in entries(paper, "claims.toml").items()}
    vocabulary = toml(paths.DATA / "published" / "words.toml")
    allowed = {
        "kind": ("simulated", "log", "check", "repeat"),
        "operator": ("<", "<=", ">", ">=", "between"),
        "word": vocabulary["how_often"],
        "word_of_size": vocabulary["how_much"] | vocabulary["how_often"],
    }
    for name, entry in claims.items():
        where = f"{paths.PUBLISHED / paper / 'claims.toml'}: [{name}]"
        if missing := [key for key in ("section", "statement") if key not in entry]:
            raise EvidenceError(f"{where}: no {missing[0]}")
        for fields in (entry, entry.get("headline", {})):
            for key in allowed.keys() & fields.keys():
                among(allowed[key], f"{where}: {key}", fields[key], EvidenceError)
    return claims


def units(entry) -> list[str]:
    """Return the units of a claim's cases, the usual one first."""
    unit = entry.get("unit", "")
    return [unit] if isinstance(unit, str) else unit


def policies(entry) -> list[str]:
    """Return the policies of the baseline of a claim, by its entry; none without a baseline."""
    return entry["baseline"].split(", ") if entry["baseline"] else []


def headlines_of(paper) -> dict[str, dict]:
    """Return the claims of a paper that are headlines by id, each as it is decided on one log.

    The ``headline`` of a claim has a short name, and fields in place of the claim's own.
    """
    headlines = {}
    for name, entry in claims_of(paper).items():
        if headline := entry.get("headline"):
            lost = {
                *OF_CLAIMS,
                *(("cases", "select") if headline.keys() & {"cases", "select"} else ()),
            }
            kept = {key: value for key, value in entry.items() if key not in lost}
            headlines[name] = DEFAULTS | kept | headline
    return headlines


def items(paper) -> list[str]:
    """Return the names of a paper's items with published numbers, sorted."""
    if paper not in (papers := registered()):
        raise EvidenceError(f"no published values of paper {paper!r}; known: {', '.join(papers)}")
    return sorted(path.stem for path in (paths.PUBLISHED / paper).glob("*.csv"))


def rows(paper, item) -> list[Published]:
    """Return the published numbers of an item in the order of the file.

    Raises
    ------
    EvidenceError
        If paper or item is unknown, or a row is invalid or repeated.
    """
    if item not in items(paper):
        raise EvidenceError(
            f"{paper}: no published item {item!r}; known: {', '.join(items(paper))}"
        )
    where, numbers = f"{paper}/{item}.csv", {}
    misprints = [entry.get("erratum") for entry in entries("contradictions.toml").values()]
    right = {misprint["cell"]: misprint["right"] for misprint in misprints if misprint}
    lines = csv.reader((paths.PUBLISHED / where).read_text(encoding="utf-8").splitlines())
    if (header := tuple(next(lines, ()))) != COLUMNS:
        raise EvidenceError(f"{where}: columns {','.join(header)}; expected {','.join(COLUMNS)}")
    for cells in lines:
        row = _row(item, cells, f"{where} line {lines.line_num}")
        if row.key in numbers:
            raise EvidenceError(f"{where} line {lines.line_num}: {' / '.join(row.key)} is repeated")
        numbers[row.key] = replace(row, right=right.get(f"{paper}/{item} {' '.join(row.key)}"))
    return list(numbers.values())


def _row(item, cells, where):
    if len(cells) != len(COLUMNS) or any(cell != cell.strip() or not cell for cell in cells):
        raise EvidenceError(
            f"{where}: {cells}; expected {len(COLUMNS)} fields without blanks around"
        )
    trace, policy, measure, printed, unit, source = cells
    whole, _, fraction = printed.removeprefix("-").partition(".")
    if not (whole + fraction).isdecimal():
        raise EvidenceError(f"{where}: value {printed!r}; expected digits and at most one point")
    return Published(item, trace, policy, measure, float(printed), unit, len(fraction), source)


def of_logs(paper, item, measure, logs, policy=None) -> list[float]:
    """Return the published values of a measure for some logs, of one policy or of all; for all logs
    of the item where it has none of these.
    """
    selected = [row for row in rows(paper, item) if row.measure == measure]
    selected = [row for row in selected if policy in (None, row.policy)]
    return [row.value for row in selected if row.trace in logs] or [row.value for row in selected]


def value(paper, item, *, trace=None, policy=None, measure=None) -> Published:
    """Return the only published number of an item that has the names given.

    Raises
    ------
    EvidenceError
        If there is none, or more than one.
    """
    asked = {"trace": trace, "policy": policy, "measure": measure}
    fitting = rows(paper, item)
    for name, wanted in asked.items():
        present = sorted({getattr(row, name) for row in fitting})
        fitting = [row for row in fitting if wanted in (None, getattr(row, name))]
        if not fitting:
            raise EvidenceError(
                f"{paper}/{item}: no published value has {name} {wanted!r} among "
                f"those left; they have: {', '.join(present)}"
            )
    if len(fitting) > 1:
        raise EvidenceError(
            f"{paper}/{item}: {len(fitting)} published values; give trace, policy and measure"
        )
    return fitting[0]
