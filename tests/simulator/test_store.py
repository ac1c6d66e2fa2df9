"""The result store: rows come back as they were stored or not at all."""

import math
import multiprocessing
import sqlite3

import pytest

from replication.simulator.sweeps.store import FILE, Store

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


@pytest.mark.parametrize("damaged", ["rows || x'00'", "null", "4000000000", "1.5"])
def test_a_damaged_row_counts_as_missing_and_is_replaced(tmp_path, damaged):
    with Store(tmp_path) as store:
        for key in KEYS[:2]:
            store.put(key, ROWS)
    with sqlite3.connect(tmp_path / FILE) as database:
        database.execute(f"update results set rows = {damaged} where key = ?", KEYS[:1])
        # A row under the key of another task is damaged too.
        other = "insert into results select ?, rows, checksum from results where key = ?"
        database.execute(other, (KEYS[2], KEYS[1]))
    database.close()
    with Store(tmp_path) as store:
        assert [store.get(key) for key in KEYS[:3]] == [None, ROWS, None]
        assert store.damaged == 2
        store.put(KEYS[0], ROWS)
        assert store.get(KEYS[0]) == ROWS


def test_a_file_that_is_no_database_is_renamed(tmp_path, capsys):
    (tmp_path / FILE).write_bytes(b"x" * 5000)
    with Store(tmp_path) as store:
        store.put(KEYS[0], ROWS)
        assert store.get(KEYS[0]) == ROWS
    assert "renamed to results.damaged" in capsys.readouterr().err


def test_a_folder_that_cannot_be_written_to_stores_nothing(tmp_path, capsys):
    (tmp_path / "file").touch()
    with Store(tmp_path / "file") as store:
        store.put(KEYS[0], ROWS)
        assert store.get(KEYS[0]) is None
    assert "new results are not stored" in capsys.readouterr().err


def test_a_file_that_becomes_read_only_is_reported_once(tmp_path, capsys):
    with Store(tmp_path) as store:
        store.put(KEYS[0], ROWS)
        store._connection.execute("pragma query_only = on")
        assert store.get(KEYS[0]) == ROWS
        for key in KEYS[1:]:
            store.put(key, ROWS)
    assert capsys.readouterr().err.count("readonly database; new results are not stored") == 1
    with Store(tmp_path) as store:
        assert [store.get(key) for key in KEYS[:2]] == [ROWS, None]


def test_a_database_that_refuses_a_row_is_kept(tmp_path, capsys):
    with Store(tmp_path) as store:
        store.put(KEYS[0], ROWS)
        refuse = "create trigger t before insert on results begin select raise(abort, 'no'); end"
        store._connection.execute(refuse)
        store.put(KEYS[1], ROWS)
    assert "no; new results are not stored" in capsys.readouterr().err
    with Store(tmp_path) as store:
        assert store.get(KEYS[0]) == ROWS


def put_many(folder, first):
    with Store(folder) as store:
        for k in range(first, first + 200):
            store.put(f"{k:064x}", {"k": [k]})


def test_two_processes_write_to_one_store(tmp_path):
    spawn = multiprocessing.get_context("spawn")
    both = [spawn.Process(target=put_many, args=(tmp_path, first)) for first in (0, 200)]
    for process in both:
        process.start()
    for process in both:
        process.join(60)
    with Store(tmp_path) as store:
        assert [store.get(f"{k:064x}") for k in range(400)] == [{"k": [k]} for k in range(400)]
