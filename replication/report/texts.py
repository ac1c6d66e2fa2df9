"""The parts of the report that are written, not drawn: decisions, contradictions, and what the names mean."""

import re

from replication.papers import contradictions, published
from replication.report import record
from replication.simulator import paths

TITLE = "Three papers on batch scheduling, run again"
DOCS = paths.ROOT / "docs"
# Sections of data/published/README.md that a reader of the numbers needs.
NAMES = ("Columns", "Traces", "Policies", "Measures", "How the numbers were entered and checked")
SAID = {
    "fig": "Fig.",
    "table": "Table",
    "text": "Running text, captions and abstracts",
    "e_max": "Table under Fig. 13",
}


def links(start, items):
    """A function that turns an address in a text of the folder `start` into ``#place`` for what is
    in the report, the address itself on the web, or None for any other file.
    """
    places = {
        (paths.NOTEBOOKS / f"{name}.ipynb").resolve(): name.replace("/", "-") for name in items
    }
    places |= {path.resolve(): name for name, path in decision_files().items()}

    def link(address):
        if address.startswith(("https://", "http://")):
            return address
        place = places.get((start / address.partition("#")[0]).resolve())
        return f"#{place}" if place and not address.startswith("#") else None

    return link


def decision_files():
    """The files of decisions by their place in the report: what is common first, then by paper."""
    files = [
        DOCS / "decisions.md",
        *(DOCS / "decisions" / f"{paper}.md" for paper in record.PAPERS),
        DOCS / "decisions" / "study.md",
    ]
    return {f"decisions-{path.stem}": path for path in files if path.exists()}


def contradicted():
    """Where the papers contradict themselves or each other, by title of the paper: each as it is
    entered, with its ``id`` and, in ``confirmed``, what its check finds now.
    """
    entries = published.entries("contradictions.toml")
    numbers, by = contradictions.rows() if entries else {}, {}
    for name, entry in entries.items():
        title = record.PAPERS.get(entry["paper"], entry["paper"])
        confirmed, rule = contradictions.confirmed(entry, numbers), entry.get("check")
        words = "rests on the words, or on a log"
        if confirmed is not None:
            words = f"the rule “{rule}” {'finds' if confirmed else 'does not find'} it in the entered numbers"
            words += f": {'; '.join(entry['cells'])}" * confirmed
        by.setdefault(title, []).append(entry | {"id": name, "confirmed": words})
    return by


def names_source():
    """What the names of traces, policies and measures mean, in Markdown; empty where nothing says it."""
    path = paths.PUBLISHED / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    wanted = tuple(f"## {name}\n" for name in NAMES)
    return "\n".join(part for part in sections if part.startswith(wanted))


def said(item):
    """A published item as a reader calls it: fig8 is Fig. 8."""
    word, number = re.fullmatch(r"(fig|table|)(.*)", item).groups()
    return f"{SAID[word]} {number}".strip() if word else SAID.get(item, item)
