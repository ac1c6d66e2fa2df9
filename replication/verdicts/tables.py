"""From the tables of a notebook to evidence: rows of ours for printed numbers, cases for claims.

``data/published/PAPER/claims.toml`` holds each claim: the section, our statement of it, the
statistic, and the rule. `decide` gets the cases of a claim from a plain function of the paper's
module ``claims``. The function is named as the claim, with ``_`` for ``-``, and its parameters name
the tables that it needs. Where several claims share a statistic, ``cases`` in their entries names
the function and gives its other parameters. A claim whose cases are rows of a table needs no
function: its entry has ``select``, a table and the values of its columns.
"""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import ModuleType

import pandas as pd

from replication.simulator.writing import rounded
from replication.verdicts import published, rules, shown
from replication.verdicts.evidence import KEY, Claim, Number, statements
from replication.verdicts.published import EvidenceError

OURS = (*KEY, "value", "unit")
COLUMNS = ("item", *KEY, "unit", "published", "ours", "difference", "verdict", "reason", "source")


def compare(
    paper: str,
    item: str,
    ours: pd.DataFrame | Iterable[Mapping],
    reasons: Mapping | None = None,
    drawn_by: str = "this comparison",
) -> list[Number]:
    """Return all published numbers of an item with ours as evidence, in the order of the file.

    Parameters
    ----------
    paper, item : str
    ours : pandas.DataFrame or list of dict
        Columns trace, policy, measure, value, unit; and words, in place of a value that is the
        end of a range.
    reasons : dict, optional
        Why numbers are not comparable, by trace or by (trace, policy, measure); the latter takes
        precedence.
    drawn_by : str
        The notebook that computes our numbers.

    Raises
    ------
    EvidenceError
        If a number of ours is unpublished, repeated, lacks a column or has another unit; if a
        reason fits no published number.
    """
    where, mine, reasons = f"{paper}/{item}", by_key(f"{paper}/{item}", ours), reasons or {}
    printed = {number.printed.key: number for number in statements(paper) if of_item(number, item)}
    for key in mine.keys() - printed.keys():
        published.value(paper, item, **dict(zip(KEY, key, strict=True)))
    for key in reasons:
        if key not in printed and key not in {trace for trace, *_ in printed}:
            raise EvidenceError(f"{where}: a reason for {key!r}, but nothing is published there")
    numbers = []
    for key, number in printed.items():
        row = mine.get(key, {"value": None, "unit": number.printed.unit})
        if row["unit"] != number.printed.unit:
            raise EvidenceError(
                f"{where}: {' / '.join(key)}: our unit {row['unit']!r}, published unit "
                f"{number.printed.unit!r}; convert first"
            )
        rules.number_verdict(row["value"], number.printed)  # refuses what is no number
        value = None if row["value"] is None else rounded(float(row["value"]))
        reason = reasons.get(key, reasons.get(key[0], ""))
        row_of_evidence = {
            "value": value,
            "unit": row["unit"],
            "reason": reason,
            "part": row.get("words", ""),
        }
        row_of_evidence = {name: cell for name, cell in row_of_evidence.items() if cell != ""}
        numbers.append(replace(number, rows=(row_of_evidence,), drawn_by=drawn_by))
    return numbers


def of_item(statement, item) -> bool:
    """Return whether a statement is a printed number of an item."""
    return isinstance(statement, Number) and statement.printed.item == item


def by_key(where: str, ours: pd.DataFrame | Iterable[Mapping]) -> dict[tuple, Mapping]:
    """Return rows of ours by trace, policy and measure; EvidenceError if a row is repeated or lacks
    a column.
    """
    rows = {}
    for row in ours.to_dict("records") if hasattr(ours, "to_dict") else ours:
        if missing := [name for name in OURS if name not in row]:
            raise EvidenceError(
                f"{where}: our row lacks {', '.join(missing)}; needed: {', '.join(OURS)}"
            )
        key = tuple(row[name] for name in KEY)
        if key in rows:
            raise EvidenceError(f"{where}: {' / '.join(key)} is repeated in our rows")
        rows[key] = row
    return rows


def comparison(paper, item, ours, reasons=None, decided=True) -> pd.DataFrame:
    """Return a table of `COLUMNS` with a row for each number that `compare` returns; without
    verdicts unless `decided`.
    """
    rows = []
    for number in compare(paper, item, ours, reasons):
        word = number.decided()._asdict() | ({} if decided else {"verdict": rules.NOT_COMPARABLE})
        rows.append(
            vars(number.printed) | {"published": number.printed.value, "ours": number.ours} | word
        )
    return pd.DataFrame(rows, columns=list(COLUMNS))


def decide(
    paper: str,
    functions: ModuleType | Mapping,
    tables: Mapping,
    only: Iterable[str] | None = None,
    variants: Mapping | None = None,
    distances: Mapping | None = None,
    entries: Mapping | None = None,
) -> dict[str, Claim]:
    """Decide claims of a paper from tables.

    Parameters
    ----------
    paper : str
        Folder below ``data/published``.
    functions : module or dict
        The functions that return the cases of a claim.
    tables : dict
        The tables by the names that the functions' parameters have.
    only : list of str, optional
        Ids of the claims to decide; by default all but those that name a ``notebook`` of their own.
    variants : dict of str to dict, optional
        The tables under each simulator of a baseline, for the claims that have one; those that
        take many more simulations may lack the tables of some.
    distances : dict of str to dict, optional
        The mean distance of each of these simulators from the paper's numbers of each policy that
        it simulates, %. A claim takes the simulators of exactly the policies of its baseline.
    entries : dict of str to dict, optional
        Entries in place of those of the paper's claims, such as its headlines.

    Raises
    ------
    EvidenceError
        If a claim is unknown, has neither function nor ``select``, needs a table that is missing,
        or has no case.
    """
    entries = entries or published.claims_of(paper)
    decided = {}
    if only is None:
        only = [name for name in entries if not entries[name]["notebook"]]
    for name in only:
        if name not in entries:
            raise EvidenceError(f"{paper}: claim {name!r}; expected one of {', '.join(entries)}")
        entry = entries[name]
        rows = _rows(paper, name, entry, functions, tables)
        policies = {*published.policies(entry)}
        away = {variant: row for variant, row in (distances or {}).items() if {*row} == policies}
        for variant in away:
            variant_tables = variants[variant]
            if variant_tables.keys() >= {*_needed(name, entry, functions).values()}:
                others = _rows(paper, name, entry, functions, variant_tables)
                rows += tuple({"variant": variant} | row for row in others)
        decided[name] = Claim(paper, name, entry["kind"], rows, entry=entry, distances=away)
    return decided


def function_of(name: str, entry: Mapping, functions: ModuleType | Mapping) -> Callable:
    """Return the function that gives the cases of a claim; EvidenceError if there is none."""
    namespace = functions if isinstance(functions, Mapping) else vars(functions)
    named = entry.get("cases", {}).get("function", name.replace("-", "_"))
    if named not in namespace:
        raise EvidenceError(f"claim {name!r} has neither select nor a function {named}")
    return namespace[named]


def _rows(paper, name, entry, functions, tables):
    cases = _cases(paper, name, entry, functions, tables)
    rows = tuple({"unit": published.units(entry)[0]} | case.row() for case in cases)
    if not rows:
        raise EvidenceError(f"{paper}: claim {name!r} has no case")
    return rows


def _cases(paper, name, entry, functions, tables):
    chosen = {}
    for parameter, table in _needed(name, entry, functions).items():
        if table not in tables:
            names = ", ".join(tables) or "none"
            raise EvidenceError(
                f"{paper}: claim {name!r} needs the table {table!r}; given: {names}"
            )
        chosen[parameter] = tables[table]
    function, fixed = _statistic(name, entry, functions)
    return function(**chosen, **fixed)


def _statistic(name, entry, functions):
    """Return the function that gives the cases of a claim, and its parameters that are no table."""
    function = select_cases if "select" in entry else function_of(name, entry, functions)
    options = entry.get("select") or entry.get("cases", {})
    return function, {k: value for k, value in options.items() if k not in ("function", "table")}


def _needed(name, entry, functions):
    """Return the name of the table for each parameter of a claim's function that is one."""
    function, fixed = _statistic(name, entry, functions)
    options, needed = entry.get("select") or entry.get("cases", {}), {}
    for parameter in inspect.signature(function).parameters.values():
        is_table = parameter.default is parameter.empty and parameter.kind != parameter.VAR_KEYWORD
        if is_table and parameter.name not in fixed:
            # A table that the entry names is the first.
            table = parameter.name if needed else options.get("table", parameter.name)
            needed[parameter.name] = table
    return needed


def select_cases(
    frame: pd.DataFrame, value: str | list[str] = "value", **chosen
) -> Iterable[rules.Case]:
    """Yield the cases in the rows of a tidy table that have one of the chosen values in each of
    some columns.

    A row has columns of names, one or several of values, and low and high if there is an interval.
    A case has the names of its row in all columns of text but ``unit`` and those with a single
    choice; of several values, also the name of its column.
    """
    choices = {
        name: [choice] if isinstance(choice, str) else choice for name, choice in chosen.items()
    }
    for column, allowed in choices.items():
        frame = frame[frame[column].isin(allowed)]
    single = {name for name, allowed in choices.items() if len(allowed) == 1 and name != "log"}
    names = [
        column
        for column in frame
        if not pd.api.types.is_numeric_dtype(frame[column]) and column not in {"unit", *single}
    ]
    values = [value] if isinstance(value, str) else value
    ends = ("low", "high") if "low" in frame else ()
    for row in frame.to_dict("records"):
        for column in values:
            parts = [str(row[name]) for name in names]
            parts += [column.removesuffix(" [%]")] * (len(values) > 1)
            yield rules.Case(" ".join(parts), row[column], *(row[end] for end in ends))


def case_table(decided: Mapping[str, Claim]) -> pd.DataFrame:
    """Return the cases of decided claims, a row for each number, with the answer of its case."""
    rows = [
        {"claim": name, "part": "", "low": None, "high": None}
        | {key: claim.entry.get(key) for key in ("operator", "threshold")}
        | row
        | {"answer": str(claim.answers[row["case"]])}
        for name, claim in decided.items()
        for row in claim.default
    ]
    return pd.DataFrame(rows)


def compared(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the verdicts on claims in two sets of decided claims.

    Columns are claim, statement, default, the name of the other set (the verdicts), and its
    numbers.
    """
    rows = [
        (key, claim.entry["statement"], default[key].verdict, claim.verdict, claim.numbers)
        for key, claim in other.items()
    ]
    return pd.DataFrame(rows, columns=["claim", "statement", "default", name, "numbers"])


def changed(default: Mapping, other: Mapping, name: str) -> pd.DataFrame:
    """Return the rows of `compared` with two different verdicts."""
    table = compared(default, other, name)
    return table[table["default"] != table[name]].reset_index(drop=True)


def totals(verdicts: Iterable[str]) -> str:
    """Return the number of claims with each verdict as a sentence of Markdown."""
    verdicts = list(verdicts)
    counts = shown.counts(verdicts, rules.CLAIM_VERDICTS)
    parts = [f"**{number}** {word}" for word, number in counts.items()]
    return f"Of {len(verdicts)} claims: {', '.join(parts)}."
