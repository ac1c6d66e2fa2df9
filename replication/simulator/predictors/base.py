"""What all predictors share: how the memory that they work on is made."""

import hashlib
from pathlib import Path

import numpy as np

from replication.simulator.choices import Choice, ChoiceError
from replication.simulator.kernels.predicting import memory_class
from replication.simulator.kernels.uncounted import uncounted


class PredictorError(ChoiceError):
    """A predictor or a parameter of one that does not exist; the message lists what is allowed."""


@uncounted
def _known(memory, job, now):
    return memory.known[job]


@uncounted
def _told_of_a_start(memory, job, now):
    return None


@uncounted
def _told_of_an_end(memory, job, start, now):
    return None


class Predictor(Choice, family="predictor"):
    """A predictor of run times: a value that says which, and the compiled functions that do it.

    A predictor is a frozen dataclass in one file. One that learns nothing says in `predicted` what it predicts.
    One that learns names its functions when the class is made and says in `tables` what arrays they work on::

        @dataclass(frozen=True)
        class Last(Predictor, predict=predict, learn=learn):

    Schedulers call ``predict(memory, job, now)`` for a waiting job, ``begun(memory, job, now)`` when it starts
    and ``learn(memory, job, start, now)`` when it ends. Each is compiled by
    `replication.simulator.kernels.uncounted.uncounted`, in the same file. ``memory`` has the fields
    `replication.simulator.kernels.predicting.JOBS` and those of `tables`. A prediction is whole seconds, from 0 to twice the
    run time or to the request, whichever is more.

    Attributes
    ----------
    draws_at_random : bool
        Whether the predictions depend on the seed.
    """

    error = PredictorError
    draws_at_random = True
    _functions = _known, _told_of_a_start, _told_of_an_end

    def __init_subclass__(cls, predict=None, begun=None, learn=None, **others):
        super().__init_subclass__(**others)
        given = predict, begun, learn
        cls._functions = tuple(new or old for new, old in zip(given, cls._functions, strict=True))

    @property
    def asks_for_starts(self):
        """Whether it must be told when jobs start, which a preemptive scheduler does not do."""
        return self._functions[1] is not _told_of_a_start

    def predicted(self, workload, request, seed):
        """Predictions known from the start, number[n], s; arguments as for `tables`."""
        raise NotImplementedError

    def tables(self, workload, request, seed):
        """The predictor's own arrays before the first job, by the names that its functions use.

        Parameters
        ----------
        workload : replication.simulator.workload.Workload
        request : int64[n], s
            The users' estimates as the scheduler is told them.
        seed : int
            Of random predictors.

        Returns
        -------
        dict of str to array or number
            Fresh arrays: a simulation writes into them.
        """
        return {"known": np.array(self.predicted(workload, request, seed), dtype=np.int64)}

    def memory(self, workload, estimate, seed=1):
        """What the kernels work on, before the first job: a named tuple of the jobs and of `tables`."""
        request = np.ascontiguousarray(estimate, dtype=np.int64).view()
        request.flags.writeable = False  # as the workload's columns, so that kernels meet one type
        jobs = workload.submit, workload.run_time, request, workload.processors
        tables = self.tables(workload, request, seed)
        functions = [function.py_func for function in self._functions]
        source = Path(functions[0].__code__.co_filename).read_bytes()
        # A file may hold several predictors, with functions of other names.
        names = " ".join(function.__qualname__ for function in functions).encode()
        word = functions[0].__module__.rpartition(".")[2]
        digest = hashlib.sha256(names + source).hexdigest()
        return memory_class(word, digest[:16], tuple(tables), self._functions)(*jobs, **tables)
