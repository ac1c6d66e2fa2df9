"""The run time that only a small part of a class's weight lies above, updated as jobs end.

A class is the jobs with equal executable, user, estimate and size. Its points are run times with
weights; each new point multiplies the older weights by the decay. Instead of shrinking old weights,
the weight of new ones grows, and all are scaled back when the numbers get large. The values that a
class can hold are known beforehand, so its points are places in a binary indexed tree: a new point
and a prediction cost O(log points) each.

``whole`` has a row for each class: where its points begin in ``real``, the number of places, the
number of ended jobs, the places of the estimate and of the threshold, which is looked up once after
an end; as coded also the number of occupied places, and how many of these are at or below the
threshold. ``real`` has a row for each place: its value, the tree of weights (as coded its own
weight), and as coded whether it is occupied. ``model`` has a row for each class: the present
growth, the total weight, and as coded the two running sums. ``places`` holds each job's place.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.predictors.base import Predictor, compiled
from replication.simulator.predictors.history import finest_classes

LARGE = 1e100  # growth at which the weights are scaled back

BEGIN, PLACES, ENDED, ESTIMATE, AT, POINTS, RANK = range(7)  # columns of `whole`
UNKNOWN = -1  # AT where it must be looked up
VALUE, WEIGHT, OCCUPIED = range(3)  # columns of `real`
GROWTH, TOTAL, BELOW, ABOVE = range(4)  # columns of `model`


@njit_noalloc
def _weight(memory, run_time):
    """Return the weight of a new point."""
    return np.float64(run_time) if memory.by_length else 1.0


@njit_noalloc
def _add_point(memory, f, place, weight):
    """Add a weight at a place: in the tree, or as coded at that place alone."""
    begin, places = memory.whole[f, BEGIN], memory.whole[f, PLACES]
    grown = weight * memory.model[f, GROWTH]
    if memory.coded:
        point, state = memory.real[begin + place], memory.whole[f]
        if point[OCCUPIED] == 0:
            point[OCCUPIED] = 1
            state[POINTS] += 1
            state[RANK] += place <= state[AT]
        point[WEIGHT] += grown
        return
    memory.model[f, TOTAL] += grown
    k = place + 1
    while k <= places:
        memory.real[begin + k - 1, WEIGHT] += grown
        k += k & -k


@njit_noalloc
def _scale_back(memory, f):
    begin, growth = memory.whole[f, BEGIN], memory.model[f, GROWTH]
    for row in range(begin, begin + memory.whole[f, PLACES]):
        memory.real[row, WEIGHT] /= growth
    memory.model[f, TOTAL] /= growth
    memory.model[f, GROWTH] = 1


@njit_noalloc
def _first_above(memory, f, target):
    """Return the first place up to which the weights add up to more than `target`."""
    begin, places = memory.whole[f, BEGIN], memory.whole[f, PLACES]
    step = 1
    while 2 * step <= places:
        step *= 2
    k = 0
    while step > 0:
        if k + step <= places and memory.real[begin + k + step - 1, WEIGHT] <= target:
            k += step
            target -= memory.real[begin + k - 1, WEIGHT]
        step //= 2
    return min(k, places - 1)


@njit_noalloc
def _step(memory, f, by):
    """Move the threshold to the next occupied place above (`by` 1) or below (-1);
    return the present weight there.
    """
    state = memory.whole[f]
    state[RANK] += by
    state[AT] += by
    while memory.real[state[BEGIN] + state[AT], OCCUPIED] == 0:
        state[AT] += by
    return _weight_at_threshold(memory, f)


@njit_noalloc
def _weight_at_threshold(memory, f):
    """Return the present weight of the point at the threshold."""
    state = memory.whole[f]
    return memory.real[state[BEGIN] + state[AT], WEIGHT] / memory.model[f, GROWTH]


@njit_noalloc
def _move_threshold(memory, f, place, weight):
    """Update, as coded, the sums of the weights at or below the threshold and above it.

    They follow the threshold from point to point, upwards for a run time above it, downwards for
    one below. The lower sum does not start at the artificial point's weight, so it is wrong until
    the threshold reaches the lowest point, where it is set to that point's weight. The upper sum is
    set to 0 where as many points are below the threshold as jobs have ended, which is the highest
    point unless run times repeat.
    """
    sums, state, enough = memory.model[f], memory.whole[f], 1 - memory.share
    sums[BELOW] *= memory.decay
    sums[ABOVE] *= memory.decay
    if place > state[AT]:
        sums[ABOVE] += weight
        while state[RANK] < state[POINTS] and sums[BELOW] <= enough * (sums[BELOW] + sums[ABOVE]):
            point_weight = _step(memory, f, 1)
            sums[BELOW] += point_weight
            sums[ABOVE] -= point_weight
            if state[RANK] == state[ENDED] + 1:
                sums[ABOVE] = 0
        return
    sums[BELOW] += weight
    point_weight = _weight_at_threshold(memory, f)
    while (
        place < state[AT]
        and state[RANK] > 1
        and sums[BELOW] - point_weight > enough * (sums[BELOW] + sums[ABOVE])
    ):
        sums[BELOW] -= point_weight
        sums[ABOVE] += point_weight
        point_weight = _step(memory, f, -1)
        if state[RANK] == 1:
            sums[BELOW] = point_weight


@dataclass(frozen=True)
class TopPercent(Predictor):
    """The run time that only a small part of a class's weight lies above (Top Percent, section II).

    The prediction is at most the estimate. It is the estimate as long as no job of the class has
    ended.
    """

    draws_at_random = False
    changes_only_at_ends = True

    percent: float = option(allowed=Number(0, 100), about="part of the weight above a prediction")
    coded: bool = option(False, (False, True), "as in the paper's simulator")
    decay: float = option(0.9, Number(0.1, 1), "factor of older weights at every end")
    artificial: float = option(0.1, Number(0), "weight of the first point, at the estimate")
    weights: str = option("length", ("length", "equal"), "weights of points: run times, or equal")

    def tables(self, workload, estimate, seed) -> dict:
        """Return the tables that the module describes."""
        group, finest = finest_classes(workload, estimate)
        n, classes = len(workload), finest.shape[1]
        # Every class has a place for each value that it can hold: its jobs' run times and its
        # estimate.
        value = np.concatenate([workload.run_time, finest[2]])
        owner = np.concatenate([group, np.arange(classes)])
        bits = int(value.max()).bit_length()
        if bits + classes.bit_length() < 63:  # one number for both
            order = np.argsort(owner << bits | value, kind="stable")
        else:
            order = np.lexsort((value, owner))
        sorted_owner, sorted_value = owner[order], value[order]
        first = np.diff(sorted_owner, prepend=-1) != 0
        different = first | (np.diff(sorted_value, prepend=-1) != 0)
        row = np.cumsum(different) - 1
        begin, places = row[first], np.bincount(sorted_owner[different], minlength=classes)
        place = np.empty(len(value), np.int64)
        place[order] = row - begin[sorted_owner]
        whole, real = np.zeros((classes, 7), np.int64), np.zeros((row[-1] + 1, 3))
        whole[:, BEGIN], whole[:, PLACES], whole[:, ESTIMATE] = begin, places, place[n:]
        whole[:, AT] = place[n:] if self.coded else UNKNOWN
        real[:, VALUE] = sorted_value[different]
        model = np.zeros((classes, 4))
        model[:, [GROWTH, BELOW]] = 1
        return {
            "group": group,
            "whole": whole,
            "real": real,
            "places": place[:n],
            "model": model,
            "share": self.percent / 100,
            "coded": self.coded,
            "decay": self.decay,
            "artificial": self.artificial,
            "by_length": self.weights == "length",
        }

    def classes(self, workload, estimate) -> np.ndarray:
        """Return classes of equal executable, user, estimate and size."""
        return finest_classes(workload, np.asarray(estimate, np.int64))[0]

    @compiled
    def predict(memory, job, now) -> int:
        """Return the smallest value that more than (1 - share) of the class's weight is at or
        below, at most the estimate.
        """
        c = memory.group[job]
        state = memory.whole[c]
        estimate = memory.estimate[job]
        if state[ENDED] == 0:
            return estimate
        if state[AT] == UNKNOWN:
            state[AT] = _first_above(memory, c, (1 - memory.share) * memory.model[c, TOTAL])
        return min(np.int64(memory.real[state[BEGIN] + state[AT], VALUE]), estimate)

    @compiled
    def learn(memory, job, now) -> None:
        """Add the job's run time to its class, after the artificial point if it is the first."""
        c, place = memory.group[job], memory.places[job]
        weight = _weight(memory, memory.run_time[job])
        state, sums = memory.whole[c], memory.model[c]
        if state[ENDED] == 0:
            artificial = memory.artificial * _weight(
                memory, memory.real[state[BEGIN] + state[ESTIMATE], VALUE]
            )
            # As coded, the artificial point is as old as the first ended job.
            if memory.coded:
                artificial /= memory.decay
            _add_point(memory, c, state[ESTIMATE], artificial)
        state[ENDED] += 1
        sums[GROWTH] /= memory.decay
        if sums[GROWTH] > LARGE:
            _scale_back(memory, c)
        _add_point(memory, c, place, weight)
        if memory.coded:
            _move_threshold(memory, c, place, weight)
        else:
            state[AT] = UNKNOWN
