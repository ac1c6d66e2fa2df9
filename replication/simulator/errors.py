"""The base class of errors for wrong input, and their hints to what is allowed."""

import difflib
import re
from typing import Any


class InputError(ValueError):
    """A wrong name, value or file of the user. The command line ends with exit code 2."""

    def _render_traceback_(self):
        """Return the lines that a notebook shows: the message says what is wrong,
        and the traceback would hide it.
        """
        return [f"{type(self).__name__}: {self}"]


def did_you_mean(word, names, cutoff=0.6) -> str:
    """Return a hint to the known names that an unknown word may stand for:
    ``" (did you mean easy?)"``.

    These are the name that differs in punctuation only, or those that contain the word, such as
    mean_wait and wait_p95 for wait, at most four; or the most similar one. `cutoff` is its least
    similarity, from 0 to 1; "" if no known name reaches it.
    """
    names, word, plain = list(names), str(word), _plain(word)
    near = [n for n in names if _plain(n) == plain]
    # By similarity alone, heel_and_toe/fig13 would be as near to fig3 as heel_and_toe/fig03.
    parts = {n: [n.rpartition("/")[2], *re.split("[^A-Za-z0-9]", n)] for n in names}
    near = near or [n for n in names if plain in map(_plain, parts[n])]
    if not near:
        plain_names = {_plain(n): n for n in names}
        near = [plain_names[n] for n in difflib.get_close_matches(plain, plain_names, 1, cutoff)]
    *alternatives, last = near[:4] or [word]
    hints = f"{', '.join(alternatives)} or {last}" if alternatives else last
    return f" (did you mean {hints}?)" if last != word else ""


def among(allowed, what, value, error, hint="") -> Any:
    """Return `value` if it is an allowed one; raise `error` with the noun `what`
    and the allowed values if not.

    The message has `hint`, or without one that of `did_you_mean`.
    """
    allowed = [*allowed]
    if value not in allowed:
        hint = hint or did_you_mean(value, allowed)
        raise error(
            f"{what} {value!r:.80}{hint}; allowed: {', '.join(map(str, allowed)) or 'none'}"
        )
    return value


def _plain(word):
    """Return a word in lower case, without punctuation and leading zeros of numbers."""
    return re.sub(r"(?<!\d)0+(?=\d)|[^a-z0-9]", "", str(word).lower())
