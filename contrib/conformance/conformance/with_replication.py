"""Run a scheduler of the package `replication` on a log; the only module that needs it."""

import tempfile
from pathlib import Path


def runner(scheduler, imports=()):
    """Return a function of a log and its rules: the start of each job by its number, s.

    Parameters
    ----------
    scheduler : str or replication.Scheduler
    imports : sequence of str
        Files with schedulers of one's own.
    """
    import replication
    from replication.simulator.text import import_module

    for path in imports:
        import_module(Path(path))

    def run(log, rules):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, f"{log.name}.swf")
            path.write_text(log.swf, encoding="utf-8")
            overrun = "cut-run" if rules["kills"] == "yes" else "as-is"
            workload = replication.load(path, drop=[], overrun=overrun)
        schedule = replication.simulate(workload, scheduler)
        return dict(zip(workload.job_id.tolist(), schedule.start.tolist()))

    return run
