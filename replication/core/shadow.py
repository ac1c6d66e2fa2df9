"""The state of a preemptive machine: the queue, and the running jobs as sunny and shadow load.

A job is its index, and indices are in order of priority: by submission, then job number. The running jobs are
kept by true end. Those of higher priority than every waiting job are the sunny load; they are kept by planned
end too, for the reservation. The others are the shadow load, kept by priority, for preemption. A key is a
time with the job in its low bits, as in ``core.running``, so there is room for ``SLOT_MASK`` jobs.

Everything lives in one `State`, made before the loop.
"""

from collections import namedtuple

import numpy as np
from numba import njit

from replication.core.planned import corrected
from replication.core.predicting import learn, predict
from replication.core.running import NEVER, SLOT_BITS, SLOT_MASK, insert, remove
from replication.core.uncounted import uncounted

KILL, SUSPEND, CHECKPOINT = range(3)  # what a preempted job keeps of its work

# Places in State.count.
(
    FREE,
    RUNNING,
    PLANNED,
    SHADOW,
    SHADOW_SIZE,
    HEAD,
    TAIL,
    SMALLEST,
    KILLS,
    RESERVED,
    RESERVATION,
    ARRIVED,
    COUNTS,
) = range(13)

# Columns of State.jobs, a row a job. The first three are given.
(
    SUBMIT,
    RUN_TIME,
    ESTIMATE,
    START,
    END,
    LENGTH,
    PLANNED_END,
    PREDICTION,
    BACKFILLED,
    TIMES_KILLED,
    DONE,
    COLUMNS,
) = range(12)

# at_submission : predictions of waiting jobs are made once, not at every pass
# one_by_one : each event of an instant has its own pass
# correction : REQUEST, GRADUAL, DOUBLING or NOW of replication.core.planned
# kept : the reservation is kept until the head starts, not worked out at every pass
# venture : jobs not predicted to end by the reservation are backfilled too
# mode : KILL, SUSPEND or CHECKPOINT
# interval : s of work between checkpoints
# cost : s, of each resumption (SUSPEND) or of each checkpoint (CHECKPOINT)
Rules = namedtuple("Rules", "at_submission one_by_one correction kept venture mode interval cost")
State = namedtuple("State", "count jobs size by_end by_plan shadow waiting fitting left killed")


@njit(nogil=True, cache=True)
def empty_machine(submit, run_time, estimate, size, machine):
    """The state before the first job: nobody waits, nobody runs.

    Parameters
    ----------
    submit, run_time, estimate, size : int64[n]
        Ordered by submission; seconds and processors. ``1 <= size <= machine``.
    machine : int, processors

    Returns
    -------
    State
    """
    n = len(submit)
    most = min(n, machine)
    count = np.zeros(COUNTS, np.int64)
    count[FREE], count[SMALLEST], count[RESERVED] = machine, NEVER, -1
    jobs = np.zeros((n, COLUMNS), np.int64)
    jobs[:, SUBMIT], jobs[:, RUN_TIME], jobs[:, ESTIMATE], jobs[:, START] = (
        submit,
        run_time,
        estimate,
        -1,
    )
    by_end, by_plan = np.empty(most + 1, np.int64), np.empty(most + 1, np.int64)
    by_end[0] = by_plan[0] = NEVER
    return State(
        count,
        jobs,
        size.copy(),
        by_end,
        by_plan,
        np.empty(most, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty(n, np.int64),
        np.empty((2 * most, 3), np.int64),
    )


@njit(nogil=True, cache=True)
def with_more_room(state):
    """The same state with twice the room for preempted runs."""
    killed = np.empty((2 * len(state.killed), 3), np.int64)
    killed[: state.count[KILLS]] = state.killed[: state.count[KILLS]]
    return State(
        state.count,
        state.jobs,
        state.size,
        state.by_end,
        state.by_plan,
        state.shadow,
        state.waiting,
        state.fitting,
        state.left,
        killed,
    )


@uncounted
def wall_time(job, rules, state):
    """How long the next run of a job takes if nobody stops it, with what saving and restoring cost."""
    left = state.jobs[job, RUN_TIME] - state.jobs[job, DONE]
    if rules.mode == SUSPEND and state.jobs[job, TIMES_KILLED] > 0:
        return left + rules.cost
    if rules.mode == CHECKPOINT and left > 0:
        return left + (left - 1) // rules.interval * rules.cost
    return left


@uncounted
def safe_work(job, elapsed, rules, state):
    """Seconds of a job's work that are safe when it is stopped `elapsed` seconds into a run."""
    done = state.jobs[job, DONE]
    if rules.mode == SUSPEND:
        return done + max(elapsed - (rules.cost if state.jobs[job, TIMES_KILLED] > 0 else 0), 0)
    if rules.mode == CHECKPOINT:
        return done + elapsed // (rules.interval + rules.cost) * rules.interval
    return 0


@uncounted
def time_left(job, now, rules, memory, state):
    """Predicted seconds that a waiting job still needs; its prediction is noted."""
    if not rules.at_submission:
        state.jobs[job, PREDICTION] = predict(memory, job, now)
    done, prediction = state.jobs[job, DONE], state.jobs[job, PREDICTION]
    if done == 0:
        return prediction
    return max(corrected(prediction, state.jobs[job, ESTIMATE], done, rules.correction) - done, 0)


@uncounted
def submit(job, now, rules, memory, state):
    """Put a job at the end of the queue."""
    if rules.at_submission:
        state.jobs[job, PREDICTION] = predict(memory, job, now)
    count = state.count
    waits = count[HEAD] < count[TAIL]
    count[SMALLEST] = min(count[SMALLEST], state.size[job]) if waits else NEVER
    state.waiting[count[TAIL]] = job
    count[TAIL] += 1
    count[ARRIVED] += 1


@uncounted
def begin(job, now, rules, memory, state):
    """Start a job. No predictor that knows of preemption wants to be told."""
    count, jobs = state.count, state.jobs
    jobs[job, PLANNED_END] = now + time_left(job, now, rules, memory, state)
    jobs[job, START] = now
    jobs[job, LENGTH] = wall_time(job, rules, state)
    jobs[job, END] = now + jobs[job, LENGTH]
    insert(state.by_end, count[RUNNING], jobs[job, END] << SLOT_BITS | job)
    count[RUNNING] += 1
    count[FREE] -= state.size[job]


@uncounted
def to_sunny(job, state):
    """Enter a running job among those that the reservation counts on."""
    insert(state.by_plan, state.count[PLANNED], state.jobs[job, PLANNED_END] << SLOT_BITS | job)
    state.count[PLANNED] += 1


@uncounted
def to_shadow(job, state):
    """Enter a running job in the shadow load."""
    insert_job(state.shadow, 0, state.count[SHADOW], job)
    state.count[SHADOW] += 1
    state.count[SHADOW_SIZE] += state.size[job]


@uncounted
def insert_job(order, first, beyond, job):
    """Put a job into its place in ``order[first:beyond]``, from high priority to low."""
    k = beyond
    while k > first and order[k - 1] > job:
        order[k] = order[k - 1]
        k -= 1
    order[k] = job


@uncounted
def promote(state):
    """The shadow load that outranks every waiting job turns sunny."""
    count, shadow = state.count, state.shadow
    first_waiting = state.waiting[count[HEAD]] if count[HEAD] < count[TAIL] else NEVER
    risen = 0
    while risen < count[SHADOW] and shadow[risen] < first_waiting:
        count[SHADOW_SIZE] -= state.size[shadow[risen]]
        to_sunny(shadow[risen], state)
        risen += 1
    if risen > 0:
        for k in range(risen, count[SHADOW]):
            shadow[k - risen] = shadow[k]
        count[SHADOW] -= risen


@uncounted
def finish(memory, state):
    """Take off the job that ends next, and learn from it."""
    count = state.count
    job = state.by_end[count[RUNNING]] & SLOT_MASK
    count[RUNNING] -= 1
    count[FREE] += state.size[job]
    if count[HEAD] == count[TAIL] or job < state.waiting[count[HEAD]]:
        remove(state.by_plan, count[PLANNED], state.jobs[job, PLANNED_END] << SLOT_BITS | job)
        count[PLANNED] -= 1
    else:
        leave_shadow(job, state)
    learn(memory, job, state.jobs[job, START], state.jobs[job, END])


@uncounted
def leave_shadow(job, state):
    """Take a job out of the shadow load, shifting the others while looking for it."""
    state.count[SHADOW] -= 1
    state.count[SHADOW_SIZE] -= state.size[job]
    k = state.count[SHADOW]
    held = state.shadow[k]
    while held != job:
        k -= 1
        held, state.shadow[k] = state.shadow[k], held


@uncounted
def preempt(now, rules, state):
    """Stop the running job of lowest priority and put it back in the queue behind the head."""
    count, jobs = state.count, state.jobs
    job = state.shadow[count[SHADOW] - 1]
    leave_shadow(job, state)
    remove(state.by_end, count[RUNNING], jobs[job, END] << SLOT_BITS | job)
    count[RUNNING] -= 1
    count[FREE] += state.size[job]
    insert_job(state.waiting, count[HEAD] + 1, count[TAIL], job)
    count[TAIL] += 1
    count[SMALLEST] = min(count[SMALLEST], state.size[job])
    run = state.killed[count[KILLS]]
    run[0], run[1], run[2] = job, jobs[job, START], now
    count[KILLS] += 1
    jobs[job, DONE] = safe_work(job, now - jobs[job, START], rules, state)
    jobs[job, TIMES_KILLED] += 1
