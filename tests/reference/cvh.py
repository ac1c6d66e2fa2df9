"""The predictor of the cross-validated heuristic in readable Python:
the reference implementation of CVH.

A linear model by Gaussier, Glesser, Reis and Trystram (SC'15), trained by the normalised adaptive
gradient of Ross, Mineiro and Langford (2013). The decisions file of Top Percent lists the details
that the paper leaves open.
"""

import math
from collections import defaultdict

import numpy as np

from replication.simulator import predictors
from tests.reference.predictors import REFERENCES, Predictor

RATE, REGULAR, START, TICK = 5000.0, 4e9, 1e-9, 2
DAY, WEEK = 86400, 604800


class Cvh(Predictor):
    """A linear model of features of the job, its user's history and running jobs,
    and the products of two of them.
    """

    def __init__(self, workload, estimate):
        super().__init__(workload, estimate)
        self.submit, self.size = workload.submit.tolist(), workload.processors.tolist()
        self.ended, self.last_end, self.running = defaultdict(list), {}, defaultdict(dict)
        self.features = {}
        terms = 19 + 120 + 18
        self.weights, self.scales, self.squares = (
            np.zeros(terms),
            np.full(terms, START),
            np.full(terms, START),
        )
        self.steps, self.norm = 1.0, START

    def predict(self, job, now) -> int:
        if job not in self.features:
            self.features[job] = expand(self.observe(job, now))
        value = abs(dot(self.weights, self.features[job]))
        return max(1, min(int(min(value, 1e18)), self.estimate[job]))

    def begin(self, job, now) -> None:
        self.running[self.user[job]][job] = now

    def learn(self, job, now) -> None:
        user = self.user[job]
        del self.running[user][job]
        self.correct(self.features[job], self.run_time[job], self.size[job])
        self.ended[user].append(job)
        self.last_end[user] = now

    def observe(self, job, now) -> list[float]:
        """Return the 19 features, in the order of the decisions file."""
        user, estimate = self.user[job], self.estimate[job]
        ended, elapsed = self.ended[user], [now - began for began in self.running[user].values()]
        seen = [min(max(self.run_time[j], now - self.submit[j]), estimate) for j in ended[:-4:-1]]
        newest_two = sum(seen[:2]) / len(seen[:2]) if ended else estimate
        of_day = 2 * math.pi * (self.submit[job] % DAY) / DAY
        of_week = 2 * math.pi * (self.submit[job] % WEEK) / WEEK
        return [
            1.0,
            *(seen + [estimate] * 3)[:3],
            estimate,
            newest_two,
            0.33 * sum(seen) if len(seen) == 3 else newest_two,
            sum(self.run_time[j] for j in ended) / len(ended) if ended else 0.0,
            now - self.last_end[user] if ended else 0.0,
            self.size[job] / (sum(self.size[j] for j in ended) / len(ended)) if ended else 0.0,
            sum(self.size[j] for j in self.running[user]),
            sum(elapsed),
            len(elapsed),
            max(elapsed, default=0),
            math.cos(of_day),
            math.sin(of_day),
            math.cos(of_week),
            math.sin(of_week),
            self.size[job],
        ]

    def correct(self, x, run_time, size) -> None:
        """Update the weights by one step of the normalised adaptive gradient."""
        large = np.abs(x) > self.scales
        shrink = np.where(large, self.scales / np.where(large, np.abs(x), 1.0), 1.0)
        self.weights = self.weights * shrink
        self.scales = np.where(large, np.abs(x), self.scales)
        ratios = x / self.scales
        self.norm += dot(ratios, ratios)
        step = RATE * math.sqrt(self.steps / self.norm)
        self.steps += TICK
        error = dot(self.weights, x) - run_time
        # Squared above the truth, absolute below it.
        slope = 2 * error if error > 0 else -1.0 if error < 0 else 0.0
        slope *= 1 + math.log(max(size * run_time, 1))
        gradient = slope * x + REGULAR * self.weights
        self.squares = self.squares + gradient * gradient
        self.weights = self.weights - step * gradient / (self.scales * np.sqrt(self.squares))


def expand(features) -> np.ndarray:
    """Return the features, the products of all pairs of the 2nd to 17th,
    and the squares of the 2nd to 19th.
    """
    f = [float(value) for value in features]
    pairs = [f[i] * f[j] for i in range(1, 17) for j in range(i + 1, 17)]
    return np.array(f + pairs + [value * value for value in f[1:]])


def dot(a, b) -> float:
    """Return the sum of products, added by quarters in the order of the compiled loop."""
    products = np.zeros(160)
    products[: len(a)] = a * b
    for _ in range(2):
        quarters = products.reshape(4, -1)
        products = quarters[0] + quarters[1] + (quarters[2] + quarters[3])
    total = 0.0
    for product in products.tolist():  # not sum(), which corrects its rounding in newer Pythons
        total += product
    return total


REFERENCES[predictors.CVH] = Cvh
