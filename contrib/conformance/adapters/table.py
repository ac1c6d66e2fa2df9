"""Run the EASY of published simulators on the logs of the suite and on KTH-SP2, and write the table
of the README.

python3 table.py run KTH-SP2-1996-2.1-cln.swf.gz folder=… python2=… [PROGRAM ...]
    runs programs of `programs.json`; each word NAME=VALUE stands for {NAME} in their commands
python3 table.py
    writes the table from `results.json`
"""

import gzip
import json
import sys
from pathlib import Path
from unittest import mock

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from conformance import cli, suite
from conformance.easy import Job
from conformance.rules import Rules, simulate

RESULTS = HERE / "results.json"
HOURS = 12 * 3600  # s that a program may take for the log


class Log:
    """Jobs of a log of the archive: those with a run time, cut at the estimate, and a size.

    Parameters
    ----------
    path : str
    count : int or None
        Number of jobs, the first ones.
    """

    name = "KTH-SP2"

    def __init__(self, path, count=None):
        lines = gzip.open(path, "rt").read().splitlines()
        self.machine = next(int(line.split()[2]) for line in lines if line.startswith("; MaxProcs"))
        rows = [list(map(int, line.split())) for line in lines if not line.startswith(";")]
        self.list = []
        for row in rows:
            size, run_time = row[7] if row[7] > 0 else row[4], min(row[3], row[8])
            if size > 0 and run_time > 0:
                self.list.append((row[0], row[1] - rows[0][1], size, row[8], run_time))
        self.list = self.list[:count]

    def jobs(self):
        """Return the jobs, and the number of processors of the machine."""
        return [Job(*job, place=place) for place, job in enumerate(self.list)], self.machine

    @property
    def swf(self):
        """The text of the log."""
        lines = [f"; MaxProcs: {self.machine}"]
        for number, submit, size, estimate, run_time in self.list:
            fields = (number, submit, -1, run_time, size, -1, -1, size, estimate)
            lines.append(" ".join(map(str, [*fields, *[-1] * 9])))
        return "\n".join(lines) + "\n"


def run(path, names, wanted):
    """Run programs, and write their results."""
    for program in json.loads((HERE / "programs.json").read_text()):
        name = f"{program['program']} {program['commit']}"
        if wanted and name.split()[0] not in wanted:
            continue
        command = program["command"].replace(" run_", f" {HERE}/run_")
        for word, value in names.items():
            command = command.replace("{" + word + "}", value)
        rules, differs = (Rules.parse(program[key].split()) for key in ("rules", "differs"))
        chosen = suite.choose("easy", rules)
        with mock.patch.object(suite, "LONGEST", HOURS):
            answers = [suite.run_program(command, log, rules) for log, rules in chosen]
            log = Log(path, program.get("jobs"))
            starts = suite.run_program(command, log, rules)
        easy, peer = (simulate(*log.jobs(), with_rules) for with_rules in (rules, rules | differs))
        results = json.loads(RESULTS.read_text())
        results[name] = {
            "logs": len(chosen),
            "passed": sum(answer == log.expected(r) for answer, (log, r) in zip(answers, chosen)),
            "explained": sum(
                answer == log.expected(r | differs) for answer, (log, r) in zip(answers, chosen)
            ),
            "jobs": len(easy),
            "differ": sum(starts.get(job) != start for job, start in easy.items()),
            "unexplained": sum(starts.get(job) != start for job, start in peer.items()),
        }
        cli.write(RESULTS, json.dumps(results, indent=1) + "\n")
        print(name, results[name])


def table():
    """Write the table between its marks in the README."""
    lines = [
        "| program | date and commit | what ran | differs from textbook EASY in | KTH-SP2: starts "
        "that differ |",
        "|---|---|---|---|---:|",
    ]
    results = json.loads(RESULTS.read_text())
    for program in json.loads((HERE / "programs.json").read_text()):
        result = results[f"{program['program']} {program['commit']}"]
        name = f"[{program['program']}](https://github.com/{program['where']})"
        share = f"{result['differ']:,} of {result['jobs']:,}"
        if result["differ"]:
            share += f" ({result['differ'] / result['jobs']:.1%})"
        cells = [name, f"{program['date']}, {program['commit']}", program["ran"], program["words"]]
        lines.append("| " + " | ".join([*cells, share]) + " |")
    path = HERE.parent / "README.md"
    start, end = "<!-- simulators -->", "<!-- /simulators -->"
    text = path.read_text(encoding="utf-8")
    before, after = text.split(start)[0], text.split(end)[1]
    cli.write(path, before + start + "\n" + "\n".join(lines) + "\n" + end + after)


if __name__ == "__main__":
    if sys.argv[1:2] == ["run"]:
        assignments = [word for word in sys.argv[3:] if "=" in word]
        named = dict(word.split("=", 1) for word in assignments)
        run(sys.argv[2], named, [word for word in sys.argv[3:] if "=" not in word])
    else:
        table()
