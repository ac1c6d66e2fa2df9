"""The nearest valid name to one that is not known, for messages."""

import difflib


def did_you_mean(word, known, cutoff=0.6):
    """A hint to be put behind an unknown name.

    Parameters
    ----------
    word : object
        What was given.
    known : iterable of str
    cutoff : float
        How alike two names must be, 0 to 1.

    Returns
    -------
    str
        Such as `` (did you mean easy?)``; empty where nothing known is near, or it is the word itself.
    """
    near = difflib.get_close_matches(str(word), list(known), n=1, cutoff=cutoff)
    return f" (did you mean {near[0]}?)" if near and near[0] != word else ""
