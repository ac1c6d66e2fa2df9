"""Links, length and language of the documents. The limits of the language counts may only be lowered."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [
    *(ROOT / name for name in ("README.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
PAGES = [page for page in PAGES if "gallery" not in page.parts and "api" not in page.parts]
GENERATED = {"gallery/index.md", "gallery/index", "tutorial.ipynb"}
PARTICIPLES = re.compile(
    r"^_?(?!seed|speed|feed|embed)([a-z]+ed|found|told|made|given|held|joined|named|recorded|said|seen|known|kept|drawn|written|shown|asked|taken|put|"
    r"chosen|meant|read_out|wanted|left)$"
)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_to_files(page):
    text = re.sub(r"```.*?```|`[^`\n]*`", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    links = re.findall(r"\]\(([^)#\s]+)(?:#[^)]*)?\)", text)
    local = [link for link in links if "://" not in link and link not in GENERATED]
    assert [link for link in local if not (page.parent / link).exists()] == []


def test_the_readme_is_short():
    assert len((ROOT / "README.md").read_text(encoding="utf-8").split()) <= 900


def functions():
    """Yield (function name, first line of its docstring) of the package."""
    for path in (ROOT / "replication").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Module):
                yield getattr(node, "name", ""), (ast.get_docstring(node) or "").split("\n")[0]


def test_names_of_functions_are_verbs_or_nouns():
    names = [name for name, _ in functions() if PARTICIPLES.match(name)]
    assert len(names) <= 125, names


def test_docstrings_do_not_begin_with_a_question_word():
    lines = [line for _, line in functions() if re.match(r"(What|Who|Which|Whoever)\b", line)]
    assert len(lines) <= 77, lines


def test_sentences_are_short():
    """At most 40 words in a sentence of the pages; tables, code and lists of links do not count."""
    long = []
    for page in PAGES:
        text = re.sub(r"```.*?```|^\|.*$", "", page.read_text(encoding="utf-8"), flags=re.S | re.M)
        for sentence in re.split(r"(?<=[.:;?!])\s+|\n\s*\n|\n[-*#]", text):
            if len(re.findall(r"\w+", re.sub(r"`[^`]*`|\([^)]*\)", "x", sentence))) > 40:
                long.append(f"{page.name}: {' '.join(sentence.split())[:60]}")
    assert len(long) <= 40, long
