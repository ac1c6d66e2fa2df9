"""The record of an item: its parameters, logs, outputs and summary."""

import contextlib
import json
import os
import platform
import re
from functools import cache
from importlib.metadata import version
from pathlib import Path

import fastjsonschema

from replication import __version__
from replication.simulator import paths, writing
from replication.simulator.logs import registry
from replication.verdicts import git, published

#: Titles of the chapters of the replication.
CHAPTERS = {name: paper["title"] for name, paper in published.registered().items()}
CHAPTERS |= {"together": "The papers together"}
STUDIES = paths.ROOT / "studies"
STUDY = "studies/"  # the names of all items of studies begin so
#: Kinds of outputs, from the most to the least conclusive.
KINDS = ("paper", "quick", "stand-in")
#: Outputs with parameters other than the committed ones; no report is made of them.
OTHER = "other"
WIDTH = 240
FORMAT = 5  # of a record, see docs/verdicts.md and record.schema.json
#: Names of outputs; another name in a record is not followed.
OUTPUT = re.compile(r"[a-z0-9_]+(-[a-z0-9_]+)*((\.evidence)?\.(png|csv)|\.ipynb)")
#: The environment variable with the folder in which a notebook's kernel leaves its outputs.
RUNNING = "REPLICATION_RUNNING"
PACKAGES = ("numpy", "numba", "scipy", "pandas", "matplotlib")


def folder(kind, name="") -> Path:
    """Return the folder of the outputs of an item, or of all items without its name.

    `kind` is one of `KINDS` or `OTHER`; only ``paper`` is in ``figures/``.
    """
    root = paths.FIGURES if kind == "paper" else paths.BUILD / kind
    return root / name.rpartition("/")[0]


def source(name) -> Path:
    """Return the path of the notebook of an item: in ``notebooks/``, or in ``studies/`` for one of
    a study.
    """
    if name.startswith(STUDY):
        return STUDIES / f"{name.removeprefix(STUDY)}.ipynb"
    return paths.NOTEBOOKS / f"{name}.ipynb"


def path_of(name) -> str:
    """Return the path in the checkout of the notebook of an item, as text."""
    return f"{'' if name.startswith(STUDY) else 'notebooks/'}{name}.ipynb"


def name_of(path) -> str:
    """Return the name of the item of a notebook, see `source`."""
    of_study = path.is_relative_to(STUDIES)
    place = path.relative_to(STUDIES if of_study else paths.NOTEBOOKS).with_suffix("")
    return f"{STUDY if of_study else ''}{place.as_posix()}"


def notebook(kind, name) -> Path:
    """Return the path of an executed notebook, next to the outputs of its kind; ``failed`` is a
    kind here.
    """
    return folder(kind) / f"{name}.ipynb"


def running(name) -> Path:
    """Return the folder in which a page writes its outputs until its notebook has ended."""
    return Path(os.environ.get(RUNNING) or paths.BUILD / "running" / name)


def title(name) -> str:
    """Return the first heading of an item's notebook, or its name where there is none."""
    path = source(name)
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"] if path.exists() else ()
    text = "\n".join("".join(cell["source"]) for cell in cells if cell["cell_type"] == "markdown")
    heading = re.search("^# (.*)", text, re.MULTILINE)
    return heading[1].strip() if heading else name


def rules_of(log, paper) -> str | None:
    """Return the paper whose rules make the jobs of a log: this one if it uses the log, else None
    for the default rules.
    """
    return paper if paper in registry.papers() and log in registry.names(paper) else None


def log_facts(workload, used) -> dict:
    """Return the facts that identify a workload in a record, without a path of this machine."""
    provenance = workload.provenance
    return {
        "stand_in": workload.stand_in,
        "file": Path(provenance.get("path") or provenance.get("file") or "").name,
        "sha256": provenance.get("sha256", ""),
        "processors": workload.machine,
        "jobs": len(workload),
        "jobs_used": len(used),
        "cleaning": {rule: int(count) for rule, count in workload.cleaning},
    }


def environment() -> dict:
    """Return the versions of this package, of Python and of the packages that results depend on."""
    return {
        "version": __version__,
        "python": platform.python_version(),
        "packages": {name: version(name) for name in PACKAGES},
    }


def read(kind, name) -> dict | None:
    """Return the record of an item of one of `KINDS` or `OTHER`.

    None, with a warning unless it is absent, where it is damaged or of another format.
    """
    return _read(folder(kind) / f"{name}.json")


def committed(name) -> dict | None:
    """Return the committed record of an item; None where there is none of this format."""
    text = git.committed(folder("paper", name) / f"{name.rpartition('/')[2]}.json")
    try:
        return _checked()(json.loads(text or ""))
    except ValueError:
        return None


def _read(path):
    if not path.exists():
        return None
    try:
        return _checked()(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, RecursionError) as error:
        writing.report(f"{path}: damaged record ({error}); the item is left out")
        return None


@cache
def _checked():
    """Return the function that returns a record of the right format, and raises ValueError for any
    other.
    """
    schema = (Path(__file__).parent / "templates/record.schema.json").read_text("utf-8")
    return fastjsonschema.compile(json.loads(schema))


def outputs(kind, name) -> list[Path]:
    """Return the files that the record of an item names; none without a record."""
    facts = read(kind, name)
    names = filter(OUTPUT.fullmatch, facts["files"]) if facts else ()
    return [folder(kind, name) / file for file in names]


def publish(name, place) -> str | None:
    """Copy the outputs of a notebook that has ended from a folder to that of their kind, and return
    the kind.

    None if there is no record in the folder. Without git the files in ``figures/`` stand for the
    last commit, so they stay, and the kind is `OTHER`. The record comes last: a copy that is
    interrupted leaves the older record. Files that only the older record names are deleted. Where
    no result differs, the older record stays, with its ``run`` (versions, workers, duration), so
    that drawing an item again changes no file.
    """
    item = name.rpartition("/")[2]
    facts = _read(place / f"{item}.json")
    if facts is None:
        return None
    kind = facts["provenance"]["kind"]
    kind = OTHER if kind == "paper" and git.head() is None else kind
    before, older, target = read(kind, name), outputs(kind, name), folder(kind, name)
    target.mkdir(parents=True, exist_ok=True)
    if (executed := place / f"{item}.ipynb").exists():
        facts["files"][executed.name] = {"role": "notebook", "caption": "The executed notebook"}
    same = before and all(before.get(key) == facts[key] for key in facts if key != "run")
    for file in facts["files"]:
        with contextlib.suppress(FileNotFoundError):
            data = (place / file).read_bytes()
            same = same and (target / file).exists() and (target / file).read_bytes() == data
            # The folders may be on two disks, between which a file cannot be renamed.
            writing.write(target / file, data)
    if same:
        facts = before
    save(target, name, facts)
    for file in older:
        if file.name not in facts["files"]:
            file.unlink(missing_ok=True)
    return kind


def save(target, name, facts) -> None:
    """Write a record to a folder."""
    path = target / f"{name.rpartition('/')[2]}.json"
    writing.write(path, (_layout(facts) + "\n").encode())


def _layout(value, indent=0):
    """Return JSON in which a value of up to `WIDTH` characters takes one line."""
    flat = json.dumps(value, ensure_ascii=False, allow_nan=False)
    if not isinstance(value, dict | list) or indent + len(flat) <= WIDTH:
        return flat
    pad = "\n" + " " * (indent + 1)
    if isinstance(value, list):
        return f"[{pad}{f',{pad}'.join(_layout(part, indent + 1) for part in value)}]"
    parts = [
        f"{json.dumps(name, ensure_ascii=False)}: {_layout(part, indent + 1)}"
        for name, part in value.items()
    ]
    return "{" + pad + f",{pad}".join(parts) + "}"
