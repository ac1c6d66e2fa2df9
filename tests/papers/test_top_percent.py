"""The Top Percent paper's tables and claims: how they are put together, and how near they come."""

import numpy as np
import pytest

from notebooks.top_percent import modes, runs, weeks
from replication.simulator.logs import registry
from replication.simulator.schedulers import EASY
from replication.simulator.schedules import measures
from replication.verdicts import published
from tests.workloads import random_jobs

THREE = ["KTH-SP2", "CTC-SP2", "SDSC-SP2"]
YEAR = random_jobs(400, 16, 365 * 24 * 3600, 1_000_000, 2_000_000)


def over_estimates(measured):
    """The numbers of one block by policy and measure."""
    rows = [{"trace": "made", "policy": policy} | row for policy, row in measured.items()]
    return runs.over_estimates(rows).set_index(["policy", "measure"])["value"].to_dict()


def test_predictors_have_the_papers_names_and_reqtime_is_always_there():
    predictors = runs.predictors_by_name(["top-percent=3", "last", "top-percent=7"])
    assert list(predictors) == ["Reqtime", "Top03", "last", "top-percent=7"]
    assert runs.predictors_by_name(["estimate", "clairvoyant"]) == {
        "Reqtime": runs.POLICIES["Reqtime"],
        "Clairvoyant": runs.POLICIES["Clairvoyant"],
    }


def test_a_block_is_normalised_by_its_requested_times():
    tasks = runs.under_schedulers({"made": YEAR}, {"EASY": EASY()}, runs.POLICIES)
    values = runs.simulate_rows(tasks, workers=2).set_index(["policy", "measure"])["value"]
    reqtime, tsafrir = (runs.run(YEAR, policy) for policy in ("Reqtime", "Tsafrir"))
    expected = (tsafrir.wait + YEAR.run_time).mean() / (reqtime.wait + YEAR.run_time).mean()
    assert values["Tsafrir", "af"] == pytest.approx(expected)
    assert values["Reqtime"].drop("r2").tolist() == [1, 1, 1, 1]
    assert values["Clairvoyant", "r2"] == 1
    assert values["Tsafrir", "r2"] == measures.determination(
        YEAR.run_time, tsafrir.first_prediction
    )


def test_intervals_start_from_the_measures_themselves():
    schedules = {policy: runs.run(YEAR, policy) for policy in ("Reqtime", "Complete")}
    replicates = weeks.replicates({"made": schedules}).loc["made"]
    ratios = over_estimates(
        {policy: runs.measure(schedule) for policy, schedule in schedules.items()}
    )
    for measure, title in runs.TITLES.items():
        value, low, high = weeks.interval(replicates.loc["Complete", title])
        assert value == pytest.approx(ratios["Complete", measure])
        assert low <= high
    assert (replicates.loc["Reqtime", "AF"] == 1).all()
    under = replicates.loc["Complete", "under"].to_numpy()[0]
    assert under == pytest.approx((schedules["Complete"].prediction < YEAR.run_time).mean())


def test_silverman_counts_modes():
    rng = np.random.default_rng(3)
    normal = rng.normal(0, 1, 300)
    three = np.concatenate([rng.normal(m, 0.5, 100) for m in (0, 5, 10)])
    assert modes.p_value(normal, 1, "one") > 0.05
    assert modes.p_value(three, 1, "three") < 0.05
    assert modes.p_value(three, 2, "three") < 0.05
    assert modes.p_value(three, 3, "three") > 0.05


@pytest.mark.parametrize("log", THREE)
def test_the_rows_but_cvh_come_within_0_003_of_the_paper(real_log, log):
    """As coded: AVEbsld within 0.003, on KTH-SP2 every measure of the schedule; Top Percent to
    rounding.
    """
    w = real_log(
        log,
        paper="top_percent",
        drop=[*registry.cleaning_of(log, "top_percent").drop, "no-estimate"],
    )
    ratios = over_estimates(
        {
            policy: runs.measure(runs.run(w, policy, runs.VARIANTS["coded"]))
            for policy in runs.POLICIES
            if policy != "CVH"
        }
    )
    for row in published.rows("top_percent", "table1"):
        if row.trace == log and (row.policy, row.measure) in ratios and row.measure != "r2":
            top = row.policy.startswith("Top")
            if top or row.measure == "avebsld" or log == "KTH-SP2":
                bar = 0.0006 if top else 0.003  # published to three decimals
                assert ratios[row.policy, row.measure] == pytest.approx(row.value, abs=bar), row.key
