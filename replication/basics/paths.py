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
    if Path(named).expanduser().is_dir() and named:
        # Its name may hold the sign that stands between folders.
        return [Path(named).expanduser(), TRACES]
    return [Path(part).expanduser() for part in named.split(os.pathsep) if part] + [TRACES]
