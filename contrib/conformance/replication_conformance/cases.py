"""The cases: run a scheduler or an external program on their logs and compare every start."""

import csv
import shlex
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import replication as rp
from replication.simulator import text
from replication.simulator.logs import registry

_HERE = Path(__file__).resolve().parent
#: Of the manifest, the logs and the schedules: in the package if it is installed, beside it in a checkout.
FOLDER = next(one for one in (_HERE / "data", _HERE.parent) if (one / "manifest.toml").exists())
LONGEST = 60  # s that a program may take for one log


class ConformanceError(ValueError):
    """A command that cannot run, or a program that fails or writes no starts; the message names the log."""


def entries(like: str | None = None) -> list[dict]:
    """Return the entries of the manifest, one for each log; with `like` those of one scheduler, named as on the command line."""
    logs = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["log"]
    known = dict.fromkeys(one["scheduler"] for one in logs)
    chosen = [one for one in logs if like in (None, one["scheduler"])]
    if not chosen:
        raise ConformanceError(
            f"--like {like}; expected a scheduler of the manifest: {', '.join(known)}"
        )
    return chosen


def by_scheduler(scheduler: str | None, entry: dict) -> dict[str, float]:
    """Return the start of each job of a log, s, by the scheduler of this text, or of the entry."""
    workload = registry.load(_log(entry), drop=[], overrun="as-is")
    schedule = rp.simulate(workload, text.scheduler(scheduler or entry["scheduler"]))
    return dict(zip(map(str, workload.job_id.tolist()), schedule.start.tolist(), strict=True))


def by_program(command: str, entry: dict) -> dict[str, float]:
    """Return the start of each job of a log, s, by an external program.

    Parameters
    ----------
    command : str
        The command, with {swf} in place of the log and {out} in place of the file that the program writes; no shell reads it.
    entry : dict
        An entry of the manifest.
    """
    words, log = shlex.split(command), _log(entry)
    for field in ("{swf}", "{out}"):
        if field not in command:
            raise ConformanceError(
                f"--command {command!r} has no {field}; expected {{swf}} and {{out}}"
            )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / f"{entry['name']}.csv"
        words = [word.replace("{swf}", str(log)).replace("{out}", str(out)) for word in words]
        try:
            done = subprocess.run(words, capture_output=True, text=True, timeout=LONGEST)
        except OSError as error:
            raise ConformanceError(f"--command: {words[0]}: {error.strerror}") from None
        except subprocess.TimeoutExpired:
            raise ConformanceError(f"{log.name}: {words[0]} ran longer than {LONGEST} s") from None
        if done.returncode:
            last = done.stderr.strip().splitlines()[-1:] or ["no message"]
            raise ConformanceError(
                f"{log.name}: {words[0]} ended with exit code {done.returncode}: {last[0]}"
            )
        if not out.exists():
            raise ConformanceError(f"{log.name}: {words[0]} wrote no file {{out}}")
        return starts(out)


def starts(path: Path) -> dict[str, float]:
    """Return the start of each job, s, by its number, from the columns job_id and start of a CSV file."""
    expected = "expected a header with job_id and start, and a number of seconds in each start"
    with path.open(encoding="utf-8", newline="") as file:
        table = csv.DictReader(file)
        header, rows = table.fieldnames or [], list(table)
    if not {"job_id", "start"} <= set(header):
        raise ConformanceError(f"{path.name}:1: {','.join(header) or 'empty'!r}; {expected}")
    found = {}
    for line, row in enumerate(rows, 2):
        try:
            found[row["job_id"].strip()] = float(row["start"])
        except (TypeError, ValueError):
            raise ConformanceError(
                f"{path.name}:{line}: start {row['start']!r:.40}; {expected}"
            ) from None
    return found


def differences(run: Callable[[dict], dict], chosen: list[dict]) -> Iterator[dict]:
    """Yield the first job of each log whose start differs from the expected one, with the sentence that decides it.

    Parameters
    ----------
    run : function of an entry
        Returns the start of each job.
    chosen : list of dict
        Entries of the manifest.
    """
    for entry in chosen:
        expected, found = starts(FOLDER / "schedules" / f"{entry['name']}.csv"), run(entry)
        for job, wanted in sorted(expected.items(), key=lambda pair: (pair[1], int(pair[0]))):
            if found.get(job) != wanted:
                one = {"log": entry["name"], "job": int(job), "start": found.get(job)}
                sentence = entry["name"].rpartition("-")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
                own = {"page": entry["page"], "sentence": sentence, "rule": entry["rule"]}
                yield one | {"expected": wanted} | own
                break


def _log(entry):
    return FOLDER / "logs" / f"{entry['name']}.swf"
