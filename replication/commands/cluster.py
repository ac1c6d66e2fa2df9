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

import click

from replication.commands import Command, UsageError
from replication.commands import _options as shared
from replication.commands._rooms import cleaning, cluster_log, cluster_report, cluster_study


@click.command(cls=Command, help=__doc__)
@click.argument("trace", metavar="TRACE", shell_complete=shared.logs)
@shared.output("The PDF to write.", required=True)
@click.option(
    "--size",
    type=shared.Word(lambda: cleaning.SIZES),
    help="A job's size (default: allocated for a batch system's log, else requested).",
)
@shared.bad_lines
@shared.machine
@shared.parts
@shared.seed
@shared.as_json("Print the numbers and recommendation")
def command(trace, out, size, bad_lines, seed, as_json, **given):
    """Replay, write the PDF, and say the recommendation."""
    if not out.endswith(".pdf"):
        raise UsageError(f"--out {out}, allowed: a name that ends in .pdf")
    known = shared.for_conversion(out, [trace], **given)
    case = cluster_log.load(trace, size=size, bad_lines=bad_lines, **known)
    report = cluster_report.Report(cluster_study.study(case, seed))
    report.write(out)
    shared.say(_facts(report, out), _lines(report, out), as_json)
    return 0


def _facts(report, out):
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
        "out": out,
    } | tables


def _lines(report, out):
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
    yield f"written to {out}"
