"""Choices are values: frozen dataclasses whose names and values are checked, in families that grow.

Schedulers, predictors and estimate models are families of choices. A member is one class::

    @dataclass(frozen=True)
    class FModel(EstimateModel, name="f"):
        f: float = option(allowed=Number(0), about="badness factor")

Its fields are declared with `option`, which says what they may be; wrong names and values are refused with the
valid ones. The `repr` is what one would type, equal choices are equal and have one hash, and
`dataclasses.replace` makes another reading.
"""

import functools
import inspect
import math
from dataclasses import MISSING, Field, dataclass, field, fields

from replication.simulator.hints import among, did_you_mean


class ChoiceError(ValueError):
    """A choice, an option or a value that does not exist; the message lists what is allowed."""


def option(default=MISSING, allowed=None, about="", sign=""):
    """A field of a choice.

    Parameters
    ----------
    default : object, optional
        Must be given where there is none.
    allowed : tuple, class or Callable, optional
        The values; or the family whose members they are; or a function of the value that returns it, in the
        type that is kept, or raises ValueError with what is allowed. Anything by default.
    about : str
        What the option says; it stands in the class's docstring.
    sign : {"", "=", "*"}
        In text, what stands between the choice's name and this option: ``f=2``, ``log*2``.
    """
    return field(default=default, metadata={"allowed": allowed, "about": about, "sign": sign})


@dataclass(frozen=True)
class Number:
    """What a number may be, for `option`.

    Parameters
    ----------
    least, most : float
        Both included.
    whole : bool
        Whole numbers only, kept as int; as float otherwise.
    or_none : bool
        Whether None is allowed too.
    """

    least: float = -math.inf
    most: float = math.inf
    whole: bool = False
    or_none: bool = False

    def __call__(self, value):
        """`value` as it is kept."""
        if value is None and self.or_none:
            return None
        try:
            number = math.nan if isinstance(value, bool | str) else float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        good = math.isfinite(number) and self.least <= number <= self.most
        if not good or (self.whole and number != int(number)):
            raise ValueError(str(self))
        return int(value) if self.whole else number

    def __str__(self):
        kind = "a whole number" if self.whole else "a number"
        if math.isfinite(self.most):
            kind += f" from {self.least:g} to {self.most:g}"
        elif math.isfinite(self.least):
            kind += f" from {self.least:g}"
        return kind + (" or None" if self.or_none else "")


class Choice:
    """The base of all families; see the module.

    A class made with ``family="scheduler"`` begins a family; every other subclass is a member of the one that it
    comes from, known by its `name` (the class's in lower case by default).

    Attributes
    ----------
    family : str
        What members are called in messages.
    members : dict of str to class
        All of them by name, in the order in which they were made.
    name : str
        What the choice is called in text.
    error : class
        What is raised; a `ChoiceError`.
    """

    error = ChoiceError

    def __init_subclass__(cls, family=None, name=None, **others):
        super().__init_subclass__(**others)
        # Put here before the decorator makes its own, which would show every default.
        cls.__repr__ = Choice.__repr__
        if family is not None:
            cls.family, cls.members = family, {}
            return
        cls.name = name or cls.__name__.lower()
        other = cls.members.get(cls.name, cls)
        # A notebook's cell that is run again makes its class again.
        if (other.__module__, other.__qualname__) != (cls.__module__, cls.__qualname__):
            raise cls.error(
                f"{cls.family} {cls.name!r} exists already: "
                f"{other.__module__}.{other.__qualname__}; give the new one another name"
            )
        cls.members[cls.name] = cls
        if "Parameters\n" not in (cls.__doc__ or "Parameters\n"):
            cls.__doc__ = "\n".join([inspect.cleandoc(cls.__doc__), *_told(vars(cls))])

    def __new__(cls, *given, **named):
        if "__dataclass_fields__" not in cls.__dict__ or not cls.__dataclass_params__.frozen:
            raise cls.error(f"{cls.__name__}: put @dataclass(frozen=True) before the class")
        known = [own.name for own in fields(cls)]
        for word in named:
            among(known, f"{cls.__name__} has no option", word, cls.error)
        return super().__new__(cls)

    def __post_init__(self):
        for own in fields(self):
            value = getattr(self, own.name)
            object.__setattr__(self, own.name, self._checked(own, value))

    def _checked(self, own, value):
        allowed = own.metadata.get("allowed")
        wrong = f"{type(self).__name__}: {own.name}={value!r}"
        if allowed is None:
            return value
        if isinstance(allowed, tuple):
            if value not in allowed:
                known = ", ".join(map(repr, allowed))
                raise type(self).error(
                    f"{wrong}{did_you_mean(value, map(str, allowed))}; allowed: {known}"
                )
            return value
        if isinstance(allowed, type):
            return allowed.check(value, f"{type(self).__name__}: {own.name}")
        try:
            return allowed(value)
        except ValueError as error:
            raise type(self).error(f"{wrong}; allowed: {error}") from None

    def __repr__(self):
        """As one would type it: what is at its default is left out."""
        told = (
            f"{name}={_shown(getattr(self, name))}"
            for name, default in _defaults(type(self))
            if default is MISSING or getattr(self, name) != default
        )
        return f"{type(self).__name__}({', '.join(told)})"

    @classmethod
    def check(cls, value, what=None):
        """Return `value` if it belongs to the family; refuse it with the members otherwise. `what`
        is asked for, in the message's words; the family's name by default.
        """
        if isinstance(value, cls):
            return value
        classes = {member.__name__: member for member in cls.members.values()}
        hint = ""
        if isinstance(value, type) and issubclass(value, cls):
            hint = f" (did you mean {value.__name__}()?)"
        elif isinstance(value, str) and value in cls.members:
            hint = f" (did you mean {cls.members[value].__name__}()?)"
        elif isinstance(value, str):
            hint = did_you_mean(value, classes)
        raise cls.error(
            f"{what or cls.family} is {value!r}{hint}; "
            f"allowed: a value made by {', '.join(classes)}"
        )

    @property
    def functions(self):
        """The functions among the options, whose names do not identify them."""
        values = [getattr(self, one.name) for one in fields(self)]
        return [value for value in values if inspect.isroutine(value)]

    @classmethod
    def options(cls):
        """The choice's fields by name, as `dataclasses.fields` gives them."""
        return {own.name: own for own in fields(cls)}


def _told(own):
    """The options among a class's own attributes as the section of a docstring, in lines."""
    options = {name: one.metadata for name, one in own.items() if isinstance(one, Field)}
    yield from ("", "Parameters", "----------") if options else ()
    for name, said in options.items():
        kind = said["allowed"]
        if isinstance(kind, tuple):
            kind = ", ".join(map(repr, kind))
        elif not isinstance(kind, Number):
            kind = own.get("__annotations__", {}).get(name)
            kind = getattr(kind, "__name__", kind)
        yield f"{name} : {kind}\n    {said['about']}"


def _shown(value):
    """Return a value as one would type it: a function by its name."""
    return value.__name__ if inspect.isfunction(value) else repr(value)


@functools.cache
def _defaults(kind):
    """Names and defaults of the fields of a class of choices."""
    return tuple((own.name, own.default) for own in fields(kind))
