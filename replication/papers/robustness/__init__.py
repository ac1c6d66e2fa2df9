"""Whether a paper's headline conclusions survive a change: one table of conclusions against variants.

A headline stands in ``data/published/<paper>/headlines.toml``: a short name, our statement of it, the section,
the statistic and the rule that decide it. In go the paper's logs, its variants
(`replication.papers.variants.Variant`) and how a headline is decided on one log; out comes every headline on
every log under every variant, decided by one rule. `replication.papers.robustness.table` draws it.
"""

import pandas as pd

from replication.papers import variants
from replication.papers.claims import ANSWERS, UNDECIDED, decide, entries, frame, verdict
from replication.papers.variants import KINDS, NotApplicable, Variant
from replication.simulator import engines

YES, NO, OPEN, ABSENT = ("holds", "against", "not sure", "not applicable")
NUMBERS = "case part value low high unit".split()
KEY = "headline word kind change log".split()


def tried(logs, own=()):
    """Return the variants of a study: the default, the paper's own that concern one of its logs, other logs and loads."""
    own = [one for one in own if not one.logs or {*one.logs} & {*logs}]
    return sorted(
        [Variant("default"), *own, *variants.others(logs)], key=lambda one: KINDS.index(one.kind)
    )


def study(paper, functions, tables, workloads, changes, first=None, workers=1):
    """Decide every headline of a paper on every log under every variant.

    Parameters
    ----------
    paper : str
    functions : module
        The functions of the claims, see `replication.papers.claims.decide`.
    tables : callable
        ``tables(log, jobs, variant)`` returns the tables that the functions take. It or a function raises `NotApplicable`
        where there is nothing to decide.
    workloads : dict
        The paper's logs by name.
    changes : list of Variant
        From `tried`.
    first : int, optional
        Take the first jobs of each log alone.
    workers : int
        Threads.

    Returns
    -------
    pandas.DataFrame
        A row for each number: headline, word, kind, change, log, case, part, value, low, high, unit, answer (as in
        `replication.papers.claims.ANSWERS`, or not applicable), reason (why not applicable).
    """
    known = entries(paper, "headlines.toml")

    def decided(task):
        variant, log = task
        rows, given = [], None
        for name, entry in known.items():
            about = {"headline": name, "word": entry["word"], "kind": variant.kind}
            about |= {"change": variant.name, "log": log}
            try:
                if given is None:
                    jobs = variants.jobs(paper, workloads, log, variant, first)
                    given = tables(log, jobs, variant)
                found = decide(paper, functions, given, [name], "headlines.toml")
                part = frame(found)[[*NUMBERS, "answer"]]
                rows += [about | row | {"reason": ""} for row in part.to_dict("records")]
            except NotApplicable as reason:
                rows.append(about | {"case": "", "answer": ABSENT, "reason": str(reason)})
        return rows

    tasks = [(variant, log) for variant in changes for log in variant.logs or workloads]
    rows = [row for rows in engines.each(decided, tasks, workers) for row in rows]
    return pd.DataFrame(rows, columns=[*KEY, *NUMBERS, "answer", "reason"])


def summary(cases, decided=True):
    """Return the number of cases that hold by headline and change.

    Parameters
    ----------
    cases : pandas.DataFrame
        From `study`.
    decided : bool
        False where the data prove nothing: every verdict is *undecided*.

    Returns
    -------
    pandas.DataFrame
        headline, word, kind, change, holds, against, not sure (of either), cases, share (nan where none is applicable),
        verdict (of a claim with these cases), reason.
    """
    key, rows = ["headline", "word", "kind", "change"], []
    # The rows of several numbers that make one case have its answer.
    cases = cases.drop_duplicates([*key, "log", "case"])
    for names, part in cases.groupby(key, sort=False):
        given = [ANSWERS[word] for word in part["answer"] if word != ABSENT]
        held, unsure = sum(one.holds for one in given), sum(not one.sure for one in given)
        share = held / len(given) if given else float("nan")
        word = ABSENT if not given else verdict(given, names[1]) if decided else UNDECIDED
        reasons = "; ".join(dict.fromkeys(part.loc[part["answer"] == ABSENT, "reason"]))
        counts = held, len(given) - held, unsure, len(given)
        rows.append((*names, *counts, share, word, reasons))
    columns = [*key, YES, NO, OPEN, "cases", "share", "verdict", "reason"]
    return pd.DataFrame(rows, columns=columns)
