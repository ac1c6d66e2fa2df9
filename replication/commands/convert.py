"""Turn the accounting log of a batch system into a log in SWF.

Users, groups and job names become numbers by a keyed hash. What was left out, what was decided and what was
assumed is printed, and the assumptions stand in the new file's header.

Examples:
  sacct --allusers --duplicates --parsable2 --starttime 2026-01-01 --endtime now --format \\
    JobID,JobIDRaw,User,Group,Partition,State,Submit,Start,End,Elapsed,Timelimit,ReqCPUS,AllocCPUS \\
    > sacct.txt
  replication convert slurm sacct.txt --out mine.swf --time-zone Europe/Berlin --processors 4096
  replication convert slurm sacct.txt --out mine.swf.gz --key-file key.txt --json
  replication convert torque accounting/201912?? --out bw.swf --processors 704032 --key-file key.txt

Exit codes: 0 converted; 1 the log cannot be used; 2 the command line was refused.
"""

import json
import sys

from replication.basics import writing


def add_arguments(parser):
    """One action for each batch system."""
    forms = parser.add_subparsers(dest="form", required=True, metavar="slurm|torque")
    slurm = forms.add_parser(
        "slurm", help="what sacct --parsable2 writes, with any columns in any order"
    )
    slurm.add_argument("log", metavar="FILE", help="the log, gzipped or not; - is standard input")
    add_common(slurm)
    add_slurm(slurm)
    torque = forms.add_parser("torque", help="accounting logs of TORQUE or PBS, of one machine")
    torque.add_argument(
        "logs", metavar="FILE", nargs="+", help="the logs, gzipped or not; - is standard input"
    )
    add_common(torque)


def add_common(parser):
    """Options that every batch system's log takes."""
    parser.add_argument(
        "--out", required=True, metavar="FILE", help="the SWF file to write; .gz compresses it"
    )
    parser.add_argument("--json", action="store_true", help="say what was done as JSON")
    add_machine(parser)


def add_machine(parser):
    """Options about the machine and the names; `machine` reads them."""
    parser.add_argument(
        "--processors",
        type=int,
        metavar="N",
        help="size of the machine (default: the most that were in use at once)",
    )
    parser.add_argument(
        "--per-node", type=int, metavar="N", help="processors of a node, for a log with nodes only"
    )
    parser.add_argument(
        "--time-zone", metavar="NAME", help="where the log was written, such as Europe/Berlin"
    )
    parser.add_argument(
        "--key-file",
        metavar="FILE",
        help="key of the names' numbers; made if not there (default: one that is not kept)",
    )


def add_slurm(parser):
    """Options for sacct's output only."""
    parser.add_argument("--cluster", metavar="NAME", help="only this cluster's jobs")
    parser.add_argument(
        "--partitions", metavar="NAMES", help="only jobs of these partitions, by commas"
    )


def machine(args):
    """Keyword arguments of a converter from the options of `add_machine`."""
    from replication.commands import UsageError
    from replication.logs.accounting.anonymous import key_from

    for option in ("processors", "per_node"):
        value = getattr(args, option)
        if value is not None and value < 1:
            raise UsageError(f"--{option.replace('_', '-')} {value}, allowed: 1 or more")
    return {
        "zone": args.time_zone,
        "processors": args.processors,
        "per_node": args.per_node,
        "key": key_from(args.key_file) if args.key_file else None,
    }


def slurm(args):
    """The conversion of sacct's output."""
    from replication.logs.accounting import slurm as converter

    partitions = [name.strip() for name in (args.partitions or "").split(",") if name.strip()]
    return converter.convert(args.log, cluster=args.cluster, partitions=partitions, **machine(args))


def torque(args):
    """The conversion of accounting logs of TORQUE or PBS."""
    from replication.logs.accounting import torque as converter

    return converter.convert(args.logs, **machine(args))


CONVERTERS = {"slurm": slurm, "torque": torque}


def main(args):
    """Convert, write the SWF file, and give an account."""
    from replication.logs import swf

    writing.check(args.out, [args.log] if args.form == "slurm" else args.logs)
    conversion = CONVERTERS[args.form](args)
    swf.write(args.out, conversion.trace)
    if args.json:
        json.dump(conversion.facts() | {"out": args.out}, sys.stdout, indent=2)
        print()
    else:
        print("\n".join(conversion.lines()))
        print(f"written to {args.out}")
    return 0
