"""The search over the readings of Top Percent's Table I, see `replication.evidence.readings`."""

import functools

from replication.evidence import published, readings
from replication.evidence.readings import Dimension
from replication.evidence.readings import search as readings_search
from replication.evidence.readings.search import Part
from replication.papers.dimensions import ORDER, PREDICTION, default_on_stand_ins, names, size
from replication.papers.top_percent import counting, runs

ITEMS = ("table1",)

CLEANING = (
    size("requested"),
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
    ORDER,
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
STAND_IN = default_on_stand_ins(CLEANING)

_FIXED = names(*CLEANING, *EVENTS)
PARTS = (
    Part("top_percent: fixed", _FIXED, counting.fixed),
    Part("top_percent: learned", (*_FIXED, *names(*PREDICTION)), counting.learned),
    Part("top_percent: top", (*_FIXED, *names(*PREDICTION, TOP)), counting.top),
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
    page : replication.pages.page.Page
    **how
        Of `replication.evidence.readings.search.search`, such as an executor.

    Returns
    -------
    replication.evidence.readings.Found
    """
    every = grid(page)
    table = readings_search.search(
        every,
        PARTS,
        names(*CLEANING),
        functools.partial(_jobs, page),
        page.logs,
        page.workers,
        **how,
    )
    # Reqtime over Reqtime is 1 whatever is read.
    printed = [
        row
        for row in published.rows(page.paper, "table1")
        if row.policy != runs.REFERENCE or row.measure == "r2"
    ]
    return readings.Found(every, table, printed)


def _jobs(page, log, chosen):
    """The jobs of a log under a choice of size, overrun and jobs."""
    from replication.logs import traces
    from replication.pages.page import QUICK_JOBS

    if all(chosen[dimension.name] == dimension.names[0] for dimension in CLEANING):
        return page.workloads[log]
    drop = [
        *traces.rules(log, page.paper).drop,
        *(["no-estimate"] if chosen["jobs"] == "with-request" else []),
    ]
    whole = traces.load(
        log,
        paper=page.paper,
        stand_in=False,
        size=chosen["size"],
        overrun=chosen["overrun"],
        drop=drop,
    )
    return whole.take(slice(QUICK_JOBS)) if page.quick else whole
