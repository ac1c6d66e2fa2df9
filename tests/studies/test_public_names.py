"""Papers, studies and the conformance suite use public names of the package: those of
`replication`, and those that docs/modules.md lists for them.
"""

import ast
import json
import re

import pytest

import replication
from replication.simulator import paths
from replication.verdicts import published

TEXT = (paths.ROOT / "docs/modules.md").read_text(encoding="utf-8")
LISTED = set(re.findall(r"`(replication\.[\w.]+)`", TEXT))
FILES = [*(paths.ROOT / "studies").glob("*/*"), *paths.NOTEBOOKS.glob("*/*")]
FILES = sorted(path for path in FILES if path.suffix in (".py", ".ipynb"))
# The page in the browser compiles the kernels themselves for another machine.
FILES = [path for path in FILES if path.parent.name != "browser"]
FILES += sorted((paths.ROOT / "contrib/conformance/conformance").glob("*.py"))
DOCUMENTED = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


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


@pytest.mark.parametrize(
    "name",
    [
        "replication.simulator.kernels.easy",
        "replication.simulator.workload.Workload",
        "replication.report.page",
        "notebooks.audits._any",
        "replication.cli",
    ],
)
def test_other_names_are_not_public(name):
    assert not is_public(name)


def test_the_package_has_no_name_of_a_paper():
    """Outside docstrings; a scheduler or predictor may have the same name."""
    folder = paths.ROOT / "replication"
    choices = {path.stem for path in folder.glob("simulator/[sp]*rs/*.py")}
    for path in folder.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        for node in ast.walk(tree):
            if isinstance(node, DOCUMENTED) and ast.get_docstring(node) is not None:
                node.body[0].value.value = ""
        text = re.sub("[ -]", "_", ast.unparse(tree).lower())
        for paper in published.registered().keys() - choices:
            assert paper not in text, f"{path}: {paper}"


def test_the_reference_has_all_names_of_the_package():
    page = (paths.ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^   (\w+)$", page, re.MULTILINE)) == sorted(replication.__all__)


def test_listed_names_exist():
    for name in LISTED:
        module, _, last = name.rpartition(".")
        assert hasattr(__import__(module, fromlist=[last]), last) or __import__(name), name
