"""Results that are computed once: each task's rows in a columnar file named by a hash of all they depend on.

What a task finds depends on the task alone, so tasks may run in any order, on any number of workers, in
threads or on other machines; and a run that was stopped goes on where it was.
"""

import ast
import functools
import hashlib
import importlib
import inspect
import pkgutil
import sys
from concurrent.futures import ThreadPoolExecutor, as_completed

from replication.basics import paths

RESULTS = paths.BUILD / "results"


def bare(source):
    """Python source without comments and docstrings."""
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef)
            and ast.get_docstring(node) is not None
        ):
            node.body[0] = ast.Pass()
    return ast.unparse(tree)


@functools.cache
def sources(*names):
    """Hash of modules' sources; comments and docstrings do not count.

    Parameters
    ----------
    *names : str
        Full names of modules; a package stands for all its modules.

    Returns
    -------
    str, in hexadecimal
    """
    digest = hashlib.sha256()
    for name in names:
        module = importlib.import_module(name)
        parts = [
            part.name for part in pkgutil.iter_modules(getattr(module, "__path__", []), f"{name}.")
        ]
        for part in [name, *parts]:
            source = bare(inspect.getsource(importlib.import_module(part)))
            digest.update(f"{part}\n{source}\n".encode())
    return digest.hexdigest()


def fingerprint(workload, columns):
    """Hash of a workload's name, machine and some columns, in hexadecimal; worked out once a workload."""
    known = workload.__dict__.get("_fingerprints", {})
    if columns not in known:
        digest = hashlib.sha256(f"{workload.name} {workload.machine}\n".encode())
        for column in columns:
            digest.update(getattr(workload, column))
        known = known | {columns: digest.hexdigest()}
        object.__setattr__(workload, "_fingerprints", known)
    return known[columns]


def run(tasks, compute, workers=1, executor=None, folder=RESULTS, progress=None):
    """Run tasks, or read what was found before.

    Parameters
    ----------
    tasks : iterable
        Hashable, each with a `key` (text, a file's name) and `jobs` (how much work it is).
    compute : Callable
        ``compute(task)`` returns its rows as a dict of str to list, plain data.
    workers : int
        Threads; the compiled loops let go of the interpreter's lock.
    executor : concurrent.futures.Executor, optional
        Where to run instead.
    folder : pathlib.Path
        Where results are kept.
    progress : bool, optional
        Show a bar with the time left on standard error; by default if that is a terminal.

    Returns
    -------
    pandas.DataFrame
        The rows in the order of the tasks.
    """
    import pyarrow as pa

    files = {task: folder / f"{task.key}.parquet" for task in tasks}
    missing = [task for task in files if not files[task].exists()]
    folder.mkdir(parents=True, exist_ok=True)
    if missing and executor is None:
        with ThreadPoolExecutor(workers) as threads:
            _run_all(missing, compute, files, threads, progress)
    elif missing:
        _run_all(missing, compute, files, executor, progress)
    found = [_read(file) for file in files.values()]
    return pa.concat_tables(found, promote_options="permissive").to_pandas()


def _run_all(tasks, compute, files, executor, progress):
    from tqdm import tqdm

    shown = sys.stderr.isatty() if progress is None else progress
    futures = {executor.submit(compute, task): task for task in tasks}
    with tqdm(
        total=sum(task.jobs for task in tasks),
        unit="job",
        unit_scale=True,
        disable=not shown,
        dynamic_ncols=True,
    ) as bar:
        try:
            for future in as_completed(futures):
                task = futures[future]
                _write(future.result(), files[task])
                bar.update(task.jobs)
        except BaseException:
            for future in futures:
                future.cancel()
            raise


def _read(file):
    """A file's rows. Thousands of small files are read one by one: a dataset costs five times as much."""
    from pyarrow import parquet

    with parquet.ParquetFile(file) as stored:
        return stored.read(use_threads=False)


def _write(columns, file):
    """Write rows so that the file's name never stands for part of them."""
    import pyarrow as pa
    from pyarrow import parquet

    with paths.whole(file) as partial:
        parquet.write_table(pa.table(columns), partial)
