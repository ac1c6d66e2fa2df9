"""The command on programs and schedulers that follow the sentences, break one, or fail."""

import json

import pytest

from replication_conformance import cases
from replication_conformance.cases import FOLDER
from replication_conformance.cli import main

AWK = f"awk -v out={{out}} -f '{FOLDER}/easy.awk' {{swf}}"
SCHEDULER = """import replication as rp

class Mine(rp.PythonScheduler):
    def schedule(self, now):
        while self.queue and self.queue[0].size <= self.free:
            self.begin(self.queue[0])
"""


def run(capsys, *words):
    """Return exit code, output and errors."""
    return main(list(map(str, words))), *capsys.readouterr()


def test_a_program_that_follows_the_sentences_and_one_that_breaks_e11(capsys):
    code, out, _ = run(capsys, "--command", AWK)
    assert (code, out) == (0, "23 of 23 schedules are as expected\n")
    strict = AWK.replace("awk -v", "awk -v strict=1 -v", 1)
    code, out, _ = run(capsys, "--command", strict, "--json")
    first = json.loads(out)["failed"][0]
    assert code == 1 and (first["log"], first["sentence"], first["job"]) == ("E11a", "E11", 5)
    assert (first["start"], first["expected"], first["page"]) == (10, 6, "docs/semantics.md")


def test_a_program_that_leaves_a_job_out(capsys, tmp_path):
    (tmp_path / "short.csv").write_text("job_id,start\n1,0\n")
    command = f"sh -c 'cp {tmp_path}/short.csv {{out}}' {{swf}}"
    code, out, _ = run(capsys, "--command", command)
    assert code == 1 and "E3.swf: job 2 never starts; expected" in out
    (tmp_path / "short.csv").write_text("job_id,start\n1,x\n")
    code, _, err = run(capsys, "--command", command)
    assert code == 2 and "E2a.csv:2: start 'x'; expected" in err


def copy_of(path):
    """Return a command that writes a file as it is."""
    return f"sh -c 'cp {path} {{out}}' {{swf}}"


@pytest.fixture
def first(monkeypatch):
    """The first log of EASY as the only one; returns its right answer."""
    one = cases.entries("easy")[:1]
    monkeypatch.setattr(cases, "entries", lambda like=None: one)
    return (FOLDER / "schedules" / f"{one[0]['name']}.csv").read_text().splitlines()


HEADER = "job_id,start"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("{right}\n1,1,1,1,1", "job '1' again; expected each job once"),
        ("{right}\n99,0,5,6,2", "job '99'; expected the 5 jobs of the log"),
        (f"{HEADER}\n1,nan", ":2: start 'nan'; expected"),
        (f"{HEADER}\n1,1_0", ":2: start '1_0'; expected"),
        (f"{HEADER}\n1,", ":2: start ''; expected"),
        ("start,job_id\n5", "job ''; expected the 5 jobs"),
        (f"{HEADER},start\n1,5,0", ":1: 'job_id,start,start'; expected"),
        (f"{HEADER}\n1,\0" + "5", ":2: start"),
        (f"{HEADER}\n1,\udcff" + "5", ":2: start"),
        (f"{HEADER}\n" + "x" * 200_000 + ",5", "larger than field limit"),
        (f'{HEADER}\n"1,5', ":2: start ''"),
        ("", ":1: 'empty'; expected"),
    ],
)
def test_a_file_other_than_the_starts_of_the_jobs_is_refused(
    capsys, first, tmp_path, content, words
):
    text = content.replace("{right}", "\n".join(first))
    (tmp_path / "x.csv").write_bytes(text.encode(errors="surrogateescape"))
    code, out, err = run(capsys, "--command", copy_of(tmp_path / "x.csv"))
    assert code == 2 and out == "" and words in err and err.count("\n") == 1


@pytest.mark.parametrize("change", ["\ufeff{}", "{}\n\n"])
def test_spellings_of_the_right_file_pass(capsys, first, tmp_path, change):
    (tmp_path / "x.csv").write_text(change.format("\r\n".join(first)), encoding="utf-8")
    assert run(capsys, "--command", copy_of(tmp_path / "x.csv"))[0] == 0


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ('mkfifo "$2"', "wrote no file {out}"),
        ('mkdir "$2"', "wrote no file {out}"),
        ('ln -s /nowhere "$2"', "wrote no file {out}"),
        ("printf '\\377\\033[31m' >&2; exit 1", "exit code 1: '\ufffd\\x1b[31m'"),
        ("kill -9 $$", "exit code -9: no message"),
        ("sleep 30", "ran longer than 1 s"),
        ("sleep 30 & exit 3", "exit code 3"),
    ],
)
def test_programs_that_fail_end_in_one_line(capsys, first, tmp_path, monkeypatch, body, words):
    if "ran longer" in words:
        monkeypatch.setattr(cases, "LONGEST", 1)
    (tmp_path / "p.sh").write_text(body)
    code, out, err = run(capsys, "--command", f"sh {tmp_path}/p.sh {{swf}} {{out}}")
    assert code == 2 and out == "" and words in err and err.count("\n") == 1


def test_a_program_gets_a_copy_of_the_log(capsys, first, tmp_path):
    logs = {path: path.read_bytes() for path in (FOLDER / "logs").iterdir()}
    (tmp_path / "p.sh").write_text(f'echo x > "$1"; cp {FOLDER}/schedules/E2a.csv "$2"')
    assert run(capsys, "--command", f"sh {tmp_path}/p.sh {{swf}} {{out}}")[0] == 0
    assert all(path.read_bytes() == content for path, content in logs.items())


def test_the_order_of_simultaneous_jobs_is_named_first(capsys, tmp_path):
    by_number = " || (submit[a] == submit[b] && id[a] < id[b])"
    source = (FOLDER / "easy.awk").read_text()
    assert by_number in source
    (tmp_path / "as_listed.awk").write_text(source.replace(by_number, ""))
    as_listed = AWK.replace(f"{FOLDER}/easy.awk", f"{tmp_path}/as_listed.awk")
    code, out, _ = run(capsys, "--command", as_listed)
    lines = out.splitlines()
    assert code == 1 and lines[0].startswith("E4 first: ") and lines[2].startswith("E4.swf: ")
    assert (lines[1], len(lines)) == ("22 of 23 schedules are as expected", 3)


def test_logs_with_the_schedules_of_options(capsys):
    code, out, _ = run(capsys, "--command", AWK, "--like", "easy:events=one-by-one")
    lines = out.splitlines()
    assert code == 1 and lines[0] == "23 of 25 schedules are as expected"
    assert " under easy:events=one-by-one, in the log for sentence E2 of " in lines[1]
    code, out, _ = run(capsys, "--command", AWK, "--kills")
    assert code == 1 and out.startswith("20 of 23 ")


def test_a_scheduler_of_ones_own(capsys, tmp_path):
    (tmp_path / "my_scheduler.py").write_text(SCHEDULER)
    own = ["--import", tmp_path / "my_scheduler.py", "--scheduler", "mine"]
    assert run(capsys, *own, "--like", "fcfs")[0] == 0
    code, out, _ = run(capsys, *own)
    assert code == 1 and ".swf: job " in out and "; expected " in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (
            ["--scheduler", "easy", "--like", "x"],
            "--like x; expected a scheduler of the manifest: ",
        ),
        (["--scheduler", "esay"], "did you mean easy?"),
        (["--command", ""], "--command '' has no {swf}"),
        (["--scheduler", ""], "scheduler"),
        (["--scheduler", "easy", "--like", ""], "--like ; expected a scheduler"),
        (["--command", "x '{swf} {out}"], "No closing quotation"),
        (["--command", "x\0 {swf} {out}"], "null byte"),
        (["--command", "nothing {swf} {out}"], "'nothing': No such file"),
        (["--command", "cat {swf}"], "'cat {swf}' has no {out}"),
        (["--command", "ls {swf} {out}"], "E2a.swf: 'ls' ended with exit code 2: \"ls"),
        (["--command", "true {swf} {out}"], "E2a.swf: 'true' wrote no file {out}"),
        (["--command", "touch {swf} {out}"], "E2a.csv:1: 'empty'; expected a header"),
        (["--command", "cp {swf} {out}"], "E2a.csv:1: '; Version: 2.2'; expected"),
        (["--command", "t {swf} {out}", "--scheduler", "easy"], "expected one of them"),
        (["--lik", "easy"], "No such option"),
        (["--import", "x.py"], "expected --scheduler or --command too"),
        (["--like", "fcfs"], "expected --scheduler or --command too"),
        (["--kills"], "expected --scheduler or --command too"),
    ],
)
def test_errors_are_one_line(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and message in err and err.count("\n") == 1
