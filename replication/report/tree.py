"""Everything that a report shows as one tree of plain data, from what lies on disk and from nothing else.

Tables (CSV), pictures (PNG) and records (JSON) come from the folder of outputs, prose and code from the
notebooks, decisions and what names mean from the documents. The page and the PDF are two templates of this tree.
Text in it is text: a template sets it as it is. A *part* of an item is a dict with its ``type``: ``prose`` (Markdown),
``code``, ``picture``, or ``table``.
"""

import json

from replication.basics import paths
from replication.basics.lazy import nbformat
from replication.evidence import claims, compare, shown, verdicts
from replication.logs.workload import QUICK_JOBS
from replication.pages import render
from replication.report import texts

# Of a longer table the first rows are shown, and where it is whole.
LONGEST, CORNER = 40, 8
WIDEST = 12  # columns: a table with more is turned, if it then has fewer
ANSWERS = {"True": "yes", "False": "no"}
PARTS = {
    claims.LOG: "facts of the logs",
    verdicts.EXAMPLE: "worked examples",
    claims.SIMULATED: "simulated results",
    claims.CHECK: "checks, which cannot fail",
    verdicts.REPEAT: "repeats of what is counted above",
}
RULES = {word: verdict["rule"] for word, verdict in render.VERDICTS.items()}


def tree(results):
    """The report as plain data, and its PNG files by the names that the tree calls them."""
    known, pictures = {item.name for item in results.items}, {}
    environments = _environments(results.items)
    given = {one.verdict for paper in results.papers for one in (*paper.numbers, *paper.claims)}
    data = {
        "title": texts.TITLE,
        "kind": results.kind,
        "notices": _notices(results),
        "rules": [pair for pair in RULES.items() if pair[0] in given],
        "missing": list(results.missing.items()),
        "published": len(results.numbers),
        "counts": _pairs(results.counts),
        "claim_counts": _pairs(results.claim_counts),
        "papers": [_paper(paper, known, environments, pictures) for paper in results.papers],
        "decisions": [
            {"id": name, "folder": str(path.parent), "source": path.read_text(encoding="utf-8")}
            for name, path in texts.decision_files().items()
        ],
        "names": texts.names_source(),
        "contradictions": [
            {"paper": paper, "found": [{**one, "confirmed": _confirmed(one)} for one in several]}
            for paper, several in texts.found().items()
        ],
        "logs": _logs(results.items),
        "environments": environments,
    }
    return data, pictures


def _pairs(counts):
    return [[word, count] for word, count in counts.items() if count]


def _paper(paper, known, environments, pictures):
    """A paper's chapter."""
    return {
        "key": paper.key,
        "title": paper.title,
        "published": len(paper.numbers),
        "counts": _pairs(paper.counts),
        "claim_counts": _pairs(paper.claim_counts),
        "headlines": paper.headlines,
        "parts": [
            {"about": PARTS[about], "numbers": _pairs(numbers), "claims": _pairs(claimed)}
            for about, (numbers, claimed) in paper.parts.items()
            if sum(numbers.values()) + sum(claimed.values())
        ],
        "best": paper.readings.id if paper.best_counts else None,
        "best_counts": _pairs(paper.best_counts),
        "same_counts": _pairs(paper.same_counts),
        "items": [_item(item, paper, environments, pictures) for item in paper.items],
        "claims": [_claim(claim, paper, known) for claim in paper.claims],
        "numbers": _numbers(paper.numbers, known),
    }


def _item(item, paper, environments, pictures):
    """What a notebook shows, and where it comes from."""
    run = item.facts["run"]
    return {
        "id": item.id,
        "name": item.name,
        "title": item.title,
        "opening": item.facts.get("opening", ""),
        "kind": item.kind,
        "counts": _pairs(item.counts),
        "claim_counts": _pairs(paper.claim_counts_of(item)),
        "parts": _parts(item, paper, pictures),
        "seed": item.facts["seed"],
        "settings": "; ".join(
            f"{name} = {json.dumps(value)}" for name, value in item.facts["settings"].items()
        ),
        "seconds": f"{run['seconds']:g}",
        "environment": environments.index(_environment(item)) + 1,
        "commit": (run["commit"] or "not known")[:12] + (" with changes" if run["dirty"] else ""),
        "files": list(item.facts["files"]),
    }


def _parts(item, paper, pictures):
    """Prose and code of the notebook, each output behind the cell that drew it.

    An output whose cell is not known stands behind the first words of the notebook.
    """
    notebook = nbformat.read(paths.NOTEBOOKS / f"{item.name}.ipynb", as_version=4)
    first = next((n for n, cell in enumerate(notebook.cells) if cell.cell_type == "markdown"), 0)
    drawn = {}
    for file, facts in item.facts["files"].items():
        if facts["role"] != "claims":  # they stand among the claims
            part = _output(item, paper, file, facts, pictures)
            drawn.setdefault(facts.get("cell", first), []).append(part)
    for said in item.facts.get("said", ()):
        part = {"type": "prose", "source": said["markdown"]}
        drawn.setdefault(said.get("cell", first), []).append(part)
    parts, code = [], []
    for number, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            code.append(cell.source.strip())
        else:
            parts += _code(code)
            code = []
            parts.append({"type": "prose", "source": _without_title(cell.source)})
        if number in drawn:
            parts += [*_code(code), *drawn.pop(number)]
            code = []
    # A cell that the notebook no longer has.
    return [*parts, *_code(code), *(part for several in drawn.values() for part in several)]


def _code(cells):
    source = "\n\n".join(filter(None, cells))
    return [{"type": "code", "first": source.splitlines()[0], "source": source}] if source else []


def _without_title(source):
    return "\n".join(line for line in source.splitlines() if not line.startswith("# ")).strip()


def _output(item, paper, file, facts, pictures):
    path = item.folder / file
    if facts["role"] == "figure":
        name = f"{item.id}-{file}"
        pictures[name] = path
        header = path.read_bytes()[:24]
        width, height = (int.from_bytes(header[start : start + 4]) for start in (16, 20))
        size = {"width": width, "height": height}
        return {"type": "picture", "file": name, "caption": facts["caption"]} | size
    where = f"{path.relative_to(path.parents[2])}"
    if facts["role"] == "verdicts":
        return _comparison(item, paper, path, facts["caption"], where)
    rows = verdicts.read_csv(path)
    head = list(rows[0]) if rows else path.read_text(encoding="utf-8").strip().split(",")
    columns = [
        _column([row[name] for row in rows], facts.get("formats", {}).get(name)) for name in head
    ]
    right = [numeric for _, numeric in columns]
    rows = [list(cells) for cells in zip(*(cells for cells, _ in columns), strict=True)]
    if len(head) > WIDEST > len(rows):
        head, *rows = map(list, zip(head, *rows, strict=True))
        right = [False, *[True] * (len(head) - 1)]
    return table(facts["caption"], head, rows, right, where)


def table(caption, head, rows, right=None, where=""):
    """A table as a part of an item; `right` says which columns hold numbers, `where` is its file,
    for what is not shown. ``rows`` are the first `CORNER` of more than `LONGEST`, ``total`` how
    many there are; ``verdict`` is the column of verdicts, None where there is none.
    """
    return {
        "type": "table",
        "caption": caption,
        "head": head,
        "rows": rows if len(rows) <= LONGEST else rows[:CORNER],
        "total": len(rows),
        "right": right or [False] * len(head),
        "verdict": head.index("verdict") if "verdict" in head else None,
        "where": where,
    }


def _column(cells, form):
    """A column as a reader wants it, and whether it holds numbers."""
    if any(cells) and set(cells) <= {*ANSWERS, ""}:
        return [ANSWERS.get(cell, "–") for cell in cells], False
    try:
        values = [float(cell) if cell else None for cell in cells]
    except ValueError:
        return cells, False
    return [shown.text(value, form) for value in values], any(cells)


def _comparison(item, paper, path, caption, where):
    """A comparison, each number as it stands among all of the paper's."""
    known = {number.name[2:]: number for number in paper.numbers}
    found = [
        known[key] for row in verdicts.read_csv(path) if (key := verdicts.key_of(row)) in known
    ]
    head = [*compare.KEY, "unit", "published", "ours", "difference", "verdict"]
    rows = [[*one.published.key, one.published.unit, *_texts(one), one.verdict] for one in found]
    reasons = dict.fromkeys(n.reason for n in found if n.verdict == compare.NOT_COMPARABLE)
    right = [name in ("published", "ours", "difference") for name in head]
    made = table(caption, head, rows, right, where)
    return made | {"reasons": list(reasons), "numbers": item.name.split("/")[0]}


def _texts(number):
    return number.published_text, number.ours_text, number.difference_text


def _claim(claim, paper, known):
    shown = "verdict count otherwise section statement statistic rule published".split()
    return {name: getattr(claim, name) for name in ("id", *shown)} | {
        "name": claim.id_in_paper,
        "cases": [[claims.RECORDED[answer], words] for words, answer in claim.cases],
        "to": _place(claim.drawn_by, known),
        "items": [item.id for item in paper.items_of(claim)],
    }


def _numbers(numbers, known):
    """The numbers by published item, each group a list of rows; reasons stand apart, each once."""
    reasons = list(dict.fromkeys(number.reason for number in numbers if number.reason))
    groups = {}
    for number in numbers:
        named = {name: getattr(number.published, name) for name in (*compare.KEY, "unit")}
        row = named | {
            "id": number.id,
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


def _confirmed(one):
    if one["confirmed"] is None:
        return "rests on the words, or on a log"
    if not one["confirmed"]:
        return f"the rule “{one['check']}” does not find it in the entered numbers"
    return f"the rule “{one['check']}” finds it in the entered numbers: {'; '.join(one['cells'])}"


def _logs(items):
    """Each log as it was used, once, with the papers that used it so."""
    found = {}
    for item in items:
        for name, facts in item.facts["logs"].items():
            papers = found.setdefault((name, repr(sorted(facts.items()))), (name, facts, []))[2]
            papers += [paper for paper in [item.name.split("/")[0]] if paper not in papers]
    return [
        {
            "name": name,
            "papers": ", ".join(papers),
            "stand_in": log["stand_in"],
            "file": log["file"],
            "sha256": log["sha256"],
            "jobs": f"{log['jobs_used']:,}"
            + (f" of {log['jobs']:,}" if log["jobs_used"] != log["jobs"] else ""),
            "processors": f"{log['processors']:,}",
            "cleaning": "; ".join(f"{rule}: {count:,}" for rule, count in log["cleaning"].items()),
        }
        for name, log, papers in found.values()
    ]


def _notices(results):
    notices = []
    kinds = {item.kind for item in results.items}
    if "stand-in" in kinds:
        notices.append(
            "STAND-IN DATA: drawn from generated workloads, not from the papers' logs. It shows "
            "that the machinery works; it proves nothing, and no verdict is drawn from it."
        )
    if "quick" in kinds or any(item.facts["scale"] == "quick" for item in results.items):
        notices.append(
            f"QUICK SCALE: at most the first {QUICK_JOBS:,} jobs of each log, too few for a verdict."
        )
    if results.missing:
        every = len(results.missing) + len(results.items)
        notices.append(f"INCOMPLETE: {len(results.missing)} of {every} notebooks are missing.")
    kernels = {item.facts["kernels"] for item in results.items}
    if len(kernels) > 1:
        notices.append(
            f"MIXED: the items were drawn with {len(kernels)} versions of the simulation kernels."
        )
    return notices


def _environment(item):
    run = item.facts["run"]
    packages = (f"{name} {version}" for name, version in run["packages"].items())
    return {
        "kernels": item.facts["kernels"],
        "versions": ", ".join([f"Python {run['python']}", *packages]),
    }


def _environments(items):
    """Kernels and packages that drew the items, each once, in the order in which they appear."""
    found = []
    for item in items:
        if (environment := _environment(item)) not in found:
            found.append(environment)
    return found
