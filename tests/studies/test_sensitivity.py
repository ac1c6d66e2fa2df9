"""Headline conclusions under changes: the table of cases, and every claim decided both ways."""

import math

import numpy as np
import pandas as pd
import pytest

import changes_heel_and_toe as heel
import changes_pv_easy as pv
import sensitivity
from notebooks import variants
from notebooks.pv_easy import claims as pv_claims
from notebooks.top_percent import claims as top_claims
from notebooks.top_percent import runs as top_runs
from notebooks.top_percent import weeks
from notebooks.variants import NotApplicable, Variant
from replication.simulator.logs import registry
from replication.simulator.schedulers import EASY, PVEasy
from replication.simulator.simulation import simulate
from replication.verdicts.published import headlines_of
from replication.verdicts.tables import decide
from sensitivity import ABSENT, DEFAULT, LOAD, LOG, NO, YES
from tests.workloads import jobs

THREE = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1))
PLAIN = Variant("default")


def case(change, log, answer, headline="light", kind=LOAD, name="x", reason=""):
    """A row of `sensitivity.study`."""
    names = {"headline": headline, "word": "always", "kind": kind, "change": change, "log": log}
    return names | {"case": name, "answer": answer, "reason": reason}


def test_a_cell_counts_the_cases_that_hold():
    rows = [case("default", log, "for", kind=DEFAULT) for log in "AB"]
    rows += [case("load 6000 %", log, "against") for log in "AB"]
    rows += [case("B", "B", ABSENT, kind=LOG, reason="B is another matter")]
    light, heavy, absent = sensitivity.summary(pd.DataFrame(rows)).to_dict("records")
    assert (light[YES], light["cases"], light["share"], light["verdict"]) == (2, 2, 1.0, "holds")
    assert (heavy[YES], heavy[NO], heavy["verdict"]) == (0, 2, "fails")
    assert absent["verdict"] == ABSENT and math.isnan(absent["share"])
    assert [sensitivity.words(row) for row in (light, heavy, absent)] == ["2/2", "0/2", "–"]


def test_a_change_of_load_reaches_it_and_leaves_the_jobs():
    log = jobs(10, *[(600 * k, 300, 2) for k in range(2000)])
    got = variants.jobs("pv_easy", {"A": log}, "A", Variant("l", load=0.8))
    assert got.load == pytest.approx(0.8, rel=1e-3)
    assert (got.run_time == log.run_time).all()


def test_another_log_is_cleaned_by_the_paper_and_keeps_its_machine(real_log):
    assert real_log("KTH-SP2").machine == 100
    workloads = {"CTC-SP2": THREE}
    got = variants.jobs("pv_easy", workloads, "KTH-SP2", Variant("KTH-SP2", logs=("KTH-SP2",)))
    assert got.machine == 100
    assert got.provenance["size"] == registry.cleaning_of("CTC-SP2", "pv_easy").size
    variant = Variant("512", cleaning={"machine": 512}, logs=("CTC-SP2",))
    machine = variants.jobs("pv_easy", workloads, "CTC-SP2", variant)
    assert machine.machine == 512 and len(machine) == 77222
    assert len(variants.jobs("pv_easy", workloads, "CTC-SP2", variant, first=100)) == 100
    with pytest.raises(NotApplicable, match="real log"):  # of synthetic jobs
        variants.jobs("pv_easy", {"CTC-SP2": THREE.replace(stand_in=True)}, "CTC-SP2", variant)


# ---- PV-EASY

HEAD = jobs(
    4, (0, 10, 3, 20), (1, 2, 4), (2, 15, 1)
)  # job 3 ends after job 1 and keeps job 2 waiting


def pv_answers(name, variant=PLAIN, quotient=None, **named):
    """Return the answers of a headline of PV-EASY from schedules by policy, or from one quotient
    with its interval.
    """
    tables = {}
    if quotient:
        keys = [
            ("A", f"{policy} over {other}", measure)
            for policy, other in pv_claims.PAIRS
            for measure in ("MBS", "MWBS")
        ]
        rows = [(*key, *quotient) for key in keys]
        columns = ["log", "policies", "measure", "value", "low", "high"]
        tables["over"] = pd.DataFrame(rows, columns=columns)
    else:
        schedules = {"A": {name.replace("_", "-"): schedule for name, schedule in named.items()}}
        tables["numbers"] = pv.numbers(schedules, variant)
        if len(named) > 1:
            tables["blocked"] = pv_claims.blocked(schedules)
    decision = decide("pv_easy", pv_claims, tables, [name], entries=headlines_of("pv_easy"))[name]
    return [*decision.answers.values()]


def holds(*args, **named):
    return [answer.holds for answer in pv_answers(*args, **named)]


def test_a_head_that_waits_for_a_later_job_counts_against_strict_fairness():
    assert holds("strict-at-the-head", PV_EASY=simulate(HEAD, EASY())) == [False]
    assert holds("strict-at-the-head", PV_EASY=simulate(HEAD, PVEasy())) == [True]


def test_large_blocked_jobs_gain_where_their_slowdown_is_lower():
    columns = ("submit", "run_time", "estimate")  # long, so that the placebo's shifts are small
    long = HEAD.replace(**{name: 1000 * getattr(HEAD, name) for name in columns})
    ours, easy = simulate(long, PVEasy()), simulate(long, EASY())
    assert holds("large-blocked-better", PV_EASY=ours, EASY=easy) == [True]
    assert holds("large-blocked-better", PV_EASY=easy, EASY=ours) == [False]
    alone = simulate(jobs(4, (0, 5, 1)), EASY())
    with pytest.raises(NotApplicable, match="no blocked job"):
        holds("large-blocked-better", PV_EASY=alone, EASY=alone)


@pytest.mark.parametrize(
    ("name", "level"),
    [("similar-elsewhere", 1.1), ("better-than-easy-last", 0.99), ("estimates-beat-last", 0.99)],
)
def test_a_quotient_is_judged_with_its_interval(name, level):
    low = pv_answers(name, quotient=(level - 0.1, level - 0.2, level - 0.05))
    high = pv_answers(name, quotient=(level + 0.1, level + 0.05, level + 0.2))
    near = pv_answers(name, quotient=(level - 0.01, level - 0.1, level + 0.1))
    assert (low, high, near) == ([(True, True)] * 2, [(False, True)] * 2, [(True, False)] * 2)


def test_waste_is_small_up_to_a_tenth():
    assert holds("little-waste", PV_EASY=simulate(HEAD, PVEasy())) == [True]
    wide = jobs(4, (0, 10, 2, 20), (1, 2, 4), (2, 15, 2))  # 16 of 108 processor seconds are lost
    assert holds("little-waste", PV_EASY=simulate(wide, PVEasy())) == [False]
    none = simulate(jobs(4, (0, 10, 3), (1, 5, 4)), PVEasy())
    assert holds("little-waste", PV_EASY=none) == [True]
    later = simulate(wide.replace(submit=wide.submit + 1000), PVEasy())
    assert holds("little-waste", PV_EASY=later) == [False]
    since = Variant("v", count={"since": "time-0"})
    assert holds("little-waste", since, PV_EASY=later) == [True]


# ---- heel and toe


def runs_of(value):
    """Return the table of runs whose measures come from a function of the model's name and f, a
    thousandth apart.
    """
    fs = {"random": (*heel.FS, heel.LARGE), "truncated": heel.TRUNCATED}
    keys = [(name, math.nan, 1) for name in (*heel.SINGLE, "truncated real")]
    keys += [
        (name, f, seed) for name, several in fs.items() for f in several for seed in range(1, 6)
    ]
    measures = ("mean_wait", "mean_bounded_slowdown", "backfilled", "run_time", "size")
    return pd.DataFrame(
        {"model": name, "f": f, "seed": seed}
        | dict.fromkeys(measures, value(name, 0.0 if math.isnan(f) else f) + seed / 1000)
        for name, f, seed in keys
    )


def order_of(value):
    return pd.DataFrame(
        {"f": f, "sjfness": value("random", f) + np.arange(5) / 1000} for f in (0.0, *heel.WATCHED)
    )


def answers_of(name, value):
    tables = {"runs": runs_of(value), "order": order_of(value)}
    decisions = decide("heel_and_toe", heel, tables, [name], entries=headlines_of("heel_and_toe"))
    return [*decisions[name].answers.values()]


def rising(name, f):
    return 10 + f


def falling(name, f):
    return 100 / (1 + f)


def by_name(**values):
    return lambda name, f: values.get(name.replace(" ", "_"), f)


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("perfect-helps", by_name(perfect=1, real=2), by_name(perfect=2, real=1)),
        (
            "doubling-helps",
            by_name(perfect=4, real=4, real_x2=3, perfect_x2=3),
            by_name(perfect=3, real=3, real_x2=4, perfect_x2=4),
        ),
        ("initial-drop", falling, rising),
        ("v-or-l", by_name(perfect=10, real=10), falling),
        ("better-than-real", by_name(real=1000), by_name(real=5)),
        ("more-backfilling", rising, falling),
        ("sjfness-lambda", rising, falling),
        ("truncated-meets-real", by_name(truncated_real=500), by_name(truncated_real=1e6)),
    ],
)
def test_a_headline_of_heel_and_toe_is_decided_both_ways(name, holds, fails):
    assert {answer.holds for answer in answers_of(name, holds)} == {True}
    assert {answer.holds for answer in answers_of(name, fails)} == {False}


def test_a_difference_below_the_scatter_is_not_sure():
    scatter = iter(np.tile([9.0, 11.0, 10.1, 9.9, 10.0], 40))

    def value(name, f):
        return next(scatter) if name == "random" else 10.0

    assert [answer.sure for answer in answers_of("initial-drop", value)] == [False, False]


# ---- Top Percent

TOPS, RELATED = ("Top02", "Top03", "Top04"), ("Complete", "CVH", "Tsafrir")


def draws_of(values=(), under=None):
    """Return draws close to values by policy, 1 by default, and shares of jobs that are
    under-predicted.
    """
    rows = {}
    for policy in top_runs.POLICIES:
        measures = dict.fromkeys(top_runs.TITLES.values(), dict(values).get(policy, 1.0))
        for measure, value in (measures | {"under": (under or {}).get(policy, 0.5)}).items():
            rows["A", policy, measure] = value + np.array([0.0, -1e-4, 1e-4, -1e-4, 1e-4])
    index = pd.MultiIndex.from_tuples(rows, names=["log", "policy", "measure"])
    return pd.DataFrame(np.array([*rows.values()]), index=index)


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("better-predictions-help", ({"Clairvoyant": 0.9},), ({"Clairvoyant": 1.1},)),
        ("top-beats-reqtime", (dict.fromkeys(TOPS, 0.99),), (dict.fromkeys(TOPS, 1.01),)),
        ("nobody-else-does", (dict.fromkeys(RELATED, 1.1),), (dict.fromkeys(RELATED, 0.9),)),
        ("top-best-priority", ({"Top03": 0.9},), ({"CVH": 0.9},)),
        ("top-tolerable", (dict.fromkeys(TOPS, 1.09),), (dict.fromkeys(TOPS, 1.11),)),
        ("least-underprediction", ((), dict.fromkeys(TOPS, 0.1)), ((), dict.fromkeys(TOPS, 0.9))),
        ("complete-best-r2", ({"Complete": 1.2},), ({"CVH": 1.2},)),
    ],
)
def test_a_headline_of_top_percent_is_decided_both_ways(name, holds, fails):
    for arguments, expected in ((holds, True), (fails, False)):
        draws = draws_of(*arguments)
        tables = {"replicates": draws, "ratios": weeks.table(draws)}
        decision = decide(
            "top_percent", top_claims, tables, [name], entries=headlines_of("top_percent")
        )[name]
        assert {answer.holds for answer in decision.answers.values()} == {expected}
