"""The study beyond the papers: its rules, on slowdowns that were made up."""

import numpy as np
import pandas as pd
import pytest

import prediction
from notebooks import over_seeds
from replication.simulator.sweeps import grid
from replication.simulator.workload import Workload

WEEK = 7 * 24 * 3600
WORTH = {
    "estimate": 0.0,
    "Last": 0.1,
    "Tsafrir": -0.2,
    "Complete": -0.3,
    "Top Percent": -0.1,
    "clairvoyant": -0.5,
    "CVH": -0.4,
}
LEARNED = np.mean([WORTH[name] for name in prediction.LEARNED])


def log(name):
    submit = np.arange(0, 4 * WEEK, WEEK // 10)
    return Workload.from_columns(name, 4, submit, submit % 700 + 1, submit % 4 + 1)


@pytest.fixture(scope="module")
def tasks():
    return prediction.tasks({name: log(name) for name in ("one", "two")}, [1, 2])[0]


@pytest.fixture
def made_up(tasks, monkeypatch):
    """A study on weeks with the slowdowns that a function gives to a task's names."""

    def make(slowdown, noise=0.004):
        rng = np.random.default_rng(1)

        def run(tasks, workers):
            value = [slowdown(*prediction.names(task)[1:]) + noise * rng.normal() for task in tasks]
            return pd.DataFrame(
                {
                    "log": [task.log.name for task in tasks],
                    "seed": [task.seeds[0] for task in tasks],
                    "mean_bounded_slowdown": np.exp(value),
                }
            )

        monkeypatch.setattr(grid, "run", run)
        return prediction.Study(tasks)

    return make


def plain(scheduler, predictor, factor, estimates, correction="estimate"):
    """The same worth everywhere; doubling is worth a fifth, inaccurate estimates a tenth with
    estimates alone.
    """
    biased = {0.5: 0.1, 1.0: 0.0, 2.0: -0.2, 4.0: -0.1}[factor]
    gain = 0.1 if estimates in ("f = 3", "doubled") and predictor == "estimate" else 0.0
    return 3 + WORTH[predictor] + biased - gain


def test_groups_and_their_members_are_resampled_with_equal_weights():
    weights = prediction.nested_weights(3, 4, "a test")
    assert weights.shape == (1 + over_seeds.DRAWS, 12)
    assert np.allclose(weights[0], 1 / 12) and np.allclose(weights.sum(axis=1), 1)
    by_group = weights.reshape(-1, 3, 4).sum(axis=2)
    assert (by_group[1:] == 0).any(), "a group may be left out"
    assert np.allclose(by_group * 3, np.rint(by_group * 3)), "a group keeps its weight"


def test_a_better_predictor_or_a_more_biased_one(made_up):
    found = made_up(plain)
    ratios = prediction.better_or_biased(found)
    assert ratios["perfect"][0] == pytest.approx(np.exp(-0.5 - LEARNED), rel=0.03)
    assert ratios["2"][0] == pytest.approx(np.exp(-0.2), rel=0.03)
    assert prediction.first_answer(ratios) == "a better one"
    accuracies = {name: np.full(4, -WORTH[name]) for name in ("estimate", *prediction.LEARNED)}
    assert prediction.rank_correlation(found, accuracies)[0] < -0.9
    biased = made_up(lambda s, p, factor, *more: plain(s, p, factor, *more) - (factor == 2.0))
    assert prediction.first_answer(prediction.better_or_biased(biased)) == "a more biased one"


def test_the_order_of_predictors(made_up):
    same = made_up(plain)
    table = prediction.pairs(same)
    assert not prediction.reversed_pairs(table).any()
    assert (table.loc[table["ratio"] < 0.9, "outcome"] == 1).all()
    assert prediction.agreement(same)[0] == 1

    def other(scheduler, predictor, *_):
        return 3 + WORTH[predictor] * (-1 if scheduler == "PV-EASY" else 1)

    reversed_ = made_up(other)
    assert prediction.reversed_pairs(prediction.pairs(reversed_)).sum() == 15
    assert prediction.agreement(reversed_)[0] == pytest.approx(0.2)


def test_where_the_gain_survives_and_what_a_sixth_predictor_is_worth(made_up):
    study = made_up(plain)
    found = prediction.gains(study)
    assert (found["outcome"].eq("survives") == found["predictor"].eq("estimate")).all()
    own = found.loc[found["predictor"] == "estimate", "gain"]
    assert own.to_numpy() == pytest.approx(100 * (1 - np.exp(-0.1)), abs=1.5)
    harmed = made_up(lambda s, p, f, estimates, c: 3 + 0.3 * (estimates in ("f = 3", "doubled")))
    assert (prediction.gains(harmed)["outcome"] == "turns").all()
    table = prediction.sixth(study)
    assert table["scheduler"].tolist() == [s for s in prediction.SCHEDULERS if s != "PV-EASY"]
    assert table["ratio"].to_numpy() == pytest.approx(np.exp(-0.4 - LEARNED), rel=0.03)
    assert (table["outcome"] == "better").all()


def test_corrections(made_up):
    worth = {"tsafrir": -0.1, "now": 0.1}
    table = prediction.corrections(made_up(lambda *of: plain(*of) + worth.get(of[-1], 0)))
    outcomes = table.groupby("correction")["outcome"].unique().map(list).to_dict()
    assert outcomes == {
        "Tsafrir's steps": ["helps"],
        "twice as long": ["undecided"],
        "ends now": ["harms"],
    }
