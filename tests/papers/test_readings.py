"""The search over readings: distances by hand, what is identified, what is chance; each simulation once."""

import itertools
import json

import numpy as np
import pandas as pd
import pytest

from replication.papers.published import EvidenceError, Published
from replication.papers.pv_easy import counts
from replication.papers.readings import Found, Grid, Rule, tables, words
from replication.papers.readings import search as readings_search
from replication.papers.readings.search import Part
from replication.papers.top_percent import readings as top_percent
from replication.papers.top_percent import runs as top_runs
from replication.papers.variants import Variant, together
from replication.simulator import code, paths
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload


def things(name, *choices):
    """A dimension of a made-up paper."""
    return {name: tuple(Variant(choice, f"things are {choice}") for choice in choices)}


def chosen_of(grid, k):
    """Names of the choices of a combination by dimension."""
    return {name: one.name for name, one in grid.variants(k).items()}


COLOUR = things("colour", "red", "blue", "green")
SHAPE, SIZE = things("shape", "round", "square"), things("size", "big", "small")
LOGS = ("A", "B", "C")


def printed(measure, value, trace="A", decimals=0, item="table1"):
    """A number as a paper has it."""
    return Published(item, trace, "p", measure, value, "1", decimals, "made up")


def rows(values):
    """A search's table from {(trace, measure, choices as a dict's items): value}."""
    return pd.DataFrame(
        [
            (trace, "p", measure, value, json.dumps(dict(chosen), sort_keys=True))
            for (trace, measure, chosen), value in values.items()
        ],
        columns=["trace", "policy", "measure", "value", "chosen"],
    )


@pytest.fixture(scope="module")
def found():
    """Blue is right on every log, square on A and B alone, and nothing depends on size.

    Printed are 100 and 10 on each log. The first number moves with colour, the second with shape.
    """
    colours, values = {"red": 150.0, "blue": 101.0, "green": 60.0}, {}
    for log in LOGS:
        for colour, value in colours.items():
            values[log, "n", (("colour", colour),)] = value
        for shape, value in {
            "round": 12.0 if log != "C" else 10.0,
            "square": 10.0 if log != "C" else 20.0,
        }.items():
            values[log, "m", (("shape", shape),)] = value
    numbers = [printed(name, value, log) for log in LOGS for name, value in (("n", 100), ("m", 10))]
    return Found(Grid(COLOUR | SHAPE | SIZE), rows(values), numbers)


def test_a_grid_has_all_combinations_once_and_the_default_first():
    grid = Grid(COLOUR | SHAPE)
    assert [tuple(chosen_of(grid, k).values()) for k in range(len(grid))] == list(
        itertools.product(("red", "blue", "green"), ("round", "square"))
    )
    assert grid.words(0) == "the default"
    assert grid.words(3) == "things are blue; things are square"


def test_what_makes_no_sense_is_left_out_and_counted():
    grid = Grid(
        COLOUR | SHAPE,
        [
            Rule("no blue squares", {"colour": ("blue",), "shape": ("square",)}),
            Rule("no squares", {"shape": ("square",)}),
        ],
    )
    assert grid.left_out == {"no blue squares": 1, "no squares": 2}
    assert [chosen_of(grid, k)["colour"] for k in range(len(grid))] == ["red", "blue", "green"]


def test_a_first_look_changes_one_choice_at_a_time():
    grid = Grid(COLOUR | SHAPE | SIZE, around=({}, {"shape": "square"}))
    chosen = [tuple(chosen_of(grid, k).values()) for k in range(len(grid))]
    assert ("blue", "square", "big") in chosen
    assert ("blue", "round", "small") not in chosen
    assert len(chosen) == len(set(chosen)) == 8


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: Grid(COLOUR, [Rule("why", {"colour": ("red",)})]),
            "rule 'why' forbids the default",
        ),
        (
            lambda: Grid(COLOUR, [Rule("why", {"colour": ("pink",)})]),
            "rule 'why': choice of colour 'pink'.*; allowed: red, ",
        ),
        (
            lambda: Grid(COLOUR, [Rule("why", {"hue": ("red",)})]),
            "rule 'why': choice of hue 'red'; allowed: none",
        ),
        (
            lambda: Found(
                Grid(COLOUR), rows({("A", "n", (("colour", "red"),)): 1.0}), [printed("m", 1)]
            ),
            "none of the published numbers was computed",
        ),
    ],
)
def test_a_search_that_makes_no_sense_is_refused(make, message):
    with pytest.raises(EvidenceError, match=message):
        make()


def test_distances_are_those_worked_out_by_hand(found):
    # Differences of blue and square: 1 %, 0, 1 %, 0, 1 %, 100 %; the median lies between 1 % and 1 %.
    k = next(
        k
        for k in range(len(found))
        if list(chosen_of(found.grid, k).values()) == ["blue", "square", "big"]
    )
    assert found.differences[k] == pytest.approx([0.01, 0, 0.01, 0, 0.01, 1.0], abs=1e-7)
    assert found.distances[k] == pytest.approx(0.01)
    assert found.matched[k].tolist() == [True] * 5 + [False]
    # The default, red and round: 50 %, 20 %, 50 %, 20 %, 50 %, 0.
    assert found.distances[0] == pytest.approx(0.35)
    # Blue has 1 % at the median whatever the shape; then the worst difference decides for round, then the
    # grid's order.
    assert list(chosen_of(found.grid, found.best).values()) == ["blue", "round", "big"]


def test_an_undefined_number_is_infinitely_far_and_a_repeated_one_counts_once():
    values = {
        ("A", "n", (("colour", "red"),)): 1.0,
        ("A", "n", (("colour", "blue"),)): np.nan,
        ("A", "n", (("colour", "green"),)): 2.0,
    }
    numbers = [printed("n", 2), printed("n", 2, item="table2"), printed("absent", 5)]
    found = Found(Grid(COLOUR), rows(values), numbers)
    assert len(found.numbers) == 1
    assert found.differences[:, 0].tolist() == [0.5, np.inf, 0]
    assert list(found.order) == [2, 0, 1]
    assert not found.matched[1, 0]


def test_a_choice_is_identified_only_if_no_log_speaks_against_it(found):
    table = tables.choices(found)
    assert tables.identified(table)["all"].tolist() == ["blue", "left open", "moves nothing"]
    table = table.set_index(["dimension", "choice"])
    assert table["verdict"].to_dict() == {
        ("colour", "red"): "left open",
        ("colour", "blue"): "identified",
        ("colour", "green"): "left open",
        ("shape", "round"): "left open",
        ("shape", "square"): "left open",
        ("size", "big"): "moves nothing",
        ("size", "small"): "moves nothing",
    }
    blue, square = table.loc[("colour", "blue")], table.loc[("shape", "square")]
    assert (blue["best_with"], blue["best_without"]) == pytest.approx((1, 40), rel=1e-6)
    assert (blue["numbers"], blue["fits"], square["fits"]) == (3, "3 of 3", "1 of 3")
    # On A and B square is exact and round 20 % off; on C round is exact.
    assert (square["best_with"], square["best_without"]) == pytest.approx((0, 20))
    assert table.loc[("size", "big"), "numbers"] == 0
    undecided = tables.choices(found, decided=False)
    assert set(undecided["verdict"]) == {"not decided here"}
    assert "match" in tables.ranking(found)
    assert "match" not in tables.ranking(found, decided=False)
    said = words.finding(found, undecided, tables.hold_out(found))
    assert (
        said
        == "- 12 combinations were tried. Generated or shortened logs decide nothing about a paper."
    )


def test_a_log_is_held_out_from_what_is_tested_on_it(found):
    table = tables.hold_out(found).set_index("tested_on")
    # Without C, blue and square are within 1 % and exact; on C the square is 100 % off, so the median is 50.5
    # %.
    assert table.loc["C", "reading"] == "things are blue; things are square"
    assert table.loc["C", ["fit", "test", "default", "possible"]].tolist() == pytest.approx(
        [0.5, 50.5, 25, 0.5]
    )
    # Round: 25, 0.5 and 20 %; square: 75, 50.5 and 70 %. Nothing tells sizes apart.
    assert table.loc["C", "tried"] == 6
    assert table.loc["C", "blind"] == pytest.approx((25 + 50.5) / 2)
    assert table.loc["C", "beaten"] == pytest.approx(100 * 2 / 6)


def test_the_best_for_each_log_stands_beside_the_common_one(found):
    table = tables.each(found).set_index("trace")
    assert table.loc["A", ["own", "common", "default"]].tolist() == pytest.approx([0.5, 10.5, 35])
    assert "**No one reading explains all logs**: A, B" in words.finding(
        found, tables.choices(found), tables.hold_out(found)
    )


def test_a_range_holds_all_values_and_says_whether_the_paper_is_inside(found):
    table = tables.ranges(found).set_index(["trace", "measure"])
    assert table.loc[("A", "n"), ["default", "best", "lowest", "highest"]].tolist() == [
        150,
        101,
        60,
        150,
    ]
    assert table["inside"].eq("yes").all()


# --- the simulations ---


def some_jobs(name="some", n=150, seed=5):
    """A busy machine and a few users."""
    rng = np.random.default_rng(seed)
    run_time = rng.integers(1, 90, n)
    return Workload.from_columns(
        name,
        8,
        submit=np.sort(rng.integers(0, 12 * n, n)),
        run_time=run_time,
        processors=rng.integers(1, 8, n),
        estimate=run_time + rng.integers(0, 200, n),
        user=rng.integers(1, 5, n),
    )


def waits(workload, variant):
    """Numbers of a toy paper: mean waits under EASY and under another reading of it."""
    schedule = simulate(workload, variant.of(EASY()))
    yield "p", "wait", {}, schedule.wait.mean()
    yield "p", "longest", {"of": "all"}, schedule.wait.max()
    yield "p", "longest", {"of": "wide"}, schedule.wait[workload.processors > 4].max()


TOY = Grid(
    {
        "candidates": (
            Variant("fcfs", "the queue's order"),
            Variant("sjf", "the shortest first", scheduler={"candidates": "sjf"}),
        ),
        "of": (Variant("all", "all jobs count"), Variant("wide", "wide jobs count")),
    }
)
PART = Part("toy", ("candidates",), waits)


def toy_search(folder, **how):
    jobs = {log: some_jobs(log, seed=k) for k, log in enumerate(LOGS)}
    return readings_search.search(
        TOY, [PART], lambda log, variant: jobs[log], LOGS, folder=folder, **how
    )


def test_workers_do_not_matter_and_results_are_stored(tmp_path, monkeypatch):
    monkeypatch.setattr(code, "of", lambda *things: "known")
    one, three = toy_search(tmp_path / "one"), toy_search(tmp_path / "three", workers=3)
    pd.testing.assert_frame_equal(one, three)
    monkeypatch.setattr(readings_search, "compute", lambda task: pytest.fail("computed again"))
    pd.testing.assert_frame_equal(one, toy_search(tmp_path / "one"))


def test_a_number_under_a_combination_is_that_of_its_own_simulation(tmp_path):
    found = Found(TOY, toy_search(tmp_path), [printed("wait", 1), printed("longest", 1)])
    jobs = some_jobs("A", seed=0)
    waited = set()
    for k in range(len(TOY)):
        chosen = chosen_of(TOY, k)
        schedule = simulate(jobs, EASY(candidates=chosen["candidates"]))
        counted = schedule.wait if chosen["of"] == "all" else schedule.wait[jobs.processors > 4]
        assert [found.values(n, k) for n in range(2)] == [schedule.wait.mean(), counted.max()]
        waited.add(schedule.wait.mean())
    assert len(waited) == 2


def test_jobs_are_read_once_for_each_cleaning_of_a_log(tmp_path):
    asked = []

    def jobs(log, variant):
        asked.append((log, variant.cleaning, variant.log))
        return some_jobs(log)

    clean = {
        "machine": (Variant("own"), Variant("8", cleaning={"machine": 8}, logs=("A",))),
        "which": (Variant("recorded"), Variant("cleaned", log="C", logs=("B",))),
    }
    grid = Grid(clean | TOY.dimensions)
    part = Part("toy", ("machine", "which", "candidates"), waits)
    readings_search.search(grid, [part], jobs, ("A", "B"), folder=tmp_path)
    assert asked == [("A", {}, ""), ("B", {}, ""), ("B", {}, "C"), ("A", {"machine": 8}, "")]


def test_a_key_depends_on_jobs_and_choices(monkeypatch):
    monkeypatch.setattr(code, "of", lambda *things: "known")

    def several(k):
        return ((chosen_of(TOY, k), together(TOY.variants(k).values())),)

    def task(part=PART, log="A", jobs=None, k=0):
        return readings_search.Task(part, log, jobs or some_jobs(), several(k))

    others = [
        task(log="B"),
        task(jobs=some_jobs(seed=6)),
        task(jobs=some_jobs().replace(user=np.ones(150, np.int64))),
        task(k=2),
        task(Part("other", ("candidates",), waits)),
    ]
    assert len({task().key, *(other.key for other in others)}) == 1 + len(others)
    assert task().key == task().key


# --- the papers' own ---


DEFAULT = Variant("default")


def test_the_default_is_what_the_ordinary_tables_count():
    jobs = some_jobs()
    table = {}
    for part in top_percent.PARTS:
        for policy, measure, ways, value in part.measure(jobs, DEFAULT):
            if ways.get("r2", "submission") == "submission":
                table[policy, measure] = value
    own = top_runs.over_requested(
        [
            {"trace": "made", "policy": policy} | top_runs.measured(top_runs.run(jobs, policy))
            for policy in top_runs.POLICIES
        ]
    )
    assert table == own.set_index(["policy", "measure"])["value"].to_dict()


@pytest.mark.parametrize(
    ("submit", "run_time", "processors", "starts", "blocked"),
    [
        # Job 1 is passed by job 2, which ends in time; job 4 waits with no job behind it.
        (
            [0, 1, 2, 30, 31],
            [10, 9, 3, 5, 1],
            [3, 4, 1, 4, 4],
            [0, 10, 2, 30, 35],
            {"any": [1, 4], "others-wait": [1], "passed": [1]},
        ),
        # Job 2 waits behind job 1, and then alone; no job is passed.
        (
            [0, 1, 2],
            [10, 5, 5],
            [4, 4, 4],
            [0, 10, 15],
            {"any": [1, 2], "others-wait": [1], "passed": []},
        ),
    ],
)
def test_blocked_jobs_may_be_those_that_others_wait_behind_or_pass(
    submit, run_time, processors, starts, blocked
):
    jobs = Workload.from_columns("x", 4, submit=submit, run_time=run_time, processors=processors)
    schedule = simulate(jobs)
    assert schedule.start.tolist() == starts
    assert {
        which: np.flatnonzero(counts.blocked_jobs(schedule, which)).tolist() for which in blocked
    } == blocked


def test_a_choice_about_one_log_changes_nothing_of_the_others():
    ctc = Variant("430", "CTC has 430 processors", cleaning={"machine": 430}, logs=("CTC-SP2",))
    assert together([ctc], "SDSC-SP2") == together([], "SDSC-SP2")
    assert together([ctc], "CTC-SP2").cleaning == {"machine": 430}


# --- what docs/decisions.md says that was found ---


def drawn(paper, name, key):
    """A table of the committed figures."""
    return pd.read_csv(paths.FIGURES / paper / f"readings-{name}.csv").set_index(key)


def test_decisions_say_of_top_percent_what_was_drawn():
    short = drawn("top_percent", "identified", "dimension")["all"]
    assert short[short == "left open"].index.tolist() == ["size", "jobs", "order"]
    nearest = drawn("top_percent", "nearest", "rank")
    chosen = {
        "jobs": "with-request",
        "passes": "if-fits",
        "order": "submissions-first",
        "top": "as-coded",
        "r2": "recorded",
    }
    named = {
        (name, one.name): one.words
        for name, several in top_percent.DIMENSIONS.items()
        for one in several
    }
    assert nearest.loc[1, "reading"] == "; ".join(named[choice] for choice in chosen.items())
    default = nearest[nearest["reading"] == "the default"].iloc[0]
    assert (nearest.loc[1, "match"], default["match"]) == (86, 65)
    assert (round(nearest.loc[1, "median"], 2), round(default["median"], 1)) == (0.04, 0.5)
    assert (drawn("top_percent", "held_out", "tested_on")["test"] < 0.07).all()
    tried = drawn("top_percent", "tried", "combinations").loc["tried", "number"]
    text = (paths.ROOT / "docs" / "decisions.md").read_text(encoding="utf-8")
    assert f"**Top Percent** ({tried:,} combinations" in text
