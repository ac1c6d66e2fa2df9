"""The archive's logs that the papers use: a registry, and the way from a name to the jobs.

A log is looked for in the folders of ``REPLICATION_TRACES``, then in ``data/traces``, then fetched from the
archive. Where none of that works a generated stand-in takes its place, which is said once on standard error.
``REPLICATION_OFFLINE=1`` keeps it from trying the network. What is known of each log, and how each paper
turns it into jobs, stands in ``data/traces.toml``.
"""

import os
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from replication.simulator import archive, files, paths, standins, swf
from replication.simulator.cleaning import DEFAULT_DROP, USED, workload
from replication.simulator.data import toml
from replication.simulator.hints import among, did_you_mean

REGISTRY = toml(paths.DATA / "traces.toml")

_unreachable = None  # why the last attempt to fetch failed; not tried again in this process
_told = False


class TraceError(ValueError):
    """A log that is not known, or not to be had; the message lists what is."""


@dataclass(frozen=True)
class TraceInfo:
    """What the registry knows of a log: where its file is fetched from, the hash of it
    decompressed, how many of its lines are jobs, the header's ``MaxProcs``, the people whom the
    header names and what else it asks for, and the papers that use it.
    """

    name: str
    title: str
    file: str
    address: str
    sha256: str
    jobs: int
    processors: int
    acknowledge: tuple
    papers: tuple
    asks: str = ""


@dataclass(frozen=True)
class Rules:
    """How jobs are made from a log; see `replication.simulator.cleaning.workload`."""

    machine: int
    size: str = "requested"
    overrun: str = "raise-estimate"
    drop: tuple = DEFAULT_DROP


def names(paper=None):
    """Names of all logs, or of those a paper uses, in its order."""
    return list(REGISTRY["log"] if paper is None else _paper(paper)["logs"])


def papers():
    """Names of the papers that have rules."""
    return list(REGISTRY["paper"])


def info(name):
    """What is known of a log; TraceError for a name that is not among `names`."""
    if name not in names():
        hint = did_you_mean(name, names(), cutoff=0.5)
        raise TraceError(
            f"log {name!r} is not known{hint}; allowed: {', '.join(names())}, "
            "or a path to an SWF file"
        )
    known = REGISTRY["log"][name]
    return TraceInfo(
        name=name,
        address=REGISTRY["archive"]["address"] + known["file"],
        papers=tuple(paper for paper in papers() if name in _paper(paper)["logs"]),
        **known | {"file": Path(known["file"]).name, "acknowledge": tuple(known["acknowledge"])},
    )


def rules(name, paper=None):
    """How a paper makes jobs from a log; without a paper the default rules and the log's own
    machine.
    """
    log = info(name)
    if paper is None:
        return Rules(log.processors)
    known = _paper(paper)
    own = known["logs"][among(known["logs"], f"{paper} does not use", name, TraceError)]
    return Rules(own["processors"], known["size"], known["overrun"], tuple(known["drop"]))


def label(name, paper):
    """What a paper calls a log; the log's own name where the paper does not have it."""
    return _paper(paper)["logs"].get(name, {}).get("label", name)


def acknowledgements():
    """The archive's name and the people to thank for it."""
    known = REGISTRY["archive"]
    return known["name"], tuple(known["acknowledge"])


def _paper(paper):
    return REGISTRY["paper"][among(papers(), "no paper", paper, TraceError)]


def locate(name):
    """Where a log is on this machine, None where it is not; nothing is fetched."""
    file = info(name).file
    places = (
        folder / held
        for folder in paths.trace_folders()
        for held in (file, file.removesuffix(".gz"))
    )
    return next((place for place in places if place.is_file()), None)


def fetch(name, folder=None):
    """Fetch a log from the archive, unless the folder (by default ``data/traces``) has it; see
    `archive.fetch` for its errors.
    """
    log = info(name)
    target = Path(folder or paths.TRACES) / log.file
    archive.fetch(log.address, target, log.sha256)
    return target


def read(source, bad_lines="refuse", fields=swf.FIELDS):
    """A log as it stands in its file: a registry name, fetched if need be, or a path to an SWF
    file; a pipe will do, and ``-`` is standard input. TraceError for a name or file that is not
    there or not to be had; see `replication.simulator.swf.read` for the others and other errors.
    """
    if _is_path(source):
        if str(source) != files.STANDARD_INPUT and not Path(source).exists():
            raise TraceError(f"{source}: no such file")
        if Path(source).is_dir():
            raise TraceError(f"{source}: a folder; allowed: a file, so name the log in it")
        return swf.read(source, bad_lines=bad_lines, fields=fields)
    return swf.read(_path_of(source), info(source).sha256, bad_lines, fields=fields)


def load(
    source,
    paper=None,
    stand_in=None,
    machine=None,
    size=None,
    overrun=None,
    drop=None,
    bad_lines="refuse",
):
    """The jobs of a log, ready to be simulated.

    Parameters
    ----------
    source : str or Path or replication.simulator.swf.Trace
        A registry name, a path to an SWF file, or what was read from one.
    paper : str, optional
        Whose rules to use; by default those of `replication.simulator.cleaning.workload` and the log's own machine.
    stand_in : bool, optional
        True for the generated stand-in, False for an error where the log is not to be had; by default the
        stand-in only then.
    machine, size, overrun, drop : optional
        Rules to use instead, see `replication.simulator.cleaning.workload`. A stand-in has clean jobs to begin with:
        of these only `machine` touches it.
    bad_lines : {"refuse", "skip"}
        What becomes of lines that cannot be jobs: an error, or they are left out and counted in the workload's
        `cleaning` and `provenance`.

    Returns
    -------
    replication.simulator.workload.Workload

    Raises
    ------
    TraceError, replication.simulator.archive.ArchiveError, replication.simulator.cleaning.CleaningError, replication.simulator.swf.SWFError
        Where names, rules or files are not what they should be.
    """
    given = {"machine": machine, "size": size, "overrun": overrun, "drop": drop}
    given = {name: value for name, value in given.items() if value is not None}
    trace = source if isinstance(source, swf.Trace) else None
    if trace is not None or _is_path(source):
        if paper is not None or stand_in:
            raise TraceError(
                f"{trace.path if trace else source}: a paper's rules and stand-ins are only for {', '.join(names())}"
            )
        trace = trace or read(source, bad_lines, USED)
        return workload(trace, draw_key=draw_key(trace.sha256), **given)
    chosen = asdict(rules(source, paper)) | given
    if not stand_in:
        try:
            trace = read(source, bad_lines, USED)
            jobs = workload(trace, name=source, draw_key=source, **chosen)
            return jobs.replace(provenance=jobs.provenance | {"paper": paper})
        except archive.Unreachable as reason:
            if stand_in is False:
                raise TraceError(f"{source}: {reason}") from None
            _tell(source, reason)
    jobs = standins.make(source, paper=paper)
    return jobs if machine is None else jobs.replace(machine=machine)


def draw_key(sha256):
    """Return what random draws for a file are keyed by: the name it is registered by, else "".

    Results therefore do not depend on what a file is called.
    """
    return next((name for name, log in REGISTRY["log"].items() if log["sha256"] == sha256), "")


def _is_path(source):
    """Whether `source` means a file: no registry name, and it looks like a path or is one."""
    text = str(source)
    if text in names():
        return False
    return (
        isinstance(source, Path)
        or os.sep in text
        or text == files.STANDARD_INPUT
        or text.endswith((".swf", ".gz", ".txt"))
        or Path(text).exists()
    )


def _path_of(name):
    """The log's file, fetched if need be; a failure to fetch is remembered and not tried again."""
    global _unreachable
    found = locate(name)
    if found is not None:
        return found
    if _unreachable is None:
        try:
            return fetch(name)
        except (archive.Unreachable, OSError) as failure:
            _unreachable = str(failure)
    searched = ", ".join(map(str, paths.trace_folders()))
    raise archive.Unreachable(
        f"no {info(name).file} in {searched}, and not fetched: {_unreachable}"
    )


def _tell(name, reason):
    global _told
    if not _told:
        print(
            f"{name}: {reason}. Generated stand-ins take its place; they prove nothing.",
            file=sys.stderr,
        )
        _told = True
