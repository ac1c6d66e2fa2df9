"""Intervals of many short logs at once are those of the package."""

import numpy as np
import pytest

import short_logs
from replication.simulator.schedules import intervals


@pytest.mark.parametrize("weeks", [8, 20])
def test_intervals_of_many_logs_are_those_of_the_package(weeks):
    sums = np.random.default_rng(1).gamma(2, size=(3, weeks, 4, 3, 2))
    ends = short_logs.ends(sums, short_logs.METHODS[short_logs.USED])
    for log, rows in enumerate(sums):
        flat = rows.reshape(weeks, -1)
        totals = intervals.sums_without(flat, short_logs.WEEK * np.arange(weeks))
        effects = short_logs.effects(totals.reshape(-1, 4, 3, 2))
        for measure, factor in ((0, intervals.PLAIN), (3, intervals.PRIORITY)):
            for effect in (0, 1):
                _, *both = intervals.interval(effects[:, measure, effect], factor)
                assert ends[:, log, measure, effect] == pytest.approx(both)


def test_a_long_log_has_the_load_and_the_weeks_of_its_process():
    process = short_logs.PROCESSES[0]
    log = short_logs.long_log(process, 60, seed=1)
    work = (log.run_time * log.processors).sum()
    assert work / (log.machine * 60 * short_logs.WEEK) == pytest.approx(process.load, rel=0.01)
    assert len(short_logs.weekly_sums(log)) == 60
