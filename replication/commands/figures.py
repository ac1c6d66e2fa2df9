"""Draw tables and figures from their notebooks, and assemble the report.

Without --only, all of them. What real logs gave at paper scale goes to figures/; the rest goes
below build/. A notebook that fails does not stop the others; the exit code is then 1. Where the checkout
cannot be written to, or should not be, REPLICATION_OUTPUT names a folder for figures/ and build/.

Examples:
  replication figures
  replication figures --only heel_and_toe/fig02 pv_easy --scale quick
  replication figures --only heel_and_toe --engine tcp://host:8786
"""

import os

import click

from replication.commands import Several
from replication.commands import _options as shared
from replication.report import assemble, notebook, record
from replication.report import run as figures
from replication.simulator import engines


@click.option(
    "--only",
    cls=Several,
    metavar="ITEM ...",
    shell_complete=shared.completing(lambda: [*record.CHAPTERS, *notebook.found()]),
    help="Notebooks (heel_and_toe/fig02) or papers (pv_easy).",
)
@click.option(
    "--scale",
    metavar="NAME",
    help="paper, or quick for fewer runs (default: paper on real logs, else quick).",
)
@shared.workers
@shared.engine
def command(only, scale, workers, engine):
    """Run the notebooks; what cannot be run is refused before any of them starts."""
    if engine is not None:
        with engines.opened(engine):  # the notebooks' sweeps take it from the environment
            os.environ[engines.NAMED_BY] = engine
    with shared.refusing(figures.PageError):
        return figures.figures(list(only), scale, workers, report=assemble.build)
