"""The parameters of a page: compared with the cell of its notebook, on disk and as committed."""

import ast
import json

from replication.report import record
from replication.simulator.choices import among
from replication.simulator.errors import InputError
from replication.simulator.logs import registry
from replication.simulator.sweeps.engines import check_workers
from replication.simulator.workload import check_seed
from replication.verdicts import git

SCALES = ("paper", "quick")
# Results do not depend on the number of workers; the scale separates quick results from the
# paper's.
FREE = ("workers", "scale")


class PageError(InputError):
    """A notebook, a parameter, a choice or an output that is refused; the message says what is
    allowed.
    """


def check_known(name, names, allowed) -> None:
    """Raise PageError for parameters that an item does not have; papermill alone would
    only warn.
    """
    for word in names:
        among(allowed, f"{name}: unknown parameter", word, PageError)


NUMBERS = {"seed": check_seed, "workers": check_workers}


def check(name, values) -> None:
    """Raise PageError for an unknown scale, a value of another type than in the notebook's cell, a
    number out of range, and an empty list of numbers.

    A number is above 0 where that of the cell is; the numbers of a list may be 0.
    """
    among(SCALES, f"{name}: scale", values["scale"], PageError)
    defaults = on_disk(name) or {}
    for parameter, value in values.items():
        default = defaults.get(parameter)
        if parameter == "logs" and isinstance(value, list):
            value = [registry.file_and_rules(log)[0] for log in value]
        above_0 = parameter not in NUMBERS and type(default) in (int, float) and default > 0
        if default is not None and not (_fits(value, default) and (value or not above_0)):
            least = ", above 0" * above_0
            raise PageError(
                f"{name}: {parameter} {value!r}; expected a value such as "
                f"{json.dumps(default)}{least}"
            )
        try:
            NUMBERS.get(parameter, bool)(value)
        except InputError as error:
            raise PageError(f"{name}: {error}") from None


def _fits(value, default):
    """Return True if a value and its parts have the types of a default, no number is below 0, and
    no list of numbers is empty.
    """
    if isinstance(value, list) and isinstance(default, list):
        if not value and default and type(default[0]) in (int, float):
            return False
        return not default or all(any(_fits(v, d) for d in default) for v in value)
    if type(value) in (int, float) and not value >= 0:
        return False
    return type(value) is type(default) or (type(value), type(default)) == (int, float)


def read_cell(notebook, name) -> dict:
    """Return the parameters in the text of a notebook, of the cell tagged ``parameters``.

    papermill.inspect_notebook does not read values with an equals sign, such as
    ``"top-percent=3"``.

    Raises
    ------
    PageError
        If there is no such cell, or a value is no literal.
    """
    cells = json.loads(notebook)["cells"]
    tagged = [cell for cell in cells if "parameters" in cell["metadata"].get("tags", ())]
    try:
        lines = ast.parse("".join(tagged[0]["source"])).body
        return {line.targets[0].id: ast.literal_eval(line.value) for line in lines}
    except (IndexError, AttributeError, ValueError, SyntaxError):
        raise PageError(
            f"{name}: expected a cell tagged 'parameters' with lines such as seed = 1, "
            "each value a literal (text, number, True, False, None, list)"
        ) from None


def on_disk(name) -> dict | None:
    """Return the parameters of an item's notebook file; None if there is no such notebook."""
    path = record.source(name)
    return read_cell(path.read_text(encoding="utf-8"), name) if path.exists() else None


def left_out(values, name) -> list:
    """Return the values in lists of the notebook's cell that its parameters do not have."""
    lists = {key: of for key, of in (on_disk(name) or {}).items() if isinstance(of, list)}
    return [value for key, of in lists.items() for value in of if value not in values.get(key, of)]


def changes(name, values) -> list[str]:
    """Return the differences from the committed parameters, such as ``"seed 2 (committed: 1)"``;
    without git from those of the notebook on disk.
    """
    committed = git.committed(record.source(name))
    if committed is None:
        return ["no committed notebook of this name"]
    return differences(values, read_cell(committed, name))


def differences(values, committed) -> list[str]:
    """Return the parameters that differ, each with its value and the committed one."""
    return [
        f"{parameter} {_format(values, parameter)} (committed: {_format(committed, parameter)})"
        for parameter in dict.fromkeys([*committed, *values])
        if parameter not in FREE
        and (
            parameter not in committed
            or parameter not in values
            or values[parameter] != committed[parameter]
        )
    ]


def _format(values, parameter):
    value = values.get(parameter, "none")
    if parameter == "logs" and isinstance(value, list):
        several = map(registry.file_and_rules, value)
        value = [
            " ".join([log, *(f"{key}={rule}" for key, rule in rules.items())])
            for log, rules in several
        ]
    return ", ".join(map(str, value)) or "none" if isinstance(value, list) else str(value)
