"""The shell's way in: ``python -m replication COMMAND ...``, installed as ``replication``.

Its exit codes are told by ``--help``, see `replication.commands.HELP`.
"""

import os
import sys

from replication import commands
from replication.simulator import signals

FAILED, REFUSED, OUTPUT_CLOSED = 1, 2, 141
PACKAGE = "replication"


def main(argv=None):
    """Run one command, from the words after the program's name (`sys.argv` by default), and return
    the exit code.
    """
    argv = sys.argv[1:] if argv is None else argv
    try:
        with signals.answered(PACKAGE):
            code = commands.run(argv)
            sys.stdout.flush()
            return code
    except BrokenPipeError:
        # Python flushes standard output again at exit and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    except KeyboardInterrupt as stopped:
        return signals.end(getattr(stopped, "number", signals.signal.SIGINT), PACKAGE)
    except Exception as error:
        said = None if "--debug" in argv else _one_line(error)
        if said is None:
            raise
        for line in (*getattr(error, "lines", ()), f"{PACKAGE}: {said}"):
            # What is repeated of an input must not steer a terminal.
            print("".join(c if c.isprintable() else repr(c)[1:-1] for c in line), file=sys.stderr)
        return REFUSED if isinstance(error, commands.UsageError) else FAILED


def _one_line(error):
    """What is said of an error that is meant for a person; None for a mistake in the code."""
    if isinstance(error, commands.UsageError):
        return " ".join(error.format_message().split())
    if isinstance(error, ModuleNotFoundError):
        if error.name.partition(".")[0] == PACKAGE:
            return None
        return f"{error.name} is not installed for {sys.executable}; run `make setup`, then `source .venv/bin/activate`"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    if isinstance(error, OSError) or (isinstance(error, ValueError) and _from_here(error)):
        return " ".join(str(error).split())
    return None


def _from_here(error):
    """Whether this package raised the error on purpose."""
    if type(error).__module__.startswith(f"{PACKAGE}."):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").startswith(f"{PACKAGE}.")


if __name__ == "__main__":
    sys.exit(main())
