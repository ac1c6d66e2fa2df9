"""The outside of the house: packages, files and the order of the rooms."""

import ast
import json
import os
import re
import shutil
import subprocess
import sys
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name
from packaging.version import Version

import replication
from replication.simulator import paths

PYTHONS = ["3.11", "3.12", "3.13"]
# What conda-forge calls a package, and what it lacks.
CONDA_NAMES = {
    "matplotlib": "matplotlib-base",
    "nbconvert": "nbconvert-core",
    "seaborn": "seaborn-base",
}
FROM_PIP = {"latex2mathml", "typst"}
HEAVY = {
    "IPython",
    "jinja2",
    "jupyterlab",
    "matplotlib",
    "numba",
    "numpy",
    "pandas",
    "papermill",
    "scipy",
}
PROJECT = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
LOCK = (paths.ROOT / "requirements.lock").read_text(encoding="utf-8")
NOTEBOOKS = sorted(
    p for p in paths.NOTEBOOKS.rglob("*.ipynb") if ".ipynb_checkpoints" not in p.parts
)


def direct():
    """Requirements that pyproject.toml names, for running and for the tests, by name."""
    named = PROJECT["project"]["dependencies"] + PROJECT["project"]["optional-dependencies"]["test"]
    return {canonicalize_name(r.name): r for r in map(Requirement, named)}


def locked():
    """Versions in the lock, by name; a list, because a lock may hold two for two Pythons."""
    found = {}
    for name, version in re.findall(r"^([A-Za-z0-9._-]+)==(\S+)", LOCK, re.MULTILINE):
        found.setdefault(canonicalize_name(name), []).append(version)
    return found


def conda():
    """Pins of environment.yml by our name for the package, and the lines that are no pins."""
    text = (
        (paths.ROOT / "environment.yml").read_text(encoding="utf-8").partition("dependencies:")[2]
    )
    lines = [line.strip(" -") for line in text.splitlines() if line.strip()]
    pinned = {line: re.fullmatch(r"([\w-]+)={1,2}([\w.]+)", line) for line in lines}
    ours = {theirs: name for name, theirs in CONDA_NAMES.items()}
    pins = {ours.get(pin[1], pin[1]): pin[2] for pin in pinned.values() if pin}
    return pins, [line for line, pin in pinned.items() if not pin]


def imports(path, everywhere=True):
    """Full names of the modules that a file imports; `everywhere` counts those inside functions too."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = path.relative_to(paths.ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = ".".join(
                [*package[: len(package) - node.level + 1], *filter(None, [node.module])]
                if node.level
                else [node.module]
            )
            yield from (f"{base}.{alias.name}" for alias in node.names)


def sources():
    """The package's files."""
    return sorted((paths.ROOT / "replication").rglob("*.py"))


def tracked():
    """The text files that are committed, by path; skips where this is no git checkout."""
    if shutil.which("git") is None or not (paths.ROOT / ".git").exists():
        pytest.skip("not a git checkout: nothing is tracked")
    code, listed, err = run("git", "ls-files", "-z")
    assert code == 0, err
    for name in filter(None, listed.split("\0")):
        content = (paths.ROOT / name).read_bytes() if (paths.ROOT / name).is_file() else b"\0"
        if b"\0" not in content:
            yield name, content.decode("utf-8")


def run(*words, env=None, cwd=paths.ROOT):
    """Run a program; its exit code, standard output and standard error."""
    done = subprocess.run(
        words, cwd=cwd, env=os.environ | (env or {}), capture_output=True, text=True, timeout=120
    )
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("name", sorted(direct()))
def test_a_direct_dependency_is_bounded_and_locked_once(name):
    requirement = direct()[name]
    operators = {bound.operator for bound in requirement.specifier}
    assert operators == {">=", "<"}
    assert len(locked()[name]) == 1
    assert requirement.specifier.contains(locked()[name][0])


def test_the_lock_has_the_build_tool_and_hashes_and_no_addresses():
    for text in PROJECT["build-system"]["requires"] + PROJECT["dependency-groups"]["build"]:
        requirement = Requirement(text)
        assert requirement.specifier.contains(locked()[requirement.name][0])
    entries = re.split(r"\n(?=\S)", LOCK.strip())
    assert len(entries) == sum(map(len, locked().values()))
    assert all("--hash=sha256:" in entry for entry in entries)
    assert not re.search(r"://| @ |^-", LOCK, re.MULTILINE)


def test_the_conda_environment_has_the_locked_versions():
    pins, others = conda()
    assert pins == {name: locked()[name][0] for name in direct()}
    python = f"python {PROJECT['project']['requires-python']}"
    assert sorted(others) == sorted([python, "make", "pip", "pip:", "editable ."])
    text = (paths.ROOT / "environment.yml").read_text(encoding="utf-8").partition("pip:")[2]
    assert {
        line.split("=")[0].strip(" -") for line in text.splitlines() if "==" in line
    } == FROM_PIP


def test_the_same_pythons_everywhere():
    allowed = SpecifierSet(PROJECT["project"]["requires-python"])
    assert [
        f"3.{minor}" for minor in range(20) if allowed.contains(Version(f"3.{minor}.0"))
    ] == PYTHONS
    named = [c.split(" :: ")[-1] for c in PROJECT["project"]["classifiers"] if "Python :: 3." in c]
    assert named == PYTHONS
    assert allowed.contains(Version(".".join(map(str, sys.version_info[:3]))))


def test_the_citation_names_this_version():
    citation = (paths.ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {replication.__version__}\n" in citation


def test_what_is_imported_is_locked():
    modules = {name.split(".")[0] for path in sources() for name in imports(path)}
    provided_by = metadata.packages_distributions()
    foreign = modules - set(sys.stdlib_module_names) - {"replication"}
    for module in sorted(foreign):
        assert locked().keys() & {
            canonicalize_name(name) for name in provided_by.get(module, [])
        }, module


def test_a_room_knows_only_the_rooms_to_its_left_and_nobody_waits_for_himself():
    """The contracts stand in pyproject.toml, under tool.importlinter."""
    tool = Path(sys.executable).with_name("lint-imports")
    code, out, err = run(str(tool), "--no-cache")
    assert code == 0, out + err


def test_every_room_has_its_place_among_the_contracts():
    rooms = {
        path.name
        for path in (paths.ROOT / "replication").iterdir()
        if (path / "__init__.py").exists()
    }
    layers = PROJECT["tool"]["importlinter"]["contracts"][0]["layers"]
    assert rooms == {layer for layer in layers if layer != "__main__"}


@pytest.mark.parametrize("words", [("format", "--check"), ("check",)], ids=" ".join)
def test_the_formatter_and_the_linter_have_nothing_to_say(words):
    code, out, err = run(sys.executable, "-m", "ruff", *words, "replication", "tests", "benchmarks")
    assert code == 0, out + err


def test_kernels_import_numbers_only():
    kernels = sorted((paths.ROOT / "replication" / "core").rglob("[!_]*.py"))
    assert kernels
    for path in kernels:
        foreign = [
            n
            for n in imports(path)
            if n.split(".")[0] not in {"math", "numba", "numpy"}
            and n != "collections.namedtuple"
            and not f"{n}.".startswith("replication.simulator.kernels.")
        ]
        assert not foreign, path.name
        names = {
            node.id for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Name)
        }
        assert not names & {"open", "print", "input", "eval", "exec"}, path.name


@pytest.mark.parametrize("module", ["replication", "replication.__main__"])
def test_an_import_loads_nothing_heavy(module):
    code, out, err = run(sys.executable, "-c", f"import sys, {module}; print(*sys.modules)")
    assert code == 0, err
    assert not HEAVY & set(out.split())


def test_the_public_names_exist():
    for name in replication.__all__:
        assert getattr(replication, name) is not None
    with pytest.raises(AttributeError, match="nonsense"):
        replication.nonsense  # noqa: B018


def test_no_machine_is_named_in_what_is_committed():
    folder = re.compile(r"(?<![\w.~-])/(?:work|root|home|Users|mnt|tmp|opt)/\w")
    host = re.compile(
        r"file:/{2}\w|https?://[^/\s]*\.(?:internal|local|lan|corp)\b|--(?:extra-)?index-url"
    )
    for name, text in tracked():
        assert not folder.search(text) and not host.search(text), name


def test_no_trace_is_committed():
    named = [name for name, _ in tracked() if re.match(r"data/traces/|.*\.swf(\.gz)?$", name)]
    assert [name for name in named if not name.startswith("conformance/logs/")] == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: f"{p.parent.name}/{p.stem}")
def test_a_notebook_is_short_and_stripped(path):
    notebook = json.loads(path.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert len(notebook["cells"]) < 14
    assert [c for c in code if c["outputs"] or c["execution_count"] is not None] == []
    assert len([c for c in code if "parameters" in c["metadata"].get("tags", [])]) == 1
    tree = ast.parse("\n".join("".join(cell["source"]) for cell in code))
    functions = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    assert [f.name for f in functions if f.end_lineno - f.lineno >= 6] == []
    imported = {node.name.split(".")[0] for node in ast.walk(tree) if isinstance(node, ast.alias)}
    assert not imported & {"numba", "subprocess"}


@pytest.fixture
def make(tmp_path):
    """Runs make on a copy of the Makefile, so that nothing here can touch the real environment."""
    if shutil.which("make") is None:
        pytest.skip("make is not installed: the Makefile is not tested")
    shutil.copy(paths.ROOT / "Makefile", tmp_path)
    for name in ("requirements.lock", "pyproject.toml"):
        (tmp_path / name).touch()
    # This test may itself be run by make.
    clean = {"MAKEFLAGS": "", "MAKELEVEL": "", "CONDA_DEFAULT_ENV": "", "TRACES": "", "PYTHON": ""}
    return lambda *words, **env: run(
        "make", "--no-print-directory", *words, env=clean | env, cwd=tmp_path
    )


def test_make_alone_lists_every_target(make):
    code, out, _ = make()
    text = (paths.ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.search(r"^\.PHONY: (.*)", text, re.MULTILINE)[1].split()) - {
        "help",
        "other-version",
    }
    assert code == 0
    assert targets == set(re.findall(r"^  make (\w+)  ", out, re.MULTILINE))


def test_make_hands_its_options_on(make, tmp_path):
    (tmp_path / "my logs").mkdir()
    code, out, _ = make("-n", "figures", "SCALE=quick", "ONLY=a/x b", "WORKERS=2", "TRACES=my logs")
    assert code == 0
    assert "-m replication figures --scale quick --only a/x b --workers 2" in out
    code, out, _ = make("--eval", "show: ; @echo $$REPLICATION_TRACES", "show", "TRACES=my logs")
    assert out.strip() == str(tmp_path / "my logs")
    code, _, err = make("figures", "TRACES=nowhere")
    assert code != 0
    assert "TRACES=nowhere: no such folder" in err


def test_make_refuses_an_unsuitable_python_in_one_line(make, tmp_path):
    old = tmp_path / "old-python"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    code, _, err = make("setup", f"PYTHON={old}")
    assert code != 0
    assert "is not Python 3.11, 3.12 or 3.13: name one with PYTHON=path" in err.splitlines()[0]
    assert not (tmp_path / ".venv").exists()


def test_make_in_an_active_environment_makes_no_other(make):
    for words, env in [(["USE_VENV=0"], {}), ([], {"CONDA_DEFAULT_ENV": "replication"})]:
        code, out, _ = make("-n", "figures", *words, **env)
        assert code == 0
        assert ".venv" not in out
        assert "python -m replication figures" in out
