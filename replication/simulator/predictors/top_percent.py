"""The run time that only a small part of a class's weight lies above, kept in order as jobs end.

A class is the jobs with equal executable, user, request and size. Its points are run times with weights; each
new point multiplies the older weights by 0.9. Instead of shrinking old weights the weight of new ones grows,
and all is scaled back when the numbers get large. The values a class can hold are known beforehand, so its
points are places in a binary indexed tree: a new point and a prediction cost O(log points) each.

``whole`` has a row for each class: where its points begin in ``real``, how many places there are, how many
jobs ended, the place of the request, and the place of the threshold, which is looked up once after an end; for the
coded reading, how many places are occupied, and how many of these are no higher than the threshold.
``real`` has a row for each place: its value, the tree of weights, or for the coded reading its own weight, and there
whether it is occupied. ``model`` has a row for each class: the present growth, the total weight, and for the coded
reading the two running sums. ``links`` holds each job's place.
"""

from dataclasses import dataclass

import numpy as np

from replication.simulator.choices import Number, option
from replication.simulator.kernels.uncounted import uncounted
from replication.simulator.predictors.base import Predictor
from replication.simulator.predictors.classes import finest

DECAY = 0.9
ARTIFICIAL = 0.1  # weight of the first point, at the request, in requests
LARGE = 1e100  # growth at which the weights are scaled back

BEGIN, PLACES, ENDED, ASKED, AT, POINTS, RANK = range(7)  # columns of `whole`
UNKNOWN = -1  # AT where it must be looked up
VALUE, WEIGHT, OCCUPIED = range(3)  # columns of `real`
GROWTH, TOTAL, BELOW, ABOVE = range(4)  # columns of `model`


@uncounted
def predict(memory, job, now):
    """Smallest value that more than (1 - share) of the class's weight is at or below; at most the request."""
    f = memory.group[job]
    state = memory.whole[f]
    request = memory.request[job]
    if state[ENDED] == 0:
        return request
    if state[AT] == UNKNOWN:
        state[AT] = _first_above(memory, f, (1 - memory.share) * memory.model[f, TOTAL])
    return min(np.int64(memory.real[state[BEGIN] + state[AT], VALUE]), request)


@uncounted
def learn(memory, job, start, now):
    """Add the job's run time to its class; the artificial point too, if it is the first."""
    f = memory.group[job]
    state, sums = memory.whole[f], memory.model[f]
    if state[ENDED] == 0:
        sums[GROWTH], sums[BELOW], sums[ABOVE] = 1, 1, 0
        artificial = ARTIFICIAL * memory.real[state[BEGIN] + state[ASKED], VALUE]
        if memory.coded:
            artificial /= DECAY  # of the same age as the first ended job
        state[AT] = state[ASKED]
        _add_point(memory, f, state[ASKED], artificial)
    state[ENDED] += 1
    sums[GROWTH] /= DECAY
    if sums[GROWTH] > LARGE:
        _scale_back(memory, f)
    _add_point(memory, f, memory.links[job], memory.run_time[job])
    if memory.coded:
        _move_threshold(memory, f, memory.links[job], memory.run_time[job])
    else:
        state[AT] = UNKNOWN


@uncounted
def _add_point(memory, f, place, weight):
    """Add a weight at a place: in the tree, or for the coded reading there alone."""
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


@uncounted
def _scale_back(memory, f):
    begin, growth = memory.whole[f, BEGIN], memory.model[f, GROWTH]
    for row in range(begin, begin + memory.whole[f, PLACES]):
        memory.real[row, WEIGHT] /= growth
    memory.model[f, TOTAL] /= growth
    memory.model[f, GROWTH] = 1


@uncounted
def _first_above(memory, f, target):
    """The first place up to which the weights add up to more than `target`."""
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


@uncounted
def _step(memory, f, by):
    """Move the threshold to the next occupied place above (`by` 1) or below (-1); the present weight there."""
    state = memory.whole[f]
    state[RANK] += by
    state[AT] += by
    while memory.real[state[BEGIN] + state[AT], OCCUPIED] == 0:
        state[AT] += by
    return _own(memory, f)


@uncounted
def _own(memory, f):
    """Present weight of the point at the threshold."""
    state = memory.whole[f]
    return memory.real[state[BEGIN] + state[AT], WEIGHT] / memory.model[f, GROWTH]


@uncounted
def _move_threshold(memory, f, place, run_time):
    """The reading with two running sums, at or below the threshold and above it.

    They follow the threshold from point to point, upwards for a run time above it, downwards for one below.
    The lower sum did not start at the artificial point's weight, so it is not the sum it stands for until the
    threshold has come down to the lowest point, where it is set anew. The upper one is set to 0 where as many
    points are below the threshold as jobs have ended, which is the highest point unless run times repeat.
    """
    sums, state, enough = memory.model[f], memory.whole[f], 1 - memory.share
    sums[BELOW] *= DECAY
    sums[ABOVE] *= DECAY
    if place > state[AT]:
        sums[ABOVE] += run_time
        while state[RANK] < state[POINTS] and sums[BELOW] <= enough * (sums[BELOW] + sums[ABOVE]):
            own = _step(memory, f, 1)
            sums[BELOW] += own
            sums[ABOVE] -= own
            if state[RANK] == state[ENDED] + 1:
                sums[ABOVE] = 0
        return
    sums[BELOW] += run_time
    own = _own(memory, f)
    while (
        place < state[AT]
        and state[RANK] > 1
        and sums[BELOW] - own > enough * (sums[BELOW] + sums[ABOVE])
    ):
        sums[BELOW] -= own
        sums[ABOVE] += own
        own = _step(memory, f, -1)
        if state[RANK] == 1:
            sums[BELOW] = own


@dataclass(frozen=True)
class TopPercent(Predictor, name="top", predict=predict, learn=learn):
    """The run time that only a small part of a class's weight lies above (Top Percent, section II)."""

    draws_at_random = False

    percent: float = option(
        allowed=Number(0, 100), about="part of the weight above a prediction", sign="="
    )
    coded: bool = option(False, (False, True), "as in the paper's simulator")

    def tables(self, workload, request, seed):
        """See the module."""
        group, found = finest(workload, request)
        n, classes = len(workload), len(found)
        # Every class has a place for each value that it can hold: its jobs' run times and its request.
        value = np.concatenate([workload.run_time, found[:, 2]])
        owner = np.concatenate([group, np.arange(classes)])
        order = _by_class(owner, value)
        sorted_owner, sorted_value = owner[order], value[order]
        first = np.diff(sorted_owner, prepend=-1) != 0
        different = first | (np.diff(sorted_value, prepend=-1) != 0)
        row = np.cumsum(different) - 1
        begin, places = row[first], np.bincount(sorted_owner[different], minlength=classes)
        place = np.empty(len(value), np.int64)
        place[order] = row - begin[sorted_owner]
        whole, real = np.zeros((classes, 7), np.int64), np.zeros((row[-1] + 1, 3))
        whole[:, BEGIN], whole[:, PLACES], whole[:, ASKED] = begin, places, place[n:]
        real[:, VALUE] = sorted_value[different]
        return {
            "group": group,
            "whole": whole,
            "real": real,
            "links": place[:n],
            "model": np.zeros((classes, 4)),
            "share": self.percent / 100,
            "coded": self.coded,
        }


def _by_class(owner, value):
    """Order by owner, then by value; one sort of numbers where both fit into one."""
    bits = int(value.max()).bit_length()
    if bits + int(owner.max()).bit_length() < 63:
        return np.argsort(owner << bits | value)
    return np.lexsort((value, owner))
