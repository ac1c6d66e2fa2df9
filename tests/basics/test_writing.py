"""Every output is written in one way: whole, through what is no file, never over an input."""

import csv
import io
import os
import stat
import subprocess
import sys
import threading

import pandas as pd
import pytest

from replication.simulator import paths, writing


def left_behind(folder):
    """Hidden files of unfinished writing."""
    return [path.name for path in folder.iterdir() if path.name.startswith(".")]


@pytest.fixture(autouse=True)
def cleaned_anew():
    """Each test is a process of its own as far as cleaning goes."""
    writing._clean_once.cache_clear()


def test_a_file_is_replaced_whole(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")
    path.chmod(0o640)
    with writing.opened(path) as file:
        file.write(b"after")
        file.flush()
        assert path.read_bytes() == b"before"
    assert path.read_bytes() == b"after"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640
    assert left_behind(tmp_path) == []


def test_what_fails_leaves_the_file_as_it_was(tmp_path):
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")
    with pytest.raises(RuntimeError), writing.opened(path) as file:
        file.write(b"half")
        raise RuntimeError
    assert path.read_bytes() == b"before"
    assert left_behind(tmp_path) == []


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "away").mkdir()
    for name in ("there.csv", "not-yet.csv"):
        link = tmp_path / f"link-to-{name}"
        link.symlink_to(tmp_path / "away" / name)
        writing.write(link, b"after")
        assert link.is_symlink()
        assert (tmp_path / "away" / name).read_bytes() == b"after"


def test_a_device_is_written_through(tmp_path):
    before = os.stat("/dev/null")
    writing.write("/dev/null", b"gone")
    link = tmp_path / "null"
    link.symlink_to("/dev/null")
    writing.write(link, b"gone")
    assert os.path.samestat(os.stat("/dev/null"), before)
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)
    assert link.is_symlink()


def test_a_pipe_is_written_through(tmp_path):
    pipe, read = tmp_path / "pipe", []
    os.mkfifo(pipe)
    reader = threading.Thread(target=lambda: read.append(pipe.read_bytes()))
    reader.start()
    writing.write(pipe, b"through")
    reader.join(10)
    assert read == [b"through"]
    assert stat.S_ISFIFO(pipe.stat().st_mode)


@pytest.mark.parametrize("name", ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"])
@pytest.mark.parametrize("to", ["pipe", "file"])
def test_standard_output_is_written_through(tmp_path, name, to):
    code = f"from replication.simulator import writing; writing.write({name!r}, b'table\\n'); print('said')"
    if to == "pipe":
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, cwd=paths.ROOT)
        assert done.stdout == b"table\nsaid\n", done.stderr
        return
    path = tmp_path / "out"
    path.write_bytes(b"first\n")
    with open(path, "ab") as file:
        subprocess.run([sys.executable, "-c", code], stdout=file, cwd=paths.ROOT, check=True)
    assert path.read_bytes() == b"first\ntable\nsaid\n"


@pytest.mark.parametrize("how", ["itself", "link", "hard", "dots"])
def test_an_input_is_never_overwritten(tmp_path, how):
    log = tmp_path / "log.swf"
    log.write_bytes(b"jobs")
    other = tmp_path / "other.swf"
    if how == "link":
        other.symlink_to(log)
    elif how == "hard":
        os.link(log, other)
    target = {"itself": log, "dots": tmp_path / ".." / tmp_path.name / "log.swf"}.get(how, other)
    with pytest.raises(writing.OutputError, match=r"log\.swf; allowed: to write to another file"):
        with writing.opened(target, [tmp_path / "none.swf", log]):
            raise AssertionError("it was opened")
    assert log.read_bytes() == b"jobs"
    writing.check("/dev/null", inputs=["/dev/null"])


def test_errors_name_what_the_person_named(tmp_path):
    for target, error in (
        (tmp_path, IsADirectoryError),
        (tmp_path / "none" / "a.csv", FileNotFoundError),
        ("/dev/full", OSError),
        ("/proc/replication.csv", OSError),
    ):
        with pytest.raises(error) as failed, writing.opened(target) as file:
            file.write(b"some")
        assert failed.value.filename == str(target)


def test_a_full_disk_names_the_file_and_leaves_nothing(tmp_path):
    code = (
        "import resource, signal, sys; from replication.simulator import writing\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))\n"
        "try: writing.write(sys.argv[1], b'x' * 5000)\n"
        "except OSError as error: print(error.filename)"
    )
    path = tmp_path / "a.csv"
    path.write_bytes(b"before")
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)], capture_output=True, text=True, cwd=paths.ROOT
    )
    assert done.stdout.strip() == str(path), done.stderr
    assert path.read_bytes() == b"before"
    assert left_behind(tmp_path) == []


def test_what_a_killed_run_left_is_removed_and_nothing_else(tmp_path):
    code = (
        "import os, signal, sys; from replication.simulator import writing\n"
        "with writing.opened(sys.argv[1]) as file:\n"
        "    file.write(b'half'); file.flush(); os.kill(os.getpid(), signal.SIGKILL)"
    )
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.csv")], cwd=paths.ROOT)
    assert len(left_behind(tmp_path)) == 1
    (tmp_path / ".mine.part").write_bytes(b"")
    with writing.claimed(tmp_path) as (descriptor, living):
        writing._clean_once.cache_clear()
        writing.write(tmp_path / "b.csv", b"whole")
        assert sorted(left_behind(tmp_path)) == sorted([".mine.part", living.name])
        os.close(descriptor)
    assert left_behind(tmp_path) == [".mine.part"]


def test_one_of_many_at_once_creates(tmp_path):
    path, made = tmp_path / "key", []
    threads = [
        threading.Thread(target=lambda k=k: made.append((writing.create(path, b"%d" % k), k)))
        for k in range(20)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [b"%d" % k for new, k in made if new] == [path.read_bytes()]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize(
    "text",
    ["=HYPERLINK(1)", "@SUM(1)", "+1+cmd|' /C calc'!A0", "-2+3", "-A1", "\t=1", "+SUM(A1)", "-"],
)
def test_what_would_be_a_formula_is_text(text):
    table = writing.frame_csv(pd.DataFrame({"log": [text, "KTH"], "wait": [-1.5, 2]}))
    assert list(csv.reader(io.StringIO(table.decode())))[1] == [f"'{text}", "-1.5"]


@pytest.mark.parametrize(
    "cell", ["-0.5", "+3", "-1e-5", "-0.1 (-0.2 to +0.3)", "-43.1 points (-4 to -2)", "a=b", "", -1]
)
def test_numbers_and_words_are_left_as_they_are(cell):
    assert writing.as_text(cell) == cell


def test_no_committed_table_would_change():
    for path in paths.FIGURES.rglob("*.csv"):
        with open(path, newline="", encoding="utf-8") as file:
            assert all(writing.as_text(cell) == cell for row in csv.reader(file) for cell in row), (
                path
            )
