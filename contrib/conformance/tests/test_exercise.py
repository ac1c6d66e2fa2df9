"""The exercise: a right pass gets all logs, and the first failure has a hint."""

import json
from pathlib import Path
from types import SimpleNamespace

import pytest

import exercise
from conformance import suite

FOLDER = Path(__file__).resolve().parent.parent


def reservation(head, running, free, now):
    """Return shadow time and extra processors."""
    for shadow in sorted({max(job.start + job.estimate, now) for job in running}):
        ended = [job for job in running if max(job.start + job.estimate, now) <= shadow]
        available = free + sum(job.size for job in ended)
        if available >= head.size:
            return shadow, available - head.size


def right(now, queue, running, free):
    """EASY."""
    started, shadow, extra = [], None, 0
    for job in queue:
        if shadow is None and job.size > free:
            now_running = [*running, *started]
            for j in started:
                j.start = now
            shadow, extra = reservation(job, now_running, free, now)
        elif job.size <= free:
            late = shadow is not None and now + job.estimate > shadow
            if not late or job.size <= extra:
                extra -= job.size * late
                free -= job.size
                started.append(job)
    return started


def test_a_right_pass_gets_all_logs():
    assert exercise.grade(right) == 1.0


def test_the_first_failure_has_a_hint(capsys):
    def greedy(now, queue, running, free):
        started = []
        for job in queue:
            if job.size <= free:
                free -= job.size
                started.append(job)
        return started

    assert 0 < exercise.grade(greedy) < 1
    out = capsys.readouterr().out
    assert "your program:" in out and "Hint: " in out


def test_every_sentence_of_the_exercise_has_a_hint():
    logs = [log for level in ("fcfs", "easy") for log, _ in suite.choose(level)]
    assert {log.sentence for log in logs} <= set(exercise.HINTS)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda now, queue, running, free: queue, "processors"),
        (lambda now, queue, running, free: [SimpleNamespace(size=1)], "does not wait"),
        (lambda now, queue, running, free: queue[:1] * 2, "returned twice"),
    ],
)
def test_what_cannot_start_is_said(capsys, wrong, message):
    assert exercise.grade(wrong) < 1
    assert message in capsys.readouterr().out


def test_the_notebook_runs_and_is_no_solution(capsys, monkeypatch):
    monkeypatch.chdir(FOLDER)
    cells = json.loads((FOLDER / "exercise.ipynb").read_text(encoding="utf-8"))["cells"]
    space = {}
    for cell in cells:
        if cell["cell_type"] == "code":
            exec("".join(cell["source"]), space)
    assert space["share"] < 1 and "exercise.grade" in cells[-1]["source"][-1]
    assert "Hint: " in capsys.readouterr().out
