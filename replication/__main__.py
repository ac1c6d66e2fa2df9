"""The shell's way in: ``python -m replication COMMAND ...``, installed as ``replication``.

Exit codes: 0 done; 1 the work failed; 2 the command line was refused; 130 interrupted;
141 the reader of the output closed it early. Failures of the package and of the file system
are one line on standard error; ``--debug`` shows where they came from.
"""

import argparse
import os
import sys

from replication import __version__, commands
from replication.basics.hints import did_you_mean

DONE, FAILED, REFUSED, INTERRUPTED, OUTPUT_CLOSED = 0, 1, 2, 130, 141
PACKAGE = __package__


def main(argv=None):
    """Run one command.

    Parameters
    ----------
    argv : list of str, optional
        The words after the program's name; `sys.argv` by default.

    Returns
    -------
    int
        Exit code, see the module's docstring.
    """
    argv = sys.argv[1:] if argv is None else argv
    try:
        code = _run(argv)
        sys.stdout.flush()
        return code
    except BrokenPipeError:
        # Python flushes standard output again at exit and would complain then.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return OUTPUT_CLOSED
    except KeyboardInterrupt:
        print(f"{PACKAGE}: interrupted", file=sys.stderr)
        return INTERRUPTED
    except (ValueError, OSError, ModuleNotFoundError) as error:
        if "--debug" in argv or not _expected(error):
            raise
        print(f"{PACKAGE}: {_one_line(error)}", file=sys.stderr)
        return REFUSED if isinstance(error, commands.UsageError) else FAILED


def _run(argv):
    parser = _parser()
    known = parser.parse_args(argv)
    if known.command is None:
        parser.print_help(sys.stderr)
        return REFUSED
    if known.command not in commands.names():
        raise commands.UsageError(_unknown(known.command))
    command = commands.load(known.command)
    own = argparse.ArgumentParser(
        prog=f"{PACKAGE} {known.command}",
        description=command.__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    own.add_argument("--debug", action="store_true", help="show where an error came from")
    command.add_arguments(own)
    return command.main(own.parse_args(known.arguments))


def _parser():
    parser = _Parser(
        prog=PACKAGE,
        usage="%(prog)s [--version] [--debug] COMMAND ...",
        description="Replication of three papers on batch scheduling with unknown run times.",
    )
    parser.add_argument("--version", action="version", version=f"{PACKAGE} {__version__}")
    parser.add_argument("--debug", action="store_true", help="show where an error came from")
    parser.add_argument("command", nargs="?", help=argparse.SUPPRESS)
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    return parser


class _Parser(argparse.ArgumentParser):
    """Lists the commands below the help; they are read only when it is asked for."""

    def format_help(self):
        lines = [f"  {name:10} {commands.summary(name)}" for name in commands.names()]
        return "\n".join(
            [
                super().format_help(),
                "commands:",
                *lines,
                "",
                f"'{PACKAGE} COMMAND --help' tells more.",
                "",
                __doc__.partition("\n\n")[2],
            ]
        )


def _unknown(name):
    known = commands.names()
    return (
        f"unknown command {name!r}{did_you_mean(name, known)}; the commands are {', '.join(known)}"
    )


def _expected(error):
    """Whether the message is meant for a person: from the system, or raised by this package on purpose."""
    if isinstance(error, ModuleNotFoundError):
        return error.name.partition(".")[0] != PACKAGE
    if isinstance(error, OSError) or type(error).__module__.startswith(f"{PACKAGE}."):
        return True
    trace = error.__traceback__
    while trace.tb_next is not None:
        trace = trace.tb_next
    return trace.tb_frame.f_globals.get("__name__", "").startswith(f"{PACKAGE}.")


def _one_line(error):
    if isinstance(error, ModuleNotFoundError):
        return f"{error.name} is not installed for {sys.executable}; 'make setup' prepares .venv"
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
