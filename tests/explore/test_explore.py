"""The explorer without a browser: walks, schedules, controls and the pictures' boxes."""

import gzip
import json
import subprocess
import sys

import nbformat
import numpy as np
import pytest
from hypothesis import given, settings

import replication as rp
from notebooks.explorer import model, steps
from replication.simulator import paths
from replication.verdicts import published
from tests.reference import observation as reference_observed
from tests.workloads import workloads

LOG = "log.swf"


@pytest.fixture
def tools():
    """The module with the widgets, where the packages of the extra ``lab`` are installed."""
    pytest.importorskip("plotly")
    return pytest.importorskip("notebooks.explorer.widgets")


@pytest.fixture
def log(monkeypatch):
    """Four hundred generated jobs in place of a log."""
    draw = np.random.default_rng(1)
    run_time = draw.integers(0, 40_000, 400)
    submit = np.sort(draw.integers(0, 25 * 86400, 400))
    estimate, user = run_time * draw.integers(1, 5, 400), draw.integers(0, 9, 400)
    size = draw.integers(1, 65, 400)
    jobs = rp.Workload.from_columns("made", 64, submit, run_time, size, estimate, user=user)
    monkeypatch.setattr(rp, "load", lambda name: jobs, raising=False)
    model.workload.cache_clear(), model.view.cache_clear()
    yield jobs
    model.workload.cache_clear(), model.view.cache_clear()


def test_opening_walk_has_the_numbers_of_the_paper():
    walk = steps.six_jobs()
    heads = [m for m in walk.moments if m.sight.kind in ("reserved", "backfilled")]
    wild = [m for m in heads if m.wild]
    ours = {
        "reservation": heads[0].sight.planned / walk.unit,
        "real_shadow": heads[0].sight.real / walk.unit,
        "real_shadow_after_j4": wild[0].sight.real / walk.unit,
        "wild_events": len(wild),
    }
    for name, value in ours.items():
        assert value == published.value("heel_and_toe", "fig8", measure=name).value
    assert [walk.job(m.sight.jobs[0]) for m in wild] == ["job 4", "job 5", "job 6"]
    assert "job 4 is backfilled, wildly" in walk.sentences(walk.moments.index(wild[0]))[0]
    number = walk.moments.index(heads[-1])
    assert "stolen from it so far: 4 time units" in walk.sentences(number)[-1]


@pytest.mark.parametrize("badness, first", [("F = 1", 6), ("F = 4/3", 5), ("F = 2", 4)])
def test_first_backfill_depends_on_the_badness(badness, first):
    """Table 2 of heel-and-toe, bold figures."""
    walk = steps.six_jobs(badness)
    number = [m.sight.kind for m in walk.moments].index("backfilled")
    passed, before = walk.moments[number], walk.moments[number - 1]
    assert walk.workload.job_id[passed.sight.jobs[0]] == first
    fits = [job for job in before.sight.queue if walk.verdict(before, job) == "fits the hole"]
    assert fits[0] == passed.sight.jobs[0]
    assert passed.wild == (badness != "F = 1")


@settings(max_examples=30, deadline=None)
@given(workloads())
def test_walk_agrees_with_the_reference_implementation(workload):
    walk = steps.Walk(workload, workload.estimate, 1, "s")
    start, _, seen = reference_observed.easy(workload)
    assert walk.start.tolist() == start
    passes = [m for m in walk.moments if m.sight.kind == "backfilled"]
    assert [(m.sight.now, m.sight.jobs[0], m.before, m.sight.real) for m in passes] == [
        (step.now, step.job, step.before, step.after) for step in seen
    ]


def test_walk_from_a_window_continues_the_schedule(log):
    schedule = rp.simulate(log)
    since = model.View("", schedule).busiest(86400)
    walk = steps.of_log(schedule, since)
    index = np.searchsorted(log.job_id, walk.workload.job_id)
    expected = np.maximum(schedule.start[index] - since, 0)
    known = expected <= walk.workload.submit[-1]
    assert known.sum() >= 10
    assert walk.start[known].tolist() == expected[known].tolist()


AFTER_WARM = """
import sys
import replication as rp
from numba.core.dispatcher import Dispatcher
from notebooks.explorer import model
from replication.simulator import precompilation

def compiled():
    ours = [vars(module) for name, module in sys.modules.items() if name.startswith("replication.")]
    kernels = {k for names in ours for k in names.values() if isinstance(k, Dispatcher)}
    return {k.__name__ for k in kernels if sum(k.stats.cache_misses.values())}

precompilation.warm_all()
jobs = rp.Workload.from_columns("five", 4, [0, 1, 2, 2, 9], [9, 5, 3, 7, 1], [3, 4, 1, 2, 4])
estimates = [make(1.0, 3600) for make, _ in model.ESTIMATES.values()]
schedulers = [scheduler for scheduler, _ in model.SCHEDULERS.values()]
schedulers += [model.choose(rp.EASY(predictor=rp.Last()), name) for name in model.PREDICTORS]
names = [*rp.simulate(jobs).measures, "ap0waf"]
rp.compare(jobs, dict.fromkeys(schedulers), estimates, measures=names)
rp.compare(jobs, [rp.EASY(), rp.EASY(predictor=rp.Last())], measures=["wild"])
print(compiled())
"""


def test_nothing_is_compiled_after_warm():
    words = [sys.executable, "-W", "ignore", "-c", AFTER_WARM]
    done = subprocess.run(words, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_controls_change_the_schedule_that_they_name(log, tools):
    explorer = tools.Explorer(LOG)
    scheduler, predictor, estimates, f = explorer.sides[1].values()
    estimates.value, f.value, scheduler.value = "random, up to × (f + 1)", 3.0, "shortest first"
    expected = rp.simulate(log, rp.OrderedEASY(), rp.FModel(3.0))
    assert explorer.views[1].schedule.start.tolist() == expected.start.tolist()
    assert "B · shortest first, random, up to × 4:" in explorer.text.value
    assert scheduler.tooltip == model.SCHEDULERS["shortest first"][1]
    scheduler.value, predictor.value = "PV-EASY", "linear model (Gaussier)"  # a refused pair
    assert "no picture" in explorer.text.value and explorer.shown.layout.visibility == "hidden"
    explorer.length.value = "1 week"  # which belongs to no choice that can be simulated
    assert explorer.shown.layout.visibility == "hidden"
    predictor.value = "scheduler's own"
    assert explorer.shown.layout.visibility == "visible" and not explorer.canvas.outdated
    assert "B · PV-EASY" in explorer.text.value
    explorer.load.value = 90
    assert explorer.views[0].schedule.workload.load == pytest.approx(0.9, rel=0.01)


def test_a_job_is_marked_and_explained_in_both_schedules(log, tools):
    explorer = tools.Explorer(LOG)
    box = explorer.picture.boxes[0].iloc[3]
    explorer.canvas.mouse = [1, (box.start + box.end) / 2 / 86400, (box.low + box.high) / 2]
    assert f"Job {log.job_id[box.job]}: " in explorer.text.value
    assert len(outlined(explorer, 0)) >= 5 and f"job {log.job_id[box.job]}" in labels(explorer)
    explorer.canvas.mouse = []
    assert len(outlined(explorer, 0)) == 0 and "mean wait" in explorer.text.value
    assert labels(explorer) == "[]"


def outlined(explorer, row):
    """Return x of the outlines in a panel."""
    return explorer.picture.figure.data[row - 6].x


def labels(explorer):
    """Return the annotations that the page gets, as text."""
    return json.dumps(json.loads(explorer.canvas.layout_of_figure).get("annotations", []))


def test_the_error_of_predictions_and_its_curve(log, tools):
    explorer = tools.Explorer(LOG)
    explorer.bias.value = 50
    explorer.error.value = 150
    assert [side["predictor"].value for side in explorer.sides] == [model.WITH_ERROR] * 2
    expected = rp.simulate(log, rp.EASY(predictor=rp.Virtual(1.5, 0.5)))
    assert explorer.views[0].schedule.start.tolist() == expected.start.tolist()
    assert "run time with an error (± 150%, bias +50%)" in explorer.text.value
    explorer.task.join(120)
    assert "bands: lowest and highest" in explorer.state.value
    band, line, mark = explorer.curve.figure.data[:3]
    assert [*line.x] == [100 * error for error in sorted(model.ERRORS)]
    waits = [
        rp.simulate(log, rp.EASY(predictor=rp.Virtual(1, 0.5)), seed=seed).measures["mean_wait"]
        for seed in model.SEEDS
    ]
    at = [*line.x].index(100)
    assert line.y[at] == pytest.approx(np.mean(waits) / 3600)
    assert band.y[at] == min(waits) / 3600 and band.y[-1 - at] == max(waits) / 3600
    assert [*mark.x] == [150] and mark.y[0] == expected.measures["mean_wait"] / 3600
    explorer.sides[0]["predictor"].value = explorer.sides[1]["predictor"].value = "last accuracy"
    explorer.task.join(120)
    assert [*explorer.curve.figure.data[2].x] == [0, 200]  # no error: a line across


def test_a_bar_outlines_its_jobs_and_the_button_goes_to_the_largest_difference(log, tools):
    explorer = tools.Explorer(LOG)
    explorer.sides[1]["scheduler"].value = "no backfilling"
    start = [view.schedule.start for view in explorer.views]
    later = start[1] - start[0]
    assert sum(bar.y[bar.y > 0].sum() for bar in map(arrays, explorer.gains.figure.data[:2])) == (
        (later < 0).sum()
    )
    assert -sum(bar.y[bar.y < 0].sum() for bar in map(arrays, explorer.gains.figure.data[2:])) == (
        (later > 0).sum()
    )
    explorer.bars.clicked = [1, "5 to 8", -3]
    fits = (log.processors >= 5) & (log.processors <= 8) & (later > 0)
    assert explorer.picked.tolist() == np.flatnonzero(fits).tolist()
    explorer.jumps.value += 1
    job = max(np.flatnonzero(fits), key=lambda k: later[k])
    assert f"Job {log.job_id[job]}: " in explorer.text.value
    assert all((boxes.job == job).any() for boxes in explorer.picture.boxes)
    explorer.jumps.value += 1
    assert f"Job {log.job_id[job]}: " not in explorer.text.value


def arrays(bar):
    """Return a bar trace with its heights as an array."""
    return bar.update(y=np.asarray(bar.y))


def test_the_python_lines_make_the_same_schedules(log, tools, capsys):
    explorer = tools.Explorer(LOG)
    explorer.load.value = 90
    explorer.sides[0]["estimates"].value = "run times × (f + 1)"
    explorer.error.value = 30
    variables = {}
    exec(explorer.lines.value, variables)
    assert explorer.views, explorer.text.value
    for name, view in zip("ab", explorer.views, strict=True):
        assert variables[name].start.tolist() == view.schedule.start.tolist()


def test_a_log_without_estimates_opens(log, tools, monkeypatch):
    bare = log.replace(without_estimate=1.0)
    monkeypatch.setattr(rp, "load", lambda name: bare, raising=False)
    explorer = tools.Explorer(LOG)
    assert "100% of the jobs have no estimate" in explorer.text.value
    assert {repr(view.schedule.estimates) for view in explorer.views} == {"FModel(f=1.0)"}
    explorer.sides[0]["estimates"].value = "user estimates"
    assert "choose others, such as" in explorer.text.value
    assert explorer.shown.layout.visibility == "hidden"


@pytest.mark.parametrize(
    "control, value, words",
    [("f", -3, "f of A: -3"), ("f", 1e9, "f of A"), ("load", 300, "load %: 300")],
)
def test_numbers_are_refused_and_not_changed(log, tools, control, value, words):
    explorer = tools.Explorer(LOG)
    part = explorer.load if control == "load" else explorer.sides[0][control]
    part.value = value
    assert part.value == value and words in explorer.text.value
    assert explorer.shown.layout.visibility == "hidden"


def test_boxes_have_the_area_of_the_runs_also_when_there_are_too_many(log, tools, monkeypatch):
    explorer = tools.Explorer(LOG)
    explorer.length.value = "all"
    work = (log.run_time * log.processors).sum()
    for most in (tools.pictures.RUNS, 10):
        monkeypatch.setattr(tools.pictures, "RUNS", most)
        explorer.show()
        boxes = explorer.picture.boxes[0]
        assert ((boxes.end - boxes.start) * (boxes.high - boxes.low)).sum() == pytest.approx(work)
    assert "Too many jobs" in explorer.text.value


def test_buttons_and_scenes_of_the_stepper(log, tools):
    explorer = tools.Explorer(LOG)
    stepper = tools.Stepper(explorer)
    at = stepper.step.value
    stepper.go(1, False, "")
    assert stepper.step.value == at + 1
    stepper.step.value = 1
    stepper.go(-1, True, "the backfill before")
    assert stepper.step.value == 1 and "no such decision" in stepper.text.value
    stepper.source.value = "log"
    assert "of made" in stepper.picture.figure.layout.xaxis2.title.text
    for step in range(1, stepper.step.max + 1):
        stepper.step.value = step
    explorer.since.value = explorer.since.min + 3
    assert stepper.step.value <= stepper.step.max


def test_one_job_has_no_nan(tools, monkeypatch):
    one = rp.Workload.from_columns("one", 4, [0], [10], [1])
    monkeypatch.setattr(rp, "load", lambda name: one, raising=False)
    explorer = tools.Explorer("one.swf")
    assert "nan" not in explorer.text.value
    model.workload.cache_clear(), model.view.cache_clear()


def test_notebook_runs_without_a_browser(log, tools):
    cells = nbformat.read(paths.NOTEBOOKS / "explore.ipynb", as_version=4).cells
    variables = {}
    for cell in cells:
        if cell.cell_type == "code":
            exec(cell.source, variables)
    assert isinstance(variables["explorer"], tools.Explorer)


def test_schedulers_of_the_user(log, tools):
    mine = rp.OrderedEASY(waiting_limit=3600)
    explorer = tools.Explorer(LOG, schedulers={"at most an hour": mine})
    assert explorer.sides[1]["scheduler"].value == "at most an hour"
    assert explorer.views[1].schedule.scheduler == mine
    assert explorer.views[1].name.startswith("at most an hour, ")
    explorer.sides[1]["predictor"].value = "last accuracy"
    assert explorer.views[1].schedule.scheduler.predictor == rp.Last()


def test_a_canvas_sends_the_whole_figure_and_the_library(log, tools, monkeypatch):
    explorer = tools.Explorer(LOG)
    before = explorer.canvas.data
    explorer.length.value = "1 week"
    assert explorer.canvas.data != before
    figure = explorer.picture.figure.to_plotly_json()
    assert len(json.loads(explorer.canvas.data)) == len(figure["data"])
    sent = []
    monkeypatch.setattr(explorer.canvas, "send", lambda *words: sent.append(words))
    explorer.canvas._answer(explorer.canvas, "plotly", [])
    assert sent[0][0] == "plotly" and b"plotly.js" in gzip.decompress(sent[0][1][0])
