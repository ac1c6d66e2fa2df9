"""What every scheduler is: a choice that decides when each job of a workload starts."""

from replication.simulator.choices import Choice, ChoiceError


class SchedulerError(ChoiceError):
    """A scheduler, an option or jobs that it cannot take; the message lists what is allowed."""


class Scheduler(Choice, family="scheduler"):
    """The base of the schedulers.

    A scheduler is a frozen dataclass with a method `run`. Options are fields made with
    `replication.simulator.choices.option`, the textbook's reading being the default.

    Attributes
    ----------
    validated : bool
        Whether every schedule is validated before anybody sees it. Off only for schedulers that tests hold
        against a readable twin, because it takes longer than they do.
    draws_at_random : bool
        Whether the scheduler itself depends on the seed, its predictor aside.
    """

    error = SchedulerError
    validated = True
    draws_at_random = True

    def run(self, workload, estimate, seed):
        """Decide when each job starts.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        estimate : int64[n], s
            What the scheduler is told of the run times.
        seed : int
            Of random predictors.

        Returns
        -------
        dict of str to array
            The columns of a `replication.simulator.schedule.Schedule` that the scheduler decides: start, int64[n],
            s, and backfilled, bool[n]; and where they apply prediction, first_prediction, times_killed,
            killed_runs, length.
        """
        raise NotImplementedError(f"{type(self).__name__} has no method run(workload, ...)")

    def check_room(self, workload, estimate):
        """Refuse jobs that the scheduler cannot count by a SchedulerError; any will do by default."""
