"""The base class of schedulers: choices that decide when each job of a workload starts."""

import numpy as np

from replication.simulator.choices import Choice, ChoiceError
from replication.simulator.workload import Workload


class SchedulerError(ChoiceError):
    """A scheduler or an option that does not exist, or jobs that it cannot simulate;
    the message lists the allowed ones.
    """


class Scheduler(Choice, family="scheduler"):
    """The base of the schedulers.

    A scheduler is a frozen dataclass with a method `run`. Options are fields made with
    `replication.simulator.choices.option`; the textbook's rule is the default.

    Attributes
    ----------
    validated : bool
        Whether `simulate` validates every schedule. It is off where validation adds more than 10 %
        to the time of a scheduler of this package, which tests compare with reference
        implementations.
    draws_at_random : bool
        Whether the scheduler itself depends on the seed, its predictor aside.
    """

    error = SchedulerError
    statements = {"validated": True, "uses_estimates": True, "draws_at_random": True}
    validated = True
    draws_at_random = True

    def __init_subclass__(cls, **options):
        for base in cls.__bases__:
            if "__final__" in vars(base):  # by typing.final
                raise SchedulerError(
                    f"{cls.__name__}: {base.__name__} is compiled and has no subclasses; "
                    "expected a subclass of PythonScheduler, or a compiled scheduler as in "
                    "docs/extending.md"
                )
        super().__init_subclass__(**options)

    def run(self, workload: Workload, estimate: np.ndarray, seed: int) -> dict[str, np.ndarray]:
        """Decide when each job starts.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        estimate : int64[n], s
            The estimates that the scheduler plans with.
        seed : int
            Seed of random predictors.

        Returns
        -------
        dict of str to array
            The columns of a `replication.simulator.schedules.schedule.Schedule` that the scheduler
            decides: start, int64[n], s, and backfilled, bool[n]; and where they apply prediction,
            first_prediction, times_killed, killed_runs, length.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method run(workload, ...)")

    def check_room(self, workload, estimate) -> None:
        """Raise SchedulerError for jobs that exceed the range of the scheduler's numbers; by
        default there is no limit.
        """
