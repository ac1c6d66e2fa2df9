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
    words = f"conformance {__version__}, sentences {suite.version()}"
    parser.add_argument("--version", action="version", version=words)
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

    one = commands.add_parser(
        "test", parents=[level, rules, pages], help="run a program on the logs of a level"
    )
    one.add_argument(
        "--command",
        dest="program",
        required=True,
        metavar="WORDS",
        help="the program: {swf} becomes a log, {out} the CSV of starts that it writes, {rules} "
        "the rules of the log",
    )
    one = commands.add_parser(
        "replication",
        parents=[level, rules, pages],
        help="run a scheduler of the package replication on the logs of a level",
    )
    one.add_argument("scheduler", help="as for replication simulate, such as easy")
    one.add_argument("--import", dest="imports", action="append", default=[], metavar="FILE")

    one = commands.add_parser(
        "audit", parents=[rules], help="check a schedule, and name the rule of each start"
    )
    one.add_argument("schedule", metavar="FILE", help="SWF with waits, a table of Batsim, or CSV")
    one.add_argument("--processors", type=_whole, metavar="N", help="size of the machine")
    one.add_argument("--log", metavar="SWF", help="the jobs that were to be scheduled")
    one.add_argument(
        "--latency", type=_seconds, default=0, metavar="SECONDS",
        help="time that the scheduler may take to start a job that fits",
    )  # fmt: skip
    one.add_argument("--jobs", metavar="FILE.csv", help="write the rule of each start")
    one.add_argument("--json", action="store_true", help="print JSON")

    one = commands.add_parser("compare", help="compare two schedules of the same jobs")
    one.add_argument("first", metavar="A")
    one.add_argument("second", metavar="B")
    one.add_argument("--json", action="store_true", help="print JSON")

    one = commands.add_parser("show", help="list the logs, or show one with its schedule")
    one.add_argument("log", nargs="?", help="name of a log, such as E11a")
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


def _test(words):
    rules = Rules.parse(words.rule)
    chosen = suite.choose(words.level, rules, "{rules}" in words.program)
    results = suite.test(lambda *one: suite.run_program(words.program, *one), chosen)
    return _report(words, rules, results, words.name or words.program.split()[0])


def _replication(words):
    from conformance import with_replication  # needs another package

    rules = Rules.parse(words.rule)
    run = with_replication.runner(words.scheduler, words.imports)
    results = suite.test(run, suite.choose(words.level, rules))
    return _report(words, rules, results, words.name or words.scheduler)


def _report(words, rules, results, name):
    about = name, words.level, rules
    for path, make in ((words.html, report.html), (words.markdown, report.markdown)):
        if path:
            write(path, make(results, *about))
    if words.badge:
        svg, facts = report.badge(results, *about[1:])
        write(words.badge, svg)
        write(Path(words.badge).with_suffix(".json"), facts)
    if words.json:
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


def _audit(words):
    rules = Rules.parse(words.rule)
    schedule = formats.read(words.schedule)
    log = formats.read(words.log, is_log=True) if words.log else None
    machine = words.processors or schedule.machine or (log.machine if log else None)
    found = audit.check(schedule, machine, log)
    if found["possible"]:
        starts = audit.rules_of_starts(schedule, machine)
        found["starts"] = {key: 0 for key in audit.STARTS}
        found["starts"].update(Counter(starts.values()))
        found["delays"] = audit.delays(schedule, machine, words.latency)
        found["compared"] = audit.compare_with(schedule, rules, machine)
        found["same_as"] = []
        if found["compared"]["first"]:
            same = audit.schedulers_of(schedule, machine)
            found["same_as"] = [{"rules": str(rules), "jobs": count} for rules, count in same]
        if words.jobs:
            out = io.StringIO()
            table = csv.writer(out, lineterminator="\n")
            table.writerow(["job_id", "start", "rule"])
            for place, run in enumerate(schedule.runs):
                table.writerow([run.name, f"{schedule.seconds(run.start):.10g}", starts[place]])
            write(words.jobs, out.getvalue())
    elif words.jobs:
        raise audit.AuditError(f"--jobs: the schedule is not possible; {words.jobs} not written")
    if words.json:
        print(json.dumps({"file": words.schedule, **found}, indent=2))
    else:
        print("\n".join(_audit_lines(found, schedule, words)))
    return DIFFERENT if found["possible"] is False else 0


def _audit_lines(found, schedule, words):
    verdict = {True: "possible", False: "IMPOSSIBLE", None: "undecided without --processors"}
    peak = f"at most {found['peak']:,} processors"
    yield f"{verdict[found['possible']]}: {found['jobs']:,} jobs, {peak}"
    sets = "resources not given"
    if found["with_set"] is not None:
        missing = found["jobs"] - found["with_set"]
        sets = f"by the jobs' sets of {found['resources']:,} different resources"
        sets += f", which {missing:,} jobs lack" * (missing > 0)
    yield f"  by number of processors; {sets}"
    if found["over_from"] is not None:
        since = f"from {found['over_from']:.10g} s"
        yield f"  more than {found['machine']:,} processors are in use {since}"
    for key, text in audit.WRONG.items():
        if found.get(key):
            yield f"  {found[key]:,} jobs {text}"
    for pair in found["shared"][: audit.MOST]:
        yield (
            f"  jobs {' and '.join(pair['jobs'])} hold resource {pair['resource']} from "
            f"{pair['since']:.10g} s to {pair['until']:.10g} s"
        )
    if len(found["shared"]) > audit.MOST:
        yield f"  {len(found['shared']) - audit.MOST:,} further pairs of jobs hold one resource"
    if found["machine"] and (found["resources"] or 0) > found["machine"]:
        yield f"  the machine has {found['machine']:,} processors only"
    for key, text in audit.REMARKS.items():
        if found[key]:
            yield f"  {found[key]:,} jobs {text}"
    if found["in_milliseconds"]:
        yield "  times have fractions of a second; they are counted in milliseconds"
    if "starts" not in found:
        return
    yield "starts"
    if all(run.estimate < 0 for run in schedule.runs):
        yield "  the file has no estimates: jobs count as planned with their run times"
    for key, text in audit.STARTS.items():
        if found["starts"][key]:
            yield f"  {found['starts'][key]:,} {text}"
    late = found["delays"]
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
            f"{words.latency:g} s or less"
        )
    compared, first = found["compared"], found["compared"]["first"]
    yield f"compared with {compared['rules']}"
    if first is None:
        yield "  every start is the same"
        return
    yield f"  {compared['same']:,} of {found['jobs']:,} starts are the same"
    expected = "never" if first["expected"] is None else f"{first['expected']:.10g} s"
    yield (
        f"  the first other one is that of job {first['job']}, at {first['start']:.10g} s; "
        f"expected {expected}"
    )
    some = found["same_as"][: audit.MOST]
    if not some:
        yield "  no other scheduler known here makes exactly this schedule"
        return
    count = some[0]["jobs"]
    starts = "every start" if count == found["jobs"] else f"every start of the first {count:,} jobs"
    yield f"  {starts} is that of {'; or of '.join(one['rules'] for one in some)}"


def _compare(words):
    found = audit.compare(formats.read(words.first), formats.read(words.second))
    if words.json:
        print(json.dumps({"files": [words.first, words.second], **found}, indent=2))
    else:
        print(f"{found['matched']:,} jobs in both{': the same schedule' * found['same']}")
        for key in ("only_first", "only_second", "other_size", "other_run_time"):
            if found[key]:
                print(f"  {found[key]:,} jobs: {key.replace('_', ' ')}")
        print(f"  {found['same_wait']:,} wait equally long")
        for key in ("mean_wait", "mean_bounded_slowdown"):
            a, b = found[key]
            print(f"  {key.replace('_', ' ')}: {a:,.6g} and {b:,.6g}")
        if found["first"]:
            a, b = found["first"]["waits"]
            print(f"  the first other one is job {found['first']['job']}: {a:g} s and {b:g} s")
    return 0 if found["same"] else DIFFERENT


def _show(words):
    if words.log is None:
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
    log = next((one for one in suite.logs() if one.name == words.log), None)
    if log is None:
        raise suite.SuiteError(f"log {words.log!r}; 'show' lists the logs")
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
    words = _parser().parse_args(argv)
    commands = {"test": _test, "audit": _audit, "compare": _compare, "show": _show}
    commands["replication"] = _replication
    try:
        return commands[words.command](words)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (ValueError, OSError) as error:
        print(f"conformance: {' '.join(str(error).split())}", file=sys.stderr)
        return REFUSED
