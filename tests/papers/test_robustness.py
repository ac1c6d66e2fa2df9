"""Headline conclusions against changes: the general part on made-up papers, and every decider both ways."""

from itertools import pairwise
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from replication.papers import dimensions, robustness, variants
from replication.papers.deciders import Answer, as_answer
from replication.papers.heel_and_toe import robustness as heel
from replication.papers.pv_easy import counts
from replication.papers.pv_easy import robustness as pv
from replication.papers.pv_easy import runs as pv_runs
from replication.papers.robustness import ABSENT, NO, OPEN, YES, Headlines
from replication.papers.robustness import table as robustness_table
from replication.papers.top_percent import readings as top_readings
from replication.papers.top_percent import robustness as top
from replication.papers.variants import (
    CLEANING,
    DEFAULT,
    LOAD,
    LOG,
    READING,
    NotApplicable,
    Variant,
)
from replication.simulator import traces
from replication.simulator.estimates import Exact, FModel, Users
from replication.simulator.predictors import TopPercent
from replication.simulator.schedulers import EASY, PVEasy
from replication.simulator.simulation import simulate
from tests.workloads import jobs

MODULES = {"pv_easy": pv, "heel_and_toe": heel, "top_percent": top}
LOGS = {paper: traces.names(paper) for paper in MODULES}
THREE = jobs(4, (0, 10, 3), (1, 5, 4), (2, 60, 1))
PLAIN = Variant("default")


def evidence(log, workload, variant):
    """What the made-up paper's deciders take."""
    return SimpleNamespace(log=log, workload=workload)


class MadeUp(Headlines):
    """Two headlines: one holds where the load is low, one is of log A alone."""

    def __init__(self):
        super().__init__("made-up", evidence)
        self.decides("light")(lambda e: [("", f"{e.workload.load:.2f}", e.workload.load < 50)])
        self.decides("of-a")(self.of_a)

    def published(self):
        return {
            name: {
                "short": name,
                "statement": "It is so.",
                "section": "1",
                "statistic": "s",
                "rule": "r",
                "word": "always",
            }
            for name in ("light", "of-a")
        }

    @staticmethod
    def of_a(e):
        if e.log != "A":
            raise NotApplicable("B is another matter")
        yield "first", "1", True
        yield "second", "2", Answer(False, False)


def made_up(changes, decided=True, headlines=None):
    """The study of a made-up paper with logs A and B."""
    cases = (headlines or MadeUp()).study({"A": THREE, "B": THREE}, workers=2, changes=changes)
    return robustness.summary(cases, decided)


CHANGES = [Variant("load 6000 %", load=60.0), PLAIN]


@pytest.fixture
def found():
    return made_up(CHANGES)


def cell(table, headline, change):
    return table[(table["headline"] == headline) & (table["change"] == change)].iloc[0].to_dict()


# ---- the general part


def test_a_cell_counts_the_cases_that_hold(found):
    assert found["change"].iloc[0] == "default"  # kinds in order, whatever was asked for first
    light = cell(found, "light", "default")
    assert (light[YES], light["cases"], light["share"], light["verdict"]) == (2, 2, 1.0, "holds")
    heavy = cell(found, "light", "load 6000 %")
    assert (heavy[YES], heavy[NO], heavy["share"], heavy["verdict"]) == (0, 2, 0.0, "fails")
    of_a = cell(found, "of-a", "default")
    assert (of_a[YES], of_a[OPEN], of_a["cases"], of_a["verdict"]) == (1, 1, 2, "fails")
    assert "B is another matter" in of_a["reason"]
    assert robustness_table.words(of_a) == "1/2 ?1" and robustness_table.words(light) == "2/2"


def test_the_sentences_say_what_changes_and_decide_nothing_without_real_logs(found):
    said = robustness_table.sentences(found, MadeUp())
    assert (
        "**light**: by default it holds (2/2). 0 of 1 changes leave it so; it fails under" in said
    )
    assert "**of-a**: by default it fails (1/2 ?1). All 1 changes leave it so." in said
    assert "Nothing is decided" in robustness_table.sentences(found, MadeUp(), decided=False)
    assert set(made_up(CHANGES, decided=False)["verdict"]) == {"undecided"}


def test_a_conclusion_that_holds_only_elsewhere_is_said_to(found):
    turned = found.assign(kind=found["kind"].map({DEFAULT: LOAD, LOAD: DEFAULT}))
    assert (
        "by default it fails (0/2). 0 of 1 changes leave it so; it holds under default (2/2)."
        in robustness_table.sentences(turned, MadeUp())
    )


def test_a_cell_with_nothing_to_decide_is_empty_and_says_why():
    found = made_up([PLAIN, Variant("B", logs=("B",))])
    row = cell(found, "of-a", "B")
    assert (
        row["verdict"] == ABSENT and robustness_table.words(row) == "–" and np.isnan(row["share"])
    )
    assert robustness_table.not_applicable(found) == "- Not applicable to B: B is another matter."


def test_headlines_without_a_decider_are_refused():
    headlines = MadeUp()
    del headlines.deciders["light"]
    with pytest.raises(KeyError, match="without decider or entry: light"):
        made_up(CHANGES, headlines=headlines)


def test_a_variant_is_of_the_kind_of_what_it_changes():
    changed = {
        DEFAULT: {},
        READING: {"count": {"since": "time-0"}},
        CLEANING: {"log": "KTH-SP2", "logs": ("A",)},
        LOG: {"logs": ("B",)},
        LOAD: {"load": 0.7},
    }
    assert {kind: Variant("v", **fields).kind for kind, fields in changed.items()} == {
        kind: kind for kind in changed
    }
    both = Variant("v", scheduler={"events": "one-by-one"}, cleaning={"size": "requested"})
    assert both.kind == READING


def test_variants_together_drop_what_each_drops_and_the_last_word_counts():
    one = Variant("a", "a", {"events": "one-by-one"}, cleaning={"drop": ("x",)})
    other = Variant("b", "b", {"events": "together"}, cleaning={"drop": ("y", "x"), "size": "s"})
    elsewhere = Variant("c", "c", cleaning={"machine": 2}, logs=("C",))
    both = variants.together([one, PLAIN, other, elsewhere], "A")
    assert both.scheduler == {"events": "together"}
    assert both.cleaning == {"drop": ("x", "y"), "size": "s"}
    assert both.words == "a; b"


def test_a_change_of_load_reaches_it_and_leaves_the_jobs():
    for load in variants.LOADS:
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
def test_a_stand_in_has_no_lines_to_read_otherwise(log, variant):
    with pytest.raises(NotApplicable, match="real log"):
        variants.jobs("pv_easy", {"A": THREE.replace(stand_in=True)}, log, variant)


def test_a_log_of_ones_own_has_no_rules_to_read_it_by():
    with pytest.raises(NotApplicable, match="mine"):
        variants.jobs(
            "pv_easy", {"mine": THREE}, "mine", Variant("c", cleaning={"size": "requested"})
        )


def test_another_log_is_cleaned_by_the_paper_and_keeps_its_machine(real_log):
    assert real_log("KTH-SP2").machine == 100
    own = {"CTC-SP2": THREE}
    got = variants.jobs("pv_easy", own, "KTH-SP2", Variant("KTH-SP2", logs=("KTH-SP2",)))
    assert got.machine == 100
    assert got.provenance["size"] == traces.rules("CTC-SP2", "pv_easy").size
    variant = Variant("512", cleaning={"machine": 512}, logs=("CTC-SP2",))
    machine = variants.jobs("pv_easy", own, "CTC-SP2", variant)
    assert machine.machine == 512 and len(machine) == 77222
    assert len(variants.jobs("pv_easy", own, "CTC-SP2", variant, first=100)) == 100


def test_every_other_value_of_an_option_is_changed_alone():
    got = variants.alone("correction", dimensions.PREDICTION["correction"])
    assert [one.name for one in got] == [
        "correction: tsafrir",
        "correction: doubling",
        "correction: now",
    ]
    assert [one.scheduler for one in got] == [
        {"correction": value} for value in ("tsafrir", "doubling", "now")
    ]


@pytest.mark.parametrize("module", [pv_runs, heel, top])
def test_all_values_of_an_open_option_are_tried_and_the_default_is_first(module):
    options = EASY.options()
    for name, alternatives in module.OPEN.items():
        assert alternatives[0].name == options[name].default
        # Events by plan are what other simulators do, and no reading of a paper.
        open_ones = set(options[name].metadata["allowed"]) - {"by-plan"}
        assert {one.name for one in alternatives} == open_ones
        for one in alternatives[1:]:
            assert one.scheduler == {name: one.name}


def test_other_logs_are_those_the_paper_lacks_each_once():
    names = {
        paper: [one.name for one in variants.others(logs) if one.kind == LOG]
        for paper, logs in LOGS.items()
    }
    assert names == {
        "pv_easy": ["KTH-SP2", "SDSC-SP2", "CEA-Curie"],
        "heel_and_toe": ["SDSC-DS", "CEA-Curie"],
        "top_percent": ["SDSC-BLUE", "SDSC-DS", "CEA-Curie"],
    }


def test_the_picture_has_every_cell_and_its_colours_survive_grey(found):
    figure = robustness_table.draw(found, MadeUp())
    axes = figure.axes[0]
    texts = [text.get_text() for text in axes.texts]
    assert sorted(texts) == sorted(robustness_table.words(row) for row in found.to_dict("records"))
    labels = [label.get_text() for label in axes.get_yticklabels()]
    assert {"default", "load 6000 %", robustness_table.HEADINGS[LOAD]} == set(labels)
    light = [
        sum(w * int(colour[k : k + 2], 16) for w, k in ((0.299, 1), (0.587, 3), (0.114, 5)))
        for colour in robustness_table.COLOURS
    ]
    assert all(b - a > 20 for a, b in pairwise(light))


# ---- the papers' lists


@pytest.mark.parametrize("paper", MODULES)
def test_headlines_are_whole_and_each_is_decided(paper):
    headlines = MODULES[paper].HEADLINES
    entries = headlines.published()
    assert entries.keys() == headlines.deciders.keys() and 3 <= len(entries) <= 8
    for entry in entries.values():
        assert {"short", "statement", "section", "statistic", "rule"} <= entry.keys()
        assert len(entry["short"]) <= 34
    assert list(robustness_table.stated(headlines)["short"]) == [
        entry["short"] for entry in entries.values()
    ]


@pytest.mark.parametrize("paper", MODULES)
def test_changes_are_named_apart_and_cover_every_kind(paper):
    changes = MODULES[paper].HEADLINES.changes(LOGS[paper])
    assert [change.kind for change in changes].count(DEFAULT) == 1
    assert {change.kind for change in changes} == {DEFAULT, READING, CLEANING, LOG, LOAD}
    assert len({(change.kind, change.name) for change in changes}) == len(changes)
    assert {change.load for change in changes} == {None, 0.7, 0.8, 0.9}


def test_what_top_percent_searches_is_open_in_its_robustness_too():
    searched = {*top_readings.EVENTS, *dimensions.PREDICTION}
    assert searched <= top.OPEN.keys()


def found_of(module, name, evidence):
    """Whether each of a headline's cases holds, and whether that is sure."""
    return [as_answer(one) for *_, one in module.HEADLINES.deciders[name](evidence)]


def answers(module, name, evidence):
    """Answers of a headline's cases, by their values."""
    return [answer.holds for answer in found_of(module, name, evidence)]


# ---- PV-EASY

HEAD = jobs(
    4, (0, 10, 3, 20), (1, 2, 4), (2, 15, 1)
)  # job 3 ends after job 1 and keeps job 2 waiting


class Made(pv.Evidence):
    """Evidence whose schedules are given."""

    def __init__(self, count=None, **named):
        self.given = {name.replace("_", "-"): schedule for name, schedule in named.items()}
        jobs = next(iter(named.values())).workload
        super().__init__("A", jobs, Variant("v", count=count or {}))

    def schedule(self, log, policy):
        return self.given[policy]


def test_a_head_that_waits_for_a_later_job_counts_against_strict_fairness():
    assert answers(pv, "head-never-delayed", Made(PV_EASY=simulate(HEAD, EASY()))) == [False]
    assert answers(pv, "head-never-delayed", Made(PV_EASY=simulate(HEAD, PVEasy()))) == [True]


def test_a_late_start_because_of_a_later_job_is_a_violation():
    late = simulate(jobs(4, (0, 5, 3), (1, 2, 4), (2, 9, 1)), EASY(), estimates=np.array([5, 2, 3]))
    assert answers(pv, "no-violation", Made(PV_EASY=late)) == [False]
    assert answers(pv, "no-violation", Made(PV_EASY=simulate(HEAD, PVEasy()))) == [True]


def test_large_blocked_jobs_gain_where_their_slowdown_is_lower():
    ours, easy = simulate(HEAD, PVEasy()), simulate(HEAD, EASY())
    assert answers(pv, "large-blocked-better", Made(PV_EASY=ours, EASY=easy)) == [True]
    assert answers(pv, "large-blocked-better", Made(PV_EASY=easy, EASY=ours)) == [False]
    same = Made({"same": True}, PV_EASY=ours, EASY=easy)
    assert answers(pv, "large-blocked-better", same) == [True]
    alone = simulate(jobs(4, (0, 5, 1)), EASY())
    with pytest.raises(NotApplicable, match="no blocked job"):
        answers(pv, "large-blocked-better", Made(PV_EASY=alone, EASY=alone))


class Set(pv.Evidence):
    """Evidence whose quotient is given."""

    def __init__(self, *quotient):
        self.workloads, self.quotient = {"": THREE}, lambda *asked: quotient


@pytest.mark.parametrize(
    ("name", "level"),
    [("as-good-as-easy", 1.1), ("better-than-easy-last", 1), ("estimates-beat-last", 1)],
)
def test_a_quotient_is_judged_with_its_interval(name, level):
    assert answers(pv, name, Set(level - 0.1, level - 0.2, level - 0.05)) == [True, True]
    assert answers(pv, name, Set(level + 0.1, level + 0.05, level + 0.2)) == [False, False]
    unsure = found_of(pv, name, Set(level - 0.01, level - 0.1, level + 0.1))
    assert unsure == [Answer(True, False)] * 2


def test_a_quotient_is_that_of_the_slowdowns():
    evidence = pv.Evidence("A", HEAD, PLAIN)
    value, low, high = evidence.quotient("", "mwbs", "PV-EASY", "EASY")
    ours, easy = (
        counts.slowdowns(evidence.schedule("", policy))["mwbs"][0] for policy in ("PV-EASY", "EASY")
    )
    assert value == pytest.approx(ours / easy) and low <= value <= high


def test_waste_is_small_up_to_a_tenth():
    assert answers(pv, "little-waste", Made(PV_EASY=simulate(HEAD, PVEasy()))) == [True]
    wide = jobs(4, (0, 10, 2, 20), (1, 2, 4), (2, 15, 2))  # 16 of 108 processor seconds are lost
    assert answers(pv, "little-waste", Made(PV_EASY=simulate(wide, PVEasy()))) == [False]
    nobody = simulate(jobs(4, (0, 10, 3), (1, 5, 4)), PVEasy())
    assert answers(pv, "little-waste", Made(PV_EASY=nobody)) == [True]
    later = simulate(wide.replace(submit=wide.submit + 1000), PVEasy())
    assert answers(pv, "little-waste", Made(PV_EASY=later)) == [False]
    assert answers(pv, "little-waste", Made({"since": "time-0"}, PV_EASY=later)) == [True]


# ---- heel and toe


class Runs(heel.Evidence):
    """Evidence whose runs come from a function of the estimates; the seeds scatter them by a thousandth."""

    def __init__(self, value, log="CTC-SP2", **changed):
        super().__init__(log, THREE, Variant("v", **changed))
        self.value = value

    def run(self, model, seed=1):
        names = ("mean_wait", "mean_bounded_slowdown", "backfilled", "run_time", "size")
        return dict.fromkeys(names, self.value(model) + seed / 1000)

    def sjfness(self, f):
        if self.scheduler != EASY():
            return super().sjfness(f)
        return np.array([self.value(FModel(f)) + seed / 1000 for seed in range(5)])


def f_of(model):
    """The badness of a model; 0 for exact estimates."""
    return getattr(model, "f", 0.0)


RISING, FALLING = (lambda model: 10 + f_of(model)), (lambda model: 100 / (1 + f_of(model)))


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("perfect-better", {Exact(): 1, Users(): 2}.get, {Exact(): 2, Users(): 1}.get),
        (
            "doubling-helps",
            {Exact(): 4, Users(): 4, Users(2): 3, Exact(2): 3}.get,
            {Exact(): 3, Users(): 3, Users(2): 4, Exact(2): 4}.get,
        ),
        ("initial-drop", FALLING, RISING),
        ("rises-again", RISING, FALLING),
        (
            "better-than-real",
            lambda model: {Users(): 1000}.get(model, f_of(model)),
            lambda model: {Users(): 5}.get(model, f_of(model)),
        ),
        ("more-backfilling", RISING, FALLING),
        ("sjfness-rises", RISING, FALLING),
        (
            "truncated-meets-real",
            lambda model: 500 if isinstance(model, Users) else f_of(model),
            lambda model: 1e6 if isinstance(model, Users) else f_of(model),
        ),
    ],
)
def test_a_headline_of_heel_and_toe_is_decided_both_ways(name, holds, fails):
    assert set(answers(heel, name, Runs(holds))) == {True}
    assert set(answers(heel, name, Runs(fails))) == {False}


def test_a_difference_below_the_scatter_is_not_sure():
    scatter = iter(np.tile([9.0, 11.0, 10.1, 9.9, 10.0], 40))
    evidence = Runs(lambda model: 10.0 if model == Exact() else next(scatter))
    assert [one.sure for one in found_of(heel, "initial-drop", evidence)] == [False, False]


def test_where_heel_and_toe_has_nothing_to_decide():
    with pytest.raises(NotApplicable, match="default EASY"):
        answers(heel, "sjfness-rises", Runs(RISING, scheduler={"reservation": "kept"}))
    with pytest.raises(NotApplicable, match="no E_max"):
        answers(heel, "truncated-meets-real", Runs(RISING, log="SDSC-DS"))
    assert Runs(RISING, log="KTH-SP2-2").limit() == 60 * 3600
    assert Runs(RISING, log="KTH-SP2-2", count={"e_max": "least"}).limit() == 4 * 3600


def test_runs_are_simulated_under_the_change():
    evidence = heel.Evidence("A", HEAD, Variant("r", count={"trim": False}))
    assert evidence.run(Users())["mean_wait"] == pytest.approx(simulate(HEAD, EASY()).wait.mean())
    assert evidence.run(Users()) is evidence.run(Users())
    [variant] = variants.alone("events", dimensions.ALL["events"])
    assert np.isfinite(heel.Evidence("A", HEAD, variant).run(FModel(2))["backfilled"])


# ---- Top Percent


class Blocks:
    """A log's rows: values by (policy, measure) with draws close to them, and shares of jobs."""

    def __init__(self, values=(), default=1.0, under=None):
        self.given, self.default, self.under = dict(values), default, under or {}

    def _drawn(self, value):
        return value + np.array([0.0, -1e-4, 1e-4])

    def values(self, policy, measure):
        return self._drawn(self.given.get((policy, measure), self.given.get(policy, self.default)))

    def shares(self, policy, part):
        return self._drawn(self.under.get(policy, 0.5))


TOPS, RELATED = ("Top02", "Top03", "Top04"), ("Complete", "CVH", "Tsafrir")


@pytest.mark.parametrize(
    ("name", "holds", "fails"),
    [
        ("better-predictions-help", Blocks({"Clairvoyant": 0.9}), Blocks({"Clairvoyant": 1.1})),
        ("top-beats-reqtime", Blocks(dict.fromkeys(TOPS, 0.99)), Blocks(dict.fromkeys(TOPS, 1.01))),
        (
            "nobody-else-does",
            Blocks(dict.fromkeys(RELATED, 1.1)),
            Blocks(dict.fromkeys(RELATED, 0.9)),
        ),
        ("top-best-priority", Blocks({"Top03": 0.9}), Blocks({"CVH": 0.9})),
        ("top-tolerable", Blocks(dict.fromkeys(TOPS, 1.09)), Blocks(dict.fromkeys(TOPS, 1.11))),
        (
            "least-underprediction",
            Blocks(under=dict.fromkeys(TOPS, 0.1)),
            Blocks(under=dict.fromkeys(TOPS, 0.9)),
        ),
        ("complete-best-r2", Blocks({"Complete": 1.2}), Blocks({"CVH": 1.2})),
    ],
)
def test_a_headline_of_top_percent_is_decided_both_ways(name, holds, fails):
    for block, answer in ((holds, True), (fails, False)):
        evidence = SimpleNamespace(blocks={"A": block}, workloads={"A": THREE})
        assert set(answers(top, name, evidence)) == {answer}


def test_top_percent_simulates_under_the_change():
    change = Variant("r", scheduler={"passes": "if-fits"}, predictor={"coded": True})
    evidence = top.Evidence("A", HEAD, change)
    assert evidence.schedules["A", "Reqtime"].scheduler.passes == "if-fits"
    assert evidence.schedules["A", "Top02"].scheduler.predictor == TopPercent(2, coded=True)
    assert len(pd.unique(evidence.blocks["A"].values("Reqtime", "af"))) == 1
