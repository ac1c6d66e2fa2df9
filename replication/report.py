"""One page of all results: it opens without a network, on a phone, in the dark and on paper."""

import io
import os
from dataclasses import dataclass

from replication import committed, notebook, page, paths, record, render
from replication.results import ReportError, collect
from replication.verdicts import NOT_DRAWN, read_csv

LARGEST = 15_000_000
THUMBNAIL = 480
FACE = ("trace", "measure", "published", "verdict")
RULES = {
    "match": "equal at the published rounding, or within 1 %", "close": "within 5 %", "near": "within 20 %",
    "differs": "anything else", "not comparable": "with the reason in the table",
    NOT_DRAWN: "no notebook in this report computes it",
}


@dataclass
class Chapter:
    """A part of the page with its place in the navigation.

    Parameters
    ----------
    id, title : str
    body : markupsafe.Markup
    """

    id: str
    title: str
    body: object


def build(kind=None):
    """Make the report.

    Parameters
    ----------
    kind : str, optional
        One of `replication.record.KINDS`; by default the one worth most of which anything was drawn.

    Returns
    -------
    pathlib.Path
        ``figures/report.html`` if it is complete, of real logs and at paper scale; else in ``build/``.

    Raises
    ------
    ReportError
        If nothing was drawn, or the page would be larger than `LARGEST` bytes.
    """
    kind = kind or next((kind for kind in record.KINDS if _drawn(kind)), None)
    if kind is None:
        raise ReportError("nothing was drawn yet: make figures")
    results = collect(kind)
    complete = kind == "paper" and not results.missing
    target = (paths.FIGURES if complete else paths.BUILD / "report" / kind) / "report.html"
    data = _page(results, target.parent).encode()
    if len(data) > LARGEST:
        raise ReportError(f"the report has {len(data):,} bytes, allowed: {LARGEST:,}; use smaller figures")
    record.write(target, data)
    if complete:
        committed.save(committed.found(results.papers))
    return target


def _drawn(kind):
    return any(record.executed(kind, name).exists() for name in notebook.found())


def _page(results, folder):
    from markupsafe import Markup

    from replication import notebook_html

    def part(name, **values):
        return Markup(render.environment().get_template(f"{name}.html.j2").render(**values))

    items = results.items
    faces = {item.name: _face(item) for item in items}
    bodies = {item.name: notebook_html.body(item.notebook, _links(item.name, items, folder))
              for item in items}
    chapters = [
        Chapter("scoreboard", "Scoreboard", part("scoreboard", results=results, rules=RULES)),
        Chapter("logs", "Logs", part("logs", logs=_logs(items))),
        Chapter("items", "Tables and figures", part("items", papers=results.papers, faces=faces)),
        Chapter("pages", "Page by page", part("pages", papers=results.papers, bodies=bodies)),
        Chapter("provenance", "Provenance", part("provenance", items=items)),
    ]
    return part("report", chapters=chapters, kind=results.kind, notices=_notices(results), css=_css())


def _face(item):
    """What stands for an item in the overview: its first figure, small, or the corner of its first table."""
    pictures = item.files("figure")
    if pictures:
        return {"picture": _small(pictures[0]), "rows": []}
    tables = item.files("table")
    rows = read_csv(tables[0]) if tables else [{name: row[name] for name in FACE} for row in item.rows()]
    rows = rows[:4]
    return {"picture": None, "rows": [[*row][:5] for row in rows[:1]]
            + [[_short(cell) for cell in row.values()][:5] for row in rows]}


def _short(cell):
    try:
        return f"{float(cell):g}"
    except ValueError:
        return cell


def _small(path):
    from PIL import Image

    with Image.open(path) as picture:
        height = max(1, round(picture.height * THUMBNAIL / picture.width))
        small = picture.convert("RGB").resize((THUMBNAIL, height), Image.Resampling.LANCZOS).quantize(64)
    buffer = io.BytesIO()
    small.save(buffer, "png", optimize=True)
    return render.data_uri("image/png", buffer.getvalue())


def _links(name, items, folder):
    """A function that turns an address in a notebook into one in the report."""
    start = (paths.NOTEBOOKS / name).parent
    places = {(paths.NOTEBOOKS / f"{item.name}.ipynb").resolve(): f"#{item.id}" for item in items}

    def link(address):
        if ":" in address or address.startswith(("#", "/")):
            return address
        file, _, part = address.partition("#")
        target = (start / file).resolve()
        if target in places:
            return places[target]
        return f"{os.path.relpath(target, folder.resolve())}{'#' if part else ''}{part}"

    return link


def _logs(items):
    """Each log as it was used, once, with the papers that used it so."""
    found = {}
    for item in items:
        for name, facts in item.facts["logs"].items():
            papers = found.setdefault((name, repr(sorted(facts.items()))), (name, facts, []))[2]
            papers += [paper for paper in [item.name.split("/")[0]] if paper not in papers]
    return [{"name": name, "papers": papers} | facts for name, facts, papers in found.values()]


def _notices(results):
    notices = []
    kinds = {item.kind for item in results.items}
    if "stand-in" in kinds:
        notices.append("STAND-IN DATA: drawn from generated workloads, not from the papers' logs. It shows "
                       "that the machinery works; it proves nothing, and no verdict is drawn from it.")
    if "quick" in kinds or any(item.facts["scale"] == "quick" for item in results.items):
        notices.append(f"QUICK SCALE: at most the first {page.QUICK_JOBS:,} jobs of each log, "
                       "too few for a verdict.")
    if results.missing:
        every = len(results.missing) + len(results.items)
        notices.append(f"INCOMPLETE: {len(results.missing)} of {every} notebooks are missing.")
    kernels = {item.facts["kernels"] for item in results.items}
    if len(kernels) > 1:
        notices.append(f"MIXED: the items were drawn with {len(kernels)} versions of the simulation kernels.")
    return notices


def _css():
    from markupsafe import Markup
    from pygments.formatters import HtmlFormatter

    own, _, _ = render.environment().loader.get_source(render.environment(), "report.css")
    light = HtmlFormatter(style="default", nobackground=True).get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark", nobackground=True).get_style_defs(".highlight")
    return Markup(f"{own}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n")
