"""The command on programs and schedulers that follow the sentences, break one, or fail."""

import json

import pytest

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
    assert code == 2 and "E2.csv:2: start 'x'; expected" in err


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
        (["--command", "nothing {swf} {out}"], "nothing: No such file"),
        (["--command", "cat {swf}"], "'cat {swf}' has no {out}"),
        (["--command", "ls {swf} {out}"], "E2.swf: ls ended with exit code 2: ls"),
        (["--command", "true {swf} {out}"], "E2.swf: true wrote no file {out}"),
        (["--command", "touch {swf} {out}"], "E2.csv:1: 'empty'; expected a header"),
        (["--command", "cp {swf} {out}"], "E2.csv:1: '; Version: 2.2'; expected"),
        (["--command", "t {swf} {out}", "--scheduler", "easy"], "expected one of them"),
        (["--lik", "easy"], "No such option"),
    ],
)
def test_errors_are_one_line(capsys, words, message):
    code, out, err = run(capsys, *words)
    assert code == 2 and out == "" and message in err and err.count("\n") == 1
