"""Predictors of run times: what a scheduler may plan with in place of the user's estimate.

A predictor is named by text, as estimate models are. Those that learn do so from jobs as they end, inside the
simulation (`replication.core.predictors`).
"""

import math

import numpy as np

from replication.basics.seeding import generator

FORMS = (
    "request, perfect, virtual=ERROR (run time times 1 + uniform(-ERROR, ERROR), 0 to 1), "
    "scaled=FACTOR (run time times FACTOR, 0 to 2), last, tsafrir, complete, top=PERCENT, "
    "top-as-coded=PERCENT (0 to 100), cvh"
)


class PredictorError(ValueError):
    """A predictor or a parameter of one that does not exist; the message lists what is allowed."""


def virtual(workload, error, seed=1):
    """Run times times 1 + uniform(-error, error), to the nearest second (PV-EASY, section 5.2.2).

    Parameters
    ----------
    workload : Workload
    error : float
        Largest relative error, 0 to 1.
    seed : int
        The draw depends on the trace's name, its length, `error` and `seed` alone.

    Returns
    -------
    int64[n], s
    """
    draws = generator(workload.name, len(workload), "virtual", float(error), int(seed)).random(
        len(workload)
    )
    return np.rint(workload.run_time * (1 + float(error) * (2 * draws - 1))).astype(np.int64)


def parse(text):
    """Read a predictor written as text, such as ``last`` or ``virtual=0.2``.

    Returns
    -------
    name : str
    amount : float
        The error of ``virtual``; 0 for predictors without a parameter.

    Raises
    ------
    PredictorError
        With the forms that are allowed.
    """
    name, given, amount = str(text).partition("=")
    if name in _BOUNDS and given:
        return name, _number(name, amount, text)
    if name in _MAKERS and name not in _BOUNDS and not given:
        return name, 0.0
    raise PredictorError(f"predictor {text!r} unknown; allowed: {FORMS}")


def check(text):
    """Return `text` if it names a predictor; raise PredictorError otherwise."""
    parse(text)
    return text


def make(workload, estimate, predictor="request", seed=1):
    """A predictor's memory before the first job, to be handed to a kernel.

    Parameters
    ----------
    workload : Workload
    estimate : int64[n], s
        The requests as the scheduler is told them.
    predictor : str
        See ``FORMS``.
    seed : int
        Of random predictors.

    Returns
    -------
    replication.core.predictors.Memory
        Fresh arrays: a simulation writes into them.
    """
    name, amount = parse(predictor)
    return _MAKERS[name](workload, np.ascontiguousarray(estimate, dtype=np.int64), amount, seed)


def _memory(workload, estimate, kind, **filled):
    """A memory whose tables are empty unless given."""
    from replication.core.predictors import Memory

    request = estimate.view()
    request.flags.writeable = False  # as the workload's columns, so that kernels meet one type only
    empty = {
        "share": 0.0,
        "coded": False,
        "fixed": np.empty(0, np.int64),
        "group": np.empty(0, np.int64),
        "whole": np.empty((0, 0), np.int64),
        "real": np.empty((0, 0)),
        "links": np.empty(0, np.int64),
        "model": np.empty((0, 0)),
    }
    return Memory(
        kind=kind,
        submit=workload.submit,
        run_time=workload.run_time,
        request=request,
        size=workload.processors,
        **empty | filled,
    )


def _fixed(workload, estimate, predicted):
    from replication.core.predictors import FIXED

    return _memory(workload, estimate, FIXED, fixed=np.array(predicted, dtype=np.int64))


def _request(workload, estimate, amount, seed):
    return _fixed(workload, estimate, estimate)


def _perfect(workload, estimate, amount, seed):
    return _fixed(workload, estimate, workload.run_time)


def _virtual(workload, estimate, amount, seed):
    return _fixed(workload, estimate, virtual(workload, amount, seed))


def _scaled(workload, estimate, factor, seed):
    return _fixed(workload, estimate, np.rint(workload.run_time * factor))


def _numbered(columns):
    """Number of each job's row of identifiers (int64[n, k]), and how many different rows there are."""
    from replication.core.predictors.classes import number

    code = np.empty(len(columns), np.int64)
    return code, number(np.ascontiguousarray(columns), code)


def _last(workload, estimate, amount, seed):
    from replication.core.predictors import LAST

    user, users = _numbered(workload.user[:, None])
    return _memory(workload, estimate, LAST, group=user, whole=np.zeros((users, 4), np.int64))


def _tsafrir(workload, estimate, amount, seed):
    from replication.core.predictors import TSAFRIR

    user, users = _numbered(workload.user[:, None])
    return _memory(workload, estimate, TSAFRIR, group=user, whole=np.zeros((users, 4), np.int64))


def _finest(workload, estimate):
    """Each job's class by executable, user, request and size; and the classes as int64[f, 4]."""
    columns = np.column_stack([workload.executable, workload.user, estimate, workload.processors])
    group, _ = _numbered(columns)
    # Classes are numbered as they first appear, so each running maximum steps up at a class's first job.
    first = np.flatnonzero(np.diff(np.maximum.accumulate(group), prepend=-1))
    return group, columns[first]


def _complete(workload, estimate, amount, seed):
    from replication.core.predictors import COMPLETE, complete

    group, finest = _finest(workload, estimate)
    whole = np.empty((len(finest), complete.LEVEL + 1), np.int64)
    classes = complete.classify(finest, whole)
    return _memory(
        workload,
        estimate,
        COMPLETE,
        group=group,
        whole=whole,
        real=np.zeros((classes, 2)),
        links=complete.members(whole, classes),
    )


def _top(workload, estimate, percent, seed, coded=False):
    from replication.core.predictors import TOP
    from replication.core.predictors.top_percent import lay_out

    group, finest = _finest(workload, estimate)
    classes = len(finest)
    value = np.concatenate([workload.run_time, finest[:, 2]])
    owner = np.concatenate([group, np.arange(classes)])
    whole, real = np.zeros((classes, 5), np.int64), np.zeros((len(value), 5))
    links = np.empty(len(workload), np.int64)
    lay_out(_by_class(owner, value), owner, value, whole, real, links)
    return _memory(
        workload,
        estimate,
        TOP,
        share=percent / 100,
        coded=coded,
        group=group,
        whole=whole,
        real=real,
        links=links,
        model=np.zeros((classes, 4)),
    )


def _by_class(owner, value):
    """Order by owner, then by value; one sort of numbers where both fit into one."""
    bits = int(value.max()).bit_length()
    if bits + int(owner.max()).bit_length() < 63:
        return np.argsort(owner << bits | value)
    return np.lexsort((value, owner))


def _top_as_coded(workload, estimate, percent, seed):
    return _top(workload, estimate, percent, seed, coded=True)


def _cvh(workload, estimate, amount, seed):
    from replication.core.predictors import CVH, cvh

    user, users = _numbered(workload.user[:, None])
    whole = np.zeros((users, cvh.COLUMNS), np.int64)
    whole[:, [cvh.OLDEST, cvh.YOUNGEST]] = cvh.NOBODY
    model = np.zeros((cvh.COUNTERS + 1, cvh.ROOM))
    model[[cvh.SCALES, cvh.SQUARES]] = cvh.START
    model[cvh.COUNTERS, [cvh.STEP, cvh.NORM, cvh.JOB]] = 1, cvh.START, cvh.NOBODY
    n = len(workload)
    return _memory(
        workload,
        estimate,
        CVH,
        group=user,
        whole=whole,
        model=model,
        real=np.zeros((n, cvh.FEATURES)),
        links=np.empty(3 * n, np.int64),
    )


def _number(name, digits, text):
    low, high = _BOUNDS[name]
    try:
        value = float(digits)
    except ValueError:
        value = math.nan
    if not low <= value <= high:
        raise PredictorError(f"predictor {text!r}: {name} takes a number from {low:g} to {high:g}")
    return value


_MAKERS = {
    "request": _request,
    "perfect": _perfect,
    "virtual": _virtual,
    "scaled": _scaled,
    "last": _last,
    "tsafrir": _tsafrir,
    "complete": _complete,
    "top": _top,
    "top-as-coded": _top_as_coded,
    "cvh": _cvh,
}
_BOUNDS = {"virtual": (0, 1), "scaled": (0, 2), "top": (0, 100), "top-as-coded": (0, 100)}
