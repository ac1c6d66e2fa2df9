"""The command ``replication-cluster``: convert accounting logs to SWF, and report on a cluster's
log.
"""

from functools import reduce

import click

from replication_cluster import conversion, files, slurm, swf, tables, torque
from replication_cluster.case import load
from replication_cluster.report import Report
from replication_cluster.study import study

ENDINGS = (".html", ".csv")
POSITIVE = click.IntRange(1, 10**9)


class _Group(click.Group):
    """A group whose commands end with one line for an unusable file."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (ValueError, OSError) as error:
            raise click.ClickException(str(error)) from error


def _options(*decorators):
    """Combine decorators, in the order of the help text."""
    return lambda command: reduce(lambda inner, outer: outer(inner), decorators[::-1], command)


def _names(ctx, param, text):
    return [name for name in map(str.strip, (text or "").split(",")) if name]


processors = click.option(
    "--processors", type=POSITIVE, help="Size of the machine (default: the most in use at once)."
)
out_file = click.option("--out", metavar="FILE", required=True, help="SWF file; .gz compresses it.")
machine = _options(
    processors,
    click.option("--time-zone", "zone", metavar="NAME", help="Time zone, such as Europe/Berlin."),
    click.option(
        "--key-file",
        metavar="FILE",
        help="Key of anonymous numbers, created if missing (default: a key that is not kept).",
    ),
)
bad_records = click.option(
    "--bad-records",
    type=click.Choice(conversion.BAD_RECORDS),
    default="refuse",
    show_default=True,
    help="Records that cannot be read; up to ten or 1 % can be skipped.",
)
size = click.option(
    "--size",
    type=click.Choice(conversion.SIZE_UNITS),
    help="Unit of sizes and of the machine (default: processors where the log has them).",
)
selection = _options(
    click.option(
        "--columns", metavar="NAMES", callback=_names, help="Columns of a file without header."
    ),
    click.option("--cluster", metavar="NAME", help="Only jobs of this cluster."),
    click.option(
        "--partitions", metavar="NAMES", callback=_names, help="Only these partitions, by commas."
    ),
)


@click.group(cls=_Group)
@click.version_option(package_name="replication-cluster")
def main():
    """Convert accounting logs of Slurm, TORQUE and PBS, and report on a cluster's log.

    \b
    replication-cluster convert slurm sacct.txt --out mine.swf.gz --time-zone Europe/Berlin
    replication-cluster report sacct.txt --out report.html --out tables.csv
    """


@main.group(cls=_Group)
def convert():
    """Convert an accounting log, or a table of jobs, to SWF with anonymous names."""


@convert.command("slurm")
@click.argument("log")
@out_file
@machine
@selection
@size
@bad_records
def convert_slurm(log, out, key_file, **options):
    """Convert the output of sacct --parsable2 or --json; - is standard input."""
    _check(out, log, key_file)
    _write(slurm.convert(log, key=_key(key_file), **options), out)


@convert.command("torque")
@click.argument("logs", nargs=-1, required=True)
@out_file
@machine
@size
@bad_records
def convert_torque(logs, out, key_file, size, **options):
    """Convert accounting logs of TORQUE or PBS, of one machine."""
    _check(out, *logs, key_file)
    size = size or "processors"
    _write(torque.convert([*logs], key=_key(key_file), size=size, **options), out)


@convert.command("table")
@click.argument("table")
@out_file
@click.option(
    "--map",
    "by",
    required=True,
    metavar="FILE",
    help=f"Meaning of the columns: a TOML file, or one of {', '.join(tables.maps())}.",
)
@processors
@bad_records
def convert_table(table, out, by, **options):
    """Convert a CSV or parquet table of jobs."""
    _check(out, table, by)
    _write(tables.convert(table, by, **options), out)


@main.command("report")
@click.argument("log")
@click.option("--out", metavar="FILE", multiple=True, required=True, help="FILE.html or FILE.csv.")
@click.option(
    "--size",
    type=click.Choice(["requested", "allocated", "nodes"]),
    help="Size of a job (default: allocated for an accounting log, else requested).",
)
@click.option("--seed", type=click.IntRange(0), default=1, show_default=True)
@machine
@selection
@bad_records
def report(log, out, size, seed, key_file, **options):
    """Simulate the jobs of LOG under other schedulers and write a report; LOG is SWF or an
    accounting log.

    docs/rules.md states when there is advice.
    """
    for path in out:
        if not path.endswith(ENDINGS):
            raise click.UsageError(f"--out {path}; expected a name that ends in .html or .csv")
    _check(out, log, key_file)
    case = load(log, size=size, key=_key(key_file), **options)
    page = Report(study(case, seed))
    for path in out:
        page.write(path)
    click.echo("\n".join([*_lines(page), f"written to {', '.join(out)}"]))


def _check(out, *inputs):
    for path in [out] if isinstance(out, str) else out:
        files.check_output(path, *(one for one in inputs if one))


def _key(path):
    return conversion.read_key(path) if path else None


def _write(result, out):
    swf.write(out, result.without_names)
    click.echo("\n".join([*result.lines(), f"written to {out}"]))


def _lines(page):
    yield from page.notices
    yield from (page.subtitle, "", page.similarity, "")
    for heading, words in page.advice:
        yield from (f"{heading} {words}", "")
    yield from (f"assumed: {sentence}" for sentence in page.result.case.assumed)
    yield from (f"{count:>12,}  {what}" for what, count in page.result.case.counted)
