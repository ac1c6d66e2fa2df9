"""Estimate models: the users' own estimates, perfect ones, and models of inaccurate ones."""

import warnings
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from replication.simulator.choices import Choice, ChoiceError, Number, option
from replication.simulator.drop_rules import DEFAULT_DROP, hint
from replication.simulator.text import steps
from replication.simulator.workload import (
    FAR_BELOW,
    FEW_WITHOUT_ESTIMATE,
    LARGEST,
    Workload,
    check_seed,
    generator,
)

#: Share of jobs without an estimate from which nothing can be said about users' estimates.
MOST_WITHOUT_ESTIMATE = 0.5
YEAR = 366 * 86_400  # s; a longer estimate stands for no limit


class EstimateError(ChoiceError):
    """An estimate model, a parameter or an estimate that is not allowed;
    the message lists the allowed ones.
    """


class EstimateModel(Choice, family="estimates"):
    """The base class of the estimate models.

    A model is a frozen dataclass with a method `estimate`; if it has a field `e_max` (seconds or
    None, see `limit`), run times and estimates are cut to it. No estimate is below the run time,
    unless the log's own estimate is.

    Attributes
    ----------
    draws_at_random : bool
        Whether estimates depend on the seed.
    """

    error = EstimateError
    statements = {"draws_at_random": True}
    draws_at_random = True

    def estimate(self, workload: Workload, seed: int) -> np.ndarray:
        """Return the estimates before they are cut to an E_max.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
            The jobs, with run times already cut to the E_max, if there is one.
        seed : int
            Seed of random models. A draw should depend on the workload's `draw_key`, its length,
            the model's own values and the seed alone; `replication.simulator.workload.generator`
            makes such a generator.

        Returns
        -------
        int64[n], s
            From 0; shorter than the run time only where the log's own estimate is shorter.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method estimate(workload, seed)")

    def make(self, workload: Workload, seed: int = 1) -> tuple[Workload, np.ndarray]:
        """Return the jobs with run times cut to the model's E_max, and their estimates.

        Parameters
        ----------
        workload : Workload
        seed : int
            Seed of random models.

        Returns
        -------
        workload : Workload
            The same workload if the model has no E_max.
        estimate : int64[n], s
            At most E_max.

        Raises
        ------
        EstimateError
            For estimates of more than 64 bits, and if a model has no estimates for the jobs.
        """
        e_max = getattr(self, "e_max", None)
        workload = self.cut(workload)
        estimate = self.estimate(workload, check_seed(seed))
        return workload, estimate if e_max is None else np.minimum(estimate, e_max)

    def cut(self, workload: Workload) -> Workload:
        """Return a workload with run times cut to the model's E_max.

        Scale to a load after this (`Workload.at_load`), since cutting lowers the load.

        Parameters
        ----------
        workload : Workload

        Returns
        -------
        Workload
            The same workload if the model has no E_max.
        """
        e_max = getattr(self, "e_max", None)
        return workload if e_max is None else cut_runs(workload, e_max)


def limit() -> Any:
    """Return the option `e_max` of a model: the longest estimate and the longest run time, s."""
    return option(
        None, Number(1, LARGEST, whole=True, or_none=True), "no estimate and no run is longer, s"
    )


def whole_seconds(values: np.ndarray) -> np.ndarray:
    """Return seconds rounded to whole ones, int64[n]; EstimateError for more than 64 bits."""
    rounded = np.rint(values)
    if len(rounded) and not rounded.max() < LARGEST:
        raise EstimateError(f"estimates reach {rounded.max():.3g} s, allowed: below {LARGEST:.3g}")
    return rounded.astype(np.int64)


def cut_runs(workload: Workload, e_max: float) -> Workload:
    """Return a workload with runs cut to `e_max`, s, as if jobs were killed at the estimate
    (heel-and-toe, Fig. 16).
    """
    longer = int((workload.run_time > e_max).sum())
    rule = f"run-cut-to-emax-{int(e_max)}"
    if not longer and rule in dict(workload.cleaning):
        return workload
    return workload.replace(
        run_time=np.minimum(workload.run_time, int(e_max)),
        cleaning=(*workload.cleaning, (rule, longer)),
    )


class MissingEstimates(UserWarning):
    """More than a few jobs have no estimate, so that their run time stands in."""


@dataclass(frozen=True)
class Users(EstimateModel):
    """The users' own estimates after the cleaning rules of the workload;
    heel-and-toe, Figure 2, doubles them.

    Where a job has no estimate, its run time stands in. Above 1 % of the jobs this is a
    `MissingEstimates` warning, and the schedule's provenance says ``Users(missing='run-time')``.
    Above 50 % it is an EstimateError, unless ``missing='run-time'`` is given.
    ``missing='longest'`` is a scheduler that assumes the longest limit: the longest estimate or run
    time of the jobs, without estimates of more than a year. It needs jobs that were loaded with
    ``more=["requested_time"]``, where unknown estimates are below 1.
    """

    draws_at_random = False

    # From 1: shorter estimates would be under-predictions.
    factor: float = option(1.0, Number(1), "factor of every estimate")
    e_max: int | None = limit()
    missing: str | None = option(
        None, (None, "run-time", "longest"), "what stands in for estimates that a log does not have"
    )

    def estimate(self, workload, seed) -> np.ndarray:
        """Return the estimates, int64[n], s; EstimateError for jobs without `more`."""
        estimate = whole_seconds(workload.estimate * self.factor)
        if self.missing != "longest":
            return estimate
        if "requested_time" not in workload.more:
            raise EstimateError(
                f"{workload.name}: Users(missing='longest'); expected jobs loaded with "
                "more=['requested_time']"
            )
        limits = workload.estimate[workload.estimate <= YEAR]
        longest = max(int(limits.max(initial=1)), int(workload.run_time.max()))
        longest = whole_seconds(np.array([longest * self.factor]))
        return np.where(workload.more["requested_time"] < 1, longest, estimate)

    def on(self, workload) -> "Users":
        """Return this model as `workload` gets it: with `missing` set if more
        than a few of its jobs have no estimate.

        Raises
        ------
        EstimateError
            If most jobs have no estimate and `missing` is not given.
        """
        share = workload.without_estimate
        if self.missing or share <= FEW_WITHOUT_ESTIMATE:
            return self
        far = dict(workload.cleaning).get(FAR_BELOW, 0)
        lower = ", or one more than 10 % below their run time" if far else ""
        problem = f"{workload.name}: {100 * share:.0f} % of the jobs have no estimate{lower}"
        if share > MOST_WITHOUT_ESTIMATE:  # without these few jobs would remain
            raise EstimateError(
                f"{problem}, and with their run times EASY would know the future; expected a model "
                "of estimates such as FModel(1) (in the shell --estimates f-model=1), or "
                "Users(missing='run-time'); in a notebook "
                "logs = [{'file': …, 'missing': 'run-time'}]"
            )
        rules = [*workload.provenance.get("drop", DEFAULT_DROP), "no-estimate"]
        left = round((1 - share) * len(workload)) + far
        warnings.warn(
            f"{problem}; their run time stands in. Other choices: FModel(1) "
            f"(--estimates f-model=1), or to load the log with {hint(rules)}, which leaves "
            f"{left:,} jobs",
            MissingEstimates,
            stacklevel=5,  # the caller of simulate
        )
        return replace(self, missing="run-time")


@dataclass(frozen=True)
class Perfect(EstimateModel):
    """The true run times."""

    draws_at_random = False

    def estimate(self, workload, seed) -> np.ndarray:
        """Return the run times, int64[n], s."""
        return workload.run_time


@dataclass(frozen=True)
class FModel(EstimateModel):
    """The f-model: uniform in [r, (f + 1) r] for run time r
    (heel-and-toe, section 1; Feitelson and Mu'alem Weil 1998).
    """

    f: float = option(allowed=Number(0), about="badness factor; 0 is exact")
    e_max: int | None = limit()

    @property
    def draws_at_random(self) -> bool:
        """Whether estimates depend on the seed; at f = 0 they are the run times."""
        return self.f > 0

    @classmethod
    def grid(cls, start: float, stop: float, step: float, e_max: int | None = None) -> tuple:
        """Return models from one badness factor to another, which is included
        if the steps reach it.

        Parameters
        ----------
        start, stop, step : float
            Badness factors from 0, and a step above 0.
        e_max : int, s, optional
            E_max of all models.

        Returns
        -------
        tuple of FModel

        Raises
        ------
        EstimateError
            For factors that are not allowed, and more than a million models.

        Examples
        --------
        >>> FModel.grid(0, 1, 0.5)
        (FModel(f=0.0), FModel(f=0.5), FModel(f=1.0))
        """
        try:
            return tuple(cls(f, e_max) for f in steps(start, stop, step))
        except ValueError as error:
            raise EstimateError(str(error)) from None

    def draws(self, workload: Workload, seed: int) -> np.ndarray:
        """Return the uniform numbers in [0, 1) that place the estimates.

        They depend on the workload's `draw_key`, its length, `f` and `seed` alone.

        Parameters
        ----------
        workload : Workload
        seed : int

        Returns
        -------
        float64[n]
        """
        random = generator(workload.draw_key, len(workload), "random-f", self.f, int(seed))
        return random.random(len(workload))

    def estimate(self, workload, seed) -> np.ndarray:
        """Return the estimates, int64[n], s."""
        stretched = workload.run_time * (self.f * self.draws(workload, seed))
        return workload.run_time + whole_seconds(stretched)


@dataclass(frozen=True)
class Deterministic(EstimateModel):
    """The deterministic f-model: (f + 1) r for run time r (heel-and-toe, section 1)."""

    draws_at_random = False

    f: float = option(allowed=Number(0), about="badness factor; 0 is exact")
    e_max: int | None = limit()

    def estimate(self, workload, seed) -> np.ndarray:
        """Return the estimates, int64[n], s."""
        return workload.run_time + whole_seconds(workload.run_time * self.f)
