"""Schedulers, predictors, requests and bias, crossed; the rules are in docs/decisions/study.md."""

from dataclasses import replace
from itertools import combinations

import numpy as np

from replication.basics import style, threads
from replication.basics.lazy import pandas as pd
from replication.basics.lazy import pyplot as plt
from replication.estimates import Exact, FModel, Users
from replication.evidence import resampling
from replication.papers import panels
from replication.predictors import Biased, Clairvoyant, Complete, Last, Request, TopPercent, Tsafrir
from replication.schedule.simulation import simulate
from replication.schedulers import EASY, Conservative, LargestAreaFirst, OrderedEASY, PVEasy
from replication.sweeps import grid

DAY = 24 * 3600
LOAD, LOWER = 0.9, 0.7
MEASURE = "mean_bounded_slowdown"
MATERIAL = 0.01
QUICK_DRAWN, QUICK = 2, ("request", "Last", "perfect")
#: The five that the questions are about, then the orders of the queue.
SCHEDULERS = {
    "EASY": EASY(),
    "EASY, shortest first": EASY(candidates="sjf"),
    "conservative": Conservative(),
    "PV-EASY": PVEasy(Request()),
    "largest area first": LargestAreaFirst(),
}
ORDERS = {
    "queue: shortest": OrderedEASY(),
    "queue: smallest area": OrderedEASY("smallest-area"),
    "queue: WFP3": OrderedEASY("wfp3"),
    "queue: F1": OrderedEASY("f1"),
    "queue: shortest, a day": OrderedEASY(limit=DAY),
    "queue: smallest area, a day": OrderedEASY("smallest-area", DAY),
}
PREDICTORS = {
    "request": Request(),
    "Last": Last(),
    "Tsafrir": Tsafrir(),
    "Complete": Complete(),
    "Top Percent": TopPercent(3),
    "perfect": Clairvoyant(),
}
LEARNED = ("Last", "Tsafrir", "Complete", "Top Percent")
REQUESTS = {"log": Users(), "doubled": Users(2), "exact": Exact(), "f = 3": FModel(3)}
GAINS = {"f = 3 over exact requests": ("f = 3", "exact"), "doubled requests": ("doubled", "log")}


def quick(tasks):
    """The tasks of few predictors, whose kernels are soon compiled."""
    few = {PREDICTORS[name] for name in QUICK}
    return [task for task in tasks if getattr(task.scheduler.predictor, "of", Request()) in few]


class Study:
    """Mean bounded slowdowns of the study, and what is asked of them.

    Parameters
    ----------
    tasks : list of replication.sweeps.grid.Task
        With one seed each, as a study with resampled workloads has them.
    workers : int
    """

    def __init__(self, tasks, workers=1):
        table = grid.run(tasks, workers)
        names = _names(SCHEDULERS | ORDERS), _names(PREDICTORS), _names(REQUESTS)
        rows = [_named(task, *names) for task in tasks]
        self.workloads = {
            (task.workload.name, task.seeds[0]): task.workload
            for task in tasks
            if task.load == LOAD
        }
        keys = ["load", "scheduler", "predictor", "factor", "requests"]
        found = pd.DataFrame(rows, columns=keys).assign(
            log=table["log"], seed=table["seed"], value=table[MEASURE], wait=table["mean_wait"]
        )
        known = set(found["predictor"])
        self.predictors = [name for name in PREDICTORS if name in known]
        self.learned = [name for name in LEARNED if name in known]
        order = list(dict.fromkeys(zip(found["log"], found["seed"], strict=True)))
        self.logs = list(dict.fromkeys(log for log, _ in order))
        values = np.log(found.set_index([*keys, "log", "seed"])["value"]).unstack(["log", "seed"])
        self._values = values[order]
        self._weights = resampling.nested(len(self.logs), len(order) // len(self.logs), "study")
        self._workers = workers

    def log_values(self, scheduler, predictor="request", factor=1.0, requests="log", load=LOAD):
        """The logarithm of the mean bounded slowdown on each workload, float64[n]."""
        return self._values.loc[(load, scheduler, predictor, factor, requests)].to_numpy()

    def means(self, values):
        """The mean over workloads, each log with one weight, then over logs and workloads drawn anew; float64[1001]."""
        return (self._weights * values).sum(axis=1)

    def ratio(self, one, other):
        """Ratio of two mean bounded slowdowns, with its draws; each as the arguments of `log_values`."""
        return np.exp(self.means(self.log_values(*one) - self.log_values(*other)))

    def accuracies(self):
        """The mean over jobs of the lesser of prediction and run time over the larger, at submission under EASY.

        Returns
        -------
        dict of str to float64[n]
            By predictor, a value for each workload.
        """

        def one(workload, predictor):
            done = simulate(workload, replace(EASY(), predictor=predictor))
            least = np.minimum(done.first_prediction, workload.run_time)
            most = np.maximum(done.first_prediction, workload.run_time)
            return float(np.where(most > 0, least / np.maximum(most, 1), 1).mean())

        asked = {"request": Request()} | {name: Biased(PREDICTORS[name]) for name in self.learned}
        tasks = [(name, workload) for name in asked for workload in self.workloads.values()]
        values = threads.each(lambda task: one(task[1], asked[task[0]]), tasks, self._workers)
        return dict(zip(asked, np.reshape(values, (len(asked), -1)), strict=True))


def _names(values):
    return {value: name for name, value in values.items()}


def _named(task, schedulers, predictors, requests):
    """What a task is called: load, scheduler, predictor, factor, requests."""
    predictor, factor = task.scheduler.predictor, 1.0
    if isinstance(predictor, Biased):
        predictor, factor = predictor.of, predictor.factor
    scheduler = schedulers[replace(task.scheduler, predictor=Request())]
    return task.load, scheduler, predictors[predictor], factor, requests[task.estimates]


def better_or_biased(study, scheduler="EASY"):
    """Perfect predictions, and doubled and halved ones, over the learned ones as they are.

    Returns
    -------
    dict of str to float64[1001]
        perfect, and the factors 0.5, 2 and 4 as words: ratios of mean bounded slowdowns; `perfect over doubled`.
    """
    own = np.mean([study.log_values(scheduler, name) for name in study.learned], axis=0)
    found = {"perfect": study.means(study.log_values(scheduler, "perfect") - own)}
    for factor in (0.5, 2.0, 4.0):
        moved = np.mean(
            [study.log_values(scheduler, name, factor) for name in study.learned], axis=0
        )
        found[f"{factor:g}"] = study.means(moved - own)
    found["perfect over doubled"] = found["perfect"] - found["2"]
    return {name: np.exp(values) for name, values in found.items()}


def rank_correlation(study, accuracies, scheduler="EASY"):
    """Spearman's correlation of accuracy and mean bounded slowdown over the predictors that are not perfect; float64[1001]."""
    accuracy = pd.DataFrame(accuracies).rank(axis=1)
    slowdown = pd.DataFrame({name: study.log_values(scheduler, name) for name in accuracies})
    return study.means(accuracy.corrwith(slowdown.rank(axis=1), axis=1).fillna(0).to_numpy())


def pairs(study):
    """Which predictor of each pair is the better under each of the five schedulers.

    Returns
    -------
    pandas.DataFrame
        better, worse (as under EASY), scheduler, ratio with low and high, decided: 1 where it is as the pair is named, -1 where
        it is the other way round, 0 where the interval holds 1.
    """
    rows = []
    for one, other in combinations(study.predictors, 2):
        if study.ratio(("EASY", one), ("EASY", other))[0] > 1:
            one, other = other, one
        for scheduler in SCHEDULERS:
            ratio, low, high = resampling.interval(
                study.ratio((scheduler, one), (scheduler, other))
            )
            rows.append([one, other, scheduler, ratio, low, high, (high < 1) - (low > 1)])
    columns = ["better", "worse", "scheduler", "ratio", "low", "high", "decided"]
    return pd.DataFrame(rows, columns=columns)


def turned(table):
    """Pairs of predictors that are decided in opposite directions under two schedulers."""
    by = table.groupby(["better", "worse"], sort=False)["decided"]
    return by.max().eq(1) & by.min().eq(-1)


def agreement(study):
    """Mean of Kendall's tau over the pairs of schedulers, between their orders of the predictors; float64[1001]."""
    means = np.array(
        [
            [study.means(study.log_values(scheduler, name)) for name in study.predictors]
            for scheduler in SCHEDULERS
        ]
    )
    signs = np.array(
        [
            np.sign(means[:, k] - means[:, other])
            for k, other in combinations(range(len(study.predictors)), 2)
        ]
    )
    taus = [
        (signs[:, k] * signs[:, other]).mean(axis=0)
        for k, other in combinations(range(len(SCHEDULERS)), 2)
    ]
    return np.mean(taus, axis=0)


def gains(study):
    """Heel-and-toe's gain under each scheduler and predictor.

    Returns
    -------
    pandas.DataFrame
        of (a key of `GAINS`), scheduler, predictor, gain with low and high [%], outcome: survives, turns, or undecided.
    """
    rows = []
    for of, (more, less) in GAINS.items():
        for scheduler in SCHEDULERS:
            for name in ("request", *study.learned):
                ratio = study.ratio((scheduler, name, 1.0, more), (scheduler, name, 1.0, less))
                gain, low, high = resampling.interval(100 * (1 - ratio))
                outcome = "survives" if low > 100 * MATERIAL else "undecided"
                outcome = "turns" if high < -100 * MATERIAL else outcome
                rows.append([of, scheduler, name, gain, low, high, outcome])
    columns = ["of", "scheduler", "predictor", "gain", "low", "high", "outcome"]
    return pd.DataFrame(rows, columns=columns)


def overview(study):
    """Mean bounded slowdown over that of EASY with requests, for every scheduler and predictor, at both loads.

    Returns
    -------
    pandas.DataFrame
        scheduler, then a column for each predictor at the load of the questions and for requests and perfect predictions at
        the lower one: the ratio with its interval, in words; empty where it was not run.
    """
    columns = [(name, LOAD) for name in study.predictors] + [
        (name, LOWER) for name in ("request", "perfect")
    ]
    rows = []
    for scheduler in SCHEDULERS | ORDERS:
        row = [scheduler]
        for name, load in columns:
            try:
                ratio = study.ratio(
                    (scheduler, name, 1.0, "log", load), ("EASY", "request", 1.0, "log", load)
                )
            except KeyError:
                row.append("")
                continue
            row.append("{:.2f} [{:.2f}, {:.2f}]".format(*resampling.interval(ratio)))
        rows.append(row)
    words = [name if load == LOAD else f"{name}, load {load:g}" for name, load in columns]
    return pd.DataFrame(rows, columns=["scheduler", *words])


def answers(study, correlation):
    """What decides the three questions.

    Returns
    -------
    pandas.DataFrame
        question, what, value, low, high.
    """
    told = better_or_biased(study)
    table, found = pairs(study), gains(study)
    drawn = [
        ("1", "MBS with perfect over learned predictions", told["perfect"]),
        *(
            ("1", f"MBS with learned predictions times {factor} over as they are", told[factor])
            for factor in ("0.5", "2", "4")
        ),
        ("1", "the first over the one times 2", told["perfect over doubled"]),
        ("1", "rank correlation of accuracy and MBS", correlation),
        ("2", "mean Kendall's tau between schedulers", agreement(study)),
    ]
    counted = [
        (
            "2",
            f"pairs of predictors decided in opposite directions, of {len(turned(table))}",
            turned(table).sum(),
        ),
        ("2", f"pairs decided under all five schedulers, of {len(turned(table))}", _decided(table)),
    ]
    for (of, outcome, with_requests), part in found.groupby(
        ["of", "outcome", found["predictor"] == "request"], sort=False
    ):
        about = "requests" if with_requests else "predictions"
        of_all = ((found["of"] == of) & (found["predictor"].eq("request") == with_requests)).sum()
        counted.append(("3", f"gain of {of} {outcome} with {about}, of {of_all}", len(part)))
    rows = [[*words, *resampling.interval(values)] for *words, values in drawn]
    rows += [[*words, float(count), np.nan, np.nan] for *words, count in counted]
    rows.sort(key=lambda row: row[0])
    return pd.DataFrame(rows, columns=["question", "what", "value", "low", "high"])


def findings(study, correlation):
    """The numbers and words of the three answers, by the names that the notebook's sentence calls them."""
    told, table, found = better_or_biased(study), pairs(study), gains(study)
    learned = [
        study.log_values("EASY", name, 1.0, "doubled") - study.log_values("EASY", name)
        for name in study.learned
    ]
    values = {
        "perfect": 100 * (told["perfect"] - 1),
        "doubled": 100 * (told["2"] - 1),
        "halved": 100 * (told["0.5"] - 1),
        "rank": correlation,
        "tau": agreement(study),
        "gain": 100 * (1 - study.ratio(("EASY", "request", 1.0, "doubled"), ("EASY",))),
        "learned": 100 * (1 - np.exp(study.means(np.mean(learned, axis=0)))),
    }
    numbers = {}
    for name, drawn in values.items():
        value, low, high = resampling.interval(drawn)
        numbers |= {name: value, f"{name}_low": low, f"{name}_high": high}
    _, low, high = resampling.interval(told["perfect over doubled"])
    numbers["first"] = (
        "a better one" if high < 1 else "a more biased one" if low > 1 else "not told apart"
    )
    numbers["reversed"], numbers["pairs"] = int(turned(table).sum()), len(turned(table))
    numbers["second"] = "no" if numbers["reversed"] else "yes"
    predicted = found[found["predictor"] != "request"]
    survives = predicted["outcome"].eq("survives").groupby(predicted["scheduler"], sort=False).sum()
    numbers["survives"], numbers["of"] = int(survives.sum()), len(predicted)
    numbers["turns"] = int((predicted["outcome"] == "turns").sum())
    most = survives.sort_values(ascending=False, kind="stable")
    numbers["where"] = ", ".join(f"{scheduler} {count}" for scheduler, count in most.items())
    numbers["each"] = len(predicted) // len(survives)
    return numbers


def _decided(table):
    return int(
        table.groupby(["better", "worse"], sort=False)["decided"]
        .apply(lambda own: (own != 0).all())
        .sum()
    )


def draw_bias(study, accuracies):
    """Accuracy against slowdown under EASY; and slowdown against the factor, a panel for each scheduler."""
    looks = style.series(PREDICTORS)
    biased = [name for name in SCHEDULERS if name != "conservative"]
    figure, grid_ = plt.subplots(1, 1 + len(biased), figsize=(12.5, 3.7), sharey=True)
    for name, accuracy in accuracies.items():
        x = resampling.interval(study.means(accuracy))
        y = resampling.interval(study.ratio(("EASY", name), ("EASY", "request")))
        _cross(grid_[0], x, y, looks[name])
    y = resampling.interval(study.ratio(("EASY", "perfect"), ("EASY", "request")))
    _cross(grid_[0], (1, 1, 1), y, looks["perfect"])
    grid_[0].set(
        xlabel="accuracy of predictions",
        title="EASY: more accurate",
        ylabel="MBS over that with requests",
    )
    for axes, scheduler in zip(grid_[1:], biased, strict=True):
        for k, name in enumerate((*study.learned, "perfect")):
            points = [
                resampling.interval(study.ratio((scheduler, name, factor), (scheduler, "request")))
                for factor in (0.5, 1.0, 2.0, 4.0)
            ]
            value, low, high = np.array(points).T
            x = np.array([0.5, 1, 2, 4]) * 2 ** (0.08 * (k - 2))
            axes.errorbar(x, value, [value - low, high - value], capsize=2, **looks[name])
        axes.set_xscale("log", base=2)
        axes.set_xticks([0.5, 1, 2, 4])
        axes.xaxis.set_major_formatter("{x:g}")
        axes.set(xlabel="predictions times", title=scheduler)
    for axes in grid_:
        axes.axhline(1, color="black", lw=0.8)
        axes.set_yscale("log")
        panels.log_ticks(axes.yaxis)
    panels.below_all(figure, grid_[0], 6)
    return figure


def _cross(axes, x, y, look):
    """A point with intervals both ways."""
    (at, left, right), (value, low, high) = x, y
    axes.errorbar(
        at,
        value,
        [[value - low], [high - value]],
        [[at - left], [right - at]],
        capsize=2,
        **look | {"linestyle": ""},
    )


def draw_order(study):
    """Slowdown with each predictor over that with requests, under each of the five schedulers."""
    names = [name for name in study.predictors if name != "request"]
    rows = [
        [
            scheduler,
            name,
            *resampling.interval(study.ratio((scheduler, name), (scheduler, "request"))),
        ]
        for scheduler in SCHEDULERS
        for name in names
    ]
    table = pd.DataFrame(rows, columns=["scheduler", "predictor", "ratio", "low", "high"])
    figure, axes = plt.subplots(figsize=(9.5, 4))
    _rows_of_dots(axes, table, "predictor", "ratio", style.series(PREDICTORS))
    axes.axvline(1, color="black", lw=0.8)
    axes.set_xscale("log")
    panels.log_ticks(axes.xaxis)
    axes.set(xlabel="MBS over that of the same scheduler with requests")
    panels.below_all(figure, axes, 6)
    return figure


def draw_gains(table):
    """Heel-and-toe's gain under each scheduler and predictor, a panel for each kind of inaccuracy."""
    looks = style.series(PREDICTORS)
    figure, grid_ = plt.subplots(1, len(GAINS), figsize=(10.4, 4.2), sharey=True)
    for axes, of in zip(grid_, GAINS, strict=True):
        _rows_of_dots(axes, table[table["of"] == of], "predictor", "gain", looks)
        axes.axvline(0, color="black", lw=0.8)
        axes.set(xlabel="gain in MBS [%]", title=of)
    panels.below_all(figure, grid_[0], 6)
    return figure


def _rows_of_dots(axes, table, hue, value, looks):
    """A row for each scheduler, a dot with its interval for each `hue`."""
    rows, hues = (list(dict.fromkeys(table[name])) for name in ("scheduler", hue))
    for k, name in enumerate(hues):
        part = table[table[hue] == name].set_index("scheduler").loc[rows]
        places = [at + (k - (len(hues) - 1) / 2) / (len(hues) + 1.5) for at in range(len(rows))]
        axes.errorbar(
            part[value],
            places,
            xerr=panels.bars(part, value),
            capsize=2,
            **looks[name] | {"linestyle": ""},
        )
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
