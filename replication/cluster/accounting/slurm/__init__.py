"""From ``sacct --parsable2`` to a trace; what is decided, and counted, stands in docs/formats.md.

Columns are found by their names, in any order and number. Needed are JobIDRaw or JobID, Submit, a run time (ElapsedRaw,
Elapsed, or Start and End) and a size (AllocCPUS or NCPUS, AllocTRES, ReqCPUS, ReqTRES, or nodes).

Source: sacct(1) of Slurm 2.6 to 25.11.
"""

from functools import partial
from pathlib import Path

import numpy as np
import pandas as pd

from replication.cluster.accounting import conversion
from replication.cluster.accounting.conversion import WORDS, Account, ends
from replication.cluster.accounting.slurm import fields
from replication.simulator import files

PATIENCE = 60  # s; Slurm looks at a new job within a minute
MEANING, FREE_TEXT, ASK = (WORDS["slurm"][name] for name in ("columns", "free_text", "ask"))
#: What a log must have: in words, and the columns of which one will do.
NEEDED = {
    "JobIDRaw or JobID": ("id",),
    "Submit": ("submit",),
    "ElapsedRaw, Elapsed, or Start and End": ("elapsed_raw", "elapsed", "end"),
    "AllocCPUS, NCPUS, AllocTRES, ReqCPUS, ReqTRES, AllocNodes, NNodes or NodeList": (
        *("allocated", "allocated_tres", "requested", "requested_tres", "nodes", "node_list"),
    ),
}


class SlurmError(ValueError):
    """Output of sacct that cannot be used: names file, line, column, value and what is allowed."""


def convert(
    path, zone=None, processors=None, per_node=None, partitions=None, cluster=None, key=None
):
    """Read a file that sacct wrote, gzipped or not; ``-`` is standard input. Gives a
    `replication.cluster.accounting.conversion.Conversion`.

    `zone` is the cluster's, such as ``Europe/Berlin``; without it times are taken as they stand,
    and an hour may be too many or too few where clocks were changed. `processors` is the size of
    the machine, by default the most that were in use at once, and `per_node` that of a node, for a
    log that has only nodes. Only jobs of some `partitions` are taken, or of one `cluster`, which is
    needed where the log has several. `key` is that of the names' numbers, see
    `replication.cluster.accounting.anonymous`; by default drawn and not kept.

    SlurmError for a file that is not sacct's output, a value that sacct does not write, or no job
    that ended.
    """
    told = {"zone": zone, "processors": processors, "per_node": per_node, "key": key}
    reader = Reader(files.called(path), SlurmError, **told)
    if zone is not None and conversion.zone(zone) is None:
        raise SlurmError(f"time zone {zone!r} unknown, allowed: names such as Europe/Berlin or UTC")
    texts = reader.chosen(reader.texts(path), partitions, cluster)
    every = reader.checked(reader.sized(reader.ended(texts)), "ended")
    # The last record of every job and submission, in the order of the file.
    jobs = every.groupby(["id", "submit"], sort=False, as_index=False).last()
    reader.left_out["earlier records of a run that has a later one"] += len(every) - len(jobs)
    jobs = _tied(jobs, reader).sort_values(["submit", "number"])
    reader.remark(jobs)
    nodes = fields.held(block for blocks in {*jobs["nodes"]} for block in blocks)
    how = {"nodes": nodes, "assumed": reader.assumed(jobs), "machines": _machines(jobs)}
    return reader.conversion(jobs, Path(reader.path).name, "Slurm", "output of sacct", **how)


def _machines(jobs):
    """Partitions by machine; none where a job that ran has no list of nodes or no partition."""
    ran = jobs[(jobs["start"] >= 0) & (jobs["run_time"] > 0)]
    pairs = {*zip(ran["nodes"], ran["queue"])}
    if not all(nodes and queue for nodes, queue in pairs):
        return ()
    of = {queue: {queue} for _, queue in pairs}
    held = sorted({(*block, queue) for nodes, queue in pairs for block in nodes})
    before, reached, owner = None, 0, None
    for pattern, first, last, queue in held:
        if pattern == before and first <= reached:
            together = of[owner] | of[queue]
            of |= dict.fromkeys(together, together)
        else:
            before, reached = pattern, first
        reached, owner = max(reached, last), queue
    return tuple(sorted({tuple(sorted(names)) for names in of.values()}))


def _tied(jobs, reader):
    """The jobs with a number of their own each, and the runs of requeued jobs tied together."""
    jobs = jobs.sort_values("submit", kind="stable")
    jobs = jobs.iloc[np.argsort(pd.factorize(jobs["id"])[0], kind="stable")]
    again = jobs["id"] == jobs["id"].shift()
    # None for what cannot stand in the log, and for the earlier runs of a job.
    known = pd.to_numeric(jobs["id"].where(jobs["id"].str.fullmatch("[0-9]{1,15}")))
    own = known.where(~again.shift(-1, fill_value=False))
    following = known.max() if known.notna().any() else 0
    jobs["number"] = own.fillna(following + own.isna().cumsum())
    before = jobs.assign(end=ends(jobs)).shift()
    other = again & ((before["state"] == "COMPLETED") | (before["user"] != jobs["user"]))
    for what, which in {
        "numbers used again for another job": other,
        "further runs of requeued or resized jobs, each a job of its own": again & ~other,
    }.items():
        reader.remarks[what] += int(which.sum())
    tied = again & ~other
    since = (jobs["submit"] - before["end"]).clip(lower=0)
    jobs["preceding"] = before["number"].where(tied, -1)
    jobs["think_time"] = since.where(tied & (before["start"] >= 0), -1)
    return jobs


class Reader(Account):
    """Goes through a file, and counts what it leaves out."""

    columns, local, twice = frozenset(), False, 0

    def texts(self, path):
        """What stands in each record that is no job step, by its meaning and place; empty where there is no such
        column.
        """
        records = self._records(path)
        self.columns = next(records, None)
        if self.columns is None:
            raise SlurmError(f"{self.path}: an empty file; allowed: the output of {ASK}")
        return super().texts(records, self.columns).reindex(columns=[*MEANING], fill_value="")

    def _records(self, path):
        """The meanings that there are, and then each record that is no job step: its place, and its fields in that order."""
        columns = None
        for number, line in files.lines(path, SlurmError):
            parts = line.split("|")
            if columns is None:
                # With --parsable every line ends with a bar, with --parsable2 none does.
                closed = len(parts) > 1 and parts[-1] == ""
                columns = parts[:-1] if closed else parts
                at, free = self._found(columns)
                yield at.keys()
                continue
            parts = parts[:-1] if closed and parts[-1] == "" else parts
            if parts == columns:
                continue
            self.records += 1
            surplus = len(parts) - len(columns)
            if surplus > 0 and len(free) == 1:
                # sacct writes the separator inside a name as it is, and only one column can have one.
                end = free[0] + surplus + 1
                parts = [*parts[: free[0]], "|".join(parts[free[0] : end]), *parts[end:]]
                self.remarks["the separator stood in a name"] += 1
            elif surplus:
                why = "with more or fewer fields than the header, not to be told apart"
                self.left_out[why] += 1
                continue
            if any("." in parts[at[name]] for name in ("id", "shown") if name in at):
                self.left_out["job steps"] += 1
                continue
            yield f"{self.path}, line {number}", *(parts[k].strip() for k in at.values())

    def _found(self, columns):
        """Where each meaning stands that there is, and where free text."""
        known = {name.strip().casefold(): place for place, name in enumerate(columns)}
        at = {
            what: next(known[name] for name in names if name in known)
            for what, names in MEANING.items()
            if known.keys() & {*names}
        }
        missing = [names for names, any_of in NEEDED.items() if not at.keys() & {*any_of}]
        if missing:
            words = columns[0].casefold().split() if len(columns) == 1 else ()
            found = f"no column {missing[0]}"
            if {"jobid", "jobidraw"} & {*words} and len(words) > 1:
                found = "columns are separated by blanks (use --parsable2)"
            raise SlurmError(
                f"{self.path}, line 1: {found} in {files.shown('|'.join(columns))}; "
                f"allowed: the output of {ASK}"
            )
        return at, [known[name] for name in FREE_TEXT if name in known]

    def chosen(self, texts, partitions, cluster):
        """The records of one cluster, and of some partitions."""
        named = sorted({*texts["cluster"]} - {""})
        if cluster is None and len(named) > 1:
            raise SlurmError(
                f"{self.path}, cluster: {', '.join(named)}; allowed: one, so choose it with --cluster"
            )
        if cluster:
            texts = self.leave(texts, texts["cluster"] != cluster, "of another cluster")
        if not partitions:
            return texts
        several = {names: {*names.split(",")} for names in {*texts["partition"]}}
        seen = set().union(*several.values())
        if unknown := sorted({*partitions} - seen):
            raise SlurmError(
                f"{self.path}, partition: {', '.join(map(repr, unknown))} not there; "
                f"allowed: {', '.join(sorted(seen - {''})) or 'none is named'}"
            )
        taken = [names for names, each in several.items() if each & {*partitions}]
        return self.leave(texts, ~texts["partition"].isin(taken), "of another partition")

    def ended(self, texts):
        """The records of jobs that had ended, with state, status, times and run time; nan where unknown."""
        times = {what: self._times(texts, what) for what in ("submit", "start", "end")}
        jobs = texts.assign(
            state=self._read(texts, "state", fields.state),
            suspended=np.nan_to_num(self._numbers(texts, "suspended", fields.duration)),
            queue=texts["partition"],
            **times,
        )
        jobs["status"] = jobs["state"].map(fields.STATES)
        between = (jobs["end"] - jobs["start"] - jobs["suspended"]).clip(lower=0)
        between = between.mask(jobs["start"].isna() & jobs["end"].notna(), 0)
        elapsed = self._numbers(texts, "elapsed_raw", fields.count)
        elapsed = np.where(
            np.isnan(elapsed), self._numbers(texts, "elapsed", fields.duration), elapsed
        )
        jobs["run_time"] = np.where(np.isnan(elapsed), between, elapsed)
        jobs = self.leave(jobs, jobs["submit"].isna(), "no time of submission")
        unfinished = jobs["status"].isna() | (jobs["end"].isna() & ("end" in self.columns))
        waiting = unfinished & jobs["start"].isna()
        jobs = self.leave(jobs, waiting, "waiting when the log was taken")
        jobs = self.leave(jobs, unfinished[~waiting], "not ended when the log was taken")
        return self.leave(jobs, jobs["run_time"].isna(), "no run time")

    def sized(self, jobs):
        """The jobs with their sizes, nodes, limit and when they could start; -1 where unknown."""
        allocated, allocated_tres, requested, requested_tres = (
            np.nan_to_num(self._numbers(jobs, what, read))
            for what, read in (
                ("allocated", fields.count),
                ("allocated_tres", fields.tres_processors),
                ("requested", fields.count),
                ("requested_tres", fields.tres_processors),
            )
        )
        allocated = np.where(allocated > 0, allocated, allocated_tres)
        requested = np.where(requested > 0, requested, requested_tres)
        nodes = self._read(jobs, "node_list", fields.nodes)
        alone = (allocated == 0) & (requested == 0)
        held = np.nan_to_num(self._numbers(jobs[alone], "nodes", fields.count))
        held = np.where(held > 0, held, [fields.held(blocks) for blocks in nodes[alone]])
        self.sized_by_nodes += int(np.count_nonzero(held))
        allocated[alone] = held * self.per_node
        raw = self._numbers(jobs, "limit_raw", partial(fields.limit, minutes=True))
        limit = np.where(np.isnan(raw), self._numbers(jobs, "limit", fields.limit), raw)
        jobs = jobs.assign(
            allocated=np.where(allocated > 0, allocated, -1),
            requested=np.where(requested > 0, requested, -1),
            limit=limit,
            eligible=self._times(jobs, "eligible"),
            nodes=pd.Series([*nodes], jobs.index, object),
        )
        return jobs.fillna(dict.fromkeys(("start", "end", "limit", "eligible"), -1))

    def remark(self, jobs):
        """Count what is unusual about jobs that are kept."""
        limits = bool({"limit", "limit_raw"} & self.columns)
        unusual = {
            "tasks of job arrays, each a job of its own": jobs["shown"].str.contains("_"),
            "parts of heterogeneous jobs, each a job of its own": (
                jobs["shown"].str.contains("+", regex=False)
            ),
            "ended without having started": (jobs["run_time"] == 0) & (jobs["start"] < 0),
            "suspended for a time, which is not part of the run time": jobs["suspended"] > 0,
            "without a time limit (UNLIMITED, Partition_Limit), so without estimate": (
                (jobs["limit"] < 0) & limits
            ),
            "given more processors than asked for": (
                (jobs["allocated"] > jobs["requested"]) & (jobs["requested"] > 0)
            ),
            f"could start only {PATIENCE} s or more after submission (dependency, begin time, hold)": (
                jobs["eligible"] >= jobs["submit"] + PATIENCE
            ),
        }
        super().remark(jobs, unusual)
        self.remarks["times in an hour that came twice, taken as the first"] += self.twice

    def assumed(self, jobs):
        """What sacct's output does not say besides, a sentence each."""
        if self.zone is None and self.local:
            yield (
                "Times are taken as they stand: no time zone was given, so a change of clocks "
                "is not undone."
            )
        if (jobs["limit"] < 0).all():
            yield "No job has a time limit, so there are no estimates."

    def _read(self, texts, what, read):
        return self.read(texts[what], MEANING[what][0], read)

    def _numbers(self, texts, what, read):
        """Numbers, float64[n]; nan where there is none."""
        return self._read(texts, what, read).astype(np.float64)

    def _times(self, texts, what):
        """Unix times, float64[n], s; nan where there is none (Unknown, None, empty)."""
        texts, name = texts[what], MEANING[what][0]
        none = texts.isin(fields.NEVER).to_numpy()
        whole = texts.str.fullmatch("[0-9]{1,11}").to_numpy(bool)
        dates = texts.where(~none & ~whole)
        found, local, twice = conversion.moments(dates, self.zone or "UTC")
        self.local |= bool(local.any())
        self.twice += int(twice.sum())
        found = np.where(whole, pd.to_numeric(texts.where(whole)), found)
        allowed = (
            "allowed: YYYY-MM-DDTHH:MM:SS with or without an offset, seconds since 1970, Unknown"
        )
        allowed += " (run sacct without SLURM_TIME_FORMAT)"
        self.refuse(texts, ~none & np.isnan(found), name, allowed)
        self.refuse(texts, found < 0, name, "allowed: a date after 1970")
        return found
