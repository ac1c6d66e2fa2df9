"""Run one scheduler on one trace and write the schedule as a table.

Examples:
  replication simulate KTH-SP2 --scheduler easy --estimates f=2 --seed 1 --out jobs.csv
  replication simulate my-log.swf.gz --processors 128 --size allocated --out -
  replication simulate KTH-SP2 --scheduler pv-easy --predictor last --option mode=suspend
  replication simulate KTH-SP2 --out waits.swf
  replication simulate KTH-SP2 --out easy_jobs.csv --format batsim
"""

import contextlib
import sys

import click

from replication.commands import _options as shared
from replication.simulator import formats, measures, simulation, text, traces


@click.argument("trace", metavar="TRACE", shell_complete=shared.logs)
@shared.scheduler
@shared.predictor
@shared.model
@click.option(
    "--option",
    "chosen",
    multiple=True,
    metavar="NAME=VALUE",
    help="An option of the scheduler's own; a wrong name is answered with the right ones.",
)
@shared.seed
@shared.rules
@shared.output("Write the schedule: SWF for .swf or .swf.gz, else CSV; - is standard output.")
@click.option(
    "--format",
    "form",
    type=shared.Word(lambda: formats.FORMS),
    help="What to write instead: see docs/formats.md.",
)
@shared.as_json("Print the measures")
def command(trace, scheduler, predictor, model, chosen, seed, out, form, as_json, **given):
    """Simulate, write the table, and say what was left out and what came of it."""
    with shared.refusing(ValueError):
        scheduler = shared.scheduler_of(scheduler, predictor, chosen)
        model = text.estimates(model)
    shared.writable(out, trace)
    with _without_linear_algebra():
        workload = traces.load(trace, **given)
        schedule = simulation.simulate(workload, scheduler, model, seed)
    if out:
        formats.write(schedule, out, form)
    facts = {
        "trace": workload.name,
        "machine": workload.machine,
        "stand_in": workload.stand_in,
        "cleaning": dict(workload.cleaning),
        **schedule.provenance,
        "measures": schedule.measures,
    }
    shared.say(facts, summary(schedule), as_json, aside=out == "-")


@contextlib.contextmanager
def _without_linear_algebra():
    """Keep numba from loading scipy for its BLAS: a third of a second, and no kernel multiplies matrices."""
    name = "scipy.linalg.cython_blas"
    hidden = name not in sys.modules
    if hidden:
        sys.modules[name] = None
    try:
        yield
    finally:
        if hidden:
            del sys.modules[name]


def summary(schedule):
    """What was simulated, what the cleaning rules touched, and the measures, a line each."""
    workload = schedule.workload
    told = schedule.provenance
    yield f"{workload!r}, {told['scheduler']}, estimates {told['estimates']}, seed {told['seed']}"
    for rule, count in workload.cleaning:
        yield f"  {count:>10,}  {rule}"
    yield f"{schedule.trim_effect}:"
    for name, value in schedule.measures.items():
        form = ">10,.4g" if isinstance(value, float) else ">10,"
        yield f"  {value:{form}}  {measures.NAMES[name]}"
