"""Observations of EASY compared with those of the reference implementation,
and the sentences of their semantics.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from replication.simulator.estimates import Deterministic, FModel, Perfect, Users
from replication.simulator.kernels.paper_easy import BY_RESERVATION, NEVER_WILD, WHENEVER_IT_FITS
from replication.simulator.observation import observe
from replication.simulator.predictors import Estimate, Tsafrir
from replication.simulator.schedulers import EASY, FCFS, PaperEASY, SchedulerError
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload
from tests.reference import observation as reference_observed
from tests.workloads import jobs, peopled, workloads

# Heel-and-toe's Fig. 8: every estimate is twice the run time.
FIG8 = jobs(2, (0, 6, 1), (0, 4, 1), (0, 3, 2), (0, 4, 1), (0, 3, 1), (0, 2, 1))

#: The options of EASY that have words as values, and those that papers leave open.
CHOICES = {
    name: option.metadata["allowed"]
    for name, option in PaperEASY.options().items()
    if isinstance(option.metadata["allowed"], tuple) and name != "wild"
}


def agree(workload, estimate=None, scheduler=EASY()):
    """Fail unless schedule and observations equal those of the reference
    implementation; return them.
    """
    seen = observe(workload, estimate, scheduler=scheduler)
    schedule = seen.schedule
    options = {name: getattr(scheduler, name) for name in scheduler.options()}
    if isinstance(scheduler, PaperEASY):
        options["permissions"] = scheduler.permissions(workload, 1)
    start, shortest, steps = reference_observed.easy(
        schedule.workload, schedule.estimate, **options
    )
    wild, events, delay = reference_observed.delays(start, steps)
    assert schedule.start.tolist() == start
    assert seen.shortest.tolist() == shortest
    assert np.flatnonzero(schedule.backfilled).tolist() == sorted(step.job for step in steps)
    assert set(np.flatnonzero(seen.wild).tolist()) == wild
    assert {k: int(seen.events[k]) for k in np.flatnonzero(seen.events)} == events
    assert {k: int(seen.delay[k]) for k in np.flatnonzero(seen.events)} == delay
    assert not seen.delay[seen.events == 0].any()
    return seen


@settings(max_examples=400, deadline=None)
@given(
    workload=st.booleans().flatmap(lambda overrun: peopled(overrun=overrun)),
    predictor=st.sampled_from([Estimate(), Tsafrir()]),
    options=st.fixed_dictionaries(
        {name: st.sampled_from(allowed) for name, allowed in CHOICES.items()}
    ),
)
def test_observations_agree_with_predictions(workload, predictor, options):
    options["predictor"] = predictor
    if options["plans"] == "unaged" and options["events"] == "by-plan":
        options["events"] = "together"
    agree(workload, scheduler=PaperEASY(**options))


@pytest.mark.parametrize(
    ("model", "scheduler"),
    [
        *((model, EASY()) for model in (Users(), FModel(0.5), FModel(10), Deterministic(4))),
        *(
            (Users(), PaperEASY(predictor, **options))
            for predictor in (Estimate(), Tsafrir())
            for options in (
                {"candidates": "shortest"},
                {"events": "by-plan", "correction": "tsafrir"},
            )
        ),
        *((Users(), PaperEASY(wild=wild)) for wild in ("shorter", "longer", "half")),
        *((model, PaperEASY(wild="forbidden")) for model in (Users(), FModel(10))),
        *((Perfect(), PaperEASY(let_past=share)) for share in (0.1, 0.5)),
    ],
    ids=str,
)
def test_observations_agree_on_a_log(real_log, model, scheduler):
    log = real_log("KTH-SP2-2", paper="heel_and_toe").take(slice(0, 800))
    seen = agree(log, model, scheduler)
    assert seen.wild.any() == ("forbidden" not in repr(scheduler))
    assert seen.schedule.backfilled.any() and not seen.shortest.all()


@pytest.mark.parametrize("model", [FModel(3), FModel(1000)], ids=repr)
@pytest.mark.parametrize(("machine", "widest"), [(16, 12), (64, 64), (5, 2)])
def test_observations_agree_on_a_long_queue(machine, widest, model):
    """Hundreds wait at once and leave the middle of the queue."""
    rng = np.random.default_rng(7)
    n = 900
    run_time = rng.integers(1, 60, n)
    submit, size = np.sort(rng.integers(0, 200, n)), rng.integers(1, widest, n, endpoint=True)
    agree(Workload.from_columns("long", machine, submit, run_time, size, run_time), model)


@settings(max_examples=100, deadline=None)
@given(workloads())
def test_O1_perfect_estimates_allow_no_wild_backfill(workload):
    assert not observe(workload, Perfect()).wild.any()


def test_O2_a_backfill_is_wild_if_it_moves_the_real_shadow_time():
    seen = observe(FIG8, Deterministic(1))
    assert np.flatnonzero(seen.wild).tolist() == [3, 4, 5]
    assert seen.events[2] == 3


def test_O3_a_head_that_never_suffered_a_wild_backfill_is_not_delayed():
    seen = observe(FIG8, Perfect())
    assert seen.schedule.backfilled.any()
    assert not seen.events.any()


def test_O4_the_delay_runs_from_the_first_real_shadow_time_to_the_start():
    seen = observe(FIG8, Deterministic(1))
    _, _, steps = reference_observed.easy(FIG8, 2 * FIG8.run_time)
    assert steps[0].before == 6
    assert seen.delay[2] == seen.schedule.start[2] - 6


def test_O5_a_backfill_that_leaves_the_head_its_processors_is_mild():
    """Job 3 outlives the head's real shadow time, but on the processor
    that the head does not need.
    """
    seen = observe(jobs(3, (0, 4, 2), (0, 3, 2), (0, 9, 1)), Perfect())
    assert seen.schedule.start.tolist() == [0, 4, 0]
    assert seen.schedule.backfilled[2]
    assert not seen.wild[2]


def test_O6_the_queue_of_an_instant_holds_all_jobs_submitted_by_then():
    """The first job is started first although a shorter one comes at the same second."""
    seen = observe(jobs(4, (0, 5, 1), (0, 2, 1), (0, 3, 1)))
    assert seen.shortest.tolist() == [False, True, True]


def test_O7_equally_short_is_shortest():
    assert observe(jobs(4, (0, 5, 1), (0, 5, 1))).shortest.tolist() == [True, True]


def test_O8_a_job_that_never_waits_alone_in_the_queue_counts_as_shortest():
    assert observe(jobs(4, (0, 5, 1), (9, 50, 1))).shortest.all()


@settings(max_examples=100, deadline=None)
@given(workloads())
def test_O9_watching_changes_nothing(workload):
    plain, seen = simulate(workload), observe(workload)
    assert np.array_equal(plain.start, seen.schedule.start)
    assert np.array_equal(plain.backfilled, seen.schedule.backfilled)


def test_sizes_and_estimates_beyond_31_bits_are_compared_exactly():
    huge = 2**39
    rows = [(0, 10, huge - 2**32), (1, 10, huge), (2, 3 * 2**33, 2**31 + 5), (3, 2, 2**31 + 4)]
    agree(jobs(huge, *rows))


def test_O10_a_backfill_that_would_be_wild_is_refused_where_that_is_forbidden():
    # Job 1 needs both processors and truly could start at 4; told of 8, job 2 would run until 6.
    log = jobs(2, (0, 4, 1), (0, 3, 2), (0, 6, 1), (0, 4, 1))
    estimate = np.array([8, 3, 6, 4])
    assert simulate(log, estimates=estimate).start.tolist() == [0, 6, 0, 9]
    assert simulate(log, PaperEASY(wild="forbidden"), estimate).start.tolist() == [0, 4, 7, 0]


def test_O11_a_job_that_is_let_past_needs_only_to_fit():
    log = jobs(2, (0, 4, 1), (0, 3, 2), (0, 6, 1), (0, 1, 2))
    assert simulate(log).start.tolist() == [0, 4, 7, 13]
    assert simulate(log, PaperEASY(let_past=1)).start.tolist() == [0, 6, 0, 9]


def test_O12_after_a_job_that_was_let_past_the_head_has_a_new_reservation():
    # Job 3 ends by 6, when the head can start now that job 2 was let past, and not by 4 as before.
    log = jobs(3, (0, 4, 1), (0, 3, 3), (0, 6, 1), (0, 5, 1))
    permissions = [BY_RESERVATION, BY_RESERVATION, WHENEVER_IT_FITS, BY_RESERVATION]
    half = PaperEASY(let_past=0.5)
    seed = next(k for k in range(999) if half.permissions(log, k).tolist() == permissions)
    assert simulate(log, half, seed=seed).start.tolist() == [0, 6, 0, 0]


def test_O14_a_wild_backfill_is_refused_on_the_other_side_of_the_median():
    # Job 2 would be backfilled wildly. It runs for 6 s, and the median of the waiting jobs is 4 s.
    log = jobs(2, (0, 4, 1), (0, 3, 2), (0, 6, 1), (0, 4, 1))
    estimate = np.array([8, 3, 6, 4])
    for wild, start in (("longer", [0, 6, 0, 9]), ("shorter", [0, 4, 7, 0])):
        assert simulate(log, PaperEASY(wild=wild), estimate).start.tolist() == start
    # Of two equal medians neither is shorter or longer.
    log = jobs(2, (0, 4, 1), (0, 6, 2), (0, 6, 1))
    estimate = np.array([8, 6, 6])
    assert simulate(log, estimates=estimate).start.tolist() == [0, 6, 0]
    for wild in ("longer", "shorter"):
        assert simulate(log, PaperEASY(wild=wild), estimate).start.tolist() == [0, 4, 10]


def test_O15_half_of_the_jobs_are_never_backfilled_wildly():
    log = jobs(4, *[(k, 5 + k % 7, 1 + k % 4) for k in range(200)])
    permissions = PaperEASY(wild="half").permissions(log, 1)
    assert set(permissions) == {BY_RESERVATION, NEVER_WILD}
    assert 70 < (permissions == NEVER_WILD).sum() < 130
    assert not agree(log, scheduler=PaperEASY(wild="half")).wild[permissions == NEVER_WILD].any()


def test_O13_where_each_event_has_its_own_pass_the_queue_holds_who_has_had_his():
    # Both come at 1, and the first starts before the second, the shorter one, is there.
    log = jobs(4, (1, 5, 1), (1, 2, 1))
    assert observe(log).shortest.tolist() == [False, True]
    one_by_one = observe(log, scheduler=PaperEASY(events="one-by-one"))
    assert one_by_one.shortest.tolist() == [True, True]


def test_only_an_easy_can_be_watched_and_has_one_intervention():
    with pytest.raises(SchedulerError, match="either wild or let_past, not both"):
        PaperEASY(wild="forbidden", let_past=0.5)
    with pytest.raises(SchedulerError, match=r"FCFS\(\) cannot be observed.*any EASY"):
        observe(FIG8, scheduler=FCFS())
    with pytest.raises(SchedulerError, match="cannot be observed; allowed: one reservation"):
        observe(FIG8, scheduler=EASY(reservations=2))


def test_interventions_draw_by_the_seed():
    log = jobs(4, *[(k, 5 + k % 7, 1 + k % 4) for k in range(60)])
    starts = [simulate(log, PaperEASY(let_past=0.4), seed=seed).start.tolist() for seed in (1, 2)]
    assert starts[0] != starts[1]
    assert PaperEASY(let_past=0.4).draws_at_random
    assert not PaperEASY(wild="forbidden").draws_at_random
