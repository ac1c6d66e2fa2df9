"""The parts of the report that are written, not drawn: decisions, contradictions, and what the names mean."""

import os
import re
from dataclasses import dataclass

from replication.basics import paths
from replication.evidence import contradictions
from replication.pages import record
from replication.report import notebook_html

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


@dataclass
class Text:
    """A text with its place in the page.

    Parameters
    ----------
    id : str
    body : markupsafe.Markup
    """

    id: str
    body: object


def links(start, items, folder):
    """A function that turns an address in a text into one in the report.

    Parameters
    ----------
    start : pathlib.Path
        Folder of the text.
    items : list of replication.report.results.Item
    folder : pathlib.Path
        Of the report.

    Returns
    -------
    callable
    """
    places = {(paths.NOTEBOOKS / f"{item.name}.ipynb").resolve(): f"#{item.id}" for item in items}
    places |= {path.resolve(): f"#{name}" for name, path in decision_files().items()}

    def link(address):
        if ":" in address or address.startswith(("#", "/")):
            return address
        file, _, part = address.partition("#")
        target = (start / file).resolve()
        if target in places:
            return places[target]
        return f"{os.path.relpath(target, folder.resolve())}{'#' if part else ''}{part}"

    return link


def decision_files():
    """The files of decisions: what is common first, then paper by paper.

    Returns
    -------
    dict of str to pathlib.Path
        By the name of their place in the report.
    """
    files = [
        DOCS / "decisions.md",
        *(DOCS / "decisions" / f"{paper}.md" for paper in record.PAPERS),
    ]
    return {f"decisions-{path.stem}": path for path in files if path.exists()}


def decisions(items, folder):
    """What was decided where the papers are silent.

    Parameters
    ----------
    items, folder
        See `links`.

    Returns
    -------
    list of Text
    """
    return [
        Text(name, _html(path.read_text(encoding="utf-8"), links(path.parent, items, folder)))
        for name, path in decision_files().items()
    ]


def found():
    """Where the papers contradict themselves or each other, with what the check of each finds now.

    Returns
    -------
    dict of str to list of dict
        By title of the paper; each as `replication.evidence.contradictions.read` gives it, with its ``id`` and with
        ``confirmed``. Empty where nothing was entered.
    """
    path = paths.PUBLISHED / "contradictions.toml"
    if not path.exists():
        return {}
    numbers, by = contradictions.rows(), {}
    for name, entry in contradictions.read(path).items():
        title = record.PAPERS.get(entry["paper"], entry["paper"])
        told = {"id": name, "confirmed": contradictions.confirmed(entry, numbers)}
        by.setdefault(title, []).append({"check": None, "cells": []} | entry | told)
    return by


def names():
    """What the names of traces, policies and measures mean, as HTML.

    Returns
    -------
    markupsafe.Markup
        Empty where nothing says it.
    """
    return _html(names_source())


def names_source():
    """The same in Markdown.

    Returns
    -------
    str
    """
    path = paths.PUBLISHED / "README.md"
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    sections = re.split(r"^(?=## )", text, flags=re.MULTILINE)
    wanted = tuple(f"## {name}\n" for name in NAMES)
    return "\n".join(part for part in sections if part.startswith(wanted))


def said(item):
    """A published item as a reader calls it: fig8 is Fig. 8.

    Parameters
    ----------
    item : str

    Returns
    -------
    str
    """
    word, number = re.fullmatch(r"(fig|table|)(.*)", item).groups()
    return f"{SAID[word]} {number}".strip() if word else SAID.get(item, item)


def _html(source, link=lambda address: address):
    from markupsafe import Markup

    markup = notebook_html.markdown(source, link)
    return Markup(
        markup.replace("<table", '<div class="wide"><table').replace("</table>", "</table></div>")
    )
