"""A re-run says whether its numbers are those of the committed record."""

import pandas as pd
import pytest
import small_project
from matplotlib.figure import Figure

from replication.report import page, record, rerun

NAME = "heel_and_toe/fig02"
LOGS = ["CTC-SP2", "KTH-SP2-2"]
WAITS = {"CTC-SP2": 1 / 3, "KTH-SP2-2": 2 / 3}


@pytest.fixture
def project(tmp_path, monkeypatch):
    small_project.enter(tmp_path, patch=monkeypatch.setattr)
    small_project.notebook(tmp_path, NAME, [], logs=str(LOGS).replace("'", '"'))
    draw()
    small_project.commit(tmp_path, "figures")
    return tmp_path


def draw(factor=1, logs=LOGS, scale="paper", seed=1, height=2):
    """Draw the item as its notebook would, and return the answer."""
    made = page.Page(NAME, scale=scale, logs=logs, seed=seed)
    rows = [{"trace": log, "policy": "real", "jobs": 6000, "wait": WAITS[log]} for log in logs]
    rows[-1]["wait"] *= factor
    made.table(pd.DataFrame(rows), "Mean wait")
    made.figure(Figure(figsize=(2, height)), "Nothing", name="picture")
    made.opening("We find {ours} min.", ours=rows[-1]["wait"])
    facts = small_project.publish(made)
    return rerun.answer(facts, record.folder(facts["provenance"]["kind"], NAME))


def test_the_same_numbers_are_equal(project):
    assert draw() == "equal to the committed record"
    assert draw(1 + 1e-12) == "equal to the committed record"


def test_another_picture_of_the_same_numbers_is_named(project):
    assert draw(height=3) == "equal to the committed record, but other bytes in fig02-picture.png"


def test_a_difference_is_named_with_both_numbers_and_its_size_however_often_it_is_drawn(project):
    for _ in range(2):
        said = draw(1.5)
        assert said.startswith("2 values differ from the committed record: fig02.csv, KTH-SP2-2")
        assert "wait 1.0, committed 0.666666667 (+50 %)" in said


def test_of_one_log_its_rows_are_compared(project):
    alone = ["KTH-SP2-2"]
    assert draw(logs=alone) == "equal to the committed record in its 1 row of KTH-SP2-2"
    assert "wait 0.733333333, committed 0.666666667 (+10 %)" in draw(1.1, logs=alone)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"seed": 2}, "no verdict: seed 2 (committed: 1)"),
        ({"scale": "quick"}, "no verdict: quick scale"),
        ({"scale": "quick", "logs": ["CTC-SP2"]}, "no verdict: quick scale"),
    ],
)
def test_other_parameters_are_named(project, given, words):
    assert draw(**given) == words


def test_without_a_record_nothing_is_compared(project):
    (project / "figures/heel_and_toe/fig02.json").unlink()
    small_project.commit(project, "figures")
    assert draw() == "no committed record to compare with"
