"""What the deciders of claims share: their register, the logs and measures, and words for numbers."""

from replication.claims import Claims
from replication.papers.heel_and_toe.curves import PERFORMANCE

SHORT = {"mean_wait": "wait", "mean_bounded_slowdown": "slowdown"}
CTC, KTH, SDSC, BLUE = "CTC-SP2", "KTH-SP2-2", "SDSC-SP2", "SDSC-BLUE"
CLAIMS = Claims("heel_and_toe")
decides = CLAIMS.decides


def panels(evidence):
    """Every log with both measures of performance."""
    return [(log, measure) for log in evidence.logs() for measure in PERFORMANCE]


def named(log, measure=None):
    """A log and a measure in words."""
    return f"{log} {SHORT[measure]}" if measure else log


def interval(change, unit=" %"):
    """A change with its interval in words."""
    return f"{change[0]:+.1f}{unit} ({change[1]:+.1f} to {change[2]:+.1f})"


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
