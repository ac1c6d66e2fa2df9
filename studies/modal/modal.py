"""Figure and table of the study of the modal model; its runs are those of
`notebooks.heel_and_toe.modality`.
"""

from notebooks import panels
from notebooks.heel_and_toe.curves import PERFORMANCE
from replication.drawing import style
from replication.simulator.errors import InputError
from replication.simulator.estimates.modal import SMALLEST_E_MAX


def compare(found):
    """Return the change from the real estimates to every other kind, per cent, a column for each
    log and measure; InputError if no log has a run of the modal model at its own share.
    """
    if not found["own"].any():
        raise InputError(
            f"logs {', '.join(found['log'].unique())}: the modal model has no estimates for all "
            "run times at the share of jobs that ask for E_max; expected an E_max of at least "
            f"{SMALLEST_E_MAX} s"
        )
    some = found[((found["estimates"] != "modal") | found["own"]) & (found["estimates"] != "real")]
    amounts = some["amount"].map(", f = {:g}".format).mask(some["own"], "")
    some = some.assign(
        estimates=some["estimates"] + amounts,
        case=some["log"] + " " + some["measure"],
        change=100 * (some["value"] / some["real"] - 1),
    )
    return some.pivot_table("change", "estimates", "case", sort=False).reset_index()


def draw(found):
    """Draw performance against the share of jobs at E_max; a row for each measure, a column for
    each log.
    """
    # The real estimates look as in the other figures.
    looks = style.series(["modal", "vanilla f = 10", "real", "truncated f = 10"], marker=False)

    def one(axes, log, measure):
        part = found[(found["log"] == log) & (found["measure"] == measure)]
        some = part[part["estimates"] == "modal"].sort_values("amount")
        share, own = 100 * some["amount"], some[some["own"]]
        ink = {"alpha": 0.25, "linewidth": 0, "color": looks["modal"]["color"]}
        label = "modal: 5th to 95th percentile of runs"
        axes.fill_between(share, some["p5"], some["p95"], label=label, **ink)
        axes.plot(share, some["value"], marker=".", **looks["modal"] | {"label": "modal: mean"})
        axes.plot(100 * own["amount"], own["value"], "ko", label="at the log's own share")
        for name, look in [*looks.items()][1:]:
            kind, _, f = name.partition(" f = ")
            is_it = (part["estimates"] == kind) & (part["amount"] == float(f or 1))
            words = {"vanilla": "f-model", "truncated": "truncated f-model"}
            label = f"{words[kind]}, f = {f}" if f else f"{kind} estimates"
            for value in part.loc[is_it, "value"]:
                axes.axhline(value, **look | {"label": label})
        axes.set_yscale("log")
        panels.log_ticks(axes.yaxis)

    rows = {measure: words for measure, (words, _) in PERFORMANCE.items()}
    how = {"xlabel": r"jobs at $E_\mathrm{max}$ [%]", "sharex": True}
    return panels.draw(found["log"], rows, one, **how)
