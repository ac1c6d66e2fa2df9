"""The sources of an item's results beyond the simulator: its notebook, and the code and data that
its kernel has read.

A record has a hash of each by its path in the checkout. Comments, docstrings and layout do not
count.
"""

import contextlib
import functools
import hashlib
import json
import os
import re
import sys

from replication.simulator import paths
from replication.simulator.errors import InputError
from replication.simulator.logs import registry
from replication.simulator.sweeps import code
from replication.simulator.sweeps.grid import fingerprint_of

#: Where the modules are that compute and draw results. The simulator has a hash of its own, see
#: `code.of_results`; the report, but for the page of a notebook, shows results.
COUNTED = re.compile(
    "((contrib|notebooks|studies|tests/reference"
    "|replication/(drawing|explore|verdicts(?!/git|/committed)))/.*"
    "|replication/report/(page|render))[.]py"
)
#: Files beside these modules that count, too.
DATA = (".csv", ".mplstyle", ".toml")
#: Files of `paths.DATA` that do not count where they were read: `check` decides by them again, and
#: the rules of logs count by the jobs that they make.
DECIDED_AGAIN = ("claims.toml", "contradictions.toml", "logs.toml", "papers.toml", "words.toml")
#: Code that makes jobs of a log. Where it has changed and the jobs are the same, a record stays
#: valid, unless it has further facts of logs.
READERS = ("replication/simulator/logs/registry.py", "replication/simulator/logs/swf.py")
FACTS = "replication/verdicts/logs.py"
#: Parts of a record on which the items of all papers together depend.
RESULTS = ("files", "values", "comparisons", "claims")
#: The place of `paths.PUBLISHED` in the checkout.
PUBLISHED = "data/published"


def hashes(notebook, paper, has_jobs) -> dict[str, str]:
    """Return the present hash of each source that counts, by its path in the checkout.

    Parameters
    ----------
    notebook : str
        Path of the item's notebook in the checkout.
    paper : str
        Paper whose rules make the jobs of its logs, or an empty text.
    has_jobs : bool
        False for an item without logs.
    """
    names = {notebook, *(READERS if has_jobs else ())}
    if has_jobs and paper in registry.papers():
        names.add(f"{PUBLISHED}/{paper}/logs.toml")
    if notebook.startswith("notebooks/together/"):
        records = (path.relative_to(paths.FIGURES) for path in paths.FIGURES.glob("*/*.json"))
        names |= {f"figures/{one}" for one in records if one.parent.name != "together"}
    root = f"{paths.ROOT}{os.sep}"
    files = {getattr(module, "__file__", None) or "" for module in list(sys.modules.values())}
    for file in filter(COUNTED.match, (one.removeprefix(root) for one in files)):
        beside = (one for one in (paths.ROOT / file).parent.iterdir() if one.suffix in DATA)
        names |= {file, *(one.relative_to(paths.ROOT).as_posix() for one in beside)}
    read = [one for one in paths.READ if one.name not in DECIDED_AGAIN]
    for place, folder in ((PUBLISHED, paths.PUBLISHED), ("data", paths.DATA)):
        own = (one.relative_to(folder) for one in read if one.is_relative_to(folder))
        names |= {f"{place}/{one.as_posix()}" for one in own}
    return {name: of_file(name) for name in sorted(names)}


@functools.cache
def of_file(name) -> str:
    """Return the hash of a source by its path in the checkout, as it was when first asked for;
    empty without the file.
    """
    top, _, rest = name.partition("/")
    known = {"notebooks": paths.NOTEBOOKS, "studies": paths.STUDIES, "figures": paths.FIGURES}
    path = known[top] / rest if top in known else paths.ROOT / name
    if name.startswith(PUBLISHED):
        path = paths.PUBLISHED / name.removeprefix(f"{PUBLISHED}/")
    if not path.is_file():
        return ""
    content = path.read_bytes()
    # Of a damaged file, or a notebook with magics, all bytes count.
    with contextlib.suppress(ValueError, SyntaxError, LookupError, AttributeError, RecursionError):
        content = _counted(path, content)
    return _hash(content)


def _counted(path, content):
    """Return what counts of the content of a file."""
    if path.suffix == ".json":
        facts = json.loads(content)
        return json.dumps([facts.get(part) for part in RESULTS]).encode()
    if path.suffix == ".ipynb":
        cells = json.loads(content)["cells"]
        sources = ["".join(one["source"]) for one in cells if one["cell_type"] == "code"]
        return "\n".join(map(code.bare, sources)).encode()
    if path.suffix == ".py":
        return code.bare(content.decode()).encode()
    if path.suffix == ".mplstyle":
        return re.sub(rb"(?m)^#.*\n?", b"", content)
    if path.suffix == ".toml":
        return json.dumps(paths.toml(path), sort_keys=True, default=str).encode()
    return content


def _hash(content):
    return hashlib.sha256(content).hexdigest()[:16]


def load(log, paper, **rules):
    """Return the jobs of a log by the rules of a paper that uses it, else by the default rules."""
    return registry.load(log, paper=_using(log, paper), **rules)


def machine(log, paper) -> int:
    """Return the processors of the machine on which these jobs run."""
    return registry.cleaning_of(log, _using(log, paper)).machine


def _using(log, paper):
    return paper if paper in registry.papers() and log in registry.names(paper) else None


def of_jobs(workload) -> str:
    """Return the hash of the jobs of a workload."""
    return _hash(fingerprint_of(workload).encode())


def changed(facts, paper) -> list[str]:
    """Return the sources of a record that are other ones now, by their paths in the checkout."""
    provenance = facts["provenance"]
    found = [name for name, known in provenance["code"].items() if known != of_file(name)]
    of_readers = [name for name in found if name in READERS or name.endswith("/logs.toml")]
    if of_readers and FACTS not in provenance["code"]:
        same = all(_of_log(one, paper) == known for one, known in provenance["jobs"].items())
        found = [name for name in found if not same or name not in of_readers]
    if provenance["simulator"] != code.of_results():
        found.append("replication/simulator")
    return found


@functools.cache
def _of_log(name, paper):
    """Return the present hash of the jobs of a log, given with its rules in JSON; empty where the
    log cannot be read.
    """
    log, _, rules = name.partition(" ")
    try:
        return of_jobs(load(log, paper, **json.loads(rules or "{}")))
    except (InputError, OSError, TypeError, ValueError):
        return ""
