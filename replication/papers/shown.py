"""Numbers as text for readers."""

import math

from replication.papers import compare


def text(value, form=None):
    """Return a value as text: four significant digits, thousands separated, a dash for none; or in a format such as ``"{:.1f}"``."""
    if value is None or isinstance(value, float) and math.isnan(value):
        return "–"
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, str) or not hasattr(value, "__float__"):
        return str(value)
    if form:
        return form.format(value)
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    if value == int(value):
        return f"{int(value):,}"
    return f"{value:,.{min(8, max(0, 3 - math.floor(math.log10(abs(value)))))}f}"


def printed(published):
    """Return a published value with the digits that the paper prints, thousands separated."""
    grouping = "" if published.unit in compare.EXACT_UNITS else ","
    return f"{published.value:{grouping}.{published.decimals}f}"


def ours(value, unit):
    """Return our value as text: months, ranks and job numbers without separators, a range as its two ends."""
    return str(int(value)) if unit in compare.EXACT_UNITS and value % 1 == 0 else text(value)


def difference(value, reason):
    """Return a difference of `replication.papers.compare.Verdict` as text: per cent, or absolute."""
    if math.isnan(value):
        return text(None)
    shown = f"{value:+.4g}" if reason == compare.ABSOLUTE else f"{100 * value:+.1f} %"
    # No sign where nothing is left of the difference.
    return shown[1:] if set(shown) <= set("+-0. %") else shown


def counts(given, words):
    """Return how many of some verdicts are each of `words`, without zeros."""
    given = list(given)
    return {word: given.count(word) for word in words if word in given}
