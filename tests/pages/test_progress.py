"""How long it will take: from what it took here, else from the records and a calibration."""

import json

import pytest
import small_project

from replication.basics import paths
from replication.pages import progress


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    monkeypatch.setattr(progress, "calibration", lambda: 2 * progress.REFERENCE)
    record = tmp_path / "figures/heel_and_toe/fig04.json"
    record.parent.mkdir(parents=True)
    record.write_text(json.dumps({"run": {"seconds": 10.0}}))
    return tmp_path


def test_what_it_took_here_goes_before_what_the_record_says(project):
    (paths.BUILD).mkdir()
    (paths.BUILD / "seconds.json").write_text(json.dumps({"heel_and_toe/fig04 paper": 7.0}))
    made = progress.Progress({"heel_and_toe/fig04": "paper"}, 1)
    assert made.expected("heel_and_toe/fig04") == 7.0
    assert made.intention() == "about 7 s (times kept here for 1)"


def test_a_first_run_takes_what_the_record_says_on_this_machine_and_what_nobody_has_kept(project):
    scales = {"heel_and_toe/fig04": "paper", "heel_and_toe/fig99": "paper"}
    first = progress.Progress(scales, 1)
    assert first.expected("heel_and_toe/fig04") == 2 * (progress.STARTS + 10 + 600)
    assert first.order() == ["heel_and_toe/fig99", "heel_and_toe/fig04"]
    assert "about 22 min 28 s (no times kept here yet; this machine takes 2.0" in first.intention()
    (paths.BUILD / "results").mkdir(parents=True)
    (paths.BUILD / "results/kept").touch()
    again = progress.Progress(scales, 1)
    assert again.expected("heel_and_toe/fig04") == 2 * (progress.STARTS + 10)


def test_what_it_took_is_kept_for_the_next_run(project, capsys):
    made = progress.Progress({"heel_and_toe/fig04": "quick"}, 1)
    made.start("heel_and_toe/fig04")
    assert "0 of 1 done" in made.line() and "running heel_and_toe/fig04 for" in made.line()
    made.end("heel_and_toe/fig04", 3.21, "drawn")
    assert capsys.readouterr().out == "drawn\n"
    assert progress.Progress({"heel_and_toe/fig04": "quick"}, 1).intention().startswith("about 3 s")


def test_the_calibration_is_a_real_piece_of_work():
    assert 0 < progress.calibration() < 60


@pytest.mark.parametrize("content", ["", '{"heel_and_toe/fig04 quick": 7', "[7]", '{"a": "7"}'])
def test_kept_times_that_are_damaged_are_taken_anew_in_a_line(project, capsys, content):
    paths.BUILD.mkdir()
    (paths.BUILD / "seconds.json").write_text(content)
    made = progress.Progress({"heel_and_toe/fig04": "quick"}, 1)
    assert made.expected("heel_and_toe/fig04") == 2 * progress.GUESS["quick"]
    assert "seconds.json: damaged; the times are taken anew" in capsys.readouterr().err
