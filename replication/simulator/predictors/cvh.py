"""A linear model of run times, learned from jobs as they end with an asymmetric loss.

A job has 19 features, computed at its first prediction; their products of two are added. The
weights follow a gradient that is normalised by each feature's scale and by its past gradients, so
that features in seconds, processors and sines can be mixed (Ross, Mineiro and Langford 2013,
algorithm 2).

``whole`` has a row for each user, about the user's ended and running jobs. ``links`` has a row for
each job: its start, or `OVER`, and the user's job that started next. ``real`` has a row of features
for each job. ``model`` has rows for the weights, the scales and the sums of squared gradients; two
for the terms of the current job, plain and divided by their scales; one for intermediate sums; and
one with the counters `STEP` and `NORM`, the current job, and its value if `KNOWN`.
"""

import math
from dataclasses import dataclass

import numpy as np

from replication.simulator.kernels.compilation import njit_noalloc
from replication.simulator.predictors.base import Predictor, compiled
from replication.simulator.predictors.history import number_groups

RATE = 5000.0
REGULAR = 4e9  # weight of the l2 term (sic)
START = 1e-9  # initial scales and sums
TICK = 2  # increment of the step counter for each example
THIRD = 0.33  # sic, not 1 / 3
DAY, WEEK = 86400, 604800

FEATURES = 19
FIRST_PAIRED, LAST_PAIRED = 1, 16  # features whose products of two are added, counting from 0
# length of a row of `model`: 19 + 120 + 18 terms, and zeros so that it can be quartered twice
ROOM = 160

WEIGHTS, SCALES, SQUARES, AT_HAND, RATIOS, SUMS, COUNTERS = range(7)  # rows of `model`
STEP, NORM, JOB, KNOWN, VALUE = range(5)  # places in its last row

# Columns of `whole`.
ENDED, NEWEST, BEFORE, THIRD_LAST, RUN_TIMES, SIZES, LAST_END = range(7)
PROCESSORS, RUNS, STARTS, OLDEST, YOUNGEST, COLUMNS = range(7, 13)
BEGAN, NEXT = range(2)  # columns of `links`
OVER = -1
NOBODY = -1


@njit_noalloc
def _observe(memory, job, now, x):
    """Set the 19 features of a job."""
    user = memory.whole[memory.group[job]]
    estimate, ended = memory.estimate[job], user[ENDED]
    x[0] = 1
    total = 0.0
    for k in range(3):
        x[1 + k] = estimate
        if k < ended:
            job_ended = user[NEWEST + k]
            seen = max(memory.run_time[job_ended], now - memory.submit[job_ended])
            x[1 + k] = min(seen, estimate)
            total += x[1 + k]
            if k < 2:
                x[5] = total / (k + 1)
    x[4] = estimate
    if ended == 0:
        x[5] = estimate
    x[6] = THIRD * total if ended > 2 else x[5]
    if ended > 0:
        x[7] = user[RUN_TIMES] / ended
        x[8] = now - user[LAST_END]
        x[9] = memory.size[job] / (user[SIZES] / ended)
    x[10] = user[PROCESSORS]
    x[11] = user[RUNS] * now - user[STARTS]
    x[12] = user[RUNS]
    if user[RUNS] > 0:
        while memory.links[user[OLDEST], BEGAN] == OVER:
            user[OLDEST] = memory.links[user[OLDEST], NEXT]
        x[13] = now - memory.links[user[OLDEST], BEGAN]
    of_day = 2 * math.pi * (memory.submit[job] % DAY) / DAY
    of_week = 2 * math.pi * (memory.submit[job] % WEEK) / WEEK
    x[14], x[15] = math.cos(of_day), math.sin(of_day)
    x[16], x[17] = math.cos(of_week), math.sin(of_week)
    x[18] = memory.size[job]


@njit_noalloc
def _take_up(memory, job):
    """Set the terms of the current job, its features and their products, unless they are set."""
    counters = memory.model[COUNTERS]
    if counters[JOB] == job:
        return
    counters[JOB], counters[KNOWN] = job, 0
    x, features = memory.model[AT_HAND], memory.real[job]
    for k in range(FEATURES):
        x[k] = features[k]
    term = FEATURES
    for i in range(FIRST_PAIRED, LAST_PAIRED + 1):
        for j in range(i + 1, LAST_PAIRED + 1):
            x[term] = features[i] * features[j]
            term += 1
    for k in range(1, FEATURES):
        x[term] = features[k] * features[k]
        term += 1


@njit_noalloc
def _correct(memory, job):
    """Make one step of the normalised adaptive gradient for a job that has ended."""
    weights, scales, squares = memory.model[WEIGHTS], memory.model[SCALES], memory.model[SQUARES]
    x, ratios, counters = memory.model[AT_HAND], memory.model[RATIOS], memory.model[COUNTERS]
    _take_up(memory, job)
    # Loops without branches compile to vector instructions.
    larger = 0
    for k in range(ROOM):
        larger += abs(x[k]) > scales[k]
    if larger > 0:
        for k in range(ROOM):
            scale = max(scales[k], abs(x[k]))
            weights[k] *= scales[k] / scale
            scales[k] = scale
    for k in range(ROOM):
        ratios[k] = x[k] / scales[k]
    counters[NORM] += _dot(memory, RATIOS, RATIOS)
    step = RATE * math.sqrt(counters[STEP] / counters[NORM])
    counters[STEP] += TICK
    slope = _slope(_dot(memory, WEIGHTS, AT_HAND), memory.run_time[job], memory.size[job])
    for k in range(ROOM):
        gradient = slope * x[k] + REGULAR * weights[k]
        squares[k] += gradient * gradient
        weights[k] -= step * gradient / (scales[k] * math.sqrt(squares[k]))
    counters[KNOWN] = 0


@njit_noalloc
def _dot(memory, first, second):
    """Return the sum of products of two rows, by quarters:
    a fixed order that suits vector instructions.
    """
    a, b, sums = memory.model[first], memory.model[second], memory.model[SUMS]
    n = ROOM // 4
    for k in range(n):
        sums[k] = (
            a[k] * b[k]
            + a[n + k] * b[n + k]
            + (a[2 * n + k] * b[2 * n + k] + a[3 * n + k] * b[3 * n + k])
        )
    n //= 4
    for k in range(n):
        sums[k] = sums[k] + sums[n + k] + (sums[2 * n + k] + sums[3 * n + k])
    total = 0.0
    for k in range(n):
        total += sums[k]
    return total


@njit_noalloc
def _slope(value, run_time, size):
    """Return the derivative of the loss: squared above the run time, absolute below,
    times 1 + ln(size x run time).
    """
    weight = 1 + math.log(max(size * run_time, 1))
    if value > run_time:
        return weight * 2 * (value - run_time)
    return -weight if value < run_time else 0.0


@dataclass(frozen=True)
class CVH(Predictor):
    """A linear model learned with an asymmetric loss
    (Gaussier, Glesser, Reis and Trystram 2015, section 4).

    It is the cross-validated heuristic that Top Percent compares with (section IV.A).
    """

    draws_at_random = False
    changes_only_at_ends = True

    def tables(self, workload, estimate, seed) -> dict:
        """Return the tables that the module describes."""
        group = number_groups(workload.user)
        model = np.zeros((COUNTERS + 1, ROOM))
        model[[SCALES, SQUARES]] = START
        model[COUNTERS, [STEP, NORM, JOB]] = 1, START, NOBODY
        return {
            "group": group,
            "whole": np.zeros((group.max() + 1, COLUMNS), np.int64),
            "model": model,
            "real": np.zeros((len(workload), FEATURES)),
            "links": np.empty((len(workload), 2), np.int64),
        }

    @compiled
    def predict(memory, job, now) -> int:
        """Return the model's absolute value in whole seconds, from 1 to the estimate."""
        counters = memory.model[COUNTERS]
        if memory.real[job, 0] == 0:
            _observe(memory, job, now, memory.real[job])
        _take_up(memory, job)
        if counters[KNOWN] == 0:
            counters[VALUE] = abs(_dot(memory, WEIGHTS, AT_HAND))
            counters[KNOWN] = 1
        return max(1, min(np.int64(min(counters[VALUE], 1e18)), memory.estimate[job]))

    @compiled
    def begin(memory, job, now) -> None:
        """Append the job to the user's running jobs."""
        user, links = memory.whole[memory.group[job]], memory.links
        if user[RUNS] == 0:
            user[OLDEST] = job
        else:
            links[user[YOUNGEST], NEXT] = job
        links[job, BEGAN] = now
        user[YOUNGEST] = job
        user[PROCESSORS] += memory.size[job]
        user[RUNS] += 1
        user[STARTS] += now

    @compiled
    def learn(memory, job, now) -> None:
        """Remove the job from the user's running jobs, record its end and correct the weights."""
        user, links = memory.whole[memory.group[job]], memory.links
        user[PROCESSORS] -= memory.size[job]
        user[RUNS] -= 1
        user[STARTS] -= links[job, BEGAN]
        links[job, BEGAN] = OVER
        _correct(memory, job)
        user[THIRD_LAST], user[BEFORE], user[NEWEST] = user[BEFORE], user[NEWEST], job
        user[ENDED] += 1
        user[RUN_TIMES] += memory.run_time[job]
        user[SIZES] += memory.size[job]
        user[LAST_END] = now
