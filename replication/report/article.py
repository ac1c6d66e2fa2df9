"""The article: ``article/article.md``, edited by hand, with its references filled in from the records.

pandoc makes HTML for the report and, through typst, ``figures/article.pdf``. docs/architecture.md describes the source.
"""

import re

import pypandoc
import typst
import yaml

from replication.papers.published import EvidenceError
from replication.report import record
from replication.report.references import ReferenceFault, References
from replication.report.render import TEMPLATES, uri
from replication.simulator import paths

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

    def embed(match):
        return f'<img loading="lazy" src="{uri((record.folder("paper") / match[1]).read_bytes())}"'

    return IMAGE.sub(embed, _pandoc(fill_references(results), "html", "--mathml"))


def pdf(results):
    """Return the article as a PDF in bytes; the same results give the same bytes."""
    text = fill_references(results, link=False)
    workplace = paths.BUILD / "article"
    workplace.mkdir(parents=True, exist_ok=True)
    for file in PICTURE.findall(text):
        (workplace / file).parent.mkdir(exist_ok=True)
        (workplace / file).write_bytes((record.folder("paper") / file).read_bytes())
    source = workplace / "article.typ"
    source.write_text(_pandoc(text, "typst", "--shift-heading-level-by=-1"), encoding="utf-8")
    # Without the fonts and the date of this machine the bytes are the same everywhere.
    return typst.compile(source, root=workplace, ignore_system_fonts=True, timestamp=0)


def fill_references(results, link=True):
    """Return the source with all references filled in; `link` links verdicts to the report."""
    source = (paths.ARTICLE / "article.md").read_text(encoding="utf-8")
    text, problems = _fill(source, results, link)
    for match in PICTURE.finditer(text):
        if not (record.folder("paper") / match[1]).is_file():
            problems.append((source.find(match[1]), f"no picture {match[1]}"))
    library = (paths.ARTICLE / "references.bib").read_text(encoding="utf-8")
    for match in re.finditer(r"@([\w-]+)", source):
        if f"{{{match[1]}," not in library:
            problems.append((match.start(), f"no entry {match[1]!r} in references.bib"))
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

    def fill(match):
        try:
            return references.text(" ".join(match[0][1:-1].split()), link)
        except ReferenceFault as error:
            problems.append((match.start(), f"{match[0]}: {error}"))
            return "?"

    return REFERENCE.sub(fill, source), problems


def _raise(problems, name, source):
    if problems:
        lines = ((source[: max(place, 0)].count("\n") + 1, why) for place, why in sorted(problems))
        raise ArticleError([f"{name}:{line}: {why}" for line, why in lines])


def _pandoc(text, to, *options):
    ending = {"typst": "typ"}.get(to, to)
    cited = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    names = ", ".join(author["name"] for author in cited["authors"])
    version = f"{names}, version {cited['version']}, {cited['date-released']}"
    options = ["--standalone", f"--template={TEMPLATES / f'article.{ending}'}", *options]
    options += ["--citeproc", f"--bibliography={paths.ARTICLE / 'references.bib'}", "--wrap=none"]
    options += ["--metadata=link-citations:true", "--variable", f"version={version}"]
    return pypandoc.convert_text(text, to, format=SOURCE, extra_args=options)
