"""Questions to git about this checkout; without git the files on disk stand for the commit."""

import subprocess

from replication.simulator import paths


def git(*arguments, folder=None) -> str | None:
    """Return the output of a git command in `folder` (by default the checkout); None if
    it fails.
    """
    try:
        done = subprocess.run(
            ["git", "-C", str(folder or paths.ROOT), *arguments],
            capture_output=True,
            text=True,
            timeout=20,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None


def head() -> str | None:
    """Return the hash of the current commit; None in an unpacked archive."""
    return git("rev-parse", "--verify", "HEAD", folder=paths.NOTEBOOKS)


def committed(path) -> str | None:
    """Return the text of a file in the last commit, or of the file on disk without git; None if
    there is no such file.
    """
    text = _of_commit("show", path)
    if text is None and path.exists() and head() is None:
        return path.read_text(encoding="utf-8")
    return text


def same_bytes(path, file) -> bool:
    """Return whether `file` has the bytes of the committed file at `path`."""
    digest = _of_commit("rev-parse", path)
    if digest is None and head() is None:
        return path.exists() and path.read_bytes() == file.read_bytes()
    return digest == git("hash-object", str(file))


def _of_commit(command, path):
    folder = next(folder for folder in path.parents if folder.exists())
    return git(command, f"HEAD:./{path.relative_to(folder).as_posix()}", folder=folder)
