"""The pages: links lead to files, and commands, options and choices exist."""

import ast
import json
import re
import shlex

import pytest

import replication as rp  # noqa: F401, named in the guide
from replication import cli
from replication.simulator.paths import ROOT

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


def test_choices_in_the_tables_of_the_guide_exist():
    page = (ROOT / "docs/guide.md").read_text(encoding="utf-8")
    choices = re.findall(r"`(rp\.[A-Z][a-zA-Z]*\([^`]*\))`", page)
    assert len(choices) > 10 and all(eval(choice) for choice in choices)


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_commands_in_the_pages_exist(page):
    """Each is parsed with its options and not run."""
    program = r"^(?: {4})?(?:python -m )?replication (?:--import \S+ )?([a-z]+) (.*?)(?:  +#.*)?$"
    for name, words in re.findall(program, page.read_text(encoding="utf-8"), re.MULTILINE):
        cli.shell.commands[name].make_context(name, shlex.split(words))


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
