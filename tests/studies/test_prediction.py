"""The study beyond the papers: its tasks and its rules, on slowdowns that were made up."""

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


def log(name):
    submit = np.arange(0, 4 * WEEK, WEEK // 10)
    return Workload.from_columns(name, 4, submit, submit % 700 + 1, submit % 4 + 1)


@pytest.fixture(scope="module")
def tasks():
    logs = {name: log(name) for name in ("one", "two", "three")}
    return prediction.tasks(logs, range(1, 5))


@pytest.fixture
def made_up(tasks, monkeypatch):
    """Studies, on weeks and on users, with the slowdowns that a function gives to a
    task's names.
    """

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
        return [prediction.Study(some) for some in tasks]

    return make


def plain(scheduler, predictor, factor, estimates, correction="estimate"):
    """The same worth everywhere; doubling is worth a fifth, inaccurate estimates a tenth with
    estimates alone.
    """
    biased = {0.5: 0.1, 1.0: 0.0, 2.0: -0.2, 4.0: -0.1}[factor]
    gain = 0.1 if estimates in ("f = 3", "doubled") and predictor == "estimate" else 0.0
    return 3 + WORTH[predictor] + biased - gain


def test_every_task_has_its_names_and_its_workload(tasks):
    tasks = [task for some in tasks for task in some]
    assert len({(task.log.name, task.seeds[0]) for task in tasks}) == 12
    assert all(len(task.seeds) == 1 for task in tasks)
    pieces = {id(task.workload): task.log.name for task in tasks}
    assert len(pieces) <= 11 * 2 * 12, "each part draws its workloads once for each load"


def test_groups_and_their_members_are_resampled_with_equal_weights():
    weights = prediction.nested_weights(3, 4, "a test")
    assert weights.shape == (1 + over_seeds.DRAWS, 12)
    assert np.allclose(weights[0], 1 / 12) and np.allclose(weights.sum(axis=1), 1)
    by_group = weights.reshape(-1, 3, 4).sum(axis=2)
    assert (by_group[1:] == 0).any(), "a group may be left out"
    assert np.allclose(by_group * 3, np.rint(by_group * 3)), "a group keeps its weight"


def test_a_better_predictor_or_a_more_biased_one(made_up):
    found, _ = made_up(plain)
    ratios = prediction.better_or_biased(found)
    learned = np.mean([WORTH[name] for name in prediction.LEARNED])
    assert ratios["perfect"][0] == pytest.approx(np.exp(-0.5 - learned), rel=0.03)
    assert ratios["2"][0] == pytest.approx(np.exp(-0.2), rel=0.03)
    accuracies = {name: np.full(12, -WORTH[name]) for name in ("estimate", *prediction.LEARNED)}
    correlation = prediction.rank_correlation(found, accuracies)
    assert correlation[0] < -0.9
    assert prediction.findings(found, correlation)["first"] == "a better one"
    biased, _ = made_up(lambda s, p, factor, *more: plain(s, p, factor, *more) - (factor == 2.0))
    assert prediction.findings(biased, correlation)["first"] == "a more biased one"


def test_the_order_of_predictors(made_up):
    same, _ = made_up(plain)
    table = prediction.pairs(same)
    assert not prediction.reversed_pairs(table).any()
    assert (table.loc[table["ratio"] < 0.9, "outcome"] == 1).all()
    assert prediction.agreement(same)[0] == 1

    def other(scheduler, predictor, *_):
        return 3 + WORTH[predictor] * (-1 if scheduler == "PV-EASY" else 1)

    reversed_, _ = made_up(other)
    assert prediction.reversed_pairs(prediction.pairs(reversed_)).sum() == 15
    assert prediction.agreement(reversed_)[0] == pytest.approx(0.2)


def test_where_the_gain_survives(made_up):
    made, _ = made_up(plain)
    found, said = prediction.gains(made), prediction.findings(made, np.zeros(1001))
    assert (said["survives"], said["of"], said["each"], said["second"]) == (0, 40, 8, "yes")
    assert said["gain"] == pytest.approx(100 * (1 - np.exp(-0.1)), abs=1.5)
    survives = found["outcome"] == "survives"
    assert (survives == (found["predictor"] == "estimate")).all()
    harmed, _ = made_up(lambda s, p, f, estimates, c: 3 + 0.3 * (estimates in ("f = 3", "doubled")))
    assert (prediction.gains(harmed)["outcome"] == "turns").all()


def test_a_sixth_predictor(made_up):
    found, _ = made_up(plain)
    table = prediction.sixth(found)
    assert table["scheduler"].tolist() == [s for s in prediction.SCHEDULERS if s != "PV-EASY"]
    learned = np.mean([WORTH[name] for name in prediction.LEARNED])
    assert table["ratio"].to_numpy() == pytest.approx(np.exp(-0.4 - learned), rel=0.03)
    assert (table["outcome"] == "better").all()
    assert len(prediction.gains(found)) == 2 * (5 * 5 + 4)
    mixed, _ = made_up(lambda s, p, *more: plain(s, p, *more) - (p == "CVH") * (more[0] == 2.0))
    assert prediction.first_answer(prediction.better_or_biased(mixed)) == "a better one"
    ratios = prediction.better_or_biased(mixed, more=["CVH"])
    assert ratios["2"][0] == pytest.approx(np.exp(-0.2 - 0.2), rel=0.03)


def test_corrections(made_up):
    found, _ = made_up(
        lambda *names: plain(*names) + {"tsafrir": -0.1, "now": 0.1}.get(names[-1], 0)
    )
    table = prediction.corrections(found)
    assert len(table) == 4 * 3 and "largest area first" not in set(table["scheduler"])
    outcomes = table.groupby("correction")["outcome"].unique().map(list).to_dict()
    assert outcomes == {
        "Tsafrir's steps": ["helps"],
        "twice as long": ["undecided"],
        "ends now": ["harms"],
    }
    for ratios in prediction.corrected_answers(found).values():
        assert ratios["2"][0] == pytest.approx(np.exp(-0.2), rel=0.03)


def test_limits_of_the_answers(made_up):
    found, users = made_up(plain)
    same, opposite, of = prediction.same_gains(found, users)
    assert (same, opposite, of) == (50, 0, 50)
    text = prediction.limits(found, users)
    assert "the answer to the first question is **a better one**" in text
    assert "predictions worse in 0 of 12 cases and better in 0" in text
    assert f"{same} of 50 gains have the same outcome (0 the opposite one)" in text
    harmed, _ = made_up(lambda s, p, f, estimates, c: 3 + 0.3 * (estimates in ("f = 3", "doubled")))
    assert prediction.same_gains(harmed, users)[1] == 10, "with estimates they survive, or turn"


def test_tables_and_pictures_contain_all_tasks(made_up):
    found, users = made_up(plain)
    table = prediction.overview(found)
    assert table["scheduler"].tolist() == [*prediction.SCHEDULERS, *prediction.ORDERS]
    assert (table.loc[table["scheduler"].isin(prediction.SCHEDULERS)] != "").sum(
        axis=None
    ) == 5 * 10 - 1
    assert table.set_index("scheduler").loc["queue: F1", "Last"] == ""
    assert table.loc[0, "estimate"] == "1.00 [1.00, 1.00]"
    answers = prediction.answers(found, np.zeros(1001), users)
    assert set(answers["question"]) == set("123456")
    accuracies = {name: np.full(12, 0.5) for name in ("estimate", *prediction.LEARNED)}
    assert len(prediction.draw_bias(found, accuracies).axes) == 6
    assert len(prediction.draw_order(found).axes) == 1
    assert len(prediction.draw_gains(prediction.gains(found)).axes) == 2
    assert len(prediction.draw_corrections(prediction.corrections(found)).axes) == 1
