"""Kernels and reference implementations on real logs, whole or in part."""

import pytest

import replication as rp
from replication.simulator.schedulers.queue_orders import ORDERS
from tests.agreement import PREDICTORS, agree

WHOLE, START, PART = slice(None), slice(0, 4000), slice(2000, 3000)
AS_CODED = {"ties": "submissions-first", "passes": "if-fits"}
SLOW = {"candidates": "shortest", "correction": "tsafrir", "events": "one-by-one"}
CHECKPOINTS = {"preemption": "checkpoint", "interval": 1800, "cost": 60, "correction": "tsafrir"}


def top_percent(scheduler, part=PART):
    """Return a case of the jobs of KTH-SP2 as in top-percent."""
    return "KTH-SP2", "top_percent", part, scheduler, None


CASES = [
    ("KTH-SP2", None, WHOLE, rp.EASY(), rp.Users()),
    *(("KTH-SP2", None, START, rp.EASY(), model) for model in (rp.Perfect(), rp.FModel(3))),
    *(
        (log, None, START, rp.EASY(), None)
        for log in ("CTC-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS")
    ),
    ("KTH-SP2", None, WHOLE, rp.PVEasy(), None),
    *(
        (log, "pv_easy", START, scheduler, None)
        for log in ("CTC-SP2", "SDSC-BLUE", "SDSC-DS")
        for scheduler in (rp.PVEasy(), rp.PVEasy(**CHECKPOINTS))
    ),
    *(top_percent(rp.PaperEASY(predictor, **AS_CODED)) for predictor in PREDICTORS),
    *(top_percent(rp.PaperEASY(predictor, **SLOW)) for predictor in PREDICTORS),
    *(
        top_percent(rp.OrderedEASY(order, limit, predictor))
        for order in ORDERS
        for limit, predictor in ((None, rp.Estimate()), (4 * 3600, rp.Tsafrir()))
    ),
    *(
        top_percent(kind(predictor, ties="submissions-first"), slice(2000, 2400))
        for kind in (rp.Conservative, rp.LargestAreaFirst)
        for predictor in (rp.Estimate(), rp.Clairvoyant(), rp.Tsafrir(), rp.CVH())
    ),
]


@pytest.mark.parametrize(
    ("log", "paper", "part", "scheduler", "estimates"),
    CASES,
    ids=[f"{log} {scheduler} {model}" for log, _, _, scheduler, model in CASES],
)
def test_kernel_and_reference_agree(real_log, log, paper, part, scheduler, estimates):
    schedule = agree(real_log(log, paper=paper).take(part), scheduler, estimates)
    # Many runs are killed.
    assert (scheduler, part) != (rp.PVEasy(), WHOLE) or schedule.times_killed.sum() > 1000


@pytest.mark.parametrize(
    "predictor", [rp.Last(), rp.Tsafrir(), rp.Complete(), rp.TopPercent(3)], ids=repr
)
def test_classes_of_equal_predictions_change_no_start(real_log, predictor, monkeypatch):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(0, 2000))
    by_class = rp.simulate(workload, rp.PVEasy(predictor)).start
    assert predictor.classes(workload, workload.estimate) is not None
    monkeypatch.setattr(type(predictor), "classes", rp.Predictor.classes)
    assert rp.simulate(workload, rp.PVEasy(predictor)).start.tolist() == by_class.tolist()
