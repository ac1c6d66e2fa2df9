"""The findings, the scoreboard and the table of items in README.md, made from the article, the verdicts and the notebooks.

``python -m replication.report.readme`` writes them anew; a test holds the README to them, but for the times.
"""

import json
import re

from replication.basics import paths, writing
from replication.evidence import published, verdicts
from replication.pages import notebook, record
from replication.report import article, results

README = paths.ROOT / "README.md"
BLOCK = re.compile(r"(?<=<!-- items -->\n).*?(?=<!-- /items -->)", re.DOTALL)
SCOREBOARD = re.compile(r"(?<=<!-- scoreboard -->\n).*?(?=<!-- /scoreboard -->)", re.DOTALL)
FINDINGS = re.compile(r"(?<=<!-- findings -->\n).*?(?=<!-- /findings -->)", re.DOTALL)
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
        for one in paper.headlines
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
    said = [f"{count} {word}" for word, count in counts.items() if count]
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


def outputs(name):
    """Committed pictures and tables of an item, pictures first, as paths from the README."""
    folder = record.folder("paper", name.split("/")[0])
    files = sorted(
        (OUTPUTS.index(about["role"]), len(file), file)
        for file, about in record.files("paper", name).items()
        if about["role"] in OUTPUTS
    )
    return [(folder / file).relative_to(paths.ROOT).as_posix() for *_, file in files]


def seconds(name):
    """How long the item's last run on real logs at paper scale took, or None."""
    executed = record.executed("paper", name)
    if not executed.is_file():
        return None
    return (
        json.loads(executed.read_text(encoding="utf-8"))["metadata"]
        .get("papermill", {})
        .get("duration")
    )


def table(before=""):
    """The table in Markdown; where a time is not known here, the one in `before` is kept."""
    known = dict(re.findall(r"\(notebooks/(\S+?)\.ipynb\).*\| *([\d.]+ (?:s|min)) \|", before))
    lines = ["| item | notebook | output | time |", "|---|---|---|---|"]
    for name in notebook.found():
        took = seconds(name)
        drawn = outputs(name)
        link = f"[{drawn[0].removeprefix('figures/')}]({drawn[0]})" if drawn else ""
        time = known.get(name, "")
        if took is not None:
            time = f"{took:.0f} s" if took < 100 else f"{took / 60:.0f} min"
        lines.append(
            f"| {record.title(name)} | [{name}](notebooks/{name}.ipynb) | {link} | {time} |"
        )
    return "\n".join(lines) + "\n"


def main():
    """Write the three into the README."""
    text = README.read_text(encoding="utf-8")
    text = FINDINGS.sub(lambda old: findings(), text)
    text = SCOREBOARD.sub(lambda old: scoreboard(), text)
    writing.write(README, BLOCK.sub(lambda old: table(old.group()), text).encode())


if __name__ == "__main__":
    main()
