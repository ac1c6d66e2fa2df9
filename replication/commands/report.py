"""Build the report and the article from the recorded results.

The page needs no network. If everything is of real logs at paper scale it goes to figures/, with the article as
PDF beside it; else below build/.

Examples:
  replication report
  replication report --kind quick
"""

import click

from replication.commands import _options as shared
from replication.report import assemble, record


@click.option("--kind", type=shared.Word(lambda: record.KINDS), help="What it is made from.")
def command(kind):
    """Write the page, and print where it is."""
    click.echo(f"report: {assemble.build(kind)}")
