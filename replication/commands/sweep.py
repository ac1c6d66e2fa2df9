"""Run EASY on a grid of logs, loads, badnesses and seeds, and write one table.

Each point of the grid with all its seeds is a task; its rows are kept in --folder, so that a sweep that was
stopped goes on where it was, and one with more values runs only what is new. A row has the measures of one
simulation, in columns log, load, model, amount (f), e_max, seed and those of replication.core.cells.

Examples:
  replication sweep KTH-SP2 --f 0:10:1 --seeds 10 --out kth.csv
  replication sweep KTH-SP2 SDSC-SP2 --model deterministic --f 0 1 4 --load log 0.56 0.84 --out loads.parquet
  replication sweep CTC-SP2 --model log --f 1 2 --watch --out doubled.csv --json
  replication sweep my-log.swf.gz --f 0 2 --e-max 64800 --seeds 5 --workers 4 --out mine.csv

Exit codes: 0 written; 1 a log or a value cannot be used; 2 the command line was refused; 130 interrupted, and
what was done is kept.
"""

import json
import math
import os
from pathlib import Path

from replication.basics import writing
from replication.commands import UsageError
from replication.sweep import kept

MODELS = ("random", "deterministic", "log", "modal")
MOST = 1_000_000  # simulations; a typing mistake in a range should not start a year of work


def add_arguments(parser):
    """Say which grid, and where the table goes."""
    parser.add_argument(
        "traces", nargs="+", metavar="TRACE", help="names of the registry, or paths to SWF files"
    )
    parser.add_argument(
        "--model",
        choices=MODELS,
        default="random",
        help="the estimates: random or deterministic f-model, the log's own times f, or modal "
        "with share f at the E_max (default random)",
    )
    parser.add_argument(
        "--f",
        nargs="+",
        default=["0"],
        metavar="F",
        help="values, or ranges FROM:TO:STEP that end with TO (default 0; for log at least 1)",
    )
    parser.add_argument(
        "--load",
        nargs="+",
        default=["log"],
        metavar="LOAD",
        help="offered loads that submissions are scaled to, as shares; log for the log's own",
    )
    parser.add_argument(
        "--e-max", type=int, metavar="SECONDS", help="no run and no estimate is longer"
    )
    parser.add_argument(
        "--seeds",
        type=int,
        default=1,
        metavar="N",
        help="seeds 1 to N of each point, where the model draws at random (default 1)",
    )
    parser.add_argument("--paper", help="use a paper's rules for the logs")
    parser.add_argument(
        "--watch", action="store_true", help="also wild backfills, delays and SJFness"
    )
    parser.add_argument(
        "--workers",
        type=int,
        default=os.cpu_count() or 1,
        metavar="N",
        help="threads that simulate (default: all processors)",
    )
    parser.add_argument(
        "--folder",
        type=Path,
        default=kept.RESULTS,
        metavar="FOLDER",
        help="where rows are kept between runs (default build/results)",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the table: .csv or .parquet")
    parser.add_argument("--json", action="store_true", help="print what was done as JSON")


def main(args):
    """Run what is missing, write the table, and say what was done."""
    from replication.sweep import grid as sweep

    _check(args)
    f, loads = (
        [value for word in args.f for value in numbers(word)],
        [_load(word) for word in args.load],
    )
    if args.model == "log" and min(f) < 1:
        raise UsageError(f"--f {min(f):g} with --model log, allowed: 1 or more")
    count = len(args.traces) * len(loads) * len(f) * len(_seeds(args))
    if count > MOST:
        raise UsageError(f"{count:,} simulations, allowed: up to {MOST:,}")
    tasks = [task for name in args.traces for task in _tasks(name, loads, f, args)]
    table = sweep.run(tasks, args.workers, folder=args.folder)
    with writing.opened(args.out, args.traces) as file:
        file.write(
            writing.frame_csv(table) if args.out.endswith(".csv") else table.to_parquet(index=False)
        )
    found = {
        "simulations": len(table),
        "points": len(tasks),
        "out": args.out,
        "columns": list(table.columns),
        "stand_in": bool(table["stand_in"].any()),
    }
    print(json.dumps(found, indent=2) if args.json else "\n".join(_lines(found)))
    return 0


def _check(args):
    if not args.out.endswith((".csv", ".parquet")):
        raise UsageError(f"--out {args.out}, allowed: a name that ends in .csv or .parquet")
    for name, value in (
        ("--seeds", args.seeds),
        ("--workers", args.workers),
        ("--e-max", args.e_max),
    ):
        if value is not None and value < 1:
            raise UsageError(f"{name} {value}, allowed: 1 or more")
    writing.check(args.out, args.traces)
    if args.model == "modal" and args.e_max is None:
        raise UsageError("--model modal needs --e-max SECONDS")


def numbers(word):
    """The numbers that a word means.

    Parameters
    ----------
    word : str
        A number, or FROM:TO:STEP.

    Returns
    -------
    list of float
        Of a range both ends, where the step leads to the second.

    Raises
    ------
    replication.commands.UsageError
    """
    try:
        values = [float(part) for part in word.split(":")]
    except ValueError:
        values = []
    good = all(math.isfinite(value) and value >= 0 for value in values)
    if good and len(values) == 1:
        return values
    if good and len(values) == 3 and values[2] > 0 and values[0] <= values[1]:
        first, last, step = values
        steps = math.floor((last - first) / step + 1e-9)
        if steps < MOST:
            # 0:10:0.1 has 0.3, not 0.30000000000000004: the seed's key is made of the number itself.
            return [round(first + k * step, 10) for k in range(steps + 1)]
    raise UsageError(
        f"--f {word}, allowed: a number from 0, or FROM:TO:STEP with fewer than {MOST:,} values"
    )


def _load(word):
    """A load as the table calls it, and as a share or None for the log's own."""
    try:
        value = None if word == "log" else float(word)
    except ValueError:
        value = math.nan
    if value is not None and not 0 < value <= 2:
        raise UsageError(f"--load {word}, allowed: log, or a share above 0 and up to 2")
    return word, value


def _seeds(args):
    """One is enough where nothing is random."""
    return range(1, args.seeds + 1) if args.model in ("random", "modal") else [1]


def _tasks(name, loads, f, args):
    from replication.estimates import cut_runs
    from replication.logs import traces
    from replication.sweep import grid as sweep

    whole = traces.load(name, paper=args.paper)
    if args.e_max is not None:
        whole = cut_runs(whole, args.e_max)
    seeds = tuple(_seeds(args))
    for word, load in loads:
        workload = whole if load is None else whole.scaled(whole.load / load)
        for amount in f:
            yield sweep.Task(workload, word, args.model, amount, seeds, args.e_max, args.watch)


def _lines(found):
    if found["stand_in"]:
        yield "Generated stand-ins took the place of logs that are not here; they prove nothing."
    yield f"{found['simulations']:,} simulations of {found['points']:,} points, written to {found['out']}"
