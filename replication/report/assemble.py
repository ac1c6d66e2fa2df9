"""The report of all results: gathered once, then written as a page and as PDF."""

import io

import pikepdf

from replication.papers import committed
from replication.report import article, crate, html, metadata, notebook, pdf, record
from replication.report.results import ReportError, collect, recorded
from replication.report.tree import tree
from replication.simulator import paths, writing

LARGEST = 15_000_000


def build(kind=None, failed=(), folder=None):
    """Make the report of one of `replication.report.record.KINDS`, by default the one worth most of
    which anything was drawn, without the older results of what `failed`.

    Returns where the page is: ``figures/report.html`` if it is complete, of real logs and at paper
    scale, else in ``build/`` or in `folder`. ``report.pdf`` stands beside it, and with the first
    ``article.pdf``, ``figures/verdicts.csv`` and the crate's metadata are written. ReportError if nothing was drawn, or
    one would be larger than `LARGEST` bytes; ArticleError, and nothing is written, if the article
    and the results no longer agree.
    """
    kind = kind or next((kind for kind in record.KINDS if _drawn(kind)), None)
    if kind is None:
        raise ReportError("nothing was drawn yet: make figures")
    results = collect(kind, failed)
    whole = kind == "paper" and not results.missing
    complete = whole and folder is None
    default = paths.FIGURES if complete else paths.BUILD / "report" / kind
    target = (folder or default) / "report.html"
    data, pictures = tree(results)
    written = article.build(results) if whole and article.exists() else None
    made = {
        target: html.build(data, pictures, written),
        target.with_suffix(".pdf"): pdf.build(data, pictures),
    }
    if written:
        made[target.with_name("article.pdf")] = pdf.article(written)
        made[target.with_name("metadata.yaml")] = metadata.rescience(written).encode()
    for path, content in made.items():
        if len(content) > LARGEST:
            raise ReportError(
                f"{path.name} has {len(content):,} bytes, allowed: {LARGEST:,}; use smaller figures"
            )
    for path, content in made.items():
        writing.write(path, content)
    if complete:
        committed.save(results.papers)
        writing.write(
            paths.FIGURES.parent / crate.NAME, crate.text(results.every("items")).encode()
        )
    return target


def write_article():
    """Make ``figures/article.pdf`` alone, from what stands in ``figures/``, and say where it is and how long.

    ArticleError if the article and the results no longer agree.
    """
    written = article.build(recorded())
    content = pdf.article(written)
    target = paths.FIGURES / "article.pdf"
    writing.write(target, content)
    with pikepdf.open(io.BytesIO(content)) as document:
        pages = len(document.pages)
    return {
        "pdf": str(target),
        "pages": pages,
        "words": written["words"],
        "references": written["filled"],
        "cited": len(written["references"]),
    }


def _drawn(kind):
    return any((record.folder(kind) / f"{name}.json").exists() for name in notebook.found())
