"""Choices: frozen dataclasses with checked options, in families that can be extended.

Schedulers, predictors and estimate models are families of choices. A member is one class::

    @dataclass(frozen=True)
    class FModel(EstimateModel):
        f: float = option(allowed=Number(0), about="badness factor")

Fields are declared with `option`, which states the allowed values; errors list them. The `repr` is
an expression that makes the choice, equal choices have equal hashes, and `dataclasses.replace`
makes a variant.
"""

import functools
import inspect
import math
import re
import sys
import textwrap
from collections.abc import Hashable, Iterable
from dataclasses import MISSING, Field, FrozenInstanceError, dataclass, field, fields, is_dataclass
from typing import Any, ClassVar

from replication.simulator import sources, text
from replication.simulator.errors import InputError, among, did_you_mean

_WORD = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")  # begins in a class' name
UNBOUNDED = 2**53  # messages leave out upper bounds from here on


class ChoiceError(InputError):
    """An unknown choice, option or value; the message lists the allowed ones."""


def option(default=MISSING, allowed=None, about="") -> Any:
    """Declare a field of a choice.

    Parameters
    ----------
    default : object, optional
        Required without one.
    allowed : tuple, class or Callable, optional
        The allowed values; or the family of allowed members; or a function that returns a value in
        the type in which it is stored, or raises ValueError with the allowed values. Anything by
        default.
    about : str
        The meaning, for the docstring of the class.
    """
    return field(default=default, metadata={"allowed": allowed, "about": about})


@dataclass(frozen=True)
class Number:
    """The allowed numbers of an `option`.

    Parameters
    ----------
    least, most : float
        Both included.
    whole : bool
        Whole numbers only, stored as int; as float otherwise.
    or_none : bool
        Whether None is allowed too.
    """

    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    or_none: bool = False

    def __call__(self, value):
        """Return `value` as int or float; raise ValueError with the allowed numbers."""
        if value is None and self.or_none:
            return None
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        good = math.isfinite(number) and self.least <= number <= self.most
        if not good or (self.whole and number != int(number)):
            limit = f", at most {self.most:.15g}" if number > self.most >= UNBOUNDED else ""
            raise ValueError(f"{self}{limit}")
        return int(value) if self.whole else number

    def __str__(self):
        kind = "a whole number" if self.whole else "a number"
        if math.isfinite(self.least):
            kind += f" from {self.least:.15g}"
        if self.most < UNBOUNDED:
            kind += f" to {self.most:.15g}"
        return kind + (" or None" if self.or_none else "")


class Choice:
    """The base class of all families; see the module.

    A class made with ``family="scheduler"`` begins a family; every other subclass is a member of
    the family of its base, known by its `name` (by default that of the class: ``pv-easy`` for
    PVEasy). A base class with ``name=""`` is no member.

    Attributes
    ----------
    family : str
        The noun for members in messages.
    members : dict of str to class
        All members by name, in order of definition.
    families : list of class
        All families.
    name : str
        The short form of the choice in text, see `replication.simulator.text`.
    error : class
        The `ChoiceError` of the family.
    decoration : str
        The advice to a class that is no frozen dataclass.
    statements : dict of str to object
        Attributes that state something about the methods of a class, with the values that are
        right for any method. Other values count for the class that states them, never for a
        subclass.
    """

    error = ChoiceError
    decoration = "put @dataclass(frozen=True) before the class"
    families: ClassVar = []
    statements = {}

    def __init_subclass__(cls, family=None, name=None, **keywords):
        super().__init_subclass__(**keywords)
        if family is not None:
            cls.family, cls.members = family, {}
            cls.families.append(cls)
        for base in cls.__mro__[:0:-1]:
            attributes = vars(base)
            is_plain = "__annotations__" in attributes and "__dataclass_fields__" not in attributes
            if is_plain and issubclass(base, Choice):
                complete_class(base)  # dataclasses inherit the options of dataclasses alone
        for statement, value in cls.statements.items():
            if statement not in vars(cls):
                setattr(cls, statement, value)
        _check_defaults(cls)
        # Set before the decorator, whose repr would show every default.
        cls.__repr__ = Choice.__repr__
        if family is not None or name == "":
            return
        cls.name = name or _WORD.sub("-", cls.__name__).lower()
        existing = cls.members.get(cls.name, cls)
        if not _is_again(cls, existing):
            raise cls.error(
                f"{cls.family} {cls.name!r} exists already: "
                f"{existing.__module__}.{existing.__qualname__}; give the new one another name"
            )
        cls.members[cls.name] = cls
        if not cls.__module__.startswith("replication.") and "<" not in cls.__qualname__:
            cls._sources = sources.of_module(cls.__module__)  # as they are now, for stored results
        if "Parameters\n" not in (cls.__doc__ or "Parameters\n"):
            cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__), *_parameters(cls)])

    def __new__(cls, *values, **named):
        cls.options()
        if "__dataclass_fields__" not in cls.__dict__ or not cls.__dataclass_params__.frozen:
            raise cls.error(f"{cls.__name__}: {cls.decoration}")
        for name in named:
            cls.check_option(name)
        return super().__new__(cls)

    def __post_init__(self):
        for declared in fields(self):
            value = self._check(declared, getattr(self, declared.name))
            object.__setattr__(self, declared.name, value)

    def _check(self, declared, value):
        allowed = declared.metadata.get("allowed")
        option = f"{type(self).__name__}: {declared.name}"
        if allowed is None:
            return value
        if isinstance(allowed, type):
            return allowed.check(value, option)
        if isinstance(allowed, tuple):
            if isinstance(value, Hashable) and value in allowed:
                return value
            option, names = f"{option}={value!r:.80}", map(str, allowed)
            values = ", ".join(map(repr, allowed))
            raise self.error(f"{option}{did_you_mean(value, names)}; allowed: {values}")
        try:
            return allowed(value)
        except ValueError as error:
            raise self.error(f"{option}={value!r:.80}; allowed: {error}") from None

    def __repr__(self):
        """Return the expression that makes the choice, without options at their defaults."""
        options = (
            f"{name}={_source_of(getattr(self, name))}"
            for name, default in _defaults(type(self))
            if default is MISSING or _differs(getattr(self, name), default)
        )
        return f"{type(self).__name__}({', '.join(options)})"

    @classmethod
    def check(cls, value, what=None) -> Any:
        """Return a member of the family, given itself or as text; raise `error` with the members
        for anything else.

        `what` is the noun for the value in the message; the family's name by default.
        """
        if isinstance(value, str):
            value = text.read(value, cls)
        if isinstance(value, cls):
            return value
        hint = ""
        if isinstance(value, type) and issubclass(value, cls):
            hint = f" (did you mean {value.__name__}()?)"
        classes = ", ".join(member.__name__ for member in cls.members.values())
        raise cls.error(
            f"{what or cls.family} is {value!r}{hint}; allowed: a value made by {classes}, "
            "or its text"
        )

    @classmethod
    def check_all(cls, values) -> list:
        """Return one member of the family or several as a list, each given itself or as text; a
        text such as ``f-model=0:10:1`` is several.
        """
        if isinstance(values, str | type) or not isinstance(values, Iterable):
            values = [values]
        read = (text.read_all(v, cls) if isinstance(v, str) else [v] for v in values)
        return [cls.check(value) for group in read for value in group]

    @classmethod
    def check_option(cls, name) -> None:
        """Raise `error` if the choice has no option of a name, with the members that have one."""
        kinds = cls.members.values()
        others = [k.__name__ for k in kinds if name in getattr(k, "__dataclass_fields__", ())]
        hint = f" (an option of {', '.join(others)})"
        problem = f"{cls.__name__} has no option"
        among(cls.options(), problem, name, cls.error, hint if others else "")

    @classmethod
    def decorates_itself(cls) -> bool:
        """Return whether the class becomes a frozen dataclass without a decorator."""
        return False

    @classmethod
    def options(cls) -> dict:
        """Return the choice's fields (`dataclasses.Field`) by name, after a plain class has been
        made a frozen dataclass.
        """
        if cls.decorates_itself():
            complete_class(cls)
        return {declared.name: declared for declared in fields(cls)}


def complete_class(kind: type) -> None:
    """Make a plain class of choices a frozen dataclass whose methods may keep state on ``self``.

    Its options are its annotated fields. Attributes other than options may be set; they belong to
    no value, and `dataclasses.replace` leaves them out.
    """
    if "__dataclass_fields__" not in vars(kind):
        if "__init__" in vars(kind):
            raise kind.error(
                f"{kind.__name__} has a method __init__; expected its options as annotated fields "
                "and its state set in the method called before the first job"
            )
        dataclass(frozen=True)(kind)
    kind.__setattr__ = _set_state


def _is_again(kind, existing):
    """Return whether a class was defined before: by a notebook cell that runs again, or by a file
    that is known as two modules.
    """
    if kind.__qualname__ != existing.__qualname__:
        return False
    files = [
        getattr(sys.modules.get(choice.__module__), "__file__", None) for choice in (kind, existing)
    ]
    return kind.__module__ == existing.__module__ or (files[0] == files[1] and files[0] is not None)


def _set_state(self, name, value):
    if name in type(self).__dataclass_fields__:
        raise FrozenInstanceError(f"{type(self).__name__}: cannot assign to the option {name!r}")
    object.__setattr__(self, name, value)


def _check_defaults(kind):
    """Raise for an attribute with the name of an option that a dataclass would leave as it was."""
    annotated = vars(kind).get("__annotations__", {})
    for base in filter(is_dataclass, kind.__mro__[1:]):
        for declared in fields(base):
            if declared.name in vars(kind) and declared.name not in annotated:
                annotation = inspect.formatannotation(declared.type).strip("'")
                source = _source_of(vars(kind)[declared.name])[:80]
                raise kind.error(
                    f"{kind.__name__}.{declared.name} = {source} does not change the option; "
                    f"expected: {declared.name}: {annotation} = {source}"
                )


def _parameters(kind):
    """Yield the lines of a docstring's section about the options of a class and of its bases."""
    options = {}
    for base in reversed(kind.__mro__):
        declared = {name: value for name, value in vars(base).items() if isinstance(value, Field)}
        for name, entry in {**vars(base).get("__dataclass_fields__", {}), **declared}.items():
            annotation = vars(base).get("__annotations__", {}).get(name, entry.type)
            options[name] = entry.metadata, annotation
    yield from ("", "Parameters", "----------") if options else ()
    for name, (declaration, annotation) in options.items():
        allowed = declaration.get("allowed")
        if isinstance(allowed, tuple):
            allowed = f"{{{', '.join(map(repr, allowed))}}}"
        elif not isinstance(allowed, Number):
            allowed = getattr(annotation, "__name__", annotation)
        yield f"{name} : {allowed}"
        yield from textwrap.wrap(
            f"    {declaration.get('about', '')}", 100, subsequent_indent="    "
        )


def _source_of(value):
    """Return the repr of a value; of a function its name."""
    return value.__name__ if inspect.isfunction(value) else repr(value)


def _differs(value, default):
    """Return whether a value is not the default; an array is never equal."""
    differs = value != default
    return differs if isinstance(differs, bool) else True


@functools.cache
def _defaults(kind):
    """Return names and defaults of the fields of a class of choices."""
    return tuple((declared.name, declared.default) for declared in fields(kind))
