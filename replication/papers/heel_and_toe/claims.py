"""The paper's findings as claims: each decided by a number, by the rule in
``data/published/heel_and_toe/claims.toml``.
"""

import tomllib

import pandas as pd

from replication import paths
from replication.papers.heel_and_toe import campaign, claims_dynamics, claims_estimates, claims_performance
from replication.papers.heel_and_toe.deciding import DECIDERS

# These fill the register when they are imported.
REGISTERED = claims_performance, claims_dynamics, claims_estimates
HOLDS, PART, FAILS, UNDECIDED = "holds", "holds in part", "fails", "undecided"


def published():
    """The claims as entered, by id."""
    with open(paths.PUBLISHED / campaign.PAPER / "claims.toml", "rb") as file:
        return tomllib.load(file)


def evaluate(evidence, only=None):
    """Decide claims.

    Parameters
    ----------
    evidence : replication.papers.heel_and_toe.evidence.Evidence
    only : list of str, optional
        Their ids; all of them by default.

    Returns
    -------
    pandas.DataFrame
        claim, section, statement, verdict, count (cases that hold, of how many), numbers (of every case),
        rule.
    """
    rows = []
    known = published()
    for name in known if only is None else only:
        claim = known[name]
        cases = [(what, words, None if yes is None else bool(yes))
                 for what, words, yes in DECIDERS[name](evidence)]
        held = sum(yes is True for _, _, yes in cases)
        proves_nothing = evidence.page.quick or evidence.page.stand_in
        rows.append({"claim": name, "section": claim["section"], "statement": claim["statement"],
                     "verdict": UNDECIDED if proves_nothing else verdict([case[2] for case in cases]),
                     "count": f"{held} of {len(cases)}",
                     "numbers": "; ".join(f"{what} {words}".strip() for what, words, _ in cases),
                     "statistic": claim["statistic"], "rule": claim["rule"]})
    return pd.DataFrame(rows)


def shown(table):
    """What a figure's notebook shows of the claims about it."""
    return table[["statement", "verdict", "count", "numbers"]]


def totals(table):
    """How many claims got each verdict, in a sentence."""
    counts = table["verdict"].value_counts()
    said = [f"**{counts[word]}** {word}" for word in (HOLDS, PART, FAILS, UNDECIDED) if word in counts]
    return f"Of {len(table)} claims: {', '.join(said)}."


def verdict(answers):
    """One verdict from the answers of all cases.

    Parameters
    ----------
    answers : list of bool or None

    Returns
    -------
    str
    """
    held, failed = answers.count(True), answers.count(False)
    if answers and held == len(answers):
        return HOLDS
    if 2 * held > len(answers):
        return PART
    return FAILS if failed else UNDECIDED
