"""The generator behind the stand-ins: who submits what kind of job, for how long, and when.

Jobs are made user after user, in the order in which each user submits them; only the last step puts
them on a common clock. What differs between logs is in `facts`, a section of ``data/standins.toml``.
Shares of a table are met to the job: kinds of job are sorted by a random taste and dealt the values in
order, so that the shares come out whole and what a user likes stays together.
"""

import numpy as np

from replication.simulator.standins.clock import USER_POINTS, when
from replication.simulator.standins.tools import (
    bend,
    bisect,
    blend,
    by_taste,
    pareto_exponent,
    spread,
)

HEAD_SHARE = 0.90  # of the jobs on the twenty popular estimates (heel-and-toe, section 7)
LIMIT_PART = 0.98  # of the estimate, from which a job counts as having run to its limit
EXACT_LIMIT = 0.7  # of the jobs that run to their limit, those that end on the second
# Share of the variance of tastes in size and estimate that is the user's, of run times that is the kind's.
USER_SIZE, USER_ESTIMATE, KIND_RUN = 0.5, 0.65, 0.5
JITTER = 0.02  # relative spread of the run times of one input
MOST_SHIFT = 2  # of the logarithm of odds; what would need more is not the log's shape
# Where the tables of quantiles stand.
BAND_LIMITS = (600, 3600, 14400)
TENTHS = np.linspace(0, 1, 11)
TAIL_POINTS = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.98])
FAIL_POINTS = np.array([0.02, 0.25, 0.5, 0.75, 0.98])


class Unreachable(Exception):
    """The jobs drawn cannot have the log's mean run time and load; those of another draw may."""


def generate(facts, rng):
    """Draw all jobs of a stand-in: the columns of a `Workload` in order of submission, from one
    log's section of ``data/standins.toml``. Unreachable where the draw cannot have the log's
    load.
    """
    user = owners(facts, rng)
    campaign = campaigns(facts, user, rng)
    kind = kinds(facts, user, campaign, rng)
    # How long the campaigns of each kind are: mean log of the length, standardised over the jobs.
    length = np.log(np.bincount(campaign)[campaign])
    long_campaigns = np.bincount(kind, length) / np.bincount(kind)
    long_campaigns = (long_campaigns - length.mean()) / length.std()
    for_size, for_estimate = tastes(facts, user, kind, long_campaigns, rng)
    sizes = np.array(facts["size_values"])
    shares = bend(sizes, facts["size_shares"], facts["mean_size"])
    processors = deal(for_size, kind, sizes, shares)
    estimate = ask(facts, for_estimate, kind, rng)
    run_time = run(facts, campaign, kind, long_campaigns, processors, estimate, rng)
    program = executables(facts, campaign, kind, rng)
    submit = when(facts, user, campaign, run_time * processors.astype(float), rng)
    order = np.argsort(submit, kind="stable")
    columns = {
        "submit": submit,
        "run_time": run_time,
        "estimate": estimate,
        "processors": processors,
        "user": user + 1,
        "group": user % facts["groups"] + 1 if facts["groups"] > 1 else np.full(len(user), -1),
        "executable": program,
    }
    return {name: values[order] for name, values in columns.items()}


def owners(facts, rng):
    """Each job's user, from 0; how many jobs a user has follows the log's heavy-tailed quantiles."""
    n, users = facts["jobs"], facts["users"]
    places = (np.arange(users) + 0.5) / users
    wanted = np.exp(np.interp(places, USER_POINTS, np.log(facts["user_jobs"])))

    def counts(factor):
        return np.maximum(np.floor(wanted * factor), 1).astype(np.int64)

    count = counts(bisect(lambda factor: counts(factor).sum() - n, 0.01, 100))
    count[-1] += n - count.sum()
    return np.repeat(np.arange(users), rng.permutation(count))


def campaigns(facts, user, rng):
    """Each job's campaign, from 0: jobs of one user and one kind in a row, with a Pareto tail of lengths."""
    n = len(user)
    exponent = pareto_exponent(1 / (1 - facts["repeat_share"]))
    lengths = np.minimum(np.floor(rng.random(n) ** (-1 / exponent)), n // 100).astype(np.int64)
    ends = np.cumsum(lengths)
    begins = np.diff(user, prepend=-1) > 0
    begins[ends[ends < n]] = True
    return np.cumsum(begins) - 1


def kinds(facts, user, campaign, rng):
    """Each job's kind, from 0: a campaign has a new one or takes up that of an earlier campaign of the user.

    An earlier campaign is picked blindly, so that kinds are taken up in proportion to their use so far.
    """
    owner = user[np.diff(campaign, prepend=-1) > 0]
    number = np.arange(len(owner))
    first = np.flatnonzero(np.diff(owner, prepend=-1))[owner]
    # Not the campaign just before, for the two would be one.
    earlier = number - first - 1
    new = (rng.random(len(owner)) < facts["new_kind_share"]) | (earlier < 1)
    picked = first + np.floor(rng.random(len(owner)) * earlier).astype(np.int64)
    origin = np.where(new, number, picked)
    while (origin[origin] != origin).any():
        origin = origin[origin]
    return (np.cumsum(new) - 1)[origin][campaign]


def tastes(facts, user, kind, long_campaigns, rng):
    """Each kind's place on the scales of size and of estimate: standard normal, alike for a user's kinds."""
    owner = np.zeros(kind.max() + 1, dtype=np.int64)
    owner[kind] = user
    size = blend(np.sqrt(USER_SIZE), rng.standard_normal(facts["users"])[owner], rng)
    asked = blend(np.sqrt(USER_ESTIMATE), rng.standard_normal(facts["users"])[owner], rng)
    by_length, by_size = facts["length_size_correlation"], facts["size_estimate_correlation"]
    size = by_length * long_campaigns + np.sqrt(1 - by_length**2) * size
    return size, by_size * size + np.sqrt(1 - by_size**2) * asked


def executables(facts, campaign, kind, rng):
    """As many executables as in the log, or -1 where it names none.

    A kind has its own as far as they go round, else that of the kind before; those left over replace
    it from some job to the end of the campaign.
    """
    n, wanted = len(kind), facts["executables"]
    if wanted == 1:
        return np.full(n, -1)
    own = np.zeros(kind.max() + 1, dtype=bool)
    own[0] = True
    own[1 + rng.permutation(len(own) - 1)[: wanted - 1]] = True
    of_kind = np.cumsum(own)
    later = np.setdiff1d(np.arange(n), np.unique(kind, return_index=True)[1])
    renewed = np.zeros(n, dtype=bool)
    renewed[rng.permutation(later)[: wanted - of_kind[-1]]] = True
    begin = np.flatnonzero(np.diff(campaign, prepend=-1))[campaign]
    last_renewal = np.maximum.accumulate(np.where(renewed, np.arange(n), -1))
    return np.where(last_renewal >= begin, of_kind[-1] + np.cumsum(renewed), of_kind[kind])


def deal(taste, kind, values, shares):
    """Give the jobs these values, from the smallest on, in these shares, in order of their kinds' taste."""
    ends = np.rint(np.cumsum(shares) / np.sum(shares) * len(kind)).astype(np.int64)
    dealt = np.empty(len(kind), dtype=np.int64)
    dealt[by_taste(taste, kind)] = np.repeat(values, np.diff(ends, prepend=0))
    return dealt


def ask(facts, taste, kind, rng):
    """Each job's estimate: some kinds ask for odd values, all others for the log's popular ones.

    An odd value is one a kind, in whole minutes, from the quantiles of the log's others. Of the popular ones E_max
    keeps its share, those of the others are bent to the log's mean estimate.
    """
    n = len(kind)
    odd = by_taste(rng.random(len(taste)), kind)[: round((1 - HEAD_SHARE) * n)]
    odd = np.isin(np.arange(n), odd)
    place = np.zeros(len(taste))
    place[kind[odd][by_taste(taste, kind[odd])]] = (np.arange(odd.sum()) + 0.5) / odd.sum()
    value = np.exp(np.interp(place[kind[odd]], TAIL_POINTS, np.log(facts["tail_quantiles"])))
    value = np.maximum(np.rint(value / 60), 1).astype(np.int64) * 60
    values, shares = np.array(facts["estimate_values"]), np.array(facts["estimate_shares"])
    while (popular := np.isin(value, values)).any():
        value[popular] += 60
    top, e_max_share = values == facts["e_max"], facts["e_max_share"]
    left = facts["mean_estimate"] - (1 - HEAD_SHARE) * value.mean() - e_max_share * facts["e_max"]
    rest = HEAD_SHARE - e_max_share
    shares[~top] = rest * bend(values[~top], shares[~top], left / rest)
    shares[top] = e_max_share
    asked = np.empty(n, dtype=np.int64)
    asked[odd], asked[~odd] = value, deal(taste, kind[~odd], values, shares)
    return asked


def start_floor(asked):
    """Run time, in s, below which a job failed at its start: a minute, but from 2 to 10 % of the estimate."""
    return np.maximum(0.02 * asked, np.minimum(60, 0.1 * asked))


def run(facts, campaign, kind, long_campaigns, size, asked, rng):
    """Run times in three modes: failed at the start, typical of the kind, up to the limit.

    Shares and run times of the modes are those of the log's jobs with alike estimates. Two even numbers and a standard
    normal one decide; within a campaign the next job mostly has the same, otherwise they are drawn anew, the normal
    one alike for a kind.
    """
    new = (np.diff(campaign, prepend=-1) > 0) | (rng.random(len(kind)) >= facts["same_run_share"])
    given = np.cumsum(new) - 1
    mode, place = rng.random(given[-1] + 1)[given], rng.random(given[-1] + 1)[given]
    of_kind = blend(facts["length_run_correlation"], long_campaigns, rng)[kind[new]]
    length = blend(np.sqrt(KIND_RUN), of_kind, rng)[given]
    log_run = JITTER * rng.standard_normal(len(kind))
    typical = np.zeros(len(kind), dtype=bool)
    band_of = np.searchsorted(BAND_LIMITS, asked)
    for number, band in enumerate(facts["bands"]):
        here = band_of == number
        failed, limit = here & (mode < band["failed"]), here & (mode >= 1 - band["limit"])
        usual = here & ~failed & ~limit
        log_run[failed] += np.interp(place[failed], FAIL_POINTS, np.log(band["failed_run_times"]))
        most = np.log(np.ceil(start_floor(asked[failed])) - 1)
        log_run[failed] = np.minimum(log_run[failed], most)
        short = np.maximum(place[limit] - EXACT_LIMIT, 0) / (1 - EXACT_LIMIT) * (1 - LIMIT_PART)
        log_run[limit] = np.log(asked[limit] * (1 - short))
        log_run[usual] += np.interp(spread(length[usual]), TENTHS, np.log(band["typical_parts"]))
        typical |= usual
    run_time = np.maximum(np.rint(np.exp(log_run)), 1) * ~typical
    run_time[typical] = calibrate(facts, run_time, np.exp(log_run[typical]), typical, size, asked)
    return run_time.astype(np.int64)


def calibrate(facts, others, part, typical, size, asked):
    """Typical run times, in s, that bring the log's mean run time and load; `others` are those of the rest.

    Shifted are the odds of the `part` of its estimate that a job uses, by a factor and a power of the
    size. The two are rounded, so that the last bits of a machine's exponential do not reach the result.
    """
    wanted = np.array(
        [facts["mean_run_time"] * len(size), facts["load"] * facts["machine"] * facts["span"]]
    )
    wanted -= [others.sum(), (others * size).sum()]
    size, asked = size[typical], asked[typical]
    part = (part / LIMIT_PART).clip(1e-4, 1 - 1e-4)
    odds, scale = np.log(part / (1 - part)), np.log(size / facts["mean_size"])
    least = np.ceil(start_floor(asked))

    def shifted(by):
        part = 1 / (1 + np.exp(-odds - by[0] - by[1] * scale))
        return part, np.maximum(part * LIMIT_PART * asked, least)

    by = np.zeros(2)
    for _ in range(40):  # Newton's method
        part, ran = shifted(by)
        miss = wanted - [ran.sum(), (ran * size).sum()]
        if (np.abs(miss) < 1e-6 * wanted).all():
            return np.rint(shifted(by.round(6))[1])
        moves = ran * (1 - part) * (ran > least)
        slope = [[(moves * on * to).sum() for to in (1, scale)] for on in (1, size)]
        by = by + np.clip(np.linalg.solve(slope, miss), -0.5, 0.5)
        if (np.abs(by) > MOST_SHIFT).any():
            break
    raise Unreachable
