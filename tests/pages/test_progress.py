"""How long it will take: from what it took here, and from the records where others ran here."""

import json

import pytest
import small_project

from replication.report import progress
from replication.simulator import paths


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    folder = tmp_path / "figures/heel_and_toe"
    folder.mkdir(parents=True)
    for name, seconds in (("fig04", 96.0), ("fig05", 16.0)):
        (folder / f"{name}.json").write_text(json.dumps({"run": {"seconds": seconds}}))
    return tmp_path


def keep(content):
    paths.BUILD.mkdir()
    (paths.BUILD / "seconds.json").write_text(content)


def test_before_anything_ran_nothing_is_said(project):
    scales = {"heel_and_toe/fig04": "paper", "heel_and_toe/fig05": "paper"}
    made = progress.Progress(scales, 1)
    assert made.intention() == progress.UNKNOWN
    assert "left" not in made.line()
    assert made.order() == ["heel_and_toe/fig05", "heel_and_toe/fig04"]


def test_what_it_took_here_goes_before_what_the_record_says(project):
    keep('{"heel_and_toe/fig04 paper": 7.0}')
    made = progress.Progress({"heel_and_toe/fig04": "paper"}, 1)
    assert made.expected("heel_and_toe/fig04") == 7.0
    assert made.intention() == "about 7 s (times kept here for 1 of 1)"


def test_one_that_has_not_run_takes_longer_than_recorded_as_those_that_have(project):
    keep('{"heel_and_toe/fig04 paper": 200.0, "heel_and_toe/fig04 quick": 8.0}')
    scales = {"heel_and_toe/fig04": "paper", "heel_and_toe/fig05": "paper"}
    made = progress.Progress(scales, 1)
    assert made.expected("heel_and_toe/fig05") == 200 / (progress.STARTS + 96) * (
        progress.STARTS + 16
    )
    assert made.intention() == "about 4 min 00 s (times kept here for 1 of 2)"
    # At quick scale there are no records: as long as the others.
    assert progress.Progress({"heel_and_toe/fig05": "quick"}, 1).left() == "about 8 s"


def test_what_it_took_is_kept_for_the_next_run_and_for_the_rest_of_this(project, capsys):
    scales = {"heel_and_toe/fig04": "quick", "heel_and_toe/fig05": "quick"}
    made = progress.Progress(scales, 1)
    made.start("heel_and_toe/fig04")
    assert "0 of 2 done" in made.line() and "running heel_and_toe/fig04 for" in made.line()
    made.end("heel_and_toe/fig04", 3.21, "drawn")
    assert capsys.readouterr().out == "drawn\n"
    assert made.line().endswith("; about 3 s left")
    again = progress.Progress({"heel_and_toe/fig04": "quick"}, 1)
    assert again.intention().startswith("about 3 s")


@pytest.mark.parametrize("content", ["", '{"heel_and_toe/fig04 quick": 7', "[7]", '{"a": "7"}'])
def test_kept_times_that_are_damaged_are_taken_anew_in_a_line(project, capsys, content):
    keep(content)
    assert progress.Progress({"heel_and_toe/fig04": "quick"}, 1).left() == ""
    assert "seconds.json: damaged; the times are taken anew" in capsys.readouterr().err
