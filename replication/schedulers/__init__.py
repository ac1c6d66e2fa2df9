"""What every family of schedulers offers the public layer: a name, what it is, its options, how to run it.

A family is a module here with a table ``SCHEDULERS`` of name to `Scheduler`. Kernels are imported when a
scheduler runs, not before.
"""

from collections.abc import Callable
from dataclasses import dataclass, field


class OptionError(ValueError):
    """An option a scheduler does not have, or a value it does not take; the message lists what is allowed."""


@dataclass(frozen=True)
class Option:
    """One choice a scheduler leaves open.

    Parameters
    ----------
    default : object
        The textbook reading.
    allowed : tuple or Callable
        The values, or a function that raises ValueError with what is allowed.
    about : str
    """

    default: object
    allowed: tuple | Callable
    about: str

    def check(self, name, value):
        """Return `value`, or raise OptionError."""
        if callable(self.allowed):
            try:
                return self.allowed(value)
            except ValueError as error:
                raise OptionError(f"option {name}={value!r}: {error}") from None
        if value not in self.allowed:
            raise OptionError(
                f"option {name}={value!r}, allowed: {', '.join(map(repr, self.allowed))}"
            )
        return value


@dataclass(frozen=True)
class Scheduler:
    """A scheduler the public layer can run.

    Parameters
    ----------
    about : str
        One line.
    run : Callable
        ``run(workload, estimate, seed, **options)`` returns the columns of a `Schedule` it decides:
        start, backfilled, and where they differ from the default prediction, times_killed, killed_runs.
    options : dict of str to Option
    """

    about: str
    run: Callable
    options: dict = field(default_factory=dict)

    def settle(self, given):
        """All options with their values: the given ones checked, the others at their defaults."""
        unknown = given.keys() - self.options.keys()
        if unknown:
            raise OptionError(
                f"option {sorted(unknown)[0]!r} unknown to this scheduler; "
                f"allowed: {', '.join(sorted(self.options)) or 'none'}"
            )
        return {
            name: option.check(name, given.get(name, option.default))
            for name, option in self.options.items()
        }
