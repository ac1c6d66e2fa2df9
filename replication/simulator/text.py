"""Parse schedulers, estimate models and predictors from text, for the command line,
notebooks and the explorer.

A choice is its name, then the value after its sign, if it has one, then options::

    easy   f=2   log*2   top=3   last*0.5   f=300,emax=64800   easy:predictor=last,correction=now

The first option may follow a colon or a comma. Names, options and values are those of the classes;
only letters and digits of an option count, so ``emax`` is ``e_max``. A function of an imported
module is its dotted name: ``easy:candidates=my_orders.small_first``. Python takes a text or a value
made by a class, ``EASY(predictor=Last())``.
"""

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from replication.simulator.estimates import EstimateError, EstimateModel
from replication.simulator.estimates.models import steps
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import Scheduler, SchedulerError

_RANGE = re.compile(r"(.*=)([0-9.]+):([0-9.]+):([0-9.]+)(,.*)?")


def scheduler(text: str) -> Scheduler:
    """Return a scheduler, such as ``easy:predictor=last``; a ChoiceError lists the allowed ones."""
    return Scheduler.from_text(text)


def several(family, given) -> list:
    """Return one member of a family or several, each an object or a text, as a list; the text of
    estimate models may be a range, as in `models`.
    """
    given = [given] if isinstance(given, str | type) or not np.iterable(given) else [*given]
    if family is EstimateModel:
        given = [m for one in given for m in (models(one) if isinstance(one, str) else [one])]
    return [family.check(one) for one in given]


def estimates(text: str) -> EstimateModel:
    """Return an estimate model, such as ``log*2`` or ``f=300,emax=64800``."""
    return EstimateModel.from_text(text)


def models(text: str) -> list[EstimateModel]:
    """Return the estimate models of a text: one, or all of a range such as ``f=0:10:1``."""
    match = _RANGE.fullmatch(text)
    if not match:
        return [estimates(text)]
    before, start, stop, step, after = match.groups()
    try:
        values = steps(float(start), float(stop), float(step))
    except ValueError as error:
        raise EstimateError(f"estimates {text!r}: {error}") from None
    return [estimates(f"{before}{value!r}{after or ''}") for value in values]


def combine(schedulers: Sequence[str], predictors: Sequence[str]) -> list[Scheduler]:
    """Return each scheduler with each predictor, if it takes one;
    without predictors the schedulers as they are.

    Raises
    ------
    SchedulerError
        If no scheduler takes a predictor, or one has a predictor already.
    """
    found = []
    for word in schedulers:
        one = scheduler(word)
        if not predictors or "predictor" not in one.options():
            found.append(one)
            continue
        if one.predictor != one.options()["predictor"].default:
            raise SchedulerError(f"scheduler {word!r} has a predictor; expected it once")
        found += [replace(one, predictor=predictor(own)) for own in predictors]
    if predictors and not any("predictor" in one.options() for one in found):
        raise SchedulerError(f"{', '.join(schedulers)}: no scheduler takes a predictor")
    return found


def predictor(text: str) -> Predictor:
    """Return a predictor, such as ``last`` or ``top=3``; ``last*2`` predicts twice as much."""
    return Predictor.from_text(text)
