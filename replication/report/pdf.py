"""The report as a PDF: title page with the scoreboard, contents, every item, and the lists behind the counts.

Everything goes to the template as data in a file; it sets text as text, so nothing in a log, a notebook or a
document can become markup. The same results give the same bytes. The PDF is tagged (PDF/UA-1).
"""

import json
import shutil
import tempfile
from pathlib import Path

from replication.basics import paths
from replication.evidence import claims, compare
from replication.pages import record, render
from replication.report import pdf_lean as report_pdf_lean
from replication.report import texts
from replication.report.notebook_nodes import Nodes, safe, table
from replication.report.results import ReportError

TEMPLATES = Path(__file__).parent / "templates"
PARTS = ("report.typ", "nodes.typ", "references.yml")


def build(results, notices=(), logs=(), rules=None):
    """Make the PDF.

    Parameters
    ----------
    results : replication.report.results.Results
    notices : list of str
        What must be said of results that prove nothing or are not complete; their first words, up to a colon,
        stand on every page.
    logs : list of dict
        Each log as it was used: name, papers, and the facts of `replication.pages.record.log_facts`.
    rules : dict of str to str, optional
        What each verdict means.

    Returns
    -------
    bytes

    Raises
    ------
    ReportError
        If the template cannot draw it.
    """
    import typst

    data, pictures = contents(results, notices, logs, rules or {})
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in PARTS:
            shutil.copyfile(TEMPLATES / name, folder / name)
        for name, picture in pictures.items():
            (folder / name).write_bytes(picture)
        (folder / "data.json").write_text(json.dumps(safe(data)), encoding="utf-8")
        # Fonts of this machine and the date are left out, for the same bytes everywhere.
        try:
            pdf = typst.compile(
                folder / "report.typ",
                root=folder,
                ignore_system_fonts=True,
                timestamp=0,
                pdf_standards=["ua-1"],
            )
        except typst.TypstError as error:
            raise ReportError(f"report.pdf: {error.message}") from error
    return report_pdf_lean.lean(pdf, pictures.values())


def contents(results, notices, logs, rules):
    """What the template shows, and its pictures.

    Parameters
    ----------
    results, notices, logs, rules
        As in `build`.

    Returns
    -------
    data : dict
        JSON types; text as it is.
    pictures : dict of str to bytes
        File name to PNG.
    """
    pictures, known = {}, {item.name for item in results.items}
    environments = _environments(results.items)
    given = {one.verdict for paper in results.papers for one in (*paper.numbers, *paper.claims)}
    data = {
        "title": texts.TITLE,
        "notices": list(notices),
        "signs": render.SIGNS,
        "mark": " · ".join(words.split(":")[0] for words in notices),
        "rules": [pair for pair in rules.items() if pair[0] in given],
        "missing": list(results.missing.items()),
        "papers": [
            _paper(paper, results.items, known, environments, pictures) for paper in results.papers
        ],
        "decisions": _decisions(results.items),
        "names": _names(),
        "contradictions": _contradictions(),
        "logs": [_log(log) for log in logs],
        "environments": environments,
    }
    return data, pictures


def _pairs(counts):
    return list(counts.items())


def _paper(paper, items, known, environments, pictures):
    """A paper's chapter."""
    return {
        "key": paper.key,
        "title": paper.title,
        "counts": _pairs(paper.counts),
        "published": paper.published,
        "claim_counts": _pairs(paper.claim_counts),
        "best_counts": _pairs(paper.best_counts),
        "best": paper.readings.id if paper.best_counts else None,
        "same_counts": _pairs(paper.same_counts),
        "items": [
            _item(item, items, environments, pictures)
            | {"claim_counts": _pairs(paper.claim_counts_of(item))}
            for item in paper.items
        ],
        "claims": [_claim(claim, known) for claim in paper.claims],
        "numbers": _numbers(paper.numbers, known),
    }


def _item(item, items, environments, pictures):
    """A notebook's section; the claims and where a number stands are in lists of their own."""
    nodes = Nodes(_link(paths.NOTEBOOKS / item.name.split("/")[0], items))
    # A figure may have the caption of a comparison.
    lists = {
        ("table", facts["caption"]): facts["role"]
        for facts in item.facts["files"].values()
        if facts["role"] in ("verdicts", "claims")
    }
    body = nodes.notebook(item.notebook.cells, 2)
    pictures |= nodes.pictures
    run = item.facts["run"]
    return {
        "id": item.id,
        "name": item.name,
        "title": item.title,
        "kind": item.kind,
        "counts": _pairs(item.counts),
        "body": [
            _short(node, item) if role == "verdicts" else node
            for node in body
            if (role := lists.get((node["type"], node.get("caption")))) != "claims"
        ],
        "seed": str(item.facts["seed"]),
        "seconds": f"{run['seconds']:g}",
        "settings": "; ".join(
            f"{name} = {json.dumps(value)}" for name, value in item.facts["settings"].items()
        ),
        "environment": environments.index(_environment(item)) + 1,
        "commit": (run["commit"] or "not known")[:12] + (" with changes" if run["dirty"] else ""),
    }


def _short(node, item):
    """A comparison without its last column, which says in the list of numbers where each stands."""
    reasons = dict.fromkeys(
        row["reason"] for row in item.rows() if row["verdict"] == compare.NOT_COMPARABLE
    )
    return table(
        node["caption"],
        node["head"][:-1],
        [row[:-1] for row in node["rows"]],
        node["right"][:-1],
        node["notice"],
    ) | {"numbers": item.name.split("/")[0], "reasons": list(reasons)}


def _claim(claim, known):
    return {
        "verdict": claim.verdict,
        "count": claim.count,
        "section": claim.section,
        "statement": claim.statement,
        "statistic": claim.statistic,
        "rule": claim.rule,
        "published": claim.published,
        "cases": [[claims.RECORDED[answer], words] for words, answer in claim.cases],
        "to": _place(claim.drawn_by, known),
    }


def _numbers(numbers, known):
    """The numbers by published item, each group a list of rows; reasons stand apart, each once."""
    reasons = list(dict.fromkeys(number.reason for number in numbers if number.reason))
    groups = {}
    for number in numbers:
        row = {
            "trace": number.published.trace,
            "policy": number.published.policy,
            "measure": number.published.measure,
            "unit": number.published.unit,
            "published": number.published_text,
            "ours": number.ours_text,
            "difference": number.difference_text,
            "verdict": number.verdict,
            "reason": reasons.index(number.reason) + 1 if number.reason else None,
            "where": number.published.source,
            "drawn_by": number.drawn_by,
            "to": _place(number.drawn_by, known),
        }
        groups.setdefault(number.published.item, []).append(row)
    return {
        "reasons": reasons,
        "groups": [{"item": texts.said(item), "rows": rows} for item, rows in groups.items()],
    }


def _place(name, known):
    return name.replace("/", "-") if name in known else None


def _link(start, items):
    """Addresses in a text in `start` as places in this PDF or elsewhere; a file is no link."""
    known = texts.links(start, items, paths.FIGURES)

    def link(address):
        target = known(address)
        if target.startswith("#"):
            return {"to": target[1:]} if target != address else None
        return {"url": target} if target.startswith(("https://", "http://")) else None

    return link


def _decisions(items):
    """Each file of decisions as nodes, its title apart."""
    made = []
    for level, (name, path) in zip((1, *[2] * len(record.PAPERS)), texts.decision_files().items()):
        nodes = Nodes(_link(path.parent, items))
        body = nodes.markdown(path.read_text(encoding="utf-8"), level)
        made.append({"id": name, "level": level, "title": nodes.title, "nodes": body})
    return made


def _names():
    return Nodes(lambda address: None).markdown(texts.names_source(), 1)


def _contradictions():
    """What was found, by paper."""
    return [
        {"paper": paper, "found": [{**one, "confirmed": _confirmed(one)} for one in found]}
        for paper, found in texts.found().items()
    ]


def _confirmed(one):
    if one["confirmed"] is None:
        return "rests on the words, or on a log"
    if not one["confirmed"]:
        return f"the rule “{one['check']}” does not find it in the entered numbers"
    return f"the rule “{one['check']}” finds it in the entered numbers: {'; '.join(one['cells'])}"


def _log(log):
    used = f"{log['jobs_used']:,}" + (
        f" of {log['jobs']:,}" if log["jobs_used"] != log["jobs"] else ""
    )
    return {
        "name": log["name"],
        "papers": ", ".join(log["papers"]),
        "stand_in": log["stand_in"],
        "file": log["file"],
        "sha256": log["sha256"],
        "jobs": used,
        "processors": f"{log['processors']:,}",
        "cleaning": "; ".join(f"{rule}: {count:,}" for rule, count in log["cleaning"].items()),
    }


def _environment(item):
    run = item.facts["run"]
    return {
        "kernels": item.facts["kernels"],
        "versions": ", ".join(
            [
                f"Python {run['python']}",
                *(f"{name} {version}" for name, version in run["packages"].items()),
            ]
        ),
    }


def _environments(items):
    """Kernels and packages that drew the items, each once, in the order in which they appear."""
    found = []
    for item in items:
        if (environment := _environment(item)) not in found:
            found.append(environment)
    return found
