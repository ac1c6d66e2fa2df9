"""Claims by registered deciders, for the papers whose claims are not yet plain functions."""

from itertools import product

import pandas as pd

from replication.papers import shown
from replication.papers.claims import (
    RECORDED,
    VERDICTS,
    Answer,
    around,
    entries,
    every,
    level,
    otherwise,
    verdict,
)
from replication.papers.published import EvidenceError

BETWEEN = "; "  # separates two cases in a text
__all__ = ["Answer", "Claims", "around", "every", "level"]


def as_answer(one):
    """A case's answer as an `Answer`, where it was True or False."""
    return one if isinstance(one, Answer) else Answer(bool(one))


# Rules: each takes a number, or a value with the ends of its interval, and gives an `Answer`. It is sure if the ends
# say the same as the value.


def above(least=0.0):
    """The rule that a value is above a level."""
    return _rule(lambda x: x > least)


def below(most=0.0):
    """The rule that a value is below a level."""
    return _rule(lambda x: x < most)


def at_least(least):
    """The rule that a value is not below a level."""
    return _rule(lambda x: x >= least)


def at_most(most):
    """The rule that a value is not above a level."""
    return _rule(lambda x: x <= most)


def between(low, high):
    """The rule that a value is between two levels, both included."""
    return lambda value: every([at_least(low)(value), at_most(high)(value)])


def within(bound):
    """The rule that a value is no further from 0 than a bound."""
    return between(-bound, bound)


def contrary(rule):
    """The rule that another does not hold."""
    return lambda value: (answer := rule(value))._replace(holds=not answer.holds)


def _rule(holds):
    def rule(value):
        own, *ends = (bool(holds(x)) for x in _several(value))
        return Answer(own, all(end == own for end in ends))

    return rule


def _several(value):
    return value if isinstance(value, tuple | list) else [value]


def each_log(value, *axes, of=lambda log: True):
    """Measures ``value(evidence, log, *keys)`` in a case for each log, or those `of` a kind, and for each key of some
    axes, which are lists of names, or words by key.
    """

    def measured(evidence):
        for log in filter(of, evidence.workloads):
            for keys in product(*axes):
                words = (a[key] if isinstance(a, dict) else key for a, key in zip(axes, keys))
                yield " ".join(filter(None, (log, *words))), value(evidence, log, *keys)

    return measured


class Claims:
    """The claims of one paper and the functions that decide them.

    The form is how a value with its interval stands in words, such as ``"{:.2f} ({:.2f} to {:.2f})"``.
    """

    def __init__(self, paper, form=""):
        self.paper, self.form, self.deciders = paper, form, {}

    def decides(self, name, rule=None, form=None, over=None):
        """Register a function that decides a claim, as a decorator or called with it: it takes the evidence and gives
        cases. A claim may have several.

        A case is (what, words for the number and its interval, an `Answer`, or True or False without an interval). With a
        rule, the function gives only (what, value): the rule takes the value, and the form, by default the paper's, tells
        it; a value may be several numbers. With `over`, such as `each_log`, it gives the value alone.
        """
        before = self.deciders.get(name, lambda evidence: ())

        def register(function):
            measured = over(function) if over else function

            def cases(evidence):
                yield from before(evidence)
                for what, *told in measured(evidence):
                    if rule is None:
                        words, answer = told
                    else:
                        words, answer = (form or self.form).format(*_several(*told)), rule(*told)
                    yield what, words, as_answer(answer)

            self.deciders[name] = cases
            return function

        return register

    def published(self):
        """The claims as entered, by id."""
        return entries(self.paper)

    def evaluate(self, evidence, only=None, without=()):
        """Decide claims: `only` some of them, all by default, and `without` others. The evidence is
        handed to the deciders.

        Columns are claim, section, statement, verdict, otherwise (the verdicts that the intervals
        allow besides), count (cases that hold, of how many), numbers (of every case), published,
        statistic, rule, answers (of every case, as in `ANSWERS`). EvidenceError for a claim that is
        not known or that nothing decides, or a case whose words hold `BETWEEN`.
        """
        known = self.published()
        asked = known if only is None else only
        return pd.DataFrame(
            [self._row(name, known, evidence) for name in asked if name not in without]
        )

    def _row(self, name, known, evidence):
        if name not in known or name not in self.deciders:
            allowed = sorted(known.keys() & self.deciders)
            raise EvidenceError(f"{self.paper}: claim {name!r}, allowed: {', '.join(allowed)}")
        claim, cases = known[name], list(self.deciders[name](evidence))
        answers = [answer for *_, answer in cases]
        numbers = [f"{what} {words}".strip() for what, words, _ in cases]
        if any(BETWEEN in words for words in numbers):
            raise EvidenceError(
                f"{self.paper}: claim {name!r}: numbers {numbers}, allowed: none with {BETWEEN!r}"
            )
        rule = claim["word"], claim["kind"]
        return {
            "claim": name,
            "section": claim["section"],
            "statement": claim["statement"],
            "verdict": verdict(answers, *rule),
            "otherwise": otherwise(answers, *rule),
            "count": f"{sum(one.holds for one in answers)} of {len(answers)}",
            "numbers": BETWEEN.join(numbers),
            "published": claim["number"],
            "statistic": claim["statistic"],
            "rule": claim["rule"],
            "answers": BETWEEN.join(RECORDED[answer] for answer in answers),
        }


def beside(default, other, reading):
    """The verdicts of two evaluations side by side, where they differ: claim, statement, the
    default's verdict, the other's under the name of the `reading`, and the other's numbers. The
    other may be of fewer claims.
    """
    columns = ["claim", "statement", "verdict"]
    both = default[columns].merge(other[["claim", "verdict", "numbers"]], on="claim")
    both = both.rename(columns={"verdict_x": "default", "verdict_y": reading})
    return both[both["default"] != both[reading]].reset_index(drop=True)


def totals(table):
    """How many claims got each verdict, in a sentence of Markdown."""
    counts = shown.counts(table["verdict"], VERDICTS)
    said = [f"**{count}** {word}" for word, count in counts.items()]
    return f"Of {len(table)} claims: {', '.join(said)}."
