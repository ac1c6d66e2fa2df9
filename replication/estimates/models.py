"""What the scheduler is told about run times: the log's own estimates, perfect ones, and models of bad ones.

Every function takes a workload and returns ``int64[n]``, s, never below the run time unless the log's own
estimate is. Models draw real numbers and round them to the nearest second.
"""

import math

import numpy as np

from replication.basics.seeding import generator

FORMS = (
    "log, perfect, log*FACTOR, perfect*FACTOR, f=BADNESS (random in [r, (f+1) r]), "
    "deterministic=BADNESS ((f+1) r); each may be followed by ,emax=SECONDS; modal,emax=SECONDS and "
    "modal=SHARE,emax=SECONDS (SHARE of the jobs at the E_max)"
)


class EstimateError(ValueError):
    """An estimate model or a parameter of one that does not exist; the message lists what is allowed."""


def log(workload):
    """The users' estimates as the workload holds them, after its cleaning rules."""
    return workload.estimate.copy()


def perfect(workload):
    """The true run times."""
    return workload.run_time.copy()


def multiple(estimate, factor):
    """`factor` times an estimate (heel-and-toe, Fig. 2, doubles the log's own and the perfect ones).

    Raises
    ------
    EstimateError
        If `factor` is below 1: a shorter estimate would be an under-prediction.
    """
    _at_least("factor", factor, 1)
    return np.rint(np.asarray(estimate) * float(factor)).astype(np.int64)


def random_f(workload, f, seed=1):
    """The f-model: uniform in [r, (f + 1) r] (heel-and-toe, section 1; Feitelson and Mu'alem Weil 1998).

    Parameters
    ----------
    workload : Workload
    f : float
        The badness factor, 0 or more; 0 is perfect.
    seed : int
        The draw depends on the trace's name, its length, `f` and `seed` alone.
    """
    _at_least("f", f, 0)
    stretched = workload.run_time * (float(f) * draws(workload, f, seed))
    return workload.run_time + np.rint(stretched).astype(np.int64)


def draws(workload, f, seed=1, out=None):
    """The uniform numbers in [0, 1) that `random_f` places estimates with; float64[n], in `out` if given."""
    return generator(workload.name, len(workload), "random-f", float(f), int(seed)).random(
        len(workload), out=out
    )


def deterministic_f(workload, f):
    """The deterministic f-model: (f + 1) r (heel-and-toe, section 1)."""
    _at_least("f", f, 0)
    return workload.run_time + np.rint(workload.run_time * float(f)).astype(np.int64)


def truncated(estimate, e_max):
    """No estimate above the maximal one: min(e, E_max) (heel-and-toe, section 7).

    Run times above `e_max` have to be cut too: see `cut_runs`.
    """
    _at_least("E_max", e_max, 1)
    return np.minimum(estimate, int(e_max))


def modal(workload, e_max, share=None, seed=1, known=None):
    """The modal model (heel-and-toe, section 7, its reference 33); see `replication.estimates.modal.modal`."""
    from replication.estimates import modal as model

    return model.modal(workload, e_max, share, seed, known)


def cut_runs(workload, e_max):
    """The workload with runs cut to `e_max`, as a scheduler that kills at the estimate would (Fig. 16)."""
    _at_least("E_max", e_max, 1)
    longer = int((workload.run_time > e_max).sum())
    return workload.replace(
        run_time=np.minimum(workload.run_time, int(e_max)),
        cleaning=(*workload.cleaning, (f"run-cut-to-emax-{int(e_max)}", longer)),
    )


def parse(text):
    """Read an estimate model written as text, such as ``f=2`` or ``log*2,emax=64800``.

    Returns
    -------
    model : str
        One of log, perfect, f, deterministic, modal.
    amount : float or None
        The factor, the badness, or the share at the E_max; None where the model has its own.
    e_max : int, s, or None

    Raises
    ------
    EstimateError
        With the forms that are allowed.
    """
    body, _, limit = text.partition(",emax=")
    e_max = _number(limit, text) if limit else None
    if body.endswith(",") or (e_max is not None and (e_max < 1 or e_max != int(e_max))):
        raise EstimateError(f"estimates {text!r}: emax is a whole number of seconds, 1 or more")
    for model in ("log", "perfect"):
        if body == model:
            return model, 1.0, e_max and int(e_max)
        if body.startswith(model + "*"):
            return model, _number(body[len(model) + 1 :], text), e_max and int(e_max)
    for model in ("f", "deterministic"):
        if body.startswith(model + "="):
            return model, _number(body[len(model) + 1 :], text), e_max and int(e_max)
    if body == "modal" or body.startswith("modal="):
        if e_max is None:
            raise EstimateError(f"estimates {text!r}: the modal model needs ,emax=SECONDS")
        return "modal", None if body == "modal" else _number(body[6:], text), int(e_max)
    raise EstimateError(f"estimates {text!r} unknown; allowed: {FORMS}")


def make(workload, text, seed=1):
    """Estimates by a model written as text; see `parse` for the forms.

    Returns
    -------
    workload : Workload
        The same, or with run times cut where the model has an E_max.
    estimate : int64[n], s
    """
    model, amount, e_max = parse(text)
    if e_max is not None:
        workload = cut_runs(workload, e_max)
    if model == "f":
        estimate = random_f(workload, amount, seed)
    elif model == "deterministic":
        estimate = deterministic_f(workload, amount)
    elif model == "modal":
        estimate = modal(workload, e_max, amount, seed)
    else:
        estimate = multiple(log(workload) if model == "log" else perfect(workload), amount)
    return workload, estimate if e_max is None else truncated(estimate, e_max)


def _number(digits, text):
    try:
        value = float(digits)
    except ValueError:
        value = math.nan
    if not math.isfinite(value):
        raise EstimateError(f"estimates {text!r}: {digits!r} is not a number; allowed: {FORMS}")
    return value


def _at_least(name, value, least):
    if not (math.isfinite(value) and value >= least):
        raise EstimateError(f"{name} is {value}, allowed: {least} or more")
