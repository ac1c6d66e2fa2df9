"""Measures in the real logs what their stand-ins are made from, and writes ``data/standins.toml``.

Every number is a statistic of a whole log: a total, a share, a quantile. None belongs to one job. Anyone
with the logs gets the same table from ``python data/fitting.py``.
"""

import textwrap

import numpy as np

from replication.simulator import paths, standins, traces, writing
from replication.simulator.standins.clock import GAP_POINTS, USER_POINTS
from replication.simulator.standins.model import (
    BAND_LIMITS,
    FAIL_POINTS,
    LIMIT_PART,
    TAIL_POINTS,
    TENTHS,
    start_floor,
)

LOGS = ("CTC-SP2", "KTH-SP2", "SDSC-SP2", "SDSC-BLUE", "SDSC-DS")
POPULAR = 20  # estimates kept by value
COMMON = 0.05  # E_max is the largest estimate that this share of the jobs asks for
RARE = 0.001  # sizes of fewer jobs are pooled
THURSDAY = 3 * 86400  # 1 January 1970 was one; weeks begin on Monday

ABOUT = """\
# What the stand-ins are made from: statistics of the real logs, measured by data/fitting.py.
# Times in seconds. [LOG.paper.PAPER]: the numbers that are other ones under that paper's rules and machine.
# Where each table of quantiles stands is in replication/simulator/standins/model.py and clock.py.
"""


def measure(log):
    """Everything the generator needs to know about one log."""
    trace = traces.read(log)
    clock_at_0 = trace.unix_start_time + int(trace.header["TimeZone"][0]) + THURSDAY
    jobs, asked = _load(log)
    return (
        overall(jobs, asked)
        | describe(asked, (clock_at_0 + int(jobs.submit[0])) % (7 * 86400))
        | {
            "paper": {
                paper: overall(*_load(source, paper))
                for paper in traces.papers()
                for source in traces.names(paper)
                if standins.ALIASES.get(source, source) == log
            }
        }
    )


def _load(log, paper=None):
    """A log's jobs under the rules, and the same with estimates as the users gave them."""
    return (
        traces.load(log, paper=paper, stand_in=False),
        traces.load(log, paper=paper, stand_in=False, overrun="as-is"),
    )


def overall(jobs, asked=None):
    """What a stand-in takes over from a log as a whole."""
    estimate = (jobs if asked is None else asked).estimate
    values, counts = np.unique(estimate, return_counts=True)
    # Heel-and-toe, section 7: an effective maximum, for single jobs ask for more.
    e_max = int(values[counts >= COMMON * len(estimate)].max())
    return {
        "jobs": len(jobs),
        "machine": jobs.machine,
        "users": len(np.unique(jobs.user)),
        "span": jobs.span,
        "load": jobs.load,
        "mean_size": jobs.processors.mean(),
        "mean_run_time": jobs.run_time.mean(),
        "e_max": e_max,
        "e_max_share": (estimate == e_max).mean(),
        "mean_estimate": estimate.mean(),
        "mean_backlog": backlog(jobs).mean(),
    }


def backlog(jobs):
    """Time the whole machine would need for what is submitted and not done, when each job comes."""
    brought = jobs.run_time * jobs.processors / jobs.machine
    left = np.concatenate([[0], np.cumsum(brought[:-1] - np.diff(jobs.submit))])
    return left - np.minimum.accumulate(left)


def describe(asked, clock_start):
    """How the jobs of a log are spread over clock, sizes, estimates, run times and users."""
    clock = asked.submit - asked.submit[0] + clock_start
    return (
        {
            "clock_start": int(clock_start),
            "hours": _profile(clock // 3600 % 24, 24),
            "weekdays": _profile(clock // 86400 % 7, 7),
            "executables": len(np.unique(asked.executable)),
            "groups": len(np.unique(asked.group)),
        }
        | _sizes(asked.processors)
        | _estimates(asked.estimate)
        | _users(asked)
        | habits(asked)
        | {"bands": bands(asked)}
    )


def _profile(part, parts):
    """Submissions in each part of the day or week, relative to their mean."""
    return np.bincount(part, minlength=parts) / len(part) * parts


def _sizes(size):
    """Sizes and their shares; rare neighbours are pooled at their mean."""
    values, counts = np.unique(size, return_counts=True)
    shares, pool = {}, np.zeros(2)  # jobs, and processors of all of them
    for value, share in zip(values.tolist(), counts / len(size), strict=True):
        if share >= RARE:
            shares[value] = shares.get(value, 0) + share
            continue
        pool += share, share * value
        if pool[0] >= RARE:
            mean = round(pool[1] / pool[0])
            shares[mean] = shares.get(mean, 0) + pool[0]
            pool[:] = 0
    if pool[0]:
        mean = round(pool[1] / pool[0])
        shares[mean] = shares.get(mean, 0) + pool[0]
    values = sorted(shares)
    return {"size_values": values, "size_shares": [shares[value] for value in values]}


def _estimates(estimate):
    """The most popular estimates with their shares, and quantiles of all others."""
    values, counts = np.unique(estimate, return_counts=True)
    popular = np.sort(np.argsort(-counts, kind="stable")[:POPULAR])
    others = estimate[~np.isin(estimate, values[popular])]
    return {
        "estimate_values": values[popular],
        "estimate_shares": counts[popular] / len(estimate),
        "tail_quantiles": np.quantile(others, TAIL_POINTS),
    }


def _users(asked):
    """Jobs per user, the part of the log between a user's first and last job, and how the two go together."""
    user = np.unique(asked.user, return_inverse=True)[1]
    jobs = np.bincount(user)
    first, last = np.full(len(jobs), asked.submit[-1]), np.zeros(len(jobs), dtype=np.int64)
    np.minimum.at(first, user, asked.submit)
    np.maximum.at(last, user, asked.submit)
    ranks = [
        np.argsort(np.argsort(values, kind="stable"), kind="stable")
        for values in (jobs, last - first)
    ]
    return {
        "user_jobs": np.quantile(jobs, USER_POINTS),
        "user_windows": np.quantile((last - first) / asked.span, USER_POINTS),
        "window_rank_correlation": correlation(*ranks),
    }


def habits(asked):
    """How users resubmit: repeats of a kind (user, size, estimate), their lengths, run times and
    gaps.
    """
    order = np.lexsort((np.arange(len(asked)), asked.user))
    user, size, estimate, submit, ran = (
        column[order]
        for column in (asked.user, asked.processors, asked.estimate, asked.submit, asked.run_time)
    )
    mine = user[1:] == user[:-1]
    again = mine & (size[1:] == size[:-1]) & (estimate[1:] == estimate[:-1])
    run = np.concatenate([[0], np.cumsum(~again)])
    length = np.log(np.bincount(run)[run])
    log_size, log_estimate, log_ran = (np.log(np.maximum(v, 1)) for v in (size, estimate, ran))
    kinds = np.unique(np.stack([user, size, estimate]), axis=1).shape[1]
    return {
        "repeat_share": again.sum() / mine.sum(),
        "new_kind_share": kinds / (run[-1] + 1),
        "same_run_share": (np.abs(np.diff(log_ran)) < 0.1)[again].mean(),
        "size_estimate_correlation": correlation(log_size, log_estimate),
        "length_size_correlation": correlation(length, log_size),
        "length_run_correlation": correlation(length, log_ran),
    } | _gaps(np.maximum(np.diff(submit), 1), mine, again, (log_size + log_ran)[:-1])


def _gaps(gap, mine, again, last_work):
    """Times between a user's successive jobs, of one kind and of two."""
    log, other = np.log(gap), mine & ~again
    pair = again[1:] & again[:-1]
    return {
        "repeat_gaps": np.quantile(gap[again], GAP_POINTS),
        "other_gaps": np.quantile(gap[other], GAP_POINTS),
        "gap_correlation": correlation(log[:-1][pair], log[1:][pair]),
        "repeat_gap_work_correlation": correlation(log[again], last_work[again]),
        "other_gap_work_correlation": correlation(log[other], last_work[other]),
    }


def bands(asked):
    """Run times by length of the estimate: failed at the start, typical, ran to the limit."""
    estimate = np.maximum(asked.estimate, 1)
    ran = np.minimum(asked.run_time, estimate)
    found, band_of = [], np.searchsorted(BAND_LIMITS, estimate)
    for number, above in enumerate((0, *BAND_LIMITS)):
        here = band_of == number
        failed = here & (ran < start_floor(estimate))
        limit = here & (ran >= LIMIT_PART * estimate) & ~failed
        typical = here & ~failed & ~limit
        found.append(
            {
                "above": above,
                "failed": failed.sum() / here.sum(),
                "limit": limit.sum() / here.sum(),
                "failed_run_times": np.quantile(np.maximum(ran[failed], 1), FAIL_POINTS),
                "typical_parts": np.quantile((ran / estimate)[typical], TENTHS),
            }
        )
    return found


def correlation(a, b):
    """Pearson's coefficient."""
    return np.corrcoef(a, b)[0, 1]


def toml(tables):
    """The text of the table: sections by log, five digits."""
    lines = [ABOUT]
    for log, table in tables.items():
        plain = {key: value for key, value in table.items() if key not in ("paper", "bands")}
        sections = [
            (f"[{log}]", plain),
            *((f"[[{log}.bands]]", band) for band in table["bands"]),
            *((f"[{log}.paper.{paper}]", own) for paper, own in table["paper"].items()),
        ]
        for title, values in sections:
            for line in (title, *(f"{key} = {_value(value)}" for key, value in values.items()), ""):
                lines += textwrap.wrap(line, 110, subsequent_indent="    ") or [""]
    return "\n".join(lines)


def _value(value):
    if isinstance(value, (list, np.ndarray)):
        return f"[{', '.join(map(_value, value))}]"
    if isinstance(value, (int, np.integer)):
        return str(value)
    short = f"{value:.5g}" if abs(value) < 1e4 else f"{value:.1f}"
    return short if set(short) & set(".en") else f"{short}.0"


def write(path=standins.TABLE):
    """Measure all logs and write the table."""
    text = toml({log: measure(log) for log in LOGS})
    writing.write(path, text.encode())


if __name__ == "__main__":
    write()
    print(f"written: {standins.TABLE.relative_to(paths.ROOT)}")
