"""Papers, studies and the conformance suite use public names of the package alone, and the API
reference has all names of `replication`.
"""

import ast
import json
import re

import pytest

import replication
from replication.simulator import paths

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


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_public_names_only_are_used(path):
    source = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        cells = json.loads(source)["cells"]
        source = "\n".join("".join(one["source"]) for one in cells if one["cell_type"] == "code")
    assert [name for name in imported(source) if "._" in name] == []


def test_the_reference_has_all_names_of_the_package():
    page = (paths.ROOT / "docs/api.md").read_text(encoding="utf-8")
    assert sorted(re.findall(r"^   (\w+)$", page, re.MULTILINE)) == sorted(replication.__all__)
