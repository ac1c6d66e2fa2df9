"""Folders of a checkout, independent of the current folder, and its TOML files."""

import functools
import os
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
PUBLISHED = DATA / "published"
TRACES = DATA / "traces"
ARTICLE = ROOT / "article"
# Folder of all output: the checkout by default.
OUTPUT = Path(os.environ.get("REPLICATION_OUTPUT") or ROOT).expanduser().resolve()
FIGURES = OUTPUT / "figures"
BUILD = OUTPUT / "build"
STAND_IN = BUILD / "stand-in"


def trace_folders():
    """Folders searched for traces, in order: ``REPLICATION_TRACES``, then ``data/traces``."""
    named = os.environ.get("REPLICATION_TRACES", "")
    # The name of one folder may contain the separator.
    folders = [named] if Path(named).expanduser().is_dir() else named.split(os.pathsep)
    return [Path(folder).expanduser() for folder in folders if folder] + [TRACES]


@functools.cache
def toml(path: Path) -> dict:
    """Return the content of a TOML file, which is read once."""
    return tomllib.loads(path.read_text(encoding="utf-8"))
