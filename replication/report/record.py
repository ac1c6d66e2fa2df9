"""What is kept beside every output: which files, from which logs, kernels and settings, and what ran."""

import functools
import hashlib
import json
import platform
from importlib.metadata import version
from pathlib import Path

from replication.papers import git, published
from replication.simulator import paths, writing

#: Titles of the papers.
PAPERS = {name: paper["title"] for name, paper in published.registered().items()}
#: Titles of the report's chapters: the papers, and what none of them did.
CHAPTERS = PAPERS | {"beyond": "Beyond the papers"}
# From what proves most to what proves nothing.
KINDS = ("paper", "quick", "stand-in")
# What is drawn with parameters that were not committed; no report is made of it.
OTHER = "other"
MEANING = {
    "paper": "real logs at the paper's scale",
    "quick": "real logs at quick scale: a first look, too small for a verdict",
    "stand-in": "generated stand-ins for the logs: a test of the machinery, which proves nothing of a paper",
    OTHER: "parameters that are not the committed ones: they prove nothing of a paper",
}
# Under which a notebook says in its outputs what its page has drawn.
MIME = "application/vnd.replication.page+json"
PACKAGES = ("numpy", "numba", "scipy", "pandas", "matplotlib")


def folder(kind, paper=""):
    """Where outputs of one of `KINDS` or `OTHER` go; only ``paper`` is in ``figures/``."""
    root = {"paper": paths.FIGURES, "stand-in": paths.STAND_IN}.get(kind, paths.BUILD / kind)
    return root / paper


def executed(kind, name):
    """Where the executed notebook of an item is kept."""
    return paths.BUILD / "notebooks" / kind / f"{name}.ipynb"


def cells(name):
    """Kind and source of each cell of an item's notebook; none where there is no notebook."""
    path = paths.NOTEBOOKS / f"{name}.ipynb"
    found = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else ()
    return [(cell["cell_type"], "".join(cell["source"]).strip()) for cell in found]


def title(name):
    """The first heading of an item's notebook, or its name where there is none."""
    lines = [line for kind, text in cells(name) if kind == "markdown" for line in text.splitlines()]
    return next((line[2:].strip() for line in lines if line.startswith("# ")), name)


def of(kind, name):
    """The record of an item of one of `KINDS` or `OTHER`; None where there is none."""
    return read(folder(kind) / f"{name}.json")


def files(kind, name):
    """The files that an item's record names, with what it says of each; none where there is no record."""
    return (of(kind, name) or {"files": {}})["files"]


def sha256(data):
    """Hexadecimal digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def log_facts(workload, used):
    """What identifies a workload in a record, as loaded and as simulated; no path of this machine."""
    known = workload.provenance
    path = known.get("path") or known.get("file") or ""
    return {
        "stand_in": workload.stand_in,
        "file": Path(path).name,
        "sha256": known.get("sha256", ""),
        "processors": workload.machine,
        "jobs": len(workload),
        "jobs_used": len(used),
        "cleaning": {rule: int(count) for rule, count in workload.cleaning},
    }


@functools.cache
def environment():
    """The code and packages that run now; dirty are uncommitted changes of anything but outputs."""
    ours = git.is_checkout(paths.ROOT)
    changed = "status", "--porcelain", "--", ".", ":!figures", ":!ro-crate-metadata.json"
    return {
        "commit": git.head() if ours else None,
        "dirty": bool(git.git(*changed)) if ours else None,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def read(path):
    """A record as written by `save`; None where there is none, or where it is damaged, which is said."""
    try:
        return json.loads(path.read_text(encoding="utf-8")) if path.exists() else None
    except ValueError as error:
        writing.tell(f"{path}: a damaged record ({error}); the item counts as not drawn")
        return None


def save(path, facts, before):
    """Write a record; one that says the same as the record before this run gives way to it.

    ``facts["run"]`` (commit, packages, duration) is who drew it. Where all else is equal, the older
    record stays, so that a second run which finds the same leaves nothing to commit; but one drawn
    from committed code takes the place of one that was not.
    """
    same = before is not None and before | {"run": None} == facts | {"run": None}
    kept = before if same and (facts["run"]["dirty"] or not before["run"]["dirty"]) else facts
    writing.write(
        path, (json.dumps(kept, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()
    )
