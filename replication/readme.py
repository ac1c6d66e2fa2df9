"""The table of tables and figures in README.md, made from the notebooks and from what they drew.

``python -m replication.readme`` writes it anew; a test holds the README to it, but for the times.
"""

import json
import re

from replication import notebook, paths, record

README = paths.ROOT / "README.md"
BLOCK = re.compile(r"(?<=<!-- items -->\n).*?(?=<!-- /items -->)", re.DOTALL)
OUTPUTS = ("figure", "table")


def outputs(name):
    """Committed pictures and tables of an item, pictures first, as paths from the README.

    Parameters
    ----------
    name : str
        ``paper/item``.

    Returns
    -------
    list of str
    """
    folder = record.folder("paper", name.split("/")[0])
    facts = record.read(folder / f"{name.split('/')[1]}.json") or {"files": {}}
    files = sorted((OUTPUTS.index(about["role"]), len(file), file) for file, about in facts["files"].items()
                   if about["role"] in OUTPUTS)
    return [(folder / file).relative_to(paths.ROOT).as_posix() for *_, file in files]


def seconds(name):
    """How long the item's last run on real logs at paper scale took, or None."""
    executed = record.executed("paper", name)
    if not executed.is_file():
        return None
    return json.loads(executed.read_text(encoding="utf-8"))["metadata"].get("papermill", {}).get("duration")


def table(before=""):
    """The table in Markdown; where a time is not known here, the one in `before` is kept."""
    known = dict(re.findall(r"\(notebooks/(\S+?)\.ipynb\).*\| *([\d.]+ (?:s|min)) \|", before))
    lines = ["| item | notebook | output | time |", "|---|---|---|---|"]
    for name in notebook.found():
        took = seconds(name)
        drawn = outputs(name)
        link = f"[{drawn[0].removeprefix('figures/')}]({drawn[0]})" if drawn else ""
        time = known.get(name, "") if took is None else f"{took:.0f} s" if took < 100 else f"{took / 60:.0f} min"
        lines.append(f"| {record.title(name)} | [{name}](notebooks/{name}.ipynb) | {link} | {time} |")
    return "\n".join(lines) + "\n"


def main():
    """Write the table into the README."""
    text = README.read_text(encoding="utf-8")
    record.write(README, BLOCK.sub(lambda old: table(old.group()), text).encode())


if __name__ == "__main__":
    main()
