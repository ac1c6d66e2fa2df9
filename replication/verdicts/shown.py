"""Numbers as text: four significant digits, separators of thousands, a dash for a missing value."""

import math

from replication.verdicts import rules


def text(value, form=None) -> str:
    """Return a value as text, or a number in a `form` such as ``"{:.1f}"``; no number has an
    exponent.
    """
    if value is None or isinstance(value, float) and math.isnan(value):
        return "–"
    if isinstance(value, bool) or type(value).__name__ == "bool":
        return "yes" if value else "no"
    if isinstance(value, str) or not hasattr(value, "__float__"):
        return str(value)
    shown = form.format(value) if form else ""
    if shown and "e+" not in shown and "e-" not in shown:
        return shown
    if not math.isfinite(value):
        return "∞" if value > 0 else "-∞"
    if abs(value) < 5e-9 or value == int(value):
        return f"{int(value):,}"
    return f"{value:,.{min(8, max(0, 3 - math.floor(math.log10(abs(value)))))}f}"


def printed(published) -> str:
    """Return a published value with the digits that are printed."""
    grouping = "" if published.unit in rules.EXACT_UNITS else ","
    return f"{published.value:{grouping}.{published.decimals}f}"


def ours(value, unit) -> str:
    """Return our value as text, without separators in months, ranks and job numbers."""
    return str(int(value)) if unit in rules.EXACT_UNITS and value % 1 == 0 else text(value)


def difference(value, reason) -> str:
    """Return the difference of a `replication.verdicts.rules.Verdict` as text, in per cent or
    absolute by its reason.
    """
    if math.isnan(value):
        return text(None)
    shown = f"{value:+.4g}" if reason == rules.ABSOLUTE else f"{100 * value:+.1f} %"
    # A difference that rounds to 0 has no sign.
    return shown[1:] if set(shown) <= set("+-0. %") else shown


def counts(verdicts, order) -> dict[str, int]:
    """Return the number of verdicts equal to each of `order`, in this order, without zeros."""
    verdicts = list(verdicts)
    return {word: verdicts.count(word) for word in order if word in verdicts}
