"""Decaying means of run times over fifteen classes of jobs, the first class with a history deciding.

All jobs of one finest class (executable, user, request and size equal) get the same prediction, so what is
looked up is kept by finest class. A class that sees its first ended job tells its finest classes so, once; a
prediction is then a single look-up, and learning costs fifteen updates.

``whole`` has a row for each finest class: its class in each template, then the first template that has a
history (15 for none). ``real`` has a row for each class: decayed sum of run times and decayed count.
``links[c]`` to ``links[c + 1]`` are the places in ``links`` where the finest classes of class c stand.
"""

import numpy as np
from numba import njit

from replication.core.classes import number
from replication.core.uncounted import uncounted

TEMPLATES = 15
LEVEL = 15          # column of `whole`
DECAY = 0.8
TOTAL, COUNT = 0, 1  # columns of `real`

# Which of (executable, user, request, size) a template keeps, most specific first.
_KEPT = np.array([[a, b, c, d] for a in (1, 0) for b in (1, 0) for c in (1, 0) for d in (1, 0)][:TEMPLATES])


@njit(nogil=True, cache=True)
def classify(finest, whole):
    """Fill in the classes of every finest class (``finest`` is int64[f, 4]) and return how many classes there are."""
    rows, code = np.empty_like(finest), np.empty(len(finest), np.int64)
    classes = 0
    for template in range(TEMPLATES):
        for column in range(4):
            rows[:, column] = finest[:, column] * _KEPT[template, column]
        distinct = number(rows, code)
        whole[:, template] = code + classes
        classes += distinct
    whole[:, LEVEL] = TEMPLATES
    return classes


@njit(nogil=True, cache=True)
def members(whole, classes):
    """The finest classes of each class, as offsets followed by lists."""
    finest = len(whole)
    links = np.empty(classes + 1 + finest * TEMPLATES, np.int64)
    links[:classes + 1] = 0
    for f in range(finest):
        for template in range(TEMPLATES):
            links[whole[f, template] + 1] += 1
    links[0] = classes + 1
    for c in range(classes):
        links[c + 1] += links[c]
    place = links[:classes].copy()
    for f in range(finest):
        for template in range(TEMPLATES):
            c = whole[f, template]
            links[place[c]] = f
            place[c] += 1
    return links


@uncounted
def predict(memory, job):
    """The mean of the first class with a history, rounded, at most the request; the request without any."""
    state = memory.whole[memory.group[job]]
    request = memory.request[job]
    if state[LEVEL] == TEMPLATES:
        return request
    mean = memory.real[state[state[LEVEL]]]
    return min(np.int64(np.rint(mean[TOTAL] / mean[COUNT])), request)


@uncounted
def learn(memory, job):
    """Update the job's fifteen classes."""
    mine = memory.whole[memory.group[job]]
    for template in range(TEMPLATES):
        c = mine[template]
        mean = memory.real[c]
        if mean[COUNT] == 0:
            _announce(memory, c, template)
        mean[TOTAL] = DECAY * mean[TOTAL] + memory.run_time[job]
        mean[COUNT] = DECAY * mean[COUNT] + 1


@uncounted
def _announce(memory, c, template):
    """Tell the finest classes of class `c` that their template `template` has a history from now on."""
    for k in range(memory.links[c], memory.links[c + 1]):
        state = memory.whole[memory.links[k]]
        state[LEVEL] = min(state[LEVEL], template)
