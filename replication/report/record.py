"""The record of an item: its outputs, logs, parameters, comparisons and claims."""

import hashlib
import json
import platform
import re
from importlib.metadata import version
from pathlib import Path

from replication.papers import published
from replication.simulator import paths, writing

#: Titles of the chapters of the replication.
CHAPTERS = {name: paper["title"] for name, paper in published.registered().items()}
CHAPTERS |= {"together": "The papers together"}
STUDY = "studies/"  # the names of all items of studies begin so
#: Kinds of outputs, from the most to the least conclusive.
KINDS = ("paper", "quick", "stand-in")
#: Outputs with parameters other than the committed ones; no report is made of them.
OTHER = "other"
WIDTH = 240
FORMAT = 3  # of a record, see docs/architecture.md
PACKAGES = ("numpy", "numba", "scipy", "pandas", "matplotlib")


def folder(kind, name=""):
    """Return the folder of the outputs of an item, or of all items without its name.

    `kind` is one of `KINDS` or `OTHER`; only ``paper`` is in ``figures/``.
    """
    root = {"paper": paths.FIGURES, "stand-in": paths.STAND_IN}.get(kind, paths.BUILD / kind)
    return root / name.rpartition("/")[0]


def source(name):
    """Return the path of the notebook of an item: in ``notebooks/``, or in ``studies/`` for one of a study."""
    if name.startswith(STUDY):
        return paths.STUDIES / f"{name.removeprefix(STUDY)}.ipynb"
    return paths.NOTEBOOKS / f"{name}.ipynb"


def name_of(path):
    """Return the name of the item of a notebook, see `source`."""
    of_study = path.is_relative_to(paths.STUDIES)
    place = path.relative_to(paths.STUDIES if of_study else paths.NOTEBOOKS).with_suffix("")
    return f"{STUDY if of_study else ''}{place.as_posix()}"


def notebook(kind, name):
    """Return the path of an executed notebook, next to the outputs of its kind; ``failed`` is a kind here."""
    return folder(kind) / f"{name}.ipynb"


def title(name):
    """Return the first heading of an item's notebook, or its name where there is none."""
    path = source(name)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else ()
    text = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "markdown")
    heading = re.search("^# (.*)", text, re.MULTILINE)
    return heading[1].strip() if heading else name


def sha256(data):
    """Return the hexadecimal digest of some bytes."""
    return hashlib.sha256(data).hexdigest()


def log_facts(workload, used):
    """Return the facts that identify a workload in a record, without a path of this machine."""
    known = workload.provenance
    return {
        "stand_in": workload.stand_in,
        "file": Path(known.get("path") or known.get("file") or "").name,
        "sha256": known.get("sha256", ""),
        "processors": workload.machine,
        "jobs": len(workload),
        "jobs_used": len(used),
        "cleaning": {rule: int(count) for rule, count in workload.cleaning},
    }


def environment():
    """Return the versions of Python and of the packages that results depend on."""
    return {
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def read(kind, name):
    """Return the record of an item of one of `KINDS` or `OTHER`.

    None, with a warning unless it is absent, where it is damaged or of another format.
    """
    path = folder(kind) / f"{name}.json"
    if not path.exists():
        return None
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        if facts.get("format") != FORMAT:
            raise ValueError(f"format {facts.get('format')}; expected {FORMAT}")
        return facts
    except ValueError as error:
        writing.report(f"{path}: damaged record ({error}); the item is left out")
        return None


def save(kind, name, facts, before):
    """Write a record; one that differs from the record `before` this run in ``run`` alone gives way to it.

    ``run`` (versions, workers, duration) says how a result was made and not what it is. So drawing an item again changes
    no file where the result is the same.
    """
    facts = json.loads(json.dumps(facts, allow_nan=False))  # as `before` was read
    if before and all(before.get(key) == facts[key] for key in facts if key != "run"):
        facts = facts | {"run": before["run"]}
    writing.write(folder(kind) / f"{name}.json", (_layout(facts) + "\n").encode())


def _layout(value, indent=0):
    """Return JSON in which a value of up to `WIDTH` characters takes one line."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, dict | list) or indent + len(flat) <= WIDTH:
        return flat
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return f"[{pad}{f',{pad}'.join(_layout(one, indent + 1) for one in value)}]"
    parts = [
        f"{json.dumps(name, ensure_ascii=False)}: {_layout(one, indent + 1)}"
        for name, one in value.items()
    ]
    return "{" + pad + f",{pad}".join(parts) + "}"
