"""Questions to git about this checkout; every answer is None without git or without a commit."""

import subprocess

from replication.simulator import paths


def git(*words, folder=None) -> str | None:
    """Return the output of a git command in `folder` (by default the checkout); None if
    it fails.
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


def head(folder=None) -> str | None:
    """Return the hash of the current commit, or None."""
    return git("rev-parse", "--verify", "HEAD", folder=folder)


def at_head(path) -> str | None:
    """Return the text of a file in the last commit, or None if the commit does not have
    the file.
    """
    return git("show", f"HEAD:./{path.name}", folder=path.parent)
