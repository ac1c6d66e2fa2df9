"""Everything that a report shows as one tree of plain data, from what lies on disk and from nothing else.

Tables (CSV), pictures (PNG) and records (JSON) come from the folder of outputs, prose and code from the
notebooks, decisions and what names mean from the documents. The page and the PDF are two templates of this tree.
Text in it is text: a template sets it as it is. A *part* of an item is a dict with its ``type``: ``prose`` (Markdown),
``code``, ``picture``, or ``table``.
"""

import json
import re

from replication.papers import claims, compare, shown, verdicts
from replication.report import headlines, record, render, texts
from replication.simulator.workload import QUICK_JOBS

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
# The item of a paper that searches its readings, and its table of verdicts under the best of them, with the
# columns of a comparison. They are shown beside the verdicts and never counted among them.
READINGS, BEST = "readings", "readings-best.csv"


def tree(results):
    """The report as plain data, and its PNG files by the names that the tree calls them."""
    items, pictures = results.every("items"), {}
    numbers, claimed = results.every("numbers"), results.every("claims")
    places = {item.name: item.id for item in items}
    environments = list(dict.fromkeys(map(_environment, items)))
    given = {one.verdict for one in (*numbers, *claimed)}
    data = {
        "title": texts.TITLE,
        "kind": results.kind,
        "notices": _notices(results, items),
        "rules": [pair for pair in RULES.items() if pair[0] in given],
        "missing": list(results.missing.items()),
        **_counts(numbers, claimed),
        "papers": [_paper(paper, places, environments, pictures) for paper in results.papers],
        "decisions": [
            {"id": name, "folder": str(path.parent), "source": path.read_text(encoding="utf-8")}
            for name, path in texts.decision_files().items()
        ],
        "names": texts.names_source(),
        "contradictions": [
            {"paper": paper, "found": found} for paper, found in texts.contradicted().items()
        ],
        "logs": _logs(items),
        "environments": [{"kernels": one, "versions": words} for one, words in environments],
    }
    return data, pictures


def _counts(numbers, claimed):
    """How many numbers and claims got each verdict, best first."""
    return {
        "published": len(numbers),
        "counts": list(verdicts.count(numbers, verdicts.NUMBER_WORDS).items()),
        "claim_counts": list(verdicts.count(claimed, verdicts.CLAIM_WORDS).items()),
    }


def _paper(paper, places, environments, pictures):
    """A paper's chapter."""
    numbers = {number.name[2:]: number for number in paper.numbers}
    return {
        "key": paper.key,
        "title": paper.title,
        **_counts(paper.numbers, paper.claims),
        "headlines": headlines.of(paper.key, paper.claims, paper.numbers),
        "parts": [
            {"about": PARTS[about], "numbers": list(few.items()), "claims": list(said.items())}
            for about, (few, said) in paper.parts.items()
            if few or said
        ],
        **_best(paper, numbers),
        "items": [_item(item, paper, numbers, environments, pictures) for item in paper.items],
        "claims": [_claim(claim, paper, places) for claim in paper.claims],
        "numbers": _numbers(paper.numbers, places),
    }


def _best(paper, numbers):
    """How the numbers fare under the reading that was found to be nearest, and the same ones by default."""
    of = [item for item in paper.items if item.name == f"{paper.key}/{READINGS}"]
    path = of[0].folder / BEST if of and BEST in of[0].facts["files"] else None
    rows = verdicts.read_csv(path) if path else []
    keys = {verdicts.key_of(row) for row in rows}
    same = [number for key, number in numbers.items() if key in keys]
    return {
        "best": of[0].id if rows else None,
        "best_counts": _given(rows),
        "same_counts": list(verdicts.count(same, verdicts.NUMBER_WORDS).items()),
    }


def _given(rows):
    """Verdicts of some rows of comparisons, counted."""
    return list(shown.counts([row["verdict"] for row in rows], compare.VERDICTS).items())


def items_of(claim, paper):
    """The items a claim belongs to: the one that decides it, and those that its section names."""
    return [
        item
        for item in paper.items
        if item.name == claim.drawn_by
        or re.sub(r"(?<=[a-z])0+", "", item.name.split("/")[1]) in claim.items
    ]


def _item(item, paper, numbers, environments, pictures):
    """What a notebook shows, and where it comes from."""
    facts, run = item.facts, item.facts["run"]
    claimed = [claim for claim in paper.claims if item in items_of(claim, paper)]
    return {
        "id": item.id,
        "name": item.name,
        "title": facts["title"],
        "opening": facts.get("opening", ""),
        "kind": item.kind,
        "counts": _given(item.rows("verdicts")),
        "claim_counts": list(verdicts.count(claimed, verdicts.CLAIM_WORDS).items()),
        "parts": _parts(item, numbers, pictures),
        "seed": facts["seed"],
        "settings": "; ".join(f"{k} = {json.dumps(v)}" for k, v in facts["settings"].items()),
        "seconds": f"{run['seconds']:g}",
        "environment": environments.index(_environment(item)) + 1,
        "commit": (run["commit"] or "not known")[:12] + (" with changes" if run["dirty"] else ""),
        "files": list(facts["files"]),
    }


def _parts(item, numbers, pictures):
    """Prose and code of the notebook, each output behind the cell that drew it.

    An output whose cell is not known stands behind the first words of the notebook.
    """
    cells = record.cells(item.name)
    first = next((n for n, (kind, _) in enumerate(cells) if kind == "markdown"), 0)
    drawn = {}
    for file, facts in item.facts["files"].items():
        if facts["role"] != "claims":  # they stand among the claims
            part = _output(item, numbers, file, facts, pictures)
            drawn.setdefault(facts.get("cell", first), []).append(part)
    for said in item.facts.get("said", ()):
        part = {"type": "prose", "source": said["markdown"]}
        drawn.setdefault(said.get("cell", first), []).append(part)
    parts = []
    for number, (kind, source) in enumerate(cells):
        if kind == "markdown":
            lines = [line for line in source.splitlines() if not line.startswith("# ")]
            parts.append({"type": "prose", "source": "\n".join(lines).strip()})
        elif source and parts and parts[-1]["type"] == "code":
            parts[-1]["source"] += f"\n\n{source}"
        elif source:
            parts.append({"type": "code", "source": source})
        parts += drawn.pop(number, ())
    # What a cell drew that the notebook no longer has.
    return parts + [part for several in drawn.values() for part in several]


def _output(item, numbers, file, facts, pictures):
    path, caption = item.folder / file, facts["caption"]
    if facts["role"] == "figure":
        name = f"{item.id}-{file}"
        pictures[name] = path
        header = path.read_bytes()[:24]
        width, height = (int.from_bytes(header[start : start + 4]) for start in (16, 20))
        size = {"width": width, "height": height}
        return {"type": "picture", "file": name, "caption": caption} | size
    where, rows = f"{path.relative_to(path.parents[2])}", verdicts.read_csv(path)
    if facts["role"] == "verdicts":
        return _comparison(item, numbers, rows, caption, where)
    head = list(rows[0]) if rows else path.read_text(encoding="utf-8").strip().split(",")
    formats = facts.get("formats", {})
    columns = [_column([row[name] for row in rows], formats.get(name)) for name in head]
    right = [numeric for _, numeric in columns]
    rows = [list(cells) for cells in zip(*(cells for cells, _ in columns), strict=True)]
    if len(head) > WIDEST > len(rows):
        head, *rows = map(list, zip(head, *rows, strict=True))
        right = [False, *[True] * (len(head) - 1)]
    return table(caption, head, rows, right, where)


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


def _comparison(item, numbers, rows, caption, where):
    """A comparison, each number as it stands among all of the paper's."""
    found = [numbers[key] for key in map(verdicts.key_of, rows) if key in numbers]
    texts = ("published", "ours", "difference")
    head = [*compare.KEY, "unit", *texts, "verdict"]
    rows = [[told[name] for name in head] for told in (one.shown() for one in found)]
    reasons = dict.fromkeys(n.reason for n in found if n.verdict == compare.NOT_COMPARABLE)
    made = table(caption, head, rows, [name in texts for name in head], where)
    return made | {"reasons": list(reasons), "numbers": item.name.split("/")[0]}


def _claim(claim, paper, places):
    return claim.entered | {
        "id": verdicts.place(*claim.name),
        "name": claim.id_in_paper,
        "verdict": claim.verdict,
        "count": claim.count,
        "otherwise": claim.otherwise,
        "cases": [[claims.RECORDED[answer], words] for words, answer in claim.cases],
        "to": places.get(claim.drawn_by),
        "items": [item.id for item in items_of(claim, paper)],
    }


def _numbers(numbers, places):
    """The numbers by published item, each group a list of rows; reasons stand apart, each once."""
    reasons = list(dict.fromkeys(number.reason for number in numbers if number.reason))
    groups = {}
    for number in numbers:
        row = number.shown() | {
            "id": verdicts.place(*number.name),
            "reason": reasons.index(number.reason) + 1 if number.reason else None,
            "where": number.published.source,
            "drawn_by": number.drawn_by,
            "to": places.get(number.drawn_by),
        }
        groups.setdefault(number.published.item, []).append(row)
    groups = [{"item": texts.said(item), "rows": rows} for item, rows in groups.items()]
    return {"reasons": reasons, "groups": groups}


def _logs(items):
    """Each log as it was used, once, with the papers that used it so."""
    found = {}
    for item in items:
        for name, facts in item.facts["logs"].items():
            same = found.setdefault((name, json.dumps(facts, sort_keys=True)), (facts, {}))
            same[1][item.name.split("/")[0]] = None
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
        for (name, _), (log, papers) in found.items()
    ]


def _notices(results, items):
    """What a reader must know of the whole, first."""
    scales = {item.kind for item in items} | {item.facts["scale"] for item in items}
    kernels, missing = {item.facts["kernels"] for item in items}, len(results.missing)
    notices = []
    if "stand-in" in scales:
        notices.append(
            "STAND-IN DATA: drawn from generated workloads, not from the papers' logs. It shows "
            "that the machinery works; it proves nothing, and no verdict is drawn from it."
        )
    if "quick" in scales:
        jobs = f"at most the first {QUICK_JOBS:,} jobs of each log"
        notices.append(f"QUICK SCALE: {jobs}, too few for a verdict.")
    if missing:
        of = missing + len(items)
        notices.append(f"INCOMPLETE: {missing} of {of} notebooks are missing.")
    if len(kernels) > 1:
        versions = f"{len(kernels)} versions of the simulation kernels"
        notices.append(f"MIXED: the items were drawn with {versions}.")
    return notices


def _environment(item):
    """Kernels and packages that drew an item."""
    run = item.facts["run"]
    packages = (f"{name} {version}" for name, version in run["packages"].items())
    return item.facts["kernels"], ", ".join([f"Python {run['python']}", *packages])
