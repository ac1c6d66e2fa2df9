#!/usr/bin/env python3
"""Run the schedulers that are installed on the logs, and compare with the committed results.

Writes the rows that ran to results.csv again, and the table of the README. The exit code is 3 if a
start differs from the committed one.
"""

import argparse
import csv
import json
import shlex
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from conformance import cli, suite  # noqa: E402
from conformance.rules import Rules  # noqa: E402

RESULTS = HERE / "results.csv"
HEADER = ["row", "program", "version", "level", "rules", "log", "sentence", "expected", "starts"]
DIFFERENT = 3


def version(package, root):
    """Return the version of a Debian package without Debian's revision, or None."""
    command = [
        "dpkg-query",
        "--admindir",
        f"{root or ''}/var/lib/dpkg",
        "-W",
        "-f",
        "${Version}",
        package,
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    except FileNotFoundError:
        return None
    return done.stdout.split("-")[0].split("+")[0] or None


def starts(times):
    """Return the starts of jobs as a text: job:start, in the order of the jobs."""
    return " ".join(f"{job}:{times[job]:g}" for job in sorted(times))


def run(row, installed, root):
    """Return the lines of a row of `rows.json`, a list of lists."""
    command = f"{shlex.quote(sys.executable)} {HERE / row['module']} {{swf}} {{out}} {row['words']}"
    command += f" --root {shlex.quote(root)}" if root else ""
    lines = []
    for log, rules in suite.choose(row["level"], Rules.parse(row["rules"].split())):
        if log.name in row.get("logs", [log.name]):
            (result,) = suite.test(lambda *pair: suite.run_program(command, *pair), [(log, rules)])
            lines.append([
                row["row"], row["program"], installed, row["level"], str(rules), log.name,
                log.sentence, "yes" if result.passed else "no", starts(result.given),
            ])  # fmt: skip
            print(*lines[-1][:3], log.name, lines[-1][-2], flush=True)
    return lines


def table(lines, rows):
    """Return the lines of the table of the README.

    Parameters
    ----------
    lines : list of list of str
        Of results.csv.
    rows : list of dict
        Of rows.json.
    """
    text = [
        "| program | settings | level | rules stated | logs as expected | sentences not kept, and "
        "what keeps them |",
        "|---|---|---|---|---:|---|",
    ]
    for row in rows:
        for release in sorted(
            {line[2] for line in lines if line[0] == row["row"] and fits(row, line[2])}
        ):
            logs = [line for line in lines if line[0] == row["row"] and line[2] == release]
            passed = sum(line[7] == "yes" for line in logs)
            name, rules = f"{row['program']} {release}", f"`{row['rules']}`" if row["rules"] else ""
            cells = [name, row["settings"], f"`{row['level']}`", rules, f"{passed} of {len(logs)}"]
            text.append("| " + " | ".join([*cells, row["broken"]]) + " |")
    return text


def fits(row, installed):
    """Return whether a row is about this version of its program."""
    return installed is not None and installed.startswith(row.get("versions", ""))


def main():
    """Run the command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("rows", nargs="*", metavar="ROW", help="of rows.json; by default all")
    parser.add_argument(
        "--root",
        action="append",
        default=[],
        metavar="FOLDER",
        help="a folder of root.sh; by default the machine's programs",
    )
    parser.add_argument("--table", action="store_true", help="write the table alone")
    args = parser.parse_args()
    rows = json.loads((HERE / "rows.json").read_text(encoding="utf-8"))
    with RESULTS.open(encoding="utf-8", newline="") as file:
        results = {(line[0], line[2], line[5]): line for line in list(csv.reader(file))[1:]}
    committed = dict(results)
    write(results, rows)
    for root in [] if args.table else args.root or [None]:
        for row in rows:
            installed = version(row["package"], root)
            if fits(row, installed) and row["row"] in (args.rows or [row["row"]]):
                lines = run(row, installed, root)
                results.update(((line[0], line[2], line[5]), line) for line in lines)
                write(results, rows)
    changed = [key for key, line in results.items() if committed.get(key) != line]
    for key in changed:
        print("differs:", *key, (committed.get(key) or ["no result"])[-1], "now", results[key][-1])
    return DIFFERENT if changed else 0


def write(results, rows):
    """Write results.csv, and the table of the README between its marks."""
    order = [row["row"] for row in rows]
    lines = sorted(results.values(), key=lambda line: (order.index(line[0]), line[2]))
    cli.write(RESULTS, "\n".join(",".join(line) for line in [HEADER, *lines]) + "\n")
    path, start, end = HERE.parent / "README.md", "<!-- schedulers -->", "<!-- /schedulers -->"
    text = path.read_text(encoding="utf-8")
    before, after = text.split(start)[0], text.split(end)[1]
    cli.write(path, "\n".join([before + start, *table(lines, rows), end]) + after)


if __name__ == "__main__":
    sys.exit(main())
