"""Values of SWF fields, read in plain Python."""

import re

from replication.simulator.swf import DECIMAL, KNOWN

NUMBER = re.compile(r"(-?)(?=\.?[0-9])([0-9]*)(?:\.([0-9]*))?")


def swf_value(name, token):
    """Return the value of a token in a field; None if it is refused."""
    match = NUMBER.fullmatch(token)
    if not match:
        return None
    value = float(token)
    if match[1] and (value or token.strip("-0.")):
        exact = value == -1 and not (match[3] or "").strip("0")
        return None if name in KNOWN or (name == "status" and not exact) else -1
    if name in DECIMAL:
        return value
    whole = not (match[3] or "").strip("0") and len(match[2].lstrip("0")) <= 18
    return int(match[1] + (match[2] or "0")) if whole else None
