"""Comparison of a kernel with its reference implementation, shared by the tests of schedulers."""

import replication as rp
from notebooks.pv_easy.sparing import SparingPVEasy
from tests.reference import conservative, lists, pv_easy
from tests.reference.easy import Easy

REFERENCES = {
    rp.FCFS: lists.Fcfs,
    rp.EASY: Easy,
    rp.PaperEASY: Easy,
    rp.Conservative: conservative.Conservative,
    rp.LargestAreaFirst: lists.LargestAreaFirst,
    rp.OrderedEASY: lists.OrderedEasy,
    rp.PVEasy: pv_easy.PVEasy,
    SparingPVEasy: pv_easy.SparingPVEasy,
}
PREDICTORS = (
    rp.Estimate(),
    rp.Clairvoyant(),
    rp.Virtual(0.8),
    rp.Virtual(0, -0.5),
    rp.Last(),
    rp.Tsafrir(),
    rp.Complete(),
    rp.TopPercent(2),
    rp.TopPercent(20),
    rp.TopPercent(3, coded=True),
    rp.TopPercent(20, decay=0.5, artificial=1, weights="equal"),
    rp.CVH(),
    rp.Biased(rp.Virtual(0.5), 0.5),
    rp.Biased(rp.Tsafrir(), 1.5),
    rp.Biased(rp.CVH(), 1.5),
)


def agree(workload, scheduler, estimates=None):
    """Fail unless kernel and reference implementation agree on every job; return the kernel's
    schedule.
    """
    fast = rp.simulate(workload, scheduler, estimates).validate()
    options = {name: getattr(scheduler, name) for name in scheduler.options()}
    reference = REFERENCES[type(scheduler)]
    if isinstance(scheduler, rp.EASY) and scheduler.has_profile:
        reference = lists.ReservedEasy
    if isinstance(scheduler, rp.PaperEASY):
        options["permissions"] = scheduler.permissions(workload, 1)
    slow = reference(fast.workload, fast.estimate, **options).run()
    assert fast.start.tolist() == slow.start
    assert fast.backfilled.tolist() == slow.backfilled
    if "predictor" in scheduler.options():
        assert fast.prediction.tolist() == slow.prediction
    if fast.first_prediction is not None:
        assert fast.first_prediction.tolist() == slow.first_prediction
    if isinstance(scheduler, rp.PVEasy):
        lengths = slow.columns().get("length", fast.workload.run_time)
        assert (fast.end - fast.start).tolist() == lengths.tolist()
        assert fast.times_killed.tolist() == slow.times_killed
        assert fast.killed_runs.tolist() == slow.killed_runs
    return fast
