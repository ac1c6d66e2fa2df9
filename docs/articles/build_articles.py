"""Build the two articles, ``replication.md`` and ``studies.md``, with their references filled in
from the records.

pandoc makes HTML for the report, in ``build/articles/``, and, through typst, a PDF of each in
``figures/``. The table of results in README.md, with which the report begins, comes from
``results.md`` in the same way. The sources hold references to recorded results:

``{NAME}``
    The value of this name in ``replication.py`` or ``studies.py``.
``{verdict PAPER/CLAIM; holds}``
    The verdict on a claim. The verdict that the sentence assumes is part of the reference.
``{table NAME; CAPTION}``
    The table of this name in these modules; only articles show captions.
``{ref NAME}``
    The number of a table or of a picture, such as "Table 2" or "Fig. 1".
``{include NAME}``
    The text of another source.
"""

import re
import sys
from pathlib import Path

import pypandoc
import typst
import yaml

from docs.articles import replication, studies
from docs.articles.cells import NoResult, Records
from replication.report import record
from replication.report.assemble import ARTICLES, RESULTS
from replication.report.results import ReportError, collect
from replication.simulator import paths, writing
from replication.simulator.errors import among, did_you_mean
from replication.verdicts.published import EvidenceError

HERE = Path(__file__).resolve().parent
NAMES = "replication", "studies"
TABLES = replication.TABLES | studies.TABLES
# Braces behind a bracket are the attributes of a picture.
REFERENCE = re.compile(r"(?<!\))\{[^{}]*\}")
PICTURE = re.compile(r"^!\[[^\n]*\]\(([^)\n]+)\)", re.MULTILINE)
INCLUDE = re.compile(r"\{include ([\w-]+)\}")
CAPTION = re.compile(r"\{table ([\w-]+);")
#: The source names pictures from its own folder, so that a forge shows them.
FROM_SOURCE = "](../../figures/"
IMAGE = re.compile(r'<img src="([^"]+)"')
# The text of a link may have brackets, as an interval has.
LINK = re.compile(r"\[((?:[^][]|\[[^]]*\])*)\]\([^)]*\)(\{[^}]*\})?")
NUMBER = re.compile(r"\**[-+]?\d[\d,.]*( to \d+)?( %| of \d+)?( \[.*\])?\**|\u2013?")
# A hyphen before a number is a minus sign; a line does not end before the sign of per cent.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
PER_CENT = re.compile(r"(?<=[\d}]) (?=%)")
#: The first line of the page that is made from a source.
SOURCE = "markdown-raw_html-raw_tex-implicit_header_references"


class ArticleError(EvidenceError):
    """An article that disagrees with the results; ``lines`` has a line for each place in the
    source.
    """

    def __init__(self, lines):
        super().__init__(f"{len(lines)} places of an article disagree with the results")
        self.lines = lines


def html(name, results) -> str:
    """Return an article as an HTML fragment, with the places of pictures from the top folder on;
    anchors begin with its name.

    Parameters
    ----------
    name : str
        One of `NAMES`, or the table of results.
    results : replication.report.results.Results

    Raises
    ------
    ArticleError
        If a reference leads nowhere or a verdict is no longer the one that the text states.
    """

    def embed(match):
        place = (record.folder("paper") / match[1]).relative_to(paths.ROOT)
        return f'<img loading="lazy" src="file:{place.as_posix()}"'

    prefix = f"article-{name}-"
    markup = _pandoc(
        name, fill_references(name, results), "html", "--mathml", f"--id-prefix={prefix}"
    )
    # Claims and records are in the report, not in the article.
    markup = markup.replace(f'href="#{prefix}record:', 'href="#')
    return IMAGE.sub(embed, markup.replace(f'href="#{prefix}claim:', 'href="#claim:'))


def pdf(name, results) -> bytes:
    """Return an article as a PDF in bytes; the same results give the same bytes."""
    text = fill_references(name, results, link=False)
    workplace = paths.BUILD / "articles"
    workplace.mkdir(parents=True, exist_ok=True)
    for file in PICTURE.findall(text):
        (workplace / file).parent.mkdir(parents=True, exist_ok=True)
        (workplace / file).write_bytes((record.folder("paper") / file).read_bytes())
    source = workplace / f"{name}.typ"
    markup = _pandoc(name, text, "typst", "--shift-heading-level-by=-1")
    source.write_text(markup, encoding="utf-8")
    # Without the fonts and the date of this machine the bytes are the same everywhere.
    return typst.compile(source, root=workplace, ignore_system_fonts=True, timestamp=0)


def fill_references(name, results, link=True) -> str:
    """Return the source of an article with all references filled in; `link` links verdicts to the
    report.
    """
    return _fill(name, References(results, link, _numbered(name)))


class References:
    """Look up references in the results.

    With `link`, a verdict is linked to its claim in the report, and a number to its record.
    `numbered` has the numbers of the tables and pictures of an article by name.
    """

    def __init__(self, results, link=True, numbered=None):
        self.numbered, self._records = numbered or {}, Records(results, link)
        self._values = replication.values(self._records) | studies.values(self._records)

    def text(self, reference) -> str:
        """Return the Markdown of a reference, given without its braces.

        Raises
        ------
        NoResult
            If there is none of this name, or the verdict differs from the one that the text states.
        """
        head, _, further = (part.strip() for part in reference.partition(";"))
        kind, _, name = head.partition(" ")
        if not name:
            if kind not in self._values:
                raise NoResult(f"no value {kind!r}{did_you_mean(kind, self._values)}")
            return self._values[kind]
        if kind == "verdict":
            if further != self._records.word(name):
                said, verdict = further or "no verdict", self._records.word(name)
                raise NoResult(f"the text says {said!r}; the verdict is {verdict!r}")
            return self._records.verdict(name)
        if kind == "table":
            make = TABLES[among(TABLES, "table", name, NoResult)]
            markdown = pipe_table(make(self._records))
            number = self.numbered.get(name)
            return f"{markdown}\n\n: **{number}.** {further}" if number else markdown
        if kind == "ref":
            return self.numbered[among(self.numbered, "ref", name, NoResult)]
        raise NoResult(f"{kind!r}; allowed: verdict, table, ref, include, or the name of a value")


def _numbered(name):
    """Return the numbers of the tables and pictures of an article, in their order, by name."""
    source = (HERE / f"{name}.md").read_text(encoding="utf-8")
    source = INCLUDE.sub(lambda match: (HERE / f"{match[1]}.md").read_text("utf-8"), source)
    kinds = {"Table": CAPTION.findall(source), "Fig.": map(_stem, PICTURE.finditer(source))}
    return {
        name: f"{kind}\u00a0{number}"
        for kind, names in kinds.items()
        for number, name in enumerate(names, 1)
    }


def _stem(picture):
    return Path(picture[1]).stem


def readme(results) -> str:
    """Return README.md with its table of results filled in from ``docs/articles/results.md``.

    Raises
    ------
    ArticleError
        If a reference leads nowhere.
    """
    table = _fill(RESULTS, References(results, link=False), typography=False)
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    block = f"<!-- results -->\n{table}<!-- /results -->"
    return re.sub(r"<!-- results -->\n.*?<!-- /results -->", lambda _: block, text, flags=re.DOTALL)


def _fill(name, references, typography=True):
    """Return the source `name` with its references filled in; ArticleError names all faults."""
    source = (HERE / f"{name}.md").read_text(encoding="utf-8")
    problems = []

    def fill(match):
        kind, _, what = match[0][1:-1].partition(" ")
        try:
            if kind == "include":
                return _fill(what, references, typography)
            return references.text(" ".join(match[0][1:-1].split()))
        except NoResult as error:
            problems.append((match.start(), f"{match[0]}: {error}"))
            return "?"

    def number(picture):
        return picture[0].replace("![", f"![**{references.numbered[_stem(picture)]}.** ", 1)

    text = PICTURE.sub(number, REFERENCE.sub(fill, source)).replace(FROM_SOURCE, "](")
    for match in PICTURE.finditer(text):
        if not (record.folder("paper") / match[1]).is_file():
            problems.append((source.find(match[1]), f"no picture {match[1]}"))
    library = (HERE / "references.bib").read_text(encoding="utf-8")
    for match in re.finditer(r"@([\w-]+)", source):
        if f"{{{match[1]}," not in library:
            problems.append((match.start(), f"no entry {match[1]!r} in references.bib"))
    if problems:
        lines = ((source[: max(place, 0)].count("\n") + 1, why) for place, why in sorted(problems))
        raise ArticleError([f"docs/articles/{name}.md:{line}: {why}" for line, why in lines])
    return PER_CENT.sub("\u00a0", MINUS.sub("\u2212", text)) if typography else text


def pipe_table(frame) -> str:
    """Return a DataFrame of text as a pipe table of Markdown.

    Columns of numbers are aligned to the right; columns share the width by their longest cells.
    """
    cells = [[str(cell).replace("|", "\\|") for cell in row] for row in frame.to_numpy()]
    rules = []
    for heading, column in zip(frame, zip(*cells, strict=True), strict=True):
        plain = [LINK.sub(r"\1", cell) for cell in column]
        numbers = all(map(NUMBER.fullmatch, plain))
        words = heading.split() if numbers else [heading]
        # Headings are bold, and so wider.
        width = max(4, *(len(word) + 1 for word in words), *(len(text) for text in plain))
        width = min(width, 60) + 2  # for the space between columns
        rules.append("-" * (width - 1) + ":" if numbers else ":" + "-" * (width - 1))
    return "\n".join(f"| {' | '.join(row)} |" for row in (list(frame), rules, *cells))


def _pandoc(name, text, to, *options):
    ending = {"typst": "typ"}.get(to, to)
    cited = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = ", ".join(author["name"] for author in cited["authors"])
    version = f"{names}, version {cited['version']}"
    options = ["--standalone", f"--template={HERE / f'article.{ending}'}", *options]
    options += ["--citeproc", f"--bibliography={HERE / 'references.bib'}", "--wrap=none"]
    options += ["--metadata=link-citations:true", "--variable", f"version={version}"]
    options += ["--variable", f"name={name}"]
    return pypandoc.convert_text(text, to, format=SOURCE, extra_args=options)


def build() -> list[Path]:
    """Write the articles and the table of results, and return their paths; none if a notebook has
    no result on real logs.

    Raises
    ------
    ArticleError
        If an article and the results disagree; nothing is written then.
    """
    for name in (*NAMES, RESULTS):  # the report takes what it finds
        (paths.BUILD / ARTICLES / f"{name}.html").unlink(missing_ok=True)
    results = collect("paper")
    if results.missing:
        return []
    outputs = {}
    for name in NAMES:
        outputs[paths.BUILD / ARTICLES / f"{name}.html"] = html(name, results).encode()
        outputs[paths.FIGURES / f"{name}.pdf"] = pdf(name, results)
    outputs[paths.BUILD / ARTICLES / f"{RESULTS}.html"] = html(RESULTS, results).encode()
    outputs[paths.ROOT / "README.md"] = readme(results).encode()
    for path, content in outputs.items():
        writing.write(path, content)
    return list(outputs)


if __name__ == "__main__":
    try:
        built = build()
        print(
            f"articles: {', '.join(NAMES)}"
            if built
            else "articles: not built; notebooks are missing"
        )
    except (ReportError, EvidenceError) as error:
        sys.exit("\n".join([f"articles: {error}", *getattr(error, "lines", ())]))
