"""Studies and two packages of contrib/ use public names of the package: those of `replication`, and those that the API reference lists for them."""

import ast
import json
import re

import pytest

import replication
from replication.simulator import paths

TEXT = (
    (paths.ROOT / "docs/api.md")
    .read_text(encoding="utf-8")
    .split("## Names for studies and packages")[1]
)
LISTED = set(re.findall(r"`(replication\.[\w.]+)`", TEXT))
FILES = [path for path in sorted(paths.STUDIES.glob("*/*")) if path.suffix in (".py", ".ipynb")]
for name in ("conformance", "exchange"):
    FILES += sorted((paths.ROOT / f"contrib/{name}/replication_{name}").glob("*.py"))


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
    assert {name for name in imported(source) if not is_public(name)} == set()


@pytest.mark.parametrize(
    "name",
    [
        "replication.simulator.kernels.easy",
        "replication.simulator.workload.Workload",
        "replication.report.page",
        "replication.simulator.audits._any",
        "replication.cli",
    ],
)
def test_other_names_are_not_public(name):
    assert not is_public(name)


def test_listed_names_exist():
    for name in LISTED:
        module, _, last = name.rpartition(".")
        assert hasattr(__import__(module, fromlist=[last]), last) or __import__(name), name
