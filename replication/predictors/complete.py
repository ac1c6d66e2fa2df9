"""Decaying means of run times over fifteen classes of jobs, the first class with a history deciding.

All jobs of one finest class (executable, user, request and size equal) get the same prediction, so what is
looked up is kept by finest class. A class that sees its first ended job tells its finest classes so, once; a
prediction is then a single look-up.

A class that holds no more finest classes than one of a template above it holds the same ones, and can never
be the first with a history. Such classes, more than half of all, are not kept.

``kept`` has a row for each finest class: the classes that it keeps, most specific first, then how many, then
which of them is the first with a history (their number for none). ``means`` has a row for each class: decayed
sum of run times and decayed count. ``members[c]`` to ``members[c + 1]`` are the places in ``members`` where the
finest classes of class c stand, each times `TEMPLATES` plus the place of c in that finest class's row.
"""

from dataclasses import dataclass

import numpy as np
from numba import njit

from replication.core.uncounted import uncounted
from replication.predictors.base import Predictor
from replication.predictors.classes import finest, number

TEMPLATES = 15
KEPT, LEVEL = 15, 16  # columns of `kept`
DECAY = 0.8
TOTAL, COUNT = 0, 1  # columns of `means`

# Template t keeps the facts whose bits are set in 15 - t: executable, user, request, size, from the highest.
FACTS = 4


@njit(nogil=True, cache=True)
def classify(finest, kept):
    """Fill in the classes of every finest class (``finest`` is int64[f, 4]); how many classes there are."""
    n = len(finest)
    code = _codes(finest)
    held, counts = np.empty((TEMPLATES, n), np.int64), np.empty(n, np.int64)
    renamed, classes = np.empty(n, np.int64), 0
    kept[:, KEPT] = 0
    for template in range(TEMPLATES):
        own = code[TEMPLATES - template]
        counts[:], renamed[:] = 0, -1
        for f in range(n):
            counts[own[f]] += 1
        for f in range(n):
            held[template, f] = counts[own[f]]
            if _as_large_as_one_above(held, template, f):
                continue
            if renamed[own[f]] < 0:
                renamed[own[f]] = classes
                classes += 1
            kept[f, kept[f, KEPT]] = renamed[own[f]]
            kept[f, KEPT] += 1
    kept[:, LEVEL] = kept[:, KEPT]
    return classes


@njit(nogil=True, cache=True)
def _codes(finest):
    """Numbers of the finest classes by the facts whose bits are set: equal ones where these facts are."""
    n = len(finest)
    code, pairs = np.zeros((TEMPLATES + 1, n), np.int64), np.empty((n, 2), np.int64)
    for fact in range(FACTS):
        for f in range(n):
            pairs[f, 0], pairs[f, 1] = finest[f, FACTS - 1 - fact], 0
        number(pairs, code[1 << fact])
    for facts in range(1, TEMPLATES):
        last = facts & -facts
        if facts != last:
            for f in range(n):
                pairs[f, 0], pairs[f, 1] = code[facts - last, f], code[last, f]
            number(pairs, code[facts])
    code[TEMPLATES] = np.arange(n)
    return code


@njit(nogil=True, cache=True)
def _as_large_as_one_above(held, template, f):
    """Whether a template with one fact more has as many finest classes in its class of `f`."""
    kept = TEMPLATES - template
    for fact in range(FACTS):
        if kept >> fact & 1 == 0 and held[TEMPLATES - (kept | 1 << fact), f] == held[template, f]:
            return True
    return False


@njit(nogil=True, cache=True)
def members(kept, classes):
    """The finest classes of each class, as offsets followed by lists."""
    found = np.empty(classes + 1 + kept[:, KEPT].sum(), np.int64)
    found[: classes + 1] = 0
    for f in range(len(kept)):
        for place in range(kept[f, KEPT]):
            found[kept[f, place] + 1] += 1
    found[0] = classes + 1
    for c in range(classes):
        found[c + 1] += found[c]
    beyond = found[:classes].copy()
    for f in range(len(kept)):
        for place in range(kept[f, KEPT]):
            c = kept[f, place]
            found[beyond[c]] = f * TEMPLATES + place
            beyond[c] += 1
    return found


@uncounted
def predict(memory, job, now):
    """The mean of the first class with a history, rounded, at most the request; the request without any."""
    state = memory.kept[memory.group[job]]
    request = memory.request[job]
    if state[LEVEL] == state[KEPT]:
        return request
    mean = memory.means[state[state[LEVEL]]]
    return min(np.int64(np.rint(mean[TOTAL] / mean[COUNT])), request)


@uncounted
def learn(memory, job, start, now):
    """Update the classes of the job."""
    mine = memory.kept[memory.group[job]]
    for place in range(mine[KEPT]):
        c = mine[place]
        mean = memory.means[c]
        if mean[COUNT] == 0:
            _announce(memory, c)
        mean[TOTAL] = DECAY * mean[TOTAL] + memory.run_time[job]
        mean[COUNT] = DECAY * mean[COUNT] + 1


@uncounted
def _announce(memory, c):
    """Tell the finest classes of class `c` that it has a history from now on."""
    for k in range(memory.members[c], memory.members[c + 1]):
        state = memory.kept[memory.members[k] // TEMPLATES]
        state[LEVEL] = min(state[LEVEL], memory.members[k] % TEMPLATES)


@dataclass(frozen=True)
class Complete(Predictor, predict=predict, learn=learn):
    """Decaying mean of the first of fifteen classes of jobs that has seen one end (Top Percent, section IV.A).

    The classes agree in fewer and fewer of executable, user, request and size.
    """

    draws_at_random = False

    def tables(self, workload, request, seed):
        """See the module."""
        group, found = finest(workload, request)
        kept = np.empty((len(found), LEVEL + 1), np.int64)
        classes = classify(found, kept)
        return {
            "group": group,
            "kept": kept,
            "means": np.zeros((classes, 2)),
            "members": members(kept, classes),
        }
