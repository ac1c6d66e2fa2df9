"""The report of all results: gathered once, then written as a page and as PDF."""

from replication.basics import paths, writing
from replication.evidence import committed
from replication.pages import notebook, record
from replication.report import html, pdf
from replication.report.results import ReportError, collect
from replication.report.tree import tree

LARGEST = 15_000_000


def build(kind=None, failed=(), folder=None):
    """Make the report of one of `replication.pages.record.KINDS`, by default the one worth most of
    which anything was drawn, without the older results of what `failed`.

    Returns where the page is: ``figures/report.html`` if it is complete, of real logs and at paper
    scale, else in ``build/`` or in `folder`. ``report.pdf`` stands beside it, and
    ``figures/verdicts.csv`` is written with the first. ReportError if nothing was drawn, or one
    would be larger than `LARGEST` bytes.
    """
    kind = kind or next((kind for kind in record.KINDS if _drawn(kind)), None)
    if kind is None:
        raise ReportError("nothing was drawn yet: make figures")
    results = collect(kind, failed)
    complete = kind == "paper" and not results.missing and folder is None
    default = paths.FIGURES if complete else paths.BUILD / "report" / kind
    target = (folder or default) / "report.html"
    data, pictures = tree(results)
    made = {
        target: html.build(data, pictures),
        target.with_suffix(".pdf"): pdf.build(data, pictures),
    }
    for path, content in made.items():
        if len(content) > LARGEST:
            raise ReportError(
                f"{path.name} has {len(content):,} bytes, allowed: {LARGEST:,}; use smaller figures"
            )
    for path, content in made.items():
        writing.write(path, content)
    if complete:
        committed.save(committed.found(results.papers))
    return target


def _drawn(kind):
    return any((record.folder(kind) / f"{name}.json").exists() for name in notebook.found())
