"""The code of a notebook run in this process, without a kernel: fast."""

import nbformat

from replication.report import notebook
from replication.report.notebook import NotebookError


def in_process(path, **parameters):
    """Its variables at its end; NotebookError if a cell fails, with its exception as the cause."""
    notebook.check(path, parameters)
    cells = nbformat.read(path, as_version=4).cells
    variables = {"__name__": "__main__"}
    for number, cell in enumerate(cells):
        if cell.cell_type != "code":
            continue
        try:
            exec(
                compile(cell.source, f"{notebook.name_of(path)} cell {number + 1}", "exec"),
                variables,
            )
        except Exception as error:
            told = notebook.failure(path, number, type(error).__name__, str(error))
            raise NotebookError(told) from error
        if "parameters" in cell.metadata.get("tags", []):
            variables |= parameters
    return variables
