"""Table 3: an overview of the workloads."""

import pandas as pd

from replication.papers.logs import duration, load_since_zero, load_to_last_end, tidy

ORDER = ("processors", "jobs", "log_start", "log_end", "load", "mean_size", "mean_run_time")


def table3(page):
    """The facts that Table 3 gives for each workload, of the jobs that are simulated.

    Returns
    -------
    pandas.DataFrame
        trace, policy, measure, value, unit. The load is that of the table's caption: work over capacity from
        the first submission to the last.
    """
    rows = list(duration(page.workloads))
    for name, workload in page.workloads.items():
        rows += [
            (name, "processors", workload.machine, "processors"),
            (name, "jobs", len(workload), "jobs"),
            (name, "load", 100 * workload.load, "%"),
            (name, "mean_size", workload.processors.mean(), "processors"),
            (name, "mean_run_time", workload.run_time.mean(), "s"),
        ]
    return tidy(rows)


def text(ours):
    """The range of the loads that section 5.2.4 quotes from the table, as `Page.compare` takes it.

    Parameters
    ----------
    ours : pandas.DataFrame
        From `table3`.

    Returns
    -------
    list of dict
    """
    loads = ours[ours["measure"] == "load"]["value"]
    return [
        {"trace": "all", "policy": "log", "measure": name, "value": value, "unit": "%"}
        for name, value in (("load_min", loads.min()), ("load_max", loads.max()))
    ]


def readings(page):
    """The load under each reading of its span, and the number of jobs under each reading of what a job is.

    Returns
    -------
    pandas.DataFrame
        One row a reading, one column a log.
    """
    from replication.logs import traces

    rows = {}
    for name, workload in page.workloads.items():
        column = {
            "load %, first to last submission (caption)": 100 * workload.load,
            "load %, log's time 0 to last submission": 100 * load_since_zero(workload),
            "load %, first submission to earliest last end": 100 * load_to_last_end(workload),
        }
        if not workload.stand_in:
            for about, drop in (
                ("with a run time and processors (default)", ("no-run-time", "not-allocated")),
                (
                    "with a positive run time and processors",
                    ("no-run-time", "zero-run-time", "not-allocated"),
                ),
                ("with a run time", ("no-run-time",)),
            ):
                column[f"jobs {about}"] = len(
                    traces.load(name, paper=page.paper, stand_in=False, drop=drop)
                )
        rows[name] = column
    return pd.DataFrame(rows).rename_axis("reading").reset_index()
