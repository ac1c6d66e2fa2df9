"""Whether a paper's headline conclusions survive a change: one table of conclusions against changes.

A headline stands in ``data/published/<paper>/headlines.toml``: a short name, our statement of it, the section,
the statistic and the rule that decide it. A change is one thing done otherwise than by default: a reading of
what the paper leaves open, another cleaning of its logs, a log that it does not have, or another load. A paper's
package says which changes there are and how a headline is decided on one log; here each headline is decided on
every log under every change, by one rule everywhere, and the shares of cases that hold are drawn.
"""

import tomllib
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

import pandas as pd

from replication import paths
from replication.claims import HOLDS, PART, UNDECIDED, Claims, verdict

DEFAULT, READING, CLEANING, LOG, LOAD = KINDS = ("default", "reading", "cleaning", "log", "load")
HEADINGS = {READING: "other readings, the paper's logs", CLEANING: "other cleanings of the paper's logs",
            LOG: "other logs, default reading", LOAD: "other loads, the paper's logs"}
YES, NO, OPEN, ABSENT = ANSWERS = ("holds", "against", "undecided", "not applicable")
LOADS = (0.7, 0.8, 0.9)
STAND_IN = "needs the real log"
# From against to for: red to green in hue, and from dark to light throughout, so that grey shows the same.
COLOURS = ("#5E0A1A", "#A3301F", "#CF6A2B", "#DFA548", "#CFD884", "#DFF8DC")
ROW_HEIGHT, COLUMN_WIDTH, LABEL_WIDTH = 0.235, 0.82, 3.4


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
        Of `replication.traces.load`.
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

    quick = False      # the jobs are already those of the page's scale
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

    A decider takes evidence of the paper's own making and gives cases, as those of `replication.claims.Claims`
    do. It raises `NotApplicable` where there is nothing to decide.
    """

    def published(self):
        """The headlines as entered, by id."""
        with open(paths.PUBLISHED / self.paper / "headlines.toml", "rb") as file:
            return tomllib.load(file)


def readings(logs, names, scheduler="easy-predicted"):
    """Every value of some options of a scheduler but the default, each changed alone.

    Parameters
    ----------
    logs : tuple of str
    names : sequence of str
        Options that take one of some names.
    scheduler : str

    Returns
    -------
    list of Change
        With the option under ``scheduler``.
    """
    from replication.simulation import SCHEDULERS

    options = SCHEDULERS[scheduler].options
    return [Change(READING, f"{name}: {value}", logs, {"scheduler": {name: value}})
            for name in names for value in options[name].allowed if value != options[name].default]


def machines(page, log, sizes):
    """One log of a paper on machines of other sizes; none if the page does not have it."""
    return [Change(CLEANING, f"{log} with {size} processors", (log,), cleaning={"machine": size})
            for size in sizes if log in page.logs]


def others(page):
    """Changes that all papers share: each log that a paper does not have, and other loads on its own logs.

    A second version of one of the paper's logs is another cleaning and no other log.
    """
    from replication import traces

    stems = {log.removesuffix("-2") for log in page.logs}
    strangers = [log for log in traces.names() if not log.endswith("-2") and log not in stems]
    return [*(Change(LOG, log, (log,)) for log in strangers),
            *(Change(LOAD, f"load {100 * load:.0f} %", tuple(page.logs), load=load) for load in LOADS)]


def workload(page, log, change):
    """The jobs of a log under a change.

    Parameters
    ----------
    page : replication.page.Page
    log : str
        Of the paper, or another; another is cleaned by the paper's rules and has its header's machine.
    change : Change

    Returns
    -------
    replication.workload.Workload

    Raises
    ------
    NotApplicable
        If the log itself is needed and is not to be had.
    """
    from replication import traces
    from replication.page import QUICK_JOBS

    own = page.workloads.get(log)
    if own is not None and not change.cleaning and log not in change.source:
        jobs = own
    elif page.stand_in:
        raise NotApplicable(STAND_IN)
    else:
        rules = traces.rules(log if own is not None else page.logs[0], page.paper)
        chosen = {"size": rules.size, "overrun": rules.overrun, "drop": rules.drop, "machine": rules.machine}
        if own is None or log in change.source:      # the paper's rules were made for logs without such jobs
            chosen |= {"drop": (*rules.drop, "no-processors", "larger-than-machine")}
        if own is None:
            chosen |= {"machine": None}
        try:
            jobs = traces.load(change.source.get(log, log), stand_in=False, **chosen | change.cleaning)
        except traces.TraceError as reason:
            raise NotApplicable(str(reason)) from None
        jobs = jobs.take(slice(QUICK_JOBS)) if page.quick else jobs
    return jobs if change.load is None else jobs.scaled(jobs.load / change.load)


def study(page, headlines, changes, evidence):
    """Decide every headline on every log under every change, kind by kind.

    Parameters
    ----------
    page : replication.page.Page
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
        raise KeyError(f"{page.paper}: headlines without decider or entry: {', '.join(sorted(missing))}")
    changes = sorted(changes, key=lambda change: KINDS.index(change.kind))
    tasks = [(change, log) for change in changes for log in change.logs]
    if set(changes[0].logs) - page.workloads.keys():
        raise KeyError(f"{page.paper}: logs {', '.join(changes[0].logs)}, allowed: {', '.join(page.workloads)}")
    with ThreadPoolExecutor(page.workers) as pool:
        parts = list(pool.map(lambda task: _decided(page, headlines, known, evidence, *task), tasks))
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
            rows += [(name, change.kind, change.name, log, what, numbers, _answer(answer), "")
                     for what, numbers, answer in headlines.deciders[name](found)]
        except NotApplicable as reason:
            rows.append(absent(name, reason))
    return rows


def _answer(answer):
    return OPEN if answer is None else YES if answer else NO


def summary(page, cases):
    """Cases that hold by headline and change.

    Parameters
    ----------
    page : replication.page.Page
    cases : pandas.DataFrame
        From `study`.

    Returns
    -------
    pandas.DataFrame
        headline, kind, change, holds, against, undecided, cases, share (nan where none is applicable), verdict
        (as a claim with these cases would get; undecided unless the results are of real logs at paper scale),
        reason.
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


def words(row):
    """A cell in words: cases that hold of how many, and how many are undecided."""
    if not row["cases"]:
        return "–"
    return f"{row[YES]}/{row['cases']}" + (f" ?{row[OPEN]}" if row[OPEN] else "")


def stated(headlines):
    """The headlines as a table: short name, statement, section, statistic and rule."""
    columns = ["short", "statement", "section", "statistic", "rule"]
    return pd.DataFrame(list(headlines.published().values()))[columns]


def draw(found, headlines):
    """The table as a picture: changes down, headlines across, the share that holds as colour and in figures."""
    import matplotlib.pyplot as plt
    from matplotlib.colors import LinearSegmentedColormap

    names, places, heads = list(headlines.published()), _places(found), []
    height = (max(places.values()) + 1) * ROW_HEIGHT
    figure, axes = plt.subplots(figsize=(LABEL_WIDTH + COLUMN_WIDTH * len(names), height + 1.5))
    colours = LinearSegmentedColormap.from_list("survival", COLOURS)
    for row in found.to_dict("records"):
        at = names.index(row["headline"]), places[row["kind"], row["change"]]
        _cell(axes, at, row, colours)
    for kind in dict.fromkeys(found["kind"]):
        if kind in HEADINGS:
            first = min(place for (other, _), place in places.items() if other == kind)
            heads.append((first - 1, HEADINGS[kind]))
    ticks = [*((place, name) for (_, name), place in places.items()), *heads]
    axes.set_yticks([place for place, _ in ticks], [name for _, name in ticks])
    for label, (_, name) in zip(axes.get_yticklabels(), ticks, strict=True):
        label.set_weight("bold" if name in HEADINGS.values() else "normal")
    entries = headlines.published()
    axes.set_xticks(range(len(names)), [_folded(entries[name]["short"]) for name in names])
    axes.set(xlim=(-0.5, len(names) - 0.5), ylim=(max(places.values()) + 0.5, -0.5))
    axes.tick_params(length=0, top=False, labeltop=True, bottom=False, labelbottom=False)
    axes.grid(visible=False)
    axes.spines[:].set_visible(False)
    shade = plt.cm.ScalarMappable(plt.Normalize(0, 100), colours)
    figure.colorbar(shade, ax=axes, orientation="horizontal", fraction=0.4 / (height + 1.5), pad=0.01,
                    aspect=40,
                    label="cases in which the conclusion holds [%]   (?, hatched: undecided; –: not applicable)")
    return figure


def _places(found):
    """The row of each change, by (kind, name), with a row for each heading before its group."""
    places, place, before = {}, 0, None
    for kind, name in dict.fromkeys(zip(found["kind"], found["change"], strict=True)):
        place += 1 if before is not None else 0
        place += 1 if kind != before and kind in HEADINGS else 0
        places[kind, name], before = place, kind
    return places


def _cell(axes, at, row, colours):
    """One cell: white and struck out where not applicable, in its colour but hatched where undecided."""
    from matplotlib.patches import Rectangle

    absent, still_open = row["verdict"] == ABSENT, row["verdict"] == UNDECIDED
    colour = "white" if absent else colours(row["share"])
    dark = not absent and sum(w * c for w, c in zip((0.3, 0.59, 0.11), colour[:3], strict=True)) < 0.5
    hatched = absent or still_open
    axes.add_patch(Rectangle((at[0] - 0.48, at[1] - 0.46), 0.96, 0.92, facecolor=colour, linewidth=0.4,
                             edgecolor="#FFFFFF" if still_open else "#BBBBBB", hatch="////" if hatched else None))
    axes.text(*at, words(row), ha="center", va="center", size=7.5, color="white" if dark else "black",
              bbox={"facecolor": colour, "edgecolor": "none", "pad": 1.5} if hatched else None)


def _folded(text, width=12):
    import textwrap

    return "\n".join(textwrap.wrap(text, width))


def sentences(page, found, headlines):
    """For each headline how it stands, and which changes let it stand otherwise, in Markdown."""
    if page.kind != "paper":
        return "Nothing is decided here: the results are not of the real logs at paper scale."
    lines = []
    for name, entry in headlines.published().items():
        part = found[(found["headline"] == name) & (found["cases"] > 0)]
        default = part[part["kind"] == DEFAULT].to_dict("records")
        rest = part[part["kind"] != DEFAULT].to_dict("records")
        if default:
            lines.append(f"- **{entry['short']}**: by default it {_state(default[0])} ({words(default[0])}). "
                         + _otherwise(_state(default[0]), rest))
    return "\n".join(lines)


def _otherwise(state, rest):
    """Which changes leave a headline in another state than the default does."""
    others = {}
    for row in rest:
        if _state(row) != state:
            others.setdefault(_state(row), []).append(f"{row['change']} ({words(row)})")
    same = len(rest) - sum(map(len, others.values()))
    if not others:
        return f"All {same} changes leave it so."
    parts = [f"it {other} under {', '.join(named)}" for other, named in others.items()]
    return f"{same} of {len(rest)} changes leave it so; {'; '.join(parts)}."


def _state(row):
    """How a headline stands: with more than half of its cases, whether all of them or not, it holds."""
    return {HOLDS: HOLDS, PART: HOLDS, UNDECIDED: "stays open"}.get(row["verdict"], row["verdict"])


def not_applicable(found):
    """Which cells are empty, and why, in Markdown; empty if none is."""
    gone = found[found["cases"] == 0]
    reasons = {}
    for row in gone.to_dict("records"):
        reasons.setdefault(row["reason"], []).append(row["change"])
    return "\n".join(f"- Not applicable to {', '.join(dict.fromkeys(changes))}: {reason}."
                     for reason, changes in reasons.items())
