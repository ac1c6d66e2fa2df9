"""Top Percent without single parts of its design, and the simpler predictor of its section I: mean
plus standard deviations.
"""

from dataclasses import dataclass

import numpy as np
import pandas as pd

from notebooks import panels
from notebooks.top_percent import table1, weeks
from notebooks.top_percent.runs import REFERENCE, by_scheduler
from replication import EASY, Estimate, Predictor, TopPercent
from replication.simulator.choices import Number, option
from replication.simulator.predictors.base import compiled
from replication.simulator.predictors.history import finest_classes

COUNT, MEAN, SQUARES = range(3)  # columns of `moments`; squares are of distances from the mean


@dataclass(frozen=True)
class MeanPlus(Predictor, name="mean-plus"):
    """The mean run time of a class's ended jobs plus a multiple of their standard deviation, at
    most the estimate.

    Classes are those of Top Percent. Without an ended job it predicts the estimate.
    """

    draws_at_random = False

    factor: float = option(allowed=Number(0), about="standard deviations added")

    def tables(self, workload, estimate, seed):
        """Return the class of each job and the moments of each class."""
        group, finest = finest_classes(workload, estimate)
        moments = np.zeros((finest.shape[1], 3))
        return {"group": group, "moments": moments, "factor": self.factor}

    @compiled
    def predict(memory, job, now):
        """Return the prediction, whole seconds."""
        count, mean, squares = memory.moments[memory.group[job]]
        estimate = memory.estimate[job]
        if count == 0:
            return estimate
        return min(np.int64(np.rint(mean + memory.factor * np.sqrt(squares / count))), estimate)

    @compiled
    def learn(memory, job, now):
        """Add the job's run time to the moments of its class."""
        moments = memory.moments[memory.group[job]]
        away = memory.run_time[job] - moments[MEAN]
        moments[COUNT] += 1
        moments[MEAN] += away / moments[COUNT]
        moments[SQUARES] += away * (memory.run_time[job] - moments[MEAN])


#: Designs by name. A share of 3 % of a normal distribution lies 1.88 standard deviations above its
#: mean.
DESIGNS = {
    "Top 3 %": TopPercent(3),
    "equal weights": TopPercent(3, weights="equal"),
    "no decay": TopPercent(3, decay=1),
    "no artificial point": TopPercent(3, artificial=0),
    "equal weights, no decay": TopPercent(3, weights="equal", decay=1),
    "none of the three": TopPercent(3, weights="equal", decay=1, artificial=0),
    "mean + 1.88 sd": MeanPlus(1.88),
    "mean + 4 sd": MeanPlus(4),
    "mean": MeanPlus(0),
}
SHOWN = ("AP0WAF", "AP1WAF", "AVEbsld")


def results(workloads, workers=1):
    """Simulate EASY with each of `DESIGNS`.

    Returns
    -------
    measures : pandas.DataFrame
        log, design, measure (`SHOWN`), value over that with estimates, low, high: 95 % intervals
        over weeks.
    shares : pandas.DataFrame
        log, design, and the columns of `table1.at_estimate`, per cent of the jobs.
    """
    predictors = {REFERENCE: Estimate()} | DESIGNS
    designs = {name: EASY(predictor=predictor) for name, predictor in predictors.items()}
    schedules = {log: by_scheduler(jobs, designs, workers) for log, jobs in workloads.items()}
    shares = [
        {"log": log, "design": name} | table1.at_estimate(run)
        for log, by_design in schedules.items()
        for name, run in by_design.items()
    ]
    table = weeks.table(weeks.replicates(schedules, ("design",)))
    table = table[table["measure"].isin(SHOWN) & (table["design"] != REFERENCE)]
    return table.reset_index(drop=True), pd.DataFrame(shares)


def draw(table):
    """Draw the priority measures over those with estimates, with intervals: a panel for each log, a
    line for each design.
    """
    priority = table[(table["measure"] != "AVEbsld") & (table["design"] != "mean")]
    return panels.dots(priority, "design", "measure", "value", "over Reqtime's", none=1)
