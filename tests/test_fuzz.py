"""A short fuzz test of the SWF reader: a workload, or one line that states the problem."""

import gzip

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import replication as rp

LINE = "1 0 0 60 1 -1 -1 1 120 -1 1 1 1 1 1 -1 -1 -1"
tokens = st.sampled_from(["0", "-1", "1.0", "3.14", "1e3", "nan", "-2", ".", "9" * 30, "x"])
rows = st.tuples(st.integers(1, 9), st.integers(0, 17), tokens).map(
    lambda row: " ".join([str(row[0]), *LINE.split()[1 : row[1]], row[2], *LINE.split()[row[1] :]])
)
lines = st.lists(rows | st.just(LINE) | st.text("0123456789 -.;\t\rx", max_size=40), max_size=8)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("fuzz")


@settings(deadline=None, derandomize=True, max_examples=100)
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
