"""Read choices from text, which is the expression that makes them::

    EASY(predictor=Last(), correction='now')

A bare name is the short form of a choice without options: the name of its class in lower case,
words joined by hyphens. A name with a value is that of a choice with one option. ``easy`` is
``EASY()``, and ``f-model=2`` is ``FModel(2)``. Where several choices are allowed,
``f-model=0:10:1`` is one for each value. Nothing is evaluated: an expression has names of choices
and of options, and literals.
"""

import ast
import importlib
import math
import re
import sys
import warnings
from dataclasses import MISSING
from pathlib import Path
from typing import Any

from replication.simulator.errors import InputError, among, did_you_mean

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
        expression = _parsed(text)
        problem = ""
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        expression, problem = None, f" ({getattr(error, 'msg', 'unreadable')})"
    if not isinstance(expression, ast.Call):
        raise family.error(
            f"{family.family} {text!r:.80}{problem}; allowed: {allowed(family, text)}"
        )
    return _from_call(_by_class(family), family.family, family.error, expression)


def _parsed(text):
    """Return the node of an expression, without Python's warning of spellings like ``1or 2``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)
        return ast.parse(text.strip(), mode="eval").body


def read_all(text: str, family: type) -> list:
    """Return the members of a text: one, or one for each value of a range, as of
    ``f-model=0:10:1``.
    """
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
    """Import a Python file, so that text can name its choices.

    A file of a package is imported as this package's module, as Python code imports it: numba
    stores compiled code with the names of modules, so one file should have one.

    Raises
    ------
    InputError
        If there is no such Python file, or it raises an error.
    """
    if not path.is_file():
        raise InputError(f"{path} does not exist; expected a Python file")
    if path.suffix != ".py":
        raise InputError(f"{path}; expected a Python file, whose name ends in .py")
    folder, name = path.resolve().parent, path.stem
    while (folder / "__init__.py").exists():
        folder, name = folder.parent, f"{folder.name}.{name}"
    if str(folder) not in sys.path:
        sys.path.insert(0, str(folder))
    try:
        importlib.import_module(name)
    except Exception as error:
        raise InputError(f"{path}: {type(error).__name__}: {error}") from error


def allowed(family: type, text: str = "") -> str:
    """Return the short forms of a family's members for a message, and the expression of one of
    them: of the one that a wrong text begins with, if there is one.
    """
    short = [_short_form(name, member) for name, member in family.members.items()]
    first = next(iter(family.members.values()))
    example = family.members.get(re.match(r"[\w-]*", text).group(), first)
    return f"{', '.join(filter(None, short))}, or with options {example.__name__}(...)"


def _short_form(name, member):
    """Return ``easy`` or ``f-model=F (a number from 0)``; empty if there is no short form."""
    match _required_options(member):
        case []:
            return name
        case [option]:
            return f"{name}={option.upper()} ({_limits(member.options()[option])})"
    return ""


def _limits(option):
    values = option.metadata.get("allowed")
    if isinstance(values, tuple):
        return ", ".join(map(repr, values))
    return f"a {values.family}" if isinstance(values, type) else str(values or "any value")


def _required_options(member):
    return [name for name, field in member.options().items() if field.default is MISSING]


def _from_short(family, name, value):
    kinds = _by_class(family) | family.members
    if name not in kinds:
        hint = did_you_mean(name, family.members)
        raise family.error(f"{family.family} {name!r} unknown{hint}; allowed: {allowed(family)}")
    member = kinds[name]
    required = _required_options(member)
    if len(required) != (value is not None):
        text = name if value is None else f"{name}={value}"
        forms = filter(None, (_short_form(name, member), f"{member.__name__}(...)"))
        raise family.error(f"{family.family} {text!r}; allowed: {' or '.join(forms)}")
    try:
        value = ast.literal_eval(_parsed(value)) if value else None
    except (ValueError, SyntaxError):
        pass  # a word; the class says what is allowed
    return member(**dict.fromkeys(required, value))


def _from_call(kinds, noun, error, call):
    """Return the choice of a call, of one of some classes by name."""
    member = kinds[among(kinds, noun, ast.unparse(call.func), error)]
    source, options = f"{ast.unparse(call):.80}", member.options()
    by_place = [name for name, option in options.items() if not option.kw_only]
    if len(call.args) > len(by_place):
        raise error(f"{source}: {len(call.args)} values; allowed: {len(by_place)}")
    nodes = dict(zip(by_place, call.args, strict=False))
    for word in call.keywords:
        member.check_option(word.arg)
        if word.arg in nodes:
            raise error(f"{source}: {word.arg} is given twice; allowed: once")
        nodes[word.arg] = word.value
    for name in _required_options(member):
        if name not in nodes:
            raise error(f"{source}: {name} is missing; allowed: {_limits(options[name])}")
    return member(**{name: _value(member, options[name], node) for name, node in nodes.items()})


def _value(member, option, node):
    """Return the value of a node of an expression for an option of a choice."""
    if isinstance(node, ast.Call):
        families = option.metadata.get("allowed"), type(option.default)
        family = next((kind for kind in families if hasattr(kind, "members")), None)
        if family:
            return _from_call(_by_class(family), family.family, family.error, node)
        kinds = {k: kind for family in member.families for k, kind in _by_class(family).items()}
        return _from_call(kinds, f"{member.__name__}: {option.name}", member.error, node)
    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError):
        word = ast.unparse(node)
        choices = [f"{name}()" for family in member.families for name in _by_class(family)]
        raise member.error(
            f"{member.__name__}: {option.name}={word}{did_you_mean(f'{word}()', choices)}; "
            "allowed: a number, text in quotation marks, True, False, None, or a choice with "
            "parentheses"
        ) from None


def _by_class(family):
    return {member.__name__: member for member in family.members.values()}
