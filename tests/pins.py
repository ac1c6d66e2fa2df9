"""Pinned results: what every notebook gives at quick scale on synthetic jobs, and what the rules of
the papers make of the real logs.

``data/pinned_values.csv`` has a row for each column of numbers in a table, for our numbers of each
published item, for the cases of each claim, and for each value of an opening: the count of numbers,
the sum of their absolute values, and a sum that depends on their order, too.
``data/pinned_logs.csv`` has the jobs of each log by the rules of each paper, and by the default
rules: their count, and sums of their columns.

``python -m tests.pins`` (``make pins``) writes both again and names the items to draw; with names
of items, the pins of these alone.
"""

import functools
import math
import os
import sys
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd

from replication.report import record, results
from replication.simulator import paths, writing
from replication.simulator.logs import registry
from replication.verdicts import evidence
from tests.in_process import in_process

VALUES, LOGS = (paths.DATA / f"pinned_{name}.csv" for name in ("values", "logs"))
#: Of numbers that are equal.
RELATIVE = 1e-9
#: Columns of comparisons that the published numbers decide, too.
OF_PAPERS = ("published", "difference")
#: Spreads the weights of the numbers of a column over 0 to 1.
STEP = (math.sqrt(5) - 1) / 2
SUMS = ["count", "sum", "weighted", "text"]
ITEM, KEY = ["item", "key"], ["paper", "log"]
#: Many notebooks simulate the same jobs.
LIKE = functools.lru_cache(registry.like)
COLUMNS = ["submit", "run_time", "estimate", "processors", "user", "group", "executable", "queue"]


def without_logs(patch=setattr) -> None:
    """Let no log be on this machine, so that synthetic jobs stand in for all of them."""
    patch(registry, "locate", lambda name: registry.info(name) and None)
    patch(registry, "like", LIKE)


def run(name, path) -> str:
    """Run a notebook at quick scale in this process, publish its outputs, return their kind."""
    page = in_process(path, scale="quick", workers=1)["page"]
    return record.publish(name, page.folder)


def values_of(name, kind) -> pd.DataFrame:
    """Return the pins of an item from its record and tables."""
    facts, rows = record.read(kind, name), []
    for file, about in facts["files"].items():
        if file.endswith(".csv") and about["role"] == "table":
            table = pd.read_csv(record.folder(kind, name) / file).select_dtypes("number")
            for column in table.columns.difference(OF_PAPERS, sort=False):
                rows.append([f"{file} {column}", *_sums(table[column])])
    parts = {}
    for statement, part_rows in results.Item(name, kind, facts).evidence.items():
        item, _, key = statement.partition(" ")
        for row in part_rows:
            case = f"value {row['case']}" if statement == evidence.OPENING else f"claim {item}"
            parts.setdefault(f"numbers {item}" if key else case, []).append(row)
    for key, part_rows in parts.items():
        several = [row.get(part) for row in part_rows for part in evidence.NUMBERS]
        text = "; ".join(
            row["part"] for row in part_rows if key.startswith("value") and "part" in row
        )
        rows.append([key, *_sums(several)[:3], text])
    frame = pd.DataFrame(rows, columns=["key", *SUMS])
    frame.insert(0, "item", name)
    return frame


def _sums(numbers):
    """Return the count of the numbers, their sums, with missing ones left out, and no text."""
    finite = pd.to_numeric(pd.Series(numbers), errors="coerce").to_numpy(float)
    finite = finite[np.isfinite(finite)]
    weights = STEP * np.arange(1, len(finite) + 1) % 1
    return len(finite), math.fsum(abs(finite)), math.fsum(weights * finite), ""


def log_of(name, paper) -> dict:
    """Return the pins of a log by the rules of a paper, or by the default rules without one."""
    jobs = registry.load(name, paper=paper or None)
    sums = {column: int(getattr(jobs, column).sum()) for column in COLUMNS}
    sums["work"] = int((jobs.processors * jobs.run_time).sum())
    return {"paper": paper, "log": name, "jobs": len(jobs), "machine": jobs.machine, **sums}


def differences(pinned, now, key) -> list[str]:
    """Return a line for each number that differs, with its key and both values."""
    both = pinned.merge(now, "outer", on=key, suffixes=(" pinned", "")).set_index(key)
    lines = []
    for names, row in zip(both.index, both.to_dict("records")):
        where = ": ".join(filter(None, names))
        for column in now.columns.difference(key, sort=False):
            value, before = row[column], row[f"{column} pinned"]
            scale = max(abs(row["sum"]), abs(row["sum pinned"])) if "sum" in row else 0
            if not _equal(value, before, 0 if column == "count" else scale):
                lines.append(f"{where}: {column} {_shown(value)}, pinned {_shown(before)}")
                break
    return lines


def _equal(value, pinned, scale):
    if isinstance(value, str) or isinstance(pinned, str):
        return value == pinned
    if math.isnan(value) or math.isnan(pinned):
        return math.isnan(value) == math.isnan(pinned)
    return abs(value - pinned) <= RELATIVE * scale


def _shown(value):
    missing = isinstance(value, float) and math.isnan(value)
    return "none" if missing else value if isinstance(value, str) else f"{value:.12g}"


def read(path) -> pd.DataFrame:
    """Return a table of pins; empty texts stay texts."""
    text = dict.fromkeys(("paper", "log", "item", "key", "text"), str)
    frame = pd.read_csv(path, dtype=text)
    return frame.fillna({name: "" for name in text if name in frame})


def renew(only=()) -> None:
    """Write the tables again, and print what differs and which items to draw again."""
    lines = [] if only else _renew_logs()
    before = read(VALUES) if VALUES.exists() else pd.DataFrame(columns=[*ITEM, *SUMS])
    drawn = pd.concat(_all_values(only), ignore_index=True)
    kept = before[~before["item"].isin(drawn["item"])] if only else before[:0]
    now = pd.concat([part for part in (kept, drawn) if len(part)])
    now = now.sort_values("item", kind="stable")
    changed = differences(before, now, ITEM)
    _save(VALUES, now)
    print(*lines, *changed, sep="\n")
    items = sorted({line.partition(": ")[0] for line in changed})
    studies = [item.removeprefix(record.STUDY) for item in items if item.startswith(record.STUDY)]
    figures = [item for item in items if not item.startswith(record.STUDY)]
    for command, names in (("studies", studies), ("figures", figures)):
        if names:
            print(f'draw again: make {command} ONLY="{" ".join(names)}"')
    if not lines + changed:
        print("no pinned value differs")


def _renew_logs():
    logs = [
        log_of(log, paper)
        for paper in ("", *registry.papers())
        for log in registry.names(paper or None)
        if registry.locate(log)
    ]
    before = read(LOGS) if LOGS.exists() else pd.DataFrame(columns=list(logs[0]) if logs else KEY)
    drawn = pd.DataFrame(logs, columns=before.columns)
    kept = before[~before.set_index(KEY).index.isin(drawn.set_index(KEY).index)]
    lines = differences(before, pd.concat([kept, drawn]), KEY)
    _save(LOGS, pd.concat([kept, drawn]).sort_values(["log", "paper"]))
    for name in sorted({*kept["log"]}):
        print(f"{name}: not on this machine, its pins stay")
    return lines


def _all_values(only):
    """Run notebooks, by default all, in a folder of their own, and return the pins of each."""
    sys.path += sorted(str(folder) for folder in record.STUDIES.iterdir() if folder.is_dir())
    values = []
    with tempfile.TemporaryDirectory() as folder:
        for place in ("FIGURES", "BUILD"):
            setattr(paths, place, Path(folder) / place.lower())
        without_logs()
        notebooks = results.notebooks() | results.studies()
        for name in only or notebooks:
            print(name, flush=True)
            os.chdir(notebooks[name].parent)
            values.append(values_of(name, run(name, notebooks[name])))
    return values


def _save(path, table):
    table = table.infer_objects()  # a column of floats in each case, whichever items were run
    text = table.to_csv(index=False, lineterminator="\n", float_format="%.12g")
    writing.write(path, text.encode())


if __name__ == "__main__":
    renew(sys.argv[1:])
