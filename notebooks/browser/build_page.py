"""Build the page that needs no installation, one HTML file: python -m notebooks.browser.build_page
[PLACE].
"""

import base64
import gzip
import json
import os
import re
import sys
from html import escape
from pathlib import Path
from string import Template

import numpy as np
import pandas as pd

import replication as rp
from notebooks.browser.compile_kernel import KERNEL
from replication.simulator import paths, writing
from replication.simulator.logs import registry
from replication.verdicts.rules import level

HERE = Path(__file__).parent
PAGE = paths.BUILD / "page.html"
PAPER = "heel_and_toe"
#: The log of part 2, and the example of part 4.
LOGS = ("KTH-SP2-2", "CTC-SP2")
#: Modules that workers run too, and those of the page, each after those that it imports.
ENGINE = ("random", "swf", "shapes", "kernel", "curve")
PARTS = ("drawing", "axes", "five_jobs", "month", "payers", "own_log", "page")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


def script(names) -> str:
    """Return modules as one script, in which each is a function of its own."""
    parts = []
    for name in names:
        source = (HERE / f"{name}.js").read_text(encoding="utf-8")
        exported = ", ".join(_EXPORT.findall(source))
        source = _EXPORT.sub("", _IMPORT.sub(r"const \1 = modules.\2;", source))
        parts.append(f"modules.{name} = (() => {{\n{source}\nreturn {{ {exported} }};\n}})();")
    return "\n".join(parts)


def packed(workload) -> str:
    """Return the jobs as columns of differences in base 128, compressed."""
    w = workload
    columns = np.diff(w.submit, prepend=0), w.run_time, w.processors, w.estimate - w.run_time
    stream = b"".join(_base_128(column) for column in columns)
    return _text(gzip.compress(stream, 9, mtime=0))


def _base_128(values):
    """Return the bytes of whole numbers: seven bits each, the lowest first, and bit 8 in all but
    the last byte of a number.
    """
    rows = np.arange(len(values))
    bytes_of, order = [], []
    left = values.astype(np.uint64)
    while len(rows):
        more = left >= 128
        bytes_of.append(
            (left & np.uint64(127) | (more.astype(np.uint64) << np.uint64(7))).astype(np.uint8)
        )
        order.append(rows)
        rows, left = rows[more], left[more] >> np.uint64(7)
    return np.concatenate(bytes_of)[np.argsort(np.concatenate(order), kind="stable")].tobytes()


def log_of(name) -> dict:
    """Return a log by the paper's rules as the page takes it; synthetic jobs without the log."""
    missing = registry.locate(name) is None
    jobs = rp.load(name, paper=PAPER, synthetic=missing)
    return {
        "name": jobs.label,
        "source": name,
        "paper": PAPER,
        "count": len(jobs),
        "machine": jobs.machine,
        "drawKey": jobs.draw_key,
        "columns": packed(jobs),
        "cleaning": [[rule, count] for rule, count in jobs.cleaning],
        "warnings": [],
        "hasEstimates": True,
        "standIn": missing,
    }


def committed(name) -> list[dict]:
    """Return the committed curve of Fig. 4: mean wait (min) of the runs at each f."""
    table = pd.read_csv(paths.ROOT / "figures" / PAPER / "fig04-curves.csv")
    rows = table[(table["log"] == name) & (table["model"] == "random")]
    rows = rows[rows["measure"] == "mean_wait"].rename(columns={"value": "mean"})
    rows["error"] = (rows["mean_high"] - rows["mean"]) / 1.959964
    return rows[["f", "mean", "error", "p5", "p95"]].to_dict("records")


def build(place=PAGE) -> Path:
    """Write the page and return its path."""
    logs = [log_of(name) for name in LOGS]
    stand_ins = [one["source"] for one in logs if one["standIn"]]
    first, none = logs[0], level("none")
    data = {
        "kernel": _text(KERNEL.read_bytes()),
        "logs": logs,
        "committed": None if first["standIn"] else committed(LOGS[0]),
        "names": {registry.info(name).sha256: name for name in registry.names()},
        "none": none,
    }
    template = Template((HERE / "page.html").read_text(encoding="utf-8"))
    page = template.substitute(
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        log=escape(first["name"]),
        jobs=f"{first['count']:,}",
        about=_about(first),
        notice=_notice(stand_ins),
        acknowledgements=_acknowledgements(stand_ins),
        none=f"{none:g}",
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        engine='"use strict";\nconst modules = {};\n' + script(ENGINE),
        parts=script(PARTS),
    )
    writing.write(place, page.encode())
    return place


def _about(log):
    if log["standIn"]:
        return f"Synthetic jobs on {log['machine']} processors stand in for this log."
    return f"The log of a real machine with {log['machine']} processors, {_title(log['source'])}."


def _title(name):
    return escape(registry.info(name).title.removesuffix(", as recorded"))


def _notice(stand_ins):
    if not stand_ins:
        return ""
    words = (
        f"Synthetic jobs stand in for {' and '.join(stand_ins)}, which were not at hand when this "
        "page was built. They prove nothing about the logs."
    )
    return f'<p class="notice">{escape(words)}</p>'


def _acknowledgements(stand_ins):
    real = [registry.info(name) for name in LOGS if name not in stand_ins]
    if not real:
        return ""
    thanks = "; ".join(
        f"{one.name} ({_title(one.name)}): {escape(' and '.join(one.acknowledge))}" for one in real
    )
    return (
        "Logs from the Parallel Workloads Archive, maintained by Dror Feitelson; we thank those "
        f"who provided them: {thanks}."
    )


def _text(content):
    return base64.b64encode(content).decode()


if __name__ == "__main__":
    place = build(*map(Path, sys.argv[1:]))
    missing = [name for name in LOGS if registry.locate(name) is None]
    note = (
        f"; synthetic jobs stand in for {', '.join(missing)}: give TRACES=folder" if missing else ""
    )
    print(f"{os.path.relpath(place)}: {place.stat().st_size / 1e6:.2f} MB{note}")
