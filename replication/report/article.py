"""The article: ``article/article.md``, edited by hand, with its references filled in from the records.

pandoc makes HTML for the report and, through typst, ``figures/article.pdf``. docs/architecture.md describes the source.
"""

import base64
import re
from pathlib import Path

import pypandoc
import typst
import yaml

from replication.papers.published import EvidenceError
from replication.report import record
from replication.report.references import ReferenceFault, References
from replication.simulator import paths

TEMPLATES = Path(__file__).parent / "templates"
COMMENT = re.compile(r"<!--.*?-->\n?", re.DOTALL)
CODE = re.compile(r"^```.*?^```$|`[^`\n]*`", re.MULTILINE | re.DOTALL)
# Braces behind a bracket are the attributes of a picture.
REFERENCE = re.compile(r"(?<!\))\{[^{}]*\}")
PICTURE = re.compile(r"^!\[[^\n]*\]\(([^)\n]+)\)", re.MULTILINE)
IMAGE = re.compile(r'<img src="([^"]+)"')
SOURCE = "markdown-raw_html-raw_tex-implicit_header_references"


class ArticleError(EvidenceError):
    """An article that disagrees with the results; ``lines`` has a line for each place in the source."""

    def __init__(self, lines):
        super().__init__(f"{len(lines)} places of the article disagree with the results")
        self.lines = lines


def exists():
    """Return True if there is an article."""
    return (paths.ARTICLE / "article.md").is_file()


def html(results):
    """Return the article as an HTML fragment with its pictures embedded.

    Parameters
    ----------
    results : replication.report.results.Results

    Raises
    ------
    ArticleError
        If a reference leads nowhere or a verdict is no longer the one that the text states.
    """
    fragment = _pandoc(fill_references(results), "html", "--mathml")
    return IMAGE.sub(lambda found: f'<img loading="lazy" src="{_embedded(found[1])}"', fragment)


def pdf(results):
    """Return the article as a PDF in bytes; the same results give the same bytes."""
    text = fill_references(results, link=False)
    source = _pandoc(text, "typst", "--shift-heading-level-by=-1")
    workplace = paths.BUILD / "article"
    workplace.mkdir(parents=True, exist_ok=True)
    for file in PICTURE.findall(text):
        (workplace / file).parent.mkdir(exist_ok=True)
        (workplace / file).write_bytes((record.folder("paper") / file).read_bytes())
    (workplace / "article.typ").write_text(source, encoding="utf-8")
    # Without the fonts and the date of this machine the bytes are the same everywhere.
    return typst.compile(
        workplace / "article.typ", root=workplace, ignore_system_fonts=True, timestamp=0
    )


def fill_references(results, link=True):
    """Return the source with all references filled in; `link` links verdicts to the report."""
    source = (paths.ARTICLE / "article.md").read_text(encoding="utf-8")
    source = COMMENT.sub(lambda found: "\n" * found[0].count("\n"), source)
    text, problems = _fill(source, results, link)
    for found in PICTURE.finditer(text):
        if not (record.folder("paper") / found[1]).is_file():
            problems.append((source.find(found[1]), f"no picture {found[1]}"))
    library = (paths.ARTICLE / "references.bib").read_text(encoding="utf-8")
    for found in re.finditer(r"@([\w-]+)", CODE.sub(lambda code: "`" * len(code[0]), source)):
        if f"{{{found[1]}," not in library:
            problems.append((found.start(), f"no entry {found[1]!r} in references.bib"))
    _raise(problems, "article/article.md", source)
    return text


def readme(results):
    """Return README.md with its table of results filled in from ``article/results.md``.

    Raises
    ------
    ArticleError
        If a reference leads nowhere.
    """
    source = (paths.ARTICLE / "results.md").read_text(encoding="utf-8")
    table, problems = _fill(source, results, link=False)
    _raise(problems, "article/results.md", source)
    text = (paths.ROOT / "README.md").read_text(encoding="utf-8")
    block = f"<!-- results -->\n{table}<!-- /results -->"
    return re.sub(r"<!-- results -->\n.*?<!-- /results -->", lambda _: block, text, flags=re.DOTALL)


def _fill(source, results, link):
    """Return `source` with its references filled in, and a list of (position, problem)."""
    references, problems = References(results), []
    code = [found.span() for found in CODE.finditer(source)]

    def fill(found):
        if any(first <= found.start() < last for first, last in code):
            return found[0]
        try:
            return references.text(" ".join(found[0][1:-1].split()), link)
        except ReferenceFault as error:
            problems.append((found.start(), f"{found[0]}: {error}"))
            return "?"

    return REFERENCE.sub(fill, source), problems


def _raise(problems, name, source):
    if problems:
        raise ArticleError(
            [
                f"{name}:{source.count(chr(10), 0, max(place, 0)) + 1}: {problem}"
                for place, problem in sorted(problems)
            ]
        )


def version():
    """Return authors and version as CITATION.cff has them."""
    cited = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = ", ".join(author["name"] for author in cited["authors"])
    return f"{names}, version {cited['version']}, {cited['date-released']}"


def _pandoc(text, to, *options):
    ending = {"typst": "typ"}.get(to, to)
    options = ["--standalone", f"--template={TEMPLATES / f'article.{ending}'}", *options]
    options += ["--citeproc", f"--bibliography={paths.ARTICLE / 'references.bib'}", "--wrap=none"]
    options += ["--metadata=link-citations:true", "--variable", f"version={version()}"]
    return pypandoc.convert_text(text, to, format=SOURCE, extra_args=options)


def _embedded(file):
    data = (record.folder("paper") / file).read_bytes()
    return f"data:image/png;base64,{base64.b64encode(data).decode()}"
