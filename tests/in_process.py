"""Run the code of a notebook in this process, without a kernel."""

import nbformat
from IPython.display import display
from matplotlib import pyplot

from replication.report import record, run
from replication.report.parameters import check_known, on_disk
from replication.report.run import NotebookError


def in_process(path, **parameters):
    """Return the variables of a notebook at its end; NotebookError if a cell fails."""
    name = record.name_of(path)
    check_known(name, parameters, on_disk(name))
    variables = {"__name__": "__main__", "display": display}
    try:
        for number, cell in enumerate(nbformat.read(path, as_version=4).cells):
            if cell.cell_type != "code":
                continue
            try:
                exec(compile(cell.source, f"{name} cell {number + 1}", "exec"), variables)
            except Exception as error:
                kind = type(error).__name__
                message = run.failure(name, number + 1, cell.source, kind, str(error))
                raise NotebookError(message) from error
            if "parameters" in cell.metadata.get("tags", []):
                variables |= parameters
    finally:
        pyplot.close("all")
    return variables
