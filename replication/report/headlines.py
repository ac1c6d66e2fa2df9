"""The findings of each paper's abstract, each with its verdict under the default reading and under those that change it.

``data/published/<paper>/abstract.toml`` says which claims and which numbers a finding rests on, and which recorded tables
have them under other readings. Nothing is decided here.
"""

from replication.papers import claims, published, shown, verdicts
from replication.papers.variants import READING
from replication.simulator import paths

HELD = (claims.HOLDS, claims.PART)


def entered(paper):
    """The findings of a paper as entered, by id; none where the paper has no such file."""
    return published.entries(paper, "abstract.toml")


def of(paper, found, numbers):
    """The findings of a paper by its claims and numbers, each a dict: says, section; default, a
    list of (what, verdict, other verdicts that the intervals allow); under, a list of (reading,
    what, verdict) where that is another one.
    """
    by = {claim.id_in_paper: claim for claim in found}
    given = {}
    for one in numbers:
        key = one.published.item, one.published.measure
        given.setdefault(key, []).append(one.verdict)
    made = []
    for entry in entered(paper).values():
        default = [(_words(n), by[n].verdict, by[n].otherwise) for n in entry["claims"]]
        default += [
            (", ".join(key), said(given.get(tuple(key), [])), "")
            for key in entry.get("numbers", ())
        ]
        under = [*_other_claims(paper, entry), *_robust(paper, entry), *_other(paper, entry)]
        told = {"says": entry["says"], "section": entry["section"]}
        made.append(told | {"default": default, "under": under})
    return made


def _words(name):
    return name.replace("-", " ")


def said(words):
    """Verdicts counted, in words: 2 match, 1 near."""
    counts = shown.counts(words, verdicts.NUMBER_WORDS)
    return ", ".join(f"{count} {word}" for word, count in counts.items())


def _other_claims(paper, entry):
    """Verdicts of the same claims in tables of those that another reading changes."""
    for reading, table in entry.get("tables", {}).items():
        for row in _table(paper, table):
            if row.get("claim") in entry["claims"]:
                yield reading, _words(row["claim"]), row[[*row][3]]


def _robust(paper, entry):
    """Readings under which a conclusion of the table of robustness no longer stands, or stands after all."""
    for name in entry.get("robust", ()):
        rows = [row for row in _table(paper, "robustness") if row["headline"] == name]
        default = [row["verdict"] in HELD for row in rows if row["change"] == "default"]
        for row in rows:
            changed = row["kind"] == READING and default != [row["verdict"] in HELD]
            if changed and row["verdict"] in claims.VERDICTS:
                yield row["change"], _words(name), row["verdict"]


def _other(paper, entry):
    """Numbers under another definition, from a table with the columns of a comparison."""
    for reading, table in entry.get("definitions", {}).items():
        rows = _table(paper, table)
        for item, measure in entry.get("numbers", ()):
            given = [row["verdict"] for row in rows if row["measure"] == measure]
            if given:
                yield reading, f"{item}, {measure}", said(given)


def _table(paper, name):
    """A recorded table; none where it was not drawn."""
    path = paths.FIGURES / paper / f"{name}.csv"
    return verdicts.read_csv(path) if path.exists() else []
