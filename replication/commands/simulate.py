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

from replication.commands import UsageError
from replication.commands.traces import add_rules, chosen_rules
from replication.estimates import models as estimates
from replication.schedule.formats import FORMS


def add_arguments(parser):
    """Say which trace, which scheduler, what it is told, and where the table goes."""
    # Imported here: the list of schedulers is needed for --help, the kernels are not.
    from replication.schedule.simulation import SCHEDULERS

    parser.add_argument(
        "trace", metavar="TRACE", help="a name from the registry, or a path to an SWF file"
    )
    parser.add_argument(
        "--scheduler",
        default="easy",
        metavar="NAME",
        help=f"one of {', '.join(SCHEDULERS)} (default easy)",
    )
    parser.add_argument(
        "--estimates",
        default="log",
        metavar="MODEL",
        help=f"one of: {estimates.FORMS} (default log)",
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

    with _without_linear_algebra():
        workload = traces.load(args.trace, **chosen_rules(args))
        schedule = simulate(
            workload, args.scheduler, args.estimates, args.seed, **_options(args.option)
        )
    aside = sys.stderr if args.out == "-" else sys.stdout
    if args.out:
        formats.write(schedule, sys.stdout.buffer if args.out == "-" else args.out, args.format)
    if args.json:
        print(
            json.dumps(
                {
                    "trace": workload.name,
                    "machine": workload.machine,
                    "stand_in": workload.stand_in,
                    "cleaning": dict(workload.cleaning),
                    "scheduler": args.scheduler,
                    "options": schedule.options,
                    "measures": schedule.measures(),
                },
                indent=2,
            ),
            file=aside,
        )
    else:
        print("\n".join(summary(schedule)), file=aside)
    return 0


def _options(words):
    """The scheduler's options from ``name=value`` words; whole numbers become numbers."""
    chosen = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not (name and equals and value):
            raise UsageError(f"--option {word!r}, allowed: NAME=VALUE")
        chosen[name] = int(value) if value.isdecimal() else value
    return chosen


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
    yield f"{workload!r}, scheduler {schedule.scheduler}, estimates {schedule.options['estimates']}"
    for rule, count in workload.cleaning:
        yield f"  {count:>10,}  {rule}"
    for name, value in schedule.measures().items():
        yield (
            f"  {value:>10,.4g}  {NAMES[name]}"
            if isinstance(value, float)
            else f"  {value:>10,}  {NAMES[name]}"
        )
