"""Run one scheduler on one trace and write the schedule as a table.

Examples:
  replication simulate KTH-SP2 --scheduler easy --estimates f=2 --seed 1 --out jobs.csv
  replication simulate my-log.swf.gz --processors 128 --size allocated --out -
  replication simulate KTH-SP2 --scheduler pv-easy --option predictor=last --option mode=suspend
  replication simulate KTH-SP2 --out waits.swf
  replication simulate KTH-SP2 --out easy_jobs.csv --format batsim
"""

import contextlib
import json
import sys

from replication.basics import writing
from replication.commands.traces import add_rules, chosen_rules
from replication.estimates import EstimateModel
from replication.schedule import text
from replication.schedule.formats import FORMS
from replication.schedulers import Scheduler


def add_arguments(parser):
    """Say which trace, which scheduler, what it is told, and where the table goes."""
    parser.add_argument(
        "trace", metavar="TRACE", help="a name from the registry, or a path to an SWF file"
    )
    parser.add_argument(
        "--scheduler",
        default="easy",
        metavar="NAME",
        help=f"one of: {text.forms(Scheduler)} (default easy); options may follow, as in "
        "easy:predictor=last,correction=now",
    )
    parser.add_argument(
        "--estimates",
        default="log",
        metavar="MODEL",
        help=f"one of: {text.forms(EstimateModel)}; each may be followed by ,emax=SECONDS "
        "(default log)",
    )
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="an option of the scheduler's own; a wrong name is answered with the right ones",
    )
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of the random models (default 1)"
    )
    add_rules(parser)
    parser.add_argument(
        "--out",
        metavar="FILE",
        help="write the schedule: SWF for .swf or .swf.gz, else CSV; - is standard output",
    )
    parser.add_argument(
        "--format", choices=FORMS, help="what to write instead: see docs/formats.md"
    )
    parser.add_argument("--json", action="store_true", help="print the measures as JSON")


def main(args):
    """Simulate, write the table, and say what was left out and what came of it."""
    from replication.logs import traces
    from replication.schedule import formats
    from replication.schedule.simulation import simulate

    writing.check(args.out or writing.STANDARD_OUTPUT, [args.trace])
    with _without_linear_algebra():
        workload = traces.load(args.trace, **chosen_rules(args))
        schedule = simulate(
            workload,
            text.scheduler(_with_options(args.scheduler, args.option)),
            text.estimates(args.estimates),
            args.seed,
        )
    aside = sys.stderr if args.out == "-" else sys.stdout
    if args.out:
        formats.write(schedule, args.out, args.format)
    if args.json:
        print(
            json.dumps(
                {
                    "trace": workload.name,
                    "machine": workload.machine,
                    "stand_in": workload.stand_in,
                    "cleaning": dict(workload.cleaning),
                    **schedule.provenance,
                    "measures": schedule.measures,
                },
                indent=2,
            ),
            file=aside,
        )
    else:
        print("\n".join(summary(schedule)), file=aside)
    return 0


def _with_options(scheduler, words):
    """The scheduler's text with options of its own behind it."""
    if not words:
        return scheduler
    return scheduler + ("," if ":" in scheduler else ":") + ",".join(words)


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
    from replication.schedule.measures import NAMES

    workload = schedule.workload
    told = schedule.provenance
    yield f"{workload!r}, {told['scheduler']}, estimates {told['estimates']}, seed {told['seed']}"
    for rule, count in workload.cleaning:
        yield f"  {count:>10,}  {rule}"
    for name, value in schedule.measures.items():
        yield (
            f"  {value:>10,.4g}  {NAMES[name]}"
            if isinstance(value, float)
            else f"  {value:>10,}  {NAMES[name]}"
        )
