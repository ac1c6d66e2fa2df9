"""The report: the article and everything behind it on one HTML page, made from the records."""

import hashlib
import html
import io
import json
import re
import statistics
from base64 import b64encode
from pathlib import Path

import nbformat
import pypandoc
from markupsafe import Markup
from PIL import Image

from replication.papers import claims, committed, compare, published, shown, verdicts
from replication.report import article, record, render
from replication.report.results import ReportError, collect, items_of
from replication.simulator import paths, writing
from replication.simulator.workload import QUICK_JOBS

TEMPLATES = Path(__file__).parent / "templates"
DOCS = paths.ROOT / "docs"
# pandoc's reader for commonmark lets raw HTML through; its own reader does not.
MARKDOWN = (
    "markdown_strict-raw_html+pipe_tables+tex_math_dollars+backtick_code_blocks+fenced_code_attributes"
    "+lists_without_preceding_blankline+intraword_underscores+autolink_bare_uris+strikeout+startnum"
)
BOUNDARY = "boundary-of-two-texts"
# The beginning of a table without verdicts, see page_templates/table.html.j2.
TABLE = '<figure class="table">\n<table>'
THUMBNAIL = 360
NEAR = (compare.MATCH, compare.CLOSE, compare.NEAR)
#: Published items by the beginning of their names.
ITEMS = {"fig": "Fig.", "table": "Table", "text": "Running text", "e_max": "Table under Fig. 13"}
PARTS = {
    claims.LOG: "facts of the logs",
    verdicts.EXAMPLE: "worked examples",
    claims.SIMULATED: "simulated results",
    claims.CHECK: "checks, which cannot fail",
    verdicts.REPEAT: "repeats of the above",
}


def build(kind=None, failed=()):
    """Write the report and return its path.

    Parameters
    ----------
    kind : str, optional
        One of `replication.report.record.KINDS`; by default the best one with any output.
    failed : collection of str
        Notebooks whose older output is left out.

    Returns
    -------
    pathlib.Path
        ``figures/report.html`` if it is complete, from real logs at paper scale; else below ``build/``. With the
        first, ``article.pdf``, ``verdicts.csv`` and ``sensitivity.csv`` are written next to it, and the table of results in
        README.md.

    Raises
    ------
    ReportError
        If there is no output.
    ArticleError
        If the article and the results disagree; nothing is written then.
    """
    drawn = (kind for kind in record.KINDS if any(record.folder(kind).rglob("*.json")))
    kind = kind or next(drawn, None)
    if kind is None:
        raise ReportError("no outputs yet: make figures")
    results = collect(kind, failed)
    complete = kind == "paper" and not results.missing
    target = (paths.FIGURES if complete else paths.BUILD / "report" / kind) / "report.html"
    outputs = {}
    if complete and article.exists():
        outputs[target] = page(results, article.html(results))
        outputs[target.with_name("article.pdf")] = article.pdf(results)
        outputs[paths.ROOT / "README.md"] = article.readme(results).encode()
    else:
        outputs[target] = page(results)
    for path, content in outputs.items():
        writing.write(path, content)
    if complete:
        committed.save(results.papers)
        table = writing.frame_csv(results.sensitivity)
        writing.write(target.with_name("sensitivity.csv"), table)
    return target


def page(results, text=""):
    """Return the report as HTML in bytes; `text` is the article as HTML."""
    items = results.every("items")
    prose = Prose(item.name for item in items)
    papers = [_paper(paper, prose) for paper in results.papers]
    sections = re.findall(r'<h2[^>]* id="([^"]+)"[^>]*>(.*?)</h2>', text)
    script = (TEMPLATES / "report.js").read_text(encoding="utf-8")
    decisions = [
        {"id": f"decisions-{path.stem}", "text": prose(path.read_text(encoding="utf-8"), path)}
        for path in sorted(DOCS.glob("decisions/*.md"))
    ]
    template = render.environment(TEMPLATES).get_template("report.html.j2")
    made = template.render(
        kind=results.kind,
        article=Markup(_wide(text)),
        sections=[(place, Markup(title)) for place, title in sections],
        notices=_notices(results, items),
        rules={word: verdict["rule"] for word, verdict in render.VERDICTS.items()},
        sensitivity=[
            {name: shown.text(cell) for name, cell in row.items()}
            for row in results.sensitivity.to_dict("records")
        ],
        papers=papers,
        decisions=decisions,
        contradictions=_contradictions(),
        logs=_logs(items),
        provenance=[_provenance(item) for item in items],
        css=Markup((TEMPLATES / "report.css").read_text(encoding="utf-8")),
        script=Markup(script),
        digest=b64encode(hashlib.sha256(script.encode()).digest()).decode(),
    )
    return prose.fill(made).encode()


class Prose:
    """Markdown to be converted to HTML, all in one run of pandoc.

    An instance called with Markdown and the file it is from returns a mark; `fill` replaces the marks. Raw HTML
    stays text, formulas become MathML, and of the links only those remain that lead into the report or to the web.
    """

    def __init__(self, items):
        self._texts = {}
        self._places = {
            (paths.NOTEBOOKS / f"{name}.ipynb").resolve(): name.replace("/", "-") for name in items
        }
        for path in DOCS.glob("decisions/*.md"):
            self._places[path.resolve()] = f"decisions-{path.stem}"

    def __call__(self, source, path):
        digest = hashlib.sha256(f"{path.parent}{source}".encode()).hexdigest()
        self._texts[f"text-{digest}"] = source, path.parent
        return f"text-{digest}" if source.strip() else ""

    def fill(self, page):
        """Return a page with its marks replaced."""
        sources = f"\n\n{BOUNDARY}\n\n".join(source for source, _ in self._texts.values())
        options = [
            "--mathml",
            "--wrap=none",
            "--shift-heading-level-by=2",
            "--syntax-highlighting=none",
        ]
        made = pypandoc.convert_text(sources, "html", format=MARKDOWN, extra_args=options)
        texts = made.replace("\r", "").split(f"<p>{BOUNDARY}</p>")
        for (mark, (_, folder)), text in zip(self._texts.items(), texts, strict=True):
            page = page.replace(mark, _wide(self._keep_links(text.strip(), folder)))
        return page

    def _keep_links(self, text, folder):
        def link(found):
            address = html.unescape(found[1])
            if address.startswith(("https://", "http://")):
                return found[0]
            place = self._places.get((folder / address.partition("#")[0]).resolve())
            return f'<a href="#{place}">{found[2]}</a>' if place else found[2]

        text = re.sub(r'<img [^>]*alt="([^"]*)"[^>]*>|<img [^>]*>', r"[\1]", text)
        return re.sub(r'<a\s[^>]*?href="([^"]*)"[^>]*>(.*?)</a>', link, text, flags=re.DOTALL)


def _wide(text):
    """Let wide tables scroll, also by keyboard."""
    opening = '<div class="wide" role="region" aria-label="Table" tabindex="0"><table'
    return text.replace("<table", opening).replace("</table>", "</table></div>")


def _paper(paper, prose):
    numbers = {number.name[2:]: number for number in paper.numbers}
    by = {claim.id_in_paper: claim for claim in paper.claims}
    groups = {}
    for number in paper.numbers:
        word, rest = re.fullmatch(r"(fig|table|)(.*)", number.published.item).groups()
        title = f"{ITEMS[word]} {rest}" if word else ITEMS.get(rest, rest)
        groups.setdefault(title, []).append(_number(number))
    return {
        "key": paper.key,
        "title": paper.title,
        "counts": verdicts.count(paper.numbers, verdicts.NUMBER_WORDS),
        "claim_counts": verdicts.count(paper.claims, verdicts.CLAIM_WORDS),
        "parts": [(PARTS[about], *counts) for about, counts in paper.parts.items() if any(counts)],
        "findings": [
            {"says": one["says"], "section": one["section"]}
            | {"claims": [_claim(by[name]) for name in one["claims"]]}
            for one in published.entries(paper.key, "abstract.toml").values()
        ],
        "short": published.registered().get(paper.key, {}).get("name", paper.title),
        "items": [
            _item(item, paper, numbers, prose) for item in sorted(paper.items, key=_is_analysis)
        ],
        "claims": [_claim(claim) for claim in paper.claims],
        "numbers": groups,
    }


def _number(number):
    return number.shown() | {
        "id": verdicts.place(*number.name),
        "name": render.name_of(number.published.measure),
        "reason": number.reason,
        "where": number.published.source,
        "to": number.drawn_by.replace("/", "-"),
    }


def _claim(claim):
    return claim.entered | {
        "id": verdicts.place(*claim.name),
        "name": claim.id_in_paper,
        "verdict": claim.verdict,
        "count": claim.count,
        "otherwise": claim.otherwise,
        "cases": [(claims.RECORDED[answer], words) for words, answer in claim.cases],
        "to": claim.drawn_by.replace("/", "-"),
    }


def _item(item, paper, numbers, prose):
    """Return what the report shows of a notebook."""
    facts, path = item.facts, paths.NOTEBOOKS / f"{item.name}.ipynb"
    keys = map(verdicts.key_of, facts["comparisons"])
    rows = [numbers[key] for key in keys if key in numbers]
    claimed = [claim for claim in paper.claims if item in items_of(claim, paper)]
    why = published.entries(paper.key, "explanations.toml").get(item.name.split("/")[1], {})
    files = facts["files"].items()
    figures = [
        _picture(item.folder / file, about) for file, about in files if about["role"] == "figure"
    ]
    return {
        "id": item.id,
        "title": facts["title"],
        "name": item.name,
        "kind": item.kind,
        "opening": prose(facts["summary"], path),
        "verdict": verdict_line(item.name, rows, claimed),
        "why": why.get("why", ""),
        "figures": figures,
        "thumbnail": figures[0]["thumbnail"] if figures else "",
        "numbers": list(map(_number, rows)),
        "claims": [_claim(claim) for claim in claimed] if len(claimed) < 12 else [],
        "parts": _parts(item, prose, path),
    }


def _is_analysis(item):
    """Return True if an item, or the item of a name, is no table or figure of the paper."""
    return not re.search("/(fig|table)", getattr(item, "name", item))


def verdict_line(name, numbers, claimed):
    """Return a verdict on a table or figure, as (word, sentence).

    Parameters
    ----------
    name : str
        ``paper/item``.
    numbers : list of replication.papers.verdicts.Number
    claimed : list of replication.papers.verdicts.Claim
    """
    if _is_analysis(name):
        return "analysis", "Not a table or figure of the paper"
    compared = [one for one in numbers if one.verdict in compare.VERDICTS[:4]]
    held = [one.verdict for one in claimed if one.verdict in claims.VERDICTS[:3]]
    good = sum(one.verdict in NEAR for one in compared)
    sentences = []
    if compared:
        sentences.append(f"{good} of {len(compared)} numbers near or better")
        sizes = [
            one
            for one in compared
            if one.difference == one.difference
            and one.published.value
            and one.published.unit not in compare.EXACT_UNITS
        ]
        if sizes:
            median = statistics.median(abs(one.difference) for one in sizes)
            sentences[-1] += f", median difference {100 * median:.1f} %"
            ordered = sorted(sizes, key=lambda one: -abs(one.difference))
            largest = [_difference(one) for one in ordered if abs(one.difference) > 0.0005]
            if largest := list(dict.fromkeys(largest))[:2]:
                sentences.append("largest: " + "; ".join(largest))
    if held:
        counts = shown.counts(held, claims.VERDICTS)
        sentences.append("claims: " + ", ".join(f"{n} {word}" for word, n in counts.items()))
    if not sentences:
        return "drawing", "The paper prints no number here that we can compare, and no claim"
    share = good / len(compared) if compared else 1
    share = min(share, sum(word != claims.FAILS for word in held) / len(held)) if held else share
    whole = share == 1 and claims.PART not in held
    word = "reproduced" if whole else "partly reproduced" if share > 0.5 else "not reproduced"
    return word, ". ".join(sentence[0].upper() + sentence[1:] for sentence in sentences)


def _difference(number):
    one, told = number.published, number.shown()
    subject = " ".join(part for part in (one.trace, one.policy) if part not in ("all", "log"))
    sizes = f"{told['published']} → {told['ours']} {one.unit}".removesuffix(" 1")
    subject = ", ".join(filter(None, (render.name_of(one.measure), subject)))
    return f"{subject}: {sizes} ({told['difference']})"


def _picture(path, facts):
    data = path.read_bytes()
    with Image.open(io.BytesIO(data)) as picture:
        small = picture.convert("RGB")
        small.thumbnail((THUMBNAIL, THUMBNAIL), Image.Resampling.LANCZOS)
        buffer = io.BytesIO()
        small.quantize(64).save(buffer, "png", optimize=True)
    uris = {"uri": render.uri(data), "thumbnail": render.uri(buffer.getvalue())}
    return uris | {"caption": facts["caption"], "width": render.shown_width(data)}


def _parts(item, prose, path):
    """Return the text, the code and the tables of an item's executed notebook in their order.

    The tables of numbers and claims and the pictures are shown elsewhere. Of an item without an executed notebook, the text
    and the code are shown.
    """
    parts = []
    executed = item.folder / f"{path.stem}.ipynb"
    notebook = nbformat.read(executed if executed.exists() else path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "markdown":
            source = re.sub(r"^# .*\n?", "", cell.source, flags=re.MULTILINE)
            parts.append({"type": "prose", "text": prose(source, path)})
        elif cell.source:
            parts.append({"type": "code", "text": cell.source})
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if data.get("text/html", "").startswith(TABLE):
                parts.append({"type": "table", "text": Markup(_wide(data["text/html"]))})
            elif "text/markdown" in data and data["text/plain"] != item.name:
                parts.append({"type": "prose", "text": prose(data["text/markdown"], path)})
    return parts


def _contradictions():
    """Return contradictions within and between the papers, by title of the paper."""
    by = {}
    for name, entry in published.entries("contradictions.toml").items():
        title = record.PAPERS.get(entry["paper"], entry["paper"])
        by.setdefault(title, []).append(entry | {"id": name})
    return by


def _logs(items):
    """Return each log in each form in which it was used, with the papers that used it."""
    used = {}
    for item in items:
        for name, facts in item.facts["provenance"]["logs"].items():
            same = used.setdefault((name, json.dumps(facts, sort_keys=True)), (facts, {}))
            same[1][item.name.split("/")[0]] = None
    return [
        facts | {"name": name, "papers": ", ".join(by)} for (name, _), (facts, by) in used.items()
    ]


def _provenance(item):
    facts = item.facts
    return {
        "id": item.id,
        "name": item.name,
        "settings": "; ".join(
            f"{key} = {json.dumps(value)}"
            for key, value in facts["parameters"].items()
            if key not in ("scale", "logs", "seed")
        ),
        "seed": facts["parameters"]["seed"],
        "sources": facts["provenance"]["simulator"],
        "files": ", ".join(facts["files"]),
    }


def _notices(results, items):
    scales = {item.kind for item in items} | {item.facts["parameters"]["scale"] for item in items}
    missing, notices = len(results.missing), []
    if "stand-in" in scales:
        notices.append(
            "STAND-IN DATA: generated workloads, not the papers' logs. They prove nothing, and no verdict is drawn."
        )
    if "quick" in scales:
        notices.append(
            f"QUICK SCALE: at most the first {QUICK_JOBS:,} jobs of each log; no verdict."
        )
    if missing:
        reasons = {}
        for name, why in results.missing.items():
            reasons.setdefault(why, []).append(name)
        names = "; ".join(f"{why}: {', '.join(several)}" for why, several in reasons.items())
        notices.append(f"INCOMPLETE: {missing} of {missing + len(items)} notebooks. {names}.")
    return notices
