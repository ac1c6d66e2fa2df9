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

import contextlib
import importlib
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from replication.simulator import text
from replication.simulator.choices import among
from replication.simulator.logs import registry
from replication.simulator.sweeps import grid

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
    "seeds": f"a whole number from 1 to {MOST_SEEDS:,}, or a list of different ones",
    "watched": "true or false",
}


class StudyError(ValueError):
    """An invalid study; the message names the file, and the value with the allowed values."""


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

    Raises
    ------
    StudyError
        For unknown keys, invalid values, logs that cannot be read, and combinations that cannot be simulated.
    """
    path = Path(path)
    given = {} if logs is None else {"logs": [*logs]}
    given |= {} if seeds is None else {"seeds": [*seeds]}
    logs = dict(logs or {})
    with _errors_of(path):
        return [task for part in _parts(path) for task in tasks(part | given, path.parent, logs)]


def inputs(path: str | Path) -> list[str | Path]:
    """Return the files that a study reads: itself and its logs. Errors are those of `read`."""
    path = Path(path)
    with _errors_of(path):
        logs = [name for part in _parts(path) for name in _with_defaults(part)["logs"]]
        return [path, *(registry.file_of(_source(path.parent, name)) for name in logs)]


@contextlib.contextmanager
def _errors_of(path):
    """Raise StudyError with the path of the study for any expected error."""
    try:
        yield
    except (OSError, ValueError, RecursionError) as error:
        raise StudyError(f"{path}: {getattr(error, 'strerror', None) or error}") from error


def _parts(path):
    """Return the keys and values of each part of a study, those of the whole study included."""
    whole = tomllib.loads(path.read_text(encoding="utf-8"))
    parts = whole.pop(PARTS, [{}])
    if not (isinstance(parts, list) and parts and all(isinstance(part, dict) for part in parts)):
        raise StudyError(f"{PARTS} = {parts!r}; allowed: tables such as [[{PARTS}]]")
    return [whole | part for part in parts]


def tasks(given: dict, folder: Path = Path(), logs: dict | None = None) -> list[grid.Task]:
    """Return the tasks of a grid.

    Parameters
    ----------
    given : dict
        Keys and values of a study; defaults take the place of absent ones.
    folder : pathlib.Path
        Of logs and modules.
    logs : dict of str to replication.simulator.workload.Workload, optional
        Workloads loaded so far; others are added.
    """
    given, logs = _with_defaults(given), {} if logs is None else logs
    for name in given["imports"]:
        import_module(folder / name)
    for name in given["logs"]:
        if name not in logs:
            logs[name] = registry.load(_source(folder, name))
    schedulers = [text.scheduler(word) for word in given["schedulers"]]
    predictors = [text.predictor(word) for word in given["predictors"]]
    models = [model for word in given["estimates"] for model in text.models(word)]
    return grid.points(
        [logs[name] for name in given["logs"]],
        given["loads"],
        [(one, model) for one in combine(schedulers, predictors) for model in models],
        grid.seed_list(given["seeds"]),
        given["watched"],
        [text.resampling(word) for word in given["resampling"]],
        [text.function(word) for word in given["measures"]] or None,
    )


def _with_defaults(given):
    """Return the keys and values of a grid, with defaults for absent ones; StudyError for those of a wrong type."""
    for key, value in given.items():
        default = DEFAULTS[among(DEFAULTS, "key", key, StudyError)]
        if key == "seeds":
            good = isinstance(value, list) or (type(value) is int and value <= MOST_SEEDS)
        elif isinstance(default, list) and key != "loads":
            good = isinstance(value, list) and all(isinstance(one, str) for one in value)
        else:
            good = type(value) is type(default)
        if not good:
            expected = EXPECTED.get(key, "a list of text, such as ['easy']")
            raise StudyError(f"{key} = {value!r}; expected {expected}")
    given = DEFAULTS | given
    for key in ("logs", "schedulers", "estimates", "loads"):
        if not given[key]:
            raise StudyError(f"{key} = []; expected one or more")
    return given


def _source(folder, name):
    """Return a log as `replication.simulator.logs.registry.load` takes it: a file in the folder, or else a name."""
    return str(folder / name) if (folder / name).is_file() else name


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
    """Return the tasks of one of several cluster jobs.

    The part of a task depends on its key and not on the other tasks.

    Parameters
    ----------
    tasks : list of replication.simulator.sweeps.grid.Task
    number, of : int
        The part, from 0 to ``of - 1``, and the number of parts.

    Raises
    ------
    StudyError
        For a part that does not exist, and for a task that cannot be stored because its code is unknown.
    """
    if not 0 <= number < of:
        raise StudyError(f"shard {number} of {of}; allowed: 0 to {of - 1}")
    keys = [task.key for task in tasks]
    if None in keys:
        raise StudyError(
            "the code of a scheduler or model is unknown (see above); shards need stored results"
        )
    return [task for task, key in zip(tasks, keys, strict=True) if int(key[:15], 16) % of == number]
