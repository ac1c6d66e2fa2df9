"""Kept results are right or computed again, whatever happens to the files and to those who write them."""

import os
import random
import signal
import subprocess
import sys
import time

import pandas as pd
import pyarrow as pa
import pytest

from replication.simulator import code, kept, paths
from tests.faults import TIMES

#: A task that takes no simulation: its rows depend on its number alone.
TOY = """
import dataclasses, hashlib, sys, time
from replication.simulator import kept

@dataclasses.dataclass(frozen=True)
class Task:
    number: int
    jobs = 1

    @property
    def key(self):
        return hashlib.sha256(str(self.number).encode()).hexdigest()

def compute(task):
    COMPUTED.append(task.number)
    time.sleep(PAUSE)
    rng = range(task.number, task.number + 20)
    return {"log": [f"log {task.number}"] * 20, "seed": [*rng], "wait": [k / 7 for k in rng]}

COMPUTED, PAUSE = [], 0.0

def table(folder, count=40):
    return kept.run([Task(k) for k in range(count)], compute, 2, folder=folder, progress=False)
"""
toy = {}
exec(TOY, toy)  # noqa: S102, the same text runs in other processes


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory):
    """The table of a run that nothing happened to, and the bytes it kept."""
    folder = tmp_path_factory.mktemp("whole")
    table = toy["table"](folder)
    return table, (folder / "001.kept").read_bytes()


@pytest.fixture
def computed():
    """Numbers of the tasks computed in the test."""
    toy["COMPUTED"].clear()
    return toy["COMPUTED"]


def started(folder, pause, **limits):
    """Another process that makes the table; `limits` for its files."""
    limit = (
        f"import resource, signal; signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        f"resource.setrlimit(resource.RLIMIT_FSIZE, ({limits['size']}, {limits['size']}))\n"
        if limits
        else ""
    )
    source = f"{TOY}\n{limit}PAUSE = {pause}\nprint('begun', flush=True)\ntable({str(folder)!r})\n"
    process = subprocess.Popen(
        [sys.executable, "-c", source],
        cwd=paths.ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout.readline() == "begun\n"
    return process


def whole_again(folder, undisturbed):
    """Whether the table is that of the undisturbed run, now and the next time, when nothing is computed."""
    table, _ = undisturbed
    pd.testing.assert_frame_equal(toy["table"](folder), table, check_exact=True)
    toy["COMPUTED"].clear()
    pd.testing.assert_frame_equal(toy["table"](folder), table, check_exact=True)
    assert toy["COMPUTED"] == []
    assert not [path for path in folder.iterdir() if path.name.endswith(".part")]


def test_a_killed_run_goes_on_where_it_was(tmp_path, undisturbed, computed):
    rng = random.Random(5)
    for number in range(TIMES):
        folder = tmp_path / str(number)
        folder.mkdir()
        for _ in range(3):
            process = started(folder, 0.01)
            time.sleep(0.3 * rng.random())
            process.send_signal(signal.SIGKILL)
            process.communicate()
        found = [path.name for path in folder.iterdir() if path.suffix == kept.ENDING]
        assert found in ([], ["001.kept"])
        whole_again(folder, undisturbed)
        assert len(list(folder.glob("*.kept"))) == 1


@pytest.mark.parametrize("share", [0.1, 0.5, 0.9, 0.999])
def test_a_record_that_was_being_written_is_cut_off(tmp_path, undisturbed, computed, capsys, share):
    _, data = undisturbed
    (tmp_path / "001.kept").write_bytes(data[: int(share * len(data))])
    toy["table"](tmp_path)
    assert 0 < len(computed) <= 1 + 40 * (1 - share) + 1
    said = capsys.readouterr().err
    assert said.count("\n") <= 1
    assert "cut off" in said
    whole_again(tmp_path, undisturbed)


def test_two_at_once_write_to_two_files(tmp_path, undisturbed, computed):
    both = [started(tmp_path, 0.005) for _ in range(2)]
    for process in both:
        _, error = process.communicate()
        assert (process.returncode, error) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} <= {"001.kept", "002.kept"}
    whole_again(tmp_path, undisturbed)
    assert computed == []


def test_one_goes_on_while_the_other_writes(tmp_path, undisturbed, computed, capsys):
    other = started(tmp_path, 0.02)
    time.sleep(0.1)
    pd.testing.assert_frame_equal(toy["table"](tmp_path), undisturbed[0])
    other.communicate()
    assert capsys.readouterr().err == ""
    whole_again(tmp_path, undisturbed)


def test_no_flipped_bit_goes_unnoticed(tmp_path, undisturbed, computed, capsys):
    """Wherever the bit is: in a file's beginning, in a head, in the rows."""
    table, data = undisturbed
    rng = random.Random(7)
    places = [*range(0, 140, 9), *(rng.randrange(len(data)) for _ in range(60 * TIMES))]
    for number, place in enumerate(places):
        folder = tmp_path / str(number)
        folder.mkdir()
        bad = bytearray(data)
        bad[place] ^= 1 << rng.randrange(8)
        (folder / "001.kept").write_bytes(bad)
        computed.clear()
        pd.testing.assert_frame_equal(toy["table"](folder), table, check_exact=True)
        assert len(computed) <= 1
        said = capsys.readouterr().err
        assert said.count("\n") == 1
        assert "001.kept" in said
        assert "computed again" in said
        computed.clear()
        pd.testing.assert_frame_equal(toy["table"](folder), table, check_exact=True)
        assert (computed, capsys.readouterr().err) == ([], "")


@pytest.mark.parametrize(
    "content", [b"", b"PAR1 something else", b"replication kept results 1\nnoise"]
)
def test_an_empty_or_foreign_file_is_set_aside(tmp_path, undisturbed, computed, capsys, content):
    (tmp_path / "001.kept").write_bytes(content)
    pd.testing.assert_frame_equal(toy["table"](tmp_path), undisturbed[0])
    assert "set aside as 001.kept.damaged" in capsys.readouterr().err
    assert (tmp_path / "001.kept.damaged").read_bytes() == content
    whole_again(tmp_path, undisturbed)


def test_rows_under_another_tasks_key_are_not_taken(tmp_path, undisturbed, computed, capsys):
    one, other = (toy["Task"](k) for k in (1, 2))
    with kept.Kept(tmp_path) as store:
        store.put(one.key, kept.packed(toy["compute"](one)))
    path = tmp_path / "001.kept"
    path.write_bytes(path.read_bytes().replace(bytes.fromhex(one.key), bytes.fromhex(other.key)))
    with kept.Kept(tmp_path) as store:
        assert store.get(one.key) is None
        assert store.get(other.key) is None


def test_a_full_disk_loses_nothing_that_was_kept(tmp_path, undisturbed, computed):
    process = started(tmp_path, 0, size=20_000)
    _, error = process.communicate()
    assert process.returncode == 1
    assert "File too large" in error
    assert 0 < (tmp_path / "001.kept").stat().st_size <= 20_000
    toy["table"](tmp_path)
    assert 0 < len(computed) < 40
    whole_again(tmp_path, undisturbed)


@pytest.mark.parametrize("known", [0, 10])
def test_a_folder_that_cannot_be_written_to_is_only_read(
    tmp_path, undisturbed, computed, capsys, monkeypatch, known
):
    if known:
        toy["table"](tmp_path, known)
    computed.clear()
    before = {path: path.read_bytes() for path in tmp_path.iterdir()}
    monkeypatch.setattr(kept.os, "access", lambda *_: False)
    pd.testing.assert_frame_equal(toy["table"](tmp_path), undisturbed[0])
    assert len(computed) == 40 - known
    assert {path: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert capsys.readouterr().err.count("new results are not kept") == 1


def test_many_results_lie_in_few_files_and_are_read_in_no_time(tmp_path):
    tasks = [toy["Task"](k) for k in range(3000)]
    rows = kept.packed(toy["compute"](tasks[0]))
    with kept.Kept(tmp_path) as store:
        for task in tasks:
            store.put(task.key, rows)
    begun = time.perf_counter()
    with kept.Kept(tmp_path) as store:
        assert all(store.get(task.key) is not None for task in tasks)
    assert time.perf_counter() - begun < 5
    assert len(list(tmp_path.iterdir())) == 1


def test_rows_come_out_as_they_went_in_many_at_once():
    columns = [
        {"seed": [1, 2], "wait": [0.5, float("nan")], "log": ["a", "b"]},
        {"seed": [3], "wait": [1.5], "log": ["c"]},
        {"seed": [2**70 % 97, -1], "some": [True, False]},
        {"seed": [4], "some": [None]},
        {"parts": [[1], [2, 3]]},
        {"parts": []},
    ]
    tables = kept.unpacked(map(kept.packed, columns))
    assert [len(table) for table in tables] == [3, 2, 1, 2, 0]
    found = [row for table in tables for row in table.to_pylist()]
    given = [dict(zip(one, row, strict=True)) for one in columns for row in zip(*one.values())]
    assert repr(found) == repr(given)
    for one in columns:
        assert kept.unpacked([kept.packed(one)])[0].schema == pa.table(one).schema


def test_a_file_that_is_large_enough_gives_way_to_a_new_one(tmp_path, monkeypatch, computed):
    monkeypatch.setattr(kept, "LARGEST", 10_000)
    whole = toy["table"](tmp_path, 10)
    assert len(toy["table"](tmp_path, 20)) == 2 * len(whole)
    assert len(toy["table"](tmp_path, 60)) == 6 * len(whole)
    assert len(list(tmp_path.glob("*.kept"))) > 1
    assert len(computed) == 60


def test_how_results_are_kept_does_not_make_them_stale():
    followed = code.modules("replication.simulator.grid")
    assert not {"replication.simulator.kept", "replication.simulator.writing"} & {*followed}
    assert os.path.basename(kept.RESULTS) == "results"
