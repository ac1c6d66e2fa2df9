"""Assemble the report from what was drawn, as one HTML page and as PDF.

The page needs no network. If everything is of real logs at paper scale it goes to figures/,
else below build/.

Examples:
  replication report
  replication report --kind quick --json
  replication report --out look
"""

import time
from pathlib import Path

import click

from replication.commands import _options as shared
from replication.report import assemble, record


@click.option(
    "--kind",
    type=shared.Word(lambda: record.KINDS),
    help="What it is made from (default: the first of these of which anything was drawn).",
)
@click.option(
    "--out",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write the two there, and nothing to figures/.",
)
@shared.as_json("Print where the two are")
def command(kind, out, as_json):
    """Write the page and the PDF beside it, and say where the page is and how long it took."""
    started = time.perf_counter()
    page = assemble.build(kind, folder=out)
    seconds = round(time.perf_counter() - started, 1)
    facts = {"page": str(page), "pdf": str(page.with_suffix(".pdf")), "seconds": seconds}
    shared.say(facts, [f"report: {page} [{seconds} s]"], as_json)
