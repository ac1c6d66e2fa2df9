"""Reference implementations of the predictors in ``replication.simulator.predictors``:
slow, readable Python.

Each stores the ended jobs and computes a prediction from all of them.
"""

import math
from collections import defaultdict
from dataclasses import astuple, replace
from itertools import combinations

import numpy as np

from replication.simulator import predictors
from replication.simulator.workload import EndedJob


class Predictor:
    """The base class: the jobs, their estimates, and the three methods that a scheduler calls."""

    def __init__(self, workload, estimate):
        self.workload = workload
        self.estimate = [int(e) for e in estimate]
        self.run_time = workload.run_time.tolist()
        self.user = workload.user.tolist()

    def predict(self, job, now) -> int:
        """Return the predicted run time of a waiting job, int, s; the estimate by default."""
        return self.estimate[job]

    def begin(self, job, now) -> None:
        """Note that a job starts now."""

    def learn(self, job, now) -> None:
        """Learn from a job that ends now."""


class Fixed(Predictor):
    """Predictions known from the start: the estimate, the run time,
    or the run time with a random error.
    """

    def __init__(self, workload, estimate, predicted):
        super().__init__(workload, estimate)
        self.predicted = [int(p) for p in predicted]

    def predict(self, job, now) -> int:
        return self.predicted[job]


class WithHistory(Predictor):
    """A predictor with a list of ended jobs for each user or class of jobs."""

    def __init__(self, workload, estimate):
        super().__init__(workload, estimate)
        self.ended = defaultdict(list)

    def learn(self, job, now) -> None:
        self.ended[self.user[job]].append(job)


class Last(WithHistory):
    """The estimate times run time over estimate of the user's last ended job
    (PV-EASY, section 5.2).
    """

    def predict(self, job, now) -> int:
        ended = self.ended[self.user[job]]
        if not ended or self.estimate[ended[-1]] == 0:
            return self.estimate[job]
        accuracy = self.run_time[ended[-1]] / self.estimate[ended[-1]]
        return min(int(np.rint(accuracy * self.estimate[job])), self.estimate[job])


class Tsafrir(WithHistory):
    """Mean of the user's last two run times (Tsafrir, Etsion and Feitelson 2007)."""

    def predict(self, job, now) -> int:
        newest = [self.run_time[j] for j in self.ended[self.user[job]][-2:]]
        return min(sum(newest) // 2, self.estimate[job]) if len(newest) == 2 else self.estimate[job]


class Complete(WithHistory):
    """Decaying mean of the first of fifteen classes in which a job has ended."""

    templates = [kept for size in (4, 3, 2, 1) for kept in combinations(range(4), size)]
    order = sorted(templates, key=lambda kept: [k not in kept for k in range(4)])

    def __init__(self, workload, estimate):
        super().__init__(workload, estimate)
        self.mean = {}  # of classes that have not changed since it was computed

    def facts(self, job) -> tuple[int, ...]:
        """Return executable, user, estimate and size."""
        return (
            int(self.workload.executable[job]),
            self.user[job],
            self.estimate[job],
            int(self.workload.processors[job]),
        )

    def classes(self, job) -> list[tuple]:
        """Return the job's classes, most specific first."""
        return [(kept, tuple(self.facts(job)[k] for k in kept)) for kept in self.order]

    def learn(self, job, now) -> None:
        for name in self.classes(job):
            self.ended[name].append(self.run_time[job])
            self.mean.pop(name, None)

    def predict(self, job, now) -> int:
        seen = [name for name in self.classes(job) if name in self.ended]
        if not seen:
            return self.estimate[job]
        if seen[0] not in self.mean:
            total = count = 0.0
            for run_time in self.ended[seen[0]]:
                total, count = 0.8 * total + run_time, 0.8 * count + 1
            self.mean[seen[0]] = int(np.rint(total / count))
        return min(self.mean[seen[0]], self.estimate[job])


class TopPercent(Complete):
    """The smallest value that more than 100 - q % of the class's weight is at
    or below (section II).
    """

    def __init__(self, workload, estimate, percent, decay, artificial, weights):
        super().__init__(workload, estimate)
        self.enough = 1 - percent / 100
        self.decay, self.artificial, self.by_length = decay, artificial, weights == "length"
        self.threshold = {}  # of classes that have not changed since it was computed

    def weight(self, run_time) -> float:
        return float(run_time) if self.by_length else 1.0

    def learn(self, job, now) -> None:
        self.ended[self.facts(job)].append(self.run_time[job])
        self.threshold.pop(self.facts(job), None)

    def predict(self, job, now) -> int:
        name = self.facts(job)
        if name not in self.ended:
            return self.estimate[job]
        if name not in self.threshold:
            run_times = self.ended[name]
            weights = [self.artificial * self.weight(self.estimate[job])]
            weights += map(self.weight, run_times)
            decayed = [w * self.decay ** (len(run_times) - k) for k, w in enumerate(weights)]
            points = sorted(zip([self.estimate[job], *run_times], decayed, strict=True))
            self.threshold[name] = self._first_above(points, self.enough * math.fsum(decayed))
        return min(self.threshold[name], self.estimate[job])

    @staticmethod
    def _first_above(points, target) -> int:
        below = 0.0
        for value, weight in points:
            below += weight
            if below > target:
                return value
        return points[-1][0]


class TopPercentAsCoded(TopPercent):
    """Top Percent with two running sums that follow the threshold, as in the paper's simulator.

    The artificial point is as old as the first ended job. The lower sum starts at 1.
    """

    def __init__(self, *arguments):
        super().__init__(*arguments)
        self.state = {}

    def learn(self, job, now) -> None:
        name, run_time = self.facts(job), self.run_time[job]
        at, below, above = self.state.get(name, (self.estimate[job], 1.0, 0.0))
        self.ended[name].append(run_time)
        weight, new = self._weights(name), self.weight(run_time)
        below, above = self.decay * below, self.decay * above
        if run_time > at:
            self.state[name] = self._raise_threshold(name, weight, at, below, above + new)
        elif run_time < at:
            self.state[name] = self._lower_threshold(weight, at, below + new, above)
        else:
            self.state[name] = at, below + new, above

    def _weights(self, name):
        """Return the present weight of each value of a class."""
        run_times = self.ended[name]
        artificial = self.artificial * self.weight(name[2]) * self.decay ** (len(run_times) - 1)
        weights = defaultdict(list, {name[2]: [artificial]})
        for age, run_time in enumerate(reversed(run_times)):
            weights[run_time].append(self.weight(run_time) * self.decay**age)
        return {value: math.fsum(parts) for value, parts in weights.items()}

    def _raise_threshold(self, name, weight, at, below, above):
        """Return the state with the threshold moved up until enough weight is below."""
        values = sorted(weight)
        k = values.index(at)
        while k < len(values) - 1 and below <= self.enough * (below + above):
            k += 1
            below, above = below + weight[values[k]], above - weight[values[k]]
            if k == len(self.ended[name]):  # the last point, unless values repeat
                above = 0.0
        return values[k], below, above

    def _lower_threshold(self, weight, at, below, above):
        """Return the state with the threshold moved down as long as enough weight stays below."""
        values = sorted(weight)
        k = values.index(at)
        while k > 0 and below - weight[values[k]] > self.enough * (below + above):
            below, above = below - weight[values[k]], above + weight[values[k]]
            k -= 1
            if k == 0:
                below = weight[values[0]]
        return values[k], below, above

    def predict(self, job, now) -> int:
        at = self.state[self.facts(job)][0] if self.facts(job) in self.state else self.estimate[job]
        return min(at, self.estimate[job])


class AtLeastOneSecond(Predictor):
    """Another predictor, whose predictions of 0 s count as 1 s unless the estimate is 0."""

    def __init__(self, of):
        self.of, self.estimate = of, of.estimate

    def predict(self, job, now) -> int:
        return max(self.of.predict(job, now), min(self.estimate[job], 1))

    def begin(self, job, now) -> None:
        self.of.begin(job, now)

    def learn(self, job, now) -> None:
        self.of.learn(job, now)


class Biased(AtLeastOneSecond):
    """The predictions of another predictor times a factor."""

    def __init__(self, of, factor):
        super().__init__(of)
        self.factor = factor

    def predict(self, job, now) -> int:
        return int(min(np.rint(self.factor * self.of.predict(job, now)), self.estimate[job]))


class InPython(Predictor):
    """A predictor in Python, called anew for each prediction."""

    def __init__(self, workload, estimate, predictor):
        super().__init__(workload, estimate)
        self.predictor, self.jobs = replace(predictor), workload.jobs(estimate)
        self.predictor.start(workload)

    def predict(self, job, now) -> int:
        return min(round(self.predictor.predict(self.jobs[job], now)), self.estimate[job])

    def begin(self, job, now) -> None:
        self.predictor.begin(self.jobs[job], now)

    def learn(self, job, now) -> None:
        self.predictor.learn(EndedJob(*self.jobs[job], self.run_time[job]), now)


def make(workload, estimate, predictor, seed=1) -> AtLeastOneSecond:
    """Return the reference implementation of a predictor:
    of `REFERENCES`, or `Fixed` for one that does not learn.
    """
    if predictor.is_online():
        reference = InPython(workload, estimate, predictor)
    elif isinstance(predictor, predictors.Biased):
        reference = Biased(make(workload, estimate, predictor.of, seed), predictor.factor)
    elif type(predictor) in REFERENCES:
        reference = REFERENCES[type(predictor)](workload, estimate, *astuple(predictor))
    else:
        reference = Fixed(workload, estimate, predictor.predictions(workload, estimate, seed))
    return AtLeastOneSecond(reference)


#: Reference implementations by class; they take the workload, the estimates and the values of the
#: options.
REFERENCES = {
    predictors.Last: Last,
    predictors.Tsafrir: Tsafrir,
    predictors.Complete: Complete,
    predictors.TopPercent: lambda w, e, percent, coded, *design: (
        TopPercentAsCoded if coded else TopPercent
    )(w, e, percent, *design),
}
