"""The files of a new paper, copied from ``data/new_paper``: a table of one number, its row count, a claim and a notebook."""

import re
from pathlib import Path

from replication.simulator import paths
from replication.simulator.errors import InputError


def write(name, title) -> list[Path]:
    """Write the files of a new paper, all to be replaced.

    Parameters
    ----------
    name : str
        Of its folders: lower-case letters, digits and _.
    title : str

    Returns
    -------
    list of pathlib.Path
        The files, the registry of the papers included.

    Raises
    ------
    replication.simulator.errors.InputError
        For a name or a title that cannot be used, and for a paper that exists.
    """
    if not re.fullmatch("[a-z][a-z0-9_]*", name):
        raise InputError(f"paper {name!r}; expected lower-case letters, digits and _")
    if not title.strip() or not title.isprintable() or '"' in title or "\\" in title:
        raise InputError(f"title {title!r}; expected words on one line, without quotation marks")
    values, notebooks = folders = paths.PUBLISHED / name, paths.NOTEBOOKS / name
    if any(folder.exists() for folder in folders):
        raise InputError(f"paper {name!r} exists already; expected a new name")
    for folder in folders:
        folder.mkdir()
    short, written = title.split(":")[0], []
    for example in sorted((paths.DATA / "new_paper").iterdir()):
        target = (notebooks if example.suffix == ".ipynb" else values) / example.name
        text = example.read_text(encoding="utf-8").replace("NAME", name).replace("TITLE", short)
        target.write_text(text, encoding="utf-8")
        written.append(target)
    registry = paths.PUBLISHED / "papers.toml"
    with registry.open("a", encoding="utf-8") as file:
        file.write(f'\n[{name}]\nname = "{short}"\ntitle = "{title}"\n')
    return [*written, registry]
