"""Files are complete or absent, and never replace an input."""

import errno
import gzip
import io
import os

import pytest

from replication.simulator import writing


def test_a_file_is_replaced_and_keeps_its_permissions(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes(b"old")
    path.chmod(0o600)
    with writing.open_output(path) as file:
        file.write(b"new")
        assert path.read_bytes() == b"old"
    assert (path.read_bytes(), path.stat().st_mode & 0o777) == (b"new", 0o600)
    with pytest.raises(OSError, match="No space left on device: '.*table.csv'"):
        with writing.open_output(path) as file:
            file.write(b"half")
            raise OSError(errno.ENOSPC, "No space left on device")
    assert path.read_bytes() == b"new"
    assert os.listdir(tmp_path) == ["table.csv"]
    before = os.umask(0o027)
    try:
        writing.write(tmp_path / "new.csv", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "new.csv").stat().st_mode & 0o777 == 0o640


def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "link").symlink_to("file")
    writing.write(tmp_path / "link", b"content")
    assert (tmp_path / "link").is_symlink() and (tmp_path / "file").read_bytes() == b"content"


def test_equal_content_is_an_equal_compressed_file(tmp_path):
    for name in ("a.gz", "b.gz"):
        writing.write(tmp_path / name, b"content")
    assert (tmp_path / "a.gz").read_bytes() == (tmp_path / "b.gz").read_bytes()
    assert gzip.decompress((tmp_path / "a.gz").read_bytes()) == b"content"


def test_standard_output_and_open_files(capsysbinary):
    writing.write("-", b"text")
    assert capsysbinary.readouterr().out == b"text"
    with writing.open_output(file := io.BytesIO()) as out:
        assert out is file


@pytest.mark.parametrize("how", ["itself", "link", "hard link", "dots"])
def test_an_input_is_never_overwritten(tmp_path, how):
    log = tmp_path / "log.swf"
    log.write_bytes(b"jobs")
    target = tmp_path / "target"
    if how == "link":
        target.symlink_to(log)
    elif how == "hard link":
        target.hardlink_to(log)
    else:
        target = {"itself": log, "dots": tmp_path / ".." / tmp_path.name / "log.swf"}[how]
    with pytest.raises(writing.OutputError, match="is the input .*log.swf; expected another file"):
        with writing.open_output(target, [tmp_path / "none.swf", log]):
            pass
    assert log.read_bytes() == b"jobs"


def test_an_irregular_file_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    for target in ("/dev/null", tmp_path / "pipe"):
        with pytest.raises(writing.OutputError, match="not a regular file; expected a file, or -"):
            writing.check(target)
    with pytest.raises(IsADirectoryError):
        writing.check(tmp_path)
    with pytest.raises(FileNotFoundError, match="the folder does not exist"):
        writing.check(tmp_path / "none" / "table.csv")
