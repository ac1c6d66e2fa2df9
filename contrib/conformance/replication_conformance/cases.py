"""The cases: run a scheduler or an external program on their logs and compare every start."""

import csv
import re
import shlex
import shutil
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path

import replication as rp
from replication.simulator.logs import registry, swf

_HERE = Path(__file__).resolve().parent
#: Of the manifest, the logs and the schedules: in the package if it is installed, beside it in a
#: checkout.
FOLDER = next(one for one in (_HERE / "data", _HERE.parent) if (one / "manifest.toml").exists())
LONGEST = 60  # s that a program may take for one log
_SECONDS = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?", re.ASCII | re.IGNORECASE)


class ConformanceError(ValueError):
    """A command that cannot run, or a program that fails or writes no starts; the message names the
    log.
    """


def entries(like: str | None = None) -> list[dict]:
    """Return the entries of the manifest, one for each log.

    Parameters
    ----------
    like : str, optional
        A scheduler as on the command line: its logs, and if it has options also the logs of the
        scheduler without options, with the schedules that the options give. By default all logs.
    """
    logs = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))["log"]
    if like is None:
        return logs
    plain = like.partition("(")[0].lower()
    chosen = [one for one in logs if one["scheduler"] in (like, plain)]
    if not chosen:
        known = dict.fromkeys(one["scheduler"] for one in logs)
        raise ConformanceError(
            f"--like {like}; expected a scheduler of the manifest: {', '.join(known)}"
        )
    return [one | {"simulated": like} if one["scheduler"] != like else one for one in chosen]


def by_scheduler(scheduler: str | None, kills: bool, entry: dict) -> dict[str, float]:
    """Return the start of each job of a log, s, by the scheduler of this text, or of the entry.

    If `kills`, jobs end at their estimates.
    """
    overrun = "cut-run" if kills else "as-is"
    workload = registry.load(_log(entry), drop=[], overrun=overrun)
    own = entry.get("simulated", entry["scheduler"])
    schedule = rp.simulate(workload, own if scheduler is None else scheduler)
    return dict(zip(map(str, workload.job_id.tolist()), schedule.start.tolist(), strict=True))


def by_program(command: str, entry: dict) -> dict[str, float]:
    """Return the start of each job of a log, s, by an external program.

    Parameters
    ----------
    command : str
        The command, with {swf} in place of the log and {out} in place of the file that the program
        writes; no shell reads it.
    entry : dict
        An entry of the manifest.
    """
    for field in ("{swf}", "{out}"):
        if field not in command:
            raise ConformanceError(
                f"--command {command!r} has no {field}; expected {{swf}} and {{out}}"
            )
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ConformanceError(f"--command {swf.quote(command)}: {error}") from None
    name = _log(entry).name
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryFile() as errors:
        log, out = Path(folder, name), Path(folder, f"{entry['name']}.csv")
        shutil.copyfile(_log(entry), log)
        words = [word.replace("{swf}", str(log)).replace("{out}", str(out)) for word in words]
        program = swf.quote(words[0])
        # Not a pipe: a process that the program leaves behind would keep it open.
        streams = {"stdin": subprocess.DEVNULL, "stdout": subprocess.DEVNULL, "stderr": errors}
        try:
            done = subprocess.run(words, timeout=LONGEST, **streams)
        except (OSError, ValueError) as error:
            problem = getattr(error, "strerror", None) or error
            raise ConformanceError(f"--command: {program}: {problem}") from None
        except subprocess.TimeoutExpired:
            raise ConformanceError(f"{name}: {program} ran longer than {LONGEST} s") from None
        if done.returncode:
            errors.seek(0)
            last = errors.read().decode(errors="replace").strip().splitlines()[-1:]
            raise ConformanceError(
                f"{name}: {program} ended with exit code {done.returncode}: "
                f"{swf.quote(*last, 200) if last else 'no message'}"
            )
        if not out.is_file():
            raise ConformanceError(f"{name}: {program} wrote no file {{out}}")
        return starts(out)


def starts(path: Path) -> dict[str, float]:
    """Return the start of each job, s, by its number, from the columns job_id and start of a CSV
    file.
    """
    expected = "expected a header with job_id and start, and a number of seconds in each start"
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            header, *rows = list(csv.reader(file)) or [[]]
    except csv.Error as error:
        raise ConformanceError(f"{path.name}: {error}; {expected}") from None
    if header.count("job_id") != 1 or header.count("start") != 1:
        raise ConformanceError(
            f"{path.name}:1: {swf.quote(','.join(header) or 'empty')}; {expected}"
        )
    found = {}
    for line, row in enumerate(rows, 2):
        if row:
            cells = dict(zip(header, map(str.strip, row), strict=False))
            job, start = cells.get("job_id", ""), cells.get("start", "")
            if not _SECONDS.fullmatch(start):
                raise ConformanceError(f"{path.name}:{line}: start {swf.quote(start)}; {expected}")
            if job in found:
                raise ConformanceError(
                    f"{path.name}:{line}: job {swf.quote(job)} again; expected each job once"
                )
            found[job] = float(start)
    return found


def differences(run: Callable[[dict], dict], chosen: list[dict], kills=False) -> Iterator[dict]:
    """Yield the first job of each log whose start differs from the expected one, with the sentence
    that the log tests.

    Parameters
    ----------
    run : function of an entry
        Returns the start of each job.
    chosen : list of dict
        From `entries`.
    kills : bool
        Whether jobs end at their estimates.
    """
    for entry in chosen:
        expected, found = starts(FOLDER / "schedules" / f"{entry['name']}.csv"), run(entry)
        if kills or "simulated" in entry:
            expected = by_scheduler(None, kills, entry)
        for job in set(found) - set(expected):
            raise ConformanceError(
                f"{entry['name']}.csv: job {swf.quote(job)}; expected the {len(expected)} jobs of "
                f"the log"
            )
        for job, wanted in sorted(expected.items(), key=lambda pair: (pair[1], int(pair[0]))):
            if found.get(job) != wanted:
                one = {"log": entry["name"], "job": int(job), "start": found.get(job)}
                sentence = entry["name"].rpartition("-")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
                own = {"page": entry["page"], "sentence": sentence, "rule": entry["rule"]}
                yield one | {"expected": wanted, "simulated": entry.get("simulated")} | own
                break


def _log(entry):
    return FOLDER / "logs" / f"{entry['name']}.swf"
