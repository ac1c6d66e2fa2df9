"""One notebook: its parameters checked, then run in a kernel of its own."""

import contextlib
import functools
import logging
import os
import re
import signal
import warnings
import weakref

import jupyter_client.manager as kernels
import nbclient.exceptions as kernel_failures
import nbformat
import papermill

from replication.report import record
from replication.report.parameters import check_known, written
from replication.simulator import paths, writing

KERNEL_ARGUMENTS = ("--IPKernelApp.log_level=50",)
_kernels = weakref.WeakSet()


class NotebookError(RuntimeError):
    """A notebook that failed; the message names it, its cell and the exception's last line."""


def found():
    """All notebooks of tables and figures by ``paper/item``, in the order of
    `replication.report.record.CHAPTERS`, then fig2 before fig10.
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
    """The notebook's own values with these in their place; PageError for parameters that it does not have."""
    known = written(path.read_text(encoding="utf-8"), name_of(path))
    check_known(name_of(path), parameters, known)
    return known | parameters


def execute(path, parameters):
    """Run one notebook in a kernel of its own and keep it, executed, under ``build/notebooks/``.
    Returns what its outputs are worth, one of `replication.report.record.KINDS` or ``OTHER``.
    NotebookError if it failed: what was executed is then under ``build/notebooks/failed/``.
    """
    check(path, parameters)
    name = name_of(path)
    folder = record.executed("running", name).parent
    folder.mkdir(parents=True, exist_ok=True)
    older = {kind: record.files(kind, name) for kind in record.MEANING}
    # papermill cannot read values such as "top=3" and says so of each; they were checked above.
    logging.getLogger("papermill").setLevel(logging.ERROR)
    warnings.filterwarnings("ignore", "The specified file .* does not end in")
    with writing.claimed(folder) as (descriptor, running), open(descriptor):
        kind = "failed"
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
            kind = worth(name, done)
        except (papermill.PapermillExecutionError, RuntimeError) as error:
            raise NotebookError(_reason(path, error)) from error
        finally:
            if running.stat().st_size:
                target = record.executed(kind, name)
                target.parent.mkdir(parents=True, exist_ok=True)
                os.replace(running, target)
    for file in older[kind].keys() - record.files(kind, name).keys():
        (record.folder(kind, name.split("/")[0]) / file).unlink(missing_ok=True)
    return kind


def _reason(path, error):
    name = name_of(path)
    if isinstance(error, kernel_failures.DeadKernelError):
        return f"{name}: its kernel died; it may need more memory"
    if isinstance(error, NotebookError):
        return str(error)
    if isinstance(error, RuntimeError):
        return f"{name}: its kernel did not start: {error}"
    # The executed notebook has one cell more: papermill's, with the parameters, behind the tagged one.
    cells = nbformat.read(path, as_version=4).cells
    tags = [cell.metadata.get("tags", []) for cell in cells]
    tagged = next(number for number, own in enumerate(tags) if "parameters" in own)
    return failure(path, error.cell_index - (error.cell_index > tagged), error.ename, error.evalue)


def failure(path, number, kind, message):
    """One line on a failed cell, by its number from 0 among all cells of the notebook."""
    source = nbformat.read(path, as_version=4).cells[number].source.strip().splitlines() or [""]
    last = message.strip().splitlines()[-1:] or [""]
    return f"{name_of(path)}: cell {number + 1} ({source[0].strip()}): {kind}: {last[0]}"


def worth(name, notebook):
    """What the page of an executed notebook says its outputs are worth."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    said = [output.data[record.MIME] for output in outputs if record.MIME in output.get("data", {})]
    if not said:
        raise NotebookError(f"{name}: it makes no Page, so that nothing of it is saved")
    if said[-1]["item"] != name:
        raise NotebookError(f"{name}: its Page is named {said[-1]['item']!r}, allowed: {name!r}")
    if not said[-1]["files"]:
        raise NotebookError(f"{name}: its Page saved no figure and no table")
    return said[-1]["kind"]


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
