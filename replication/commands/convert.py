"""Turn the accounting log of a batch system, or a table of jobs, into a log in SWF.

Users, groups and job names become numbers by a keyed hash. What was left out, what was decided and what was
assumed is printed, and the assumptions stand in the new file's header.

Examples:
  sacct --allusers --duplicates --parsable2 --starttime 2026-01-01 --endtime now --format \\
    JobID,JobIDRaw,User,Group,Partition,State,Submit,Start,End,Elapsed,Timelimit,ReqCPUS,AllocCPUS \\
    > sacct.txt
  replication convert slurm sacct.txt --out mine.swf --time-zone Europe/Berlin --processors 4096
  replication convert slurm sacct.txt --out mine.swf.gz --key-file key.txt --json
  replication convert table eagle_data.parquet --map eagle --out eagle.swf.gz
  replication convert torque accounting/201912?? --out bw.swf --processors 704032 --key-file key.txt

Exit codes: 0 converted; 1 the log cannot be used; 2 the command line was refused.
"""

import click

from replication.cluster import tables
from replication.cluster.accounting import slurm as sacct
from replication.cluster.accounting import torque as pbs
from replication.commands import _options as shared
from replication.simulator import swf

swf_file = shared.output("The SWF file to write; .gz compresses it.", required=True)
account = shared.as_json("Say what was done")
written = shared.options(swf_file, account, shared.machine)


@shared.file("log", metavar="FILE")
@written
@shared.parts
def slurm(log, out, as_json, **given):
    """What sacct --parsable2 writes, with any columns in any order, gzipped or not; - is standard input."""
    known = shared.for_conversion(out, [log], **given)
    return _written(sacct.convert(log, **known), out, as_json)


@shared.file("logs", nargs=-1, required=True, metavar="FILE...")
@written
def torque(logs, out, as_json, **given):
    """Accounting logs of TORQUE or PBS, of one machine, gzipped or not; - is standard input."""
    known = shared.for_conversion(out, logs, **given)
    return _written(pbs.convert(list(logs), **known), out, as_json)


@shared.file("table", metavar="FILE")
@swf_file
@click.option(
    "--map",
    "by",
    required=True,
    metavar="FILE",
    help="What the columns are: a map in TOML, or the name of a ready one "
    "(eagle, fugaku, mustang, pm100, trinity).",
)
@shared.processors("the map's, else the most that were in use at once")
@account
def table(table, out, by, processors, as_json):
    """A CSV or parquet table of jobs, by a map that says which column is what."""
    shared.writable(out, table, by)
    return _written(tables.convert(table, by, processors), out, as_json)


def _written(conversion, out, as_json):
    """Write the SWF file, and give an account."""
    swf.write(out, conversion.without_names)
    shared.say(
        conversion.facts() | {"out": out}, [*conversion.lines(), f"written to {out}"], as_json
    )


ACTIONS = {"slurm": slurm, "torque": torque, "table": table}
