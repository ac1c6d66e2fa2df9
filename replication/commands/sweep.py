"""Run schedulers on a grid of logs, loads, estimates and seeds, and write one table.

Each point of the grid with all its seeds is a task; its rows are stored in --folder, so that a stopped sweep
continues where it was, and an extended one runs only what is new. A row has the measures of one
simulation, in columns log, load, scheduler, estimates, model, its values (such as f and e_max), seed and those
of replication.simulator.measures.

Examples:
  replication sweep KTH-SP2 --f 0:10:1 --seeds 10 --out kth.csv
  replication sweep KTH-SP2 SDSC-SP2 --model deterministic --f 0 1 4 --load log 0.56 0.84 --out loads.parquet
  replication sweep CTC-SP2 --model log --f 1 2 --watch --out doubled.csv --json
  replication sweep KTH-SP2 --scheduler easy easy-by=wfp3,limit=86400 --resampling weeks=8 --seeds 20 --out drawn.csv
  replication sweep KTH-SP2 --scheduler easy pv-easy --predictor last --estimates log f=2 --out both.csv
  replication sweep my-log.swf.gz --f 0 2 --e-max 64800 --seeds 5 --workers 4 --out mine.csv
  replication sweep study.toml --engine tcp://host:8786 --out study.parquet
  replication sweep study.toml --shards 200 --shard $SLURM_ARRAY_TASK_ID

A file that ends in .toml is a study: it says what to run (replication.simulator.study), and may be run in parts by as
many jobs as one likes, on any machines that share --folder. Run without --shard it reads what they have kept,
runs what is missing and writes the table.

Exit codes: 0 written; 1 a log or a value cannot be used, or a task failed; 2 the command line was refused; 130
interrupted. Finished results are stored in every case.
"""

import math
import os
from pathlib import Path

import click

from replication.commands import Several, UsageError
from replication.commands import _options as shared
from replication.simulator import engines, estimates, grid, schedulers, study, text, traces, writing

#: How `--estimates` begins for each `--model`; f follows.
MODELS = {"random": "f", "deterministic": "deterministic", "log": "log:factor", "modal": "modal"}
MOST = 1_000_000  # simulations; a typing mistake in a range should not start a year of work
LATEST = 10**12  # s


@click.argument("names", nargs=-1, required=True, metavar="TRACE...", shell_complete=shared.logs)
@click.option(
    "--scheduler",
    "schedulers",
    cls=Several,
    default=["easy"],
    metavar="NAME ...",
    shell_complete=shared.completing(lambda: text.names(schedulers.Scheduler)),
    help="Who starts when (default easy), as simulate takes it.",
)
@shared.predictor
@click.option(
    "--estimates",
    "said",
    cls=Several,
    metavar="MODEL ...",
    shell_complete=shared.completing(lambda: text.names(estimates.EstimateModel)),
    help="What users say, as simulate takes it, instead of --model, --f and --e-max.",
)
@click.option(
    "--model",
    type=shared.Word(lambda: MODELS),
    default="random",
    help="The estimates: random or deterministic f-model, the log's own times f, or modal with "
    "share f at the E_max (default random).",
)
@click.option(
    "--f",
    "f",
    cls=Several,
    default=["0"],
    metavar="F ...",
    help="Values, or ranges FROM:TO:STEP that end with TO (default 0; for log at least 1).",
)
@click.option(
    "--load",
    "loads",
    cls=Several,
    default=["log"],
    metavar="LOAD ...",
    shell_complete=shared.completing(lambda: ["log"]),
    help="Offered loads that submissions are scaled to, as shares; log for the log's own.",
)
@click.option(
    "--e-max",
    type=shared.Number(1, LATEST),
    metavar="SECONDS",
    help="No run and no estimate is longer.",
)
@click.option(
    "--seeds",
    type=shared.Number(1, MOST),
    default=1,
    help="Seeds 1 to N of each point, where the model draws at random (default 1).",
)
@click.option(
    "--resampling",
    cls=Several,
    default=[],
    metavar="HOW ...",
    help="Draw a workload from each log for every seed: weeks=N or users=N, of so many weeks.",
)
@shared.paper
@shared.bad_lines
@click.option("--watch", is_flag=True, help="Also wild backfills, delays and SJFness.")
@shared.workers
@shared.engine
@click.option("--shards", type=shared.Number(1, MOST), metavar="N", help="Parts of a study.")
@click.option("--shard", type=shared.Number(0, MOST), metavar="K", help="The part to run, from 0.")
@click.option(
    "--folder",
    type=Path,
    metavar="FOLDER",
    help="Where rows are kept between runs (default build/results).",
)
@shared.output("The table: .csv or .parquet; not with --shard.")
@shared.as_json("Print what was done")
def command(names, workers, engine, shards, shard, folder, out, as_json, **asked):
    """Run what is missing, write the table, and say what was done."""
    is_study = names[0].endswith(".toml")
    if (shards is None) != (shard is None):
        raise UsageError("--shards and --shard go together")
    if shard is None and not (out or "").endswith((".csv", ".parquet")):
        raise UsageError(f"--out {out}, allowed: a name that ends in .csv or .parquet")
    if out is not None:
        shared.writable(out, *names)
    if shard is not None and not is_study:
        raise UsageError(
            "--shard is for studies: replication sweep study.toml --shards N --shard K"
        )
    how = workers or os.cpu_count() or 1, engine, folder or engines.RESULTS
    tasks = _of_study(names, asked) if is_study else _of_options(names, **asked)
    if shard is None:
        found, said = _table(tasks, how, out, names)
    else:
        tasks = study.shard(tasks, shard, shards)
        engines.results(tasks, grid.compute, *how)
        found = {"points": len(tasks), "shard": shard, "shards": shards, "folder": str(how[-1])}
        said = [f"{len(tasks):,} points, part {shard} of {shards}, stored in {how[-1]}"]
    shared.say(found, said, as_json)


def _of_study(names, asked):
    """The points of a study, beside which nothing else may be asked for."""
    if len(names) > 1:
        raise UsageError(f"{names[1]}: allowed beside a study: nothing; its logs stand in it")
    if _given_options() & asked.keys():
        raise UsageError(
            f"{names[0]}: a study says itself what to run; allowed beside it: --workers, --engine, "
            "--shards, --shard, --folder, --out and --json"
        )
    return study.read(names[0])


def _of_options(names, schedulers, predictor, said, model, f, loads, e_max, seeds, **more):
    """The points that the options ask for."""
    with shared.refusing(ValueError):
        schedulers = [shared.scheduler_of(words, predictor) for words in schedulers]
        models = [one for word in said or _words(model, f, e_max) for one in study.models_of(word)]
        drawn = [text.resampling(words) for words in more["resampling"]]
    loads = [_load(word) for word in loads]
    seeds = range(1, seeds + 1)
    points = [(scheduler, choice) for choice in models for scheduler in schedulers]
    each = sum(len(seeds if drawn else grid.seeds_of(*point, seeds)) for point in points)
    count = len(names) * len(loads) * each * max(len(drawn), 1)
    if count > MOST:
        raise UsageError(f"{count:,} simulations, allowed: up to {MOST:,}")
    workloads = (
        traces.load(one, paper=more["paper"], bad_lines=more["bad_lines"]) for one in names
    )
    if e_max is not None:
        workloads = (estimates.cut_runs(whole, e_max) for whole in workloads)
    return grid.points(workloads, loads, points, seeds, more["watch"], drawn)


def _given_options():
    """Names of the options that the user gave."""
    context = click.get_current_context()
    given = click.core.ParameterSource.COMMANDLINE
    return {name for name in context.params if context.get_parameter_source(name) == given}


def _words(model, f, e_max):
    """The estimate models of `--model`, `--f` and `--e-max` as `--estimates` takes them."""
    if model == "modal" and e_max is None:
        raise UsageError("--model modal needs --e-max SECONDS")
    for value in f:
        if not set(value) <= set("0123456789.e+:"):
            raise UsageError(
                f"--f {shared.short(value)}, allowed: a number from 0, or FROM:TO:STEP"
            )
    return [f"{MODELS[model]}={value}" + (f",emax={e_max}" if e_max else "") for value in f]


def _load(word):
    """A load: a share, or the word for the log's own."""
    try:
        value = None if word == "log" else float(word)
    except ValueError:
        value = math.nan
    if value is not None and not 0 < value <= 2:
        raise UsageError(
            f"--load {shared.short(word)}, allowed: log, or a share above 0 and up to 2"
        )
    return grid.LOG if value is None else value


def _table(tasks, how, out, names):
    """Write the table; what was done, and in lines."""
    table = grid.run(tasks, *how)
    # Shares and words in one column are no column of a Parquet file.
    table["load"] = table["load"].astype(str)
    with writing.opened(out, names) as file:
        file.write(
            writing.frame_csv(table) if out.endswith(".csv") else table.to_parquet(index=False)
        )
    found = {
        "simulations": len(table),
        "points": len(tasks),
        "out": out,
        "columns": list(table.columns),
        "stand_in": bool(table["stand_in"].any()),
    }
    proves = "Generated stand-ins took the place of logs that are not here; they prove nothing."
    done = f"{len(table):,} simulations of {len(tasks):,} points, written to {out}"
    return found, [*[proves] * found["stand_in"], done]
