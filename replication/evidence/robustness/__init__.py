"""Whether a paper's headline conclusions survive a change: one table of conclusions against changes.

A headline stands in ``data/published/<paper>/headlines.toml``: a short name, our statement of it, the
section, the statistic and the rule that decide it. A change is one thing done otherwise than by default: a
reading of what the paper leaves open, another cleaning of its logs, a log that it does not have, or another
load. A paper's package says which changes there are and how a headline is decided on one log; here each
headline is decided on every log under every change, by one rule everywhere. `replication.evidence.robustness.table`
draws what comes of it.
"""

import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pandas as pd

from replication.basics import paths
from replication.evidence.claims import UNDECIDED, Claims, verdict
from replication.schedulers import EASY

DEFAULT, READING, CLEANING, LOG, LOAD = KINDS = ("default", "reading", "cleaning", "log", "load")
YES, NO, OPEN, ABSENT = ANSWERS = ("holds", "against", "undecided", "not applicable")
LOADS = (0.7, 0.8, 0.9)
STAND_IN = "needs the real log"


class NotApplicable(Exception):
    """A headline that a log or a change says nothing about; the message says why."""


@dataclass(frozen=True)
class Change:
    """One thing done otherwise than by default.

    Parameters
    ----------
    kind : str
        One of `KINDS`.
    name : str
        In words.
    logs : tuple of str
        The logs it is tried on.
    options : dict
        What the paper's package makes of it: options of schedulers, of estimates, of measures.
    cleaning : dict
        Of `replication.logs.traces.load`.
    source : dict of str to str
        The log that is read in place of another.
    load : float, optional
        A share of the machine, reached by multiplying submission times.
    """

    kind: str
    name: str
    logs: tuple
    options: dict = field(default_factory=dict)
    cleaning: dict = field(default_factory=dict)
    source: dict = field(default_factory=dict)
    load: float | None = None


@dataclass(frozen=True)
class Case:
    """One log under one change; to a paper's functions it looks like a page with that log alone."""

    page: object
    log: str
    workload: object
    change: Change

    quick = False  # the jobs are already those of the page's scale
    workers = 1

    @property
    def logs(self):
        """Its one log."""
        return [self.log]

    @property
    def workloads(self):
        """Its one workload, by log."""
        return {self.log: self.workload}

    def __getattr__(self, name):
        if name in ("paper", "seed", "kind"):
            return getattr(self.page, name)
        raise AttributeError(name)


class Headlines(Claims):
    """The headline conclusions of one paper and the functions that decide them on one log.

    A decider takes evidence of the paper's own making and gives cases, as those of
    `replication.evidence.claims.Claims` do. It raises `NotApplicable` where there is nothing to decide.
    """

    def published(self):
        """The headlines as entered, by id."""
        with open(paths.PUBLISHED / self.paper / "headlines.toml", "rb") as file:
            return tomllib.load(file)


def readings(logs, names, scheduler=EASY):
    """Every value of some options of a scheduler but the default, each changed alone.

    Parameters
    ----------
    logs : tuple of str
    names : sequence of str
        Options that take one of some names.
    scheduler : class
        Of `replication.schedulers`.

    Returns
    -------
    list of Change
        With the option under ``scheduler``.
    """
    options = scheduler.options()
    return [
        Change(READING, f"{name}: {value}", logs, {"scheduler": {name: value}})
        for name in names
        for value in options[name].metadata["allowed"]
        if value != options[name].default
    ]


def machines(page, log, sizes):
    """One log of a paper on machines of other sizes; none if the page does not have it."""
    return [
        Change(CLEANING, f"{log} with {size} processors", (log,), cleaning={"machine": size})
        for size in sizes
        if log in page.logs
    ]


def others(page):
    """Changes that all papers share: each log that a paper does not have, and other loads on its own logs.

    A second version of one of the paper's logs is another cleaning and no other log.
    """
    from replication.logs import traces

    stems = {log.removesuffix("-2") for log in page.logs}
    strangers = [log for log in traces.names() if not log.endswith("-2") and log not in stems]
    return [
        *(Change(LOG, log, (log,)) for log in strangers),
        *(Change(LOAD, f"load {100 * load:.0f} %", tuple(page.logs), load=load) for load in LOADS),
    ]


def workload(page, log, change):
    """The jobs of a log under a change.

    Parameters
    ----------
    page : replication.pages.page.Page
    log : str
        Of the paper, or another; another is cleaned by the paper's rules and has its header's machine.
    change : Change

    Returns
    -------
    replication.logs.workload.Workload

    Raises
    ------
    NotApplicable
        If the log itself is needed and is not to be had.
    """
    from replication.logs import traces
    from replication.pages.page import QUICK_JOBS

    own = page.workloads.get(log)
    if own is not None and not change.cleaning and log not in change.source:
        jobs = own
    elif page.stand_in:
        raise NotApplicable(STAND_IN)
    else:
        rules = traces.rules(log if own is not None else page.logs[0], page.paper)
        chosen = {
            "size": rules.size,
            "overrun": rules.overrun,
            "drop": rules.drop,
            "machine": rules.machine,
        }
        if (
            own is None or log in change.source
        ):  # the paper's rules were made for logs without such jobs
            chosen |= {"drop": (*rules.drop, "no-processors", "larger-than-machine")}
        if own is None:
            chosen |= {"machine": None}
        try:
            jobs = traces.load(
                change.source.get(log, log), stand_in=False, **chosen | change.cleaning
            )
        except traces.TraceError as reason:
            raise NotApplicable(str(reason)) from None
        jobs = jobs.take(slice(QUICK_JOBS)) if page.quick else jobs
    return jobs if change.load is None else jobs.scaled(jobs.load / change.load)


def study(page, headlines, changes, evidence):
    """Decide every headline on every log under every change, kind by kind.

    Parameters
    ----------
    page : replication.pages.page.Page
    headlines : Headlines
    changes : list of Change
    evidence : Callable
        ``evidence(case)`` makes what the deciders take.

    Returns
    -------
    pandas.DataFrame
        headline, kind, change, log, what, numbers, answer (one of `ANSWERS`), reason (why not applicable).
    """
    known = headlines.published()
    missing = known.keys() ^ headlines.deciders.keys()
    if missing:
        raise KeyError(
            f"{page.paper}: headlines without decider or entry: {', '.join(sorted(missing))}"
        )
    changes = sorted(changes, key=lambda change: KINDS.index(change.kind))
    tasks = [(change, log) for change in changes for log in change.logs]
    if set(changes[0].logs) - page.workloads.keys():
        raise KeyError(
            f"{page.paper}: logs {', '.join(changes[0].logs)}, allowed: {', '.join(page.workloads)}"
        )
    with ThreadPoolExecutor(page.workers) as pool:
        parts = list(
            pool.map(lambda task: _decided(page, headlines, known, evidence, *task), tasks)
        )
    columns = ["headline", "kind", "change", "log", "what", "numbers", "answer", "reason"]
    return pd.DataFrame([row for part in parts for row in part], columns=columns)


def _decided(page, headlines, known, evidence, change, log):
    """Rows of one log under one change."""

    def absent(name, reason):
        return name, change.kind, change.name, log, "", "", ABSENT, str(reason)

    try:
        found = evidence(Case(page, log, workload(page, log, change), change))
    except NotApplicable as reason:
        return [absent(name, reason) for name in known]
    rows = []
    for name in known:
        try:
            rows += [
                (name, change.kind, change.name, log, what, numbers, _answer(answer), "")
                for what, numbers, answer in headlines.deciders[name](found)
            ]
        except NotApplicable as reason:
            rows.append(absent(name, reason))
    return rows


def _answer(answer):
    return OPEN if answer is None else YES if answer else NO


def summary(page, cases):
    """Cases that hold by headline and change.

    Parameters
    ----------
    page : replication.pages.page.Page
    cases : pandas.DataFrame
        From `study`.

    Returns
    -------
    pandas.DataFrame
        headline, kind, change, holds, against, undecided, cases, share (nan where none is applicable),
        verdict (as a claim with these cases would get; undecided unless the results are of real logs at paper
        scale), reason.
    """
    key, rows = ["headline", "kind", "change"], []
    for names, part in cases.groupby(key, sort=False):
        counts = [int((part["answer"] == answer).sum()) for answer in (YES, NO, OPEN)]
        given = [True] * counts[0] + [False] * counts[1] + [None] * counts[2]
        reasons = "; ".join(dict.fromkeys(part.loc[part["answer"] == ABSENT, "reason"]))
        share = counts[0] / len(given) if given else float("nan")
        word = ABSENT if not given else verdict(given) if page.kind == "paper" else UNDECIDED
        rows.append((*names, *counts, len(given), share, word, reasons))
    return pd.DataFrame(rows, columns=[*key, YES, NO, OPEN, "cases", "share", "verdict", "reason"])
