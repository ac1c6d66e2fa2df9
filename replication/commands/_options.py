"""Arguments and options that several commands share, and the kinds of value they take."""

import contextlib
import functools
import json

import click
from click.shell_completion import CompletionItem

from replication.commands import UsageError
from replication.simulator import (
    cleaning,
    estimates,
    formats,
    plans,
    schedulers,
    swf,
    text,
    traces,
    writing,
)
from replication.simulator.hints import did_you_mean

LONGEST = 40  # characters of a wrong value that a message repeats
FILE = click.Path(readable=False)  # completed by the tab key, and not looked at


class Word(click.ParamType):
    """One of a few words, which a function returns: some lie in rooms that load slowly."""

    name = "word"

    def __init__(self, words):
        self.words = words

    def get_metavar(self, param, ctx):
        return f"[{'|'.join(self.words())}]"

    def convert(self, value, param, ctx):
        if value in self.words():
            return value
        hint, allowed = did_you_mean(value, self.words()), ", ".join(self.words())
        raise UsageError(f"{_label(param)} {short(value)}{hint}; allowed: {allowed}")

    def shell_complete(self, ctx, param, incomplete):
        return completing(self.words)(ctx, param, incomplete)


class Number(click.ParamType):
    """A number within limits, both included."""

    name = "number"

    def __init__(self, least, most=10**15, kind=int):
        self.least, self.most, self.kind = least, most, kind

    def get_metavar(self, param, ctx):
        return "N"

    def convert(self, value, param, ctx):
        with contextlib.suppress(ValueError):
            if self.least <= (number := self.kind(value)) <= self.most:
                return number
        allowed = f"{self.least} or more, up to {self.most:,}"
        raise UsageError(f"{_label(param)} {short(value)}, allowed: {allowed}")


def _label(param):
    return param.opts[0] if isinstance(param, click.Option) else param.human_readable_name


def short(value):
    """A wrong value as a message repeats it."""
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}..."


class Late(click.Option):
    """An option whose help is only made when it is shown: what it lists lies in rooms that load slowly."""

    def __init__(self, *args, told, **settings):
        self.told = told
        super().__init__(*args, **settings)

    def get_help_record(self, ctx):
        self.help = self.told()
        return super().get_help_record(ctx)


def _rules():
    rules = (f"{rule} ({words})" for rule, (words, _) in cleaning.DROP_RULES.items())
    return f"Jobs left out, by commas; '' for none: {'; '.join(rules)}."


def logs(ctx, param, incomplete):
    """What completes the name of a log: the registry's names, and files."""
    known = [CompletionItem(name) for name in traces.names() if name.startswith(incomplete)]
    return [CompletionItem(incomplete, type="file"), *known]


def completing(words):
    """What completes a word that is one of those that `words` returns."""
    return lambda ctx, param, start: [CompletionItem(w) for w in words() if w.startswith(start)]


def output(what, **settings):
    """``--out FILE``."""
    return click.option("--out", metavar="FILE", type=FILE, help=what, **settings)


def file(name, **settings):
    """An argument that names a file."""
    return click.argument(name, type=FILE, **settings)


def as_json(what):
    """``--json``."""
    return click.option("--json", "as_json", is_flag=True, help=f"{what} as JSON.")


def processors(default, *names):
    """``--processors N``."""
    what = f"Size of the machine (default: {default})."
    return click.option("--processors", *names, type=Number(1), help=what)


def options(*several):
    """Several decorators as one, in the order of the help."""
    return lambda command: functools.reduce(lambda made, put: put(made), several[::-1], command)


def _choice(*names, family, default, metavar, about):
    """An option that takes a choice of a family as text; the tab key completes names."""
    return click.option(
        *names,
        cls=Late,
        told=lambda: f"One of {text.forms(family())} (default {default}); {about}",
        shell_complete=completing(lambda: text.names(family())),
        default=default,
        metavar=metavar,
    )


scheduler = _choice(
    "--scheduler",
    family=lambda: schedulers.Scheduler,
    default="easy",
    metavar="NAME",
    about="options may follow, as in easy:predictor=last,correction=now.",
)
predictor = click.option(
    "--predictor",
    metavar="NAME",
    help="What the scheduler goes by instead of estimates: last, top=3 and others; a wrong one is answered "
    "with the right ones.",
)
seed = click.option(
    "--seed", type=Number(0), default=1, help="Seed of all that is random (default 1)."
)
model = _choice(
    "--estimates",
    "model",
    family=lambda: estimates.EstimateModel,
    default="log",
    metavar="MODEL",
    about=",emax=SECONDS may follow each.",
)
bad_lines = click.option(
    "--bad-lines",
    type=Word(lambda: swf.BAD_LINES),
    default="refuse",
    help="What becomes of a log with lines that cannot be jobs (default refuse; skip counts them).",
)
workers = click.option(
    "--workers", type=Number(1, 4096), help="Threads that simulate (default: all processors)."
)
engine = click.option(
    "--engine",
    metavar="NAME",
    help="Where to run: threads (default), processes, or the address of a Dask scheduler.",
)
paper = click.option(
    "--paper", type=Word(lambda: traces.papers()), help="Use a paper's rules for the log."
)
rules = options(
    bad_lines,
    paper,
    processors("what the log says", "machine"),
    click.option(
        "--size",
        type=Word(lambda: cleaning.SIZES),
        help="Which processors are a job's size; the others where these are missing.",
    ),
    click.option(
        "--overrun",
        type=Word(lambda: cleaning.OVERRUNS),
        help="What becomes of a run longer than its estimate.",
    ),
    click.option("--drop", cls=Late, told=_rules, metavar="RULES"),
)


def scheduler_of(words, predictor=None, options=()):
    """The scheduler that is meant, from its text and that of its options, ``name=value`` each."""
    more = [*options, *([f"predictor={predictor}"] if predictor else [])]
    separator = "," if ":" in words else ":"
    return text.scheduler(words + (separator + ",".join(more) if more else ""))


@contextlib.contextmanager
def refusing(*errors):
    """Refuse with code 2 what would be a failure (code 1) elsewhere."""
    try:
        yield
    except errors as error:
        raise UsageError(str(error)) from error


def writable(out, *inputs):
    """Refuse an output that is a folder, has none, or is one of the inputs, before any work is done."""
    if out:
        with refusing(writing.OutputError):
            writing.check(out, inputs)


@contextlib.contextmanager
def judging():
    """Refuse what cannot be judged with code 2: 1 says that it was, and was found wanting."""
    try:
        with refusing(formats.FormatError, plans.PlanError, swf.SWFError):
            yield
    except OSError as error:
        raise UsageError(f"{error.filename}: {error.strerror}") from error


def say(facts, lines, as_json, aside=False):
    """Print what was found, as JSON or in lines; `aside` on standard error, because the output
    itself goes to standard output.
    """
    click.echo(json.dumps(facts, indent=2) if as_json else "\n".join(lines), err=aside)
