"""What git knows of this checkout; None everywhere where there is no git, or no commit."""

import subprocess
from pathlib import Path

from replication.simulator import paths


def git(*words, folder=None):
    """What a git command prints, without blanks at its ends; None where it fails or there is no
    git. It runs in `folder`, by default the checkout.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder or paths.ROOT), *words],
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def is_checkout(folder):
    """Whether a folder is the top of a checkout that has a commit."""
    top = git("rev-parse", "--show-toplevel", folder=folder)
    return bool(top) and Path(top) == Path(folder).resolve() and head(folder) is not None


def head(folder=None):
    """The commit that is checked out."""
    return git("rev-parse", "--verify", "HEAD", folder=folder)


def at_head(path):
    """A text file as the last commit has it; None where there is no commit, or the file is not in
    it.
    """
    return git("show", f"HEAD:./{path.name}", folder=path.parent)


def identifiers(*paths):
    """SWHIDs (ISO 18670) of the last commit that changed some paths and of its tree: git's own hashes; none without git."""
    commit = git("log", "-1", "--format=%H", "--", *paths)
    tree = commit and git("rev-parse", f"{commit}^{{tree}}")
    return [f"swh:1:rev:{commit}", f"swh:1:dir:{tree}"] if tree else []
