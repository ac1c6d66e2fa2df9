"""The registry of job logs: find, download, read and clean them.

Logs are searched in the folders of ``REPLICATION_TRACES``, then in ``data/traces``. `fetch`
downloads them from the archive, unless ``REPLICATION_OFFLINE=1``. The registry, ``registry.toml``
in this folder, has the facts of each log; ``data/published/PAPER/logs.toml`` has the logs of a
paper and the rules by which it cleans them.
"""

import hashlib
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from replication.simulator import paths
from replication.simulator.choices import among, did_you_mean
from replication.simulator.drop_rules import DEFAULT_DROP, choose
from replication.simulator.errors import InputError
from replication.simulator.logs import swf
from replication.simulator.logs.cleaning import further_fields, workload
from replication.simulator.logs.synthetic import synthetic as generate
from replication.simulator.paths import toml
from replication.simulator.workload import Workload

REGISTRY = toml(Path(__file__).with_name("registry.toml"))
RULES = tuple("machine size overrun drop keep bad_lines times more smaller_machine".split())
OFFLINE = "REPLICATION_OFFLINE"
TIMEOUT = 15  # s, without an answer

#: Registered names, which editors complete.
LogName = Literal[
    "CTC-SP2",
    "KTH-SP2",
    "KTH-SP2-2",
    "SDSC-SP2",
    "SDSC-BLUE",
    "SDSC-DS",
    "CEA-Curie",
    "HPC2N",
    "LANL-CM5",
    "LLNL-Thunder",
    "LLNL-Atlas",
    "Sandia-Ross",
    "SDSC-Paragon",
    "RICC",
]


class TraceError(InputError):
    """A log that is unknown or unavailable; the message lists the alternatives."""


class Missing(TraceError):
    """A registered log that is not on this machine."""


class DownloadError(TraceError):
    """A log that cannot be downloaded, or a download with another content than registered."""


@dataclass(frozen=True)
class TraceInfo:
    """A registered log: its file and address, hash of the decompressed file,
    number of jobs, and header facts.

    `processors` is the header's ``MaxProcs``; `load` is the offered load of its jobs, a share;
    `acknowledge` and `asks` are people to acknowledge
    and further requests of the header; `papers` are the papers that use the log; `bad_lines` is the
    treatment of lines that cannot be jobs.
    """

    name: str
    title: str
    file: str
    address: str
    sha256: str
    jobs: int
    processors: int
    load: float
    acknowledge: tuple
    papers: tuple
    asks: str = ""
    bad_lines: str = "refuse"


@dataclass(frozen=True)
class Cleaning:
    """Cleaning rules of a log; see `replication.simulator.logs.cleaning.workload`."""

    machine: int
    size: str = "requested"
    overrun: str = "raise-estimate"
    drop: tuple = DEFAULT_DROP


def names(paper=None) -> list[str]:
    """Return the names of all logs, or of those that a paper uses in the paper's order.

    TraceError for an unknown paper.
    """
    return list(REGISTRY["log"] if paper is None else _paper(paper)["logs"])


def papers() -> list[str]:
    """Return the names of the papers that have rules, in the order of
    ``data/published/papers.toml``.
    """
    path = paths.PUBLISHED / "papers.toml"
    entries = toml(path) if path.exists() else ()
    return [name for name in entries if (paths.PUBLISHED / name / "logs.toml").exists()]


def info(name) -> TraceInfo:
    """Return the registry's facts about a log, `TraceInfo`; raise TraceError for unknown names."""
    if name not in names():
        hint = did_you_mean(name, names(), cutoff=0.5)
        raise TraceError(
            f"log {name!r} is not known{hint}; allowed: {', '.join(names())}, "
            "or a path to an SWF file"
        )
    entry = REGISTRY["log"][name]
    return TraceInfo(
        name=name,
        address=REGISTRY["archive"]["address"] + entry["file"],
        papers=tuple(paper for paper in papers() if name in _paper(paper)["logs"]),
        **entry | {"file": Path(entry["file"]).name, "acknowledge": tuple(entry["acknowledge"])},
    )


def cleaning_of(name, paper=None) -> Cleaning:
    """Return cleaning rules for a log.

    Parameters
    ----------
    name : str
        A name in the registry.
    paper : str, optional
        By default the general rules, for the machine in the log's header.

    Returns
    -------
    Cleaning

    Raises
    ------
    TraceError
        For an unknown log or paper, and for a log that the paper does not use.
    """
    log = info(name)
    if paper is None:
        return Cleaning(log.processors)
    rules = _paper(paper)
    log_rules = rules["logs"][among(rules["logs"], f"{paper} does not use", name, TraceError)]
    return Cleaning(log_rules["processors"], rules["size"], rules["overrun"], tuple(rules["drop"]))


def machines(name) -> dict[int, list[str]]:
    """Return the machines on which a log is simulated: that of its header, then others of papers;
    processors to the papers that use it. TraceError for an unknown name.
    """
    papers_of = {info(name).processors: []}
    for paper in info(name).papers:
        papers_of.setdefault(cleaning_of(name, paper).machine, []).append(paper)
    return papers_of


def _paper(paper):
    if not paths.PUBLISHED.is_dir():
        raise TraceError(f"paper {paper!r}: only a checkout has the papers' machines and rules")
    name = among(papers(), "no paper", paper, TraceError)
    return toml(paths.PUBLISHED / name / "logs.toml")


def locate(name) -> Path | None:
    """Return the path of a registered log, None if it is not on this machine;
    TraceError for an unknown name.
    """
    file = info(name).file
    places = (
        folder / variant
        for folder in paths.trace_folders()
        for variant in (file, file.removesuffix(".gz"))
    )
    return next((place for place in places if place.is_file()), None)


def file_of(source) -> str | Path:
    """Return the path of a registered log if it is on this machine, else `source` itself."""
    if source in names():
        return locate(source) or source
    return Path(source).expanduser()


def fetch(name) -> Path:
    """Download a log from the archive to ``data/traces``, unless it is there.

    Parameters
    ----------
    name : str
        A name in the registry.

    Returns
    -------
    pathlib.Path

    Raises
    ------
    DownloadError
        If the network is disabled or fails, the folder is not writable, or the content is not the
        registered one; such a download is deleted.
    TraceError
        For an unknown name.
    """
    log = info(name)
    target = Path(paths.TRACES) / log.file
    if target.exists():
        check(target, log.sha256)
        return target
    if os.environ.get(OFFLINE, "0") not in ("", "0"):
        raise DownloadError(f"{name}: {OFFLINE} is set")
    import pooch  # takes 0.2 s, and only downloads need it

    try:
        # The registry has the hash of the decompressed content, since an archive may compress a
        # file again.
        pooch.retrieve(
            log.address,
            known_hash=None,
            fname=f".{log.file}.download",
            path=target.parent,
            downloader=pooch.HTTPDownloader(timeout=TIMEOUT),
        )
        download = target.parent / f".{log.file}.download"
    except (OSError, ValueError) as failure:
        # Report only the reason of a connection error, since the message has the address of the
        # request.
        reason = getattr(next(iter(failure.args), None), "reason", failure)
        raise DownloadError(f"{name}: {log.address}: {str(reason).splitlines()[0]}") from None
    try:
        check(download, log.sha256)
        os.replace(download, target)
    finally:
        download.unlink(missing_ok=True)
    return target


def check(path, sha256: str) -> None:
    """Raise DownloadError for a damaged file, or decompressed content of another hash."""
    digest = hashlib.sha256(swf.read_bytes(path, DownloadError)).hexdigest()
    if digest != sha256:
        raise DownloadError(
            f"{path}: sha256 of the decompressed file is {digest}, expected {sha256}"
        )


def read(source, bad_lines=None, times=None) -> swf.Trace:
    """Read a log without cleaning it.

    Parameters
    ----------
    source : str or Path
        A registry name, or a path to an SWF file or a pipe; ``-`` is standard input.
    bad_lines : {"refuse", "skip"}, optional
        See `replication.simulator.logs.swf.read`, also for further errors. By default that of the
        registry, and "refuse" for a file.
    times : {"round"}, optional
        See `replication.simulator.logs.swf.read`.

    Raises
    ------
    Missing
        For a registered log that is not on this machine.
    TraceError
        For an unknown name or a file that does not exist.
    """
    if _is_path(source):
        path = Path(source).expanduser()
        if str(source) != swf.STANDARD_INPUT and not path.exists():
            where = "" if path.is_absolute() else f" in {Path.cwd()}"
            raise TraceError(f"{source}: no such file{where}")
        if path.is_dir():
            raise TraceError(f"{source}: a folder; expected a file")
        return swf.read(path, bad_lines=bad_lines or "refuse", times=times)
    path = locate(source)
    if path is None:
        raise Missing(
            f"{source}: no {info(source).file} in {', '.join(map(str, paths.trace_folders()))} "
            "(REPLICATION_TRACES names another folder). "
            "Give the path of an SWF file, download it "
            f"(replication.simulator.logs.registry.fetch({source!r}), or `replication logs fetch "
            f"{source}`), or load({source!r}, synthetic=True) for synthetic jobs, which prove "
            "nothing about the log"
        )
    log = info(source)
    return swf.read(path, log.sha256, bad_lines or log.bad_lines, times)


def load(
    source: LogName | str | Path | swf.Trace,
    paper: str | None = None,
    synthetic: bool = False,
    machine: int | None = None,
    size: Literal["requested", "allocated"] | None = None,
    overrun: Literal["raise-estimate", "cut-run", "as-is"] | None = None,
    drop: str | Sequence[str] | None = None,
    keep: str | Sequence[str] = (),
    bad_lines: Literal["refuse", "skip"] | None = None,
    times: Literal["round"] | None = None,
    more: str | Sequence[str] = (),
    smaller_machine: bool = False,
) -> Workload:
    """Load the jobs of a log as a workload.

    Parameters
    ----------
    source : str or Path or replication.simulator.logs.swf.Trace
        A registry name, a path to an SWF file, or a log read from one.
    paper : str, optional
        The paper whose rules apply; by default those of
        `replication.simulator.logs.cleaning.workload`, for the log's own machine.
    synthetic : bool
        Return synthetic jobs (`like`) instead of the log's.
    machine : int, processors, optional
        Size of the machine; by default that of the paper or of the header. A machine with fewer
        processors than the header names and the log's own starts had in use is an error.
    size : {"requested", "allocated"}, optional
        Column of the log that is the size of a job.
    overrun : {"raise-estimate", "cut-run", "as-is"}, optional
        Treatment of jobs that ran longer than their estimate.
    drop : str or sequence of str, optional
        Rules for jobs to leave out, added to the default ones or the paper's; an empty one leaves
        out no job. See `replication.simulator.logs.cleaning.workload`. Synthetic jobs use only
        `machine`.
    keep : str or sequence of str
        Default rules that do not apply: their jobs are simulated.
    bad_lines : {"refuse", "skip"}, optional
        Whether lines that cannot be jobs are an error, or are skipped and counted in the workload's
        `cleaning` and `provenance`. By default that of the registry, and "refuse" for a file.
    times : {"round"}, optional
        Round fractions of seconds and count them. By default they are an error.
    more : str or sequence of str
        Further fields of the log (`replication.simulator.logs.swf.Trace`), for the workload's
        `more`, such as ``["partition", "requested_memory"]``; -1 is unknown, as all are of
        synthetic jobs. A scheduler that uses wait, status, cpu_time or used_memory knows what
        happened after the submission.
    smaller_machine : bool
        Accept a machine smaller than what the log's jobs had in use at once.

    Returns
    -------
    replication.simulator.workload.Workload

    Raises
    ------
    Missing
        For a registered log that is not on this machine; the message lists the alternatives.
    TraceError, CleaningError, SWFError
        For unknown names and rules, and unusable files.
    """
    rules = {"machine": machine, "size": size, "overrun": overrun}
    rules = {name: value for name, value in rules.items() if value is not None}
    if not isinstance(source, str | Path | swf.Trace):
        raise TraceError(
            f"source is a {type(source).__name__}; allowed: a name, a path, or a Trace "
            "(jobs in columns become a workload by Workload.from_columns)"
        )
    trace = source if isinstance(source, swf.Trace) else None
    if trace is not None or _is_path(source):
        if paper is not None or synthetic:
            raise TraceError(
                f"{trace.path if trace else source}: a paper's rules and synthetic jobs are only "
                f"for {', '.join(names())}"
            )
        trace, chosen = trace or read(source, bad_lines, times), choose(drop, keep)
        key = draw_key(trace.sha256)
        return workload(
            trace, rules=chosen, draw_key=key, more=more, smaller_machine=smaller_machine, **rules
        )
    chosen = asdict(cleaning_of(source, paper))
    chosen |= {"rules": choose(drop, keep, chosen.pop("drop"))} | rules
    if synthetic:
        jobs = like(source, chosen["machine"])
        return jobs.replace(more=dict.fromkeys(further_fields(more), np.full(len(jobs), -1)))
    trace = read(source, bad_lines, times)
    accepted = smaller_machine or machine is None
    jobs = workload(
        trace, name=source, draw_key=source, more=more, smaller_machine=accepted, **chosen
    )
    return jobs.replace(provenance=jobs.provenance | {"paper": paper})


def file_and_rules(source: str | Path | Mapping) -> tuple[str | Path, dict]:
    """Return the name or file of an entry in a notebook's `logs`, and its arguments of `load`;
    with them ``missing``, which stands in for estimates.

    Raises
    ------
    TraceError
        For a mapping without ``file``, and for other names than those of the arguments.
    """
    if not isinstance(source, Mapping):
        return source, {}
    entry = {**source}
    for name in entry:
        among(("file", *RULES, "missing"), f"log {entry}: no rule", name, TraceError)
    if not isinstance(entry.get("file"), str | Path):
        raise TraceError(f"log {entry}: file {entry.get('file')!r}; expected a name or a path")
    return entry.pop("file"), entry


def like(name, machine=None) -> Workload:
    """Return as many synthetic jobs as a registered log has, for its machine or another."""
    log = info(name)
    return generate(log.jobs, machine or log.processors, name=name)


def draw_key(sha256) -> str:
    """Return the key of random draws for a file, whatever its name:
    the name of the registered log, else "".
    """
    return next((name for name, log in REGISTRY["log"].items() if log["sha256"] == sha256), "")


def _is_path(source):
    """Return whether `source` is a path: it has the form of one, or the file exists."""
    text = str(source)
    if text in names():
        return False
    return (
        isinstance(source, Path)
        or os.sep in text
        or text == swf.STANDARD_INPUT
        or text.endswith((".swf", ".gz", ".xz", ".bz2", ".txt"))
        or Path(text).exists()
    )
