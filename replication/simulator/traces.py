"""The archive's logs that the papers use: a registry, and the way from a name to the jobs.

A log is looked for in the folders of ``REPLICATION_TRACES``, then in ``data/traces``. `fetch` downloads it from the
archive, unless ``REPLICATION_OFFLINE=1`` forbids to use the network. The registry, ``data/traces.toml``, has the facts
of each log and the rules by which each paper makes jobs of it.
"""

import hashlib
import os
from dataclasses import asdict, dataclass
from pathlib import Path

from replication.simulator import paths, swf
from replication.simulator.choices import among, did_you_mean
from replication.simulator.cleaning import DEFAULT_DROP, USED, workload
from replication.simulator.paths import toml
from replication.simulator.synthetic import synthetic as generate
from replication.simulator.workload import Workload

REGISTRY = toml(paths.DATA / "traces.toml")
OFFLINE = "REPLICATION_OFFLINE"
TIMEOUT = 15  # s, without an answer


class TraceError(ValueError):
    """A log that is unknown or unavailable; the message lists the alternatives."""


class Missing(TraceError):
    """A registered log that is not on this machine."""


class DownloadError(TraceError):
    """A log that cannot be downloaded, or a download with another content than registered."""


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


def fetch(name, folder=None) -> Path:
    """Download a log from the archive, unless the folder (by default ``data/traces``) has it.

    Raises
    ------
    DownloadError
        If the network is switched off or fails, the folder cannot be written to, or the file has another content than
        the registry says; such a file is not kept.
    """
    log = info(name)
    target = Path(folder or paths.TRACES) / log.file
    if target.exists():
        check(target, log.sha256)
        return target
    if os.environ.get(OFFLINE, "0") not in ("", "0"):
        raise DownloadError(f"{name}: {OFFLINE} is set")
    import pooch  # a fifth of a second, which only downloads need

    try:
        # The registry has the hash of the decompressed content, since an archive may compress a file again.
        pooch.retrieve(
            log.address,
            known_hash=None,
            fname=f".{log.file}.download",
            path=target.parent,
            downloader=pooch.HTTPDownloader(timeout=TIMEOUT),
        )
        download = target.parent / f".{log.file}.download"
    except (OSError, ValueError) as failure:
        raise DownloadError(f"{name}: {log.address}: {str(failure).splitlines()[0]}") from None
    try:
        check(download, log.sha256)
        os.replace(download, target)
    finally:
        download.unlink(missing_ok=True)
    return target


def check(path, sha256: str) -> None:
    """Raise DownloadError for a damaged file, or one whose decompressed content has another hash."""
    digest = hashlib.sha256(swf.read_bytes(path, DownloadError)).hexdigest()
    if digest != sha256:
        raise DownloadError(
            f"{path}: sha256 of the decompressed file is {digest}, expected {sha256}"
        )


def read(source, bad_lines="refuse", fields=swf.FIELDS) -> swf.Trace:
    """Read a log as it stands in its file: a registry name or a path to an SWF file.

    A pipe will do, and ``-`` is standard input. `Missing` for a registered log that is not here, TraceError for a name
    that is unknown or a file that is not there; see `replication.simulator.swf.read` for the others and other errors.
    """
    if _is_path(source):
        if str(source) != swf.STANDARD_INPUT and not Path(source).exists():
            raise TraceError(f"{source}: no such file")
        if Path(source).is_dir():
            raise TraceError(f"{source}: a folder; allowed: a file, so name the log in it")
        return swf.read(source, bad_lines=bad_lines, fields=fields)
    path = locate(source)
    if path is None:
        raise Missing(
            f"{source}: no {info(source).file} in {', '.join(map(str, paths.trace_folders()))}. Give the path of an SWF "
            f"file, download it (replication.simulator.traces.fetch({source!r}), or `replication logs fetch {source}`), "
            f"or load({source!r}, synthetic=True) for synthetic jobs, which prove nothing about the log"
        )
    return swf.read(path, info(source).sha256, bad_lines, fields=fields)


def load(
    source,
    paper=None,
    synthetic=False,
    machine=None,
    size=None,
    overrun=None,
    drop=None,
    bad_lines="refuse",
) -> Workload:
    """Load the jobs of a log, ready to be simulated.

    Parameters
    ----------
    source : str or Path or replication.simulator.swf.Trace
        A registry name, a path to an SWF file, or a log that was read from one.
    paper : str, optional
        Whose rules to use; by default those of `replication.simulator.cleaning.workload` and the log's own machine.
    synthetic : bool
        Synthetic jobs (`like`) in place of the log's.
    machine, size, overrun, drop : optional
        Rules to use instead, see `replication.simulator.cleaning.workload`. Only `machine` concerns synthetic jobs.
    bad_lines : {"refuse", "skip"}
        Lines that cannot be jobs are an error, or are left out and counted in the workload's `cleaning` and
        `provenance`.

    Returns
    -------
    replication.simulator.workload.Workload

    Raises
    ------
    Missing
        For a registered log that is not on this machine; the message lists the three ways out.
    TraceError, replication.simulator.cleaning.CleaningError, replication.simulator.swf.SWFError
        For names, rules or files that cannot be used.
    """
    given = {"machine": machine, "size": size, "overrun": overrun, "drop": drop}
    given = {name: value for name, value in given.items() if value is not None}
    trace = source if isinstance(source, swf.Trace) else None
    if trace is not None or _is_path(source):
        if paper is not None or synthetic:
            raise TraceError(
                f"{trace.path if trace else source}: a paper's rules and synthetic jobs are only for {', '.join(names())}"
            )
        trace = trace or read(source, bad_lines, USED)
        return workload(trace, draw_key=draw_key(trace.sha256), **given)
    chosen = asdict(rules(source, paper)) | given
    if synthetic:
        return like(source, chosen["machine"])
    jobs = workload(read(source, bad_lines, USED), name=source, draw_key=source, **chosen)
    return jobs.replace(provenance=jobs.provenance | {"paper": paper})


def like(name, machine=None) -> Workload:
    """Return as many synthetic jobs as a registered log has, for its machine or another."""
    log = info(name)
    return generate(log.jobs, machine or log.processors, name=name)


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
        or text == swf.STANDARD_INPUT
        or text.endswith((".swf", ".gz", ".txt"))
        or Path(text).exists()
    )
