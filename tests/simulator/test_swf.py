"""Job logs in SWF: values, error messages, and counts of skipped lines."""

import bz2
import gzip
import hashlib
import io
import lzma
import os
import re
import sys
import threading
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp
from replication.simulator.logs import registry, swf
from replication.simulator.logs.swf import DECIMAL, FIELDS, KNOWN, SWFError
from tests.odd_logs import ACCEPTED, HEADER, line

LOGS = registry.names()
NUMBER = re.compile(r"-?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,2})?")


def log(folder, *lines, header=HEADER, end="\n", name="log.swf"):
    """A file with these lines."""
    path = folder / name
    text = (header + "".join(job + end for job in lines)).encode()
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


def test_a_job_line_becomes_a_value_in_each_column(tmp_path):
    values = dict(zip(FIELDS, range(100, 118), strict=True))
    values |= {"cpu_time": 142.25, "used_memory": 0.1}
    trace = swf.read(log(tmp_path, "  " + line(**values).replace(" ", " \t ") + "  "))
    assert trace.line.tolist() == [4]
    for name in FIELDS:
        column = getattr(trace, name)
        assert column.tolist() == [values[name]] and not column.flags.writeable
        assert column.dtype == (np.float64 if name in DECIMAL else np.int64)


@pytest.mark.parametrize(
    "field, token, allowed",
    [
        ("run_time", "abc", "whole numbers of at most 18 digits from 0, or -1 for unknown"),
        ("wait", "\0", "whole numbers"),
        ("job_id", "9" * 5000, "whole numbers of at most 18 digits"),
    ],
)
def test_a_wrong_value_is_named_with_line_and_field(tmp_path, field, token, allowed):
    wrong = {"job_id": 2, "submit": 3, "think_time": 7, field: token}
    message = refusal(log(tmp_path, line(1), "", line(**wrong), line(3, 9)))
    place = f", line 6, field {FIELDS.index(field) + 1} ({field}): "
    assert message.startswith(f"{place}{swf.quote(token, 40)}; allowed: {allowed}")
    assert message.isprintable()


TEXT = (HEADER + line()).encode()


@pytest.mark.parametrize(
    "content, message",
    [
        (b"", ": no jobs, an empty file; a job is a line of 18 numbers"),
        (TEXT + b"\n7 7", ", line 5: 2 columns; allowed: 18; 1 of 2 lines cannot be jobs: 1 wrong"),
        (b"some words\n" * 7, ", line 1: 2 columns; allowed: 18; 7 of 7 lines cannot be jobs"),
        (TEXT.decode().encode("utf-16"), "not SWF"),
        (b"\x28\xb5\x2f\xfd\0", "not SWF, but compressed by zstd"),
        (b"PAR1\x15\x04", "not SWF, but a parquet table"),
        (b"JobID|State|Submit\n17|COMPLETED|2026-01-01T00:00:00\n", "output of sacct"),
        (b"submit_time,nodes,end\n5,4,9\n", "not SWF, but a table"),
        (gzip.compress(TEXT, mtime=0)[:-1], ": the gzip is truncated"),
        (gzip.compress(TEXT, mtime=0)[:-6] + b"123456", ": the gzip is damaged"),
    ],
)
def test_a_file_that_is_no_log_is_refused_in_one_line(tmp_path, content, message):
    path = tmp_path / "log.swf"
    path.write_bytes(content)
    assert message in refusal(path)


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
    count = len(sum(bad.values(), []))
    path = log(tmp_path, line(1), line(2), *sum(bad.values(), []), line(3))
    trace = swf.read(path, bad_lines="skip")
    assert trace.bad_lines == {kind: len(lines) for kind, lines in bad.items()}
    assert trace.job_id.tolist() == [1, 2, 3]
    assert trace.line.tolist() == [4, 5, 6 + count]
    message = refusal(path)
    assert f", line 6: 3 columns; allowed: 18; {count} of {count + 3} lines" in message
    assert all(kind in message for kind in bad)
    assert "7 of 7 lines" in refusal(log(tmp_path, *["some words"] * 7), bad_lines="skip")
    for option, value in (("bad_lines", "ignore"), ("times", "exact")):
        with pytest.raises(SWFError, match=f"^{option}.*{value}"):
            swf.read(path, **{option: value})


def test_a_repeated_number_is_named_with_both_lines(tmp_path):
    message = refusal(log(tmp_path, line(1), line(1, 9)))
    assert message.startswith(", line 5, field 1 (job_id): job 1 is already on line 4; allowed")


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("what", ACCEPTED)
def test_unusual_lines_are_read_and_counted(tmp_path, what, end):
    lines, columns, anomalies = ACCEPTED[what]
    trace = swf.read(log(tmp_path, *lines, end=end))
    assert {name: getattr(trace, name).tolist() for name in columns} == columns
    assert trace.anomalies == anomalies


def test_the_first_job_decides_how_many_columns_there_are(tmp_path):
    lines = [line(1) + " 0 3.5", line(9), line(8) + " 1"]
    message = refusal(log(tmp_path, *lines))
    assert ", line 5: 18 columns; allowed: 20, as in the first job; 2 of 3" in message


def test_of_equal_submissions_the_jobs_are_in_the_order_of_their_numbers(tmp_path):
    times = ((4, 10), (3, 5), (2, 10), (1, 5), (9, 10))
    lines = [line(k, at, run_time=k, requested_time=k) for k, at in times]
    jobs = registry.load(log(tmp_path, *lines, line(10, 11, preceding_job=9)))
    assert jobs.job_id.tolist() == [1, 3, 2, 4, 9, 10] and jobs.run_time.tolist()[:2] == [1, 3]
    counts = dict(jobs.cleaning)
    assert (counts["submit-out-of-order"], counts["preceding-job-ignored"]) == (2, 1)


@pytest.mark.parametrize("module", [gzip, lzma, bz2], ids=["gzip", "xz", "bzip2"])
def test_a_compressed_log_is_read_whatever_its_name_and_hashed_decompressed(tmp_path, module):
    for name in ("log.swf", "log.swf.xz", "log"):
        path = tmp_path / name
        path.write_bytes(module.compress(TEXT))
        expected = hashlib.sha256(TEXT).hexdigest()
        assert swf.read(path, sha256=expected).sha256 == expected
        assert registry.load(path, machine=1).name == "log"
        message = refusal(path, sha256="0" * 64)
        assert message == f": sha256 of the decompressed file is {expected}, expected {'0' * 64}"


@pytest.mark.parametrize("name", ["log.swf", "log.swf.gz"])
def test_the_decompressed_size_has_a_limit(tmp_path, monkeypatch, name):
    path = log(tmp_path, *map(line, range(99)), name=name)
    monkeypatch.setattr(swf, "MOST_BYTES", 1 << 10)
    assert refusal(path) == ": too large; allowed: up to 0 MiB decompressed"


def test_pipes_and_standard_input_are_read(tmp_path, monkeypatch):
    path, pipe = log(tmp_path, *map(line, range(1, 2000)), name="log.swf.gz"), tmp_path / "pipe"
    with open(path, "rb", buffering=0) as file:
        monkeypatch.setattr(sys, "stdin", SimpleNamespace(buffer=file))
        assert len(swf.read("-")) == 1999
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(path.read_bytes(),))
    writer.start()
    assert len(registry.load(pipe, machine=1999)) == 1999
    writer.join()


def test_the_header_is_read_by_label(tmp_path):
    header = (
        "; free words\n; Computer: IBM SP2\n; Information: http://one/\n;   http://two/\n;\n"
        "; Queue: 1 a\n; Queue: 2 b\n;       MaxJobs: 1\n;       MaxProcs: 1664 (72, 1368, 224)\n"
        "; Acknowledge: Jos\xe9 and B\n; Note: a\n;   b: c\n"
    )
    path = tmp_path / "log.swf"
    for text in (header.encode("latin-1"), b"\xef\xbb\xbf" + header.encode()):
        path.write_bytes(text + line().encode())
        trace = swf.read(path)
        assert trace.max_procs == 1664
        assert trace.header == {
            "Computer": ["IBM SP2"],
            "Information": ["http://one/\nhttp://two/"],
            "Queue": ["1 a", "2 b"],
            "MaxJobs": ["1"],
            "MaxProcs": ["1664 (72, 1368, 224)"],
            "Acknowledge": ["Jos\xe9 and B"],
            "Note": ["a\nb: c"],
        }


@pytest.mark.parametrize("value", ["many", "8.5", "9" * 40, "1,024", "1 024", "1_024", "1e3"])
def test_a_header_without_a_whole_number_names_no_machine(tmp_path, value):
    path = log(tmp_path, line(), header=f"; MaxProcs: {value}\n")
    assert swf.read(path).max_procs is None
    with pytest.raises(SWFError, match="header field MaxProcs"):
        rp.load(path)
    assert swf.read(log(tmp_path, line(), header="; MaxProcs: 128.\n")).max_procs == 128


def test_a_comment_keeps_its_blanks_beside_any_jobs(tmp_path):
    for job in (line(), line(requested_memory="1e-9")):
        assert swf.read(log(tmp_path, job, header="; a \n;\t\n")).comments == (" a ", "\t")


tokens = (
    st.sampled_from("-1 0 -0 -0.0 1. .5 -.5 . - 1e5 nan 0.10".split() + ["9" * 18, "9" * 19])
    | st.integers(-2, 10**20).map(str)
    | st.floats(-2, 1e20).map(str)
    | st.text("-0123456789.e+", min_size=1, max_size=25)
)
whole, whole_or_unknown = st.integers(0, 10**18 - 1), st.integers(-1, 10**18 - 1)
job_lines = st.dictionaries(st.sampled_from(FIELDS), tokens, max_size=2).map(lambda t: line(**t))
decimals = st.just(-1.0) | st.floats(0, allow_infinity=False, allow_nan=False)
comments = st.text(st.characters(exclude_characters="\n\r", exclude_categories=["Cs"]), max_size=20)


@st.composite
def random_traces(draw):
    """Traces of all values the format has."""
    n = draw(st.integers(1, 8))
    kinds = {name: decimals if name in DECIMAL else whole_or_unknown for name in FIELDS[2:]}
    columns = {name: draw(st.lists(kind, min_size=n, max_size=n)) for name, kind in kinds.items()}
    return swf.Trace.from_columns(
        job_id=draw(st.lists(whole, min_size=n, max_size=n, unique=True)),
        submit=draw(st.lists(st.integers(0, 3) | whole, min_size=n, max_size=n)),
        comments=draw(st.lists(comments, max_size=4)),
        **columns,
    )


@settings(deadline=None, max_examples=60)
@given(random_traces(), st.sampled_from(["round.swf", "round.swf.gz"]))
def test_write_and_read_are_inverse(tmp_path_factory, trace, name):
    path = tmp_path_factory.getbasetemp() / name
    swf.write(path, trace)
    again = swf.read(path)
    assert again.comments == trace.comments
    assert all(np.array_equal(getattr(again, name), getattr(trace, name)) for name in FIELDS)
    assert not again.anomalies.keys() - {"preceding_job"}
    content = path.read_bytes()
    swf.write(path, again)
    assert path.read_bytes() == content
    assert not list(path.parent.glob("*.part"))


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


@pytest.mark.parametrize(
    "columns, message",
    [
        ({"wait": [-5, 0]}, "columns, line 1: wait is -5; allowed: whole numbers"),
        ({"wait": [0, 10**18]}, "line 2: wait is 1000000000000000000"),
        ({"cpu_time": [np.nan, 1]}, "line 1: cpu_time is nan"),
        ({"job_id": [3, 3]}, "2 jobs have number 3; expected one"),
        ({"wait": [1]}, "wait is int64[1]; allowed: 2 numbers"),
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
def test_each_token_is_accepted_or_refused_by_the_format(tmp_path_factory, fields):
    path = log(tmp_path_factory.getbasetemp(), line(**fields))
    expected = {name: swf_value(name, token) for name, token in fields.items()}
    wrong = [name for name in FIELDS if name in expected and expected[name] is None]
    if wrong:
        assert f"({wrong[0]}):" in refusal(path)
    else:
        trace = swf.read(path)
        assert {name: getattr(trace, name)[0] for name in expected} == expected


# Random lines may use more processor time than they request.
@pytest.mark.filterwarnings("ignore::replication.simulator.logs.cleaning.UnitWarning")
@settings(deadline=None, max_examples=100)
@given(
    st.lists(job_lines | st.text("0123456789 -.;\t\rx", max_size=40), max_size=8),
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
    facts, trace = registry.info(name), registry.read(name)
    assert (len(trace), trace.sha256) == (facts.jobs, facts.sha256)
    assert trace.max_procs == facts.processors
    assert " and ".join(facts.acknowledge) in trace.header["Acknowledge"][0]
    if name == "LLNL-Thunder":
        assert trace.bad_lines == {"unknown-submission": 1190}
        return
    if name == "Sandia-Ross":
        assert trace.anomalies == {"negative_as_unknown": 3}
        return
    assert not any(trace.anomalies.values())
    by_pandas = pd.read_csv(path, sep=r"\s+", comment=";", header=None, names=FIELDS)
    assert all(np.array_equal(getattr(trace, name), by_pandas[name]) for name in FIELDS)


LONG = "12.000000000000000000 5.0000000000000000001 0.99999999999999999 450359962737049.99".split()
LONG += "123456789012345.0000001 1234567890123.5 9007199254740993 9007199254740993. 5.0".split()


def outcome(text):
    """Return what is read of a log, bad lines left out, or the message of its refusal."""
    try:
        trace = swf.parse(text.encode(), "x", bad_lines="skip")
    except SWFError as error:
        return str(error)
    columns = [getattr(trace, name).tolist() for name in (*FIELDS, "line")]
    return columns, trace.anomalies, list(trace.bad_lines.items()), trace.parts.tolist()


def test_both_parsers_agree():
    """A comment after the jobs asks for the parser that reads line by line: on long fractions, and
    on unknown numbers and submissions, other negative values, and parts of jobs.
    """
    rng = np.random.default_rng(1)
    texts = [f"{line(1, 1)}\n{line(2, token)}\n" for token in LONG]
    for case in range(80):
        n = int(rng.integers(1, 9))
        values = rng.integers(0, 4, (n, 18))
        values[:, 0] = rng.permutation(n) if case % 4 else rng.integers(-1, n, n)
        places = rng.random((n, 18)) < 0.1
        values[places] = rng.integers(-3, 0, places.sum())
        texts.append("".join(" ".join(map(str, row)) + "\n" for row in values))
    for text in texts:
        assert outcome("; MaxProcs: 8\n" + text) == outcome("; MaxProcs: 8\n" + text + "; late\n")


def test_fractions_of_seconds_are_refused_or_rounded(tmp_path):
    odd = {"wait": "0.5", "run_time": "88.4994", "requested_time": "149.0", "think_time": "-1.5"}
    path = log(tmp_path, line(1, "4.709164", **odd), line(2, 7, wait=-1), header="; MaxProcs: 8\n")
    assert "times='round'" in refusal(path)
    trace = swf.read(path, times="round")
    names = ("submit", "wait", "run_time", "requested_time", "think_time")
    assert [getattr(trace, name)[0] for name in names] == [5, 0, 89, 149, -1]
    assert trace.wait[1] == -1
    assert trace.anomalies["rounded_seconds"] == 3


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
