"""The parameters of a page: checked by name and type, and compared with the committed ones."""

import ast
import json
import re
from pathlib import Path

from replication.papers import git
from replication.report import record
from replication.simulator import paths, traces
from replication.simulator.choices import did_you_mean

SCALES = ("paper", "quick")
LEAST = {"seed": 0, "workers": 1}
NAME_HINT = "lower-case letters, digits and _"
# Results do not depend on the number of workers; the scale separates quick results from the paper's.
FREE = ("workers", "scale")
#: Types of JSON by their names.
KINDS = {bool: "true or false", int: "a whole number", float: "a number", str: "text"}
KINDS |= {list: "a list", dict: "a dict"}


class PageError(ValueError):
    """A notebook, a parameter, a choice or an output that is refused; the message says what is allowed."""


def check_name(name):
    """Raise PageError unless a name is ``paper/item``."""
    paper, _, item = str(name).partition("/")
    if paper not in record.CHAPTERS:
        raise PageError(f"page {name!r}: paper {paper!r}, allowed: {', '.join(record.CHAPTERS)}")
    if not is_word(item):
        raise PageError(f"page {name!r}, allowed: paper/item with {NAME_HINT}")


def check_known(name, given, known):
    """Raise PageError for parameters that an item does not have; papermill alone would only warn."""
    for word in given:
        if word not in known:
            raise PageError(
                f"{name}: unknown parameter {word!r}{did_you_mean(word, known)}; "
                f"valid: {', '.join(known)}"
            )


def check(name, given):
    """Return the parameters of a page; PageError if one is not of its type or not among the valid ones."""
    defaults = on_disk(name) or {}
    given = {
        parameter: _as_list(value)
        if parameter == "logs" or isinstance(defaults.get(parameter), list)
        else value
        for parameter, value in given.items()
    }
    given["logs"] = _logs(name, given["logs"])
    for parameter, value in given.items():
        if words := _allowed(parameter, value, defaults.get(parameter)):
            raise PageError(f"{name}: {parameter} {value!r}, allowed: {words}")
    return given


def _allowed(parameter, value, default):
    """Return the allowed values of a parameter in words if a value is none of them, else None."""
    if parameter == "scale" and value not in SCALES:
        return ", ".join(SCALES)
    if parameter in LEAST and (type(value) is not int or value < LEAST[parameter]):
        return f"a whole number from {LEAST[parameter]} up"
    try:
        plain = json.loads(json.dumps(value, allow_nan=False)) == value
    except (TypeError, ValueError):
        plain = False
    if not plain:
        return "JSON types (text keys, no NaN or infinity, lists rather than tuples)"
    if default is not None and not _fits(value, default):
        return f"{KINDS[type(default)]}, such as {default!r}"
    return None


def _as_list(value):
    """Convert text that is a list in JSON, as papermill's ``-p`` gives it."""
    if isinstance(value, str) and value.startswith("["):
        try:
            return json.loads(value)
        except json.JSONDecodeError:
            pass
    return value


def _logs(name, logs):
    """Return the logs as a list, each a name of the registry or a file."""
    if not isinstance(logs, list | tuple) or not all(isinstance(log, str) for log in logs):
        raise PageError(f"{name}: logs {logs!r}, allowed: a list of names or of SWF files")
    if len(set(logs)) < len(logs):
        raise PageError(f"{name}: logs {', '.join(logs)}: each name once")
    known = traces.names() if logs else []
    for log in logs:
        if log not in known and not Path(log).is_file():
            raise PageError(
                f"{name}: unknown log {log!r}{did_you_mean(log, known)}; "
                f"known: {', '.join(known)}, and SWF files by their paths"
            )
    return list(logs)


def _fits(value, default):
    """Return True if a value and its parts have the types of a default."""
    if isinstance(value, list) and isinstance(default, list):
        return not default or all(any(_fits(v, d) for d in default) for v in value)
    return type(value) is type(default) or (type(value), type(default)) == (int, float)


def is_word(text):
    """Return True if a text can be the name of an item or an output."""
    return isinstance(text, str) and re.fullmatch("[a-z0-9_]+", text) is not None


def read_cell(notebook, name):
    """Return the parameters in the text of a notebook, of the cell tagged ``parameters``.

    papermill.inspect_notebook does not read values with an equals sign, such as ``"top=3"``.

    Raises
    ------
    PageError
        If there is no such cell, or a value is no literal.
    """
    cells = json.loads(notebook)["cells"]
    tagged = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", ())]
    if not tagged:
        raise PageError(f"{name}: no parameters in a cell tagged 'parameters'")
    try:
        lines = ast.parse("".join(tagged[0]["source"])).body
        return {line.targets[0].id: ast.literal_eval(line.value) for line in lines}
    except (AttributeError, ValueError, SyntaxError):
        raise PageError(
            f"{name}: the cell of parameters, allowed: lines such as seed = 1, "
            "each value a literal (text, number, True, False, None, list)"
        ) from None


def on_disk(name):
    """Return the parameters of an item's notebook file; None if there is no such notebook."""
    path = paths.NOTEBOOKS / f"{name}.ipynb"
    return read_cell(path.read_text(encoding="utf-8"), name) if path.exists() else None


def committed_parameters(name):
    """Return the parameters of an item's notebook in the last commit; None if it is not in it.

    Raises
    ------
    PageError
        If git gives no answer.
    """
    if git.head(paths.NOTEBOOKS) is None:
        raise PageError("git gives no answer")
    text = git.at_head(paths.NOTEBOOKS / f"{name}.ipynb")
    return None if text is None else read_cell(text, name)


def changes(name, given):
    """Return the differences from the committed parameters, such as ``"seed 2 (committed: 1)"``.

    Without an answer of git they are unknown; then the outputs decide nothing either, and the only entry is why.
    """
    try:
        own = committed_parameters(name)
    except PageError as error:
        return [f"the committed parameters are unknown: {error}"]
    if own is None:
        return ["no committed notebook of this name"]
    return [
        f"{parameter} {_format(given, parameter)} (committed: {_format(own, parameter)})"
        for parameter in dict.fromkeys([*own, *given])
        if parameter not in FREE
        and (parameter not in own or parameter not in given or given[parameter] != own[parameter])
    ]


def _format(values, parameter):
    value = values.get(parameter, "none")
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
