"""The command ``replication-cluster``: convert accounting records to SWF."""

import os
from functools import reduce

import click

from replication.simulator import writing
from replication.simulator.errors import InputError
from replication.simulator.logs import swf
from replication_cluster import account, files, names, slurm, tables, torque


class _Group(click.Group):
    """A group whose commands end with one line for an unusable file."""

    def invoke(self, ctx):
        try:
            return super().invoke(ctx)
        except (InputError, OSError) as error:
            raise click.ClickException(str(error)) from error


def _options(*decorators):
    """Combine decorators, in the order of the help text."""
    return lambda command: reduce(lambda inner, outer: outer(inner), decorators[::-1], command)


def _names(ctx, param, text):
    return [name for name in map(str.strip, (text or "").split(",")) if name]


opt = click.option
SKIP = f"Records that cannot be read; up to {account.SKIPPED:.0%} of all can be skipped."
SMALLER = "Accept --processors, or a map's, below the most in use at once."
SIZES = "Sizes that count (default: those that more jobs state)."
SINCE = "Leave out jobs submitted before; auto: before the day on which the first job ended."
ELIGIBLE = "Count waits from when a job became eligible (after holds and dependencies)."
UNIT = "Unit of sizes and of the machine (default: processors where the log has them)."
KEY = "Key of anonymous numbers, created if missing (default: a key that is not kept)."
MAP = f"Meaning of the columns: a TOML file, or one of {', '.join(tables.maps())}."

common = _options(
    click.argument("logs", nargs=-1, required=True),
    opt("--out", metavar="FILE", required=True, help="SWF file; .gz compresses it."),
    opt(
        "--processors",
        type=click.IntRange(1, 10**9),
        help="Size of the machine (default: the most in use at once).",
    ),
    opt("--smaller-machine", is_flag=True, help=SMALLER),
    opt("--sizes", type=click.Choice(account.SIZES), help=SIZES),
    opt("--time-zone", "zone", metavar="NAME", help="Time zone, such as Europe/Berlin."),
    opt("--bad-records", type=click.Choice(account.BAD_RECORDS), default="refuse", help=SKIP),
    opt("--since", metavar="DATE", help=SINCE),
)
batch_system = _options(
    opt("--eligible", is_flag=True, help=ELIGIBLE),
    opt("--size", type=click.Choice(account.COUNTED), help=UNIT),
    opt("--key-file", metavar="FILE", help=KEY),
)
columns = opt("--columns", metavar="NAMES", callback=_names, help="Of files without a header line.")


@click.group(cls=_Group, context_settings={"show_default": True})
@click.version_option(package_name="replication-cluster")
def main():
    """Convert accounting records of Slurm, TORQUE, PBS and Cobalt, and tables of jobs, to SWF.

    \b
    replication-cluster convert slurm sacct.txt --out mine.swf.gz --time-zone Europe/Berlin
    """


@main.group(cls=_Group)
def convert():
    """Convert accounting records, or tables of jobs, to SWF with anonymous names."""


@convert.command("slurm")
@common
@batch_system
@columns
@opt("--cluster", metavar="NAME", help="Only jobs of this cluster.")
@opt("--partitions", metavar="NAMES", callback=_names, help="Only these partitions, by commas.")
def convert_slurm(logs, out, key_file, **options):
    """Convert the output of sacct --parsable2 or --json, one file or several; - is standard
    input.
    """
    _convert(slurm.convert, logs, out, key_file, key=names.read_key(key_file), **options)


@convert.command("torque")
@common
@batch_system
def convert_torque(logs, out, key_file, **options):
    """Convert accounting logs of TORQUE, PBS or Cobalt, or qstat -x -F json, of one machine."""
    _convert(torque.convert, logs, out, key_file, key=names.read_key(key_file), **options)


@convert.command("table")
@common
@columns
@opt("--map", "by", required=True, metavar="FILE", help=MAP)
def convert_table(logs, out, by, **options):
    """Convert tables of jobs with the same map: CSV, JSON, JSON lines or parquet."""
    _convert(tables.convert, logs, out, by, by=by, **options)


def _convert(function, logs, out, further_input, **options):
    """Write the log of a conversion, and print its account."""
    inputs = files.paths_of([*logs, *filter(None, [further_input])])
    with writing.open_output(os.path.expanduser(out), inputs) as file:
        result = function(logs, **options)
        swf.write(file, result.log)
    lines = [*result.lines(), f"written to {out}"]
    click.echo("\n".join(lines), err=out == writing.STANDARD_OUTPUT)
