"""What is attacked: for each target the inputs, and what must hold for each of them.

Nothing here asks only that there be no traceback. Jobs and what was left out are all lines, a plain reader finds
the same, a command ends with a code and one line, and each input has its time and its memory.
"""

import atexit
import contextlib
import dataclasses
import gzip
import io
import json
import resource
import shutil
import tempfile
import time
from collections import Counter
from pathlib import Path

from hypothesis import strategies as st

from replication.__main__ import main
from replication.cluster import tables
from replication.cluster.accounting import slurm, torque
from replication.cluster.accounting.slurm import SlurmError
from replication.cluster.accounting.torque import TorqueError
from replication.cluster.tables import TableError
from replication.simulator import kept, swf, text, writing
from replication.simulator.choices import ChoiceError
from replication.simulator.estimates import *  # noqa: F403, what a repr names
from replication.simulator.predictors import *  # noqa: F403
from replication.simulator.schedulers import *  # noqa: F403
from tests.fuzz import plain

SECONDS = 10  # of the processor, for one input
COMPILING = 200  # and where it may be the first that needs a kernel
GROWTH = 512 << 10  # KiB of memory over what was the most before
FOLDER = Path(tempfile.mkdtemp(prefix="replication-fuzz-"))
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)


@contextlib.contextmanager
def bounded(seconds=SECONDS):
    """One input, within its time and memory."""
    begun, most = time.process_time(), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    yield
    assert time.process_time() - begun < seconds
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - most < GROWTH


def refused(error, *kinds):
    """An error is one of ours and says what is wrong in a line that a terminal can show."""
    assert isinstance(error, kinds), repr(error)
    assert str(error).isprintable(), repr(str(error))
    assert len(str(error)) < 2000


def told(*words):
    """Exit code and output of a command, whose refusal is one line."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main([str(word) for word in words])
    if code > 128:
        raise KeyboardInterrupt  # it is the fuzzer that was ended, while the command took signals
    assert code in (0, 1, 2)
    said = err.getvalue()
    if code == 2 or (code == 1 and not out.getvalue()):
        *before, last = said.splitlines()  # a sweep goes on where a task is refused, and says so
        assert len(before) <= 1
        assert all(
            line.startswith("replication: refused, and the others go on: ") for line in before
        )
        assert last.startswith("replication: ")
        assert all(line.isprintable() and len(line) < 2000 for line in (*before, last))
    return code, out.getvalue(), said


# ---- bytes ----

changes = st.lists(
    st.tuples(
        st.sampled_from(["flip", "cut", "insert", "double", "drop"]),
        st.floats(0, 1, exclude_max=True),
        st.binary(max_size=6),
        st.integers(0, 7),
    ),
    max_size=3,
)


def changed(content, ways):
    """Some bytes after a disk, a wire or an editor had them."""
    for way, share, more, bit in ways:
        at = int(share * len(content))
        if way == "flip" and content:
            content = content[:at] + bytes([content[at] ^ 1 << bit]) + content[at + 1 :]
        elif way == "cut":
            content = content[:at]
        elif way == "insert":
            content = content[:at] + more + content[at:]
        elif way == "double":
            content = content[:at] + content[at // 2 :]
        elif way == "drop":
            content = content[:at] + content[at + 1 + bit :]
    return content


# ---- SWF ----

tricky = ["0", "-0", "-1", "007", "1.0", "-1.0", "3.14", "1e3", "nan", "-2", ".", "-", "4.", "1.00"]
tokens = (
    st.sampled_from(tricky)
    | st.integers(-2, 10**20).map(str)
    | st.floats(-2, 1e20).map(str)
    | st.text("-0123456789.e+", min_size=1, max_size=25)
)


def swf_line(values):
    return " ".join(str(values.get(name, 1)) for name in swf.FIELDS)


swf_rows = st.one_of(
    st.builds(
        lambda number, other, more: swf_line({"job_id": number} | other) + more,
        st.integers(0, 40),
        st.dictionaries(st.sampled_from(swf.FIELDS), tokens, max_size=2),
        st.sampled_from(["", "", "", " 5", "\r", " \t"]),
    ),
    st.builds(
        lambda label, value: f"; {label}: {value}", st.sampled_from(["MaxProcs", "x"]), tokens
    ),
    st.text("0123456789 -.;\t\rx", max_size=60),
)
swf_files = st.tuples(
    st.lists(swf_rows, max_size=12).map(lambda rows: swf_line({}) + "\n" + "\n".join(rows)),
    changes,
    st.sampled_from(["plain", "packed", "packed, then changed"]),
)


def check_swf(given):
    """A log in SWF: all lines are jobs or counted, and the jobs are those of a plain reader."""
    lines, ways, form = given
    content = lines.encode()
    if form == "packed, then changed":
        content = changed(gzip.compress(content, mtime=0), ways)
    else:
        content = changed(content, ways)
        content = gzip.compress(content, mtime=0) if form == "packed" else content
    path = FOLDER / "log.swf"
    path.write_bytes(content)
    found = plain.unpacked(content)
    if found is None:
        _refused_either_way(path, "gzip")
        return
    found = found.removeprefix(b"\xef\xbb\xbf")
    jobs, bad = plain.swf_jobs(found.decode("latin-1"))
    with bounded():
        try:
            trace = swf.read(path, bad_lines="skip")
        except swf.SWFError as error:
            refused(error, swf.SWFError)
            other = found[:2] in (b"\xff\xfe", b"\xfe\xff") or b"\0" in found[:8]
            machine = "MaxProcs" in str(error)  # of too many digits
            assert not jobs or other or b"\n" not in found or machine, str(error)
            return
    assert sum(trace.bad_lines.values()) == bad
    rows = sorted(zip(trace.line, *(getattr(trace, name).tolist() for name in swf.FIELDS)))
    assert [list(row[1:]) for row in rows] == jobs
    if bad:
        assert f"{bad} of {len(jobs) + bad} lines cannot be jobs" in _refused_either_way(path)


def _refused_either_way(path, words=""):
    try:
        swf.read(path)
    except swf.SWFError as error:
        refused(error, swf.SWFError)
        assert str(error).startswith(str(path))
        assert words in str(error)
        return str(error)
    raise AssertionError("was not refused")


# ---- accounting logs ----

odd = st.sampled_from(
    [
        "",
        "Unknown",
        "-1",
        "1" * 20,
        "9" * 5000,
        "²",
        "\x1b[31m",
        "None",
        "1.5K",
        "a|b",
        "0",
        "x" * 300,
    ]
) | st.text(max_size=12).filter(lambda word: "\n" not in word)
SACCT = [
    "JobIDRaw",
    "User",
    "JobName",
    "State",
    "Submit",
    "End",
    "ElapsedRaw",
    "AllocCPUS",
    "NodeList",
]
sacct_files = st.tuples(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),  # submission
            st.integers(0, 10**6),  # run time
            st.integers(1, 5000),  # processors
            st.dictionaries(st.sampled_from(SACCT), odd | st.sampled_from(
                ["n[1-300000000]", "r[1-999]c[1-999]n[1-999]", "n[3-1]", "CANCELLED by 5", "RUNNING"]
            ), max_size=2) | st.just({}),
        ),
        min_size=1,
        max_size=10,
    ),
    st.sampled_from(["", "|"]),
    changes | st.just([]),
)  # fmt: skip


def check_sacct(given):
    """Output of sacct: every record is a job or counted, and those without fault come out as they went in."""
    rows, ending, ways = given
    lines, whole = ["|".join(SACCT)], Counter()
    for number, (submit, run_time, size, other) in enumerate(rows, 1):
        begun = 1_700_000_000 + submit
        values = dict(zip(SACCT, (number, "ann", "run", "COMPLETED", begun, begun + run_time, run_time, size, "n1")))  # fmt: skip
        lines.append("|".join(str((values | other)[name]) for name in SACCT))
        whole[run_time, size] += not other
    content = changed("".join(f"{one}{ending}\n" for one in lines).encode("utf-8", "replace"), ways)
    path = FOLDER / "sacct.txt"
    path.write_bytes(content)
    with bounded():
        try:
            done = slurm.convert(path, key=b"a key of the tests only")
        except SlurmError as error:
            refused(error, SlurmError)
            return
    _all_accounted_for(done)
    assert done.records <= sum(bool(line.strip()) for line in content.split(b"\n")[1:])
    if not ways:
        assert done.records == len(rows)
        assert not whole - Counter(zip(done.trace.run_time.tolist(), done.trace.allocated_processors.tolist()))  # fmt: skip


def _all_accounted_for(done):
    """Jobs and what was left out are all records, and the log can be written and read again."""
    assert len(done.trace) + sum(count for _, count in done.left_out) == done.records
    assert all(line.isprintable() for line in done.lines())
    packed = io.BytesIO()
    swf.write(packed, done.trace)
    path = FOLDER / "converted.swf"
    path.write_bytes(packed.getvalue())
    assert len(swf.read(path)) == len(done.trace)


torque_files = st.tuples(
    st.lists(
        st.tuples(
            st.integers(0, 10**6),
            st.integers(0, 10**6),
            st.integers(1, 5000),
            st.dictionaries(
                st.sampled_from(
                    ["ctime", "start", "end", "user", "jobname", "Resource_List.nodes", "Exit_status", "exec_host", "resources_used.walltime"]
                ),
                odd | st.sampled_from(["2:ppn=" + "9" * 20, "n/0-" + "9" * 9, "n/5-1", "99:99:99", "-5", "a b=c"]),
                max_size=2,
            )
            | st.just({}),
            st.sampled_from("EEEEEQSDx"),
        ),
        min_size=1,
        max_size=10,
    ),
    changes | st.just([]),
)  # fmt: skip


def check_torque(given):
    """An accounting log of TORQUE: every record is a job or counted, those without fault come out as they went in."""
    rows, ways = given
    lines, whole = [], Counter()
    for number, (submit, run_time, size, other, kind) in enumerate(rows, 1):
        begun = 1_600_000_000 + submit
        values = {
            "user": "ann",
            "jobname": "my run",
            "ctime": begun,
            "start": begun + 5,
            "Resource_List.nodes": f"{size}:ppn=2",
            "end": begun + 5 + run_time,
            "Exit_status": 0,
        } | other
        pairs = " ".join(f"{name}={value}" for name, value in values.items())
        lines.append(f"12/01/2019 00:00:00;{kind};{number}.bw;{pairs}\n")
        whole[run_time, 2 * size] += kind == "E" and not other
    content = changed("".join(lines).encode("utf-8", "replace"), ways)
    path = FOLDER / "20191201"
    path.write_bytes(content)
    with bounded():
        try:
            done = torque.convert([path], key=b"a key of the tests only")
        except TorqueError as error:
            refused(error, TorqueError)
            return
    _all_accounted_for(done)
    if not ways:
        assert done.records == len(rows)
        assert not whole - Counter(zip(done.trace.run_time.tolist(), done.trace.requested_processors.tolist()))  # fmt: skip


# ---- tables ----

MAP = """
processors = 6000
unknown = ["", "None"]
[fields]
submit = { column = "in" }
run_time = { column = "ran", unit = "min" }
requested_processors = { column = "nodes", times = 4 }
user = { column = "who" }
status = { column = "state", values = { done = 1 } }
"""
cells = st.sampled_from(["", "None", "-3", "nan", "inf", "1e300", "1" * 20, "2020-01-01", "=1+1", "²", 'a"b', "x,y"])  # fmt: skip
table_files = st.tuples(
    st.lists(
        st.tuples(
            st.integers(0, 10**8),
            st.integers(0, 10**5),
            st.integers(1, 1000),
            st.dictionaries(st.integers(0, 4), cells, max_size=2) | st.just({}),
            st.sampled_from(["", "", "", ",more", "short"]),
        ),
        min_size=1,
        max_size=10,
    ),
    changes | st.just([]),
    st.booleans(),
)


def check_table(given):
    """A table of jobs: every row is a job or counted, those without fault come out as they went in."""
    rows, ways, packed = given
    lines, whole, count = ["in,ran,nodes,who,state"], Counter(), 0
    for submit, run_time, size, other, more in rows:
        row = [str(value) for value in (submit, run_time, size, "ann", "done")]
        for place, cell in other.items():
            row[place] = f'"{cell}"' if "," in cell else cell.replace('"', "")
        line = ",".join(row[:2] if more == "short" else row) + more.removeprefix("short")
        lines.append(line)
        whole[60 * run_time, 4 * size] += not other and not more
        count += 1
    content = changed(("\n".join(lines) + "\n").encode(), ways)
    path, told_by = FOLDER / f"jobs.csv{'.gz' if packed else ''}", FOLDER / "map.toml"
    path.write_bytes(gzip.compress(content, mtime=0) if packed else content)
    told_by.write_text(MAP)
    with bounded():
        try:
            done = tables.convert(path, told_by)
        except TableError as error:
            refused(error, TableError)
            assert ways or not whole.total()
            return
    _all_accounted_for(done)
    if not ways:
        assert done.records == count == len(plain.table_rows(content.decode()))
        assert not whole - Counter(zip(done.trace.run_time.tolist(), done.trace.requested_processors.tolist()))  # fmt: skip


values = st.sampled_from(
    ["5", "-1", '"x"', "[]", '["", "a"]', "{}", "{ column = 5 }", '{ column = "in", times = "x" }',
     '{ column = "in", unit = [] }', '{ column = "in", values = 3 }', '{ column = "in", values = { a = "b" } }',
     '{ column = "in", unit = "weeks" }', '{ column = "in" }', "true", "1e400", "1979-05-27", '"Nowhere/City"',
     '{ in = ["5"] }', "{ in = 5 }"]
)  # fmt: skip
map_files = st.tuples(
    st.lists(
        st.tuples(
            st.sampled_from(["processors", "unknown", "time_zone", "title", "source", "only", "fields", "nonsense"]),
            values,
        ),
        max_size=2,
    ),
    st.dictionaries(st.sampled_from([*tables.FIELDS, "nonsense"]), values, max_size=4),
    changes | st.just([]),
)  # fmt: skip


def check_map(given):
    """A map: it is refused in a line, or the table is read by it and all rows are accounted for."""
    top, fields, ways = given
    usual = {"submit": '{ column = "in" }', "run_time": '{ column = "ran" }', "requested_processors": '{ column = "nodes" }'}  # fmt: skip
    lines = [f"{name} = {value}" for name, value in top]
    lines += ["[fields]", *(f"{name} = {value}" for name, value in (usual | fields).items())]
    path, table = FOLDER / "map.toml", FOLDER / "jobs.csv"
    path.write_bytes(changed("\n".join(lines).encode(), ways))
    table.write_text("in,ran,nodes\n0,5,1\n7,60,2\n")
    with bounded():
        try:
            done = tables.convert(table, path)
        except TableError as error:
            refused(error, TableError)
            return
    _all_accounted_for(done)
    assert done.records == 2


# ---- schedules ----

times = st.integers(0, 12)
jobs = st.tuples(st.integers(1, 12), times, times, times, st.integers(1, 6))
numbers = st.sampled_from(["1e300", "nan", "-5", "", "inf", "1e18", "0.5", "x", "9" * 400])
schedules = st.tuples(
    st.lists(jobs, min_size=1, max_size=10),
    st.lists(jobs, min_size=1, max_size=10),
    st.integers(1, 8),
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4), numbers), max_size=2) | st.just([]),
    changes | st.just([]),
)
HEADER = "job_id,submit,start,end,processors"


def check_schedules(given):
    """Schedules: audit finds what is found instant by instant, compare what stands in both files."""
    first, second, machine, odd_ones, ways = given
    rows = [[str(value) for value in job] for job in first]
    for row, place, number in odd_ones:
        rows[row % len(rows)][place] = number
    here, there = FOLDER / "first.csv", FOLDER / "second.csv"
    here.write_bytes(changed("\n".join([HEADER, *map(",".join, rows), ""]).encode(), ways))
    there.write_text("\n".join([HEADER, *(",".join(map(str, job)) for job in second), ""]))
    with bounded():
        code, out, _ = told("audit", here, "--processors", machine, "--json")
        same, same_out, _ = told("compare", here, here, "--json")
        between, between_out, _ = told("compare", here, there, "--json")
    if odd_ones or ways:
        assert code in (0, 1) if out else code == 2
        assert json.loads(out)["possible"] is (code == 0) if out else True
        assert same in (0, 2)
        return
    expected = plain.faults(first, machine)
    found = json.loads(out)
    assert {name: found[name] for name in expected} == expected
    wrong = expected.pop("peak") > machine or any(expected.values())
    assert (code, found["possible"]) == (int(wrong), not wrong)
    once = [{job[0] for job in one} for one in (first, second)]
    assert same == (2 if expected["repeated"] else 0)
    if expected["repeated"] or len(once[1]) < len(second) or not once[0] & once[1]:
        assert between == 2
        return
    found = json.loads(between_out)
    in_both = len(once[0] & once[1])
    assert (found["matched"], found["only_first"], found["only_second"]) == (
        in_both, len(first) - in_both, len(second) - in_both,
    )  # fmt: skip
    by_id = [{job[0]: job[1:] for job in one} for one in (first, second)]
    shifts = {
        number: (by_id[1][number][1] - by_id[1][number][0]) - (job[1] - job[0])
        for number, job in by_id[0].items() if number in by_id[1]
    }  # fmt: skip
    last = found["classes"][-1]
    assert last["earlier"] == sum(shift < 0 for shift in shifts.values())
    assert last["later"] == sum(shift > 0 for shift in shifts.values())


# ---- words of the shell ----

WORDS = [
    "easy", "fcfs", "conservative", "laf", "easy-by", "pv-easy", "easy-last", "sjf-easy", "log", "perfect", "f", "deterministic",
    "modal", "last", "top", "tsafrir", "virtual", "scaled", "complete", "cvh", "request", "=", "*", ":", ",", ",,", "2",
    "0", "-1", "1e9", "nan", "inf", "9" * 30, "9" * 5000, "1e400", "²", "٣", "emax", "e_max", "predictor", "candidates",
    "sjf", "f=2", "log*2", "top=3", "emax=64800", "predictor=last", "correction=now", "share=0.5", "yes", "None", " ", "\x1b",
    "\n", "é",
]  # fmt: skip
texts = st.lists(st.sampled_from(WORDS) | st.text(max_size=4), max_size=8).map("".join)
forms = st.tuples(st.sampled_from([text.scheduler, text.estimates, text.predictor]), texts)


def check_text(given):
    """The text of a choice: refused in a line, or a value whose repr is the same value again."""
    read, words = given
    with bounded():
        try:
            value = read(words)
        except ChoiceError as error:
            refused(error, ChoiceError)
            return
    assert read(words) == value
    assert eval(repr(value)) == value  # noqa: S307, the package's own
    assert hash(dataclasses.replace(value)) == hash(value)


OPTIONS = {
    "simulate": ["--scheduler", "--predictor", "--estimates", "--option", "--seed", "--processors", "--size", "--overrun", "--drop", "--bad-lines", "--paper", "--format"],
    "sweep": ["--model", "--f", "--load", "--e-max", "--seeds", "--workers", "--paper", "--bad-lines"],
}  # fmt: skip
LOG = "; MaxProcs: 8\n" + "".join(
    swf_line({"job_id": k, "submit": 10 * k, "run_time": 30 + k, "requested_time": 90}) + "\n"
    for k in range(1, 9)
)
amounts = st.sampled_from(["0", "1", "2.5", "0:2:1", "1:0:1", "0:1:0", "1e9", "1e16", "1e300", "-1", "nan", "x", "9" * 30, "9" * 5000, "log", "", "0:1e9:1e-9", "½"])  # fmt: skip
commands = st.sampled_from(sorted(OPTIONS)).flatmap(
    lambda name: st.tuples(
        st.just(name),
        st.lists(st.tuples(st.sampled_from(OPTIONS[name]), amounts | texts), max_size=3),
    )
)


def check_command(given):
    """Options of commands: a code, and one line where it is not 0; what is written is whole and has no absurd number."""
    name, options = given
    path, out = FOLDER / "small.swf", FOLDER / "out.csv"
    path.write_text(LOG)
    out.unlink(missing_ok=True)
    words = [f"{option}={word}" for option, word in options if "\0" not in word]
    more = ["--folder", FOLDER / "kept"] if name == "sweep" else []
    with bounded(COMPILING):
        code, said, _ = told(name, path, *words, *more, "--out", out, "--json")
    assert out.exists() is (code == 0)
    if code == 0 and name == "sweep":
        header, *rows = [line.split(",") for line in out.read_text().splitlines()]
        waits = [float(row[header.index("mean_wait")]) for row in rows]
        assert rows
        assert all(0 <= wait < 1e13 for wait in waits)
    if code == 0 and name == "simulate":
        assert json.loads(said)["measures"]["mean_wait"] >= 0


# ---- kept results ----

kept_files = st.tuples(
    st.lists(st.integers(0, 5), min_size=1, max_size=6, unique=True), changes, st.booleans()
)


def check_kept(given):
    """Kept files: a result comes back as it was put or not at all, and all is well after it was put again."""
    numbers, ways, other_key = given
    folder = FOLDER / "results"
    shutil.rmtree(folder, ignore_errors=True)
    rows = {f"{k:064x}": kept.packed({"wait": [k / 7, k / 3], "log": ["a", "b"]}) for k in numbers}
    with bounded(), contextlib.redirect_stderr(io.StringIO()) as said:
        with kept.Kept(folder) as store:
            for key, table in rows.items():
                store.put(key, table)
        path = folder / "001.kept"
        before = path.read_bytes()
        content = changed(before, ways)
        if other_key:
            content = content.replace(bytes.fromhex(f"{numbers[0]:064x}"), bytes.fromhex("ab" * 32))
        path.write_bytes(content)
        with kept.Kept(folder) as store:
            found = {key: store.get(key) for key in rows}
            assert store.get("ab" * 32) is None
            assert all(table in (None, rows[key]) for key, table in found.items())
            store.set_aside()
            for key, table in found.items():
                if table is None:
                    store.put(key, rows[key])
        with kept.Kept(folder) as store:
            assert all(store.get(key) == table for key, table in rows.items())
    lost = sum(table is None for table in found.values())
    if content == before:
        assert (lost, said.getvalue()) == (0, "")
    writing._clean_once.cache_clear()


TARGETS = {
    "swf": (swf_files, check_swf),
    "sacct": (sacct_files, check_sacct),
    "torque": (torque_files, check_torque),
    "table": (table_files, check_table),
    "map": (map_files, check_map),
    "schedules": (schedules, check_schedules),
    "text": (forms, check_text),
    "command": (commands, check_command),
    "kept": (kept_files, check_kept),
}
