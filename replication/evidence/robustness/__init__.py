"""Whether a paper's headline conclusions survive a change: one table of conclusions against variants.

A headline stands in ``data/published/<paper>/headlines.toml``: a short name, our statement of it, the section,
the statistic and the rule that decide it. In go the paper's logs, its variants
(`replication.evidence.variants.Variant`) and how a headline is decided on one log; out comes every headline on
every log under every variant, decided by one rule. `replication.evidence.robustness.table` draws it.
"""

from replication.basics import threads
from replication.basics.lazy import pandas as pd
from replication.evidence import published, variants
from replication.evidence.claims import ANSWERS, RECORDED, UNDECIDED, Answer, Claims, verdict
from replication.evidence.variants import KINDS, NotApplicable

YES, NO, OPEN, ABSENT = ("holds", "against", "not sure", "not applicable")
COLUMNS = "headline word kind change log what numbers answer reason".split()


class Headlines(Claims):
    """The headline conclusions of one paper and the functions that decide them on one log.

    A decider takes evidence of the paper's own making and gives cases, as those of
    `replication.evidence.claims.Claims` do. It raises `NotApplicable` where there is nothing to decide.
    """

    def published(self):
        """The headlines as entered, by id."""
        return published.entries(self.paper, "headlines.toml")


def study(headlines, workloads, changes, evidence, first=None, workers=1):
    """Decide every headline on every log under every variant, kind by kind.

    `changes` are variants, one of them the default; ``evidence(log, workload, variant)`` makes what
    the deciders take; `first` jobs of a log are taken, all by default, and `workers` are threads.
    Columns are headline, word (how many cases it needs), kind, change, log, what, numbers, answer
    (as `replication.evidence.claims.ANSWERS` has them, or not applicable), reason (why not
    applicable).
    """
    known = headlines.published()
    missing = known.keys() ^ headlines.deciders.keys()
    if missing:
        raise KeyError(
            f"{headlines.paper}: headlines without decider or entry: {', '.join(sorted(missing))}"
        )

    def decided(task):
        """Rows of one log under one variant."""
        variant, log = task

        def row(name, what="", numbers="", answer=ABSENT, reason=""):
            word = known[name].get("word", "always")
            about = name, word, variant.kind, variant.name, log
            return dict(zip(COLUMNS, (*about, what, numbers, answer, str(reason)), strict=True))

        try:
            jobs = variants.jobs(headlines.paper, workloads, log, variant, first)
            given = evidence(log, jobs, variant)
        except NotApplicable as reason:
            return [row(name, reason=reason) for name in known]
        rows = []
        for name in known:
            try:
                cases = list(headlines.deciders[name](given))
                rows += [row(name, what, said, _answer(answer)) for what, said, answer in cases]
            except NotApplicable as reason:
                rows.append(row(name, reason=reason))
        return rows

    changes = sorted(changes, key=lambda variant: KINDS.index(variant.kind))
    tasks = [(variant, log) for variant in changes for log in variant.logs or workloads]
    return pd.DataFrame([row for rows in threads.each(decided, tasks, workers) for row in rows])


def _answer(answer):
    return RECORDED[answer if isinstance(answer, Answer) else Answer(bool(answer))]


def summary(cases, decided=True):
    """Cases that hold by headline and change, from the table of `study`: headline, word, kind,
    change, holds, against, not sure (of either), cases, share (nan where none is applicable),
    verdict (as a claim with these cases would get; *undecided* where the data prove nothing),
    reason.
    """
    key, rows = ["headline", "word", "kind", "change"], []
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
