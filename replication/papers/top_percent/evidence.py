"""The schedules that the paper's claims are decided by, each simulated once."""

from functools import cached_property
from itertools import product

import numpy as np

from replication.papers.top_percent import fig1, modes
from replication.papers.top_percent.intervals import Block
from replication.papers.top_percent.runs import POLICIES, READINGS, jobs, run
from replication.simulator import engines
from replication.simulator.predictors import Scaled
from replication.simulator.schedulers import EASY
from replication.simulator.simulation import simulate

SHORT, LONG = 0.5, 1.5


class Evidence:
    """Results asked for by the claims, under one of `replication.papers.top_percent.runs.READINGS`.
    `quick` says that the workloads are only the first jobs of their logs; fewer samples decide on
    modes then.
    """

    def __init__(self, workloads, reading="words", quick=False, workers=1):
        self.reading, self.quick, self.workers = READINGS[reading], quick, workers
        self.workloads = jobs(workloads, self.reading, quick)

    @cached_property
    def schedules(self):
        """EASY's schedules by log and policy."""
        pairs = list(product(self.workloads, POLICIES))

        def simulated(pair):
            return run(self.workloads[pair[0]], pair[1], self.reading)

        return dict(zip(pairs, engines.each(simulated, pairs, self.workers), strict=True))

    @cached_property
    def blocks(self):
        """The rows of each log with intervals."""
        return {
            log: Block(log, {policy: self.schedules[log, policy] for policy in POLICIES})
            for log in self.workloads
        }

    @cached_property
    def scaled(self):
        """Rows of each log with all run times predicted too short, and too long."""
        found = {}
        for log, workload in self.workloads.items():
            schedules = {
                name: simulate(workload, EASY(predictor=Scaled(factor), **self.reading.scheduler))
                for name, factor in (("short", SHORT), ("Reqtime", LONG))
            }
            found[log] = Block(log, schedules)
        return found

    @cached_property
    def short_first(self):
        """Rows of each log with run times known: shortest candidate first, and queue order as reference."""
        first = EASY(candidates="sjf")
        found = {}
        for log, workload in self.workloads.items():
            short = run(workload, "Clairvoyant", self.reading, first)
            found[log] = Block(log, {"short": short, "Reqtime": self.schedules[log, "Clairvoyant"]})
        return found

    @cached_property
    def unimodal(self):
        """p value of one mode for each large class."""
        samples = modes.how_many(self.quick)
        large = [
            (log, workload.run_time[members].astype(float), int(members[0]))
            for log, workload in self.workloads.items()
            for members in fig1.classes(workload)
            if np.ptp(workload.run_time[members]) > 0
        ]

        def tested(one):
            log, run_time, first = one
            return modes.p_value(run_time, 1, log, first, samples=samples)

        return engines.each(tested, large, self.workers)
