"""Predicted run times: one memory for all predictors, and the three moments at which a scheduler uses it.

A scheduler calls `predict` when a job is submitted and whenever it plans with the job while it waits, `begun`
when the job starts and `learn` when it ends. All predictors share one type of memory, so a kernel is compiled
once; which predictor it is, is the number in ``memory.kind``. `replication.schedulers.predictors.make` fills it in.

What the tables hold depends on the kind and is written at each predictor.
"""

from collections import namedtuple

import numpy as np

from replication.core.predictors import complete, cvh, top_percent
from replication.core.uncounted import uncounted

FIXED, LAST, TSAFRIR, COMPLETE, TOP, CVH = range(6)

# kind : int; share : float, the part of the weight above a prediction (TOP); coded : bool, a reading (TOP)
# submit, run_time, request, size : int64[n], the jobs
# fixed : int64[n], predictions known from the start (FIXED)
# group : int64[n], number of the job's user or class
# whole : int64[:, :], real : float64[:, :], links : int64[:], model : float64[:, :],
# state and indices by kind
Memory = namedtuple(
    "Memory", "kind share coded submit run_time request size fixed group whole real links model"
)

# Columns of `whole` for LAST and TSAFRIR, a row a user: jobs ended, the newest two and the newest request.
ENDED, NEWEST, BEFORE, ASKED = range(4)


@uncounted
def predict(memory, job, now):
    """Predicted run time of a waiting job.

    Parameters
    ----------
    memory : Memory
    job : int
    now : int, s

    Returns
    -------
    int, s
    """
    if memory.kind == FIXED:
        return memory.fixed[job]
    if memory.kind == LAST:
        return last(memory, job)
    if memory.kind == TSAFRIR:
        return _tsafrir(memory, job)
    if memory.kind == COMPLETE:
        return complete.predict(memory, job)
    if memory.kind == TOP:
        return top_percent.predict(memory, job)
    return cvh.predict(memory, job, now)


@uncounted
def begun(memory, job, now):
    """Take note that a job starts now."""
    if memory.kind == CVH:
        cvh.begun(memory, job, now)


@uncounted
def learn(memory, job, start, now):
    """Learn from a job that ends now; `start` is when its last run began.

    The run time learnt is the job's own, also where preemption broke it into pieces.
    """
    if memory.kind == LAST or memory.kind == TSAFRIR:
        state = memory.whole[memory.group[job]]
        state[ENDED] += 1
        state[BEFORE] = state[NEWEST]
        state[NEWEST] = memory.run_time[job]
        state[ASKED] = memory.request[job]
    elif memory.kind == COMPLETE:
        complete.learn(memory, job)
    elif memory.kind == TOP:
        top_percent.learn(memory, job)
    elif memory.kind == CVH:
        cvh.learn(memory, job, now)


@uncounted
def last(memory, job):
    """The request times run time over request of the same user's last ended job; at most the request."""
    state = memory.whole[memory.group[job]]
    request = memory.request[job]
    if state[ENDED] == 0 or state[ASKED] == 0:
        return request
    return min(np.int64(np.rint(state[NEWEST] / state[ASKED] * request)), request)


@uncounted
def _tsafrir(memory, job):
    """Mean of the user's last two ended run times in whole seconds, at most the request."""
    state = memory.whole[memory.group[job]]
    request = memory.request[job]
    return request if state[ENDED] < 2 else min((state[NEWEST] + state[BEFORE]) // 2, request)
