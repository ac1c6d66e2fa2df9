"""One page of all results, which opens without a network, on a phone and in the dark; the same as PDF."""

import io
from dataclasses import dataclass

from replication.basics import paths, writing
from replication.evidence import committed
from replication.evidence.verdicts import NOT_DRAWN, read_csv
from replication.pages import notebook, page, record, render
from replication.report import pdf as report_pdf
from replication.report import texts
from replication.report.results import ReportError, collect

LARGEST = 15_000_000
THUMBNAIL = 480
FACE = ("trace", "measure", "published", "verdict")
RULES = {
    "match": "equal at the published rounding, or within 1 %",
    "close": "within 5 %",
    "near": "within 20 %",
    "differs": "anything else",
    "not comparable": "with the reason beside it",
    NOT_DRAWN: "no notebook in this report has it",
    "holds": "in every case, that is each log or measure it speaks of",
    "holds in part": "in more than half of them",
    "fails": "in no more than half, and one speaks against it",
    "undecided": "in no more than half, and the intervals of the others cover both answers",
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
        One of `replication.pages.record.KINDS`; by default the one worth most of which anything was drawn.

    Returns
    -------
    pathlib.Path
        ``figures/report.html`` if it is complete, of real logs and at paper scale; else in ``build/``.
        ``report.pdf`` stands beside it.

    Raises
    ------
    ReportError
        If nothing was drawn, or the page or the PDF would be larger than `LARGEST` bytes.
    """
    kind = kind or next((kind for kind in record.KINDS if _drawn(kind)), None)
    if kind is None:
        raise ReportError("nothing was drawn yet: make figures")
    results = collect(kind)
    complete = kind == "paper" and not results.missing
    target = (paths.FIGURES if complete else paths.BUILD / "report" / kind) / "report.html"
    made = {
        target: _page(results, target.parent).encode(),
        target.with_suffix(".pdf"): report_pdf.build(
            results, _notices(results), _logs(results.items), RULES
        ),
    }
    for path, data in made.items():
        if len(data) > LARGEST:
            raise ReportError(
                f"{path.name} has {len(data):,} bytes, allowed: {LARGEST:,}; use smaller figures"
            )
    for path, data in made.items():
        writing.write(path, data)
    if complete:
        committed.save(committed.found(results.papers))
    return target


def _drawn(kind):
    return any(record.executed(kind, name).exists() for name in notebook.found())


def _page(results, folder):
    from markupsafe import Markup

    from replication.report import notebook_html

    def part(name, **values):
        return Markup(render.environment().get_template(f"{name}.html.j2").render(**values))

    items = results.items
    given = {one.verdict for paper in results.papers for one in (*paper.numbers, *paper.claims)}
    rules = {word: rule for word, rule in RULES.items() if word in given}
    faces = {item.name: _face(item) for item in items}
    bodies = {
        item.name: notebook_html.body(
            item.notebook, texts.links((paths.NOTEBOOKS / item.name).parent, items, folder)
        )
        for item in items
    }
    chapters = [
        Chapter("scoreboard", "Scoreboard", part("scoreboard", results=results, rules=rules)),
        Chapter("items", "Tables and figures", part("items", papers=results.papers, faces=faces)),
        Chapter("pages", "Page by page", part("pages", papers=results.papers, bodies=bodies)),
        Chapter("claims", "Claims", part("claims", papers=results.papers)),
        Chapter(
            "numbers",
            "Numbers",
            part("numbers", papers=results.papers, names=texts.names(), said=texts.said),
        ),
        Chapter("decisions", "Decisions", part("texts", texts=texts.decisions(items, folder))),
        Chapter("contradictions", "Contradictions", part("contradictions", papers=texts.found())),
        Chapter("logs", "Logs", part("logs", logs=_logs(items))),
        Chapter("provenance", "Provenance", part("provenance", items=items)),
    ]
    chapters = [chapter for chapter in chapters if chapter.body.strip()]
    return part(
        "report",
        title=texts.TITLE,
        chapters=chapters,
        kind=results.kind,
        notices=_notices(results),
        css=_css(items),
    )


def _face(item):
    """What stands for an item in the overview: its first figure, small, or the corner of its first table."""
    pictures = item.files("figure")
    if pictures:
        return {"picture": _small(pictures[0]), "rows": []}
    tables = item.files("table")
    claims = [{"verdict": row["verdict"], "claim": row["claim"]} for row in item.claim_rows()]
    rows = claims or (
        read_csv(tables[0])
        if tables
        else [{name: row[name] for name in FACE} for row in item.rows()]
    )
    rows = rows[:4]
    return {
        "picture": None,
        "rows": [[*row][:5] for row in rows[:1]]
        + [[_short(cell) for cell in row.values()][:5] for row in rows],
    }


def _short(cell):
    try:
        return f"{float(cell):g}"
    except ValueError:
        return cell


def _small(path):
    from PIL import Image

    with Image.open(path) as picture:
        height = max(1, round(picture.height * THUMBNAIL / picture.width))
        small = (
            picture.convert("RGB")
            .resize((THUMBNAIL, height), Image.Resampling.LANCZOS)
            .quantize(64)
        )
    buffer = io.BytesIO()
    small.save(buffer, "png", optimize=True)
    return render.data_uri("image/png", buffer.getvalue())


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
        notices.append(
            "STAND-IN DATA: drawn from generated workloads, not from the papers' logs. It shows "
            "that the machinery works; it proves nothing, and no verdict is drawn from it."
        )
    if "quick" in kinds or any(item.facts["scale"] == "quick" for item in results.items):
        notices.append(
            f"QUICK SCALE: at most the first {page.QUICK_JOBS:,} jobs of each log, "
            "too few for a verdict."
        )
    if results.missing:
        every = len(results.missing) + len(results.items)
        notices.append(f"INCOMPLETE: {len(results.missing)} of {every} notebooks are missing.")
    kernels = {item.facts["kernels"] for item in results.items}
    if len(kernels) > 1:
        notices.append(
            f"MIXED: the items were drawn with {len(kernels)} versions of the simulation kernels."
        )
    return notices


def _css(items):
    from markupsafe import Markup
    from pygments.formatters import HtmlFormatter

    own, _, _ = render.environment().loader.get_source(render.environment(), "report.css")
    light = HtmlFormatter(style="default", nobackground=True).get_style_defs(".highlight")
    dark = HtmlFormatter(style="github-dark", nobackground=True).get_style_defs(".highlight")
    return Markup(
        f"{own}{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n"
        f"@media screen {{\n{_narrowing(items)}\n}}\n"
    )


def _narrowing(items):
    """Rules without which a listing shows all its rows: led to a verdict or an item, it shows that one's."""
    marks = [(f".filter .{slug}:target", f"is-{slug}") for slug in map(render.slug, RULES)]
    marks += [
        (f"#{what}-of-{item.id}:target", f"of-{item.id}")
        for what in ("numbers", "claims")
        for item in items
    ]
    return "\n".join(
        f".listing:has({place}) :is(.row:not(.{mark}), tbody:not(:has(.{mark}))) "
        "{ display: none; }"
        for place, mark in marks
    )
