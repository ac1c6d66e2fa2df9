"""The formulas of PV-EASY's claims: small tables and schedules, and results by hand."""

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from notebooks.pv_easy import baseline, claims, counts, runs, virtual
from notebooks.variants import NotApplicable
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from replication.verdicts.rules import answer
from tests.cases import rules, values_by_case
from tests.workloads import jobs
from tests.workloads import schedule_of as at

DAY = 86400


def numbers(rows):
    """A table of numbers from their keys: log, policy and measure."""
    results = pd.Series(rows, name="value").rename_axis(["log", "policy", "measure"])
    return results.reset_index()


# ---- counts


@pytest.fixture
def late():
    """Two heads, of 3 and of 2 processors of 8, start 2 s and 1 s late, as jobs 3 and 7 run longer
    than 3 s.
    """
    early = (0, 50, 5), (0, 5, 1), (1, 2, 3), (2, 5, 1, 3)
    w = jobs(8, *early, (101, 50, 6), (101, 5, 1), (102, 2, 2), (103, 4, 1, 3))
    schedule = simulate(w, EASY(), estimates=w.estimate)
    assert schedule.start.tolist() == [0, 0, 7, 2, 101, 101, 107, 103]
    return schedule


def test_counts_of_late_jobs(late):
    assert claims.heads(late) == {"heads delayed": (2, "jobs")}
    assert claims.violations(late) == {"violated by later jobs": (2, "jobs")}
    assert counts.last_end(late) == {"last end": (151 / 3600, "h")}


def test_any_later_job_may_violate_a_reservation():
    # Job 3 is reserved at 5, and starts at 10: job 1 runs longer than 5 s. Without job 4, which
    # runs as long as predicted, it would have started at 5.
    w = jobs(8, (0, 5, 2), (0, 10, 2, 5), (0, 20, 2), (1, 2, 4), (2, 30, 2))
    schedule = simulate(w, EASY(), estimates=w.estimate)
    assert schedule.start.tolist() == [0, 0, 0, 10, 2]
    assert claims.violations(schedule) == {"violated by later jobs": (1, "jobs")}


def test_shares_by_size(late):
    # Large are jobs 0, 2 and 4, above 2 processors: one starts at an even time. Of the five others
    # jobs 1 and 3 do.
    large, small = "large jobs hit", "small jobs hit"
    shares = counts.by_size(late, "hit", late.start % 2 == 0)
    assert shares == {large: (pytest.approx(100 / 3), "%"), small: (40, "%")}


# ---- tables


@pytest.mark.slow
def test_tables_of_simulators():
    log = "CTC-SP2"
    rng = np.random.default_rng(3)
    rows = zip(*(rng.integers(*ends, 60) for ends in ((0, 300), (1, 60), (1, 9))), strict=True)
    workloads = {log: jobs(8, *sorted(rows)).replace(user=rng.integers(0, 4, 60))}
    search = baseline.Search(workloads)
    tables = claims.of_simulators(search)
    assert [*tables] == [*search.simulators(("EASY",)), *search.simulators()]
    schedules = claims.schedules(workloads, policies=runs.POLICIES)
    expected = claims.over(schedules).set_index(["log", "policies", "measure"])["value"]
    for name in ("EASY 1", "pair 1"):
        over = tables[name]["over"].set_index(["log", "policies", "measure"])["value"]
        assert over.to_dict() == pytest.approx(expected.to_dict())
    # The tables of blocked jobs and errors are those of the schedulers that vote.
    search.voters = lambda of=baseline.POLICIES: dict([[*search.simulators(of).items()][-1]])
    voting = claims.of_voters(workloads, search, seed=1, repeats=1)
    assert {*voting} == {"EASY 68", "pair 136"}
    chosen = search.pairs[search.simulators(("EASY",))["EASY 68"]]
    both = {"EASY": baseline.scheduler("EASY", chosen), "PV-EASY": runs.POLICIES["PV-EASY"]}
    blocked = claims.blocked(claims.schedules(workloads, policies=both))
    pd.testing.assert_frame_equal(voting["EASY 68"]["blocked"], blocked)
    errors = voting["pair 136"]["errors"]
    assert {*errors["policy"]} == {*virtual.POLICIES}
    assert {*errors["error"]} == {*claims.LARGE_ERRORS}


def test_schedules_by_log_and_policy():
    results, policies = jobs(4, (0, 10, 3), (1, 5, 4)), {"EASY-Last": runs.POLICIES["EASY-Last"]}
    for how, correction in (({}, "estimate"), ({"variant": runs.NOW, "seed": 3}, "now")):
        mbs = claims.schedules({"a": results}, policies=policies, **how)["a"]["EASY-Last"]
        assert mbs.start.tolist() == [0, 10]
        assert (mbs.seed, mbs.scheduler.correction) == (how.get("seed", 1), correction)


def test_numbers_of_a_log_and_its_schedules():
    # Work of 2, 1 and 0.5 days of a processor, on 4 processors in 2 days: 3.5 / 8.
    results = jobs(4, (0, DAY // 2, 4), (0, DAY, 1, 2 * DAY), (2 * DAY, DAY // 2, 1))
    counted = {"EASY": (counts.slowdowns, counts.last_end), "FCFS": (counts.last_end,)}
    mbs = {"EASY": simulate(results), "FCFS": at(results, 0, 0, 3 * DAY), "none": simulate(results)}
    table = claims.numbers({"a": mbs}, False, counted).set_index(["policy", "measure"])
    # The second job waits half a day, half its run time.
    assert list(zip(table.index, table["value"], table["unit"], strict=True)) == [
        (("log", "load"), 43.75, "%"),
        (("log", "mean_size"), 2, "processors"),
        (("log", "mean_run_time"), 57600, "s"),
        (("log", "span"), 2, "days"),
        (("EASY", "MBS"), 3.5 / 3, "1"),
        (("EASY", "MWBS"), 6.5 / 6, "1"),
        (("EASY", "last end"), 60, "h"),
        (("FCFS", "last end"), 84, "h"),
    ]
    # A measure of two counts has one row.
    table = claims.numbers({"a": mbs}, counted={"EASY": (counts.kinds,)})
    names = ["backfilled", "blocked", "delayed", "mean_delay", "max_delay"]
    assert table["measure"].tolist()[4:] == names


@pytest.fixture
def widened(monkeypatch):
    """The jobs lie in one week, so that intervals are points: ends of 0.1 below and 0.2 above the
    quotients are set.
    """

    def wider(function):
        def wrapper(*inputs, **options):
            table = function(*inputs, **options)
            ends = {"quotient_low": table["quotient"] - 0.1}
            return table.assign(**ends, quotient_high=table["quotient"] + 0.2)

        return wrapper

    for name in ("everyone", "blocked"):
        monkeypatch.setattr(claims.slowdown, name, wider(getattr(claims.slowdown, name)))


def test_slowdowns_over_those_of_other_policies(widened):
    # Bounded slowdowns of 1 and 2, 1 and 3, 2 and 1, of jobs of 1 and 3 processors.
    results = jobs(4, (0, 10, 1), (0, 10, 3))
    starts = {"EASY": (0, 10), "EASY-Last": (0, 20), "PV-EASY": (10, 0)}
    table = claims.over({"a": {name: at(results, *start) for name, start in starts.items()}})
    means = {"EASY": (1.5, 1.75), "EASY-Last": (2, 2.5), "PV-EASY": (1.5, 1.25)}
    rows = [
        ("a", f"{policy} over {base}", measure, means[policy][k] / means[base][k])
        for k, measure in enumerate(("MBS", "MWBS"))
        for policy, base in claims.PAIRS
    ]
    assert table.to_numpy().tolist() == [[*row, row[-1] - 0.1, row[-1] + 0.2] for row in rows]


def test_slowdowns_of_the_jobs_that_easy_with_perfect_estimates_blocks(widened, monkeypatch):
    # It starts them at 0, 10, 10 and 20, so it blocks the second and the last: 2 and 2.5 in EASY, 4
    # and 1.5 in PV-EASY.
    results = jobs(8, (0, 10, 8), (0, 10, 1), (0, 10, 2), (0, 20, 6))
    easy = replace(at(results, 0, 10, 20, 30), scheduler=EASY())
    schedules = {"EASY": easy, "PV-EASY": at(results, 0, 30, 10, 10), "EASY-Last": None}
    # With shifted submissions they are 1.5 and 2.5, then 2 and 3.5: means of 1.75 of 2, and of 3 of
    # 2.5.
    again = [at(results, 0, 5, 20, 30), at(results, 0, 10, 40, 50)]
    monkeypatch.setattr(claims.slowdown.placebo, "again", lambda easy: again)
    rows = claims.blocked({"a": schedules}).to_numpy().tolist()
    assert [row[:2] for row in rows] == [["a", "up to 1/4"], ["a", "1/2 to 3/4"]]
    assert rows[0][2:] == pytest.approx([2, 1.9, 2.2, 2, 0.875, 0.875])
    assert rows[1][2:] == pytest.approx([0.6, 0.5, 0.8, 0.6, 1.2, 1.2])


# ---- claims


def test_columns_and_differences_of_numbers():
    results = numbers(
        {
            ("b", "EASY", "blocked"): 5,
            ("a", "EASY", "blocked"): 7,
            ("a", "PV-EASY", "blocked"): 4,
            ("b", "PV-EASY", "blocked"): 9,
            ("a", "EASY", "MBS"): 99,
        }
    )
    assert claims.column(results, "EASY", "blocked").to_dict() == {"b": 5, "a": 7}
    ours, theirs = ("PV-EASY", "blocked"), ("EASY", "blocked")
    assert values_by_case(claims.less(results, ours, theirs)) == {"a": -3, "b": 4}


def test_changes_of_the_slowdown():
    values = {"EASY": (2, 4), "PV-EASY": (3, 3), "suspend": (1, 4)}
    rows = {("a", policy, "MBS"): mbs for policy, (mbs, _) in values.items()}
    results = numbers(rows | {("a", policy, "MWBS"): mwbs for policy, (_, mwbs) in values.items()})
    assert values_by_case(claims.changes(results, ["PV-EASY"], "EASY")) == {
        "a MBS": 50,
        "a MWBS": -25,
    }
    cases = claims.changes(results, ["PV-EASY", "suspend"], "EASY")
    assert values_by_case(cases) == {
        "a MBS PV-EASY": 50,
        "a MWBS PV-EASY": -25,
        "a MBS suspend": -50,
        "a MWBS suspend": 0,
    }


def test_a_repeat_is_near_the_numbers_that_it_repeats():
    # Table 2 has 32.9 h on BLUE, and 100.19 and 154.76 min.
    rows = {("CTC-SP2", "EASY-Last", "mean_dtr"): 209, ("SDSC-BLUE", "EASY-Last", "mean_dtr"): 150}
    rows |= {("SDSC-BLUE", "EASY-Last", "max_dtr"): 147, ("CTC-SP2", "EASY-Last", "max_dtr"): 9}
    results, means = numbers(rows), ["table2", "EASY-Last", ["mean_dtr"]]
    cases = list(claims.near_printed(results, *means))
    assert values_by_case(cases) == {"CTC-SP2": 209, "SDSC-BLUE": 150}
    assert [answer(case.row(), {}).holds for case in cases] == [False, True]
    assert rules(cases) == ["between 80.152 to 120.228", "between 123.808 to 185.712"]
    [case] = claims.near_printed(results, "table2", "EASY-Last", ["max_dtr"], ["SDSC-BLUE"])
    assert case.threshold == pytest.approx((32.9 / 10**0.5, 32.9 * 10**0.5))
    # Table 3 has a load of 66.18 %, a size of 10.9853 and a run time of 11,277 s.
    facts = {"load": 70, "mean_size": 20, "mean_run_time": 11000}
    log = numbers({("CTC-SP2", "log", name): x for name, x in facts.items()})
    cases = list(claims.near_printed(log, "table3", "log", [*facts]))
    assert [answer(case.row(), {}).holds for case in cases] == [True, False, True]
    assert {case.case for case in cases} == {"CTC-SP2"} and cases[1].part == "mean size"


def test_borne_out():
    # MWBS of 0.8 is below the interval of MBS, 1.4 above.
    rows = [("a", "up to 1/4", 1, 0.9, 1.1, 0.8), ("a", "above 3/4", 1, 0.9, 1.1, 1.4)]
    blocked = pd.DataFrame(rows, columns=["log", "jobs", "value", "low", "high", "mwbs"])
    blocked["placebo"] = [0.97, 0.995]
    # Slowdowns of 0.98 are no lower than the placebo's of 0.97; the one that is nearly 1 changes
    # nothing.
    assert rules(claims.borne_out(blocked)) == ["0.97", ""]
    small, large = {"a up to 1/4": (1, 0.8, 1.1)}, {"a above 3/4": (1, 0.9, 1.4)}
    assert values_by_case(claims.borne_out(blocked)) == small | large
    assert values_by_case(claims.borne_out(blocked, ["above 3/4"])) == large
    with pytest.raises(NotApplicable, match="no blocked job is that large"):
        list(claims.borne_out(blocked, ["1/4 to 1/2"]))


ERRORS = pd.DataFrame(
    [
        (
            "a",
            policy,
            error,
            "mwbs",
            *(mean + error + k for k in (0, -1, 3)),
            over,
            over - 1,
            over + 2,
        )
        for policy, mean, over in (("PV-EASY", 5, 1), ("FCFS-EASY", 9, 2), ("SJF-EASY", 11, 3))
        for error in (0, 10, 20)
    ],
    columns=["trace", "policy", "error", "measure", "mean", "low", "high", *virtual.OVER],
)


def test_leads():
    parts = {"error 0 %": (2, 1, 4), "error 10 %": (2, 1, 4)}
    assert values_by_case(claims.leads(ERRORS, 0, 10)) == {"a MWBS": parts}
    (later,) = values_by_case(claims.leads(ERRORS, 10, 100)).values()
    assert list(later) == ["error 10 %", "error 20 %"]


def test_easy_last_worst():
    rows = [
        ("a", "PV-EASY over EASY-Last", "MWBS", 0.8, 0.7, 0.9),
        ("a", "EASY over EASY-Last", "MWBS", 0.9, 0.6, 1.2),
        ("a", "PV-EASY over EASY", "MWBS", 2, 2, 2),
        ("a", "EASY over EASY-Last", "MBS", 3, 3, 3),
    ]
    over = pd.DataFrame(rows, columns=["log", "policies", "measure", "value", "low", "high"])
    assert values_by_case(claims.easy_last_worst(over)) == {"a": (0.9, 0.6, 1.2)}


def test_estimates_beat_virtual():
    # 16 over 19, over 22 and over 18.
    results = numbers({("a", "EASY", "MWBS"): 16, ("a", "EASY", "MBS"): 1})
    expected = {"a MWBS": (-15.79, -27.27, -11.11)}
    assert values_by_case(claims.estimates_beat_virtual(results, ERRORS)) == expected
