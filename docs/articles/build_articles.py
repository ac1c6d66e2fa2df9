"""Build the two articles, ``replication.md`` and ``studies.md``, with their references filled in
from the records.

pandoc makes HTML for the report, in ``build/articles/``, and, through typst, a PDF of each in
``figures/``. The table of results in README.md, with which the report begins, comes from
``results.md`` in the same way, and the page docs/reporting.md from ``reporting.md``, which is a
section of an article, too. The sources hold references to recorded results; docs/records.md
describes them.

``{value TABLE COLUMN NAME=VALUE ...; FORMAT}``
    The cells of a column in the rows that meet all conditions.
``{verdict PAPER/CLAIM; holds}``
    The verdict on a claim. The verdict that the sentence assumes is part of the reference.
``{table NAME; CAPTION}``
    The table that the function of this name in ``queries.py`` makes; only articles show captions.
``{ref NAME}``
    The number of a table or of a picture, such as "Table 2" or "Fig. 1".
``{include NAME}``
    The text of another source.
"""

import functools
import re
import shlex
import sys
from pathlib import Path

import pypandoc
import typst
import yaml

from docs.articles import queries
from replication.report import record
from replication.report.assemble import ARTICLES, RESULTS
from replication.report.render import SIGNS
from replication.report.results import ReportError, collect
from replication.simulator import paths, writing
from replication.simulator.errors import among
from replication.verdicts import evidence, shown
from replication.verdicts.published import EvidenceError

HERE = Path(__file__).resolve().parent
NAMES = "replication", "studies"
# Braces behind a bracket are the attributes of a picture.
REFERENCE = re.compile(r"(?<!\))\{[^{}]*\}")
PICTURE = re.compile(r"^!\[[^\n]*\]\(([^)\n]+)\)", re.MULTILINE)
INCLUDE = re.compile(r"\{include ([\w-]+)\}")
CAPTION = re.compile(r"\{table ([\w-]+);")
#: The source names pictures from its own folder, so that a forge shows them.
FROM_SOURCE = "](../../figures/"
IMAGE = re.compile(r'<img src="([^"]+)"')
CONDITION = re.compile(r"([^=!]+)(!?=)(.*)")
FORMAT = re.compile(r"(abs )?[+,]*\.\d+[f%]")
LINK = re.compile(r"\[([^]]*)\]\([^)]*\)(\{[^}]*\})?")
NUMBER = re.compile(r"\**[-+]?\d[\d,.]*( to \d+)?( %| of \d+)?( \[.*\])?\**|\u2013?")
# A hyphen before a number is a minus sign; a line does not end before the sign of per cent.
MINUS = re.compile(r"(?<![\w.-])-(?=\d)")
PER_CENT = re.compile(r"(?<=[\d}]) (?=%)")
#: Columns of the cases of claims.
CASE = "claim", "case", "part", *evidence.NUMBERS, "unit"
#: The first line of the page that is made from a source.
PAGE = "<!-- Made by docs/articles/build_articles.py from docs/articles/reporting.md -->"
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
    made = _pandoc(
        name, fill_references(name, results), "html", "--mathml", f"--id-prefix={prefix}"
    )
    # Claims and records are in the report, not in the article.
    made = made.replace(f'href="#{prefix}record:', 'href="#')
    return IMAGE.sub(embed, made.replace(f'href="#{prefix}claim:', 'href="#claim:'))


def pdf(name, results) -> bytes:
    """Return an article as a PDF in bytes; the same results give the same bytes."""
    text = fill_references(name, results, link=False)
    workplace = paths.BUILD / "articles"
    workplace.mkdir(parents=True, exist_ok=True)
    for file in PICTURE.findall(text):
        (workplace / file).parent.mkdir(parents=True, exist_ok=True)
        (workplace / file).write_bytes((record.folder("paper") / file).read_bytes())
    source = workplace / f"{name}.typ"
    made = _pandoc(name, text, "typst", "--shift-heading-level-by=-1")
    source.write_text(made, encoding="utf-8")
    # Without the fonts and the date of this machine the bytes are the same everywhere.
    return typst.compile(source, root=workplace, ignore_system_fonts=True, timestamp=0)


def fill_references(name, results, link=True) -> str:
    """Return the source of an article with all references filled in; `link` links verdicts to the
    report.
    """
    return _fill(name, References(results, link, _numbered(name)))


def _numbered(name):
    """Return the numbers of the tables and pictures of an article, in their order, by name."""
    source = (HERE / f"{name}.md").read_text(encoding="utf-8")
    source = INCLUDE.sub(lambda found: (HERE / f"{found[1]}.md").read_text("utf-8"), source)
    kinds = {"Table": CAPTION.findall(source), "Fig.": map(_stem, PICTURE.finditer(source))}
    return {
        one: f"{kind}\u00a0{number}"
        for kind, names in kinds.items()
        for number, one in enumerate(names, 1)
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


def reporting(results) -> str:
    """Return the page docs/reporting.md, whose text is a section of the first article.

    Raises
    ------
    ArticleError
        If a reference leads nowhere.
    """
    text = _fill("reporting", References(results, link=False))
    return f"{PAGE}\n\n# What a paper on a scheduler must state\n\n{text}"


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
        except ReferenceFault as error:
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
        width = min(width, 60)
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


class ReferenceFault(ValueError):
    """A reference without a result, or with a result that differs from the one its
    sentence states.
    """


class References:
    """Look up references in `replication.report.results.Results`.

    With `link`, a verdict is linked to its claim in the report, and a number to its record.
    `numbered` has the numbers of tables and pictures of an article by name.
    """

    def __init__(self, results, link=True, numbered=None):
        self.link = link
        self.numbered = numbered or {}
        self._papers = results.papers
        self._items = results.every("items")
        self.rows = functools.cache(self.rows)  # most tables have many references

    def text(self, reference) -> str:
        """Return the Markdown of a reference, given without its braces; ReferenceFault if it has no
        result.
        """
        first, *further = (part.strip() for part in reference.split(";"))
        try:
            kind, *words = shlex.split(first)
        except ValueError as error:
            raise ReferenceFault(f"unreadable: {error}") from None
        if kind == "verdict" and len(words) == 1:
            text, verdict = self.verdict(words[0]), self._verdict(words[0])
            if further != [verdict]:
                expected = "; ".join(further) or "no verdict"
                raise ReferenceFault(f"the text says {expected!r}; the verdict is {verdict!r}")
            return text
        if kind == "value" and len(words) > 1:
            return self._linked(self._value(words, further), words)
        if kind == "table" and len(words) == 1:
            return self._table(words[0], "; ".join(further))
        if kind == "ref" and len(words) == 1:
            return self.numbered[among(self.numbered, "ref", words[0], ReferenceFault)]
        raise ReferenceFault(
            f"{first!r}; expected verdict and a claim, value, a table and a column, "
            "table and its name, or ref and the name of a table or picture"
        )

    def verdict(self, claim) -> str:
        """Return the verdict on a claim (``paper/name``) with its symbol."""
        verdict = self._verdict(claim)
        # With a plain blank "= check" in a cell would be a heading in typst.
        words = f"{SIGNS[verdict]}\u00a0{verdict}"
        return f"[{words}](#{evidence.place('claim', *claim.split('/'))})" if self.link else words

    def _verdict(self, claim):
        paper, _, name = claim.partition("/")
        return self.select(f"{paper}.claims", "verdict", f"claim={name}")[0]

    def value(self, table, column, *further, **conditions) -> str:
        """Return what ``{value TABLE COLUMN NAME=VALUE ...; FURTHER; ...}`` does."""
        words = [table, column, *(f"{name}={value}" for name, value in conditions.items())]
        return self._linked(self._value(words, further), words)

    def _linked(self, text, words):
        place = self._place(words) if self.link else ""
        return f"[{text}](#record:{place}){{.value}}" if place else text

    def _table(self, name, caption):
        makers = {key.replace("_", "-"): one for key, one in queries.TABLES.items()}
        if name not in makers:
            raise ReferenceFault(f"no table {name!r}, but {', '.join(sorted(makers))}")
        made = pipe_table(makers[name](self))
        return (
            f"{made}\n\n: **{self.numbered[name]}.** {caption}" if name in self.numbered else made
        )

    def _value(self, words, further):
        cells, form = self.select(*words, none="count" in further), ""
        for part in further:
            if part in SIGNS:
                if set(cells) != {part}:
                    raise ReferenceFault(f"the text says {part!r}; the cell holds {cells[0]!r}")
            elif part == "count":
                cells = [float(len(cells))]
            elif part == "sum":
                cells = [sum(map(_number, cells))]
            elif FORMAT.fullmatch(part):
                form = part
            elif part != "range":
                raise ReferenceFault(
                    f"{part!r} is no verdict, no format, and not count, range or sum"
                )
        if "range" not in further:
            return ", ".join(_format(cell, form) for cell in cells)
        size = abs if form.startswith("abs") else float
        ordered = sorted(set(cells) - {""}, key=lambda cell: size(_number(cell)))
        if not ordered:
            raise ReferenceFault(f"{' '.join(words)}: all cells are empty")
        ends = [ordered[0], ordered[-1]][: len(ordered)]
        return " to ".join(_format(cell, form) for cell in ends).replace(" % to ", " to ")

    def _place(self, words):
        """Return the anchor, in the report, of the claim, number or item behind a value; empty for
        one of all papers.
        """
        table, _, *conditions = words
        (key, _, part), chosen = table.partition("."), dict(one.split("=", 1) for one in conditions)
        if part in ("claims", "cases") and key != "all" and "claim" in chosen:
            return evidence.place("claim", key, chosen["claim"])
        if part == "numbers":
            every = [one for paper in self._papers if paper.key == key for one in paper.numbers]
            fits = [
                one
                for one in every
                if all(str(vars(one.printed).get(k)) == chosen[k] for k in chosen)
            ]
            return evidence.place(*fits[0].name) if len(fits) == 1 else ""
        own = [one for one in self._items if f"{table}-".startswith(f"{one.name}-")]
        return max(own, key=lambda one: len(one.name)).id if own else ""

    def select(self, table, column, *conditions, none=False) -> list:
        """Return the cells of a column in the rows of a table that meet all conditions.

        There is at least one, or, with `none`, at least one row for each condition alone.
        """
        rows = self.rows(table)
        known = list(rows[0]) if rows else []
        tests = [CONDITION.fullmatch(condition) for condition in conditions]
        if None in tests:
            raise ReferenceFault(f"conditions {conditions}; expected NAME=VALUE or NAME!=VALUE")
        for name in (column, *(test[1] for test in tests)):
            if name not in known:
                raise ReferenceFault(f"{table} has no column {name!r}, but {', '.join(known)}")
        cells = [row[column] for row in rows if all(_meets(row[one[1]], one) for one in tests)]
        unknown = none and [
            one for one in tests if not any(_meets(row[one[1]], one) for row in rows)
        ]
        if not cells and (unknown or not none):
            raise ReferenceFault(f"{table}: no row has {', '.join(conditions)}")
        return cells

    def rows(self, table) -> list[dict]:
        """Return a table as a list of dicts: of a record, or of a paper's numbers,
        claims or cases.
        """
        name, _, part = table.partition(".")
        papers = [paper for paper in self._papers if name in ("all", paper.key)]
        if part == "numbers":
            every = [one for paper in papers for one in paper.numbers]
            return [{"item": one.printed.item} | one.shown() | {"ours": one.ours} for one in every]
        every = [one for paper in papers for one in paper.claims]
        if part == "claims":
            return [
                {
                    "claim": c.id,
                    "verdict": c.verdict,
                    "held": c.count,
                    "kind": c.about,
                    "other": "yes" if c.otherwise else "no",
                    "unsure": c.unsure,
                    "baseline": c.entry["baseline"],
                    "textbook": c.textbook,
                }
                for c in every
            ]
        if part == "cases":
            empty = dict.fromkeys(CASE, "")
            return [empty | {"claim": one.id} | case for one in every for case in one.default]
        if part == "record" and (facts := record.read("paper", name)):
            return [facts]
        path = record.folder("paper") / f"{name}.csv"
        if part or not path.is_file():
            raise ReferenceFault(f"no table {table} among the records")
        return [
            {column: _parse(cell) for column, cell in row.items()}
            for row in evidence.read_csv(path)
        ]


def _meets(cell, test):
    """Return True if a cell is the value of a condition, as text or number, or is not."""
    _, sign, wanted = test.groups()
    try:
        same = str(cell) == wanted or float(cell) == float(wanted)
    except (TypeError, ValueError):
        same = False
    return same == (sign == "=")


def _parse(cell):
    try:
        return float(cell)
    except ValueError:
        return cell


def _number(cell):
    try:
        return float(re.sub("[,% ]", "", str(cell)))
    except ValueError:
        raise ReferenceFault(f"{cell!r} is no number") from None


def _format(cell, form):
    if not form:
        return shown.text(cell)
    number, spec = _number(cell), form.removeprefix("abs ")
    text = format(number if spec == form else abs(number), spec)
    # A small negative number is not shown as -0.
    return (text if text.strip("-+0.%") else format(0.0, spec)).replace("%", " %")


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
    outputs[paths.ROOT / "docs" / "reporting.md"] = reporting(results).encode()
    for path, content in outputs.items():
        writing.write(path, content)
    return list(outputs)


if __name__ == "__main__":
    try:
        made = build()
        print(
            f"articles: {', '.join(NAMES)}"
            if made
            else "articles: not built; notebooks are missing"
        )
    except (ReportError, EvidenceError) as error:
        sys.exit("\n".join([f"articles: {error}", *getattr(error, "lines", ())]))
