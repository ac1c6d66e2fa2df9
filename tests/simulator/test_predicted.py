"""EASY with predictions: every predictor and every option on real logs."""

import pytest

from notebooks.paper_easy import PaperEASY
from replication.simulator.predictors import Tsafrir, Virtual
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from tests.agreement import PREDICTORS, agree
from tests.workloads import jobs

#: The options of EASY that have words as values, and those that papers leave open.
CHOICES = {
    name: option.metadata["allowed"]
    for name, option in PaperEASY.options().items()
    if isinstance(option.metadata["allowed"], tuple) and name != "wild"
}


AS_CODED = {"ties": "submissions-first", "passes": "if-fits"}
SLOW = {"candidates": "shortest", "correction": "tsafrir", "events": "one-by-one"}


@pytest.mark.parametrize("predictor", PREDICTORS, ids=repr)
@pytest.mark.parametrize(
    "log",
    ["KTH-SP2", *(pytest.param(log, marks=pytest.mark.slow) for log in ("CTC-SP2", "SDSC-SP2"))],
)
def test_kernel_and_reference_agree_on_a_real_log(real_log, log, predictor):
    workload = real_log(log, paper="top_percent").take(slice(2000, 3000))
    agree(workload, PaperEASY(predictor, **AS_CODED))
    agree(workload, PaperEASY(predictor, **SLOW, shadow="first"))
    agree(workload, EASY(predictor, **SLOW))


def test_every_option_changes_a_schedule(real_log):
    workload = real_log("KTH-SP2", paper="top_percent").take(slice(0, 8000))
    # With predictions refreshed at every pass, the order of events before the pass has no effect.
    common = {"predictor": Tsafrir(), "refresh": "submission"}
    base = simulate(workload, PaperEASY(**common)).start
    assert base.tolist() == simulate(workload, EASY(**common)).start.tolist()
    lasting = {}
    for form in ("until-due", "until-start"):
        around = common | {"lifetime": form, "correction": "now"}
        lasting[form] = around, simulate(workload, PaperEASY(**around)).start
    for name, allowed in CHOICES.items():
        for value in allowed:
            around, before = common, base
            if name in ("recount", "overdue"):
                around, before = lasting["until-due" if value == "nobody" else "until-start"]
            if value not in (allowed[0], common.get(name)):
                found = simulate(workload, PaperEASY(**around | {name: value})).start
                assert (found != before).any(), (name, value)
                if name in EASY.options() and value in EASY.options()[name].metadata["allowed"]:
                    own = simulate(workload, EASY(**around | {name: value})).start
                    assert own.tolist() == found.tolist()
    assert (simulate(workload, EASY(predictor=Tsafrir())).start != base).any()


def test_random_predictions_follow_the_seed():
    workload = jobs(4, *[(k, 20 + k % 7, 1 + k % 3, 60) for k in range(60)])
    one, again, other = (
        simulate(workload, EASY(predictor=Virtual(0.5)), seed=s).prediction.tolist()
        for s in (1, 1, 2)
    )
    assert one == again != other
