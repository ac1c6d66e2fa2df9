"""The numbers that the claims are decided by, each computed once."""

from functools import cache, cached_property

import numpy as np
import pandas as pd

from replication.papers.claims import level
from replication.papers.heel_and_toe import (
    campaign,
    causes,
    extreme,
    fig02,
    masquerade,
    modality,
    real_estimates,
    trends,
)
from replication.papers.heel_and_toe.curves import BACKFILLED, PERFORMANCE
from replication.papers.heel_and_toe.trends import difference
from replication.papers.logs import COLUMNS
from replication.simulator.comparison import compare
from replication.simulator.estimates import Exact, FModel, Users
from replication.simulator.schedulers import EASY


class Evidence:
    """Results of the campaign, asked for by the claims: of workloads by the log's name, at a
    `campaign.Scale`, by so many threads; the seed is of the drawings for Fig. 12.
    """

    def __init__(self, workloads, scale=campaign.PAPER_SCALE, workers=1, seed=1):
        self.workloads, self.scale, self.workers, self.seed = workloads, scale, workers, seed

    @cache
    def at_load(self, load="log"):
        """The f-model at one of `campaign.LOADS`, without the log that sets it; f up to 10."""
        return campaign.results(campaign.vanilla(self.workloads, self.scale, load), self.workers)

    def runs(self, log, model="random", load="log"):
        """Runs of one log, model and load, f up to 10."""
        table = self.at_load(load)
        return table[(table["log"] == log) & (table["model"] == model)]

    @cache
    def wide(self, model, load="log"):
        """All runs of a model (``campaign.vanilla`` or ``campaign.truncated``) at a load, f up to
        10,000; the log that sets the load as logged.
        """
        ranges = (
            model(self.workloads, self.scale, load, largest, owner=True)
            for largest in campaign.RANGES
        )
        return campaign.joined([campaign.results(tasks, self.workers) for tasks in ranges])

    @cached_property
    def modal(self):
        """Real, modal and other estimates beside each other."""
        return modality.results(self.workloads, self.scale.modal_seeds, self.workers)

    @cached_property
    def barely(self):
        """Very small f on the same jobs, with estimates cut at E_max and not."""
        return campaign.results(campaign.barely(self.workloads, self.scale), self.workers)

    @cached_property
    def without_wild(self):
        """What is left of the gain of positive f where wild backfills are forbidden and there is a gain."""
        both = [EASY(), EASY(wild="forbidden")]
        found, _ = causes.left(self._caused(self.workloads, both, causes.ASKED, campaign.LOADS))
        return found[found["gain low"] > level("none")]

    @cached_property
    def alike(self):
        """The gain of positive f where all run times of a log are alike."""
        alike = {log: causes.runs_alike(workload) for log, workload in self.workloads.items()}
        return causes.gains(self._caused(alike, EASY(), causes.ASKED))

    def _caused(self, workloads, schedulers, fs, loads=("log",)):
        runs = causes.QUICK_RUNS if self.scale == campaign.QUICK_SCALE else causes.RUNS
        models = [FModel(f) for f in (0, *fs)]
        seeds = range(self.seed, self.seed + runs)
        return causes.results(workloads, schedulers, models, seeds, loads, self.workers)

    @cached_property
    def real_and_perfect(self):
        """What perfect and doubled estimates change (Fig. 2)."""
        models = (Users(), Users(2), Exact(), Exact(2))
        return fig02.change(fig02.named(compare(self.workloads.values(), EASY(), models)))

    @cached_property
    def all_at_e_max(self):
        """Performance if every job asks for E_max (section 7)."""
        return extreme.results(self.workloads)

    @cached_property
    def estimates(self):
        """Modality of the users' estimates."""
        return real_estimates.modality(self.workloads)

    @cached_property
    def accuracy(self):
        """Rank correlation of accuracy with run time, over bins of equally many jobs."""
        found = real_estimates.rank_correlation(real_estimates.accuracies(self.workloads))
        return found[found["equal"] == "jobs"]

    @cached_property
    def masquerade(self):
        """Drawings for Fig. 12."""
        return masquerade.drawn(1_000_000, self.seed)

    @cached_property
    def recorded(self):
        """The logs with the users' estimates as recorded."""
        return real_estimates.recorded(self.workloads)

    @cache
    def shapes(self, load="log"):
        """Shapes at a load, f up to 10."""
        return trends.shapes(self.at_load(load), PERFORMANCE)

    def shapes_everywhere(self):
        """Shapes of all pairs of log and load, f up to 10."""
        return pd.concat([self.shapes(load) for load in campaign.LOADS], ignore_index=True)

    @cached_property
    def shapes_wide(self):
        """Shapes at the logs' own loads over the paper's f up to 100."""
        found = trends.on_grid(self.wide(campaign.vanilla), 100, campaign.RANGES[100])
        return trends.shapes(found, PERFORMANCE)

    @cache
    def crossovers(self, model):
        """Where a model meets the real estimates, f up to 10,000: a dict a log and measure."""
        return trends.crossovers(self.wide(model), PERFORMANCE).to_dict("records")

    def at(self, measure, f, load="log"):
        """Mean of the random model at an f and its standard error, by log."""
        runs = self.at_load(load)
        runs = runs[(runs["model"] == "random") & np.isclose(runs["f"], f)]
        values = {log: part[measure] for log, part in runs.groupby("log", sort=False)}
        return {
            log: (one.mean(), one.std() / np.sqrt(len(one)) if len(one) > 1 else 0.0)
            for log, one in values.items()
        }

    def curve(self, log, measure, model="random", load="log"):
        """Means over the seeds by f."""
        return self.runs(log, model, load).groupby("f")[measure].mean()

    def band(self, log, measure):
        """5th and 95th percentile of the random model by f, at the log's own load."""
        return self.runs(log).groupby("f")[measure].quantile([0.05, 0.95]).unstack()

    def real(self, log, measure):
        """The run with real estimates at the log's own load."""
        return float(self.runs(log, "log")[measure].iloc[0])

    def change(self, log, measure, low, high, load="log"):
        """Change of a mean from one f to another in per cent of the first, with its 95 % interval."""
        (a, sa), (b, sb) = self.at(measure, low, load)[log], self.at(measure, high, load)[log]
        return difference(b - a, np.hypot(sa, sb), a)


def growth(found):
    """Least and most growth of backfilling from f = 0 to f = 10 over the logs, as `Page.compare` takes it (Fig. 7)."""
    changes = {
        measure: [found.change(log, measure, 0, 10)[0] for log in found.workloads]
        for measure in BACKFILLED
    }
    return [row for name, some in changes.items() for row in _ends(f"{name}_increase", some)]


def wild_shares(found):
    """Least and largest share of wildly backfilled jobs over the logs at f = 10 (Fig. 9)."""
    return _ends("wild_share", [100 * mean for mean, _ in found.at("wild", 10).values()])


def delayed_share(found):
    """Mean share of delayed jobs over the logs at f = 10 (Fig. 10)."""
    shares = [mean for mean, _ in found.at("delayed", 10).values()]
    return [_text("delayed_share", 100 * np.mean(shares), "f-random")]


def _ends(measure, values):
    return [_text(f"{measure}_{end.__name__}", end(values)) for end in (min, max)]


def _text(measure, value, policy="f=10"):
    return dict(zip(COLUMNS, ("all", policy, measure, float(value), "%"), strict=True))
