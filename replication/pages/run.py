"""Run notebooks without a screen, strictly, and assemble the report of what they drew."""

import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path

from replication.basics import paths
from replication.basics.hints import did_you_mean
from replication.logs import archive, traces
from replication.pages import notebook, record
from replication.pages.notebook import NotebookError, RunError
from replication.pages.parameters import SCALES, PageError, check_name
from replication.pages.progress import Progress, duration

QUICK_AT_ONCE = 2


@dataclass(frozen=True)
class Outcome:
    """What became of one notebook: its kind is one of `replication.pages.record.KINDS` or
    ``OTHER``, empty where it failed; its error is empty where it did not. The seconds are with
    the start of its kernel.
    """

    name: str
    scale: str
    seconds: float
    kind: str = ""
    error: str = ""


def choose(only=None):
    """The notebooks somebody asked for, by ``paper/item`` or ``paper``, several in a list or apart
    by blanks; all by default. RunError if there is none of that name.
    """
    known = notebook.found()
    wanted = " ".join([only] if isinstance(only, str) else only or []).split()
    if not wanted:
        return known
    valid = [*record.CHAPTERS, *known]
    for word in wanted:
        if word not in valid or not any(_fits(name, [word]) for name in known):
            raise RunError(
                f"no notebook {word!r}{did_you_mean(word, valid)}; "
                f"there are: {', '.join(known) or 'none'}"
            )
    return {name: path for name, path in known.items() if _fits(name, wanted)}


def _fits(name, wanted):
    return name in wanted or name.split("/")[0] in wanted


def plan(chosen, scale=None, workers=None):
    """The parameters each notebook is to be run with. By default the scale is ``paper`` where all
    the logs of a notebook are to be had, ``quick`` where one is not, and there is a worker for
    each processor this process may use.
    """
    if scale is not None and scale not in SCALES:
        raise RunError(f"scale {scale!r}, allowed: {', '.join(SCALES)}")
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise RunError(f"workers {workers!r}, allowed: 1 or more")
    try:
        for name in chosen:
            check_name(name)
    except PageError as refused:
        raise RunError(refused) from None
    common = {"scale": "paper", "workers": workers or _processors()}
    logs = {name: notebook.check(path, common).get("logs", []) for name, path in chosen.items()}
    here = _at_hand(sorted({log for several in logs.values() for log in several}))
    return {
        name: common | {"scale": scale or ("paper" if here.issuperset(logs[name]) else "quick")}
        for name in chosen
    }


def _processors():
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _at_hand(logs):
    """Those logs that are on this machine, or were fetched now; says which are not."""
    found = {log for log in logs if traces.locate(log) is not None}
    for log in logs:
        if log not in found:
            try:
                traces.fetch(log)
            except (archive.Unreachable, OSError) as reason:
                # Else every notebook would wait for the network once more.
                os.environ[archive.OFFLINE] = "1"
                absent = ", ".join(log for log in logs if log not in found)
                print(f"generated stand-ins take the place of {absent}: {reason}")
                break
            found.add(log)
    return found


def figures(only=None, scale=None, workers=None, *, report):
    """Run notebooks, say how it went, and have the report made: ``report(kind, failed)`` makes that
    of a kind without the notebooks that failed, and says where it is. Returns the exit code, 1
    where a notebook failed; RunError if a choice or a parameter is refused, before anything ran.
    """
    started = time.perf_counter()
    chosen = choose(only)
    if not chosen:
        raise RunError(f"no notebooks in {paths.NOTEBOOKS}")
    planned = plan(chosen, scale, workers)
    outcomes = _run_all(chosen, planned)
    outcomes.sort(key=lambda outcome: list(chosen).index(outcome.name))
    done = [outcome for outcome in outcomes if not outcome.error]
    print(_summary(outcomes, time.perf_counter() - started))
    if done:
        reported = [outcome.kind for outcome in done if outcome.kind != record.OTHER]
        if reported:
            # The report is worth what its weakest part is worth.
            kind = max(reported, key=record.KINDS.index)
            failed = {outcome.name for outcome in outcomes if outcome.error}
            print("assembling the report of all that was drawn", flush=True)
            print(f"report: {_shown(report(kind, failed))}")
    return 0 if len(done) == len(outcomes) else 1


def _run_all(chosen, planned):
    """Run each notebook, cheap ones first; at quick scale two at a time, since half of that is the start of kernels."""
    scales = {name: parameters["scale"] for name, parameters in planned.items()}
    quick = set(scales.values()) == {"quick"}
    at_once = min(QUICK_AT_ONCE, planned[next(iter(planned))]["workers"]) if quick else 1
    progress = Progress(scales, at_once)
    print(f"{_intention(planned)}: {progress.intention()}", flush=True)
    outcomes = []
    with ThreadPoolExecutor(at_once) as pool:
        waiting = {
            pool.submit(_attempt, chosen[name], planned[name]): name for name in progress.order()
        }
        try:
            while waiting:
                done, _ = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for future in done:
                    outcome = future.result()
                    _forget(outcome)
                    took = None if outcome.error else outcome.seconds
                    progress.end(waiting.pop(future), took, _line(outcome))
                    outcomes.append(outcome)
                for future, name in waiting.items():
                    if future.running():
                        progress.start(name)
                progress.tick()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            notebook.stop_all()
            raise
        finally:
            progress.clear()
    return outcomes


def _intention(planned):
    """What is going to run, in one line, since the first notebook may take minutes."""
    scales = [parameters["scale"] for parameters in planned.values()]
    split = ", ".join(f"{scales.count(scale)} at {scale} scale" for scale in dict.fromkeys(scales))
    return f"running {len(planned)} notebooks ({split})"


def _forget(outcome):
    """Remove older results of a notebook that failed, lest the report show them as if all were well."""
    if not outcome.error:
        return
    for kind in ("stand-in", outcome.scale):
        record.executed(kind, outcome.name).unlink(missing_ok=True)


def _attempt(path, parameters):
    started = time.perf_counter()
    try:
        kind, error = notebook.execute(path, parameters), ""
    except NotebookError as failure:
        kind, error = "", str(failure)
    return Outcome(
        notebook.name_of(path), parameters["scale"], time.perf_counter() - started, kind, error
    )


def _line(outcome):
    if outcome.error:
        return f"FAILED {outcome.error} [{outcome.seconds:.1f} s]"
    where = _shown(record.folder(outcome.kind, outcome.name.split("/")[0]))
    return f"{outcome.name}: {outcome.kind}, {outcome.scale} scale [{outcome.seconds:.1f} s], in {where}/"


def _summary(outcomes, seconds):
    lines = [f"{len(outcomes)} notebooks in {duration(seconds)}"]
    for kind in (*record.KINDS, record.OTHER):
        names = [outcome.name for outcome in outcomes if outcome.kind == kind]
        if names:
            lines.append(
                f"{kind}: {len(names)} ({record.MEANING[kind]}), in {_shown(record.folder(kind))}/"
            )
    for outcome in outcomes:
        if outcome.error:
            kept = record.executed("failed", outcome.name)
            where = f" (see {_shown(kept)})" if kept.exists() else ""
            lines.append(f"failed: {outcome.error}{where}")
    return "\n".join(lines)


def _shown(path):
    """A path as seen from here where that is shorter."""
    path = Path(path)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
