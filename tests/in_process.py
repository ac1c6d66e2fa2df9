"""The code of a notebook run in this process, without a kernel: fast."""

import nbformat

from replication.report import run
from replication.report.parameters import check_known, on_disk
from replication.report.run import NotebookError


def in_process(path, **parameters):
    """Its variables at its end; NotebookError if a cell fails, with its exception as the cause."""
    name = f"{path.parent.name}/{path.stem}"
    check_known(name, parameters, on_disk(name))
    cells = nbformat.read(path, as_version=4).cells
    variables = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        try:
            exec(compile(cell.source, f"{name} cell {number + 1}", "exec"), variables)
        except Exception as error:
            message = run.failure(path, number, type(error).__name__, str(error))
            raise NotebookError(message) from error
        if "parameters" in cell.metadata.get("tags", []):
            variables |= parameters
    return variables
