"""Where things are in a checkout; nothing here depends on the current folder."""

import os
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "notebooks"
DATA = ROOT / "data"
PUBLISHED = DATA / "published"
TRACES = DATA / "traces"
FIGURES = ROOT / "figures"
BUILD = ROOT / "build"
STAND_IN = BUILD / "stand-in"


def trace_folders():
    """Folders searched for traces, in order: ``REPLICATION_TRACES``, then ``data/traces``."""
    named = os.environ.get("REPLICATION_TRACES", "")
    return [Path(part).expanduser() for part in named.split(os.pathsep) if part] + [TRACES]


@contextmanager
def whole(target):
    """A path to write instead of `target`, which gets the name once all is written, and only then.

    Parameters
    ----------
    target : str or pathlib.Path

    Yields
    ------
    pathlib.Path
        In the same folder; nothing is left of it if the writing fails.
    """
    target = Path(target)
    partial = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        yield partial
        os.replace(partial, target)
    finally:
        partial.unlink(missing_ok=True)


def write(path, data):
    """Write a file so that its name never stands for half of it; its folder is made where it is not there.

    Parameters
    ----------
    path : pathlib.Path
    data : bytes
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with whole(path) as partial:
        partial.write_bytes(data)


@contextmanager
def opened(target):
    """A binary file to write to: `target` itself if it is one, else a file that is `whole` once written.

    Parameters
    ----------
    target : str, pathlib.Path or binary file
    """
    if hasattr(target, "write"):
        yield target
    else:
        with whole(target) as partial, open(partial, "wb") as file:
            yield file
