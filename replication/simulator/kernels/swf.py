"""Job lines of the Standard Workload Format, from bytes to columns.

The kernel stops at a comment and at a line that cannot be a job, and says where; what to do then is up to the
caller. It never looks beyond the last line feed, so the text must end with one.
"""

import numpy as np
from numba import njit

# Why the kernel stopped; anything but 0 is a stop before the end of the text.
END, COMMENT, COUNT, TEXT, FRACTION, NEGATIVE, LARGE = range(7)

# Places in `state`.
POSITION, ROW, LINE, FIELD, SLOW, CRLF, BLANK, POINT, BELOW, COLUMNS = range(10)

# What a number below 0 is in a field: an error, an error unless it is -1, or the same as -1, "unknown".
NEVER, ONLY_ONE, UNKNOWN = range(3)

FIELDS = 18
SHORTEST_LINE = 2 * FIELDS  # bytes: one digit and one blank or line feed a field
WHOLE_DIGITS = 18  # always fits int64
EXACT_DIGITS = 15  # with at most this many, one division gives the nearest double
_POWERS = 10.0 ** np.arange(EXACT_DIGITS + 1)

_TAB, _LF, _CR, _SPACE, _MINUS, _DOT, _ZERO, _NINE, _SEMICOLON = 9, 10, 13, 32, 45, 46, 48, 57, 59


@njit(nogil=True, cache=True)
def parse(text, decimal, below, whole, real, slow, state):
    """Parse job lines until the text ends, a comment begins or a line is wrong.

    Parameters
    ----------
    text : uint8[m]
        Whole lines; the last byte is a line feed.
    decimal : int64[18]
        Row of `real` the field goes to; -1 for fields of whole numbers.
    below : int64[18]
        What a number below 0 is: NEVER, ONLY_ONE or UNKNOWN.
    whole : int64[19, k], out
        The fields of whole numbers; the last row is the line number. ``k >= m / 36`` is always enough.
    real : float64[d, k], out
        The fields that may have decimals.
    slow : int64[s, 3], out
        (row, field, position) of decimals with too many digits to be exact here. ``s >= m / 17`` is enough.
    state : int64[10], in and out
        Where to go on (position, row, line), the field in fault, the counts, and the number of columns: that of
        the first line with 18 or more, whose further ones are passed over.

    Returns
    -------
    int
        END, COMMENT, or what is wrong with field ``state[FIELD]`` of the line at ``state[POSITION]``.
    """
    while state[POSITION] < len(text):
        at = _skip_blanks(text, state[POSITION])
        if text[at] == _SEMICOLON:
            return COMMENT
        state[LINE] += 1
        if _ends_line(text, at):
            state[BLANK] += 1
        else:
            noted, negative, pointed = state[SLOW], state[BELOW], state[POINT]
            fault, at = _job(text, at, decimal, below, whole, real, slow, state)
            if fault:  # the next job takes the row: nothing of this line may stay
                state[SLOW], state[BELOW], state[POINT] = noted, negative, pointed
                return fault
            whole[FIELDS, state[ROW]] = state[LINE]
            state[ROW] += 1
            state[CRLF] += text[at] == _CR
        state[POSITION] = at + 1 + (text[at] == _CR)
    return END


@njit(nogil=True, cache=True)
def _job(text, at, decimal, below, whole, real, slow, state):
    """The fields of one line, as (fault, position of the line's end)."""
    row = state[ROW]
    for field in range(FIELDS):
        while text[at] == _SPACE or text[at] == _TAB:
            at += 1
        # By far the most fields are whole numbers and -1. They are read here, without a call: each call of a function
        # with an array counts a reference to it, which takes longer than to read the number.
        minus = text[at] == _MINUS
        end, known = at + minus, 0
        while _ZERO <= text[end] <= _NINE:
            known = 10 * known + (text[end] - _ZERO)
            end += 1
        digits = end - at - minus
        if (
            0 < digits <= EXACT_DIGITS
            and (text[end] == _SPACE or text[end] == _LF or text[end] == _TAB)
            and (not minus or (known == 1 and below[field] != NEVER))
        ):
            if decimal[field] < 0:
                whole[field, row] = -known if minus else known
            else:
                real[decimal[field], row] = -known if minus else known
            at = end
            continue
        state[FIELD] = field
        start = at
        if _ends_line(text, start):
            return COUNT, start
        fault, at, value, fraction, digits, places = _number(text, start)
        if fault:
            return fault, start
        if text[start] == _MINUS:
            if value != 0 or fraction != 0:
                one = value == 1 and fraction == 0
                if below[field] == NEVER or (below[field] == ONLY_ONE and not one):
                    return NEGATIVE, start
                if not one:
                    state[BELOW] += 1
                    value, fraction, digits, places = 1, 0, 1, 0
            value = -value
        if decimal[field] < 0:
            if digits > WHOLE_DIGITS or fraction != 0:
                return (FRACTION if fraction != 0 else LARGE), start
            whole[field, row] = value
            state[POINT] += places > 0
        elif digits + places <= EXACT_DIGITS:
            power = _POWERS[places]
            real[decimal[field], row] = (value * power + fraction) / power
        else:
            slow[state[SLOW], 0], slow[state[SLOW], 1], slow[state[SLOW], 2] = row, field, start
            state[SLOW] += 1
    columns, at = FIELDS, _skip_blanks(text, at)
    while not _ends_line(text, at):
        columns += 1
        while not (text[at] == _SPACE or text[at] == _TAB or _ends_line(text, at)):
            at += 1
        at = _skip_blanks(text, at)
    if state[COLUMNS] == 0:
        state[COLUMNS] = columns
    return (END if columns == state[COLUMNS] else COUNT), at


@njit(nogil=True, cache=True)
def _number(text, at):
    """The number at `at`, as (fault, position after it, whole part, fraction, digits, decimal places).

    The sign is left out. A part with more digits than fit is wrong, but never 0 or 1 by mistake.
    """
    at += text[at] == _MINUS
    value, digits, at = _digits(text, at)
    fraction, places = 0, 0
    fault = TEXT if digits == 0 else END
    if text[at] == _DOT:
        fraction, places, at = _digits(text, at + 1)
        if places == 0:
            fault = TEXT
    if not (text[at] == _SPACE or text[at] == _TAB or _ends_line(text, at)):
        fault = TEXT
    return fault, at, value, fraction, digits, places


@njit(nogil=True, cache=True)
def _digits(text, at):
    value, first = 0, at
    while _ZERO <= text[at] <= _NINE:
        if at - first < WHOLE_DIGITS:
            value = 10 * value + (text[at] - _ZERO)
        elif text[at] != _ZERO:
            value = max(value, 2)
        at += 1
    return value, at - first, at


@njit(nogil=True, cache=True)
def _skip_blanks(text, at):
    while text[at] == _SPACE or text[at] == _TAB:
        at += 1
    return at


@njit(nogil=True, cache=True)
def _ends_line(text, at):
    return text[at] == _LF or (text[at] == _CR and text[at + 1] == _LF)
