"""Inputs of the tests, their conversion, and numbers of the result."""

from replication.simulator.logs import swf
from replication_cluster import slurm, tables, torque

KEY = b"a key of the tests only"
T = 1_770_019_200  # 2 February 2026, 08:00 UTC
B = "2026-02-02T08:"


def map_of(**columns):
    """Return a map of fields to columns."""
    fields = (f'{field} = {{ column = "{name}" }}\n' for field, name in columns.items())
    return 'title = "t"\n[fields]\n' + "".join(fields)


MAP = map_of(submit="submit", start="start", end="end", allocated_processors="n")
LIMITED = MAP + 'requested_time = { column = "limit" }\n'
HEAD = "submit,start,end,n,limit\n"
NAMED = "JobID User JobName State Submit Start End AllocCPUS TimelimitRaw".split()


def job(number, second=0, **changes):
    """Return a job of 600 s on 8 processors that waited 10 s."""
    return {
        "JobID": number,
        "User": "u1",
        "Account": "ac",
        "JobName": "job",
        "Partition": "main",
        "State": "COMPLETED",
        "Submit": f"{B}00:{second:02}",
        "Eligible": f"{B}00:{second:02}",
        "Start": f"{B}00:{second + 10:02}",
        "End": f"{B}10:{second + 10:02}",
        "Elapsed": "00:10:00",
        "ReqCPUS": 8,
        "AllocCPUS": 8,
        "AllocTRES": "billing=8,cpu=8,mem=4G,node=1",
        "TimelimitRaw": 60,
        **dict.fromkeys(("Comment", "Constraints", "SubmitLine"), ""),
        "WorkDir": "/scratch/u1",
    } | changes


def sacct(rows, columns=NAMED, by="|"):
    lines = [columns, *([str(row[name]) for name in columns] for row in rows)]
    return "".join(by.join(line) + "\n" for line in lines)


def run(number, second=0, request="Resource_List.select=1:ncpus=8", hosts="n1/0*8", name="job"):
    """Return an end record of PBS of a job of 600 s that waited 30 s."""
    start = T + second + 30
    return (
        f"02/02/2026 08:10:30;E;{number}.srv;user=u1 group=g jobname={name} queue=q "
        f"ctime={T + second} qtime={T + second} etime={T + second} start={start} "
        f"{f'exec_host={hosts} ' if hosts else ''}{request} Resource_List.walltime=01:00:00 "
        f"session=1 end={start + 600} Exit_status=0\n"
    )


def row(second=0, size="4", limit="3600"):
    """Return a row of a table: a job of 100 s that waited 10 s."""
    return f"{T + second},{T + second + 10},{T + second + 110},{size},{limit}\n"


class Reader:
    """Writes texts to files and converts them."""

    def __init__(self, folder):
        self.folder = folder

    def files(self, texts):
        for k, text in enumerate(texts):
            (self.folder / f"file{k}").write_text(text)
            yield self.folder / f"file{k}"

    def sacct(self, *texts, **options):
        return self.checked(slurm.convert([*self.files(texts)], key=KEY, **options))

    def pbs(self, *texts, **options):
        return self.checked(torque.convert([*self.files(texts)], key=KEY, **options))

    def table(self, *texts, by=LIMITED, **options):
        (self.folder / "map.toml").write_text(by)
        paths = [*self.files(texts)]
        return self.checked(tables.convert(paths, self.folder / "map.toml", **options))

    def checked(self, done):
        assert adds_up(done)
        self.written = self.folder / "out.swf"
        swf.write(self.written, done.log)
        return done


def facts(done):
    return done.jobs[["wait", "run_time", "allocated_processors"]].to_numpy().tolist()


def adds_up(done):
    """Return whether every record is a job, left out by a rule, or bad."""
    return done.records == len(done.jobs) + sum(n for _, n in done.left_out + done.bad)


def count(pairs, prefix):
    """Return the number of the one remark or rule that begins with some words."""
    (number,) = [number for what, number in pairs if what.startswith(prefix)]
    return number


def total(pairs, text):
    """Return the sum over the remarks or rules that have some words; 0 if none has."""
    return sum(number for what, number in pairs if text in what)
