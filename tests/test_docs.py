"""The documents: links lead to files, code and commands run, and printed results are current."""

import ast
import doctest
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import replication as rp
from replication import cli

ROOT = Path(__file__).parents[1]
PAGES = [
    *sorted(ROOT.glob("*.md")),
    ROOT / ".github/SECURITY.md",
    *(
        page
        for folder in ("contrib", "data", "docs", "notebooks", "studies")
        for page in sorted((ROOT / folder).rglob("*.md"))
    ),
]
PAGES = [page for page in PAGES if "gallery" not in page.parts and "api" not in page.parts]
TRIED = ("getting-started", "guide")  # their Python is run
GENERATED = {"gallery/index.md", "gallery/index", "tutorial.ipynb"}
NOTEBOOKS = [
    path
    for folder in ("notebooks", "studies")
    for path in (ROOT / folder).rglob("*.ipynb")
    if ".ipynb_checkpoints" not in path.parts  # JupyterLab's copies
]


def name_of(path):
    """Return the name of a page's test."""
    return path.relative_to(ROOT).as_posix()


@pytest.mark.parametrize("page", [*PAGES, *NOTEBOOKS], ids=name_of)
def test_links_lead_to_files(page):
    """Those of notebooks also in JupyterLab, where the site does not exist."""
    text, generated = page.read_text(encoding="utf-8"), GENERATED
    if page.suffix == ".ipynb":
        cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "markdown"]
        text, generated = "\n".join("".join(cell["source"]) for cell in cells), ()
    text = re.sub(r"```.*?```|`[^`\n]*`", "", text, flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]*)(?:#([^)]*))?\)", text)
    local = [link for link in links if "://" not in link[0] and link[0] not in generated]
    assert [link for link in local if not leads_somewhere(page, *link)] == []


def leads_somewhere(page, name, anchor):
    """Return whether a link of a page names a file and, of a page of words, one of its headings."""
    target = page.parent / name if name else page
    if not anchor or target.suffix != ".md":
        return target.exists()
    headings = re.findall(r"^#+ (.*)", with_included(target), re.MULTILINE)
    words = [re.sub(r"[^\w -]", "", heading.lower()) for heading in headings]
    return anchor in [heading.replace(" ", "-") for heading in words]


def with_included(page):
    """Return the text of a page and of the pages that it includes."""
    text = page.read_text(encoding="utf-8")
    included = re.findall(r"```{include} (\S+)", text)
    return "\n".join([text, *(with_included(page.parent / name) for name in included)])


def blocks(language, page="README.md"):
    """Return the code of a language in a page, as one text."""
    text = (ROOT / page).read_text(encoding="utf-8")
    return "\n".join(re.findall(rf"^```{language}\n(.*?)^```", text, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("page", [f"docs/{name}.md" for name in TRIED])
def test_python_in_the_pages_runs(page, real_log, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    own = rp.simulate(real_log("KTH-SP2").take(slice(0, 5001)))
    own.write_swf("my-cluster.swf.gz")
    columns = {"submit": [0, 1], "run_time": [9, 5], "size": [3, 4], "estimate": [10, 10]}
    exec(compile(blocks("python", page), page, "exec"), columns)


def test_choices_in_the_tables_of_the_guide_exist():
    page = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    choices = re.findall(r"`(rp\.[A-Z][a-zA-Z]*\([^`]*\))`", page)
    assert len(choices) > 10 and all(eval(choice) for choice in choices)


@pytest.mark.parametrize("name", rp.__all__)
def test_examples_in_docstrings_run(name):
    for example in doctest.DocTestFinder().find(getattr(rp, name), name):
        assert doctest.DocTestRunner().run(example).failed == 0


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_in_the_pages_exist(page):
    """Each is parsed with its options and not run."""
    program = r"^(?: {4})?(?:python -m )?replication (?:--import \S+ )?([a-z]+) (.*?)(?:  +#.*)?$"
    for name, words in re.findall(program, page.read_text(encoding="utf-8"), re.MULTILINE):
        cli.shell.commands[name].make_context(name, shlex.split(words))


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_a_page_prints_what_it_shows(page, real_log, tmp_path, monkeypatch, capsys):
    real_log("KTH-SP2")
    monkeypatch.chdir(tmp_path)
    names = {}
    for one in ast.parse(blocks("python", page)).body:  # as typed at a prompt
        exec(compile(ast.Interactive([one]), page, "single"), names)
    printed = capsys.readouterr().out
    assert printed == blocks("text", page).replace("\n\n", "\n")
    assert max(map(len, printed.splitlines())) <= 80


#: Options of other programs that messages and pages name.
OTHERS = {
    "pandoc": "--mathml --shift-heading-level-by --syntax-highlighting --wrap",
    "git": "--stat --verify",
    "pip": "--require-hashes",
    "replication-cluster": "--map --columns",  # see contrib/cluster/tests
    "contrib/conformance": "--command --rule",
}
OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]+")


def options(command):
    """Return the options of a command and of its subcommands."""
    of_all = [options(one) for one in getattr(command, "commands", {}).values()]
    return {name for one in command.params for name in one.opts}.union({"--help"}, *of_all)


def texts(path):
    """Return the texts of a page, or the text constants of a module."""
    if path.suffix != ".py":
        return [path.read_text()]
    nodes = ast.walk(ast.parse(path.read_text()))
    return [node.value for node in nodes if isinstance(node, ast.Constant) and str(node.value)]


def test_every_option_that_a_message_or_a_page_names_exists():
    """Messages of the simulator name options of `simulate`, all others those of any command."""
    others, wrong = set(" ".join(OTHERS.values()).split()), []
    pages = [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
    for path in [*pages, *(ROOT / "replication").rglob("*.py")]:
        of_simulator = "simulator" in path.parts and path.suffix == ".py"
        command = cli.shell.commands["simulate"] if of_simulator else cli.shell
        named = {name for text in texts(path) for name in OPTION.findall(str(text))}
        wrong += [(str(path), name) for name in sorted(named - options(command) - others)]
    assert wrong == []


def test_without_packages_the_message_names_the_command():
    words = [sys.executable, "-S", "-m", "replication", "logs", "list"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1 and done.stderr.count("\n") == 1
    assert "run `make setup`, then `source .venv/bin/activate`" in done.stderr


# What is added to a command of the README, so that it takes less time.
QUICK = {
    "make figures ONLY": ("make", "make SCALE=quick"),
    "make test": ("make", "make TESTS=tests/simulator/test_writing.py"),
    "make studies": ("make", "make SCALE=quick ONLY=fairness"),
    "make lab": ("make", "timeout -s INT 40 make LAB='--no-browser --allow-root'"),
    "make figures ": ("make", "make SCALE=quick ONLY=heel_and_toe/table2"),
    "source": ("", ""),
    "export": ("=folder", f"={os.environ.get('REPLICATION_TRACES', '')}"),
    "replication simulate": ("", ""),
    "mkdir": ("", ""),
}


@pytest.mark.slow
def test_a_clone_runs_the_commands_of_the_readme(real_log, tmp_path):
    """From nothing: no packages, no compiled kernels, no stored results."""
    real_log("KTH-SP2")
    if shutil.which("make") is None:
        pytest.skip("make is not installed")
    script = ["set -ex", f"git clone -q {ROOT} replication && cd replication"]
    for line in filter(None, blocks("sh").splitlines()):
        (change,) = [QUICK[word] for word in QUICK if line.startswith(word)][:1]
        script.append(
            line.split(" #")[0].replace(*change, 1) + " || [ $? = 124 ]" * ("make lab" in line)
        )
    script.append(f"cat > snippet.py <<'END'\n{blocks('python')}END\npython snippet.py")
    kept = ("PATH", "HOME", "REPLICATION_TRACES", "PIP", "http", "HTTP", "SSL")
    environment = {name: value for name, value in os.environ.items() if name.startswith(kept)}
    words = ["bash", "-c", "\n".join(script)]
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr[-2000:]
    assert (tmp_path / "replication/build/quick/heel_and_toe/fig02.png").is_file()
    assert (tmp_path / "replication/build/jobs.csv").is_file()
    status = ["git", "-C", str(tmp_path / "replication"), "status", "--porcelain"]
    files = subprocess.run(status, capture_output=True, text=True).stdout.split()
    assert sorted(files) == ["??", "snippet.py"]
