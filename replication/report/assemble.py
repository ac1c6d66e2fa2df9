"""The report: the articles and everything behind them on one HTML page, made from the records."""

import hashlib
import html
import io
import math
import os
import re
import statistics
from base64 import b64encode
from pathlib import Path

import nbformat
from markupsafe import Markup
from PIL import Image

from replication.report import record, render
from replication.report.results import ReportError, collect, plain
from replication.simulator import paths, writing
from replication.simulator.workload import QUICK_JOBS
from replication.verdicts import evidence, published, rules, shown

#: Below `paths.BUILD`: articles as fragments of HTML, which a complete report begins with, by name.
ARTICLES = "articles"
#: The fragment that has the table of README.
RESULTS = "results"
# What a terminal would obey, and what turns the direction of text.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
# "Figs. 3 to 6 and 11", "Table I"
NAMED = re.compile(r"\b(Fig|Table)s?\.? ((?:\d+|[IV]+)(?:(?:, | and | to )(?:\d+|[IV]+))*)\b")
ROMAN = ["", "I", "II", "III", "IV", "V", "VI"]
# The head of a table and its body.
STACKED = re.compile("(<table.*?</thead>)(.*?</table>)", re.DOTALL)
#: Cases that a claim shows; its evidence has all.
CASES = 16
THUMBNAIL = 360
# In an article the name of a file, from the top folder on.
FILE = re.compile('"file:([^"]+)"')
PARTS = {
    rules.LOG: "facts of the logs",
    evidence.EXAMPLE: "worked examples",
    rules.SIMULATED: "simulated results",
    rules.CHECK: "checks, which cannot fail",
    evidence.REPEAT: "repeats of the above",
}


def build(standalone=False) -> Path:
    """Write the report of the best kind with any output, and return its path.

    It shows the pictures beside it. With `standalone` it holds them, and the executed notebooks, so
    that it can be sent.

    Returns
    -------
    pathlib.Path
        ``figures/report.html`` if it is complete, from real logs at paper scale; else below
        ``build/``. With the first, ``verdicts.csv`` and ``sensitivity.csv`` are written next to it.
        A standalone report is always ``build/report/standalone/report.html``.

    Raises
    ------
    ReportError
        If there is no output.
    """
    kinds = [kind for kind in record.KINDS if any(record.folder(kind).rglob("*.json"))]
    if not kinds:
        raise ReportError("no results to report; run make figures")
    results = collect(kinds[0])
    complete = kinds[0] == "paper" and not results.missing
    sensitivity = evidence.sensitivity(results.every("statements"))
    target = (paths.FIGURES if complete else paths.BUILD / "report" / kinds[0]) / "report.html"
    if standalone:
        target = paths.BUILD / "report" / "standalone" / "report.html"
    files = sorted((paths.BUILD / ARTICLES).glob("*.html")) if complete else []
    texts = {path.stem: path.read_text(encoding="utf-8") for path in files}
    writing.write(target, page(results, sensitivity, texts, None if standalone else target.parent))
    if complete and not standalone:
        for file, content in evidence.files(results.every("statements")).items():
            writing.write(file, content)
    return target


def page(results, sensitivity, texts, folder=None) -> bytes:
    """Return the report as HTML in bytes.

    `sensitivity` is the table of `replication.verdicts.evidence.sensitivity`, `texts` the articles
    and the table of results as HTML by name. The page is for a folder, whose pictures and executed
    notebooks it names, or stands alone.
    """
    items, prose = results.every("items"), _renderer(results.every("items"))
    by_name = {item.name: item for item in items}
    script = (render.TEMPLATES / "report.js").read_text(encoding="utf-8")

    def file(name, small=False):
        """Return the address of a file, which is named from the top folder on."""
        path = paths.ROOT / name
        if folder is not None:
            return os.path.relpath(path, folder)
        return render.uri(_thumbnail(path) if small else path.read_bytes())

    def linked(match):
        return f'"{html.escape(file(html.unescape(match[1])))}"'

    texts = {name: FILE.sub(linked, text) for name, text in texts.items()}
    studies = [_study(study, results.papers, prose) for study in results.studies]
    filled = render.JINJA.get_template("report.html.j2").render(
        kind=results.kind,
        standalone=folder is None,
        found=Markup("".join(texts.get(RESULTS, "").partition("<table")[1:])),
        articles=[_article(*text) for text in texts.items() if text[0] != RESULTS],
        notices=_notices(results, items),
        rules={word: verdict["rule"] for word, verdict in render.VERDICTS.items()},
        sensitivity=sensitivity.map(shown.text).to_dict("records"),
        papers=[_paper(paper, prose, results.studies) for paper in results.papers],
        # A heading for each study of several items.
        alone=[item for study in studies if len(study["items"]) == 1 for item in study["items"]],
        studies=[study for study in studies if len(study["items"]) > 1],
        contradictions=_contradictions(),
        logs=_logs(items),
        items=items,
        css=Markup((render.TEMPLATES / "report.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        place=lambda result: evidence.place(*result.name),
        file=file,
        sources=lambda claim: _sources(claim, by_name[claim.drawn_by]) if folder else [],
        notebook=lambda item: _notebook(item, prose(item.source)),
        shown_cases=CASES,
    )
    return CONTROL.sub("", filled).encode()


def _thumbnail(path):
    buffer = io.BytesIO()
    with Image.open(path) as picture:
        small = picture.convert("RGB")
    small.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
    small.quantize(64).save(buffer, "png", optimize=True)
    return buffer.getvalue()


def _article(name, text):
    summary, heading, rest = text.partition("<h2")
    sections = re.findall(r'<h2[^>]* id="([^"]+)"[^>]*>(.*?)</h2>', text)
    return {
        "name": name,
        "summary": Markup(summary),
        "rest": Markup(_wide(STACKED.sub(_stacked, heading + rest))),
        "sections": [(place, Markup(title)) for place, title in sections],
    }


def _stacked(match):
    """Return a table of five columns or more in which each cell has its heading as label, so that
    on a narrow screen its rows become lists.
    """
    head, body = match.groups()
    labels = [
        re.sub("<[^>]*>", "", cell) for cell in re.findall("<th[ >].*?</th>", head, re.DOTALL)
    ]
    if len(labels) < 5:
        return match[0]
    # The first cell of a row is its title.
    openings = ["<td", *(f'<td data-label="{label.strip()}"' for label in labels[1:])]
    rows = re.split("(?=<tr)", body)
    filled = (re.sub("<td", lambda _, left=iter(openings): next(left), row) for row in rows)
    return head.replace("<table", '<table class="stacked"') + "".join(filled)


def _renderer(items):
    """Return a function that renders the Markdown of a file, with links into the report and to the
    web alone.
    """
    places = {item.source.resolve(): f"#{item.id}" for item in items}

    def renderer(path):
        def place(address):
            if address.startswith(("https://", "http://")):
                return address
            return places.get((path.parent / address.partition("#")[0]).resolve())

        return render.Prose(place)

    return renderer


def _wide(text):
    """Let wide tables scroll, also by keyboard."""
    opening = '<div class="wide" role="region" aria-label="Table" tabindex="0"><table'
    return text.replace("<table", opening).replace("</table>", "</table></div>")


def _paper(paper, prose, studies):
    parts = []
    for about, title in PARTS.items():
        counts = (
            evidence.count(paper.numbers, evidence.NUMBER_WORDS, [about]),
            evidence.count(paper.claims, evidence.CLAIM_WORDS, [about]),
        )
        parts += [(title, *counts)] if any(counts) else []
    return {
        "key": paper.key,
        "title": paper.title,
        "short": _short(paper.key),
        "parts": parts,
        "items": [_item(item, paper, prose, studies) for item in paper.in_order],
        "claim_counts": evidence.count(
            paper.claims, evidence.CLAIM_WORDS, (*evidence.COUNTED, rules.CHECK)
        ),
        "claims": paper.claims,
    }


def _study(study, papers, prose):
    """Return the contents of a study; its items show the claims that they state of their paper."""
    by_key = {paper.key: paper for paper in papers}
    return {
        "key": study.key.replace("/", "-"),
        "title": study.title,
        "items": [
            _item(item, by_key.get(item.facts["paper"], study), prose) for item in study.items
        ],
    }


def _short(key):
    """Return the name of a paper, or the title of a chapter that is no paper."""
    return published.registered().get(key, {}).get("name", record.CHAPTERS[key])


def _item(item, paper, prose, studies=()):
    """Return the contents of an item's section."""
    facts, name = item.facts, item.name.rpartition("/")[2]
    numbers, claimed = paper.numbers_of(item), paper.claims_of(item)
    figures = [
        _picture(item.folder / file, about["caption"])
        for file, about in facts["files"].items()
        if about["role"] == "figure"
    ]
    reasons = published.entries(paper.key, "explanations.toml")
    verdict, sentence = verdict_of(item, paper)
    sentences = ["" if item.is_analysis else f"{sentence}.", reasons.get(name, {}).get("why", "")]
    return {
        "item": item,
        "executed": _name(item.folder / item.source.name),
        "title": item.title,
        "opening": Markup(prose(item.source).html(facts["summary"])),
        "verdict": verdict,
        "line": " ".join(filter(None, sentences)),
        "studies": [] if item.is_analysis else _studies_of(item, studies),
        "figures": figures,
        "numbers": numbers,
        "compact": _compact(numbers),
        "claims": claimed if len(claimed) < 12 else [],
        "cells": _cells(item, [claim for claim in paper.claims if claim.drawn_by == item.name]),
    }


def _studies_of(item, studies):
    """Return the items of studies of the same paper whose text names a table or figure."""
    paper, _, name = item.name.partition("/")
    same = [
        study_item
        for study in studies
        for study_item in study.items
        if study_item.facts["paper"] == paper
    ]
    return [
        {"id": study_item.id, "title": study_item.title}
        for study_item in same
        if plain(name) in named(study_item.source.read_text(encoding="utf-8"))
    ]


def named(text) -> set[str]:
    """Return the tables and figures that a text names: ``{"fig3", "fig4", "table1"}`` of Figs. 3
    and 4 and Table I.
    """
    names = set()
    for word, numbers in NAMED.findall(text):
        for ends in re.findall(r"(\w+)(?: to (\w+))?", numbers.replace(" and ", " ")):
            first, last = (ROMAN.index(end) if end in ROMAN else int(end) for end in ends)
            names |= {f"{word.lower()}{k}" for k in range(first, max(first, last) + 1)}
    return names


def _compact(numbers):
    """Return numbers with logs as columns and a row for each scheduler and measure; None if more
    than half of the cells would be empty, and for one log.
    """
    logs, rows = list(dict.fromkeys(number.printed.trace for number in numbers)), {}
    for number in numbers:
        policy = "" if number.printed.policy in ("all", "log") else number.printed.policy
        measure = render.with_unit(
            number.printed.measure, {number.printed.measure: number.printed.unit}
        )
        title = ": ".join(filter(None, (policy, measure)))
        title += (
            f" ({number.printed.item})" if number.printed.item != numbers[0].printed.item else ""
        )
        rows.setdefault(title, {})[number.printed.trace] = number
    if len(logs) < 2 or 2 * len(numbers) < len(logs) * len(rows):
        return None
    return {"logs": logs, "rows": [(k, [row.get(log) for log in logs]) for k, row in rows.items()]}


def _sources(claim, item):
    """Return the files of a claim, its entry and its cases, with the words of their links and the
    lines to look at.
    """
    entry = paths.PUBLISHED / claim.paper / "claims.toml"
    lines = entry.read_text(encoding="utf-8").splitlines()
    files = [(_name(entry), "its rule", f"line {lines.index(f'[{claim.id}]') + 1}")]
    for file, about in item.facts["files"].items():
        if about["role"] == "evidence":
            text = (item.folder / file).read_text(encoding="utf-8").splitlines()
            rows = [k for k, row in enumerate(text, 1) if row.startswith(f"{claim.id},")]
            if rows:
                place = f"row {rows[0]}" if len(rows) == 1 else f"rows {rows[0]} to {rows[-1]}"
                files.append((_name(item.folder / file), "its cases", place))
    return files


def verdict_of(item, paper) -> tuple[str, str]:
    """Return the verdict on an item of a paper from its numbers and claims, as (word, sentence)."""
    if item.is_analysis:
        return "analysis", "Not a table or figure of the paper"
    numbers, claims = paper.numbers_of(item), paper.claims_of(item)
    compared = [number for number in numbers if number.verdict in rules.COMPARED]
    decided = [claim.verdict for claim in claims if claim.about != evidence.REPEAT]
    decided = [word for word in decided if word in rules.DECIDED]
    sentences = []
    if compared:
        good = sum(number.verdict in rules.GOOD for number in compared)
        noun = "number" if len(compared) == 1 else "numbers"
        sentences.append(f"{good} of {len(compared)} {noun} near or better")
        sizes = [
            (abs(number.decided().difference), number)
            for number in compared
            if _is_relative(number)
        ]
        if sizes := [(size, number) for size, number in sizes if not math.isnan(size)]:
            median = statistics.median(size for size, _ in sizes)
            sentences[-1] += f", median difference {100 * median:.1f} %"
            ordered = sorted(sizes, key=lambda pair: -pair[0])
            largest = [_difference(number) for size, number in ordered if size > 0.0005]
            if largest := list(dict.fromkeys(largest))[:2]:
                sentences.append("largest: " + "; ".join(largest))
    if decided:
        counts = shown.counts(decided, rules.CLAIM_VERDICTS)
        sentences.append("claims: " + ", ".join(f"{word} {n}" for word, n in counts.items()))
    if not sentences:
        sentences = ["The paper prints no number here that we can compare, and no claim"]
    sentence = ". ".join(part[0].upper() + part[1:] for part in sentences)
    return rules.item_verdict([number.verdict for number in compared], decided), sentence


def _is_relative(number):
    printed = number.printed
    return printed.value and printed.unit not in rules.EXACT_UNITS and not number.words


def _difference(number):
    cells = number.shown()
    subject = " ".join(
        part for part in (number.printed.trace, number.printed.policy) if part not in ("all", "log")
    )
    sizes = f"{cells['published']} → {cells['ours']} {number.printed.unit}".removesuffix(" 1")
    subject = ", ".join(filter(None, (render.name_of(number.printed.measure), subject)))
    return f"{subject}: {sizes} ({cells['difference']})"


def _name(path):
    """Return the place of a file from the top folder on."""
    return Path(os.path.relpath(path, paths.ROOT)).as_posix()


def _picture(path, caption):
    return {"name": _name(path), "caption": caption, "width": render.shown_width(path.read_bytes())}


def _notebook(item, prose):
    """Return the executed notebook of an item as a part of the page; its text and code without an
    executed one.
    """
    executed = item.folder / item.source.name
    return Markup(_wide(render.notebook(executed if executed.exists() else item.source, prose)))


def _cells(item, claims):
    """Return the cells that decide claims of an item: the source of each, and its claims."""
    cells = nbformat.read(item.source, as_version=4).cells
    deciding = [cell.source for cell in cells if "page.claims(" in cell.source]
    claims_of = {}
    for claim in claims:
        named = [source for source in deciding if f'"{claim.id}"' in source]
        claims_of.setdefault([*named, *deciding, ""][0], []).append(claim)
    return list(claims_of.items())


def _contradictions():
    """Return contradictions within and between the papers, by title of the paper."""
    by_title = {}
    for name, entry in published.entries("contradictions.toml").items():
        title = record.CHAPTERS.get(entry["paper"], entry["paper"])
        by_title.setdefault(title, []).append(entry | {"id": name})
    return by_title


def _logs(items):
    """Return the papers that use each log, by its name."""
    used = {}
    for item in items:
        paper = "studies" if item.name.startswith(record.STUDY) else _short(item.paper)
        for log in item.facts["provenance"]["logs"]:
            used.setdefault(log, {})[paper] = None
    return used


def _notices(results, items):
    scales = {item.kind for item in items} | {item.facts["parameters"]["scale"] for item in items}
    notices = []
    if "stand-in" in scales:
        notices.append("No verdict where jobs are synthetic, in place of the papers' logs.")
    if "quick" in scales:
        notices.append(
            f"No verdict: quick scale, at most the first {QUICK_JOBS:,} jobs of each log."
        )
    if results.missing:
        reasons, missing = {}, len(results.missing)
        for name, why in results.missing.items():
            reasons.setdefault(why, []).append(name)
        names = "; ".join(f"{why}: {', '.join(several)}" for why, several in reasons.items())
        notices.append(f"INCOMPLETE: {missing} of {missing + len(items)} notebooks. {names}.")
    return notices
