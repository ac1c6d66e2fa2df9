"""The predictors as slow, readable Python: the oracle of those in ``replication.core``.

Each keeps the ended jobs it has seen and works a prediction out from them afresh.
"""

from collections import defaultdict

import numpy as np


class Predictor:
    """What all predictors share: the jobs, and the three moments at which a scheduler uses a predictor.

    Parameters
    ----------
    workload : replication.workload.Workload
    estimate : sequence of int, s
        The requests as the scheduler is told them.
    """

    def __init__(self, workload, estimate):
        self.workload = workload
        self.request = [int(e) for e in estimate]
        self.run_time = workload.run_time.tolist()
        self.user = workload.user.tolist()

    def predict(self, job, now):
        """Predicted run time of a waiting job, int, s; the request unless a predictor says otherwise."""
        return self.request[job]

    def begun(self, job, now):
        """Take note that a job starts now."""

    def learn(self, job, start, now):
        """Take note that a job that started at `start` ends now."""


class Fixed(Predictor):
    """Predictions known from the start: the request, the run time, or the run time with a random error."""

    def __init__(self, workload, estimate, predicted):
        super().__init__(workload, estimate)
        self.predicted = [int(p) for p in predicted]

    def predict(self, job, now):
        return self.predicted[job]


class Remembering(Predictor):
    """A predictor with a list of ended jobs for each class of jobs."""

    def __init__(self, workload, estimate):
        super().__init__(workload, estimate)
        self.ended = defaultdict(list)

    def learn(self, job, start, now):
        self.ended[self.user[job]].append(job)


class Last(Remembering):
    """The accuracy (run time over request) of the user's last ended job carried over (PV-EASY, section 5.2)."""

    def predict(self, job, now):
        ended = self.ended[self.user[job]]
        if not ended or self.request[ended[-1]] == 0:
            return self.request[job]
        accuracy = self.run_time[ended[-1]] / self.request[ended[-1]]
        return min(int(np.rint(accuracy * self.request[job])), self.request[job])


class Tsafrir(Remembering):
    """Mean of the user's last two run times (Tsafrir, Etsion and Feitelson 2007)."""

    def predict(self, job, now):
        newest = [self.run_time[j] for j in self.ended[self.user[job]][-2:]]
        return min(sum(newest) // 2, self.request[job]) if len(newest) == 2 else self.request[job]


def make(workload, estimate, predictor="request", seed=1):
    """The readable twin of ``replication.predictors.make``; the same forms of text."""
    from replication import predictors

    name, amount = predictors.parse(predictor)
    if name in ("request", "perfect", "virtual"):
        predicted = {"request": lambda: estimate, "perfect": lambda: workload.run_time,
                     "virtual": lambda: predictors.virtual(workload, amount, seed)}[name]()
        return Fixed(workload, estimate, predicted)
    return {"last": Last, "tsafrir": Tsafrir}[name](workload, estimate)
