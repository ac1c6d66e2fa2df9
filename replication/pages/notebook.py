"""One notebook: its parameters checked, then run in a kernel of its own or in this process."""

import contextlib
import functools
import logging
import os
import re
import signal
import warnings
import weakref

from replication.basics import paths, writing
from replication.basics.hints import did_you_mean
from replication.basics.lazy import kernel_failures, kernels, nbformat, papermill
from replication.pages import record
from replication.pages.parameters import PageError, written

KERNEL_ARGUMENTS = ("--IPKernelApp.log_level=50",)
_kernels = weakref.WeakSet()


class RunError(ValueError):
    """A notebook, parameter or choice that is refused; the message lists the valid ones."""


class NotebookError(RuntimeError):
    """A notebook that failed; the message names it, its cell and the exception's last line."""


def found():
    """All notebooks of tables and figures by ``paper/item``, in the order of
    `replication.pages.record.CHAPTERS`, then fig2 before fig10.
    """
    return {
        f"{paper}/{path.stem}": path
        for paper in record.CHAPTERS
        for path in sorted((paths.NOTEBOOKS / paper).glob("*.ipynb"), key=_natural)
    }


def _natural(path):
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", path.stem)]


def name_of(path):
    """The ``paper/item`` of a notebook."""
    return f"{path.parent.name}/{path.stem}"


def check(path, parameters):
    """The notebook's own values with these in their place; parameters that it does not have are
    refused, where papermill alone would only warn.
    """
    try:
        known = written(path.read_text(encoding="utf-8"), name_of(path))
    except PageError as refused:
        raise RunError(refused) from None
    for name in parameters:
        if name not in known:
            raise RunError(
                f"{name_of(path)}: unknown parameter {name!r}{did_you_mean(name, known)}; "
                f"valid: {', '.join(known)}"
            )
    return known | parameters


def _failure(path, number, kind, message):
    """One line on a failed cell, counted from 1 among all cells of the notebook."""
    source = nbformat.read(path, as_version=4).cells[number].source.strip().splitlines() or [""]
    last = message.strip().splitlines()[-1:] or [""]
    return f"{name_of(path)}: cell {number + 1} ({source[0].strip()}): {kind}: {last[0]}"


def execute(path, parameters):
    """Run one notebook in a kernel of its own and keep it, executed, under ``build/notebooks/``.
    Returns what its outputs are worth, one of `replication.pages.record.KINDS` or ``OTHER``.
    NotebookError if it failed: what was executed is then under ``build/notebooks/failed/``.
    """
    check(path, parameters)
    name = name_of(path)
    folder = record.executed("running", name).parent
    folder.mkdir(parents=True, exist_ok=True)
    older = {kind: _files(kind, name) for kind in (*record.KINDS, record.OTHER)}
    # papermill cannot read values such as "top=3" and says so of each; they were checked above.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", "The specified file .* does not end in")
    with writing.claimed(folder) as (descriptor, running), open(descriptor):
        try:
            done = papermill.execute_notebook(
                str(path),
                str(running),
                parameters,
                progress_bar=False,
                request_save_on_cell_execute=False,
                resources={"metadata": {"path": str(path.parent)}},
                kernel_manager_class=_kernel_class(),
                extra_arguments=list(KERNEL_ARGUMENTS),
            )
            kind = _kind(name, done)
        except (papermill.PapermillExecutionError, RuntimeError) as error:
            if running.stat().st_size:
                _move(running, record.executed("failed", name))
            raise NotebookError(_reason(path, error)) from error
        _move(running, record.executed(kind, name))
    for file in older[kind] - _files(kind, name):
        (record.folder(kind, name.split("/")[0]) / file).unlink(missing_ok=True)
    return kind


def _reason(path, error):
    if isinstance(error, kernel_failures.DeadKernelError):
        return f"{name_of(path)}: its kernel died; it may need more memory"
    if isinstance(error, NotebookError):
        return str(error)
    if isinstance(error, RuntimeError):
        return f"{name_of(path)}: its kernel did not start: {error}"
    # The executed notebook has one cell more: papermill's, with the parameters, behind the tagged one.
    number = error.cell_index - (error.cell_index > _tagged(path))
    return _failure(path, number, error.ename, error.evalue)


def _tagged(path):
    cells = nbformat.read(path, as_version=4).cells
    return next(k for k, cell in enumerate(cells) if "parameters" in cell.metadata.get("tags", []))


def _kind(name, notebook):
    """What the page of an executed notebook says its outputs are worth."""
    said = [
        output.data[record.MIME]
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if record.MIME in output.get("data", {})
    ]
    if not said:
        raise NotebookError(f"{name}: it makes no Page, so that nothing of it is saved")
    if said[-1]["item"] != name:
        raise NotebookError(f"{name}: its Page is named {said[-1]['item']!r}, allowed: {name!r}")
    if not said[-1]["files"]:
        raise NotebookError(f"{name}: its Page saved no figure and no table")
    return said[-1]["kind"]


def _files(kind, name):
    paper, item = name.split("/")
    facts = record.read(record.folder(kind, paper) / f"{item}.json")
    return set(facts["files"]) if facts else set()


def _move(source, target):
    target.parent.mkdir(parents=True, exist_ok=True)
    os.replace(source, target)


@functools.cache
def _kernel_class():
    class Kernel(kernels.AsyncKernelManager):
        """Kernels have a session of their own: an interrupt from the keyboard does not reach them."""

        def __init__(self, *args, **kwargs):
            super().__init__(*args, **kwargs)
            _kernels.add(self)

    return Kernel


def stop_all():
    """End the kernels that still run, so that the calls of `execute` which wait for them return."""
    for kernel in list(_kernels):
        if kernel.has_kernel and kernel.provisioner.pid is not None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(kernel.provisioner.pid, signal.SIGKILL)
