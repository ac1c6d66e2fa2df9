"""The run time that only a small part of a class's weight lies above, kept in order as jobs end.

A class is the jobs with equal executable, user, request and size. Its points are run times with weights; each
new point multiplies the older weights by 0.9. Instead of shrinking old weights the weight of new ones grows,
and all is scaled back when the numbers get large. The values a class can hold are known beforehand, so its
points are places in a binary indexed tree: a new point and a prediction cost O(log points) each.

``whole`` has a row for each class: where its points begin in ``real``, how many places there are, how many
jobs ended, the place of the request, and the place of the threshold, which is looked up once after an end.
``real`` has a row for each place: its value, the tree of weights, and for the coded reading the tree of
occupied places, its own weight, and whether it is occupied. ``model`` has a row for each class: the present
growth, the total weight, and for the coded reading the two running sums. ``links`` holds each job's place.
"""

from dataclasses import dataclass

import numpy as np

from replication.basics.choices import Number, option
from replication.core.uncounted import uncounted
from replication.predictors.base import Predictor
from replication.predictors.classes import finest

DECAY = 0.9
ARTIFICIAL = 0.1  # weight of the first point, at the request, in requests
LARGE = 1e100  # growth at which the weights are scaled back

BEGIN, PLACES, ENDED, ASKED, AT = range(5)  # columns of `whole`
UNKNOWN = -1  # AT where it must be looked up
VALUE, WEIGHT, OCCUPIED, OWN, SEEN = range(5)  # columns of `real`
GROWTH, TOTAL, BELOW, ABOVE = range(4)  # columns of `model`


@uncounted
def lay_out(order, group, value, whole, real, links):
    """Give every class its places, and every entry the place of its value.

    Parameters
    ----------
    order : int64[n + c]
        The entries by class, then by value. Entry j < n is job j, entry n + f the request of class f.
    group, value : int64[n + c]
    whole, real, links : out
        As the module says; zero on entry.

    Returns
    -------
    int
        How many rows of `real` are in use.
    """
    jobs = len(links)
    used, last = 0, -1
    for entry in order:
        f = group[entry]
        if f != last:
            whole[f, BEGIN] = used
        if f != last or real[used - 1, VALUE] != value[entry]:
            real[used, VALUE] = value[entry]
            used += 1
            whole[f, PLACES] += 1
        last = f
        place = used - 1 - whole[f, BEGIN]
        if entry < jobs:
            links[entry] = place
        else:
            whole[f, ASKED] = place
    return used


@uncounted
def predict(memory, job, now):
    """Smallest value that more than (1 - share) of the class's weight is at or below; at most the request."""
    f = memory.group[job]
    state = memory.whole[f]
    request = memory.request[job]
    if state[ENDED] == 0:
        return request
    if state[AT] == UNKNOWN:
        state[AT] = _first_above(memory, f, WEIGHT, (1 - memory.share) * memory.model[f, TOTAL])
    return min(np.int64(memory.real[state[BEGIN] + state[AT], VALUE]), request)


@uncounted
def learn(memory, job, start, now):
    """Add the job's run time to its class; the artificial point too, if it is the first."""
    f = memory.group[job]
    state, sums = memory.whole[f], memory.model[f]
    if state[ENDED] == 0:
        sums[GROWTH] = 1
        artificial = ARTIFICIAL * memory.real[state[BEGIN] + state[ASKED], VALUE]
        if memory.coded:
            artificial /= DECAY  # of the same age as the first ended job
        _add_point(memory, f, state[ASKED], artificial)
        state[AT] = state[ASKED]
        sums[BELOW], sums[ABOVE] = 1, 0
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
    grown = weight * memory.model[f, GROWTH]
    if not memory.coded:
        memory.model[f, TOTAL] += grown
        _add(memory, f, WEIGHT, place, grown)
        return
    row = memory.whole[f, BEGIN] + place
    if memory.real[row, SEEN] == 0:
        memory.real[row, SEEN] = 1
        _add(memory, f, OCCUPIED, place, 1.0)
    memory.real[row, OWN] += grown


@uncounted
def _scale_back(memory, f):
    begin, places = memory.whole[f, BEGIN], memory.whole[f, PLACES]
    growth = memory.model[f, GROWTH]
    for row in range(begin, begin + places):
        memory.real[row, WEIGHT] /= growth
        memory.real[row, OWN] /= growth
    memory.model[f, TOTAL] /= growth
    memory.model[f, GROWTH] = 1


@uncounted
def _add(memory, f, column, place, amount):
    """Add `amount` at a place of the tree in `column`."""
    begin, places = memory.whole[f, BEGIN], memory.whole[f, PLACES]
    k = place + 1
    while k <= places:
        memory.real[begin + k - 1, column] += amount
        k += k & -k


@uncounted
def _first_above(memory, f, column, target):
    """The first place up to which the tree in `column` adds up to more than `target`."""
    begin, places = memory.whole[f, BEGIN], memory.whole[f, PLACES]
    step = 1
    while 2 * step <= places:
        step *= 2
    k = 0
    while step > 0:
        if k + step <= places and memory.real[begin + k + step - 1, column] <= target:
            k += step
            target -= memory.real[begin + k - 1, column]
        step //= 2
    return min(k, places - 1)


@uncounted
def _sum_to(memory, f, column, place):
    """Sum of the tree in `column` up to and with a place."""
    begin = memory.whole[f, BEGIN]
    total, k = 0.0, place + 1
    while k > 0:
        total += memory.real[begin + k - 1, column]
        k -= k & -k
    return total


@uncounted
def _own(memory, f, place):
    """Present weight of the point at a place."""
    return memory.real[memory.whole[f, BEGIN] + place, OWN] / memory.model[f, GROWTH]


@uncounted
def _move_threshold(memory, f, place, run_time):
    """The reading with two running sums, at or below the threshold and above it.

    They follow the threshold from point to point, upwards for a run time above it, downwards for one below.
    The lower sum did not start at the artificial point's weight, so it is not the sum it stands for until the
    threshold has come down to the lowest point, where it is set anew. The upper one is set to 0 where as many
    points are below the threshold as jobs have ended, which is the highest point unless run times repeat.
    """
    sums, state = memory.model[f], memory.whole[f]
    sums[BELOW] *= DECAY
    sums[ABOVE] *= DECAY
    enough = 1 - memory.share
    rank = np.int64(_sum_to(memory, f, OCCUPIED, state[AT]))
    if place > state[AT]:
        sums[ABOVE] += run_time
        points = np.int64(_sum_to(memory, f, OCCUPIED, memory.whole[f, PLACES] - 1))
        while rank < points and sums[BELOW] <= enough * (sums[BELOW] + sums[ABOVE]):
            rank += 1
            state[AT] = _first_above(memory, f, OCCUPIED, rank - 0.5)
            sums[BELOW] += _own(memory, f, state[AT])
            sums[ABOVE] -= _own(memory, f, state[AT])
            if rank == state[ENDED] + 1:
                sums[ABOVE] = 0
        return
    sums[BELOW] += run_time
    own = _own(memory, f, state[AT])
    while (
        place < state[AT] and rank > 1 and sums[BELOW] - own > enough * (sums[BELOW] + sums[ABOVE])
    ):
        sums[BELOW] -= own
        sums[ABOVE] += own
        rank -= 1
        state[AT] = _first_above(memory, f, OCCUPIED, rank - 0.5)
        own = _own(memory, f, state[AT])
        if rank == 1:
            sums[BELOW] = own


@dataclass(frozen=True)
class TopPercent(Predictor, name="top", predict=predict, learn=learn):
    """The run time that only a small part of a class's weight lies above (Top Percent, section II).

    Parameters
    ----------
    percent : float
        The part, 0 to 100; the paper's are 2, 3 and 4.
    coded : bool
        As in the paper's simulator: two running sums follow the threshold.
    """

    draws_at_random = False

    percent: float = option(
        allowed=Number(0, 100), about="part of the weight above a prediction", sign="="
    )
    coded: bool = option(False, (False, True), "as in the paper's simulator")

    def tables(self, workload, request, seed):
        """See the module."""
        group, found = finest(workload, request)
        value = np.concatenate([workload.run_time, found[:, 2]])
        owner = np.concatenate([group, np.arange(len(found))])
        whole, real = np.zeros((len(found), 5), np.int64), np.zeros((len(value), 5))
        links = np.empty(len(workload), np.int64)
        lay_out(_by_class(owner, value), owner, value, whole, real, links)
        return {
            "group": group,
            "whole": whole,
            "real": real,
            "links": links,
            "model": np.zeros((len(found), 4)),
            "share": self.percent / 100,
            "coded": self.coded,
        }


def _by_class(owner, value):
    """Order by owner, then by value; one sort of numbers where both fit into one."""
    bits = int(value.max()).bit_length()
    if bits + int(owner.max()).bit_length() < 63:
        return np.argsort(owner << bits | value)
    return np.lexsort((value, owner))
