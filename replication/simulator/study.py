"""Studies: sweeps in TOML files, which can be committed, cited, run in parts on a cluster and extended with a log::

    logs = ["KTH-SP2", "my-log.swf.gz"]        # names, or files relative to the study
    schedulers = ["easy", "easy:candidates=sjf", "pv-easy"]
    predictors = ["request", "last", "top=3"]  # for each scheduler that takes a predictor
    estimates = ["log", "f=0:10:1"]            # with a range
    loads = ["log", 0.9]
    seeds = 20
    watched = false
    resampling = ["weeks=8"]                   # eight weeks of each log for every seed
    measures = ["mean_wait", "wait_p95"]       # optional
    imports = ["my_scheduler.py"]              # modules with your own choices and functions

A study may have parts, each with keys that override those above::

    [[part]]
    estimates = ["f=0:10:1"]
    predictors = ["request"]

Choices have the text forms of the command line (`replication.simulator.text`).
"""

import importlib
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from replication.simulator import grid, text, traces
from replication.simulator.choices import ChoiceError, among

DEFAULTS = {
    "logs": [],
    "schedulers": ["easy"],
    "predictors": [],
    "estimates": ["log"],
    "loads": [grid.LOG],
    "seeds": 1,
    "watched": False,
    "resampling": [],
    "measures": [],
    "imports": [],
}
PARTS = "part"
MOST_SEEDS = 1_000_000
EXPECTED = {
    "loads": "a list of shares above 0 and up to 2, or 'log'",
    "seeds": f"a whole number from 1 to {MOST_SEEDS:,}, or a list of them",
    "watched": "true or false",
}


class StudyError(ValueError):
    """An invalid study; the message names file, key, value and the allowed values."""


def read(
    path: str | Path, logs: dict | None = None, seeds: Sequence[int] | None = None
) -> list[grid.Task]:
    """Return the tasks of a study.

    Parameters
    ----------
    path : str or pathlib.Path
    logs : dict of str to replication.simulator.workload.Workload, optional
        Used instead of its logs.
    seeds : sequence of int, optional
        Used instead of its seeds.

    Returns
    -------
    list of replication.simulator.grid.Task

    Raises
    ------
    StudyError
        For unknown keys and invalid values.
    TraceError, SweepError, SchedulerError, EstimateError
        For logs that cannot be read and combinations that cannot be simulated.
    """
    path = Path(path)
    whole = _read(path)
    parts = whole.pop(PARTS, [{}])
    if not (isinstance(parts, list) and parts and all(isinstance(part, dict) for part in parts)):
        raise StudyError(f"{path}: {PARTS} = {parts!r}, allowed: tables such as [[{PARTS}]]")
    given = {} if logs is None else {"logs": [*logs]}
    given |= {} if seeds is None else {"seeds": [*seeds]}
    logs = dict(logs or {})
    return [
        task
        for part in parts
        for task in _tasks(path, _with_defaults(path, whole | part | given), logs)
    ]


def _tasks(path, given, logs):
    """Return the tasks of a study or of a part of it; `logs` are the workloads loaded so far."""
    for name in given["imports"]:
        import_module(path.parent / name)
    try:
        schedulers = [text.scheduler(word) for word in given["schedulers"]]
        predictors = [text.predictor(word) for word in given["predictors"]]
        models = [model for word in given["estimates"] for model in text.models(word)]
        resamplings = [text.resampling(word) for word in given["resampling"]]
    except ChoiceError as error:
        raise StudyError(f"{path}: {error}") from None
    seeds = given["seeds"]
    seeds = range(1, seeds + 1) if isinstance(seeds, int) else seeds
    for name in given["logs"]:
        if name not in logs:
            logs[name] = _log(path, name)
    return grid.points(
        [logs[name] for name in given["logs"]],
        given["loads"],
        [(one, model) for one in combine(schedulers, predictors) for model in models],
        seeds,
        given["watched"],
        resamplings,
        [text.function(word) for word in given["measures"]] or None,
    )


def _read(path):
    """Return the contents of the file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, RecursionError, tomllib.TOMLDecodeError) as error:
        raise StudyError(f"{path}: {getattr(error, 'strerror', None) or error}") from None


def _with_defaults(path, given):
    """Return the keys of a study or of a part of it, with defaults for the others."""
    for key in given:
        among(DEFAULTS, f"{path}: key", key, StudyError)
    given = DEFAULTS | given
    if not given["logs"]:
        raise StudyError(f"{path}: no logs; allowed: names of logs, or files")
    for key, value in given.items():
        if not _fits(key, value):
            expected = EXPECTED.get(key, "a list of text, such as ['easy']")
            raise StudyError(f"{path}: {key} = {value!r}; expected {expected}")
    return given


def _fits(key, value):
    """Return whether a key may have a value."""
    if key == "watched":
        return isinstance(value, bool)
    if key == "seeds":
        values = value if isinstance(value, list) else [value]
        return bool(values) and all(type(k) is int and 1 <= k <= MOST_SEEDS for k in values)
    if not isinstance(value, list):
        return False
    if key == "loads":
        return bool(value) and all(map(_is_load, value))
    return all(isinstance(word, str) for word in value)


def _is_load(value):
    is_share = isinstance(value, int | float) and 0 < value <= grid.HIGHEST_LOAD
    return value == grid.LOG or is_share


def _log(path, name):
    file = path.parent / name
    return traces.load(str(file) if file.is_file() else name)


def import_module(path: Path) -> None:
    """Import a Python file as a module of its name, so that its choices can be named in text."""
    if not path.is_file():
        raise StudyError(f"imports: {path} does not exist")
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))
    importlib.import_module(path.stem)


def combine(schedulers: list, predictors: list) -> Iterator:
    """Yield each scheduler with each predictor, if it takes one."""
    for scheduler in schedulers:
        if predictors and "predictor" in scheduler.options():
            yield from (replace(scheduler, predictor=predictor) for predictor in predictors)
        else:
            yield scheduler


def shard(tasks: list[grid.Task], number: int, of: int) -> list[grid.Task]:
    """Return the tasks of one of several cluster jobs, by the tasks' keys.

    Parameters
    ----------
    tasks : list of replication.simulator.grid.Task
    number, of : int
        From 0 to ``of - 1``.

    Returns
    -------
    list of replication.simulator.grid.Task
        The part of a task does not depend on the other tasks.

    Raises
    ------
    StudyError
    """
    if not 0 <= number < of:
        raise StudyError(f"shard {number} of {of}, allowed: 0 to {of - 1}")
    keys = [task.key for task in tasks]
    if None in keys:
        raise StudyError(
            "the code of a scheduler or model is unknown (see above); shards need stored results"
        )
    return [task for task, key in zip(tasks, keys, strict=True) if int(key[:15], 16) % of == number]
