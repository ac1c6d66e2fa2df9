"""What a notebook computes from: its parameters, its logs, and the kind of run that they make."""

import re
from functools import cached_property
from pathlib import Path

from IPython import get_ipython

from replication.report import parameters, record, rerun
from replication.report.parameters import PageError
from replication.simulator.choices import among
from replication.simulator.drop_rules import spelled
from replication.simulator.logs import registry
from replication.simulator.predictors import Predictor
from replication.simulator.schedulers import Scheduler
from replication.simulator.workload import FEW_WITHOUT_ESTIMATE, QUICK_JOBS, Workload

#: How the cells of parameters begin: that of a notebook, and that which papermill adds.
CELLS = "scale = ", "# Parameters\n"


class Inputs:
    """The parameters and the workloads of a notebook, as `replication.report.page.Page` gets them.

    The parameters are checked at once. The logs are loaded at the first use of `workloads`.
    """

    def __init__(
        self, name, scale="paper", logs=None, seed=1, workers=1, paper="", allowed=None, **settings
    ):
        chosen = {"scale": scale, "logs": logs or [], "seed": seed, "workers": workers} | settings
        folder, _, self.item = name.rpartition("/")
        self.paper = paper if name.startswith(record.STUDY) else folder
        if self.paper or not name.startswith(record.STUDY):
            among(record.CHAPTERS, f"page {name}: paper", self.paper, PageError)
        parameters.check_known(name, _handed_over(), chosen)
        parameters.check(name, chosen)
        for parameter, values in (allowed or {}).items():
            among(values, f"{name}: {parameter}", settings[parameter], PageError)
        self.name, self.scale, self.seed, self.settings = name, scale, seed, settings
        self.quick = scale == "quick"
        self.first = QUICK_JOBS if self.quick else None
        if "scheduler" in settings:
            self.scheduler = Scheduler.check(settings["scheduler"])
        if "predictor" in settings:
            self.predictor = Predictor.check(settings["predictor"])
        self.parameters = chosen
        self.changes = parameters.changes(name, chosen)

    @cached_property
    def logs(self) -> tuple[str, ...]:
        """Names of the logs: those of the registry, and the stems of files."""
        names = tuple(
            log if log in registry.names() else re.sub(r"(\.swf)?(\.gz)?$", "", Path(log).name)
            for log, _ in map(registry.file_and_rules, self.parameters["logs"])
        )
        if len(set(names)) < len(names):
            raise PageError(f"{self.name}: logs {', '.join(names)}; expected each name once")
        return names

    def load(self, log, **rules) -> Workload:
        """Return the jobs of a log as this page simulates them.

        Parameters
        ----------
        log : str
            A registry name, or the path of an SWF file. The paper's rules make the jobs of a log
            that the paper uses, the default rules those of any other.
        **rules
            Rules to use instead, see `replication.simulator.logs.registry.load`.

        Returns
        -------
        replication.simulator.workload.Workload
            At quick scale the first `QUICK_JOBS` jobs.
        """
        return self._both(log, **rules)[1]

    def _both(self, log, missing=None, **rules):
        """Return the workload of a log as loaded, and the part of it that is simulated, where no
        estimates are missing if something stands in for them.
        """
        if missing is not None:
            among(("run-time",), f"{self.name}: logs: missing", missing, PageError)
        paper = record.rules_of(log, self.paper)
        try:
            whole = registry.load(log, paper=paper, **rules)
        except registry.Missing:
            whole = registry.load(log, paper=paper, synthetic=True)
        used = whole.take(slice(QUICK_JOBS)) if self.quick else whole
        return whole, used.replace(without_estimate=0.0) if missing else used

    @cached_property
    def _pairs(self):
        """The workload as loaded and the simulated part of it, by the name of the log."""
        sources = map(registry.file_and_rules, self.parameters["logs"])
        return {
            name: self._both(log, **log_rules) for name, (log, log_rules) in zip(self.logs, sources)
        }

    @cached_property
    def workloads(self) -> dict[str, Workload]:
        """The workload of each log by name; at quick scale its first `QUICK_JOBS` jobs."""
        return {log: used for log, (_, used) in self._pairs.items()}

    def log_facts(self) -> dict[str, dict]:
        """Return the facts of each log for the record."""
        return {log: record.log_facts(*both) for log, both in self._pairs.items()}

    def reload(self, drop=(), **rules) -> dict[str, Workload]:
        """Return the workload of each log under other rules; generated jobs stay as they are.

        Parameters
        ----------
        drop : sequence of str
            Rules for jobs to leave out, added to those of `workloads`.
        **rules
            Rules to use instead, see `replication.simulator.logs.registry.load`.
        """
        reloaded = dict(self.workloads)
        for name, (log, log_rules) in zip(
            self.logs, map(registry.file_and_rules, self.parameters["logs"])
        ):
            if not reloaded[name].stand_in:
                dropped = spelled((*reloaded[name].provenance["drop"], *drop))
                chosen = {"drop": None, "keep": ()} | dropped
                reloaded[name] = self._both(log, **log_rules | rules | chosen)[1]
        return reloaded

    @cached_property
    def kind(self) -> str:
        """The kind of the run, one of `record.KINDS` or ``other``, by its parameters and the loaded
        logs.
        """
        if self.changes:
            return record.OTHER
        stand_in = any(workload.stand_in for workload in self.workloads.values())
        return "stand-in" if stand_in else self.scale

    @property
    def undecided(self) -> str:
        """The reason for giving no verdict, in a few words; empty if the outputs may decide.

        All verdicts depend on this property alone.
        """
        return ({"paper": "", record.OTHER: "other parameters"} | rerun.UNDECIDED)[self.kind]

    @property
    def notice(self) -> str:
        """The sentences on outputs without a verdict, and on jobs without estimates; else empty."""
        reasons = [f"other parameters: {', '.join(self.changes)}"] if self.changes else []
        if generated := [log for log, workload in self.workloads.items() if workload.stand_in]:
            reasons.append(f"synthetic jobs for {', '.join(generated)}")
        if self.quick:
            reasons.append(f"quick scale, at most the first {QUICK_JOBS:,} jobs of each log")
        said = f"**No verdict**: {'; '.join(reasons)}." if reasons else ""
        return " ".join(filter(None, [said, self.without_estimates(self.logs)]))

    @property
    def source(self) -> str:
        """Kind, scale, seed and logs in one line."""
        hashes = [f"{log} {facts['sha256'][:12]}" for log, facts in self.log_facts().items()]
        logs = ", ".join(hashes) or "none"
        return f"{self.kind}; {self.scale} scale; seed {self.seed}; logs: {logs}"

    @property
    def folder(self) -> Path:
        """Folder of the outputs while the notebook runs; its runner moves them to that of their
        kind when it has ended.
        """
        return record.running(self.name)

    def without_estimates(self, logs) -> str:
        """Return the sentence that names those of some logs in which run times stand in for
        estimates; empty if there are none.
        """
        shares = {
            log: workload.without_estimate
            for log, (workload, _) in self._pairs.items()
            if log in logs and workload.without_estimate > FEW_WITHOUT_ESTIMATE
        }
        names = ", ".join(f"{log} ({100 * share:.0f} %)" for log, share in shares.items())
        return f"Without an estimate, run time instead: {names}." if names else ""

    def seeds(self, runs, quick_runs=5) -> range:
        """Return the seeds of `runs` runs, beginning with the page's; at quick scale of
        `quick_runs`.
        """
        return range(self.seed, self.seed + (min(runs, max(quick_runs, 1)) if self.quick else runs))

    def grid(self, values, stride=10) -> list:
        """Return all values of a parameter; at quick scale every `stride`-th of the committed ones,
        the first among them.
        """
        names = {change.partition(" ")[0] for change in self.changes}
        return list(values)[:: 1 if not self.quick or names & {*self.settings} else stride]


def _handed_over():
    """Return the names in the cells of parameters that ran last, see `CELLS`."""
    cells = get_ipython().user_ns.get("In", ()) if get_ipython() else ()
    last = {opening: cell for cell in cells for opening in CELLS if cell.startswith(opening)}
    return [name for cell in last.values() for name in re.findall(r"^(\w+) = ", cell, re.MULTILINE)]
