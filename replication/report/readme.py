"""The findings, the scoreboard and the table of items in README.md, made from the article, the verdicts and the records.

``python -m replication.report.readme`` writes them anew; a test holds the README to them.
"""

import re

from replication.papers import published, verdicts
from replication.report import article, headlines, notebook, record, results
from replication.simulator import paths, writing

README = paths.ROOT / "README.md"
REPORTS = {
    "article.pdf": "the article",
    "report.html": "article and supplement on one page that opens without a network",
    "report.pdf": "the supplement as PDF",
}
OUTPUTS = ("figure", "claims", "table")


def findings():
    """The article's abstract as Markdown without what leads into its page."""
    abstract = article.build(results.recorded())["abstract"]
    abstract = re.sub(r" ?(\[\[\d+\]\]\(#cited-[\w-]+\))+", "", abstract)
    return re.sub(r"\[([^\]]*)\]\(#[^)]*\)", r"\1", abstract) + "\n"


def scoreboard(papers=None):
    """The findings of each paper's abstract with their verdicts, and how many numbers and claims got which,
    apart by what they are about: Markdown, and links to the forms of the report that were made. The
    papers of `replication.report.results` are by default those that are recorded.
    """
    names = {paper: entry["name"] for paper, entry in published.registered().items()}
    papers = results.recorded().papers if papers is None else papers
    lines = [
        f"- *{names[paper.key]}*: {one['says']} {_verdicts(one)}"
        for paper in papers
        for one in headlines.of(paper.key, paper.claims, paper.numbers)
    ]
    lines += [
        "",
        "| | facts of the logs | worked examples | simulated results |",
        "|---|---|---|---|",
    ]
    for paper in papers:
        if paper.key not in names:  # beyond the papers nothing is compared
            continue
        for place, kind in enumerate(("numbers", "claims")):
            cells = [_counted(paper.parts[column][place]) for column in verdicts.COUNTED]
            lines.append(f"| **{names[paper.key]}**, {kind} | {' | '.join(cells)} |")
    forms = [
        f"[{words}](figures/{name})"
        for name, words in REPORTS.items()
        if (paths.FIGURES / name).exists()
    ]
    return "\n".join([*lines, *(["", f"To read: {', '.join(forms)}."] if forms else [])]) + "\n"


def _counted(counts):
    """Verdicts counted, best first, such as: of 12, 8 match, 4 differs."""
    said = [f"{count} {word}" for word, count in counts.items()]
    return f"of {sum(counts.values())}: {', '.join(said)}" if said else "–"


def _verdicts(finding):
    """The verdicts of a finding: by default, then under the readings that change one, three of them."""
    default = "; ".join(
        f"{what}: **{verdict}**" + (f" (by intervals also {otherwise})" if otherwise else "")
        for what, verdict, otherwise in finding["default"]
        if verdict
    )
    under = list(
        dict.fromkeys(
            f"{what}, {reading}: {verdict}" for reading, what, verdict in finding["under"]
        )
    )
    more = f"; {len(under) - 3} more" if len(under) > 3 else ""
    return default + (f". Under other readings: {'; '.join(under[:3])}{more}." if under else ".")


def items():
    """Every notebook with its first output and how long it took to draw on real logs at paper scale."""
    lines = ["| item | notebook | output | time |", "|---|---|---|---|"]
    for name in notebook.found():
        facts = record.of("paper", name) or {"files": {}, "run": {}}
        files = [
            (OUTPUTS.index(about["role"]), len(file), f"{name.split('/')[0]}/{file}")
            for file, about in facts["files"].items()
            if about["role"] in OUTPUTS
        ]
        link = f"[{min(files)[-1]}](figures/{min(files)[-1]})" if files else ""
        took = facts["run"].get("seconds")
        time = "" if took is None else f"{took:.0f} s" if took < 100 else f"{took / 60:.0f} min"
        named = f"{record.title(name)} | [{name}](notebooks/{name}.ipynb)"
        lines.append(f"| {named} | {link} | {time} |")
    return "\n".join(lines) + "\n"


def filled(text):
    """README.md with what stands between its marks made anew."""
    for make in (findings, scoreboard, items):
        mark = make.__name__
        between = re.compile(rf"(?<=<!-- {mark} -->\n).*?(?=<!-- /{mark} -->)", re.DOTALL)
        text = between.sub(lambda old, make=make: make(), text)
    return text


def main():
    """Write the three into the README."""
    writing.write(README, filled(README.read_text(encoding="utf-8")).encode())


if __name__ == "__main__":
    main()
