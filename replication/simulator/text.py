"""Read choices from text, which is the expression that makes them::

    EASY(predictor=Last(), correction='now')

A bare name is the short form of a choice without options, and a name with a value that of a choice
with one: ``easy`` is ``EASY()``, and ``f=2`` is ``FModel(2)``. Where several choices are allowed,
``f=0:10:1`` is one for each value. Nothing is evaluated: an expression has names of choices and of
options, and literals.
"""

import ast
import importlib
import math
import re
import sys
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from replication.simulator.errors import InputError, did_you_mean

_SHORT = re.compile(r"([A-Za-z_][\w-]*)(?:=([^:=()]+))?")
_RANGE = re.compile(r"([A-Za-z_][\w-]*)=([\d.]+):([\d.]+):([\d.]+)")
MOST = 1_000_000  # values of a range; a typing mistake should not start a year of work


def read(text: str, family: type) -> Any:
    """Return a member of a family of choices from text; raise the family's error with the names
    that are allowed.
    """
    if short := _SHORT.fullmatch(text.strip()):
        return _from_short(family, *short.groups())
    try:
        expression = ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        expression = None
    if not isinstance(expression, ast.Call):
        raise family.error(f"{family.family} {text!r:.80}; allowed: {allowed(family, text)}")
    return _from_call(family, expression)


def read_all(text: str, family: type) -> list:
    """Return the members of a text: one, or one for each value of a range such as ``f=0:10:1``."""
    match = _RANGE.fullmatch(text.strip())
    if not match:
        return [read(text, family)]
    name, *ends = match.groups()
    try:
        values = steps(*map(float, ends))
    except ValueError as error:
        raise family.error(f"{family.family} {text!r:.80}: {error}") from None
    return [_from_short(family, name, repr(value)) for value in values]


def steps(start: float, stop: float, step: float) -> list[float]:
    """Return numbers from one to another; the last one is included if the steps reach it.

    They are rounded to ten decimals, 0.3 and not 0.30000000000000004, because they become part of
    random seeds.

    Parameters
    ----------
    start, stop, step : float
        `step` above 0.

    Returns
    -------
    list of float

    Raises
    ------
    ValueError
        If the range is invalid or has more than a million numbers.
    """
    good = all(math.isfinite(value) for value in (start, stop, step))
    if good and step > 0 and start <= stop:
        count = math.floor((stop - start) / step + 1e-9) + 1
        if count <= MOST:
            return [round(start + k * step, 10) for k in range(count)]
    raise ValueError(f"from {start} to {stop} by {step}; allowed: upwards, up to {MOST:,} values")


def import_module(path: Path) -> None:
    """Import a Python file as a module of its name, so that text can name its choices.

    Raises
    ------
    InputError
        If there is no such Python file, or it raises an error.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist; expected a Python file")
    if path.suffix != ".py":
        raise InputError(f"{path}; expected a Python file, whose name ends in .py")
    if str(path.parent.resolve()) not in sys.path:
        sys.path.insert(0, str(path.parent.resolve()))
    try:
        importlib.import_module(path.stem)
    except Exception as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error


def allowed(family: type, text: str = "") -> str:
    """Return the short forms of a family's members for a message, and the expression of one of
    them: of the one that a wrong text begins with, if there is one.
    """
    short = [_short_form(name, member) for name, member in family.members.items()]
    kinds = [*family.members.items()]
    kinds = [kind for kind in kinds if kind[0] == re.match(r"[\w-]*", text).group()] or kinds
    return f"{', '.join(filter(None, short))}, or with options {kinds[0][1].__name__}(...)"


def _short_form(name, member):
    """Return ``easy`` or ``f=F (a number from 0)``; empty for a choice that has no short form."""
    match _required(member):
        case []:
            return name
        case [option]:
            values = member.options()[option].metadata.get("allowed")
            limits = f" ({values})" if callable(values) and not isinstance(values, type) else ""
            return f"{name}={option.upper()}{limits}"
    return ""


def _required(member):
    return [name for name, field in member.options().items() if field.default is MISSING]


def _from_short(family, name, value):
    names = {member.__name__: member for member in family.members.values()} | family.members
    if name not in names:
        hint = did_you_mean(name, family.members)
        raise family.error(f"{family.family} {name!r} unknown{hint}; allowed: {allowed(family)}")
    member = names[name]
    required = _required(member)
    if len(required) != (value is not None):
        text = name if value is None else f"{name}={value}"
        forms = filter(None, (_short_form(name, member), f"{member.__name__}(...)"))
        raise family.error(f"{family.family} {text!r}; allowed: {' or '.join(forms)}")
    try:
        value = ast.literal_eval(value) if value else None
    except (ValueError, SyntaxError):
        pass  # a word; the class says what is allowed
    return member(**dict.fromkeys(required, value))


def _from_call(family, call):
    names = {member.__name__: member for member in family.members.values()}
    name = ast.unparse(call.func)
    if name not in names:
        hint = did_you_mean(name, names)
        raise family.error(f"{family.family} {name!r} unknown{hint}; allowed: {', '.join(names)}")
    member = names[name]
    options = member.options()
    values = [*zip(options, call.args), *((word.arg, word.value) for word in call.keywords)]
    given = [option for option, _ in values]
    missing = [option for option in _required(member) if option not in given]
    wrong = [option for option in given if option not in options or given.count(option) > 1]
    if len(call.args) > len(options) or wrong or missing:
        problem = f"no option {wrong[0]!r}{did_you_mean(wrong[0], options)}" if wrong else ""
        problem = f"{wrong[0]} twice" if wrong and wrong[0] in options else problem
        problem = problem or (f"no {missing[0]}" if missing else f"{len(call.args)} values")
        known = ", ".join(options) or "none"
        raise family.error(f"{ast.unparse(call)!s:.80} has {problem}; allowed: {known}")
    return member(**{name: _value(member, options[name], node) for name, node in values})


def _value(member, option, node):
    """Return the value of a node of an expression for an option of a choice."""
    if isinstance(node, ast.Call):
        family = option.metadata.get("allowed")
        if not isinstance(family, type):  # a function that checks the choice
            family = member if option.default in (None, MISSING) else type(option.default)
        return _from_call(family, node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        raise member.error(
            f"{member.__name__}: {option.name}={ast.unparse(node)}; allowed: a number, text in "
            "quotation marks, True, False, None, or a choice with parentheses"
        ) from None
