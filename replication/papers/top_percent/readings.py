"""The search over the readings of Top Percent's Table I, see `replication.readings`."""

from replication import published, readings, readings_search
from replication.papers.top_percent import counting, runs
from replication.readings import Dimension, Rule
from replication.readings_search import Part

ITEMS = ("table1",)

CLEANING = (
    Dimension(
        "size",
        {
            "requested": "a job's size is the processors it asked for",
            "allocated": "a job's size is the processors it was allocated",
        },
    ),
    Dimension(
        "overrun",
        {
            "cut-run": "runs are cut at their requests",
            "raise-estimate": "the request of a run that passed it is raised to the run time",
        },
    ),
    Dimension(
        "jobs",
        {
            "all": "a job without a request is given its run time",
            "with-request": "jobs without a request are left out",
        },
    ),
)
EVENTS = (
    Dimension(
        "passes",
        {
            "always": "every submission leads to a pass",
            "if-fits": "only a submission that fits the free processors leads to a pass",
        },
    ),
    Dimension(
        "order",
        {"ends-first": "ends go before submissions", "submissions-first": "submissions go before ends"},
    ),
)
PREDICTION = (
    Dimension(
        "refresh",
        {
            "pass": "predictions of waiting jobs are made at every pass",
            "submission": "predictions are made at submission",
        },
    ),
    Dimension(
        "correction",
        {
            "request": "a prediction that has run out becomes the request",
            "tsafrir": "a prediction that has run out grows by Tsafrir's steps",
            "doubling": "a prediction that has run out is doubled",
            "now": "a job whose prediction has run out is expected to end at any moment",
        },
    ),
)
TOP = Dimension(
    "top",
    {
        "words": "Top Percent's threshold is that of the paper's words",
        "as-coded": "Top Percent's threshold is kept by two running sums, as coded",
    },
)
R2 = Dimension(
    "r2",
    {
        "submission": "R2 is of the predictions made at submission",
        "start": "R2 is of the predictions that jobs started with",
        "recorded": "R2 is of the first predictions recorded, -1 where no predictor runs",
    },
)
DIMENSIONS = (*CLEANING, *EVENTS, *PREDICTION, TOP, R2)
STAND_IN = tuple(
    Rule("a stand-in has no lines to read otherwise", {dimension.name: dimension.names[1:]})
    for dimension in CLEANING
)


def _names(*dimensions):
    return tuple(dimension.name for dimension in dimensions)


_CORE = ("easy_predicted", "planned", "running", "predictors", "complete", "top_percent", "cvh", "classes", "uncounted")
_SOURCES = (
    *(f"replication.core.{name}" for name in _CORE),
    *(f"replication.{name}" for name in ("schedulers.predicted", "simulation", "schedule", "predictors", "measures")),
    *(f"replication.papers.top_percent.{name}" for name in ("runs", "counting")),
)
_FIXED = _names(*CLEANING, *EVENTS)
PARTS = (
    Part("top_percent: fixed", _FIXED, counting.fixed, _SOURCES),
    Part("top_percent: learned", (*_FIXED, *_names(*PREDICTION)), counting.learned, _SOURCES),
    Part("top_percent: top", (*_FIXED, *_names(*PREDICTION, TOP)), counting.top, _SOURCES),
)


def grid(page):
    """All combinations; at quick scale and on stand-ins the default and single changes."""
    return readings.Grid(
        DIMENSIONS, STAND_IN if page.stand_in else (), None if page.kind == "paper" else ({},)
    )


def search(page, **how):
    """Run the search, or read what was found before.

    Parameters
    ----------
    page : replication.page.Page
    **how
        Of `replication.readings_search.search`, such as an executor.

    Returns
    -------
    replication.readings.Found
    """
    kept = {}

    def workload(log, chosen):
        key = (log, *(chosen[dimension.name] for dimension in CLEANING))
        if key not in kept:
            kept[key] = _jobs(page, log, chosen)
        return kept[key]

    every = grid(page)
    table = readings_search.search(every, PARTS, workload, page.logs, page.workers, **how)
    # Reqtime over Reqtime is 1 whatever is read.
    printed = [
        row
        for row in published.rows(page.paper, "table1")
        if row.policy != runs.REFERENCE or row.measure == "r2"
    ]
    return readings.Found(every, table, printed)


def _jobs(page, log, chosen):
    """The jobs of a log under a choice of size, overrun and jobs."""
    from replication import traces
    from replication.page import QUICK_JOBS

    if all(chosen[dimension.name] == dimension.names[0] for dimension in CLEANING):
        return page.workloads[log]
    drop = [
        *traces.rules(log, page.paper).drop,
        *(["no-estimate"] if chosen["jobs"] == "with-request" else []),
    ]
    whole = traces.load(
        log, paper=page.paper, stand_in=False, size=chosen["size"], overrun=chosen["overrun"], drop=drop
    )
    return whole.take(slice(QUICK_JOBS)) if page.quick else whole
