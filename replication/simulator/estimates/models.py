"""What the scheduler is told about run times: the users' own estimates, exact ones, and models of bad ones."""

import math
from dataclasses import dataclass

from replication.simulator.choices import Number, option
from replication.simulator.estimates.model import EstimateError, EstimateModel, limit, whole_seconds
from replication.simulator.seeding import generator

MOST = 1_000_000  # values of a range; a typing mistake should not start a year of work


def _factor():
    """A shorter estimate would be an under-prediction, so factors begin with 1."""
    return option(1.0, Number(1), "what every estimate is multiplied with", sign="*")


def _badness():
    return option(allowed=Number(0), about="badness factor; 0 is exact", sign="=")


@dataclass(frozen=True)
class Users(EstimateModel, name="log"):
    """The users' own estimates, as the workload holds them after its cleaning rules.

    Parameters
    ----------
    factor : float
        What every estimate is multiplied with, 1 or more (heel-and-toe, Fig. 2, doubles them).
    e_max : int, s, optional
        No estimate and no run is longer.
    """

    draws_at_random = False

    factor: float = _factor()
    e_max: int | None = limit()

    def estimate(self, workload, seed):
        """The estimates, int64[n], s."""
        return whole_seconds(workload.estimate * self.factor)


@dataclass(frozen=True)
class Exact(EstimateModel, name="perfect"):
    """The true run times.

    Parameters
    ----------
    factor : float
        What every run time is multiplied with, 1 or more (heel-and-toe, Fig. 2, doubles them).
    e_max : int, s, optional
        No estimate and no run is longer.
    """

    draws_at_random = False

    factor: float = _factor()
    e_max: int | None = limit()

    def estimate(self, workload, seed):
        """The estimates, int64[n], s."""
        return whole_seconds(workload.run_time * self.factor)


@dataclass(frozen=True)
class FModel(EstimateModel, name="f"):
    """The f-model: uniform in [r, (f + 1) r] (heel-and-toe, section 1; Feitelson and Mu'alem Weil 1998).

    Parameters
    ----------
    f : float
        The badness factor, 0 or more; 0 is exact.
    e_max : int, s, optional
        No estimate and no run is longer.

    Examples
    --------
    >>> FModel.grid(0, 1, 0.5)
    (FModel(f=0.0), FModel(f=0.5), FModel(f=1.0))
    """

    f: float = _badness()
    e_max: int | None = limit()

    @classmethod
    def grid(cls, start, stop, step, e_max=None):
        """Models from one badness to another.

        Parameters
        ----------
        start, stop : float
            Both included, where the step leads to the second.
        step : float
        e_max : int, s, optional

        Returns
        -------
        tuple of FModel

        Raises
        ------
        EstimateError
        """
        return tuple(cls(f, e_max) for f in steps(start, stop, step))

    def draws(self, workload, seed, out=None):
        """The uniform numbers in [0, 1) that estimates are placed with; float64[n], in `out` if given.

        They depend on the trace's name, its length, `f` and `seed` alone.
        """
        own = generator(workload.draw_key, len(workload), "random-f", self.f, int(seed))
        return own.random(len(workload), out=out)

    def estimate(self, workload, seed):
        """The estimates, int64[n], s."""
        stretched = workload.run_time * (self.f * self.draws(workload, seed))
        return workload.run_time + whole_seconds(stretched)


@dataclass(frozen=True)
class Deterministic(EstimateModel):
    """The deterministic f-model: (f + 1) r (heel-and-toe, section 1).

    Parameters
    ----------
    f : float
        The badness factor, 0 or more; 0 is exact.
    e_max : int, s, optional
        No estimate and no run is longer.
    """

    draws_at_random = False

    f: float = _badness()
    e_max: int | None = limit()

    def estimate(self, workload, seed):
        """The estimates, int64[n], s."""
        return workload.run_time + whole_seconds(workload.run_time * self.f)


def steps(start, stop, step):
    """Numbers from one to another, both included where the step leads to the second.

    Returns
    -------
    list of float
        Rounded to ten decimals: 0.3 and not 0.30000000000000004, because seeds are made of the number itself.

    Raises
    ------
    EstimateError
    """
    good = all(math.isfinite(value) for value in (start, stop, step))
    if good and step > 0 and start <= stop:
        count = math.floor((stop - start) / step + 1e-9) + 1
        if count <= MOST:
            return [round(start + k * step, 10) for k in range(count)]
    raise EstimateError(
        f"from {start} to {stop} by {step}, allowed: upwards, up to {MOST:,} values"
    )
