"""Folders of a checkout, or of the user for a package installed without one; files of data."""

import functools
import os
import tomllib
from pathlib import Path

import platformdirs

from replication.simulator.errors import InputError

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
PUBLISHED = DATA / "published"
IN_CHECKOUT = (ROOT / "pyproject.toml").is_file()
CACHE = platformdirs.user_cache_path("replication")
TRACES = DATA / "traces" if IN_CHECKOUT else CACHE / "traces"
# Folder of all output: by default the checkout, or the user's cache without one.
OUTPUT = os.environ.get("REPLICATION_OUTPUT") or (ROOT if IN_CHECKOUT else CACHE)
OUTPUT = Path(OUTPUT).expanduser().resolve()
FIGURES = OUTPUT / "figures"
BUILD = OUTPUT / "build"


def trace_folders() -> list[Path]:
    """Folders searched for traces, in order: ``REPLICATION_TRACES``, then ``data/traces``."""
    named = os.environ.get("REPLICATION_TRACES", "")
    # The name of one folder may contain the separator.
    folders = [named] if Path(named).expanduser().is_dir() else named.split(os.pathsep)
    return [Path(folder).expanduser() for folder in folders if folder] + [TRACES]


@functools.cache
def toml(path: Path) -> dict:
    """Return the content of a TOML file, which is read once; InputError if it is none."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise InputError(f"{path}: {error}; expected TOML in UTF-8") from None
