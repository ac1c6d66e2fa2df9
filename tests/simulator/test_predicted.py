"""EASY with predictions: every predictor and every option on real logs."""

import pytest

from replication.simulator.predictors import Tsafrir, Virtual
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from tests.agreement import PREDICTORS, agree
from tests.workloads import jobs

OTHERS = ("predictor", "reservations")
OPTIONS = {name: option for name, option in EASY.options().items() if name not in OTHERS}
CHOICES = {name: option.metadata["allowed"] for name, option in OPTIONS.items()}
DEFAULTS = {name: option.default for name, option in OPTIONS.items()}


AS_CODED = {"ties": "submissions-first", "passes": "if-fits"}
SLOW = {"candidates": "sjf", "correction": "tsafrir", "events": "one-by-one", "shadow": "first"}


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
@pytest.mark.parametrize(
    "log",
    ["KTH-SP2", *(pytest.param(log, marks=pytest.mark.slow) for log in ("CTC-SP2", "SDSC-SP2"))],
)
def test_kernel_and_reference_agree_on_a_real_log(real_log, log, predictor):
    workload = real_log(log, paper="top_percent").take(slice(2000, 3000))
    agree(workload, EASY(predictor, **AS_CODED))
    agree(workload, EASY(predictor, **SLOW))


def test_every_option_changes_a_schedule(real_log):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(0, 8000))
    # With predictions refreshed at every pass, the order of events before the pass has no effect.
    common = {"predictor": Tsafrir(), "refresh": "submission"}
    base = simulate(workload, EASY(**common)).start
    lasting = {}
    for form in ("until-due", "until-start"):
        around = common | {"reservation": form, "correction": "now"}
        lasting[form] = around, simulate(workload, EASY(**around)).start
    for name, allowed in CHOICES.items():
        for value in allowed if isinstance(allowed, tuple) else (1,):
            around, before = common, base
            if name in ("recount", "overdue"):
                around, before = lasting["until-due" if value == "nobody" else "until-start"]
            if value not in (DEFAULTS[name], common.get(name)):
                found = simulate(workload, EASY(**around | {name: value})).start
                assert (found != before).any(), (name, value)
    assert (simulate(workload, EASY(predictor=Tsafrir())).start != base).any()


def test_random_predictions_follow_the_seed():
    workload = jobs(4, *[(k, 20 + k % 7, 1 + k % 3, 60) for k in range(60)])
    one, again, other = (
        simulate(workload, EASY(predictor=Virtual(0.5)), seed=s).prediction.tolist()
        for s in (1, 1, 2)
    )
    assert one == again != other
