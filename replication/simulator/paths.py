"""Where things are in a checkout; nothing here depends on the current folder."""

import os
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
PUBLISHED = DATA / "published"
TRACES = DATA / "traces"
ARTICLE = ROOT / "article"
# What is drawn, kept and compiled goes here: the checkout, unless that cannot be written to.
OUTPUT = Path(os.environ.get("REPLICATION_OUTPUT") or ROOT).expanduser().resolve()
FIGURES = OUTPUT / "figures"
BUILD = OUTPUT / "build"
STAND_IN = BUILD / "stand-in"


def trace_folders():
    """Folders searched for traces, in order: ``REPLICATION_TRACES``, then ``data/traces``."""
    named = os.environ.get("REPLICATION_TRACES", "")
    # The name of one folder may hold the sign that stands between several.
    folders = [named] if Path(named).expanduser().is_dir() else named.split(os.pathsep)
    return [Path(folder).expanduser() for folder in folders if folder] + [TRACES]
