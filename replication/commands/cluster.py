"""Replay a cluster's log, hold it against the log, and advise where the two are alike.

TRACE is what sacct --parsable2 wrote, an accounting log of TORQUE or PBS, an SWF file, or a name of the
registry. docs/cluster.md has the rules by which there is advice or none.

Examples:
  replication cluster sacct.txt --out report.pdf
  replication cluster sacct.txt --out report.pdf --out report.html --out tables.csv
  replication cluster sacct.txt --out report.pdf --partitions batch --processors 4096 --time-zone Europe/Berlin
  replication cluster mine.swf.gz --out report.pdf --size allocated --bad-lines skip
  replication cluster KTH-SP2 --out report.pdf --json

Exit codes: 0 written; 1 the log cannot be used; 2 the command line was refused.
"""

import json
from pathlib import Path

import click

from replication.cluster import log as cluster_log
from replication.cluster import report as cluster_report
from replication.cluster import study as cluster_study
from replication.commands import UsageError
from replication.commands import _options as shared
from replication.simulator import cleaning

ENDINGS = (".pdf", ".html", ".csv")


@click.argument("trace", metavar="TRACE", shell_complete=shared.logs)
@shared.output(
    f"What to write ({', '.join(ENDINGS)}); may be given several times.",
    required=True,
    multiple=True,
)
@click.option(
    "--size",
    type=shared.Word(lambda: cleaning.SIZES),
    help="A job's size (default: allocated for a batch system's log, else requested).",
)
@shared.bad_lines
@shared.machine
@shared.parts
@shared.seed
@shared.as_json("Print the numbers and the advice")
def command(trace, out, size, bad_lines, seed, as_json, **given):
    """Replay, write, and say the advice; a file for each machine where there are several."""
    for path in out:
        if not path.endswith(ENDINGS):
            raise UsageError(f"--out {path}, allowed: a name that ends in {', '.join(ENDINGS)}")
        shared.writable(path, trace)
    known = shared.for_conversion(out[0], [trace], **given)
    cases = cluster_log.machines(trace, size=size, bad_lines=bad_lines, **known)
    facts, lines = [], []
    for case in cases:
        report = cluster_report.Report(cluster_study.study(case, seed))
        paths = [_named(path, case, cases) for path in out]
        for path in paths:
            shared.writable(path, trace)
            report.write(path)
        facts.append(_facts(report, paths))
        lines += [*_lines(report, paths), ""]
    shared.say(facts[0] if len(facts) == 1 else facts, lines[:-1], as_json)


def _named(path, case, cases):
    """A file of its own for each of several machines."""
    path = Path(path)
    return str(path.with_stem(f"{path.stem}-{case.workload.name}") if len(cases) > 1 else path)


def _facts(report, out):
    case, found = report.found.case, report.found
    tables = {"replay": found.held}
    tables |= {name: getattr(report, name) for name in cluster_report.TABLES}
    return {
        "trace": case.workload.name,
        "stand_in": case.workload.stand_in,
        "form": case.form,
        "jobs": len(case.workload),
        "processors": case.workload.machine,
        "estimated": case.estimated,
        "nearness": None if found.near is None else found.near.to_dict(),
        "withheld": found.withheld,
        "assumed": list(case.assumed),
        "counted": dict(case.counted),
        "advice": [" ".join(part) for part in report.advice],
        "out": out,
    } | {
        name: json.loads(table.to_json(orient="records", double_precision=15, default_handler=str))
        for name, table in tables.items()
        if table is not None
    }


def _lines(report, out):
    yield from report.notices
    yield from (report.subtitle, "", report.likeness, "")
    for heading, words in report.advice:
        yield from (f"{heading} {words}", "")
    yield from (f"assumed: {sentence}" for sentence in report.found.case.assumed)
    yield from (f"{count:>12,}  {what}" for what, count in report.found.case.counted)
    yield f"written to {', '.join(out)}"
