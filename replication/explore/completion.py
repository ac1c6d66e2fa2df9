"""Complete logs, choices as text, values of options and measures in IPython and Jupyter, whose own
completer ignores Literal types, and in the shell.
"""

import pydoc
import re
from typing import Any, Literal, get_args, get_origin, get_type_hints

from replication.simulator.estimates import EstimateModel
from replication.simulator.logs import registry
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import Scheduler
from replication.simulator.schedules.measures import NAMES

STRING = re.compile(r"""(['"])([^'"\n]*)$""")
#: The words of an argument, by its name in Python and in the shell; they may grow.
WORDS = {
    "log": registry.names,
    "paper": registry.papers,
    "measures": lambda: list(NAMES),
    "scheduler": Scheduler.names,
    "predictor": Predictor.names,
    "estimates": EstimateModel.names,
}


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
    """Return the beginning of the string at the end of some code, and the values that can continue
    it.

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
        ``KTH-SP2`` and ``KTH-SP2-2`` in the example; none outside a call of this package's
        functions.
    """
    import jedi  # a dependency of IPython

    string = STRING.search(text)
    if string is None:
        return "", []
    known = []
    for call in jedi.Interpreter(text[: string.start()], [names]).get_signatures():
        if call.index is not None and call.module_name.startswith("replication."):
            known = _allowed_words(call.full_name, call.params[call.index].name)
    return string[2], [one for one in known if one.startswith(string[2])]


def _allowed_words(function, argument):
    """Return the allowed words of an argument of a function or class, all by name."""
    return words(argument) or _literals(get_type_hints(pydoc.locate(function)).get(argument))


def words(argument: str) -> list[str]:
    """Return the words of an argument or option of its name, also of its plural; none of others."""
    found = WORDS.get(argument) or WORDS.get(argument.removesuffix("s"))
    return found() if found else []


def _literals(kind):
    """Return the words in the Literal types that an annotation contains."""
    if get_origin(kind) is Literal:
        return [value for value in get_args(kind) if isinstance(value, str)]
    return [value for part in get_args(kind) for value in _literals(part)]
