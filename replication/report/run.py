"""Run notebooks without a screen, strictly, and assemble the report of what they drew."""

import os
import time
from concurrent.futures import FIRST_COMPLETED, ThreadPoolExecutor, wait
from pathlib import Path

from replication.report import notebook, record
from replication.report.notebook import NotebookError
from replication.report.parameters import SCALES, PageError, check_name
from replication.report.progress import Progress, duration
from replication.simulator import paths, traces
from replication.simulator.hints import did_you_mean

QUICK_AT_ONCE = 2


def choose(only=None):
    """The notebooks somebody asked for, by ``paper/item`` or ``paper``, several in a list or apart
    by blanks; all by default. PageError if there is none of that name.
    """
    known = notebook.found()
    wanted = " ".join([only] if isinstance(only, str) else only or []).split()
    of = {word: [name for name in known if word in (name, name.split("/")[0])] for word in wanted}
    for word, several in of.items():
        if not several:
            hint = did_you_mean(word, [*record.CHAPTERS, *known])
            raise PageError(f"no notebook {word!r}{hint}; there are: {', '.join(known) or 'none'}")
    chosen = set(sum(of.values(), [])) if wanted else known
    return {name: path for name, path in known.items() if name in chosen}


def plan(chosen, scale=None, workers=None):
    """The parameters each notebook is to be run with. By default the scale is ``paper`` where all
    the logs of a notebook are to be had, ``quick`` where one is not, and there is a worker for
    each processor this process may use.
    """
    if scale is not None and scale not in SCALES:
        raise PageError(f"scale {scale!r}, allowed: {', '.join(SCALES)}")
    if workers is not None and (not isinstance(workers, int) or workers < 1):
        raise PageError(f"workers {workers!r}, allowed: 1 or more")
    for name in chosen:
        check_name(name)
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
            except (traces.DownloadError, OSError) as reason:
                # Else every notebook would wait for the network once more.
                os.environ[traces.OFFLINE] = "1"
                absent = ", ".join(log for log in logs if log not in found)
                print(f"synthetic jobs take the place of {absent}: {reason}")
                break
            found.add(log)
    return found


def figures(only=None, scale=None, workers=None, *, report):
    """Run notebooks, say how it went, and have the report made: ``report(kind, failed)`` makes that
    of a kind without the notebooks that failed, and says where it is. Returns the exit code, 1
    where a notebook failed; PageError if a choice or a parameter is refused, before anything ran.
    """
    started = time.perf_counter()
    chosen = choose(only)
    if not chosen:
        raise PageError(f"no notebooks in {paths.NOTEBOOKS}")
    kinds, failed = _run_all(chosen, plan(chosen, scale, workers))
    print(f"{len(chosen)} notebooks in {duration(time.perf_counter() - started)}")
    drawn = [kind for kind in record.MEANING if kind in kinds]
    for kind in drawn:
        where = _shown(record.folder(kind))
        print(f"{kind}: {kinds.count(kind)} ({record.MEANING[kind]}), in {where}/")
    for name in (name for name in chosen if name in failed):
        kept = record.executed("failed", name)
        print(f"failed: {failed[name]}{f' (see {_shown(kept)})' if kept.exists() else ''}")
    # The report is worth what its weakest part is worth.
    if reported := [kind for kind in record.KINDS if kind in drawn]:
        print("assembling the report of all that was drawn", flush=True)
        print(f"report: {_shown(report(reported[-1], {*failed}))}")
    return 1 if failed else 0


def _run_all(chosen, planned):
    """Run each notebook, cheap ones first; at quick scale two at a time, since half of that is the start of kernels.

    Returns what the outputs of each are worth, and the errors of those that failed, by name.
    """
    scales = {name: parameters["scale"] for name, parameters in planned.items()}
    quick = set(scales.values()) == {"quick"}
    at_once = min(QUICK_AT_ONCE, planned[next(iter(planned))]["workers"]) if quick else 1
    progress = Progress(scales, at_once)
    every = list(scales.values())
    split = ", ".join(f"{every.count(scale)} at {scale} scale" for scale in dict.fromkeys(every))
    print(f"running {len(planned)} notebooks ({split}): {progress.intention()}", flush=True)
    kinds, failed = [], {}
    with ThreadPoolExecutor(at_once) as pool:
        waiting = {
            pool.submit(_timed, chosen[name], planned[name]): name for name in progress.order()
        }
        try:
            while waiting:
                done, _ = wait(waiting, timeout=1, return_when=FIRST_COMPLETED)
                for future in done:
                    name, (kind, seconds) = waiting.pop(future), future.result()
                    took = f"[{seconds:.1f} s]"
                    if isinstance(kind, NotebookError):
                        failed[name] = str(kind)
                        progress.end(name, None, f"FAILED {kind} {took}")
                    else:
                        kinds.append(kind)
                        where = _shown(record.folder(kind, name.split("/")[0]))
                        line = f"{name}: {kind}, {scales[name]} scale {took}, in {where}/"
                        progress.end(name, seconds, line)
                for future, name in waiting.items():
                    if future.running():
                        progress.start(name)
                progress.tick()
        except KeyboardInterrupt:
            pool.shutdown(wait=False, cancel_futures=True)
            notebook.stop_all()
            raise
        finally:
            progress.bar.close()
    return kinds, failed


def _timed(path, parameters):
    """What the outputs of a notebook are worth, or its error, and seconds, with the start of its kernel."""
    started = time.perf_counter()
    try:
        kind = notebook.execute(path, parameters)
    except NotebookError as error:
        kind = error
    return kind, time.perf_counter() - started


def _shown(path):
    """A path as seen from here where that is shorter."""
    path = Path(path)
    return path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path
