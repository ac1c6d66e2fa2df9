"""What the deciders of claims share: their register, the logs and measures, intervals and words for them."""

from replication.evidence.claims import Claims
from replication.papers.heel_and_toe.curves import PERFORMANCE, Z95

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


def difference(value, error, unit=1.0):
    """A difference of means with its 95 % interval, in per cent of a unit.

    Parameters
    ----------
    value, error : float
        The difference and its standard error.
    unit : float

    Returns
    -------
    tuple of float
        The difference, the interval's lower and its upper end.
    """
    half = Z95 * error
    return tuple(float(100 * x / unit) for x in (value, value - half, value + half))
