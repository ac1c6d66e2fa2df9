"""The formulas of Top Percent's claims: small tables, and results by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from notebooks.top_percent import claims, fig1
from replication.simulator.schedules import intervals
from tests.cases import rules, values_by_case
from tests.workloads import jobs


def replicates(rows, names=("log", "policy", "measure"), spread=0.19):
    """The own value of each row and four replicates to either side of it, such that the interval
    has a half-width of `spread`.

    The pseudo-values lie three times as far off, with a kurtosis of 1, so that Student's t has 1.5
    degrees of freedom.
    """
    index = pd.MultiIndex.from_tuples(rows, names=names)
    off = spread / (stats.t.ppf(0.975, 1.5) * 3 * (4 / 3) ** 0.5 / 2)
    return pd.DataFrame(
        [(x, *(x + off * sign for sign in (1, -1, 1, -1))) for x in rows.values()], index=index
    )


AF = replicates(
    {("a", "CVH", "AF"): 3, ("a", "Top02", "AF"): 2, ("b", "CVH", "AF"): 5, ("b", "Top02", "AF"): 9}
)
R2 = replicates({("a", "CVH", "R2"): 0.7, ("b", "CVH", "R2"): 0.6})


def test_intervals_are_named_by_the_levels_that_differ():
    assert values_by_case(claims.intervals(R2, 10)) == {"a": (7, 5.1, 8.9), "b": (6, 4.1, 7.9)}
    assert list(values_by_case(claims.intervals(AF))) == ["a CVH", "a Top02", "b CVH", "b Top02"]
    assert list(values_by_case(claims.intervals(AF.loc[["a"]]))) == ["a CVH", "a Top02"]


def test_ratios_have_the_interval_of_their_logarithm():
    case_a, case_b = claims.ratios(AF, ["CVH"], ["AF"])
    _, low, high = intervals.interval(np.log(AF.loc["a", "CVH", "AF"].to_numpy()))
    assert case_a[:4] == ("a", 3, pytest.approx(np.exp(low)), pytest.approx(np.exp(high)))
    assert case_b.value == 5


def test_differences_are_paired_block_by_block():
    # 2 - 3 and 9 - 5 in the log and in all replicates.
    assert values_by_case(claims.less(AF, ["Top02"], "CVH", ["AF"], 100)) == {"a": -100, "b": 400}
    three = pd.concat(
        [AF, replicates({("a", "Top03", "AF"): 7, ("b", "Top03", "AF"): 7}, spread=0)]
    )
    expected = {"a Top02": -1, "a Top03": (4, 3.81, 4.19), "b Top02": 4, "b Top03": (2, 1.81, 2.19)}
    assert values_by_case(claims.less(three, ["Top02", "Top03"], "CVH", ["AF"])) == expected
    # The least and the largest of 3 and 2, and of 5 and 9, less 7.
    most = claims.extremes(three, ["CVH", "Top02"], ["Top03"], ["AF"], "max", scale=100)
    assert values_by_case(most) == {"a": (-400, -419, -381), "b": (200, 181, 219)}
    least = claims.extremes(three, ["CVH", "Top02"], ["Top03"], ["AF"])
    assert values_by_case(least) == {"a": (-5, -5.19, -4.81), "b": (-2, -2.19, -1.81)}
    others = claims.extremes(three, ["Top03"], ["CVH", "Top02"], ["AF"])
    assert values_by_case(others) == {"a": (5, 4.81, 5.19), "b": (2, 1.81, 2.19)}
    others = claims.extremes(three, ["Top03"], ["CVH", "Top02"], ["AF"], other_pick="max")
    assert values_by_case(others) == {"a": (4, 3.81, 4.19), "b": (-2, -2.19, -1.81)}


def test_under_predicted():
    results = replicates(
        {("a", "CVH", "under"): 0.3, ("a", "CVH", "AF"): 1, ("a", "Top02", "under"): 0.1}
    )
    assert values_by_case(claims.under_predicted(results, ["CVH"])) == {"a CVH": 30}


def test_overestimates():
    # Estimates of 1.5, 10 and 40 times the run time; a run time of 0 s counts as one of 1 s.
    results = jobs(1, (0, 20, 1, 30), (0, 1, 1, 10), (0, 0, 1, 40))
    assert values_by_case(claims.overestimates({"a": results})) == {"a": 10}


def test_the_variance_between_classes():
    # Classes {1, 3} and {7, 9}, and a class of one job that does not count. Within: (1 + 1 + 1 + 1)
    # / (4 - 2) = 2. Of all, around 5: (16 + 4 + 4 + 16) / (4 - 1) = 40 / 3. The share between is 1
    # - 2 x 3 / 40 = 0.85.
    results = jobs(4, *((0, run_time, 1, 100) for run_time in (1, 7, 3, 9, 50)))
    results = results.replace(user=np.array([1, 2, 1, 2, 3]))
    assert claims.between_classes(results) == pytest.approx(0.85)
    assert values_by_case(claims.common_attributes({"a": results})) == {"a": 85}


def test_multimodal():
    # Of 200 jobs that ask for 100 s, 20 run for less than 10 s, and 60 for more than 50 s.
    run_times = [9] * 20 + [10] * 100 + [50] * 20 + [51] * 60
    results = jobs(4, *((0, run_time, 1, 100) for run_time in run_times))
    lengths = fig1.short_and_long({"a": results})
    assert lengths.to_numpy().tolist() == [["a", 200, 10, 30]]
    assert values_by_case(claims.multimodal(lengths)) == {
        "class 1": {"very short": 10, "very long": 30}
    }


def test_tsafrir_like_cvh():
    rows = [("Tsafrir", "AVEbsld"), ("Tsafrir", "AP1WAF"), ("Tsafrir", "R2"), ("CVH", "AF")]
    ratios = pd.DataFrame(rows, columns=["policy", "measure"])
    ratios[["log", "value", "low", "high"]] = "a", 0.9, 0.8, 1.2
    cases = list(claims.tsafrir_like_cvh(ratios))
    assert values_by_case(cases) == {"a AVEbsld": (0.9, 0.8, 1.2), "a AP1WAF": (0.9, 0.8, 1.2)}
    assert rules(cases) == ["<", ">="]


def test_quality_uncorrelated():
    # By R2 the ranks of eight predictors are 1 to 8. In the reverse order the correlation is -1;
    # with the two best exchanged it is 1 - 6 x (1 + 1) / (8 x 63) = 0.98.
    ranks = {"R2": range(8), "AVEbsld": range(8, 0, -1), "AF": range(7, -1, -1)}
    ranks |= {"AP0WAF": [0, 1, 2, 3, 4, 5, 7, 600], "AP1WAF": [0, 1, 2, 3, 4, 5, 700, 6]}
    rows = {
        ("a", policy, measure): rank
        for measure, several in ranks.items()
        for policy, rank in zip(claims.POLICIES, several, strict=True)
    }
    expected = {"a AVEbsld": -1, "a AF": -1, "a AP0WAF": 1, "a AP1WAF": 0.98}
    results = replicates(rows)
    results[1] = np.arange(40) % 7  # what is drawn does not count
    assert values_by_case(claims.quality_uncorrelated(results)) == expected


def test_never_above_estimate(monkeypatch):
    class Schedule:
        workload = jobs(1, (0, 5, 1, 10), (0, 5, 1, 10), (0, 5, 1, 10), (0, 5, 1, 10))
        first_prediction = np.array([9, 10, 11, 12])

    several = dict.fromkeys([*claims.TOPS, "CVH"], Schedule)
    expected = {"a Top02": 2, "a Top03": 2, "a Top04": 2}
    assert values_by_case(claims.never_above_estimate({"a": several})) == expected


def test_schedulers_close():
    # 5 over 4 is 25 % more. SJBF is none of the paper's schedulers, Reqtime's values are 1, and R2
    # is no measure of a schedule.
    values = {"EASY": 4, "Conservative": 5, "LAF": 4.5, "EASY-SJBF": 9}
    rows = [
        ("a", policy, measure, name, value)
        for policy in ("CVH", "Reqtime")
        for measure in ("af", "r2")
        for name, value in values.items()
    ]
    columns = ["trace", "policy", "measure", "scheduler", "value"]
    assert values_by_case(claims.schedulers_close(pd.DataFrame(rows, columns=columns))) == {
        "a CVH AF": 25
    }
