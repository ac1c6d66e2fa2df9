"""Replay a cluster's own log under other schedulers and write two pages about it as a PDF.

TRACE is what sacct --parsable2 wrote, an accounting log of TORQUE or PBS, an SWF file, or a name of the
registry.

Examples:
  replication cluster sacct.txt --out report.pdf
  replication cluster sacct.txt --out report.pdf --processors 4096 --time-zone Europe/Berlin
  replication cluster mine.swf.gz --out report.pdf --size allocated
  replication cluster KTH-SP2 --out report.pdf --json

Exit codes: 0 written; 1 the log cannot be used; 2 the command line was refused.
"""

import json

from replication.basics import writing
from replication.commands import UsageError
from replication.commands.convert import add_machine, add_slurm, machine


def add_arguments(parser):
    """Which log, where the PDF goes, and what the log does not say."""
    from replication.logs.cleaning import SIZES

    parser.add_argument(
        "trace",
        metavar="TRACE",
        help="a batch system's log, an SWF file, or a name of the registry",
    )
    parser.add_argument("--out", required=True, metavar="FILE", help="the PDF to write")
    parser.add_argument(
        "--size",
        choices=SIZES,
        help="a job's size (default: allocated for a batch system's log, else requested)",
    )
    add_machine(parser)
    add_slurm(parser)
    parser.add_argument(
        "--seed", type=int, default=1, metavar="N", help="seed of random choices (default 1)"
    )
    parser.add_argument(
        "--json", action="store_true", help="print the numbers and recommendation as JSON"
    )


def main(args):
    """Replay, write the PDF, and say the recommendation."""
    from replication.cluster import log as cluster
    from replication.cluster import report as cluster_report
    from replication.cluster import study as cluster_study

    if not args.out.endswith(".pdf"):
        raise UsageError(f"--out {args.out}, allowed: a name that ends in .pdf")
    writing.check(args.out, [args.trace])
    given = machine(args) | {"cluster": args.cluster, "partitions": _words(args.partitions)}
    case = cluster.load(args.trace, given.pop("processors"), args.size, **given)
    report = cluster_report.Report(cluster_study.study(case, args.seed))
    report.write(args.out)
    print(
        json.dumps(_facts(report, args), indent=2) if args.json else "\n".join(_lines(report, args))
    )
    return 0


def _words(text):
    return [word.strip() for word in (text or "").split(",") if word.strip()]


def _facts(report, args):
    case = report.found.case
    tables = {
        name: json.loads(getattr(report, name).to_json(orient="records", double_precision=15))
        for name in ("overview", "by_size", "by_run_time", "users", "worth")
    }
    return {
        "trace": case.workload.name,
        "stand_in": case.workload.stand_in,
        "form": case.form,
        "jobs": len(case.workload),
        "processors": case.workload.machine,
        "estimates": case.estimates,
        "assumed": list(case.assumed),
        "counted": dict(case.counted),
        "recommendation": [" ".join(part) for part in report.advice],
        "out": args.out,
    } | tables


def _lines(report, args):
    if report.banner:
        yield report.banner
    yield report.subtitle
    yield ""
    for heading, words in report.advice:
        yield f"{heading} {words}"
        yield ""
    for sentence in report.found.case.assumed:
        yield f"assumed: {sentence}"
    for what, count in report.found.case.counted:
        yield f"{count:>12,}  {what}"
    yield f"written to {args.out}"
