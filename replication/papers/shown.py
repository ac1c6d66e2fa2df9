"""Numbers as a reader sees them: four significant digits, thousands apart, a dash for nothing."""

import math

from replication.papers import compare


def text(value, form=None):
    """A value as a reader wants it: four significant digits, thousands apart, a dash for nothing;
    or a number in the `form` that is given, such as ``"{:.1f}"``.
    """
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
    """A paper's value with the digits it prints, thousands apart."""
    grouping = "" if published.unit in compare.EXACT_UNITS else ","
    return f"{published.value:{grouping}.{published.decimals}f}"


def ours(value, unit):
    """Our value as it stands beside a paper's: no thousands in months, ranks and job numbers."""
    return str(int(value)) if unit in compare.EXACT_UNITS and value % 1 == 0 else text(value)


def difference(value, reason):
    """A difference of `replication.papers.compare.Verdict` in words, which its reason calls absolute or not."""
    if math.isnan(value):
        return text(None)
    shown = f"{value:+.4g}" if reason == compare.ABSOLUTE else f"{100 * value:+.1f} %"
    # No sign where nothing is left of the difference.
    return shown[1:] if set(shown) <= set("+-0. %") else shown


def counts(given, words):
    """How many of some verdicts are each of `words`, in the order of these; those that none is are left out."""
    given = list(given)
    return {word: given.count(word) for word in words if word in given}
