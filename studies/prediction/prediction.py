"""Schedulers, predictors, estimates and bias, crossed; the rules are in docs/decisions/study.md."""

from dataclasses import replace
from itertools import combinations, product

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd

import resampling
from notebooks import over_seeds, panels
from replication import (
    CVH,
    EASY,
    Biased,
    Clairvoyant,
    Complete,
    Conservative,
    Estimate,
    FModel,
    LargestAreaFirst,
    Last,
    OrderedEASY,
    Perfect,
    PVEasy,
    TopPercent,
    Tsafrir,
    Users,
    simulate,
)
from replication.drawing import style
from replication.simulator.sweeps import engines, grid
from replication.simulator.workload import generator

DAY = 24 * 3600
LOAD, LOWER = 0.9, 0.7
MEASURE = "mean_bounded_slowdown"
MATERIAL = 0.01
NO_INTERVAL = (np.nan, np.nan)
QUICK_DRAWN, QUICK = 2, ("estimate", "Last", "clairvoyant")
#: The five that the questions are about, then the orders of the queue.
SCHEDULERS = {
    "EASY": EASY(),
    "EASY, shortest first": EASY(candidates="shortest"),
    "conservative": Conservative(),
    "PV-EASY": PVEasy(Estimate()),
    "largest area first": LargestAreaFirst(),
}
ORDERS = {
    "queue: shortest": OrderedEASY(),
    "queue: smallest area": OrderedEASY("smallest-area"),
    "queue: WFP3": OrderedEASY("wfp3"),
    "queue: F1": OrderedEASY("f1"),
    "queue: shortest, a day": OrderedEASY(waiting_limit=DAY),
    "queue: smallest area, a day": OrderedEASY("smallest-area", DAY),
}
PREDICTORS = {
    "estimate": Estimate(),
    "Last": Last(),
    "Tsafrir": Tsafrir(),
    "Complete": Complete(),
    "Top Percent": TopPercent(3),
    "clairvoyant": Clairvoyant(),
}
LEARNED = ("Last", "Tsafrir", "Complete", "Top Percent")
#: Added later; PV-EASY cannot take it.
SIXTH = {"CVH": CVH()}
LOOKS = style.series([*PREDICTORS, *SIXTH])
#: What becomes of a prediction that was too short, where it is not the estimate.
CORRECTIONS = {"tsafrir": "Tsafrir's steps", "doubling": "twice as long", "now": "ends now"}
CORRECTING = [name for name, one in SCHEDULERS.items() if "correction" in one.options()]
ESTIMATES = {"users": Users(), "doubled": Users(2), "perfect": Perfect(), "f = 3": FModel(3)}
GAINS = {
    "f = 3 over perfect estimates": ("f = 3", "perfect"),
    "doubled estimates": ("doubled", "users"),
}
CHOICES = SCHEDULERS, ORDERS, PREDICTORS, SIXTH, ESTIMATES
NAMES = {choice: name for known in CHOICES for name, choice in known.items()}


#: The five that PV-EASY can take, as they are and times a factor.
_ESTIMATE = [Estimate()]
_PLAIN = [Biased(PREDICTORS[name]) for name in (*LEARNED, "clairvoyant")]
_FACTORS = (0.5, 2, 4)
_CVH = [Biased(CVH(), factor) for factor in (0.5, 1, 2, 4)]
_FOUR = [one for name, one in SCHEDULERS.items() if name != "PV-EASY"]
_INACCURATE = [Perfect(), FModel(3), Users(2)]


def _weeks(workload, seed):
    return resampling.resample_weeks(workload, 3, seed, jobs=6000)


def _users(workload, seed):
    return resampling.resample_users(workload, 3, seed)


def _biased(names):
    return [Biased(PREDICTORS[name], factor) for name in names for factor in _FACTORS]


def _corrected(names):
    return [replace(SCHEDULERS[name], correction=one) for name in names for one in CORRECTIONS]


#: The parts of the study: resampling, schedulers, predictors, estimates, loads.
PARTS = (
    # predictors
    (_weeks, [*SCHEDULERS.values()], _ESTIMATE + _PLAIN, [Users()], [LOAD, LOWER]),
    # their bias
    (_weeks, [*SCHEDULERS.values()], _biased([*LEARNED, "clairvoyant"]), [Users()], [LOAD]),
    # inaccurate estimates under them
    (_weeks, [*SCHEDULERS.values()], _ESTIMATE + _PLAIN[:-1], _INACCURATE, [LOAD]),
    # orders of the queue
    (_weeks, [*ORDERS.values()], [*_ESTIMATE, _PLAIN[-1]], [Users()], [LOAD, LOWER]),
    # a sixth predictor, which PV-EASY cannot take
    (_weeks, _FOUR, _CVH, [Users()], [LOAD]),
    # inaccurate estimates under it
    (_weeks, _FOUR, [Biased(CVH())], _INACCURATE, [LOAD]),
    # corrections
    (_weeks, _corrected(CORRECTING), _PLAIN[:-1], [Users()], [LOAD]),
    # corrections of doubled predictions
    (
        _weeks,
        _corrected(["EASY"]),
        [Biased(PREDICTORS[name], 2) for name in LEARNED],
        [Users()],
        [LOAD],
    ),
    # predictors, on other users
    (_users, [*SCHEDULERS.values()], _ESTIMATE + _PLAIN, [Users()], [LOAD]),
    # their bias under EASY, on other users
    (_users, [SCHEDULERS["EASY"]], _biased(LEARNED), [Users()], [LOAD]),
    # inaccurate estimates under them, on other users
    (_users, [*SCHEDULERS.values()], _ESTIMATE + _PLAIN[:-1], _INACCURATE, [LOAD]),
)


def tasks(workloads, seeds):
    """Return two lists of tasks of the study, on resampled weeks and on resampled users of
    workloads by name, drawn once for each seed.
    """
    drawn = {
        how: [(how(workload, seed), seed) for workload in workloads.values() for seed in seeds]
        for how in (_weeks, _users)
    }
    found = {how: [] for how in drawn}
    for how, schedulers, predictors, models, loads in PARTS:
        pairs = [replace(one, predictor=name) for one in schedulers for name in predictors]
        choices = [*product(pairs, models)]
        for sample, seed in drawn[how]:
            found[how] += grid.points([sample], loads, choices, [seed])
    return [*found.values()]


def quick(tasks):
    """Return the tasks of a few predictors."""
    few = {PREDICTORS[name] for name in QUICK}
    return [task for task in tasks if getattr(task.scheduler.predictor, "of", Estimate()) in few]


def nested_weights(groups, members, name):
    """Return the weights of members for means over groups, and for means over groups and members
    that are drawn with replacement.

    The result is float64[1 + over_seeds.DRAWS, groups * members], members of the first group first;
    each row sums to 1. The name is part of the seed.
    """
    weights = np.zeros((1 + over_seeds.DRAWS, groups, members))
    weights[0] = 1
    rng = generator(name, groups, members, "groups drawn anew", over_seeds.DRAWS)
    for row in weights[1:]:
        for group in rng.integers(0, groups, groups):
            row[group] += np.bincount(rng.integers(0, members, members), minlength=members)
    return weights.reshape(1 + over_seeds.DRAWS, -1) / (groups * members)


class Study:
    """Mean bounded slowdowns of the study, and their ratios, from tasks with one way of resampling
    and one seed each.
    """

    def __init__(self, tasks, workers=1):
        table = grid.run(tasks, workers)
        self.workloads = {
            (task.log.name, task.seeds[0]): task.made for task in tasks if task.load == LOAD
        }
        keys = ["load", "scheduler", "predictor", "factor", "estimates", "correction"]
        found = pd.DataFrame(map(names, tasks), columns=keys).assign(
            log=table["log"], seed=table["seed"], value=table[MEASURE]
        )
        known = set(found["predictor"])
        self.predictors = [name for name in PREDICTORS if name in known]
        self.learned = [name for name in LEARNED if name in known]
        self.sixth = [name for name in SIXTH if name in known]
        order = list(dict.fromkeys(zip(found["log"], found["seed"], strict=True)))
        logs = len({log for log, _ in order})
        values = np.log(found.set_index([*keys, "log", "seed"])["value"]).unstack(["log", "seed"])
        self._values = values[order]
        self._weights = nested_weights(logs, len(order) // logs, "study")
        self._workers = workers

    def log_values(
        self,
        scheduler,
        predictors="estimate",
        factor=1.0,
        estimates="users",
        load=LOAD,
        correction="estimate",
    ):
        """Return the logarithm of the mean bounded slowdown on each workload, float64[n], or its
        mean over several predictors.

        A KeyError where that was not run.
        """
        if not isinstance(predictors, str):
            how = factor, estimates, load, correction
            return np.mean([self.log_values(scheduler, name, *how) for name in predictors], 0)
        key = load, scheduler, predictors, factor, estimates, correction
        return self._values.loc[key].to_numpy()

    def means(self, values):
        """Return the mean over workloads, each log with equal weight, and over resampled logs and
        workloads; float64[1001].
        """
        return (self._weights * values).sum(axis=1)

    def ratio(self, one, other):
        """Return the ratio of two mean bounded slowdowns with its draws; each is given by the
        arguments of `log_values`.
        """
        return np.exp(self.means(self.log_values(*one) - self.log_values(*other)))

    def interval(self, one, other):
        """Return the `ratio` with its interval."""
        return over_seeds.interval(self.ratio(one, other))

    def under(self, scheduler):
        """Return the predictors that a scheduler was run with, except the estimate and
        perfect ones.
        """
        return self.learned + [name for name in self.sixth if scheduler != "PV-EASY"]

    def accuracies(self):
        """Return the accuracy of each predictor on each workload, float64[n]: lesser over larger of
        prediction and run time.

        It is the mean over jobs, at submission under EASY.
        """

        def one(workload, predictor):
            done = simulate(workload, replace(EASY(), predictor=predictor))
            least = np.minimum(done.first_prediction, workload.run_time)
            most = np.maximum(done.first_prediction, workload.run_time)
            return float(np.where(most > 0, least / np.maximum(most, 1), 1).mean())

        every = PREDICTORS | SIXTH
        asked = {"estimate": Estimate()} | {
            name: Biased(every[name]) for name in self.under("EASY")
        }
        tasks = [(name, workload) for name in asked for workload in self.workloads.values()]
        values = engines.each(lambda task: one(task[1], asked[task[0]]), tasks, self._workers)
        return dict(zip(asked, np.reshape(values, (len(asked), -1)), strict=True))


def names(task):
    """Return the names of a task: load, scheduler, predictor, factor, estimates, correction."""
    predictor, factor = task.scheduler.predictor, 1.0
    if isinstance(predictor, Biased):
        predictor, factor = predictor.of, predictor.factor
    plain, correction = replace(task.scheduler, predictor=Estimate()), "estimate"
    if "correction" in plain.options():
        plain, correction = replace(plain, correction=correction), plain.correction
    choices = NAMES[plain], NAMES[predictor], factor, NAMES[task.estimates]
    return task.load, *choices, correction


def outcomes(drawn, columns, below, above, levels=(1, 1), neither="undecided"):
    """Return a table of ratios or gains with their intervals, by key, and an outcome.

    The outcome is `below` for an interval below the first level, and `above` for one above the
    second.
    """
    table = over_seeds.table(drawn, [*columns, "low", "high"])
    sides = [table["high"] < levels[0], table["low"] > levels[1]]
    return table.assign(outcome=np.select(sides, [below, above], neither))


# ---- the questions


def better_or_biased(study, more=(), factors=(0.5, 2.0, 4.0), correction="estimate"):
    """Return how much better EASY does with perfect predictions than with learned ones, and with
    learned ones times a factor.

    `more` predictors count among the learned. Ratios of mean bounded slowdowns with their draws,
    float64[1001] each, by ``perfect``, by the factors in words, and by ``perfect over doubled``.
    """
    names, how = [*study.learned, *more], ("users", LOAD, correction)
    own = study.log_values("EASY", names, 1.0, *how)
    found = {"perfect": study.means(study.log_values("EASY", "clairvoyant") - own)}
    for factor in factors:
        biased = study.log_values("EASY", names, factor, *how)
        found[f"{factor:g}"] = study.means(biased - own)
    found["perfect over doubled"] = found["perfect"] - found["2"]
    return {name: np.exp(values) for name, values in found.items()}


def first_answer(ratios):
    """Return the first question's answer by its rule, from `better_or_biased`."""
    _, low, high = over_seeds.interval(ratios["perfect over doubled"])
    return "a better one" if high < 1 else "a more biased one" if low > 1 else "undecided"


def rank_correlation(study, accuracies):
    """Return Spearman's correlation of accuracy and mean bounded slowdown over the predictors that
    are not perfect; float64[1001].
    """
    names = [name for name in accuracies if name not in SIXTH]
    accuracy = pd.DataFrame({name: accuracies[name] for name in names}).rank(axis=1)
    slowdown = pd.DataFrame({name: study.log_values("EASY", name) for name in names})
    return study.means(accuracy.corrwith(slowdown.rank(axis=1), axis=1).fillna(0).to_numpy())


def pairs(study):
    """Return which predictor of each pair, named as under EASY, is the better under each of the
    five schedulers.

    Columns: better, worse, scheduler, ratio with low and high; outcome is 1 for the order under
    EASY, -1 for the opposite one.
    """
    drawn = {}
    for one, other in combinations(study.predictors, 2):
        if study.ratio(("EASY", one), ("EASY", other))[0] > 1:
            one, other = other, one
        for scheduler in SCHEDULERS:
            drawn[one, other, scheduler] = study.ratio((scheduler, one), (scheduler, other))
    return outcomes(drawn, ["better", "worse", "scheduler", "ratio"], 1, -1, neither=0)


def reversed_pairs(table):
    """Return which pairs of predictors have opposite orders under two schedulers."""
    by = table.groupby(["better", "worse"], sort=False)["outcome"]
    return by.max().eq(1) & by.min().eq(-1)


def agreement(study):
    """Return the mean of Kendall's tau over the pairs of schedulers, between their orders of the
    predictors; float64[1001].
    """
    both = product(SCHEDULERS, study.predictors)
    values = [study.means(study.log_values(*pair)) for pair in both]
    means = np.reshape(values, (len(SCHEDULERS), len(study.predictors), -1))
    one, other = np.triu_indices(len(study.predictors), 1)
    signs = np.sign(means[:, one] - means[:, other])
    one, other = np.triu_indices(len(SCHEDULERS), 1)
    return (signs[one] * signs[other]).mean(axis=1).mean(axis=0)


def gains(study):
    """Return heel-and-toe's gain under each scheduler and predictor.

    Columns: of (a key of `GAINS`), scheduler, predictor, gain with low and high [%], outcome
    (survives, turns, or undecided).
    """
    drawn = {}
    for of, (more, less) in GAINS.items():
        for scheduler in SCHEDULERS:
            for name in ("estimate", *study.under(scheduler)):
                ratio = study.ratio((scheduler, name, 1.0, more), (scheduler, name, 1.0, less))
                drawn[of, scheduler, name] = 100 * (1 - ratio)
    levels = -100 * MATERIAL, 100 * MATERIAL
    return outcomes(drawn, ["of", "scheduler", "predictor", "gain"], "turns", "survives", levels)


def sixth(study):
    """Return CVH over the learned predictors under each scheduler that takes it, without rows where
    CVH was not run.

    Columns: scheduler, ratio with low and high, outcome (better, worse, or undecided).
    """
    drawn = {
        (scheduler,): study.ratio((scheduler, study.sixth), (scheduler, study.learned))
        for scheduler in SCHEDULERS
        if study.under(scheduler) != study.learned
    }
    return outcomes(drawn, ["scheduler", "ratio"], "better", "worse")


def corrections(study):
    """Return each correction over the estimate, with the learned predictors, under each scheduler
    that corrects.

    Columns: scheduler, correction in words, ratio with low and high, outcome (helps, harms, or
    undecided).
    """
    drawn = {}
    for scheduler in CORRECTING:
        own = scheduler, study.learned, 1.0, "users", LOAD
        for correction, words in CORRECTIONS.items():
            drawn[scheduler, words] = study.ratio((*own, correction), own)
    levels = 1 - MATERIAL, 1 + MATERIAL
    return outcomes(drawn, ["scheduler", "correction", "ratio"], "helps", "harms", levels)


def corrected_answers(study):
    """Return `better_or_biased` under each correction, by the correction in words."""
    return {
        words: better_or_biased(study, factors=(2.0,), correction=correction)
        for correction, words in CORRECTIONS.items()
    }


def same_gains(study, users):
    """Return how many gains have the same outcome with other users, how many the opposite one, and
    how many there are.
    """
    keys = ["of", "scheduler", "predictor"]
    both = gains(study).merge(gains(users), on=keys)
    one, other = both["outcome_x"], both["outcome_y"]
    opposite = (one != other) & (one != "undecided") & (other != "undecided")
    return int((one == other).sum()), int(opposite.sum()), len(both)


# ---- the tables


def overview(study):
    """Return mean bounded slowdown over that of EASY with estimates, for every scheduler.

    There is a column for each predictor at the load of the questions, and for estimates and perfect
    predictions at the lower one, with the ratio and its interval as text; empty where it was not
    run.
    """
    columns = {name: (name, LOAD) for name in (*study.predictors, *study.sixth)}
    columns |= {f"{name}, load {LOWER:g}": (name, LOWER) for name in ("estimate", "clairvoyant")}

    def words(scheduler, name, load):
        given = 1.0, "users", load
        try:
            ratio = study.interval((scheduler, name, *given), ("EASY", "estimate", *given))
        except KeyError:
            return ""
        return "{:.2f} [{:.2f}, {:.2f}]".format(*ratio)

    rows = [
        {"scheduler": scheduler} | {about: words(scheduler, *key) for about, key in columns.items()}
        for scheduler in SCHEDULERS | ORDERS
    ]
    return pd.DataFrame(rows)


def answers(study, correlation, users):
    """Return the numbers that decide the questions, from the studies on resampled weeks and users
    and the `rank_correlation`.

    Columns: question, what, value, low, high.
    """
    rows = [*_first("1", better_or_biased(study))]
    rows.append(["1", "rank correlation of accuracy and MBS", *over_seeds.interval(correlation)])
    rows += _second("2", study)
    rows += _third("3", study, [*study.learned, "estimate"])
    for scheduler, ratio, low, high, _ in sixth(study).itertuples(index=False):
        rows.append(["4", f"MBS with CVH over learned predictions, {scheduler}", ratio, low, high])
    if study.sixth:
        rows += _first("4", better_or_biased(study, more=study.sixth), ", CVH among them")
        rows += _third("4", study, study.sixth)
    for scheduler, words, ratio, low, high, _ in corrections(study).itertuples(index=False):
        rows.append(["5", f"MBS with correction: {words}, {scheduler}", ratio, low, high])
    for words, ratios in corrected_answers(study).items():
        rows += _first("5", ratios, f", correction: {words}")
    rows += _first("6", better_or_biased(users))
    rows += _second("6", users)
    same, opposite, of = same_gains(study, users)
    rows.append(["6", f"gains with the same outcome, of {of}", same, *NO_INTERVAL])
    rows.append(["6", f"gains with opposite outcomes, of {of}", opposite, *NO_INTERVAL])
    return pd.DataFrame(rows, columns=["question", "what", "value", "low", "high"])


def _first(question, ratios, more=""):
    """Yield the rows that decide the first question."""
    words = {"perfect": "perfect over learned predictions"} | {
        "perfect over doubled": "the first over the one times 2"
    }
    for name, drawn in ratios.items():
        what = words.get(name, f"learned predictions times {name} over as they are")
        yield [question, f"MBS with {what}{more}", *over_seeds.interval(drawn)]


def _second(question, study):
    """Yield the rows that decide the second question."""
    table = pairs(study)
    opposite = reversed_pairs(table)
    tau = over_seeds.interval(agreement(study))
    yield [question, "mean Kendall's tau between schedulers", *tau]
    what = f"pairs of predictors decided in opposite directions, of {len(opposite)}"
    yield [question, what, opposite.sum(), *NO_INTERVAL]
    decided = table["outcome"].ne(0).groupby([table["better"], table["worse"]]).all()
    what = f"pairs decided under all five schedulers, of {len(opposite)}"
    yield [question, what, decided.sum(), *NO_INTERVAL]


def _third(question, study, names):
    """Yield the rows that count the outcomes of the third question, with estimates and with
    predictions.
    """
    found = gains(study)
    found = found[found["predictor"].isin(names)]
    for about in ("predictions", "estimates"):
        some = found[found["predictor"].eq("estimate") == (about == "estimates")]
        for of in GAINS:
            outcomes = some.loc[some["of"] == of, "outcome"]
            for outcome, count in outcomes.value_counts().items():
                what = f"gain of {of} {outcome} with {about}, of {len(outcomes)}"
                yield [question, what, count, *NO_INTERVAL]


def findings(study, correlation):
    """Return the numbers and words of the three answers, by their names in the
    notebook's opening.
    """
    ratios, opposite, found = better_or_biased(study), reversed_pairs(pairs(study)), gains(study)
    learned = "EASY", study.learned, 1.0
    values = {
        "perfect": 100 * (ratios["perfect"] - 1),
        "doubled": 100 * (ratios["2"] - 1),
        "halved": 100 * (ratios["0.5"] - 1),
        "rank": correlation,
        "tau": agreement(study),
        "gain": 100 * (1 - study.ratio(("EASY", "estimate", 1.0, "doubled"), ("EASY",))),
        "learned": 100 * (1 - study.ratio((*learned, "doubled"), learned)),
    }
    numbers = {}
    for name, drawn in values.items():
        value, low, high = over_seeds.interval(drawn)
        numbers |= {name: value, f"{name}_low": low, f"{name}_high": high}
    predicted = found[found["predictor"].isin(study.learned)]
    survives = predicted["outcome"].eq("survives").groupby(predicted["scheduler"], sort=False).sum()
    most = survives.sort_values(ascending=False, kind="stable")
    return numbers | {
        "first": first_answer(ratios),
        "reversed": int(opposite.sum()),
        "pairs": len(opposite),
        "second": "no" if opposite.any() else "yes",
        "survives": int(survives.sum()),
        "of": len(predicted),
        "turns": int((predicted["outcome"] == "turns").sum()),
        "where": ", ".join(f"{scheduler} {count}" for scheduler, count in most.items()),
        "each": len(predicted) // len(survives),
    }


def limits(study, users):
    """Return how far the answers hold, as a sentence: with CVH, with other corrections, and with
    other users.
    """
    table, opposite = corrections(study), reversed_pairs(pairs(users))
    worse = table["outcome"].eq("harms").sum()
    under = {words: first_answer(ratios) for words, ratios in corrected_answers(study).items()}
    same, contradicted, cases = same_gains(study, users)
    lines = [
        f"With CVH among the learned predictors the answer to the first question is "
        f"**{first_answer(better_or_biased(study, more=study.sixth))}**."
        if study.sixth
        else "",
        f"Another correction in place of the estimate makes learned predictions worse in {worse} "
        f"of {len(table)} cases and better in "
        f"{table['outcome'].eq('helps').sum()}; the answer to the first question is then "
        f"{', '.join(f'{answer} ({words})' for words, answer in under.items())}.",
        f"With other users the first answer is **{first_answer(better_or_biased(users))}**, "
        f"{opposite.sum()} of {len(opposite)} pairs of "
        f"predictors are in opposite orders, and {same} of {cases} gains have the same outcome "
        f"({contradicted} the opposite one).",
    ]
    return " ".join(filter(None, lines))


# ---- pictures


def draw_bias(study, accuracies):
    """Draw accuracy against slowdown under EASY, and slowdown against the factor, a panel for each
    scheduler.
    """
    figure, grid_ = plt.subplots(2, 3, figsize=style.size(2, 3), sharey=True)
    grid_ = grid_.ravel()
    thin = {"elinewidth": 0.8, "capsize": 0}
    places = {name: over_seeds.interval(study.means(one)) for name, one in accuracies.items()}
    for name, (at, left, right) in (places | {"clairvoyant": (1, 1, 1)}).items():
        value, low, high = study.interval(("EASY", name), ("EASY", "estimate"))
        ends = [[value - low], [high - value]], [[at - left], [right - at]]
        grid_[0].errorbar(at, value, *ends, **thin, **LOOKS[name] | {"linestyle": ""})
    grid_[0].set(xlabel="accuracy of predictions (1: perfect)", title="EASY, by accuracy")
    plt.setp(grid_[::3], ylabel="mean bounded slowdown\nover that with estimates")
    factors = (0.5, 1, 2, 4)
    for axes, scheduler in zip(grid_[1:], SCHEDULERS, strict=True):
        # Perfect predictions stand at the factors themselves, the others on both sides.
        names = list(study.under(scheduler))
        names.insert((len(names) + 1) // 2, "clairvoyant")
        for k, name in enumerate(names):
            points = [
                study.interval((scheduler, name, f), (scheduler, "estimate")) for f in factors
            ]
            value, low, high = np.array(points).T
            x = panels.side_by_side(factors, k, 2 * names.index("clairvoyant") + 1)
            axes.errorbar(x, value, [value - low, high - value], **thin, **LOOKS[name])
        panels.factors(axes, factors)
        axes.set(xlabel="predictions multiplied by", title=scheduler)
    for axes in grid_:
        axes.axhline(1, color="black", lw=0.8)
        axes.set_yscale("log")
        panels.log_ticks(axes.yaxis)
    panels.below_all(figure, grid_[0], 7)
    return figure


def draw_order(study):
    """Draw slowdown with each predictor over that with estimates, under each of the five
    schedulers.
    """
    drawn = {
        (scheduler, name): study.ratio((scheduler, name), (scheduler, "estimate"))
        for scheduler in SCHEDULERS
        for name in (*study.under(scheduler), "clairvoyant")
    }
    table = over_seeds.table(drawn, ["scheduler", "predictor", "ratio", "low", "high"])
    words = "mean bounded slowdown over that of the same scheduler with estimates"
    return _ratios(table, "predictor", LOOKS, words, (9.5, 4))


def draw_gains(table):
    """Draw heel-and-toe's gain under each scheduler and predictor, a panel for each kind of
    inaccuracy.
    """
    figure, grid_ = plt.subplots(1, len(GAINS), figsize=(10.4, 4.2), sharey=True)
    for axes, of in zip(grid_, GAINS, strict=True):
        _dots(axes, table[table["of"] == of], "predictor", "gain", LOOKS, none=0)
        axes.set(xlabel="gain in mean bounded slowdown [%]", title=of)
    panels.below_all(figure, grid_[0], 7)
    return figure


def draw_corrections(table):
    """Draw slowdown with each correction over that with the estimate, under each scheduler that
    corrects.
    """
    words = "mean bounded slowdown over that with the estimate in place of an expired prediction"
    return _ratios(table, "correction", style.series(CORRECTIONS.values()), words, (8, 3.2))


def _ratios(table, hue, looks, words, size):
    """Draw ratios of mean bounded slowdowns in one panel."""
    figure, axes = plt.subplots(figsize=size)
    _dots(axes, table, hue, "ratio", looks)
    axes.set(xlabel=words)
    panels.below_all(figure, axes, 7)
    return figure


def _dots(axes, table, hue, value, looks, none=1):
    """Draw a row for each scheduler, a dot with its interval for each `hue`."""
    rows = list(dict.fromkeys(table["scheduler"]))
    looks = {name: looks[name] | {"capsize": 2} for name in dict.fromkeys(table[hue])}
    panels.rows_of_dots(axes, table, ("scheduler", rows), (hue, looks), value, none)
    axes.set_yticks(range(len(rows)), rows)
    axes.set_ylim(len(rows) - 0.5, -0.5)
