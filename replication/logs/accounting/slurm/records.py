"""The records of ``sacct``'s output one at a time: columns by name, lines that are no jobs counted."""

from functools import partial

from replication.logs import files
from replication.logs.accounting import conversion
from replication.logs.accounting.conversion import WORDS, Account, Run
from replication.logs.accounting.slurm import fields

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


class Reader(Account):
    """Goes through the lines of a file, gzipped or not, and counts what it leaves out; what is `told` is as of
    `Account`.
    """

    def __init__(self, path, clock, partitions=None, cluster=None, **told):
        super().__init__(files.called(path), SlurmError, **told)
        self._from, self.clock = path, clock
        self.cluster, self.partitions = cluster, set(partitions or ())
        self.clusters, self.seen = set(), set()  # names of clusters and of partitions

    def jobs(self):
        """Every record that is a job which ended."""
        columns = None
        for number, line in files.lines(self._from, SlurmError):
            parts = line.split("|")
            if columns is None:
                # With --parsable every line ends with a bar, with --parsable2 none does.
                self.closed = len(parts) > 1 and parts[-1] == ""
                columns = self._cut(parts)
                self._find(columns)
            elif self._cut(parts) != columns:
                self.records += 1
                row = self._row(self._cut(parts), columns)
                job = row and self._job(partial(self._value, row, number), number)
                if job:
                    yield job
        if columns is None:
            raise SlurmError(f"{self.path}: an empty file; allowed: the output of {ASK}")

    def _cut(self, parts):
        """The fields of a line, without what stands behind a last bar."""
        return parts[:-1] if self.closed and parts[-1] == "" else parts

    def _find(self, columns):
        """Where each meaning stands."""
        at = {name.strip().casefold(): place for place, name in enumerate(columns)}
        self.at = {
            what: next((at[name] for name in names if name in at), None)
            for what, names in MEANING.items()
        }
        self.free = [at[name] for name in FREE_TEXT if name in at]
        missing = [
            names
            for names, any_of in NEEDED.items()
            if all(self.at[what] is None for what in any_of)
        ]
        if missing:
            words = columns[0].casefold().split() if len(columns) == 1 else ()
            found = f"no column {missing[0]}"
            if {"jobid", "jobidraw"} & {*words} and len(words) > 1:
                found = "columns are separated by blanks (use --parsable2)"
            raise SlurmError(
                f"{self.path}, line 1: {found} in {files.shown('|'.join(columns))}; "
                f"allowed: the output of {ASK}"
            )

    def _row(self, parts, columns):
        """The fields of a line, or None where there are too few or too many to tell them apart."""
        surplus = len(parts) - len(columns)
        if surplus > 0 and len(self.free) == 1:
            # sacct writes the separator inside a name as it is, and only one column can have one.
            here = self.free[0]
            self.remarks["the separator stood in a name"] += 1
            end = here + surplus + 1
            return [*parts[:here], "|".join(parts[here:end]), *parts[end:]]
        if surplus:
            self.left_out["with more or fewer fields than the header, not to be told apart"] += 1
            return None
        return parts

    def _value(self, row, line, what, read=str):
        """What stands in a row, by its meaning; errors name file, line, column and value."""
        place = self.at[what]
        text = "" if place is None else row[place].strip()
        try:
            return read(text)
        except fields.FieldError as error:
            raise SlurmError(
                f"{self.path}, line {line}, {MEANING[what][0]}: {files.shown(text)}; {error}"
            ) from None

    def _job(self, get, line):
        """The job of a row, whose values `get` gives, or None where it is left out."""
        reason = self._elsewhere(get)
        if not reason:
            status, state = get("state", fields.state) if get("state") else (-1, "")
            submit, start, end = (
                get(what, self.clock.seconds) for what in ("submit", "start", "end")
            )
            run_time = _run_time(get, start, end)
            reason = self._unusable(status, submit, start, end, run_time)
        if reason:
            self.left_out[reason] += 1
            return None
        allocated, requested, nodes = self._sizes(get)
        job = Run(
            submit=submit,
            start=_or_unknown(start),
            run_time=run_time,
            allocated=allocated,
            requested=requested,
            limit=_or_unknown(_limit(get)),
            status=status,
            queue=get("partition"),
            suspended=get("suspended", fields.duration) or 0,
            eligible=_or_unknown(get("eligible", self.clock.seconds)),
            state=state,
            nodes=nodes,
            **{what: get(what) for what in ("id", "shown", "user", "group", "name")},
        )
        return conversion.within_limits(job, f"{self.path}, line {line}", SlurmError)

    def _elsewhere(self, get):
        """Why a record is no job of this machine; empty where it is one."""
        if "." in get("id") or "." in get("shown"):
            return "job steps"
        self.clusters.add(get("cluster"))
        if self.cluster and get("cluster") != self.cluster:
            return "of another cluster"
        partitions = set(get("partition").split(","))
        self.seen |= partitions
        if self.partitions and not self.partitions & partitions:
            return "of another partition"
        return ""

    def _unusable(self, status, submit, start, end, run_time):
        """Why a job is left out; empty where it is kept."""
        if submit is None:
            return "no time of submission"
        if status is None or (self.at["end"] is not None and end is None):
            state = "waiting" if start is None else "not ended"
            return f"{state} when the log was taken"
        return "no run time" if run_time is None else ""

    def _sizes(self, get):
        """Processors allocated and requested, -1 where unknown, and the names of the nodes."""
        names = get("node_list", fields.nodes)
        allocated = get("allocated", fields.count) or get("allocated_tres", fields.tres_processors)
        requested = get("requested", fields.count) or get("requested_tres", fields.tres_processors)
        if not allocated and not requested:
            held = get("nodes", fields.count) or fields.held(names)
            self.sized_by_nodes += held > 0
            allocated = held * self.per_node
        return allocated or -1, requested or -1, names


def _run_time(get, start, end):
    """Seconds that a job ran, without suspensions; 0 where it never started, None where unknown."""
    elapsed = get("elapsed_raw", fields.count)
    elapsed = get("elapsed", fields.duration) if elapsed is None else elapsed
    if elapsed is not None or end is None:
        return elapsed
    if start is None:
        return 0
    return max(0, end - start - (get("suspended", fields.duration) or 0))


def _or_unknown(seconds):
    return -1 if seconds is None else seconds


def _limit(get):
    """Seconds of the time limit; None where there is none."""
    raw = get("limit_raw", partial(fields.limit, minutes=True))
    return get("limit", fields.limit) if raw is None else raw
