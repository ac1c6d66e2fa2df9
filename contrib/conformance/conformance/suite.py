"""The logs, their schedules and sentences, and a run of a program or a function on them."""

import csv
import json
import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from conformance import formats
from conformance.easy import Job
from conformance.rules import Rules, simulate

ROOT = os.path.dirname(os.path.dirname(__file__))
#: What the logs of a level are about, in the order in which one writes such a scheduler.
LEVELS = {
    "fcfs": "first come, first served",
    "easy": "EASY with the users' estimates",
    "predictions": "EASY with predicted run times",
    "reservations": "EASY with a reservation for each of the first k blocked jobs",
    "conservative": "conservative backfilling",
    "orders": "EASY over an ordered queue",
    "variants": "other reservations, extra processors and candidates of EASY",
    "largest-area-first": "largest area first",
    "pv-easy": "PV-EASY, which preempts jobs",
}
#: Rules of a level other than EASY's.
_BASE = {name: {"scheduler": name} for name in ("fcfs", "conservative", "largest-area-first")}
_BASE = {**_BASE, "reservations": {"reservations": 2}, "pv-easy": {"scheduler": "pv-easy"}}
LONGEST = 300  # s that a program may take for one log
_SECONDS = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


class SuiteError(ValueError):
    """A command that cannot run, or a program that fails or writes no starts; the message names the
    log.
    """


@dataclass(frozen=True)
class Log:
    """A log of the suite.

    Parameters
    ----------
    name : str
    sentence : str
        Number of the sentence that it tests.
    level : str
    rules : conformance.rules.Rules
        Of the scheduler that is asked for.
    other : str
        The interpretation that produces another schedule, in words.
    other_rules : conformance.rules.Rules or None
        The same as rules, where it has some.
    """

    name: str
    sentence: str
    level: str
    rules: Rules
    other: str
    other_rules: Rules = None

    @property
    def swf(self):
        """The text of the log."""
        return read(f"logs/{self.name}.swf")

    def jobs(self):
        """Return the jobs, and the number of processors of the machine."""
        lines = self.swf.splitlines()
        machine = next(int(line.split()[2]) for line in lines if line.startswith("; MaxProcs"))
        rows = [list(map(int, line.split())) for line in lines if not line.startswith(";")]
        return [Job(r[0], r[1], r[7], r[8], r[3], r[11], k) for k, r in enumerate(rows)], machine

    def expected(self, rules=None):
        """Return the start of each job, s, by its number: the stored ones, or those by rules."""
        if rules is None or rules == self.rules:
            rows = csv.DictReader(read(f"schedules/{self.name}.csv").splitlines())
            return {int(row["job_id"]): int(row["start"]) for row in rows}
        return simulate(*self.jobs(), rules)

    def ends(self, starts):
        """Return the end of each job, s, by its number, if it runs once and is not killed."""
        return {job.number: starts[job.number] + job.run_time for job in self.jobs()[0]}


def read(path):
    """Return the text of a file of the package, in a folder or in a zip."""
    return __loader__.get_data(os.path.join(ROOT, *path.split("/"))).decode("utf-8")


@lru_cache(maxsize=None)
def logs():
    """Return all logs, a tuple of Log."""
    entries = json.loads(read("manifest.json"))["logs"]
    for entry in entries:
        for name in ("rules", "other_rules"):
            entry[name] = Rules.of(entry[name]) if name in entry else None
    return tuple(Log(**entry) for entry in entries)


@lru_cache(maxsize=None)
def sentences():
    """Return the text of each sentence by its number."""
    pairs = re.findall(
        r"^- \*\*([A-Z]\d+)\*\* (.*?)(?=\n\n|\n- |\n<!--|\Z)", read("sentences.md"), re.M | re.S
    )
    return {number: " ".join(text.split()) for number, text in pairs}


def version():
    """Return the version of the sentences."""
    return re.search(r"^Version (\S+),", read("sentences.md"), re.M)[1]


def choose(level, rules=Rules(), told=False):
    """Return the logs of a level and the rules that each is to be scheduled with.

    Parameters
    ----------
    level : str
    rules : conformance.rules.Rules
        Rules other than those of the level, which the program states: the level's own logs are
        scheduled with them, and the logs about them are added.
    told : bool
        Whether the program is told the rules of each log, so that all logs of the level can be
        asked for.

    Returns
    -------
    list of (Log, Rules)

    Raises
    ------
    SuiteError
        If the level does not exist or has no such log.
    """
    if level not in LEVELS:
        raise SuiteError(f"--level {level}; expected one of {', '.join(LEVELS)}")
    level_logs = [log for log in logs() if log.level == level]
    plain = Rules.of(_BASE.get(level, {}))
    if told and not rules.chosen:
        return [(log, log.rules) for log in level_logs]
    kills = Rules.of({"kills": rules["kills"]})
    options = Rules(tuple(pair for pair in rules.chosen if pair[0] != "kills"))
    wanted = plain | options
    chosen = [(log, wanted | kills) for log in level_logs if log.rules in (plain, wanted)]
    if not chosen:
        texts = dict.fromkeys(str(log.rules) for log in level_logs)
        raise SuiteError(
            f"--level {level}: its logs have rules of their own: {'; '.join(texts)}; expected "
            "--rule for one of these, or {rules} in the command, by which the program learns them"
        )
    return chosen


def run_program(command, log, rules):
    """Return the start of each job of a log, s, by an external program.

    Parameters
    ----------
    command : str
        The command, with {swf} in place of the log, {out} in place of the file that the program
        writes and, if wanted, {rules} in place of the rules; no shell reads it.
    log : Log
    rules : conformance.rules.Rules
    """
    for field in ("{swf}", "{out}"):
        if field not in command:
            raise SuiteError(f"--command {command!r} has no {field}; expected {{swf}} and {{out}}")
    try:
        argv = shlex.split(command)
    except ValueError as error:
        raise SuiteError(f"--command {command!r}: {error}") from None
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        swf, out = Path(folder, f"{log.name}.swf"), Path(folder, f"{log.name}.csv")
        swf.write_text(log.swf, encoding="utf-8")
        fields = {"{swf}": str(swf), "{out}": str(out), "{rules}": str(rules)}
        for field, value in fields.items():
            argv = [word.replace(field, value) for word in argv]
        program = formats.quote(argv[0])
        # Not a pipe: a process that the program leaves behind would keep it open.
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": errors}
        try:
            done = subprocess.run(argv, timeout=LONGEST, check=False, **streams)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or error
            raise SuiteError(f"--command: {program}: {problem}") from None
        except subprocess.TimeoutExpired:
            raise SuiteError(f"{swf.name}: {program} ran longer than {LONGEST} s") from None
        if done.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise SuiteError(
                f"{swf.name}: {program} ended with exit code {done.returncode}: "
                f"{formats.quote(*last, 200) if last else 'no message'}"
            )
        if not out.is_file():
            raise SuiteError(f"{swf.name}: {program} wrote no file {{out}}")
        return read_starts(out, log)


def read_starts(path, log):
    """Return the start of each job, s, by its number, from the columns job_id and start of a CSV
    file; jobs that do not start are missing.
    """
    expected = "expected a header with job_id and start, and a number of seconds in each start"
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            header, *rows = list(csv.reader(line.replace("\0", "\ufffd") for line in file)) or [[]]
    except csv.Error as error:
        raise SuiteError(f"{path.name}: {error}; {expected}") from None
    if header.count("job_id") != 1 or header.count("start") != 1:
        raise SuiteError(f"{path.name}:1: {formats.quote(','.join(header) or 'empty')}; {expected}")
    numbers, starts = {str(job.number): job.number for job in log.jobs()[0]}, {}
    for line, row in enumerate(rows, 2):
        if not row:
            continue
        cells = dict(zip(header, map(str.strip, row)))
        job, start = cells.get("job_id", ""), cells.get("start", "")
        if not _SECONDS.fullmatch(start) or abs(float(start)) > formats.LATEST:
            raise SuiteError(f"{path.name}:{line}: start {formats.quote(start)}; {expected}")
        if job not in numbers:
            raise SuiteError(
                f"{path.name}:{line}: job {formats.quote(job)}; expected the {len(numbers)} jobs "
                "of the log"
            )
        if numbers[job] in starts:
            raise SuiteError(
                f"{path.name}:{line}: job {formats.quote(job)} again; expected each job once"
            )
        seconds = float(start)
        starts[numbers[job]] = int(seconds) if seconds == int(seconds) else seconds
    return starts


@dataclass(frozen=True)
class Result:
    """What a program did with one log: the expected and the given start of each job, s."""

    log: Log
    rules: Rules
    expected: dict
    given: dict

    @property
    def passed(self):
        """Whether every start is as expected."""
        return self.given == self.expected

    @property
    def first(self):
        """The first job that starts at another time, by the expected starts."""
        wrong = [job for job, at in self.expected.items() if self.given.get(job) != at]
        return min(wrong, key=lambda job: (self.expected[job], job))


def test(run: Callable, chosen):
    """Return the results of a program, a list of Result.

    Parameters
    ----------
    run : callable
        Takes a log and its rules; returns the start of each job by its number.
    chosen : list of (Log, Rules)
        From `choose`.
    """
    results = []
    for log, rules in chosen:
        expected = log.expected(rules)
        results.append(Result(log, rules, expected, run(log, rules)))
    return results
