"""Job logs in SWF: values, error messages, and counts of skipped lines."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import subprocess
import sys
import threading
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from replication.simulator import paths
from replication.simulator.logs import registry, swf
from replication.simulator.logs.swf import DECIMAL, FIELDS, KNOWN, SWFError

HEADER = "; Version: 2.2\n; MaxProcs: 128 (batch)\n; UnixStartTime: 893466664\n"
LOGS = registry.names()
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")


def line(job_id=1, submit=0, **fields):
    """A job line; fields that are not given are 1, and no job precedes."""
    values = dict.fromkeys(FIELDS, 1) | {"preceding_job": -1}
    values |= {"job_id": job_id, "submit": submit} | fields
    return " ".join(str(values[name]) for name in FIELDS)


def log(folder, *lines, header=HEADER, end="\n", name="log.swf"):
    """A file with these lines."""
    path = folder / name
    text = (header + "".join(one + end for one in lines)).encode()
    path.write_bytes(gzip.compress(text) if name.endswith(".gz") else text)
    return path


def refusal(path, **options):
    """The message a file is refused with: one line that begins with its path."""
    with pytest.raises(SWFError) as error:
        swf.read(path, **options)
    message = str(error.value)
    assert message.startswith(str(path))
    assert "\n" not in message
    return message.removeprefix(str(path))


def same(one, other):
    """Whether two traces hold the same jobs and comments."""
    return one.comments == other.comments and all(
        np.array_equal(getattr(one, name), getattr(other, name)) for name in FIELDS
    )


def test_a_job_line_becomes_a_value_in_each_column(tmp_path):
    values = dict(zip(FIELDS, range(100, 118), strict=True)) | {
        "cpu_time": 142.25,
        "used_memory": 0.1,
    }
    trace = swf.read(log(tmp_path, "  " + line(**values).replace(" ", " \t ") + "  "))
    assert {name: getattr(trace, name).tolist() for name in FIELDS} == {
        n: [v] for n, v in values.items()
    }
    assert trace.line.tolist() == [4]
    for name in FIELDS:
        column = getattr(trace, name)
        assert column.dtype == (np.float64 if name in DECIMAL else np.int64)
        assert not column.flags.writeable


@pytest.mark.parametrize(
    "field, token, allowed",
    [
        ("run_time", "abc", "whole numbers of at most 18 digits from 0, or -1 for unknown"),
        ("wait", "1e-5", "whole numbers"),
        ("wait", "1e18", "whole numbers"),
        ("wait", "+5", "whole numbers"),
        ("wait", ".5", "whole numbers"),
        ("wait", "1\r2", "whole numbers"),
        ("wait", "\0", "whole numbers"),
        ("job_id", "-1", "whole numbers of at most 18 digits from 0;"),
        ("submit", "-1", "whole numbers of at most 18 digits from 0;"),
        ("submit", "1" + "0" * 18, "whole numbers of at most 18 digits"),
        ("job_id", "9" * 5000, "whole numbers of at most 18 digits"),
    ],
)
def test_a_wrong_value_is_named_with_line_and_field(tmp_path, field, token, allowed):
    wrong = {"job_id": 2, "submit": 3, "think_time": 7, field: token}
    message = refusal(log(tmp_path, line(1), "", line(**wrong), line(3, 9)))
    place = f", line 6, field {FIELDS.index(field) + 1} ({field}): "
    assert message.startswith(f"{place}{swf.quote(token, 40)}; allowed: {allowed}")
    assert message.isprintable()


@pytest.mark.parametrize("columns", [1, 17, 19])
def test_a_wrong_number_of_columns_is_an_error(tmp_path, columns):
    path = log(tmp_path, line(1), " ".join(["7"] * columns))
    assert refusal(path) == (
        f", line 5: {columns} columns; allowed: 18; 1 of 2 lines cannot be jobs: 1 wrong-columns; "
        "bad_lines='skip' (--bad-lines skip) leaves them out"
    )


@pytest.mark.parametrize(
    "text, what", [("", "an empty file"), ("\n\n", "an empty file"), (HEADER, "only comments")]
)
def test_a_log_without_jobs_is_refused(tmp_path, text, what):
    assert (
        refusal(log(tmp_path, header=text)) == f": no jobs, {what}; a job is a line of 18 numbers"
    )


def test_each_kind_of_bad_line_is_counted_and_the_rest_is_read(tmp_path):
    bad = {
        "wrong-columns": ["1 2 3", line(50) + " 1"],
        "not-a-number": [line(51, wait="x")],
        "not-whole": [line(52, requested_processors="1.5")],
        "fraction-of-second": [line(58, wait="1.5")],
        "too-large": [line(53, wait="9" * 19), line(54, run_time="9" * 400)],
        "unknown-job-number": [line(-1)],
        "unknown-submission": [line(55, -7)],
        "repeated-job-number": [line(2, 3), line(2, 4), line(1, 9)],
    }
    path = log(tmp_path, line(1), line(2), *sum(bad.values(), []), line(3))
    trace = swf.read(path, bad_lines="skip")
    assert trace.bad_lines == {kind: len(lines) for kind, lines in bad.items()}
    assert trace.job_id.tolist() == [1, 2, 3]
    assert trace.line.tolist() == [4, 5, 4 + 2 + sum(map(len, bad.values()))]
    message = refusal(path)
    assert (
        ", line 6: 3 columns; allowed: 18; 12 of 15 lines cannot be jobs: 2 wrong-columns"
        in message
    )
    assert all(kind in message for kind in bad)
    assert ", line 5, field 1 (job_id): job 1 is already on line 4; allowed: each number once" in (
        refusal(log(tmp_path, line(1), line(1, 9)))
    )
    with pytest.raises(SWFError, match="^bad_lines 'ignore'.*refuse, skip$"):
        swf.read(path, bad_lines="ignore")


def test_a_log_of_bad_lines_only_is_refused_either_way(tmp_path):
    for rule in swf.BAD_LINES:
        message = refusal(log(tmp_path, *["some words"] * 7), bad_lines=rule)
        assert message.startswith(
            ", line 4: 2 columns; allowed: 18; 7 of 7 lines cannot be jobs: 7 wrong-columns"
        )


def test_negative_values_of_fields_that_may_be_unknown_are_unknown(tmp_path):
    trace = swf.read(log(tmp_path, line(1, run_time=-2, cpu_time="-1.5", user="-3.7", status=-4)))
    assert (trace.run_time[0], trace.cpu_time[0], trace.user[0], trace.status[0]) == (-1,) * 4
    assert trace.anomalies["negative_as_unknown"] == 4


def test_text_in_a_field_that_no_command_uses_is_unknown_and_counted(tmp_path):
    names = {"requested_memory": "Polaris", "cpu_time": "nan", "used_memory": "9" * 400}
    trace = swf.read(log(tmp_path, line(1, **names), line(2, requested_memory="Theta"), line(3)))
    assert trace.requested_memory.tolist() == [-1, -1, 1]
    assert trace.anomalies["unreadable_requested_memory"] == 2
    assert dict(registry.load(trace, machine=3).cleaning)["unreadable-cpu-time"] == 1


def test_whole_numbers_with_exponents_are_read(tmp_path):
    trace = swf.read(log(tmp_path, line(1), line(2, "1e+05", run_time="1.5e2")))
    assert (trace.submit.tolist(), trace.run_time[1]) == ([0, 100_000], 150)


def test_indented_labels_of_the_machine_are_labels(tmp_path):
    path = tmp_path / "a.swf"
    path.write_text(f";       MaxJobs: 1\n;       MaxProcs: 8\n; Note: a\n;   b: c\n{line(1)}\n")
    trace = swf.read(path)
    assert trace.max_procs == 8 and trace.header["Note"] == ["a\nb: c"]


def test_further_columns_are_ignored_and_counted(tmp_path, monkeypatch):
    # pandas would make an index of them, which takes minutes for a line of a million columns.
    monkeypatch.setattr(swf.pd, "read_csv", lambda *_, **__: pytest.fail("pandas reads the file"))
    lines = [line(k, k) + f" {k} 0 3.5" for k in range(1, 5)]
    trace = swf.read(log(tmp_path, *lines))
    assert trace.anomalies["further_columns"] == 3
    assert trace.think_time.tolist() == [1] * 4
    assert registry.load(tmp_path / "log.swf").provenance["anomalies"]["further_columns"] == 3
    message = refusal(log(tmp_path, *lines, line(9), line(8) + " 1"))
    assert ", line 8: 18 columns; allowed: 21, as in the first job; 2 of 6" in message


@pytest.mark.parametrize("module", [gzip, lzma, bz2], ids=["gzip", "xz", "bzip2"])
def test_a_compressed_log_is_read_whatever_its_name(tmp_path, module):
    whole = module.compress((HEADER + line()).encode())
    for name in ("log.swf", "log.swf.xz", "log"):
        (tmp_path / name).write_bytes(whole)
        assert len(swf.read(tmp_path / name)) == 1
    assert registry.load(tmp_path / "log.swf.xz", machine=1).name == "log"
    (tmp_path / "log.swf").write_bytes(whole[:-9])
    assert re.search("(gzip|xz|bzip2) is (truncated|damaged)", refusal(tmp_path / "log.swf"))


def test_a_file_of_another_kind_is_refused_in_one_line(tmp_path):
    text = (HEADER + line()).encode()
    path = tmp_path / "log.swf"
    for content in (
        text.decode().encode("utf-16"),
        b"\x28\xb5\x2f\xfd\0",
        b"PAR1\x15\x04",
        b"JobID|State|Submit\n17|COMPLETED|2026-01-01T00:00:00\n",
        b"submit_time,nodes\n5,4\n",
        b'{"jobs": []}',
    ):
        path.write_bytes(content)
        assert "not SWF" in refusal(path)


def test_a_byte_order_mark_is_accepted(tmp_path):
    path = tmp_path / "log.swf"
    path.write_bytes(b"\xef\xbb\xbf" + (HEADER + line()).encode())
    trace = swf.read(path)
    assert trace.max_procs == 128
    assert trace.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_the_decompressed_size_has_a_limit(tmp_path, monkeypatch, name):
    path = log(tmp_path, *map(line, range(99)), name=name)
    monkeypatch.setattr(swf, "MOST_BYTES", 1 << 10)
    assert refusal(path) == ": too large; allowed: up to 0 MiB decompressed"


def test_pipes_and_standard_input_are_read_and_folders_named(tmp_path):
    path, pipe = (
        log(tmp_path, *[line(k) for k in range(1, 2000)], name="log.swf.gz"),
        tmp_path / "pipe",
    )
    os.mkfifo(pipe)
    code = "from replication.simulator.logs import registry; print(len(registry.load('{}')))"
    for name, stdin in (("/dev/stdin", path), ("-", path)):
        with open(stdin, "rb") as file:
            done = subprocess.run(
                [sys.executable, "-c", code.format(name)],
                stdin=file,
                cwd=paths.ROOT,
                text=True,
                capture_output=True,
                check=True,
            )
        assert done.stdout == "1999\n"
    writer = threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),))
    writer.start()
    assert len(registry.load(pipe, machine=1999)) == 1999
    writer.join()
    with pytest.raises(registry.TraceError, match="a folder; expected a file"):
        registry.load(tmp_path)


def test_submissions_out_of_order_are_sorted_and_counted(tmp_path):
    numbers, submit = (4, 3, 2, 1, 9), (10, 5, 10, 5, 10)
    jobs = zip(numbers, submit, strict=True)
    path = log(tmp_path, *(line(k, at, run_time=k, requested_time=k) for k, at in jobs))
    trace, jobs = swf.read(path), registry.load(path)
    assert trace.submit.tolist() == jobs.submit.tolist() == [5, 5, 10, 10, 10]
    assert trace.job_id.tolist() == [3, 1, 4, 2, 9]
    assert trace.line.tolist() == [5, 7, 4, 6, 8]
    assert trace.anomalies["submit_out_of_order"] == 2
    # Of equal submissions the jobs are in the order of their numbers.
    assert jobs.job_id.tolist() == jobs.run_time.tolist() == [1, 3, 2, 4, 9]
    assert dict(jobs.cleaning)["submit-out-of-order"] == 2


def test_unusual_lines_and_numbers_are_accepted(tmp_path):
    path = log(
        tmp_path,
        line(1),
        " \t",
        "; Note: late",
        "",
        line(2, wait="12.00", queue="-1.0", cpu_time="2.50"),
        end="\r\n",
    )
    trace = swf.read(path)
    assert trace.anomalies == {}
    assert trace.wait.tolist() == [1, 12]
    assert trace.queue.tolist() == [1, -1]
    assert trace.comments[-1] == " Note: late"


def test_the_header_is_read_by_label(tmp_path):
    header = (
        "; free words\n; Computer: IBM SP2\n; Information: http://one/\n;   http://two/\n;\n"
        "; Queue: 1 a\n; Queue: 2 b\n; MaxProcs: 1664 (72, 1368, 224)\n; UnixStartTime: 5\n"
        "; Acknowledge: A and B\n"
    )
    trace = swf.read(log(tmp_path, line(), header=header))
    assert trace.header["Computer"] == ["IBM SP2"]
    assert trace.header["Information"] == ["http://one/\nhttp://two/"]
    assert trace.header["Queue"] == ["1 a", "2 b"]
    assert (trace.max_procs, trace.header["Acknowledge"]) == (1664, ["A and B"])


@pytest.mark.parametrize("value", ["many", "1e3", "8.5", "9" * 40])
def test_a_header_without_a_whole_number_names_no_machine(tmp_path, value):
    assert swf.read(log(tmp_path, line(), header=f"; MaxProcs: {value}\n")).max_procs is None
    assert swf.read(log(tmp_path, line(), header="; MaxProcs: 128.\n")).max_procs == 128


def test_a_header_may_be_in_latin_letters(tmp_path):
    path = tmp_path / "log.swf"
    path.write_bytes("; Acknowledge: Jos\xe9\n".encode("latin-1") + line().encode())
    assert swf.read(path).header["Acknowledge"] == ["Jos\xe9"]


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_the_hash_is_of_the_decompressed_bytes(tmp_path, name):
    path = log(tmp_path, line(), name=name)
    expected = hashlib.sha256((HEADER + line() + "\n").encode()).hexdigest()
    assert swf.read(path, sha256=expected).sha256 == expected
    message = refusal(path, sha256="0" * 64)
    assert message == f": sha256 of the decompressed file is {expected}, expected {'0' * 64}"


def test_a_truncated_or_damaged_gzip_is_refused_wherever_it_ends(tmp_path):
    lines = [line(k, k * k, wait=k * 7919 % 1000) for k in range(1, 3000)]
    whole = log(tmp_path, *lines, name="log.swf.gz").read_bytes()
    path = tmp_path / "cut.swf.gz"
    for length in (2, 9, 20, len(whole) // 2, len(whole) - 8, len(whole) - 1):
        path.write_bytes(whole[:length])
        assert refusal(path) == ": the gzip is truncated"
    for at in (len(whole) - 6, len(whole) - 2):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1]) + whole[at + 1 :])
        assert refusal(path).startswith(": the gzip is damaged")


tokens = (
    st.sampled_from("-1 0 -0 -0.0 1. .5 -.5 . - 1e5 nan 0.10".split() + ["9" * 18, "9" * 19])
    | st.integers(-2, 10**20).map(str)
    | st.floats(-2, 1e20).map(str)
    | st.text("-0123456789.e+", min_size=1, max_size=25)
)
known, unknown = st.integers(0, 10**18 - 1), st.integers(-1, 10**18 - 1)
decimals = st.just(-1.0) | st.floats(0, allow_infinity=False, allow_nan=False)
words = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)


@st.composite
def random_traces(draw):
    """Traces of all values the format has."""
    n = draw(st.integers(1, 8))
    kinds = {name: decimals if name in DECIMAL else unknown for name in FIELDS[2:]}
    columns = {name: draw(st.lists(kind, min_size=n, max_size=n)) for name, kind in kinds.items()}
    return swf.Trace.from_columns(
        job_id=draw(st.lists(known, min_size=n, max_size=n, unique=True)),
        submit=draw(st.lists(st.integers(0, 3) | known, min_size=n, max_size=n)),
        comments=draw(st.lists(words, max_size=4)),
        **columns,
    )


@settings(deadline=None, max_examples=100)
@given(random_traces(), st.sampled_from(["round.swf", "round.swf.gz"]))
def test_write_and_read_are_inverse(tmp_path_factory, trace, name):
    path = tmp_path_factory.getbasetemp() / name
    swf.write(path, trace)
    again = swf.read(path)
    assert same(again, trace)
    assert not again.anomalies.keys() - {"preceding_job"}
    first = path.read_bytes()
    swf.write(path, again)
    assert path.read_bytes() == first
    assert not list(path.parent.glob("*.part"))


@pytest.mark.parametrize("memory", [-1, 1e-30], ids=["by columns", "by lines"])
def test_both_parsers_keep_the_blanks_of_a_comment(tmp_path, memory):
    trace = swf.Trace.from_columns([0], requested_memory=[memory], comments=["\t", " x \t"])
    swf.write(tmp_path / "log.swf", trace)
    assert swf.read(tmp_path / "log.swf").comments == trace.comments


def test_writing_to_an_open_file_or_by_the_ending_of_a_name(tmp_path):
    trace = swf.Trace.from_columns(
        [0, 5], comments=[" MaxProcs: 4"], run_time=[3, 4], cpu_time=[1.5, -1]
    )
    file = io.BytesIO()
    swf.write(file, trace)
    assert file.getvalue().decode() == (
        "; MaxProcs: 4\n1 0 -1 3 -1 1.5" + " -1" * 12 + "\n2 5 -1 4" + " -1" * 14 + "\n"
    )
    swf.write(tmp_path / "a.swf.gz", trace)
    assert gzip.decompress((tmp_path / "a.swf.gz").read_bytes()) == file.getvalue()
    assert (tmp_path / "a.swf.gz").read_bytes()[4:8] == b"\0\0\0\0"


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"wait": [-5, 0]}, "columns, line 1: wait is -5; allowed: whole numbers"),
        ({"wait": [0, 1.5]}, "line 2: wait is 1.5"),
        ({"wait": [0, np.nan]}, "line 2: wait is nan"),
        ({"wait": [0, 10**18]}, "line 2: wait is 1000000000000000000"),
        ({"cpu_time": [np.nan, 1]}, "line 1: cpu_time is nan"),
        ({"job_id": [1, -1]}, "line 2: job_id is -1; allowed: whole numbers"),
        ({"job_id": [3, 3]}, "2 jobs have number 3; expected one"),
        ({"wait": [1]}, "wait is int64[1]; allowed: 2 numbers"),
        ({"wait": ["a", "b"]}, "allowed: 2 numbers"),
        ({"memory": [1, 2]}, "no field 'memory'"),
    ],
)
def test_columns_are_checked_like_a_file(columns, message):
    with pytest.raises(SWFError, match=re.escape(message)):
        swf.Trace.from_columns([0, 1], **columns)


def swf_value(name, token):
    """Return the value of a token in a field, read in plain Python; None if it is refused."""
    refused = -1 if name in swf.UNUSED else None
    if not NUMBER.fullmatch(token):
        return refused
    value = Decimal(token)
    if value < 0:
        return None if name in KNOWN else -1
    if name in DECIMAL:
        return float(value)
    return int(value) if value == int(value) and value < 10**18 else refused


@settings(deadline=None, max_examples=150)
@given(st.dictionaries(st.sampled_from(FIELDS), tokens, max_size=4))
def test_each_token_is_accepted_or_refused_by_the_format(tmp_path_factory, some_tokens):
    path = log(tmp_path_factory.getbasetemp(), line(**some_tokens))
    expected = {name: swf_value(name, token) for name, token in some_tokens.items()}
    wrong = [name for name in FIELDS if name in expected and expected[name] is None]
    if wrong:
        assert f"({wrong[0]}):" in refusal(path)
    else:
        trace = swf.read(path)
        assert {name: getattr(trace, name)[0] for name in expected} == expected


some_lines = st.dictionaries(st.sampled_from(FIELDS), tokens, max_size=2).map(
    lambda some: line(**some)
)


# Random lines may use more processor time than they request.
@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
@settings(deadline=None, max_examples=100)
@given(
    st.lists(some_lines | st.text("0123456789 -.;\t\rx", max_size=40), max_size=8),
    st.sampled_from(["fuzz.swf", "fuzz.swf.gz"]),
    st.integers(0, 200),
)
def test_any_log_is_read_or_refused_in_one_line(tmp_path_factory, lines, name, cut):
    path = log(tmp_path_factory.getbasetemp(), line(), *lines, name=name)
    path.write_bytes(path.read_bytes()[: -cut or None])
    try:
        workload = registry.load(path, bad_lines="skip", drop=["no-run-time", "no-processors"])
    except ValueError as error:
        assert str(error).isprintable() and len(str(error)) < 2000
        return
    assert (workload.processors >= 1).all() and (workload.run_time >= 0).all()


@pytest.mark.parametrize("name", LOGS)
def test_a_real_log_is_as_registered(name):
    path = registry.locate(name)
    if path is None:
        pytest.skip(f"real log {name} is not on this machine (set TRACES=folder)")
    known = registry.info(name)
    trace = swf.read(path, bad_lines=known.bad_lines)
    assert (len(trace), trace.sha256, trace.max_procs) == (
        known.jobs,
        known.sha256,
        known.processors,
    )
    assert " and ".join(known.acknowledge) in trace.header["Acknowledge"][0]
    if name in ("LLNL-Thunder", "Sandia-Ross"):  # with defective lines
        return
    assert not any(trace.anomalies.values())
    by_pandas = pd.read_csv(path, sep=r"\s+", comment=";", header=None, names=FIELDS)
    assert all(np.array_equal(getattr(trace, name), by_pandas[name]) for name in FIELDS)


@pytest.mark.parametrize(
    "token",
    [
        *("5.0", "12.000000000000000000", "5.0000000000000000001", "0.99999999999999999"),
        *("450359962737049.99", "99999999999999.999", "123456789012345.0000001", "1234567890123.5"),
        *("9007199254740993", "9007199254740993.", "5.000000000000001"),
    ],
)
def test_both_parsers_agree_on_fractions(token):
    """A comment between the jobs asks for the parser that reads line by line."""
    row, seen = "{} {} -1 5 2 -1 -1 2 9 -1 1 1 1 -1 1 -1 -1 -1\n", []
    for comment in ("", "; late\n"):
        try:
            text = row.format(1, 1) + comment + row.format(2, token)
            seen.append(swf.parse(text.encode(), "x").submit.tolist())
        except swf.SWFError as error:
            seen.append(str(error).split("field")[1])
    assert seen[0] == seen[1]


def test_fractions_of_seconds_are_refused_or_rounded(tmp_path):
    odd = {"wait": "0.5", "run_time": "88.4994", "requested_time": "149.0", "think_time": "-1.5"}
    path = log(tmp_path, line(1, "4.709164", **odd), line(2, 7, wait=-1), header="; MaxProcs: 8\n")
    assert "times='round'" in refusal(path)
    trace = swf.read(path, times="round")
    names = ("submit", "wait", "run_time", "requested_time", "think_time")
    assert [getattr(trace, name)[0] for name in names] == [5, 0, 89, 149, -1]
    assert trace.wait[1] == -1
    assert trace.anomalies["rounded_seconds"] == 3
    with pytest.raises(SWFError, match="^times 'exact'"):
        swf.read(path, times="exact")


def test_jobs_that_name_a_preceding_job_are_counted(tmp_path):
    free = {"preceding_job": -1}
    path = log(tmp_path, line(1, **free), line(2, preceding_job=1), line(3, **free))
    assert swf.read(path).anomalies == {"preceding_job": 1}
    assert ("preceding-job-ignored", 1) in rp.load(path).cleaning


@pytest.mark.parametrize("text", ["1,024", "1.024", "1'024", "1 024", "1_024", "1e3"])
def test_a_machine_with_separators_of_thousands_is_an_error(tmp_path, text):
    with pytest.raises(SWFError, match="header field MaxProcs"):
        rp.load(log(tmp_path, line(1), header=f"; MaxProcs: {text}\n"))


def test_bad_lines_are_left_out_by_columns_as_line_by_line():
    """pandas reads such files, too: unknown numbers and submissions,
    other negative values, and parts of jobs.
    """
    rng = np.random.default_rng(1)
    fast = 0
    for case in range(80):
        n = int(rng.integers(1, 9))
        values = rng.integers(0, 4, (n, 18))
        values[:, 0] = rng.permutation(n) if case % 4 else rng.integers(-1, n, n)
        places = rng.random((n, 18)) < 0.1
        values[places] = rng.integers(-3, 0, places.sum())
        text = "; MaxProcs: 8\n" + "".join(" ".join(map(str, row)) + "\n" for row in values)
        read = [lambda: swf.parse(text.encode(), "x", bad_lines="skip")]
        read += [lambda: swf._parse_lines(text.encode(), "x", "skip", "", None)]
        found = []
        for one in read:
            try:
                trace = one()
                columns = [getattr(trace, name).tolist() for name in (*swf.FIELDS, "line")]
                facts = trace.anomalies, list(trace.bad_lines.items()), trace.comments
                found.append((columns, facts, trace.parts.tolist()))
            except swf.SWFError as error:
                found.append(str(error))
        assert found[0] == found[1]
        body = text.partition("\n")[2].encode()
        fast += swf._table(body, True) is not None and bool(trace.bad_lines)
    assert fast > 10


def test_registered_logs_with_bad_lines_are_read_by_columns(real_log, monkeypatch):
    real_log("LLNL-Thunder"), real_log("Sandia-Ross")
    monkeypatch.setattr(swf, "_parse_lines", lambda *given: pytest.fail("line by line"))
    thunder, ross = registry.read("LLNL-Thunder"), registry.read("Sandia-Ross")
    assert thunder.bad_lines == {"unknown-submission": 1190}
    assert ross.anomalies == {"negative_as_unknown": 3}


def test_unknown_estimates_can_be_the_longest_of_the_log(tmp_path):
    year = 366 * 86400
    requests = (100, -1, 900, 0, year + 1)
    lines = [line(k, k, run_time=50, requested_time=r) for k, r in enumerate(requests, 1)]
    path = log(tmp_path, *lines)
    longest = rp.Users(missing="longest")
    jobs = rp.load(path, more=["requested_time"])
    assert longest.make(jobs)[1].tolist() == [100, 900, 900, 900, year + 1]
    assert rp.Users(2, missing="longest").make(jobs)[1].tolist()[:3] == [200, 1800, 1800]
    assert longest.make(jobs.take(slice(1, None)))[1].tolist()[0] == 900
    assert rp.simulate(jobs, estimates=longest).provenance["estimates"] == repr(longest)
    with pytest.raises(
        rp.EstimateModel.error, match=r"expected jobs loaded with more=\['requested_time'\]"
    ):
        longest.make(rp.load(path))
