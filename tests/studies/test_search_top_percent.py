"""The search over the choices that Top Percent leaves open: distances by hand, identified choices,
held-out logs.
"""

import numpy as np
import pytest

import search_top_percent as search
from notebooks.top_percent import runs
from notebooks.variants import Variant
from replication.verdicts.published import EvidenceError, Published
from tests.workloads import random_jobs


def dimension(name, *choices):
    return {name: tuple(Variant(choice, f"things are {choice}") for choice in choices)}


THINGS = (
    dimension("colour", "red", "blue", "green")
    | dimension("shape", "round", "square")
    | dimension("size", "big", "small")
)
CODES = np.indices((3, 2, 2), dtype=np.int8).reshape(3, -1).T


def printed(measure, value, trace="A", policy="p"):
    return Published("table1", trace, policy, measure, value, "1", 0, "made up")


def cells(values):
    """Return the cells as from `search.simulate_all` from {(log, measure, choice): value}."""
    by_key = {}
    for (log, measure, choice), value in values.items():
        by_key.setdefault((log, "p", measure), []).append((dict([choice]), value))
    return by_key


@pytest.fixture(scope="module")
def result():
    """Blue is right on every log, square on A and B alone, and nothing depends on size; printed are
    100 and 10.
    """
    values = {}
    for log in "ABC":
        for colour, value in {"red": 150.0, "blue": 101.0, "green": 60.0}.items():
            values[log, "n", ("colour", colour)] = value
        values[log, "m", ("shape", "round")] = 12.0 if log != "C" else 10.0
        values[log, "m", ("shape", "square")] = 10.0 if log != "C" else 20.0
    numbers = [
        printed(name, value, log) for log in "ABC" for name, value in (("n", 100), ("m", 10))
    ]
    return search.Search(CODES, cells(values), numbers, THINGS)


def test_distances_are_those_worked_out_by_hand(result):
    # Differences of blue, square and big: 1 %, 0, 1 %, 0, 1 %, 100 %.
    k = CODES.tolist().index([1, 1, 0])
    assert result.differences[k] == pytest.approx([0.01, 0, 0.01, 0, 0.01, 1.0], abs=1e-7)
    assert result.distances[k] == pytest.approx(0.01)
    assert result.matched[k].tolist() == [True] * 5 + [False]
    # The default, red and round: 50 %, 20 %, 50 %, 20 %, 50 %, 0.
    assert result.distances[0] == pytest.approx(0.35)
    # Blue has 1 % whatever the shape; then the worst difference decides for round, then the place.
    assert result.words(result.best) == "things are blue"


def test_an_undefined_number_is_infinitely_far():
    values = {"red": 1.0, "blue": np.nan, "green": 2.0}
    table = cells({("A", "n", ("colour", name)): value for name, value in values.items()})
    colour = {"colour": THINGS["colour"]}
    result = search.Search(np.arange(3)[:, None], table, [printed("n", 2), printed("x", 5)], colour)
    assert result.differences[:, 0].tolist() == [0.5, np.inf, 0]
    assert list(result.order) == [2, 0, 1] and not result.matched[1, 0]
    with pytest.raises(EvidenceError, match="none of the published numbers"):
        search.Search(np.arange(3)[:, None], table, [printed("x", 5)], colour)


def test_a_choice_is_identified_only_if_no_log_contradicts_it(result):
    table = search.choices(result)
    assert search.identified(table)["all"].tolist() == ["blue", "left open", "moves nothing"]
    table = table.set_index("choice")
    blue, square = table.loc["blue"], table.loc["square"]
    assert (blue["best_with"], blue["best_without"]) == pytest.approx((1, 40), rel=1e-6)
    assert (blue["numbers"], blue["fits"], square["fits"]) == (3, "3 of 3", "1 of 3")
    # On A and B square is exact and round 20 % off; on C round is exact.
    assert (square["best_with"], square["best_without"]) == pytest.approx((0, 20))
    undecided = search.choices(result, decided=False)
    assert set(undecided["verdict"]) == {"not decided here"}


def test_a_log_is_held_out_from_the_choice_tested_on_it(result):
    table = search.hold_out(result).set_index("tested_on")
    # Without C, blue and square are within 1 % and exact; on C the square is 100 % off: the median
    # is 50.5 %.
    assert table.loc["C", "choices"] == "things are blue; things are square"
    fit = table.loc["C", ["fit", "test", "default", "possible"]].tolist()
    assert fit == pytest.approx([0.5, 50.5, 25, 0.5])
    # Round: 25, 0.5 and 20 %; square: 75, 50.5 and 70 %. Sizes do not differ.
    assert table.loc["C", "tried"] == 6
    assert table.loc["C", "blind"] == pytest.approx((25 + 50.5) / 2)
    assert table.loc["C", "beaten"] == pytest.approx(100 * 2 / 6)


def test_a_number_of_a_combination_is_that_of_its_own_simulation():
    some_jobs = random_jobs(150, 8, 1800, 90, 200)
    codes = search.combinations(single=True, fixed=search.CLEANING)
    table = search.simulate_all({"A": some_jobs}, codes)
    numbers = [printed(measure, 1, policy="Tsafrir") for measure in ("af", "r2")]
    result = search.Search(codes, table, numbers)
    for k, row in enumerate(codes):
        chosen = [several[at] for several, at in zip(search.DIMENSIONS.values(), row, strict=True)]
        variant = search._together(chosen)
        base = runs.measure(runs.run(some_jobs, "Reqtime", variant))
        schedule = runs.run(some_jobs, "Tsafrir", variant)
        assert result.values[k, 0] == runs.measure(schedule)["af"] / base["af"]
    assert len({*result.values[:, 0]}) > 1 and len({*result.values[:, 1]}) > 1
