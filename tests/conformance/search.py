"""The search for the smallest random log that tells two readings apart: ``python -m tests.conformance.search``.

It writes ``conformance/`` anew, always the same way. Schedules are those of the readable twins.
"""

import json
import random
import re
import string
import tomllib
from dataclasses import dataclass

import numpy as np

from replication.simulator import formats, paths, swf, text, traces, writing
from replication.simulator.workload import Workload
from tests.conformance.edited import TWINS, edited
from tests.conformance.rules import RULES

FOLDER = paths.ROOT / "conformance"
SEED = 20100621
TRIES = 3000  # logs of a size
TWIN_OF = {
    "fcfs": ("easy", "Fcfs"),
    "easy": ("easy", "Easy"),
    "conservative": ("conservative", "Conservative"),
    "laf": ("conservative", "LargestAreaFirst"),
    "pv-easy": ("pv_easy", "PVEasy"),
    "easy-by": ("queue_orders", "OrderedEasy"),
}
SIZES = (5, 6, 8, 10, 14, 20)  # jobs


@dataclass(frozen=True)
class Kind:
    """Random logs.

    Parameters
    ----------
    machine : int, processors
    shortest, longest : int, units
        Run times.
    unit : int, s
    users : int
    overrun : bool
        Whether jobs may run longer than they ask for.
    """

    machine: int = 4
    shortest: int = 1
    longest: int = 6
    unit: int = 1
    users: int = 1
    overrun: bool = False

    def draw(self, jobs, rng):
        """A workload of so many jobs."""
        rows = []
        for _ in range(jobs):
            run_time = rng.randint(self.shortest, self.longest)
            more = rng.choice([0, 0, 1, 2, 4, 8])
            asked = rng.randint(1, self.longest) if self.overrun else run_time + more
            user = rng.randint(1, self.users)
            rows.append((rng.randint(0, 4), run_time, rng.randint(1, self.machine), asked, user))
        submit, run_time, size, estimate, user = np.array(sorted(rows, key=lambda row: row[0])).T
        return Workload.from_columns(
            "log",
            self.machine,
            submit * self.unit,
            run_time * self.unit,
            size,
            estimate * self.unit,
        ).replace(user=user)


def decided(modules, workload, scheduler):
    """Start, and length of the last run, of each job, by a scheduler's twin in these modules."""
    module, name = TWIN_OF[scheduler.name]
    options = {own: getattr(scheduler, own) for own in scheduler.options()}
    done = getattr(modules[f"replication.simulator.reference.{module}"], name)(
        workload, **options
    ).run()
    return done.start, [done.end(job) - start for job, start in enumerate(done.start)]


def twins(rule):
    """What follows a rule and what follows the other reading: functions of a workload."""
    right = text.scheduler(rule.scheduler)
    with edited(TWINS[0], (), TWINS) as modules:
        plain = modules
    if isinstance(rule.instead, str):
        other, changed = text.scheduler(rule.instead), plain
    else:
        module, *edits = rule.instead
        with edited(f"replication.simulator.reference.{module}", edits, TWINS) as modules:
            other, changed = right, modules
    return (lambda w: decided(plain, w, right)), (lambda w: _safely(changed, w, other))


def _safely(modules, workload, scheduler):
    """What another reading decides; one that contradicts itself decides nothing."""
    try:
        return decided(modules, workload, scheduler)
    except (AssertionError, ValueError, TypeError, IndexError):
        return None


def smallest(rule):
    """The first log of a rule that tells its two readings apart, among random ones that grow, and its schedule."""
    follow, instead = twins(rule)
    kind = Kind(**rule.jobs)
    for jobs in SIZES:
        rng = random.Random(f"{SEED} {rule.name} {jobs}")
        for _ in range(TRIES):
            workload = kind.draw(jobs, rng)
            wrong = instead(workload)
            # A reading that stops in the middle of a log is not told apart by what it decided.
            if wrong is not None and wrong != (right := follow(workload)):
                return workload, right
    raise LookupError(f"{rule.name}: no log of up to {SIZES[-1]} jobs tells the readings apart")


def sentence(name):
    """The text of a sentence of docs/semantics."""
    page, _, number = name.rstrip(string.ascii_lowercase).rpartition("-")
    page = {"": "semantics.md"}.get(page, f"semantics/{page.replace('-', '_')}.md")
    source = (paths.ROOT / "docs" / page).read_text(encoding="utf-8")
    found = re.search(
        rf"^- \*\*{number}\*\* (.*?)(?=\n- |\n\n|\Z)", source, re.MULTILINE | re.DOTALL
    )
    return page, " ".join(found.group(1).split())


def logs():
    """Each log of the manifest as its name, workload, scheduler, and the start and end of each job."""
    manifest = tomllib.loads((FOLDER / "manifest.toml").read_text(encoding="utf-8"))
    for log in manifest["log"]:
        path = FOLDER / "logs" / f"{log['name']}.swf"
        workload = traces.load(path, drop=(), overrun="as-is")
        plan = formats.read(FOLDER / "schedules" / f"{log['name']}.csv")
        yield log["name"], workload, text.scheduler(log["scheduler"]), (plan.start, plan.end)


def write_log(path, workload, rule):
    """A log in SWF; jobs submitted together stand in it from the last to the first."""
    w, unknown = workload, np.full(len(workload), -1)
    order = np.lexsort((-w.job_id, w.submit))
    comments = (" Version: 2.2", f" Computer: {rule.name}", f" MaxProcs: {w.machine}")
    columns = {
        "job_id": w.job_id,
        "run_time": w.run_time,
        "allocated_processors": w.processors,
        "requested_processors": w.processors,
        "requested_time": w.estimate,
        "user": w.user,
    }
    trace = swf.Trace.from_columns(
        w.submit[order],
        comments=comments,
        wait=unknown,
        **{name: values[order] for name, values in columns.items()},
    )
    swf.write(path, trace)


def write_schedule(path, workload, decided):
    """A schedule as ``replication compare`` reads it."""
    start, length = map(np.array, decided)
    columns = {
        "job_id": workload.job_id,
        "submit": workload.submit,
        "start": start,
        "end": start + length,
        "processors": workload.processors,
    }
    rows = [
        ",".join(columns),
        *(",".join(map(str, row)) for row in zip(*columns.values(), strict=True)),
    ]
    writing.write(path, ("\n".join(rows) + "\n").encode())


def main():
    """Write all logs, schedules and the manifest."""
    for folder in ("logs", "schedules"):
        (FOLDER / folder).mkdir(parents=True, exist_ok=True)
    lines = ["# Written by tests/conformance/search.py; README.md says what the fields are.\n"]
    lacking = []
    for rule in RULES:
        try:
            workload, right = smallest(rule)
        except LookupError as error:
            lacking.append(str(error))
            continue
        write_log(FOLDER / "logs" / f"{rule.name}.swf", workload, rule)
        write_schedule(FOLDER / "schedules" / f"{rule.name}.csv", workload, right)
        page, said = sentence(rule.name)
        fields = {
            "name": rule.name,
            "page": f"docs/{page}",
            "rule": said,
            "other": rule.other,
            "scheduler": rule.scheduler,
        }
        if isinstance(rule.instead, str):
            fields["other_scheduler"] = rule.instead
        words = (
            f"{key} = {json.dumps(value, ensure_ascii=False)}\n" for key, value in fields.items()
        )
        lines.append("[[log]]\n" + "".join(words))
        print(rule.name, len(workload), flush=True)
    writing.write(FOLDER / "manifest.toml", "\n".join(lines).encode())
    if lacking:
        raise SystemExit("\n".join(lacking))


if __name__ == "__main__":
    main()
