"""What is said of a name or a value that is not known: what is allowed, and the nearest of it."""

import difflib
import re


def did_you_mean(word, known, cutoff=0.6):
    """A hint to be put behind an unknown name, such as `` (did you mean easy?)``. Empty where
    nothing known is near, or it is the word itself; `cutoff` says how alike two names must be, 0
    to 1.
    """
    known = list(known)
    # fig3 means heel_and_toe/fig03, which is not nearer to it than heel_and_toe/fig13 is.
    near = [n for n in known if _plain(word) in (_plain(n), _plain(n.rpartition("/")[2]))]
    near = near or difflib.get_close_matches(str(word), known, n=1, cutoff=cutoff)
    return f" (did you mean {near[0]}?)" if near and near[0] != word else ""


def among(known, what, value, error):
    """Give the value back if it is one of those known. If not, raise `error`, which says `what` the value is, what is
    allowed, and which of that is nearest.
    """
    known = [*known]
    if value not in known:
        hint = did_you_mean(value, known)
        raise error(f"{what} {value!r:.80}{hint}; allowed: {', '.join(map(str, known)) or 'none'}")
    return value


def _plain(word):
    """A name without what is easily left out: capitals, zeros in front of numbers, and signs between words."""
    return re.sub(r"(?<!\d)0+(?=\d)|[^a-z0-9]", "", str(word).lower())
