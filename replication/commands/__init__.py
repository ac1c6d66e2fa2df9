"""The shell: one group of commands, each in a module that is imported only when it is the one asked for.

A command's module is its help: the docstring, whose first line the group's help lists. It has a function `command`, or
several in `ACTIONS`, with click's options, which returns the exit code, if it is not 0.
"""

import functools
import importlib
import os
from pathlib import Path

import click
from click import UsageError, shell_completion

from replication import __version__
from replication.simulator.hints import did_you_mean

PROGRAM = "replication"
COMPLETE = "_REPLICATION_COMPLETE"
FOLDER = Path(__file__).parent
SETTINGS = {"help_option_names": ["-h", "--help"], "max_content_width": 100}
HELP = f"""\
Replication of three papers on batch scheduling with unknown run times.

'{PROGRAM} COMMAND --help' tells more.

Exit codes: 0 done; 1 the work failed; 2 the command line was refused; 130 interrupted; 141 the reader of the output closed it early. Failures
of the package and of the file system are one line on standard error; --debug shows where they came from."""


def names():
    """Names of the commands, in alphabetical order."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if not path.stem.startswith("_"))


def summary(name):
    """First line of a command's docstring, read without importing the module."""
    with open(FOLDER / f"{name}.py", encoding="utf-8") as file:
        return file.readline().strip().strip('"')


@functools.cache
def load(name):
    """A command, or a group of them, from its module."""
    module = importlib.import_module(f"{__name__}.{name}")
    if hasattr(module, "command"):
        return click.command(name, Command, help=module.__doc__)(module.command)
    actions = [click.command(own, Command)(work) for own, work in module.ACTIONS.items()]
    return Group(name, actions, help=module.__doc__)


class Several(click.Option):
    """An option that takes all words up to the next option, as ``--f 0 1 4`` does."""

    def __init__(self, *args, **settings):
        super().__init__(*args, multiple=True, **settings)


class Command(click.Command):
    """A command whose help stands as it was written, with ``--debug`` and options of several words."""

    def __init__(self, *args, **settings):
        super().__init__(*args, context_settings=SETTINGS, **settings)
        self.params.append(
            click.Option(
                ["--debug"], is_flag=True, expose_value=False, help="Show where an error came from."
            )
        )

    def parse_args(self, ctx, args):
        several = {
            name for option in self.params if isinstance(option, Several) for name in option.opts
        }
        return super().parse_args(ctx, list(_one_by_one(args, several)))

    def format_help_text(self, ctx, formatter):
        formatter.write(f"\n{self.help.strip()}\n")


def _one_by_one(args, several):
    """``--f 0 1`` as ``--f 0 --f 1``: the parser takes one value an option."""
    option, first = None, False
    for word in args:
        if word.startswith("-"):
            option, first = word if word in several else None, True
        elif option and not first:
            yield option
        else:
            first = False
        yield word


class Group(Command, click.Group):
    """Commands under one name; a name that is not known is answered with those that are."""

    def resolve_command(self, ctx, args):
        known = self.list_commands(ctx)
        if args[0] not in known and not args[0].startswith("-"):
            raise UsageError(
                f"unknown {self.kind} {args[0]!r}{did_you_mean(args[0], known)}; "
                f"the {self.kind}s are {', '.join(known)}"
            )
        return super().resolve_command(ctx, args)

    kind = "action"


class Shell(Group):
    """All commands, by the files of this folder."""

    kind = "command"

    def list_commands(self, ctx):
        return names()

    def get_command(self, ctx, name):
        return load(name) if name in names() else None

    def format_commands(self, ctx, formatter):
        with formatter.section("Commands"):
            formatter.write("".join(f"  {name:10} {summary(name)}\n" for name in names()))


shell = click.version_option(__version__, message="%(prog)s %(version)s")(Shell(PROGRAM, help=HELP))


def run(argv):
    """Run a command, or complete a line of the shell; returns the exit code. UsageError for a
    command line that asks for something that cannot be.
    """
    if COMPLETE in os.environ:
        return shell_completion.shell_complete(shell, {}, PROGRAM, COMPLETE, os.environ[COMPLETE])
    try:
        with shell.make_context(PROGRAM, list(argv)) as context:
            return shell.invoke(context) or 0
    except click.exceptions.Exit as done:
        return done.exit_code
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show()
        return asked.exit_code
