"""Audits equal their definitions on small workloads; PV-EASY is fair on all logs, and its
interpretation that spares jobs is as worked out by hand.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from notebooks import audits
from notebooks.pv_easy import sparing
from replication.simulator.predictors import Biased, Clairvoyant, Last, Virtual
from replication.simulator.schedulers import EASY, FCFS, PaperEASY, PVEasy
from replication.simulator.simulation import simulate
from tests.simulator.test_differential import random_scheduler
from tests.workloads import jobs, peopled


def with_random_options(kind):
    draw = st.integers(0, 2**32 - 1)
    return draw.map(lambda seed: random_scheduler(np.random.default_rng(seed), kind))


PV_EASY, PAPER_EASY = with_random_options(PVEasy), with_random_options(PaperEASY)
SCHEDULERS = st.one_of(
    st.sampled_from([FCFS(), EASY(), EASY(predictor=Last()), EASY(candidates="shortest")]), PV_EASY
)
EXAMPLES = settings(max_examples=150, deadline=None)
# Of the same user as job 0, job 3 is predicted to run 10 s, and runs 100 s.
UNDER_PREDICTED = jobs(4, (0, 1, 1, 100), (1, 20, 2, 40), (2, 5, 4, 5), (2, 100, 2, 1000))
UNDER_PREDICTED = UNDER_PREDICTED.replace(user=np.array([2, 1, 3, 2]))


def running(schedule, now, job):
    """Processors in use at an instant by jobs before `job`; preempted runs count."""
    runs = [*zip(range(len(schedule.start)), schedule.start, schedule.end, strict=True)]
    alive = [k for k, start, end in runs + schedule.killed_runs.tolist() if start <= now < end]
    return sum(schedule.workload.processors[k] for k in alive if k < job)


def waiting(schedule, now):
    """Jobs that wait just after an instant's pass."""
    w = schedule.workload
    busy = {k for k, start, end in schedule.killed_runs.tolist() if start <= now < end}
    return [k for k in range(len(w)) if w.submit[k] <= now < schedule.start[k] and k not in busy]


def instants(schedule):
    runs = schedule.start, schedule.end, schedule.killed_runs[:, 1:].ravel()
    return np.unique(np.concatenate([schedule.workload.submit, *runs])).tolist()


@EXAMPLES
@given(peopled(most=25), SCHEDULERS)
def test_blocked_and_violated_heads_are_those_of_the_definition(workload, scheduler):
    schedule = simulate(workload, scheduler)
    heads, late = set(), {}
    for now in instants(schedule):
        queue = waiting(schedule, now)
        if queue:
            heads.add(queue[0])
            before = running(schedule, now, queue[0])
            if workload.processors[queue[0]] + before <= workload.machine:
                late.setdefault(queue[0], now)
    assert set(np.flatnonzero(audits.blocked(schedule))) == heads
    assert set(np.flatnonzero(audits.head_violations(schedule))) == set(late)
    earliest = audits.earliest_at_head(schedule)
    assert {job: earliest[job] for job in late} == late


def is_fair(schedule):
    """Return whether no head waited although it had its processors, nor for a later job."""
    late = audits.head_violations(schedule).any()
    if schedule.scheduler.preemption == "kill" and schedule.scheduler.venture != "easy":
        late |= audits.reservation_delays(schedule, "any-later").any()
    return not late


@EXAMPLES
@given(peopled(), PV_EASY)
def test_pv_easy_is_strictly_fair_at_the_head_under_every_option(workload, scheduler):
    assert is_fair(simulate(workload, scheduler))


@pytest.mark.parametrize("name", ["CTC-SP2", "SDSC-BLUE", "SDSC-DS"])
def test_pv_easy_is_strictly_fair_at_the_head_on_the_logs(real_log, name):
    schedule = simulate(real_log(name, paper="pv_easy"), PVEasy()).validate()
    assert audits.blocked(schedule).sum() > 1000 and is_fair(schedule)


def test_easy_is_not_fair_at_the_head(real_log):
    assert audits.head_violations(simulate(real_log("KTH-SP2"))).sum() > 100


def is_repeatable(scheduler):
    predictor = getattr(scheduler, "predictor", scheduler)
    return not (scheduler.draws_at_random or predictor.draws_at_random)


@EXAMPLES
@given(peopled(most=25), st.one_of(SCHEDULERS, PAPER_EASY).filter(is_repeatable), st.data())
def test_alone_is_a_simulation_without_the_later_jobs(workload, scheduler, data):
    schedule = simulate(workload, scheduler)
    indices = st.lists(st.integers(0, len(workload) - 1), min_size=1, max_size=3, unique=True)
    indices = sorted(data.draw(indices))
    starts = audits.alone(schedule, indices)
    for job in indices:
        assert starts[job] == simulate(workload.take(slice(0, job + 1)), scheduler).start[job]


@EXAMPLES
@given(peopled(most=25))
def test_fcfs_delays_no_job_and_easy_keeps_its_reservations(workload):
    schedule = simulate(workload, FCFS())
    assert audits.alone(schedule).tolist() == schedule.start.tolist()
    easy = simulate(workload, EASY())
    reserved = audits.reservations(easy)
    assert ((reserved >= 0) == audits.blocked(easy)).all()
    assert (easy.start[reserved >= 0] <= reserved[reserved >= 0]).all()
    assert not audits.reservation_delays(easy, "any-later").any()


def test_violations_and_benign_delays_differ():
    # Job 1 holds 3 of 4 until 5. Job 3 is said to end at 5, ends at 7, and keeps job 2 waiting: a
    # violation.
    violated = simulate(
        jobs(4, (0, 5, 3, 5), (1, 2, 4, 2), (2, 5, 1, 9)), EASY(), estimates=np.array([5, 2, 3])
    )
    assert violated.start.tolist() == [0, 7, 2]
    assert audits.reservations(violated).tolist() == [-1, 5, -1]
    assert audits.reservation_delays(violated).tolist() == [0, 2, 0]
    # Here job 1 itself runs longer than said: job 2 is late for its reservation by its
    # predecessor's fault.
    benign = simulate(jobs(4, (0, 5, 3), (1, 2, 4)), EASY(), estimates=np.array([3, 2]))
    assert audits.reservations(benign).tolist() == [-1, 3]
    assert audits.reservation_delays(benign).tolist() == [0, 0]
    assert benign.start.tolist() == [0, 5]


def test_the_blame_is_on_jobs_that_outlive_their_predictions():
    # Job 2 is predicted to end at 6, as job 1 of the same user was accurate to 3/20; it ends at 9.
    # At 7 it is past that and planned to end at its estimate, so job 4 may last until 12, and keeps
    # job 3 waiting.
    workload = jobs(4, (0, 3, 3, 20), (3, 6, 3, 20), (4, 2, 4, 2), (7, 5, 1, 5))
    workload = workload.replace(user=np.array([1, 1, 2, 3]))
    schedule = simulate(workload, EASY(predictor=Last()))
    assert schedule.start.tolist() == [0, 3, 12, 7]
    assert audits.reservations(schedule).tolist() == [-1, -1, 6, -1]
    assert audits.reservation_delays(schedule).tolist() == [0, 0, 0, 0]
    assert audits.reservation_delays(schedule, "any-later").tolist() == [0, 0, 6, 0]
    # When job 2 has ended, at 9, the head is promised the end of job 4, and gets it.
    assert audits.reservations(schedule, which="latest").tolist() == [-1, -1, 12, -1]
    assert audits.reservation_delays(schedule, "any-later", "latest").tolist() == [0, 0, 0, 0]


def test_the_reservation_by_the_users_estimates():
    # Job 3 is predicted to end at 12, in time for the head's reservation at 41; it ends at 102.
    # Although it starts when the head is blocked, it does not count.
    schedule = simulate(UNDER_PREDICTED, PaperEASY(predictor=Last(), lifetime="until-start"))
    assert schedule.start.tolist() == [0, 1, 102, 2]
    assert audits.reservations(schedule, by="estimates").tolist() == [-1, -1, 41, -1]
    late = audits.reservation_delays(schedule, "any-later", "first", "estimates")
    assert late.tolist() == [0, 0, 61, 0]


def test_a_reservation_is_postponed_by_a_job_that_was_backfilled():
    # When job 1 ends at 21, job 3 has outlived its prediction and is planned to end at 1002.
    moved, passing = audits.postponements(simulate(UNDER_PREDICTED, EASY(predictor=Last())))
    assert moved.tolist() == [[0] * 4, [0] * 4, [2, 1, 1, 961], [0] * 4]
    assert passing.tolist() == [0, 0, 0, 1]


@EXAMPLES
@given(peopled(most=25), st.sampled_from(["used-up", "not-used-up"]))
def test_no_job_is_backfilled_once_a_reservation_until_the_start_is_due(workload, extra):
    schedule = simulate(workload, PaperEASY(predictor=Last(), lifetime="until-start", extra=extra))
    since, start = audits.head_since(schedule), schedule.start
    reserved = audits.reservations(schedule, "first", "estimates")
    for head in np.flatnonzero(audits.blocked(schedule)):
        assert reserved[head] >= since[head]
        later = schedule.backfilled & (np.arange(len(start)) > head)
        # By the predictions the reservation is no later than by the estimates, which no job
        # outlives.
        assert not (later & (start > reserved[head]) & (start < start[head])).any()


def delays(schedule):
    """Return the delays with the blame on under-predicted jobs, by default,
    and at the time of the reservation.
    """
    blames = ("under-predicted",), (), ("at-reservation",)
    return [audits.reservation_delays(schedule, *blame).tolist() for blame in blames]


def test_the_blame_is_on_jobs_that_started_since_the_reservation_or_at_its_time():
    # Job 3 starts at 4, the instant at which job 2 comes to the head, is said to end at 7 and ends
    # at 30. Job 2 is reserved at 8, and would fit then.
    workload = jobs(4, (0, 4, 4), (1, 4, 2, 4), (1, 10, 3, 10), (2, 26, 2, 3))
    schedule = simulate(workload, EASY(), estimates=np.array([4, 4, 10, 3]))
    assert schedule.start.tolist() == [0, 4, 30, 4]
    assert audits.reservations(schedule).tolist() == [-1, 4, 8, -1]
    assert delays(schedule) == [[0, 0, 22, 0]] * 3
    # Job 1 ends at 9 instead of 8: job 2 would not fit at 8, but is delayed by job 3 alone from 9
    # on.
    later = workload.replace(run_time=np.array([4, 5, 10, 26]))
    schedule = simulate(later, EASY(), estimates=np.array([4, 4, 10, 3]))
    assert schedule.start.tolist() == [0, 4, 30, 4]
    assert delays(schedule)[1:] == [[0, 0, 22, 0], [0] * 4]
    # Here job 3 starts at 3, before job 2 comes to the head at 10; it is said to end at 7 and ends
    # at 33.
    workload = jobs(4, (0, 10, 2), (1, 5, 3), (2, 10, 4), (3, 30, 1, 4))
    schedule = simulate(workload, EASY(), estimates=np.array([10, 5, 10, 4]))
    assert schedule.start.tolist() == [0, 10, 33, 3]
    assert delays(schedule) == [[0, 0, 18, 0], [0] * 4, [0] * 4]


def test_delays_by_running_and_by_later_jobs_differ():
    # Jobs 1 and 2 run until 10 and 6. Job 4 is started past job 3, which could have started at 6
    # without it.
    schedule = simulate(jobs(4, (0, 10, 2, 20), (0, 6, 2, 6), (1, 5, 4), (7, 9, 2)))
    assert schedule.start.tolist() == [0, 0, 16, 7]
    assert audits.start_delays(schedule, "running").tolist() == [0, 0, 6, 0]
    # Job 4 was started past job 2, before job 3 came to the head: it ran already, and is of lower
    # priority.
    early = simulate(jobs(4, (0, 5, 3, 20), (1, 1, 2), (2, 5, 4), (3, 10, 1)))
    assert early.start.tolist() == [0, 5, 13, 3]
    assert audits.start_delays(early, "running").tolist() == [0, 0, 0, 0]
    assert audits.start_delays(early, "head").tolist() == [0, 0, 7, 0]


def test_each_start_of_a_delay():
    # Job 1 ends at 5 instead of 20. Without job 3 job 2 would start then; with it, at 12.
    schedule = simulate(jobs(4, (0, 5, 3, 20), (1, 2, 4), (2, 10, 1)))
    assert schedule.start.tolist() == [0, 12, 2]
    delayed = {since: audits.start_delays(schedule, since)[1] for since in audits.SINCE}
    assert delayed == {"alone": 7, "head": 7, "reservation": 0, "running": 7}
    assert audits.alone(schedule).tolist() == [0, 5, 2]
    assert audits.alone(schedule, [0]).tolist() == [0, 12, 2]


@pytest.mark.parametrize(
    ("audit", "scheduler", "message"),
    [
        (lambda s: audits.start_delays(s, "birth"), EASY(), "'birth'; allowed: alone, head"),
        (lambda s: audits.reservations(s, "latest", "estimates"), EASY(), "allowed: which='first'"),
        (audits.reservations, PVEasy(preemption="suspend"), "allowed: preemption='kill'"),
        (audits.alone, EASY(Biased(Virtual(0.9))), "random choices cannot be repeated"),
        (audits.alone, PaperEASY(let_past=0.5), "random choices cannot be repeated"),
    ],
)
def test_impossible_audits_are_errors(audit, scheduler, message):
    schedule = simulate(jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1)), scheduler)
    with pytest.raises(audits.AuditError, match=message):
        audit(schedule)


@pytest.mark.parametrize(
    "audit", [audits.reservations, audits.earliest_of_running, audits.postponements]
)
def test_audits_of_reservations_state_their_limit(audit):
    run = simulate(jobs(4, (0, 100, 3), (1, 50, 4), (2, 30, 1), (3, 20, 2)))
    audit(run)
    late = run.workload.replace(submit=run.workload.submit + 2**41)
    with pytest.raises(audits.AuditError, match=f"allowed in audits .*: {2**24 - 1} jobs"):
        audit(replace(run, workload=late, start=run.start + 2**41))


def test_victims_that_the_head_does_not_need_are_spared_lowest_priority_first():
    """At 10 the head, job 1, lacks 3 processors: job 3 is taken, then the wide job 2, which alone
    would have done.
    """
    w = jobs(6, (0, 10, 2), (1, 5, 5), (2, 50, 3), (3, 50, 1))
    schedule = simulate(w, sparing.SparingPVEasy(Clairvoyant()))
    assert schedule.killed_runs.tolist() == [[2, 2, 10]]
    assert schedule.start.tolist() == [0, 10, 15, 3]
    assert sparing.taken(schedule).tolist() == [False, False, True, True]
