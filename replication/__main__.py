"""The command line: ``python -m replication COMMAND ...``, installed as ``replication``."""

import os
import sys
from collections.abc import Sequence

from replication import commands

FAILED, REFUSED, INTERRUPTED, OUTPUT_CLOSED = 1, 2, 130, 141
PACKAGE = "replication"


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code.

    `argv` are the words after the program's name, those of `sys.argv` by default. Expected errors are one line on
    standard error; ``--debug`` shows the traceback.
    """
    argv = sys.argv[1:] if argv is None else argv
    try:
        code = commands.run(argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes standard output again at exit and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    except KeyboardInterrupt:
        print(f"{PACKAGE}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except Exception as error:
        message = None if "--debug" in argv else _one_line(error)
        if message is None:
            raise
        for line in (*getattr(error, "lines", ()), f"{PACKAGE}: {message}"):
            # Text that comes from an input must not control a terminal.
            print("".join(c if c.isprintable() else repr(c)[1:-1] for c in line), file=sys.stderr)
        return REFUSED if isinstance(error, commands.UsageError) else FAILED


def _one_line(error):
    """Return the message of an expected error; None for a mistake in the code."""
    if isinstance(error, commands.UsageError):
        return " ".join(error.format_message().split())
    if isinstance(error, ModuleNotFoundError):
        if error.name.partition(".")[0] == PACKAGE:
            return None
        return (
            f"{error.name} is not installed for {sys.executable}; "
            "run `make setup`, then `source .venv/bin/activate`"
        )
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) or (isinstance(error, ValueError) and _from_here(error)):
        return " ".join(str(error).split())
    return None


def _from_here(error):
    """Return whether this package raised the error on purpose."""
    if type(error).__module__.startswith(f"{PACKAGE}."):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").startswith(f"{PACKAGE}.")


if __name__ == "__main__":
    sys.exit(main())
