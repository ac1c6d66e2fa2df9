"""When the jobs of a stand-in are submitted: users' own times, a common pace, the cycles of day and week."""

import numpy as np

from replication.simulator.standins.tools import bisect, blend, spread

LONG_GAP = 43200  # s; from here on, the time between a user's two jobs is a break
PACE_STEP = 3600  # s
# Where the tables of quantiles stand.
USER_POINTS = np.array([0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1])
GAP_POINTS = np.array([0.02, 0.1, 0.25, 0.5, 0.75, 0.9, 0.98])


def when(facts, user, campaign, work, rng):
    """Submission times, in s: the users' own, then the common pace, then the cycles of day and week."""
    time = pace(facts, own_times(facts, user, gaps(facts, campaign, work, rng), rng), work)
    return cycle(facts, (time - time.min()) / (time.max() - time.min()))


def gaps(facts, campaign, work, rng):
    """Time since the user's last job, in s; alike within a campaign, longer after much work."""
    again = np.diff(campaign, prepend=-1) == 0
    alike = np.sqrt(facts["gap_correlation"])
    taste = blend(alike, rng.standard_normal(campaign[-1] + 1)[campaign], rng)
    last_work = np.sqrt(12) * (spread(np.roll(work, 1)) - 0.5)
    gap = np.empty(len(campaign))
    for which, name in ((again, "repeat_gap"), (~again, "other_gap")):
        by_work = facts[f"{name}_work_correlation"]
        mixed = by_work * last_work[which] + np.sqrt(1 - by_work**2) * taste[which]
        gap[which] = np.exp(np.interp(spread(mixed), GAP_POINTS, np.log(facts[f"{name}s"])))
    return gap


def own_times(facts, user, gap, rng):
    """Times at which users would submit on a clock without nights, each within a part of the log.

    Gaps within sessions are as drawn. Breaks are stretched or shrunk until the user's jobs fill that part.
    """
    count = np.bincount(user)
    begin = np.cumsum(count) - count
    gap[begin] = 0
    long = gap > LONG_GAP
    in_sessions, in_breaks = np.bincount(user, gap * ~long), np.bincount(user, gap * long)
    # Between a user's first and last job; longer for those who submit more.
    place = blend(facts["window_rank_correlation"], np.sqrt(12) * (spread(count) - 0.5), rng)
    window = facts["span"] * np.interp(spread(place), USER_POINTS, facts["user_windows"])
    window = np.minimum(np.maximum(window, in_sessions), facts["span"])
    squeeze = np.minimum(1, window / np.maximum(in_sessions, 1))
    stretch = (window - in_sessions * squeeze) / np.maximum(in_breaks, 1)
    time = np.cumsum(gap * np.where(long, stretch[user], squeeze[user]))
    time -= time[begin][user]
    # More begin or end near the ends of the log, so that it is as busy there as in the middle.
    at = rng.random(len(count))
    at = np.where(at < 0.5, 2 * at**2, 1 - 2 * (1 - at) ** 2)
    return time + ((facts["span"] - np.maximum.reduceat(time, begin)) * at)[user]


def pace(facts, time, work):
    """Put the users' times on a common clock that slows as work piles up, for users then hold back.

    The backlog is how long the whole machine would need for what is submitted and not done. Where it
    is as long as the log's mean backlog, submissions come half as fast as on an idle machine.
    """
    steps = facts["span"] // PACE_STEP + 1
    at = np.minimum((time / PACE_STEP).astype(np.int64), steps - 1)
    brought = (np.bincount(at, work, minlength=steps) / facts["machine"]).tolist()
    slow = 1 / facts["mean_backlog"]

    def widths(idle):
        backlog, taken = 0.0, []
        for more in brought:
            taken.append(idle * (1 + backlog * slow))
            backlog = max(0.0, backlog + more - taken[-1])
        return taken

    idle = bisect(lambda idle: sum(widths(idle)) - facts["span"], 0, PACE_STEP, 20)
    edges = np.concatenate([[0], np.cumsum(widths(idle))])
    return np.interp(time, np.arange(steps + 1) * PACE_STEP, edges)


def cycle(facts, time):
    """Whole seconds from 0 to the span for times from 0 to 1, dense by day and from Monday to Friday."""
    begin, span = facts["clock_start"], facts["span"]
    hour = np.arange(begin // 3600, (begin + span) // 3600 + 2)
    by_hour, by_day = np.array(facts["hours"]), np.array(facts["weekdays"])
    rate = by_hour[hour[:-1] % 24] * by_day[hour[:-1] // 24 % 7]
    passed = np.concatenate([[0], np.cumsum(rate)])
    clock = hour * 3600.0 - begin
    low, high = np.interp([0, span], clock, passed)
    return np.rint(np.interp(low + time * (high - low), passed, clock)).astype(np.int64)
