"""Every notebook runs headlessly at quick scale, on the real logs where they are, else on stand-ins."""

import subprocess
import sys

from replication.report import notebook, record
from replication.simulator import paths


def drawn():
    """What is in figures/, by file."""
    return {path: path.read_bytes() for path in paths.FIGURES.rglob("*") if path.is_file()}


def test_all_notebooks_run_at_quick_scale_and_leave_the_papers_figures_alone():
    before = drawn()
    done = subprocess.run(
        [sys.executable, "-m", "replication", "figures", "--scale", "quick", "--workers", "2"],
        capture_output=True,
        text=True,
        cwd=paths.ROOT,
        check=False,
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    kinds = [
        kind
        for kind in ("quick", "stand-in")
        for name in notebook.found()
        if record.executed(kind, name).is_file() and f"{name}: {kind}" in done.stdout
    ]
    assert len(kinds) == len(notebook.found())
    assert drawn() == before
