"""Headline conclusions under changes: the table of cases, and every claim decided both ways."""

import math
import re

import numpy as np
import pandas as pd
import pytest
import small_project

import changes_heel_and_toe as heel
import changes_pv_easy as pv
import changes_top_percent as top
import sensitivity
from notebooks import variants
from notebooks.paper_easy import PaperEASY
from notebooks.pv_easy import claims as pv_claims
from notebooks.pv_easy import runs
from notebooks.top_percent import claims as top_claims
from notebooks.top_percent import runs as top_runs
from notebooks.top_percent import weeks
from notebooks.variants import NotApplicable, Variant
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.predictors import TopPercent
from replication.simulator.schedulers import EASY, PVEasy
from replication.simulator.simulation import simulate
from replication.verdicts.published import headlines_of
from replication.verdicts.rules import Case
from replication.verdicts.tables import decide
from sensitivity import ABSENT, CLEANING, DEFAULT, LOAD, LOG, NO, VARIANT, YES, kind_of
from tests.workloads import jobs

MODULES = {"pv_easy": pv, "heel_and_toe": heel, "top_percent": top}
LOGS = {paper: registry.names(paper) for paper in MODULES}
THREE = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1))
PLAIN = Variant("default")


def case(change, log, answer, headline="light", kind=LOAD, name="x", reason=""):
    """A row of `sensitivity.study`."""
    names = {"headline": headline, "word": "always", "kind": kind, "change": change, "log": log}
    return names | {"case": name, "answer": answer, "reason": reason}


@pytest.fixture
def summary():
    rows = [case("default", log, "for", kind=DEFAULT) for log in "AB"]
    rows += [case("load 6000 %", log, "against") for log in "AB"]
    rows += [case("B", "B", ABSENT, kind=LOG, reason="B is another matter")]
    return sensitivity.summary(pd.DataFrame(rows))


ENTRIES = {"light": {"short": "light"}}


def test_a_cell_counts_the_cases_that_hold(summary):
    light, heavy, absent = summary.to_dict("records")
    assert (light[YES], light["cases"], light["share"], light["verdict"]) == (2, 2, 1.0, "holds")
    assert (heavy[YES], heavy[NO], heavy["verdict"]) == (0, 2, "fails")
    assert absent["verdict"] == ABSENT and math.isnan(absent["share"])
    assert [sensitivity.words(row) for row in (light, heavy, absent)] == ["2/2", "0/2", "–"]
    assert sensitivity.sentences(summary, ENTRIES) == (
        "- **light**: by default it holds (2/2). 0 of 1 changes do not alter this; it fails under "
        "load 6000 % (0/2).\n"
        "- Not applicable to B: B is another matter."
    )
    assert "Nothing is decided" in sensitivity.sentences(summary, ENTRIES, decided=False)


def test_the_table_has_every_cell(summary):
    table = sensitivity.table(summary, ENTRIES).set_index("change")
    assert table["light"].to_dict() == {"default": "2/2", "load 6000 %": "0/2", "B": "–"}
    assert table.loc["load 6000 %", "kind"] == sensitivity.HEADINGS[LOAD]


@pytest.mark.parametrize("paper", MODULES)
def test_headlines_and_changes_of_a_paper_are_complete(paper):
    headlines = headlines_of(paper)
    assert 3 <= len(headlines) <= 8
    assert all(len(entry["short"]) <= 34 for entry in headlines.values())
    changes = sensitivity.changes_for(LOGS[paper], MODULES[paper].CHANGES)
    assert {kind_of(change) for change in changes} == {DEFAULT, VARIANT, CLEANING, LOG, LOAD}
    assert len({(kind_of(change), change.name) for change in changes}) == len(changes)


def test_the_default_of_an_open_option_comes_first():
    known = PaperEASY.options()
    for name, alternatives in variants.alternatives("scheduler").items():
        values = [variants.ANSWERS.get(one.name, one.name) for one in alternatives]
        assert values[0] == known[name].default
        assert {*values} <= set(known[name].metadata["allowed"])
        changed = [{name: value} for value in values[1:]]
        assert [one.scheduler for one in alternatives[1:]] == changed


def test_each_value_of_an_open_option_is_a_row_in_words():
    """An option that is added to EASY cannot be forgotten in the tables."""
    options = [*variants.open_options(), *variants.OF_LASTING]
    words = {value: word for word, value in variants.ANSWERS.items()}
    values = {
        f"{name}: {words.get(value, value)}"
        for name in options
        for value in PaperEASY.options()[name].metadata["allowed"]
        if value != PaperEASY.options()[name].default
    }
    rows = variants.alone(*variants.open_options(), lasting=True)
    assert {part for row in rows for part in row.name.split(", ")} == values
    named = {variants.in_words(value) for value in values}
    assert len(named) == len(values) and not values & named
    own = {f"variant of the baseline: {name}" for name, one in runs.VARIANTS.items() if one.easy}
    assert own | {row.name for row in rows} <= {one.name for one in pv.CHANGES}
    assert {row.name for row in rows} <= {one.name for one in top.CHANGES}
    behaviours = [(row.scheduler | row.easy) for row in rows]
    kernels = [PaperEASY(**fields).kernel() for fields in behaviours]
    assert all(kernel not in kernels[:k] for k, kernel in enumerate(kernels))


def test_a_variant_is_of_the_kind_of_what_it_changes():
    changed = {
        DEFAULT: {},
        VARIANT: {"count": {"since": "time-0"}},
        CLEANING: {"log": "KTH-SP2", "logs": ("A",)},
        LOG: {"logs": ("B",)},
        LOAD: {"load": 0.7},
    }
    assert {kind: kind_of(Variant("v", **fields)) for kind, fields in changed.items()} == {
        kind: kind for kind in changed
    }
    both = Variant("v", scheduler={"events": "one-by-one"}, cleaning={"size": "requested"})
    assert kind_of(both) == VARIANT


def test_a_change_of_load_reaches_it_and_leaves_the_jobs():
    for load in sensitivity.LOADS:
        log = jobs(10, *[(600 * k, 300, 2) for k in range(2000)])
        got = variants.jobs("pv_easy", {"A": log}, "A", Variant("l", load=load))
        assert got.load == pytest.approx(load, rel=1e-3)
        assert (got.run_time == log.run_time).all()


@pytest.mark.parametrize(
    ("log", "variant"),
    [
        ("A", Variant("c", cleaning={"size": "requested"})),
        ("A", Variant("c", log="KTH-SP2")),
        ("CEA-Curie", Variant("l", logs=("CEA-Curie",))),
    ],
)
def test_a_synthetic_log_has_no_other_cleaning(log, variant):
    with pytest.raises(NotApplicable, match="real log"):
        variants.jobs("pv_easy", {"A": THREE.replace(stand_in=True)}, log, variant)


def test_another_log_is_cleaned_by_the_paper_and_keeps_its_machine(real_log):
    assert real_log("KTH-SP2").machine == 100
    own = {"CTC-SP2": THREE}
    got = variants.jobs("pv_easy", own, "KTH-SP2", Variant("KTH-SP2", logs=("KTH-SP2",)))
    assert got.machine == 100
    assert got.provenance["size"] == registry.cleaning_of("CTC-SP2", "pv_easy").size
    variant = Variant("512", cleaning={"machine": 512}, logs=("CTC-SP2",))
    machine = variants.jobs("pv_easy", own, "CTC-SP2", variant)
    assert machine.machine == 512 and len(machine) == 77222
    assert len(variants.jobs("pv_easy", own, "CTC-SP2", variant, first=100)) == 100


def test_other_logs_are_those_the_paper_lacks_each_once():
    names = {
        paper: [one.name for one in sensitivity.other_logs(logs) if kind_of(one) == LOG]
        for paper, logs in LOGS.items()
    }
    assert names == {
        "pv_easy": ["KTH-SP2", "SDSC-SP2", "CEA-Curie"],
        "heel_and_toe": ["SDSC-DS", "CEA-Curie"],
        "top_percent": ["SDSC-BLUE", "SDSC-DS", "CEA-Curie"],
    }


def test_a_study_has_a_row_for_each_number_and_says_what_is_not_applicable(monkeypatch, tmp_path):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    entry = small_project.CLAIM + 'headline.short = "doubling"\n'
    (tmp_path / "published/heel_and_toe/claims.toml").write_text(entry)

    def tables(log, jobs, variant):
        if variant.load is not None:
            raise NotApplicable("no load")
        return {"change": 1}

    def doubling_helps(change):
        yield Case("wait", change, 0.5, 2, part="real")
        yield Case("wait", -change, part="perfect")
        yield Case("slowdown", change)

    monkeypatch.setattr(sensitivity, "other_logs", lambda logs: [Variant("load 70 %", load=0.7)])
    functions = {"doubling_helps": doubling_helps}
    cases = sensitivity.study("heel_and_toe", functions, tables, (), {"A": THREE})
    assert cases["answer"].tolist() == ["against", "against", "for", ABSENT]
    found = sensitivity.summary(cases).to_dict("records")
    assert [(one[YES], one["cases"], one["verdict"]) for one in found] == [
        (1, 2, "fails"),
        (0, 0, ABSENT),
    ]


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
            ("A", f"{one} over {other}", measure)
            for one, other in pv_claims.PAIRS
            for measure in ("MBS", "MWBS")
        ]
        rows = [(*key, *quotient) for key in keys]
        columns = ["log", "policies", "measure", "value", "low", "high"]
        tables["over"] = pd.DataFrame(rows, columns=columns)
    else:
        schedules = {"A": {policy.replace("_", "-"): one for policy, one in named.items()}}
        tables["numbers"] = pv.numbers(schedules, variant)
        if len(named) > 1:
            tables["blocked"] = pv_claims.blocked(schedules)
    found = decide("pv_easy", pv_claims, tables, [name], entries=headlines_of("pv_easy"))[name]
    return [*found.answers.values()]


def holds(*args, **named):
    return [one.holds for one in pv_answers(*args, **named)]


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
    given = {"runs": runs_of(value), "order": order_of(value)}
    found = decide("heel_and_toe", heel, given, [name], entries=headlines_of("heel_and_toe"))
    return [*found[name].answers.values()]


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
    assert {one.holds for one in answers_of(name, holds)} == {True}
    assert {one.holds for one in answers_of(name, fails)} == {False}


def test_a_difference_below_the_scatter_is_not_sure():
    scatter = iter(np.tile([9.0, 11.0, 10.1, 9.9, 10.0], 40))

    def value(name, f):
        return next(scatter) if name == "random" else 10.0

    assert [one.sure for one in answers_of("initial-drop", value)] == [False, False]


def test_runs_are_simulated_under_the_change_and_some_have_nothing_to_decide():
    plain = heel.tables("A", HEAD, Variant("r", count={"trim": False}))
    runs = plain["runs"].set_index("model")
    assert runs.loc["real", "mean_wait"] == pytest.approx(simulate(HEAD, EASY()).wait.mean())
    assert len(plain["order"]) == 3 and "truncated" not in runs.index
    with pytest.raises(NotApplicable, match="no E_max"):
        list(heel.truncated_meets_real(plain["runs"]))
    variant, _ = variants.alone("events")
    other = heel.tables("KTH-SP2-2", HEAD, variant)
    assert "truncated" in set(other["runs"]["model"]) and other["order"].empty
    with pytest.raises(NotApplicable, match="default EASY"):
        heel.sjfness_rises(other["order"])


def named_choices():
    """Return the values of EASY's options and the lifetimes of its reservation, each with whether
    it is a default.
    """
    for own in EASY.options().values():
        if isinstance(own.metadata["allowed"], tuple):
            yield from ((value, value == own.default) for value in own.metadata["allowed"])
    yield from ((name, name == runs.TEXTBOOK) for name in runs.LIFETIMES)


def test_each_choice_that_the_readme_or_an_abstract_names_is_a_row_of_the_table():
    """A reader looks the detail on which a result depends up in the table."""
    rows = [variant.name for variant in pv.CHANGES]
    articles = [
        (paths.ROOT / "docs/articles" / name).read_text()
        for name in ("replication.md", "studies.md")
    ]
    abstracts = [text.partition("abstract: |")[2].partition("\n---")[0] for text in articles]
    readme = (paths.ROOT / "README.md").read_text()
    (own,) = (line for line in readme.splitlines() if line.startswith("| **PV-EASY**"))
    text = " ".join([own, *abstracts])
    known = [(value, default) for value, default in named_choices()]
    found = {
        value for value, default in known if re.search(rf"\b{value.replace('-', '[- ]')}\b", text)
    }
    assert "now" in found
    for value, default in known:
        assert default or value not in found or any(value in row for row in rows), value


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
    for given, expected in ((holds, True), (fails, False)):
        draws = draws_of(*given)
        tables = {"replicates": draws, "ratios": weeks.table(draws)}
        found = decide(
            "top_percent", top_claims, tables, [name], entries=headlines_of("top_percent")
        )[name]
        assert {one.holds for one in found.answers.values()} == {expected}


def test_top_percent_simulates_under_the_change():
    change = Variant("r", scheduler={"passes": "if-fits"}, predictor={"coded": True})
    found = top_runs.schedules({"A": HEAD}, change)["A"]
    assert found["Reqtime"].scheduler.passes == "if-fits"
    assert found["Top02"].scheduler.predictor == TopPercent(2, coded=True)
    draws = top.tables("A", HEAD, change)["replicates"]
    assert draws.loc["A", "Reqtime", "AF"].dropna().unique().tolist() == [1.0]
