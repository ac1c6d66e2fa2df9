"""Draw tables and figures from their notebooks, and print where their pictures are.

Without --only, all of them. Results of real logs under the committed parameters go to figures/; the rest goes
below build/. A notebook that fails does not stop the others; the exit code is then 1.

Examples:
  replication figures
  replication figures --only heel_and_toe/fig02 pv_easy --scale quick
"""

import json
import os

import click

from replication.commands import Several
from replication.commands import _options as shared
from replication.report import run
from replication.simulator import engines


@click.option("--only", cls=Several, metavar="ITEM ...", help="heel_and_toe/fig02, or pv_easy.")
@click.option("--scale", metavar="NAME", help="paper, or quick for fewer runs.")
@click.option("--set", "settings", cls=Several, metavar="NAME=JSON", help="Other parameters.")
@shared.workers
@shared.engine
def command(only, scale, settings, workers, engine):
    """Run the notebooks; what cannot be run is refused before any of them starts."""
    if engine is not None:
        # The sweeps of the notebooks read it from the environment.
        os.environ[engines.ENVIRONMENT] = engines.check(engine)
    given = {name: json.loads(value) for name, _, value in (one.partition("=") for one in settings)}
    with shared.refusing(run.PageError):
        return run.figures(list(only), scale, workers, given)
