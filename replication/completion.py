"""Complete log names, values of options and measures in IPython and Jupyter, whose own completer ignores Literal types."""

import functools
import inspect
import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

from replication.simulator.measures import NAMES

STRING = re.compile(r"""(['"])([^'"\n]*)$""")
CLOSED = re.compile(r"""'[^'\n]*'|"[^"\n]*"|\([^()]*\)|\[[^\[\]]*\]""")
CALL = re.compile(r"([A-Za-z_][\w.]*)\(([^()]*)$")
ARGUMENT = re.compile(r"(?:(\w+)\s*=\s*)?(\[[^\[\]]*)?$")


def register() -> None:
    """Add the completion to the IPython shell of this session, if there is one."""
    from IPython import get_ipython
    from IPython.core.completer import SimpleCompletion, context_matcher

    shell = get_ipython()
    if shell is None:
        return

    @context_matcher(identifier="replication")
    def matcher(context):
        before = context.full_text.split("\n")[: context.cursor_line]
        start, known = values("\n".join([*before, context.text_until_cursor]), shell.user_ns)
        return {
            "completions": [SimpleCompletion(text=one, type="value") for one in known],
            "matched_fragment": start,
            "suppress": bool(known),
        }

    shell.Completer.custom_matchers.append(matcher)


def values(text: str, names: dict[str, Any]) -> tuple[str, list[str]]:
    """Return the beginning of the string at the end of some code, and the values that can continue it.

    Parameters
    ----------
    text : str
        Code up to the cursor, such as ``rp.load("KTH``.
    names : dict of str to object
        The variables of the session.

    Returns
    -------
    start : str
        ``KTH`` in the example.
    known : list of str
        ``KTH-SP2`` and ``KTH-SP2-2`` in the example; none outside a call of this package's functions.
    """
    string = STRING.search(text)
    if string is None:
        return "", []
    code = text[: string.start()]
    while (shorter := CLOSED.sub("0", code)) != code:
        code = shorter
    call = CALL.search(code)
    function = _function(call[1], names) if call else None
    if function is None:
        return string[2], []
    argument = ARGUMENT.search(call[2])
    before = call[2][: argument.start()]
    known = _allowed_words(function, argument[1] or before.count(","))
    return string[2], [one for one in known if one.startswith(string[2])]


def _function(path, names):
    """Return the function or class of this package that a dotted name stands for, or None."""
    first, *rest = path.split(".")
    try:
        # Static, so that no code of a property runs.
        value = functools.reduce(inspect.getattr_static, rest, names.get(first))
    except AttributeError:
        return None
    is_own = str(getattr(value, "__module__", "")).partition(".")[0] == __package__
    return value if is_own and callable(value) else None


def _allowed_words(function, argument):
    """Return the allowed words of an argument, given by its name or place."""
    if argument == "measures":
        return list(NAMES)
    if isinstance(function, type):
        parameters = list(inspect.signature(function.__init__).parameters)[1:]
        function = function.__init__
    else:
        parameters = list(inspect.signature(function).parameters)
    if isinstance(argument, int):
        argument = parameters[argument] if argument < len(parameters) else ""
    return _literals(get_type_hints(function).get(argument))


def _literals(kind):
    """Return the words in the Literal types that an annotation contains."""
    if get_origin(kind) is Literal:
        return [value for value in get_args(kind) if isinstance(value, str)]
    return [value for part in get_args(kind) for value in _literals(part)]
