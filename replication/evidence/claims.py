"""What a paper says of its own results, decided by written rules.

A claim stands in ``data/published/<paper>/claims.toml``: section, our statement of it, the statistic, the
rule, and the paper's own number if it gives one. A function of the paper's package looks at the results and
gives the claim's cases, one for each log or measure it speaks of. One rule turns cases into a verdict, the
same for all papers:

* *holds*: every case does;
* *holds in part*: more than half of the cases do, and the table says which;
* *fails*: no more than half do, and at least one speaks against it;
* *undecided*: no more than half do, and none speaks against it, because the intervals cover both.

Results of stand-ins and of quick scale decide nothing.
"""

import tomllib

from replication.basics import paths
from replication.basics.lazy import pandas as pd

HOLDS, PART, FAILS, UNDECIDED = VERDICTS = "holds", "holds in part", "fails", "undecided"
# A case's answer as it is recorded, and what stands between two cases.
ANSWERS = {"for": True, "against": False, "open": None}
RECORDED = {answer: word for word, answer in ANSWERS.items()}
BETWEEN = "; "


class ClaimError(ValueError):
    """A claim that does not exist, or that nothing decides; the message lists those that do."""


def verdict(answers):
    """One verdict from the answers of all cases.

    Parameters
    ----------
    answers : list of bool or None
        None where the interval covers both.

    Returns
    -------
    str
        One of ``VERDICTS``.
    """
    held = sum(answer is True for answer in answers)
    if 2 * held > len(answers):
        return HOLDS if held == len(answers) else PART
    return FAILS if any(answer is False for answer in answers) else UNDECIDED


def above(change, least=0.0):
    """Whether a number with its interval is above a level: yes, no, or undecided."""
    return True if change[1] > least else False if change[2] <= least else None


def below(change):
    """Whether a number with its interval is below 0: yes, no, or undecided."""
    return above(tuple(-x for x in (change[0], change[2], change[1])))


def within(change, bound):
    """Whether a number with its interval is no further from 0 than a bound: yes, no, or undecided."""
    if change[1] >= -bound and change[2] <= bound:
        return True
    return False if change[1] > bound or change[2] < -bound else None


def every(answers):
    """Whether all answers are yes: yes, no, or undecided."""
    answers = list(answers)
    return False if False in answers else None if None in answers else True


def usually(answers):
    """Whether more than half of the answers are yes: yes, no, or undecided."""
    answers = list(answers)
    yes, open_ = answers.count(True), answers.count(None)
    return True if 2 * yes > len(answers) else False if 2 * (yes + open_) <= len(answers) else None


def entered(paper):
    """The claims of a paper as entered, by id; none where the paper has no such file.

    Parameters
    ----------
    paper : str

    Returns
    -------
    dict of str to dict
        section, statement, statistic, rule, and number where the paper gives one.
    """
    path = paths.PUBLISHED / paper / "claims.toml"
    return tomllib.loads(path.read_text(encoding="utf-8")) if path.exists() else {}


class Claims:
    """The claims of one paper and the functions that decide them.

    Parameters
    ----------
    paper : str
    """

    def __init__(self, paper):
        self.paper, self.deciders = paper, {}

    def decides(self, name):
        """Register the function that decides a claim: it takes the evidence and gives cases.

        A case is (what, words for the number and its interval, True, False or None for undecided).
        """

        def register(function):
            self.deciders[name] = function
            return function

        return register

    def published(self):
        """The claims as entered, by id."""
        return entered(self.paper)

    def evaluate(self, evidence, only=None, without=()):
        """Decide claims.

        Parameters
        ----------
        evidence : object
            Handed to the deciders.
        only : list of str, optional
            Their ids; all of them by default.
        without : sequence of str
            Ids to leave out.

        Returns
        -------
        pandas.DataFrame
            claim, section, statement, verdict, count (cases that hold, of how many), numbers (of every case),
            published, statistic, rule, answers (of every case: for, against or open).

        Raises
        ------
        ClaimError
            For a claim that is not known or that nothing decides, or a case whose words hold `BETWEEN`.
        """
        known = self.published()
        asked = known if only is None else only
        return pd.DataFrame(
            [self._row(name, known, evidence) for name in asked if name not in without]
        )

    def _row(self, name, known, evidence):
        if name not in known or name not in self.deciders:
            allowed = sorted(known.keys() & self.deciders)
            raise ClaimError(f"{self.paper}: claim {name!r}, allowed: {', '.join(allowed)}")
        claim, cases = known[name], list(self.deciders[name](evidence))
        answers = [None if answer is None else bool(answer) for *_, answer in cases]
        numbers = [f"{what} {words}".strip() for what, words, _ in cases]
        if any(BETWEEN in words for words in numbers):
            raise ClaimError(
                f"{self.paper}: claim {name!r}: numbers {numbers}, allowed: none with {BETWEEN!r}"
            )
        return {
            "claim": name,
            "section": claim["section"],
            "statement": claim["statement"],
            "verdict": verdict(answers),
            "count": f"{sum(answer is True for answer in answers)} of {len(answers)}",
            "numbers": BETWEEN.join(numbers),
            "published": claim.get("number", ""),
            "statistic": claim["statistic"],
            "rule": claim["rule"],
            "answers": BETWEEN.join(RECORDED[answer] for answer in answers),
        }


def totals(table):
    """How many claims got each verdict, in a sentence of Markdown."""
    counts = table["verdict"].value_counts()
    said = [f"**{counts[word]}** {word}" for word in VERDICTS if word in counts]
    return f"Of {len(table)} claims: {', '.join(said)}."
