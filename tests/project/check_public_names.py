"""Papers, studies and the conformance suite use public names of the package: those of
`replication`, and those that docs/modules.md lists for them. The listed names exist.
"""

import ast
import json
import re

import pytest

import replication
from replication.simulator import paths

TEXT = (paths.ROOT / "docs/modules.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"`(replication\.[\w.]+)`", TEXT))
FILES = [*(paths.ROOT / "studies").glob("*/*"), *paths.NOTEBOOKS.glob("*/*")]
FILES = sorted(path for path in FILES if path.suffix in (".py", ".ipynb"))
# The page in the browser compiles the kernels themselves for another machine.
FILES = [path for path in FILES if path.parent.name != "browser"]
FILES += sorted((paths.ROOT / "contrib/conformance/conformance").glob("*.py"))


def imported(source):
    """Return the names of `replication` that a program imports, as paths with dots."""
    found = set()
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names}
    return {name for name in found if name.split(".")[0] == "replication"}


def is_public(name):
    parts = name.split(".")
    if parts[-1].startswith("_"):
        return False
    if len(parts) < 3:
        return len(parts) == 1 or parts[1] in replication.__all__
    return any(".".join(parts[:k]) in LISTED for k in range(3, len(parts) + 1))


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_public_names_only_are_used(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(source)["cells"]
        source = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
    names = {name for name in imported(source) if not is_public(name)}
    if path.is_relative_to(paths.NOTEBOOKS):  # the comparison of all papers reads their records
        names -= {"replication.report.results"}
    assert names == set()


def test_the_reference_has_all_names_of_the_package():
    page = (paths.ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^   (\w+)$", page, re.MULTILINE)) == sorted(replication.__all__)


def test_listed_names_exist():
    for name in LISTED:
        module, _, last = name.rpartition(".")
        assert hasattr(__import__(module, fromlist=[last]), last) or __import__(name), name
