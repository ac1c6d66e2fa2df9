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
import yaml

import replication as rp
from notebooks.browser.compile_kernel import KERNEL
from replication.simulator import paths, writing
from replication.simulator.logs import registry
from replication.simulator.logs.kinds import KINDS
from replication.verdicts.rules import level

HERE = Path(__file__).parent
PAGE = paths.ROOT / "figures" / "page.html"
PAPER = "heel_and_toe"
#: The log of part 2, and the example of part 4.
LOGS = ("KTH-SP2-2", "CTC-SP2")
#: Modules that workers run too, and those of the page, each after those that it imports.
ENGINE = ("random", "swf", "shapes", "kernel", "groups", "runs")
PARTS = ("drawing", "axes", "month", "payers", "view", "five_jobs", "own_log", "page")
_IMPORT = re.compile(r'^import (\{[^}]*\}) from "\./(\w+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_DATA = re.compile(r'(?<=id="data">).*?(?=</script>)')


def script(names) -> str:
    """Return modules as one script, in which each is a function of its own."""
    parts = []
    for name in names:
        source = (HERE / f"{name}.js").read_text(encoding="utf-8")
        exported = ", ".join(_EXPORT.findall(source))
        source = _EXPORT.sub("", _IMPORT.sub(r"const \1 = modules.\2;", source))
        parts.append(f"modules.{name} = (() => {{\n{source}\nreturn {{ {exported} }};\n}})();")
    return "\n".join(parts)


def stream_of(workload) -> bytes:
    """Return the jobs as columns of differences in base 128."""
    w = workload
    columns = np.diff(w.submit, prepend=0), w.run_time, w.processors, w.estimate - w.run_time
    return b"".join(_base_128(column) for column in columns)


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
    """Return a log by the paper's rules as the page takes it; from the committed page if the log is
    not on this machine.
    """
    stored = next((log for log in data_of(PAGE)["logs"] if log["name"] == name), None)
    if stored and registry.locate(name) is None:
        return stored
    jobs = rp.load(name, paper=PAPER)
    stream = stream_of(jobs)
    # The compressed bytes depend on the library: those of equal jobs stay.
    same = stored and gzip.decompress(base64.b64decode(stored["columns"])) == stream
    return {
        "name": name,
        "source": name,
        "paper": PAPER,
        "count": len(jobs),
        "machine": jobs.machine,
        "drawKey": jobs.draw_key,
        "columns": stored["columns"] if same else _text(gzip.compress(stream, 9, mtime=0)),
        "cleaning": [[rule, count] for rule, count in jobs.cleaning],
        "warnings": [],
        "hasEstimates": True,
    }


def data_of(place) -> dict:
    """Return the data of a page: logs, kernel, committed curve; no logs if there is no page."""
    if not Path(place).exists():
        return {"logs": []}
    return json.loads(_DATA.search(Path(place).read_text(encoding="utf-8"))[0])


def committed(name) -> list[dict]:
    """Return the committed curve of Fig. 4: mean wait and percentiles (min) of the runs at each
    f.
    """
    table = pd.read_csv(paths.ROOT / "figures" / PAPER / "fig04-curves.csv")
    rows = table[(table["log"] == name) & (table["model"] == "random")]
    rows = rows[rows["measure"] == "mean_wait"].rename(columns={"value": "mean"})
    return rows[["f", "mean", "p5", "p95"]].to_dict("records")


def kinds() -> list[list[str]]:
    """Return the files that are not SWF, as the package recognizes them: patterns of their
    beginnings for JavaScript, flags, and words.
    """
    ignore_case, begin = "(?i)", ("\\A", "(?<![^])")
    return [
        [
            kind.pattern.removeprefix(ignore_case).replace(*begin),
            "ms" + "i" * kind.pattern.startswith(ignore_case),
            str(kind),
        ]
        for kind in KINDS
        if kind.name != "swf"
    ]


def build(place=PAGE) -> Path:
    """Write the page and return its path."""
    logs, none = [log_of(name) for name in LOGS], level("none")
    data = {
        "kernel": _text(KERNEL.read_bytes()),
        "logs": logs,
        "committed": committed(LOGS[0]),
        "names": {registry.info(name).sha256: name for name in registry.names()},
        "kinds": kinds(),
        "none": none,
    }
    template = Template((HERE / "page.html").read_text(encoding="utf-8"))
    citation = yaml.safe_load((paths.ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    page = template.substitute(
        style=(HERE / "page.css").read_text(encoding="utf-8"),
        log=logs[0]["name"],
        jobs=f"{logs[0]['count']:,}",
        about=_about(logs[0]),
        paper=_paper(next(p for p in citation["references"] if p["year"] == 2006), "cite"),
        origin=_origin(citation),
        cite=_cite(citation),
        acknowledgements=_acknowledgements(),
        none=f"{none:g}",
        data=json.dumps(data, separators=(",", ":")).replace("<", "\\u003c"),
        engine='"use strict";\nconst modules = {};\n' + script(ENGINE),
        parts=script(PARTS),
    )
    writing.write(place, page.encode())
    return place


def _about(log):
    recorded, title = ", as recorded", registry.info(log["name"]).title
    kind = "uncleaned log" if title.endswith(recorded) else "log"
    return (
        f"{escape(log['name'])} is the {kind} of a real machine, as in the paper: "
        f"{escape(title.removesuffix(recorded))}, with {log['machine']} processors."
    )


def _paper(reference, mark="span"):
    """Return a link to a paper: its authors, title and year."""
    authors = [author["family-names"] for author in reference["authors"]]
    names = " and ".join(authors) if len(authors) < 3 else f"{authors[0]} et al."
    title = f"<{mark}>{escape(reference['title'])}</{mark}>"
    link = f'<a href="https://doi.org/{escape(reference["doi"])}">{title}</a>'
    return f"{escape(names)}, {link} ({reference['year']})"


def _origin(citation):
    """Return where the page comes from: version, papers, and the repository by its address in
    CITATION.cff, `repository-code`, or by paths in it while there is none.
    """
    address = citation.get("repository-code")
    base = f"{address}/blob/HEAD/" if address else "../"
    files = {
        "report": "figures/report.html",
        "article": "figures/replication.pdf",
        "how verdicts are made": "docs/verdicts.md",
    }
    links = [
        f'<a href="{escape(base + path)}">{name}</a>' + f" ({path})" * (not address)
        for name, path in files.items()
    ]
    where = (
        f'Repository: <a href="{escape(address)}">{escape(address)}</a>; in it '
        if address
        else "The repository has no public address yet; where this file lies in it, as "
        "figures/page.html, these links open: "
    )
    papers = "; ".join(_paper(reference) for reference in citation["references"])
    return (
        f"This page belongs to version {rp.__version__} of the package <code>replication</code>, "
        f"which replicates three papers: {papers}. {where}{', '.join(links)}."
    )


def _cite(citation):
    authors = ", ".join(author["name"] for author in citation["authors"])
    address = (
        citation.get("doi") or citation.get("repository-code") or "without a public address yet"
    )
    text = f"{authors}: {citation['title']}, version {rp.__version__}, {address}"
    return f"Cite as: {escape(text)}."


def _acknowledgements():
    archive, logs = registry.REGISTRY["archive"], [registry.info(name) for name in LOGS]
    thanks = "; ".join(f"{log.name}: {escape(' and '.join(log.acknowledge))}" for log in logs)
    return (
        f'Logs from the <a href="{escape(archive["address"])}">{escape(archive["name"])}</a>, '
        f"maintained by {escape(' and '.join(archive['acknowledge']))}; we thank those who "
        f"provided them: {thanks}."
    )


def _text(content):
    return base64.b64encode(content).decode()


if __name__ == "__main__":
    place = build(*map(Path, sys.argv[1:]))
    print(f"{os.path.relpath(place)}: {place.stat().st_size / 1e6:.2f} MB")
