"""The article: ``article/article.md``, which a person edits, with what was recorded filled in.

docs/article.md says how it is written. Any reference that leads nowhere, any verdict that is no longer the one the
sentence states and any typed number is a problem, a pair of its line from 1 and what it is; all are found before the
build stops.
"""

import re

from replication.papers import git
from replication.report import metadata, record
from replication.report.facts import FactError, Facts
from replication.simulator import paths

COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
REFERENCE = re.compile(r"\{([^{}]*)\}")
CITED = re.compile(r"\[(@[\w-]+(?:; @[\w-]+)*)\]")
FIGURE = re.compile(r"^!\[(?P<caption>[^\n]*)\]\((?P<file>[^)\n]+)\)$", re.MULTILINE)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
ADDRESS = re.compile(r"(?<=\])\([^)\n]*\)|<https?:[^>]*>")
ENTRY = re.compile(r"^@(\w+)\{([\w-]+),\n(.*?)^\}$", re.MULTILINE | re.DOTALL)
FIELD = re.compile(r"^\s*(\w+)\s*=\s*\{(.*)\},?$", re.MULTILINE)
# A number of these kinds is a name, a place or a setting, and no result.
NAMES = re.compile(
    r"""
    (?:Figs?\.|Tables?|[Ss]ections?|[Ff]ootnotes?)\ \d[\d.]*(?:(?:,\ |\ and\ |\ to\ )\d[\d.]*)*
    | ^\#+\ \d[\d.]*                   # a heading's own
    | ^\d+\.\                          # an item of a list
    | \b(?:19|20)\d\d\b | '\d\d\b      # years
    | \b[A-Za-z]+-?[A-Za-z]*\d\w*      # SP2, AP0WAF, R2, sha256
    | \b[fF]\ [=<>]\ \d[\d,.]*(?:\ to\ [\d,]+)? # the model's parameter
    | 95\ %                            # the level of all intervals
    """,
    re.VERBOSE | re.MULTILINE,
)
#: What the results are made from: a commit that changes nothing of it has the same identifiers.
MADE_FROM = ("replication", "notebooks", "data", "article", "requirements.lock")
WORD = re.compile(r"[^\W\d_][\w'-]*")


class ArticleError(ValueError):
    """An article that cannot stand as it is; ``lines`` has one for each place in its source."""

    def __init__(self, lines):
        super().__init__(f"{len(lines)} places of the article do not agree with the results")
        self.lines = lines


def exists():
    """Whether there is an article."""
    return (paths.ARTICLE / "article.md").is_file()


def build(results):
    """The article of `replication.report.results.Results` of kind ``paper``, everything filled in.

    Returns a dict: ``title``, ``authors``, ``version``; ``identifiers``, SWHIDs of commit and tree; ``abstract`` and
    ``text``, Markdown with a paragraph for each of ``figures``; ``references`` in the order in which they are
    cited; ``words`` and ``filled``, how many words and references into the results it has. ArticleError if any place
    cannot stand.
    """
    source = (paths.ARTICLE / "article.md").read_text(encoding="utf-8")
    # Lines keep their numbers.
    source = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source)
    library = bibliography((paths.ARTICLE / "references.bib").read_text(encoding="utf-8"))
    text, problems = fill(source, Facts(results).text)
    cited = list(dict.fromkeys(key for group in CITED.findall(text) for key in _keys(group)))
    figures = [found["file"] for found in FIGURE.finditer(text)]
    absent = {
        f"@{key}": f"no entry {key!r} in references.bib" for key in cited if key not in library
    }
    absent |= {
        file: f"no picture {file}"
        for file in figures
        if not (record.folder("paper") / file).is_file()
    }
    problems += [(_line(source, source.find(word)), what) for word, what in absent.items()]
    problems += typed(source)
    if problems:
        problems.sort(key=lambda problem: problem[0])
        raise ArticleError([f"article/article.md:{line}: {what}" for line, what in problems])
    number = {key: f"[[{place}]](#cited-{key})" for place, key in enumerate(cited, start=1)}
    text = CITED.sub(lambda group: "".join(map(number.get, _keys(group[1]))), text)
    head, rest = re.split(r"^(?=## )", text, maxsplit=1, flags=re.MULTILINE)
    title, _, abstract = head.strip().partition("\n")
    cited_as = metadata.citation()
    return {
        "authors": ", ".join(who["name"] for who in cited_as["authors"]),
        "version": f"version {cited_as['version']}, {cited_as['date-released']}",
        "identifiers": git.identifiers(*MADE_FROM),
        "title": title.removeprefix("# "),
        "abstract": abstract.strip(),
        "text": rest,
        "figures": figures,
        "references": [{"key": key} | library[key] for key in cited],
        # A figure is a word.
        "words": len(WORD.findall(ADDRESS.sub("", CODE.sub("", FIGURE.sub("Figure", text))))),
        "filled": len(REFERENCE.findall(CODE.sub("", source))),
    }


def fill(source, text):
    """A source with each reference replaced by what `text` gives for it, and a problem where that raises FactError."""
    problems, made, place = [], [], 0
    code = [found.span() for found in CODE.finditer(source)]
    for found in REFERENCE.finditer(source):
        if any(first <= found.start() < last for first, last in code):
            continue
        try:
            filled = text(" ".join(found[1].split()))
        except FactError as error:
            filled = "?"
            problems.append((_line(source, found.start()), f"{found[0]}: {error}"))
        made += [source[place : found.start()], filled]
        place = found.end()
    return "".join([*made, source[place:]]), problems


def typed(source):
    """A problem for each number in a source that somebody typed."""
    for pattern in (REFERENCE, CODE, ADDRESS, CITED, NAMES):
        source = pattern.sub(lambda found: re.sub(r"[^\n]", " ", found[0]), source)
    return [
        (_line(source, found.start()), f"{found[0]} is typed: refer to the record of it")
        for found in re.finditer(r"\d[\d.,]*", source)
    ]


def bibliography(source):
    """The entries of a BibTeX file with a line for each field: by key, ``text`` as printed and ``url``, maybe empty."""
    return {key: _entry(dict(FIELD.findall(body))) for _, key, body in ENTRY.findall(source)}


def _entry(field):
    names = [
        " ".join(reversed([part.strip() for part in name.split(",")]))
        for name in field["author"].split(" and ")
    ]
    within = field.get("booktitle") or field.get("journal") or field.get("howpublished", "")
    number = f" {field['volume']}" if "volume" in field else ""
    number += f" ({field['number']})" if "number" in field else ""
    pages = f", {field['pages'].replace('--', '–')}" if "pages" in field else ""
    note = f" {field['note']}" if "note" in field else ""
    parts = [", ".join(names), field["title"], f"{within}{number}{pages}", field.get("year", "")]
    said = ". ".join(part for part in parts if part) + "." + note
    return {"text": re.sub(r"[{}]", "", said), "url": field.get("url", "")}


def _keys(group):
    return re.findall(r"@([\w-]+)", group)


def _line(source, place):
    return source.count("\n", 0, max(0, place)) + 1
