"""A short fuzz test of the SWF reader and the command line: valid output, or one line that states the problem."""

import contextlib
import gzip
import io

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import replication as rp
from replication.__main__ import main

LINE = "1 0 0 60 1 -1 -1 1 120 -1 1 1 1 1 1 -1 -1 -1"
tokens = st.sampled_from(["0", "-1", "1.0", "3.14", "1e3", "nan", "-2", ".", "9" * 30, "x"])
rows = st.tuples(st.integers(1, 9), st.integers(0, 17), tokens).map(
    lambda row: " ".join([str(row[0]), *LINE.split()[1 : row[1]], row[2], *LINE.split()[row[1] :]])
)
lines = st.lists(rows | st.just(LINE) | st.text("0123456789 -.;\t\rx", max_size=40), max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


quick = settings(
    deadline=None,
    derandomize=True,
    max_examples=100,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


@quick
@given(lines, st.booleans(), st.integers(0, 200))
def test_a_log_is_read_or_refused_in_one_line(folder, lines, packed, cut):
    content = "\n".join(["; MaxProcs: 8", LINE, *lines]).encode()
    content = gzip.compress(content)[: -cut or None] if packed else content[: -cut or None]
    path = folder / "log.swf"
    path.write_bytes(content)
    try:
        workload = rp.load(path, bad_lines="skip", drop=["no-run-time", "no-processors"])
    except ValueError as error:
        assert str(error).isprintable() and len(str(error)) < 2000
        return
    assert len(workload) >= 1
    assert (workload.processors >= 1).all() and (workload.run_time >= 0).all()


options = st.sampled_from(["--scheduler", "--estimates", "--seed", "--processors", "--drop"])
words = st.sampled_from(["easy", "fcfs", "easy:predictor=last", "f=2", "1", "-1", "9" * 5000, ""])


@quick
@given(st.lists(st.tuples(options, words)))
def test_a_command_ends_with_a_code_and_one_line(folder, given_options):
    path = folder / "small.swf"
    path.write_text(f"; MaxProcs: 8\n{LINE}\n")
    out, err = io.StringIO(), io.StringIO()
    arguments = ["simulate", str(path), *(word for pair in given_options for word in pair)]
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(arguments)
    assert code in (0, 1, 2)
    assert "Traceback" not in err.getvalue()
    if code == 2:
        assert all(len(line) < 2000 for line in err.getvalue().splitlines())
