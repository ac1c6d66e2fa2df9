"""The command line: ``python -m replication COMMAND ...``, installed as ``replication``."""

import atexit
import gc
import json
import os
import sys
import warnings
from collections.abc import Callable
from functools import reduce
from pathlib import Path

import click
import numba
import pandas as pd
from pandas.api.types import is_float_dtype, is_string_dtype

from replication import __version__
from replication.simulator import writing
from replication.simulator.drop_rules import DEFAULT_DROP, DROP_RULES
from replication.simulator.errors import InputError
from replication.simulator.estimates import EstimateModel
from replication.simulator.logs import registry, swf
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules import measures
from replication.simulator.sweeps import grid
from replication.simulator.text import import_module

PROGRAM = "replication"
FAILED, REFUSED, INTERRUPTED, OUTPUT_CLOSED = 1, 2, 130, 141
TRIMS = {"ends": True, "none": False}
SETTINGS = {"help_option_names": ["-h", "--help"], "show_default": True}
FILE, PATH = click.Path(readable=False), click.Path(path_type=Path)


opt, arg = click.option, click.argument
EPILOG = (
    "Exit codes: 0 done; 1 the work failed, or verdicts changed; 2 wrong input; 130 interrupted."
)


@click.group(PROGRAM, epilog=EPILOG, context_settings=SETTINGS)
@click.version_option(__version__, message="%(prog)s %(version)s")
@opt("--debug", is_flag=True, help="Show where an error comes from.")
@opt("--import", "imports", multiple=True, type=PATH, help="Import schedulers of your own.")
def shell(debug, imports) -> None:
    """Replicate three papers on batch scheduling with unknown run times."""
    for path in imports:
        import_module(path)
    if numba.config.DISABLE_JIT:
        raise click.UsageError("NUMBA_DISABLE_JIT is set; the kernels run only if compiled")


as_json = opt("--json", "as_json", is_flag=True, help="Print JSON.")
workers = opt("--workers", type=click.IntRange(1), help="Simulations at once.")
log = arg("log", type=FILE)
seed = opt("--seed", type=click.IntRange(0), default=1)
trim = opt("--trim", type=click.Choice([*TRIMS]), default="ends", help="none: measure all jobs.")
DROP = f"Jobs to leave out besides the default; '' for none: {', '.join(DROP_RULES)}."
KEEP = f"Jobs to keep; by default left out: {', '.join(DEFAULT_DROP)}."
SMALLER = "Accept fewer processors than the log's jobs had in use at once."


def add_options(*options) -> Callable:
    """Return a decorator that adds several options to a command."""
    return lambda command: reduce(lambda decorated, add: add(decorated), options, command)


cleaning_options = add_options(
    opt("--drop", metavar="RULES", help=DROP),
    opt("--keep", metavar="RULES", default="", help=KEEP),
    opt("--processors", "machine", type=click.IntRange(1), help="Size of the machine."),
    opt("--smaller-machine", is_flag=True, help=SMALLER),
    opt("--paper", metavar="NAME", help="Use the rules of a paper for the log."),
    opt("--bad-lines", type=click.Choice(swf.BAD_LINES), help="Lines that cannot be jobs."),
    opt("--times", type=click.Choice(swf.TIMES), help="Fractions of seconds, else an error."),
)


@shell.command()
@log
@opt("--scheduler", default="easy", help="Such as pv-easy or 'EASY(predictor=Last())'.")
@opt("--estimates", default="users", help="Such as perfect, f-model=2 or 'FModel(9, e_max=64800)'.")
@opt("--load", default="log", help="Offered load, a share such as 0.9, or log for its own.")
@seed
@trim
@opt("--out", type=FILE, help="The schedule: SWF for .swf(.gz), else CSV; - for standard output.")
@as_json
@cleaning_options
def simulate(log, scheduler, estimates, load, seed, trim, out, as_json, **rules) -> None:
    """Run one scheduler on LOG, and print its measures.

    LOG is a name ('replication logs list') or an SWF file. The measures leave out the first 1 % of
    jobs to end and those that end after the last submission; --trim none measures all.
    """
    from replication.simulator import simulation

    scheduler, model = Scheduler.check(scheduler), EstimateModel.check(estimates)
    if out:
        writing.check(out, [registry.file_of(log)])
    more = ["requested_time"] if getattr(model, "missing", None) == "longest" else []
    workload = registry.load(log, more=more, **rules)
    workload = grid.Jobs(workload, grid.check_load(_number(load))).scaled
    schedule = simulation.simulate(workload, scheduler, model, seed)
    if out:
        is_swf = out.endswith((".swf", ".swf.gz"))
        schedule.write_swf(out) if is_swf else schedule.write_csv(out)
    values = schedule.measured(TRIMS[trim])
    facts = {"log": workload.name, "machine": workload.machine, "stand_in": workload.stand_in}
    facts |= {"cleaning": dict(workload.cleaning), **schedule.provenance}
    facts |= {"trim": trim, "measures": values, "warnings": values.warnings}
    lines = [f"{workload!r}, {facts['scheduler']}, estimates {facts['estimates']}, seed {seed}"]
    lines += [f"  {count:>10,}  {rule}" for rule, count in workload.cleaning]
    lines.append(f"{measures.trim_effect(schedule, TRIMS[trim])}:")
    lines += [f"  {line}" for line in repr(values).splitlines()]
    lines += [f"schedule written to {out}"] if out and out != "-" else []
    _print(facts, lines, as_json, err=out == "-")


notebooks = add_options(
    opt("--only", multiple=True, metavar="ITEM", help="Folder or folder/item, see --list; repeat."),
    opt("--scale", type=click.Choice(["paper", "quick"]), help="quick: fewer jobs and runs."),
    opt("--set", "settings", multiple=True, metavar="NAME=YAML", help="Such as f_max=2."),
    opt("--list", "listing", is_flag=True, help="List the items and do nothing else."),
    workers,
)


@shell.command()
@notebooks
def figures(**options) -> int:
    """Run the notebooks of the papers' tables, figures and claims.

    The paths of the pictures are printed.
    """
    return _run(are_studies=False, **options)


@shell.command()
@notebooks
def studies(**options) -> int:
    """Run the notebooks of our own studies.

    The paths of the pictures are printed.
    """
    return _run(are_studies=True, **options)


def _items(are_studies):
    """Return the names of the notebooks in records by those in the shell."""
    from replication.report import record, results

    names = results.studies() if are_studies else results.notebooks()
    return {name.removeprefix(record.STUDY): name for name in names}


def _setting(text):
    """Return the name and the value of ``NAME=YAML``, read as by papermill's option ``-y``."""
    import yaml

    name, _, value = text.strip().partition("=")
    try:
        return name, yaml.safe_load(value)
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise click.UsageError(f"--set {text}: {problem}; expected NAME=YAML") from None


def _run(are_studies, only, scale, settings, listing, workers):
    from replication.report import record

    if listing:
        lines = (f"{name:28} {record.title(key)}" for name, key in _items(are_studies).items())
        return click.echo("\n".join(lines))
    from replication.report import run

    parameters = dict(map(_setting, settings))
    return run.figures(only, scale, workers, parameters, are_studies)


@shell.command()
@opt("--standalone", is_flag=True, help="One file with all pictures and notebooks, to send.")
def report(standalone) -> int:
    """Build the report from the recorded results.

    The last lines name the results that differ from those of the last commit; then the exit code
    is 3.
    """
    from replication.report import assemble, rerun
    from replication.report.run import DIFFERS
    from replication.verdicts.published import EvidenceError

    answers, code = _compared_with_commit(), 0
    try:
        click.echo(f"report: {assemble.build(standalone)}")
    except EvidenceError as error:
        code = FAILED
        click.echo(f"no report: {error}")
    click.echo("\n".join(rerun.summary(answers)) if answers else "nothing drawn at paper scale")
    return code or (DIFFERS if _differing(answers) else 0)


@shell.command()
@as_json
def check(as_json) -> int:
    """List the results and verdicts that differ from those of the last commit.

    Each verdict is recomputed from the evidence of the notebooks; nothing is simulated. The
    parameters and logs of each record are compared with its notebook and the registered logs.
    """
    from replication.report import rerun, results
    from replication.verdicts import evidence

    answers = _compared_with_commit()
    differing, compared = _differing(answers), rerun.summary(answers)
    try:
        recorded = results.collect("paper")
    except evidence.EvidenceError as error:
        _print({"error": str(error), "differing": differing}, [str(error), *compared], as_json)
        return FAILED
    statements = recorded.every("statements")
    changed, source = evidence.changes(statements)
    lines = [f"{' '.join(filter(None, name[1:]))}: {was} -> {now}" for name, was, now in changed]
    unlike = f"{len(changed)} of {len(statements)} verdicts are not those of {source}"
    lines += [unlike if changed else f"{len(statements)} verdicts, all as in {source}"]
    counts = {kind: len(recorded.every(kind)) for kind in ("claims", "numbers")}
    counts["records"] = len(recorded.every("items"))
    said = "{claims} claims and {numbers} numbers from {records} records; nothing was simulated"
    lines.append(said.format(**counts))
    stale = [
        str(file)
        for file, content in evidence.files(statements).items()
        if not file.exists() or file.read_bytes() != content
    ]
    # A changed verdict is named above, and changes these files, too.
    if stale and not changed:
        lines.append(f"{', '.join(stale)}: not what the evidence gives; make report writes it")
    lines += [f"{name}: {reason}" for name, reason in recorded.missing.items()]
    outdated = {*recorded.missing.values()} - {results.NOT_DRAWN}
    facts = {"verdicts": len(statements), "compared_with": source, "changed": changed}
    facts |= {"missing": recorded.missing, "other_files": stale, "differing": differing} | counts
    _print(facts, [*lines, *compared], as_json)
    return FAILED if changed or stale or outdated or differing else 0


def _differing(answers):
    """Return what differs from the last commit, by item."""
    return {name: str(said) for name, said in answers.items() if said.equal is False}


def _compared_with_commit():
    """Return the answers of all results that are drawn at paper scale, by item."""
    from replication.report import record, rerun, results

    names = results.notebooks() | results.studies()
    return rerun.answers(facts for name in names if (facts := record.read("paper", name)))


@shell.group()
def logs() -> None:
    """List and fetch job logs."""


@logs.command("list")
@as_json
def list_logs(as_json) -> None:
    """List the registered logs, and where they are.

    A log that papers simulate on several machines has a row for each: load(NAME, paper=PAPER) takes
    theirs. REPLICATION_TRACES names a folder to look in.
    """
    rows = [
        {
            "name": name,
            "jobs": log.jobs,
            "processors": machine,
            "load": round(log.load * log.processors / machine, 2),
            "papers": papers,
            "path": str(path) if (path := registry.locate(name)) else None,
        }
        for name in registry.names()
        for log in [registry.info(name)]
        for machine, papers in registry.machines(name).items()
    ]
    table = pd.DataFrame(rows).fillna({"path": "not on this machine"})
    table["papers"] = table["papers"].str.join(", ")
    _print(rows, _lines(table), as_json)


@logs.command()
@arg("logs", nargs=-1, metavar="[NAME...]")
def fetch(logs) -> int:
    """Download missing logs, and check the others.

    By default these are the logs of the papers. Each is checked by its SHA-256.
    """
    failed = 0
    for name in logs or [name for name in registry.names() if registry.info(name).papers]:
        try:
            path = registry.locate(name) or registry.fetch(name)
            registry.check(path, registry.info(name).sha256)
            click.echo(f"{name}: {path}, checked")
        except (registry.DownloadError, OSError) as error:
            failed = FAILED
            click.echo(f"{name}: {error}")
    return failed


@shell.command(hidden=True)
def warm() -> None:
    """Compile the kernels of all schedulers and predictors."""
    from replication.simulator import precompilation

    precompilation.warm_all()


def _number(word):
    """Return a word as a number, or as it is."""
    try:
        return float(word)
    except ValueError:
        return word


def _lines(table):
    """Return the lines of a table, its text aligned left and its numbers right."""
    columns = []
    for name, values in table.items():
        cells = [name, *values.map("{:.2f}".format if is_float_dtype(values) else str)]
        width = max(map(len, cells))
        side = "<" if is_string_dtype(values) else ">"
        columns.append([f"{cell:{side}{width}}" for cell in cells])
    return ["  ".join(cells).rstrip() for cells in zip(*columns, strict=True)]


def _print(facts, lines, as_json, err=False):
    if as_json:  # null for nan and infinity, which JSON does not have
        facts = json.loads(json.dumps(facts), parse_constant=lambda word: None)
        lines = [json.dumps(facts, indent=2)]
    click.echo("\n".join(map(_plain, lines)), err=err)


def _plain(text):
    """Return text from an input without what would control the terminal."""
    return "".join(c if c.isprintable() or c == "\n" else repr(c)[1:-1] for c in text)


def main(argv=None) -> int:
    """Run one command, by default that of `sys.argv`, and return its exit code.

    An expected error, and each warning of the package, is one line on standard error; ``--debug``
    shows the traceback of an error.
    """
    argv = sys.argv[1:] if argv is None else list(argv)
    # The garbage collector need not look through imported modules, now or at exit: 0.4 s.
    gc.freeze()
    atexit.register(gc.freeze)
    try:
        with warnings.catch_warnings():
            warnings.showwarning = _warn
            code = shell.main(argv, PROGRAM, standalone_mode=False)
        sys.stdout.flush()
        return code if isinstance(code, int) else 0
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show()
        return REFUSED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    except (KeyboardInterrupt, click.Abort):
        click.echo(f"{PROGRAM}: interrupted", err=True)
        return INTERRUPTED
    except Exception as error:
        if "--debug" in argv or not (message := _message(error)):
            raise
        for line in (*getattr(error, "lines", ()), f"{PROGRAM}: {message}"):
            click.echo(_plain(line), err=True)
        refused = InputError, click.UsageError, FileNotFoundError, IsADirectoryError
        return REFUSED if isinstance(error, refused) else FAILED


def _warn(message, category, filename, lineno, file=None, line=None):
    """Print a warning of the package in one line, others in Python's form."""
    text = f"{PROGRAM}: warning: {' '.join(str(message).split())}"
    if not issubclass(category, UserWarning):
        text = warnings.formatwarning(message, category, filename, lineno, line).rstrip("\n")
    click.echo(_plain(text), err=True)


def _message(error):
    """Return the message of an expected error in one line; empty for a mistake in the code."""
    if isinstance(error, click.ClickException):
        message = " ".join(error.format_message().split())
        if hasattr(error, "command_name"):  # there is none of this name
            message += f" Allowed: {', '.join(error.ctx.command.commands)}."
        return message if len(message) < 1000 else f"{message[:500]} ... {message[-100:]}"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, ModuleNotFoundError):
        return (
            f"{error.name} is not installed for {sys.executable}; "
            "in a checkout run `make setup`, then `source .venv/bin/activate`"
        )
    if isinstance(error, OSError) or type(error).__module__.startswith(f"{PROGRAM}."):
        return " ".join(str(error).split())
    # A note says in which method of a choice of the user an error occurred.
    notes = " ".join(getattr(error, "__notes__", ()))
    return " ".join(f"{notes}: {type(error).__name__}: {error}".split()) if notes else ""
