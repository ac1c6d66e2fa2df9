"""The commands: test a program, audit or compare schedules, show a log."""

import argparse
import csv
import io
import json
import os
import sys
from collections import Counter
from pathlib import Path

from conformance import __version__, audit, charts, formats, report, suite
from conformance.rules import CONVENTIONS, DEFECTS, VALUES, Rules

DIFFERENT, REFUSED = 1, 2


def _parser():
    parser = argparse.ArgumentParser(
        prog="conformance",
        description="Small logs with the schedules that a scheduler must produce, and audits of "
        "any schedule.",
        epilog="Exit codes: 0 as expected; 1 a schedule differs or is impossible; 2 wrong input.",
    )
    version = f"conformance {__version__}, sentences {suite.version()}"
    parser.add_argument("--version", action="version", version=version)
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    rules = argparse.ArgumentParser(add_help=False)
    rules.add_argument(
        "--rule",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a rule that the scheduler follows on purpose, such as events=one-by-one; may be "
        "repeated",
    )
    level = argparse.ArgumentParser(add_help=False)
    level.add_argument("--level", default="easy", help=f"{', '.join(suite.LEVELS)} (default: easy)")
    pages = argparse.ArgumentParser(add_help=False)
    pages.add_argument("--name", default="", help="name of the program on pages")
    pages.add_argument("--html", metavar="FILE", help="write the result as a page of HTML")
    pages.add_argument("--markdown", metavar="FILE", help="write the result as Markdown")
    pages.add_argument("--badge", metavar="FILE.svg", help="write a badge, and FILE.json")
    pages.add_argument("--json", action="store_true", help="print JSON")

    sub = commands.add_parser(
        "test", parents=[level, rules, pages], help="run a program on the logs of a level"
    )
    sub.add_argument(
        "--command",
        dest="program",
        required=True,
        metavar="WORDS",
        help="the program: {swf} becomes a log, {out} the CSV of starts that it writes, {rules} "
        "the rules of the log",
    )
    sub = commands.add_parser(
        "replication",
        parents=[level, rules, pages],
        help="run a scheduler of the package replication on the logs of a level",
    )
    sub.add_argument("scheduler", help="as for replication simulate, such as easy")
    sub.add_argument("--import", dest="imports", action="append", default=[], metavar="FILE")

    sub = commands.add_parser(
        "audit", parents=[rules], help="check a schedule, and name the rule of each start"
    )
    sub.add_argument("schedule", metavar="FILE", help="SWF with waits, a table of Batsim, or CSV")
    sub.add_argument("--processors", type=_whole, metavar="N", help="size of the machine")
    sub.add_argument("--log", metavar="SWF", help="the jobs that were to be scheduled")
    sub.add_argument(
        "--latency", type=_seconds, default=0, metavar="SECONDS",
        help="time that the scheduler may take to start a job that fits",
    )  # fmt: skip
    sub.add_argument("--jobs", metavar="FILE.csv", help="write the rule of each start")
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = commands.add_parser("compare", help="compare two schedules of the same jobs")
    sub.add_argument("first", metavar="A")
    sub.add_argument("second", metavar="B")
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = commands.add_parser("show", help="list the logs, or show one with its schedule")
    sub.add_argument("log", nargs="?", help="name of a log, such as E11a")
    return parser


def _whole(text):
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r}; expected a whole number from 1")
    return int(text)


def _seconds(text):
    try:
        value = float(text)
    except ValueError:
        value = -1
    if not 0 <= value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r}; expected seconds from 0")
    return value


def _test(args):
    rules = Rules.parse(args.rule)
    chosen = suite.choose(args.level, rules, "{rules}" in args.program)
    results = suite.test(lambda *pair: suite.run_program(args.program, *pair), chosen)
    return _report(args, rules, results, args.name or args.program.split()[0])


def _replication(args):
    from conformance import with_replication  # needs another package

    rules = Rules.parse(args.rule)
    run = with_replication.runner(args.scheduler, args.imports)
    results = suite.test(run, suite.choose(args.level, rules))
    return _report(args, rules, results, args.name or args.scheduler)


def _report(args, rules, results, name):
    about = name, args.level, rules
    for path, make in ((args.html, report.html), (args.markdown, report.markdown)):
        if path:
            write(path, make(results, *about))
    if args.badge:
        svg, facts = report.badge(results, *about[1:])
        write(args.badge, svg)
        write(Path(args.badge).with_suffix(".json"), facts)
    if args.json:
        print(json.dumps(report.facts(results, *about), indent=2))
    else:
        print(report.text(results))
    return DIFFERENT if any(not result.passed for result in results) else 0


def write(path, text):
    """Write a file, which has its name only when it is complete."""
    part = f"{path}.part"
    with open(part, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    os.replace(part, path)


def _audit(args):
    rules = Rules.parse(args.rule)
    schedule = formats.read(args.schedule)
    log = formats.read(args.log, is_log=True) if args.log else None
    machine = args.processors or schedule.machine or (log.machine if log else None)
    facts = audit.check(schedule, machine, log)
    if facts["possible"]:
        starts = audit.rules_of_starts(schedule, machine)
        facts["starts"] = {key: 0 for key in audit.STARTS}
        facts["starts"].update(Counter(starts.values()))
        facts["delays"] = audit.delays(schedule, machine, args.latency)
        facts["compared"] = audit.compare_with(schedule, rules, machine)
        facts["same_as"] = []
        if facts["compared"]["first"]:
            same = audit.schedulers_of(schedule, machine)
            facts["same_as"] = [{"rules": str(rules), "jobs": count} for rules, count in same]
        if args.jobs:
            out = io.StringIO()
            table = csv.writer(out, lineterminator="\n")
            table.writerow(["job_id", "start", "rule"])
            for place, run in enumerate(schedule.runs):
                table.writerow([run.name, f"{schedule.seconds(run.start):.10g}", starts[place]])
            write(args.jobs, out.getvalue())
    elif args.jobs:
        raise audit.AuditError(f"--jobs: the schedule is not possible; {args.jobs} not written")
    if args.json:
        print(json.dumps({"file": args.schedule, **facts}, indent=2))
    else:
        print("\n".join(_audit_lines(facts, schedule, args)))
    return DIFFERENT if facts["possible"] is False else 0


def _audit_lines(facts, schedule, args):
    verdict = {True: "possible", False: "IMPOSSIBLE", None: "undecided without --processors"}
    peak = f"at most {facts['peak']:,} processors"
    yield f"{verdict[facts['possible']]}: {facts['jobs']:,} jobs, {peak}"
    sets = "resources not given"
    if facts["with_set"] is not None:
        missing = facts["jobs"] - facts["with_set"]
        sets = f"by the jobs' sets of {facts['resources']:,} different resources"
        sets += f", which {missing:,} jobs lack" * (missing > 0)
    yield f"  by number of processors; {sets}"
    if facts["over_from"] is not None:
        since = f"from {facts['over_from']:.10g} s"
        yield f"  more than {facts['machine']:,} processors are in use {since}"
    for key, text in audit.WRONG.items():
        if facts.get(key):
            yield f"  {facts[key]:,} jobs {text}"
    for pair in facts["shared"][: audit.MOST]:
        yield (
            f"  jobs {' and '.join(pair['jobs'])} hold resource {pair['resource']} from "
            f"{pair['since']:.10g} s to {pair['until']:.10g} s"
        )
    if len(facts["shared"]) > audit.MOST:
        yield f"  {len(facts['shared']) - audit.MOST:,} further pairs of jobs hold one resource"
    if facts["machine"] and (facts["resources"] or 0) > facts["machine"]:
        yield f"  the machine has {facts['machine']:,} processors only"
    for key, text in audit.REMARKS.items():
        if facts[key]:
            yield f"  {facts[key]:,} jobs {text}"
    if facts["in_milliseconds"]:
        yield "  times have fractions of a second; they are counted in milliseconds"
    if "starts" not in facts:
        return
    yield "starts"
    if all(run.estimate < 0 for run in schedule.runs):
        yield "  the file has no estimates: jobs count as planned with their run times"
    for key, text in audit.STARTS.items():
        if facts["starts"][key]:
            yield f"  {facts['starts'][key]:,} {text}"
    late = facts["delays"]
    yield (
        f"  {late['blocked']:,} jobs waited as the one submitted first; another order of the queue "
        "delays it"
    )
    yield (
        f"  {late['head_delayed']:,} jobs of these delayed by later ones, for "
        f"{late['head_delay']:,.6g} s on average"
    )
    if late["idle_delayed"]:
        yield (
            f"  {late['idle_delayed']:,} of these waited although enough processors were idle, for "
            f"{late['idle_delay']:,.6g} s on average"
        )
    if late["within_latency"]:
        yield (
            f"  {late['within_latency']:,} of these could have started earlier by the latency of "
            f"{args.latency:g} s or less"
        )
    compared, difference = facts["compared"], facts["compared"]["first"]
    yield f"compared with {compared['rules']}"
    if difference is None:
        yield "  every start is the same"
        return
    yield f"  {compared['same']:,} of {facts['jobs']:,} starts are the same"
    expected = "never" if difference["expected"] is None else f"{difference['expected']:.10g} s"
    yield (
        f"  the first other one is that of job {difference['job']}, at {difference['start']:.10g} "
        f"s; expected {expected}"
    )
    matches = facts["same_as"][: audit.MOST]
    if not matches:
        yield "  no other scheduler known here makes exactly this schedule"
        return
    count = matches[0]["jobs"]
    starts = "every start" if count == facts["jobs"] else f"every start of the first {count:,} jobs"
    yield f"  {starts} is that of {'; or of '.join(match['rules'] for match in matches)}"


def _compare(args):
    facts = audit.compare(formats.read(args.first), formats.read(args.second))
    if args.json:
        print(json.dumps({"files": [args.first, args.second], **facts}, indent=2))
    else:
        print(f"{facts['matched']:,} jobs in both{': the same schedule' * facts['same']}")
        for key in ("only_first", "only_second", "other_size", "other_run_time"):
            if facts[key]:
                print(f"  {facts[key]:,} jobs: {key.replace('_', ' ')}")
        print(f"  {facts['same_wait']:,} wait equally long")
        for key in ("mean_wait", "mean_bounded_slowdown"):
            a, b = facts[key]
            print(f"  {key.replace('_', ' ')}: {a:,.6g} and {b:,.6g}")
        if facts["first"]:
            a, b = facts["first"]["waits"]
            print(f"  the first other one is job {facts['first']['job']}: {a:g} s and {b:g} s")
    return 0 if facts["same"] else DIFFERENT


def _show(args):
    if args.log is None:
        for level, about in suite.LEVELS.items():
            names = [log.name for log in suite.logs() if log.level == level]
            print(f"{level}: {about}\n  {' '.join(names)}")
        others = sorted(VALUES.keys() - {*CONVENTIONS, *DEFECTS})
        groups = {"conventions": CONVENTIONS, "schedulers": others, "nobody's purpose": DEFECTS}
        for group, names in groups.items():
            print(f"rules, the default first; {group}:")
            for name in names:
                print(f"  {name}: {', '.join(map(str, VALUES[name]))}")
        return 0
    log = next((log for log in suite.logs() if log.name == args.log), None)
    if log is None:
        raise suite.SuiteError(f"log {args.log!r}; 'show' lists the logs")
    print(f"{log.name}: {log.rules}\n  {log.sentence}: {suite.sentences()[log.sentence]}")
    print(f"  The log tells it from: {log.other}.")
    print("\n".join(report.table(log)))
    starts, machine = log.expected(), log.jobs()[1]
    if log.rules["scheduler"] != "pv-easy":
        print(charts.text(report.runs(log, starts, log.rules), machine))
    print("  starts: " + ", ".join(f"job {job} at {at} s" for job, at in starts.items()))
    return 0


def main(argv=None):
    """Run the command, by default with `sys.argv`, and return its exit code."""
    args = _parser().parse_args(argv)
    commands = {"test": _test, "audit": _audit, "compare": _compare, "show": _show}
    commands["replication"] = _replication
    try:
        return commands[args.command](args)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"conformance: {' '.join(str(error).split())}", file=sys.stderr)
        return REFUSED
