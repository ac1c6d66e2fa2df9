"""Parse schedulers, estimate models and predictors from text, for the command line,
notebooks and the explorer.

A choice is its name, then the value after its sign, if it has one, then options::

    easy   f=2   log*2   top=3   last*0.5   f=300,emax=64800   easy:predictor=last,correction=now

The first option may follow a colon or a comma. Names, options and values are those of the classes;
only letters and digits of an option count, so ``emax`` is ``e_max``. A function of an imported
module is its dotted name: ``easy:candidates=my_orders.small_first``. Python takes values instead:
``EASY(predictor=Last())``.
"""

import importlib
import re
import sys
from collections.abc import Callable, Sequence
from dataclasses import MISSING, replace
from pathlib import Path
from types import ModuleType

import numpy as np

from replication.simulator.choices import ChoiceError, Number, did_you_mean
from replication.simulator.estimates import EstimateError, EstimateModel
from replication.simulator.estimates.models import steps
from replication.simulator.predictors import Biased, Predictor
from replication.simulator.schedulers import Scheduler, SchedulerError
from replication.simulator.schedulers.options import WordsOrFunction

#: Names of choices with some options set.
PRESETS = {
    "easy-last": ("easy", {"predictor": "last"}),
    "sjf-easy": ("easy", {"candidates": "sjf"}),
    "top-as-coded": ("top", {"coded": "yes"}),
}
ANSWERS = {"yes": True, "no": False}
KINDS = {bool: "yes or no", int: "a whole number", float: "a number"}
LONGEST = 200  # characters
_RANGE = re.compile(r"(.*=)([0-9.]+):([0-9.]+):([0-9.]+)(,.*)?")


def scheduler(text: str) -> Scheduler:
    """Return a scheduler, such as ``easy:predictor=last``; a ChoiceError lists the allowed ones."""
    return _read(Scheduler, text)


def schedulers(given) -> list[Scheduler]:
    """Return one scheduler or several, each an object or a text, as a list."""
    several = [given] if isinstance(given, str | type) or not np.iterable(given) else [*given]
    return [scheduler(one) if isinstance(one, str) else Scheduler.check(one) for one in several]


def estimates(text: str) -> EstimateModel:
    """Return an estimate model, such as ``log*2`` or ``f=300,emax=64800``."""
    return _read(EstimateModel, text)


def models(text: str) -> list[EstimateModel]:
    """Return the estimate models of a text: one, or all of a range such as ``f=0:10:1``."""
    match = _RANGE.fullmatch(text)
    if not match:
        return [estimates(text)]
    before, start, stop, step, after = match.groups()
    try:
        values = steps(float(start), float(stop), float(step))
    except ValueError as error:
        raise EstimateError(f"estimates {text!r}: {error}") from None
    return [estimates(f"{before}{value!r}{after or ''}") for value in values]


def combine(schedulers: Sequence[str], predictors: Sequence[str]) -> list[Scheduler]:
    """Return each scheduler with each predictor, if it takes one;
    without predictors the schedulers as they are.

    Raises
    ------
    SchedulerError
        If no scheduler takes a predictor, or one has a predictor already.
    """
    found = []
    for word in schedulers:
        one = scheduler(word)
        if not predictors or "predictor" not in one.options():
            found.append(one)
            continue
        if one.predictor != one.options()["predictor"].default:
            raise SchedulerError(f"scheduler {word!r} has a predictor; expected it once")
        found += [replace(one, predictor=predictor(own)) for own in predictors]
    if predictors and not any("predictor" in one.options() for one in found):
        raise SchedulerError(f"{', '.join(schedulers)}: no scheduler takes a predictor")
    return found


def predictor(text: str) -> Predictor:
    """Return a predictor, such as ``last`` or ``top=3``; ``last*2`` predicts twice as much."""
    of, times, factor = text.rpartition("*")
    if not times:
        return _read(Predictor, text)
    return Biased(predictor(of), _value(factor, Biased.options()["factor"]))


_imported: dict[str, ModuleType] = {}  # the only modules whose functions text can name


def import_module(path: Path) -> None:
    """Import a Python file as a module of its name: text can name its choices and functions.

    Raises
    ------
    ChoiceError
        If there is no such Python file, or it raises an error.
    """
    if not path.is_file():
        raise ChoiceError(f"{path} does not exist; expected a Python file")
    if path.suffix != ".py":
        raise ChoiceError(f"{path}; expected a Python file, whose name ends in .py")
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))
    try:
        _imported[path.stem] = importlib.import_module(path.stem)
    except Exception as error:
        raise ChoiceError(f"{path}: {type(error).__name__}: {error}") from error


def function(word: str) -> Callable | str:
    """Return a function of a module of `import_module`, such as ``my_orders.small_first``;
    another word as it is.
    """
    module, _, name = word.rpartition(".")
    value = getattr(_imported.get(module), name, None)
    return value if callable(value) else word


def names(family) -> list[str]:
    """Return all names of a family with its presets."""
    return [*family.members, *(name for name, (own, _) in PRESETS.items() if own in family.members)]


def forms(family) -> str:
    """Return the text forms of the members of a family, such as `Scheduler`, in one line."""
    return ", ".join(
        _form(name, family.members[PRESETS.get(name, (name,))[0]]) for name in names(family)
    )


def _form(name, member):
    """Return a choice's name with its required and signed options in capitals."""
    if member is Biased:
        return f"{name}: PREDICTOR*FACTOR"
    form, preset = name, PRESETS.get(name, (name, {}))[1]
    options = [own for own in member.options().values() if own.name not in preset]
    for own in options:
        if own.metadata.get("sign"):
            allowed = own.metadata["allowed"]
            allowed = " or ".join(allowed) if isinstance(allowed, tuple) else allowed
            word = f"{own.metadata['sign']}{own.name.upper()} ({allowed})"
            form += word if own.default is MISSING else f"[{word}]"
    for own in options:
        if own.default is MISSING and not own.metadata.get("sign"):
            form += f",{own.name.replace('_', '')}={own.name.upper()}"
    return form


def _read(family, text):
    if len(text) > LONGEST:
        raise family.error(
            f"{family.family} {text[:40]!r}... ({len(text):,} characters); allowed: up to {LONGEST}"
        )
    match = re.fullmatch(r"([^=*:,]+)(?:([=*])([^:,]*))?(?:[:,](.*))?", text.strip())
    if not match:
        raise family.error(f"{family.family} {text!r}; allowed: {forms(family)}")
    name, sign, amount, rest = match.groups()
    known = names(family)
    if name not in known:
        raise family.error(
            f"{family.family} {name!r} unknown{did_you_mean(name, known)}; allowed: {forms(family)}"
        )
    own, preset = PRESETS.get(name, (name, {}))
    member = family.members[own]
    given = {}
    options = member.options()
    if sign:
        signed = [option for option in options if options[option].metadata.get("sign") == sign]
        if not signed:
            raise family.error(f"{family.family} {text!r}; allowed: {_form(name, member)}")
        given[signed[0]] = amount
    for word in rest.split(",") if rest is not None else ():
        option, equals, value = word.partition("=")
        if not (option and equals and value):
            raise family.error(
                f"{family.family} {text!r}: {word!r}; allowed: OPTION=VALUE, and in a sweep a "
                "range START:STOP:STEP"
            )
        # The class refuses an unknown option.
        option = next((own for own in options if _plain(own) == _plain(option)), option)
        if option in given:
            raise family.error(f"{family.family} {text!r}: {option} is given twice")
        given[option] = value
    given = preset | given
    for option, declared in options.items():
        if declared.default is MISSING and option not in given:
            raise family.error(
                f"{family.family} {text!r} is incomplete; allowed: {_form(name, member)}"
            )
    return member(
        **{
            option: _value(value, options[option]) if option in options else value
            for option, value in given.items()
        }
    )


def _plain(word):
    return re.sub(r"[^a-z0-9]", "", word.lower())


def _value(word, declared):
    """Return the value of a word for an option; the class refuses a word that has none."""
    if declared.metadata.get("allowed") is Predictor or isinstance(declared.default, Predictor):
        return predictor(word)
    if isinstance(declared.metadata.get("allowed"), WordsOrFunction):
        return function(word)
    default = declared.default
    kind = declared.type if default is MISSING else type(default)
    if kind is bool:
        value = ANSWERS.get(word, word)
    elif kind in (int, float) or isinstance(declared.metadata.get("allowed"), Number):
        value = number(word)
    else:
        return word
    # The class itself does not check a field without allowed values.
    is_right = isinstance(value, (int, float) if kind is float else kind)
    if declared.metadata.get("allowed") is None and not is_right:
        raise ChoiceError(f"{declared.name}={word!r}; allowed: {KINDS[kind]}")
    return value


def number(word: str) -> float | str:
    """Return a word as a number, or as it is."""
    try:
        value = float(word)
    except ValueError:
        return word
    return int(word) if word.lstrip("+-").isdecimal() else value
