"""The result store: rows come back as they were stored, and a sweep goes on without a store."""

import math
import sqlite3
from concurrent.futures import ThreadPoolExecutor

import pytest

import replication as rp
from replication.simulator.sweeps.store import FILE, Store
from tests.workloads import random_jobs

ROWS = {"seed": [1, 2], "wait": [1 / 3, math.inf], "log": ["a", "b"]}
KEYS = [f"{k:064x}" for k in range(4)]


def test_rows_come_back_bit_for_bit(tmp_path):
    with Store(tmp_path) as store:
        store.put(KEYS[0], ROWS)
        store.put(KEYS[1], {"wait": [math.nan]})
    with Store(tmp_path) as store:
        assert store.get(KEYS[0]) == ROWS
        assert math.isnan(store.get(KEYS[1])["wait"][0])
        assert store.get(KEYS[2]) is None
    assert [path.name for path in tmp_path.iterdir()] == [FILE]


def sweep(folder):
    jobs = random_jobs(40, 16, 1600, 500, 500)
    return rp.sweep(jobs, [rp.FCFS(), rp.EASY()], folder=folder, workers=1)["mean_wait"].tolist()


def no_database(folder):
    (folder / FILE).write_bytes(b"x" * 5000)
    return folder


def changed_rows(folder):
    sweep(folder)
    with sqlite3.connect(folder / FILE) as database:
        database.execute("update tasks set rows = substr(rows, 9)")
    database.close()
    return folder


def a_file_for_a_folder(folder):
    (folder / "file").touch()
    return folder / "file"


@pytest.mark.parametrize(
    ("broken", "delete"), [(no_database, True), (changed_rows, True), (a_file_for_a_folder, False)]
)
def test_a_sweep_goes_on_without_a_store_that_cannot_be_used(broken, delete, tmp_path, capsys):
    folder = broken(tmp_path)
    assert sweep(folder) == sweep(None)
    lines = [line for line in capsys.readouterr().err.splitlines() if FILE in line]
    assert len(lines) == 1 and "results are not stored" in lines[0]
    assert ("delete the file" in lines[0]) == delete


def put_many(folder, numbers):
    with Store(folder) as store:
        for k in numbers:
            store.put(f"{k:064x}", {"k": [k]})


def test_two_programs_write_to_one_store(tmp_path):
    """Each has a connection of its own, as processes have."""
    with ThreadPoolExecutor(2) as both:
        list(both.map(put_many, [tmp_path] * 2, [range(200), range(200, 400)]))
    with Store(tmp_path) as store:
        assert [store.get(f"{k:064x}") for k in range(400)] == [{"k": [k]} for k in range(400)]


@pytest.mark.parametrize("stored", ["null", "[]", "7", "{}", '{"seed": [1], "wait": [2]}'])
def test_a_stored_row_of_another_shape_is_absent(stored, tmp_path):
    sweep(tmp_path)
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute("update tasks set rows = ?", (stored,))
    database.close()
    assert sweep(tmp_path) == sweep(None)
