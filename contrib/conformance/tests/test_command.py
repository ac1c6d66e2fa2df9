"""The commands on programs that follow the sentences, break one, or fail."""

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest
from command import run

from conformance import suite

FOLDER = Path(__file__).resolve().parent.parent
AWK = f"awk -v out={{out}} -f '{FOLDER}/easy.awk' {{swf}}"


def test_a_program_that_follows_the_sentences_and_one_that_breaks_e11(capsys):
    code, out, _ = run(capsys, "test", "--command", AWK)
    assert (code, out) == (0, "27 of 27 schedules are as expected\n")
    strict = AWK.replace("awk -v", "awk -v strict=1 -v", 1)
    code, out, _ = run(capsys, "test", "--command", strict, "--json")
    facts = json.loads(out)
    failure = facts["failed"][0]
    assert code == 1 and (failure["log"], failure["sentence"], failure["job"]) == ("E11a", "E11", 5)
    assert (failure["start"], failure["expected"]) == (10, 6)
    assert "before the shadow time" in facts["diagnosis"][0]


def test_a_zip_runs_alone(tmp_path):
    packed = tmp_path / "conformance.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for path in FOLDER.rglob("*"):
            if path.is_file() and "tests" not in path.parts and "__pycache__" not in path.parts:
                archive.write(path, path.relative_to(FOLDER))
    python = [sys.executable, "-S", "-I", "-B", str(packed)]
    args = [*python, "test", "--command", AWK, "--badge", "easy.svg", "--html", "easy.html"]
    done = subprocess.run(args, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        "27 of 27 schedules are as expected\n",
        "",
    )
    assert json.loads((tmp_path / "easy.json").read_text())["message"] == "27 of 27"
    assert "as expected" in (tmp_path / "easy.html").read_text()


def copy_of(path):
    """Return a command that writes a file as it is."""
    return f"sh -c 'cp {path} {{out}}' {{swf}}"


@pytest.fixture
def answer(monkeypatch):
    """The first log of EASY as the only one; returns its right answer."""
    chosen = suite.choose("easy")[:1]
    monkeypatch.setattr(suite, "choose", lambda *args: chosen)
    return suite.read("schedules/E2a.csv").splitlines()


HEADER = "job_id,start"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("{right}\n1,1,1,1,1", "job '1' again; expected each job once"),
        ("{right}\n99,0,5,6,2", "job '99'; expected the 5 jobs of the log"),
        (f"{HEADER}\n1,nan", ":2: start 'nan'; expected"),
        (f"{HEADER}\n1,1e999", ":2: start '1e999'; expected"),
        ("start,job_id\n5", "job ''; expected the 5 jobs"),
        (f"{HEADER},start\n1,5,0", ":1: 'job_id,start,start'; expected"),
        (f"{HEADER}\n1,\0" + "5", ":2: start"),
        (f"{HEADER}\n1,\udcff" + "5", ":2: start"),
        (f"{HEADER}\n" + "x" * 200_000 + ",5", "larger than field limit"),
        (f'{HEADER}\n"1,5', ":2: start ''"),
        ("", ":1: 'empty'; expected"),
    ],
    ids=lambda text: text[:20],
)
def test_a_file_other_than_the_starts_of_the_jobs_is_refused(
    capsys, answer, tmp_path, content, message
):
    text = content.replace("{right}", "\n".join(answer))
    (tmp_path / "x.csv").write_bytes(text.encode(errors="surrogateescape"))
    code, out, err = run(capsys, "test", "--command", copy_of(tmp_path / "x.csv"))
    assert code == 2 and out == "" and message in err and err.count("\n") == 1


@pytest.mark.parametrize("change", ["\ufeff{}", "{}\n\n"])
def test_spellings_of_the_right_file_pass(capsys, answer, tmp_path, change):
    (tmp_path / "x.csv").write_text(change.format("\r\n".join(answer)), encoding="utf-8")
    assert run(capsys, "test", "--command", copy_of(tmp_path / "x.csv"))[0] == 0


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ('mkfifo "$2"', "wrote no file {out}"),
        ("printf '\\377\\033[31m' >&2; exit 1", "exit code 1: '\ufffd\\x1b[31m'"),
        ("kill -9 $$", "exit code -9: no message"),
        ("sleep 30", "ran longer than 1 s"),
        ("sleep 30 & exit 3", "exit code 3"),
    ],
)
def test_programs_that_fail_end_in_one_line(capsys, answer, tmp_path, monkeypatch, body, message):
    if "ran longer" in message:
        monkeypatch.setattr(suite, "LONGEST", 1)
    (tmp_path / "p.sh").write_text(body)
    code, out, err = run(capsys, "test", "--command", f"sh {tmp_path}/p.sh {{swf}} {{out}}")
    assert code == 2 and out == "" and message in err and err.count("\n") == 1


def test_a_job_that_is_left_out_never_starts(capsys, answer, tmp_path):
    (tmp_path / "short.csv").write_text("job_id,start\n1,0\n")
    code, out, _ = run(capsys, "test", "--command", copy_of(tmp_path / "short.csv"))
    assert code == 1 and "E2a: job 2 never starts; expected 1 s" in out


def test_the_order_of_the_file_is_no_defect_and_a_convention_is_told(capsys, tmp_path):
    by_number = " || (submit[a] == submit[b] && id[a] < id[b])"
    source = (FOLDER / "easy.awk").read_text()
    assert by_number in source
    program = tmp_path / "ties.awk"
    command = AWK.replace(f"{FOLDER}/easy.awk", str(program))
    program.write_text(source.replace(by_number, ""))
    assert run(capsys, "test", "--command", command)[0] == 0
    program.write_text(source.replace("id[a] < id[b]", "id[a] > id[b]"))
    code, out, _ = run(capsys, "test", "--command", command)
    assert code == 1 and "state it with --rule listed=highest-number" in out
    code, out, _ = run(capsys, "test", "--rule", "listed=highest-number", "--command", command)
    assert code == 0


def test_a_program_is_told_the_rules_of_each_log(capsys, tmp_path):
    script = "import sys\nopen(sys.argv[2], 'w').write('job_id,start\\n')\n"
    script += f"open({str(tmp_path / 'told')!r}, 'a').write(sys.argv[3] + '\\n')\n"
    (tmp_path / "p.py").write_text(script)
    command = f"'{sys.executable}' '{tmp_path}/p.py' {{swf}} {{out}} {{rules}}"
    code, out, _ = run(capsys, "test", "--level", "orders", "--command", command)
    told = (tmp_path / "told").read_text().splitlines()
    assert code == 1 and out.startswith("0 of 22 ")
    assert told.count("order=shortest waiting-limit=5") == 4 and len(told) == 22


@pytest.mark.parametrize(
    ("args", "message"),
    [
        (["--level", "x"], "--level x; expected one of fcfs, easy, predictions"),
        (["--level", "orders"], "expected --rule for one of these, or {rules}"),
        (["--rule", "events=x"], "rule events=x; expected one of together, one-by-one, by-plan"),
        (["--rule", "event=x"], "rule 'event'; expected one of "),
        (
            ["--rule", "waiting-limit=-1"],
            "rule waiting-limit=-1; expected none or a whole number from 0",
        ),
        (["--rule", "strict"], "rule 'strict'; expected NAME=VALUE"),
    ],
)
def test_unknown_levels_and_rules_are_refused(capsys, args, message):
    code, out, err = run(capsys, "test", "--command", AWK, *args)
    assert code == 2 and out == "" and message in err and err.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("", "--command '' has no {swf}"),
        ("x '{swf} {out}", "No closing quotation"),
        ("x\0 {swf} {out}", "null byte"),
        ("nothing {swf} {out}", "'nothing': No such file"),
        ("cat {swf}", "'cat {swf}' has no {out}"),
    ],
)
def test_errors_are_one_line(capsys, command, message):
    code, out, err = run(capsys, "test", "--command", command)
    assert code == 2 and out == "" and message in err and err.count("\n") == 1


def test_each_log_can_be_shown(capsys):
    for log in suite.logs():
        code, out, _ = run(capsys, "show", log.name)
        assert code == 0 and log.sentence + ": " in out
    assert run(capsys, "show")[1].count("\n") > 20
    assert run(capsys, "show", "E99")[0] == 2
