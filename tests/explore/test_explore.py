"""The explorer without a browser: walks, schedules, controls and the pictures' boxes."""

import gzip
import html
import json
import subprocess
import sys
import threading
import time
from dataclasses import replace

import nbformat
import numpy as np
import pytest
from hypothesis import given, settings

import replication as rp
from notebooks.explorer import model, steps
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.schedules.measures import measured_jobs
from replication.verdicts import published
from tests.reference import observation as reference_observed
from tests.workloads import workloads

LOG = "log.swf"
ORIGINAL_LOAD = rp.load
SHORTEST = "EASY, queue shortest first"


@pytest.fixture
def tools():
    """The module with the widgets, where the packages of the extra ``lab`` are installed."""
    pytest.importorskip("plotly")
    return pytest.importorskip("notebooks.explorer.widgets")


def generated(seed=1):
    """Four hundred generated jobs in place of a log."""
    draw = np.random.default_rng(seed)
    run_time = draw.integers(0, 40_000, 400)
    submit = np.sort(draw.integers(0, 25 * 86400, 400))
    estimate, user = run_time * draw.integers(1, 5, 400), draw.integers(0, 9, 400)
    size = draw.integers(1, 65, 400)
    return rp.Workload.from_columns("made", 64, submit, run_time, size, estimate, user=user)


@pytest.fixture
def serve(monkeypatch):
    """A function that puts a workload, or several by name, in place of all logs."""

    def finish():
        for thread in threading.enumerate():  # curves of the logs of before
            if "compute_curve" in thread.name:
                thread.join()
        model.workload.cache_clear(), model.view.cache_clear()

    def use(jobs):
        finish()

        def load(name, **given):
            return jobs[name] if isinstance(jobs, dict) else jobs

        monkeypatch.setattr(rp, "load", load, raising=False)
        return jobs

    yield use
    finish()


@pytest.fixture
def log(serve):
    return serve(generated())


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


@pytest.mark.parametrize("badness, first", [("F = 1", 6), ("F = 2", 4)])
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
schedulers += [model.Choice("", predictor=name).plans for name in model.PREDICTORS]
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
    scheduler, predictor, estimates = explorer.sides[1].values()
    estimates.value, scheduler.value = "random, up to × (f + 1)", SHORTEST
    explorer.f.value = 3.0
    expected = rp.simulate(log, rp.OrderedEASY(), rp.FModel(3.0))
    assert explorer.views[1].schedule.start.tolist() == expected.start.tolist()
    assert "log.swf: 400 jobs on 64 processors, load " in explorer.text.value
    assert f"B · {SHORTEST}, random, up to × 4: mean wait" in explorer.text.value
    assert model.SCHEDULERS[SHORTEST][1] in explorer.words[1].value
    scheduler.value, predictor.value = "PV-EASY", "linear model (Gaussier)"  # a refused pair
    assert "no picture" in explorer.text.value and explorer.shown.layout.visibility == "hidden"
    explorer.length.value = "168 h"  # which belongs to no choice that can be simulated
    assert explorer.shown.layout.visibility == "hidden"
    predictor.value = "scheduler's own"
    assert explorer.shown.layout.visibility == "visible" and not explorer.canvas.outdated
    assert "B · PV-EASY" in explorer.text.value
    explorer.load.value = 0.9
    assert "load 0.90" in explorer.text.value
    assert explorer.views[0].schedule.workload.load == pytest.approx(0.9, rel=0.01)


def test_a_job_is_marked_and_explained_in_both_schedules(log, tools):
    explorer = tools.Explorer(LOG)
    box = explorer.picture.boxes[0].iloc[3]
    explorer.canvas.mouse = [1, (box.start + box.end) / 2 / 3600, (box.low + box.high) / 2]
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


@pytest.fixture
def explorer(log, tools):
    """Two schedules, after the whole curve has been computed."""
    made = tools.Explorer(LOG)
    made.task.join()
    return made


def test_the_curve_has_the_mean_wait_of_each_f_and_the_ghost_stays_where_f_began(log, explorer):
    explorer.sides[1]["scheduler"].value = "EASY, backfills shortest first"
    explorer.task.join()
    explorer.f.value = 1.0
    explorer.f.value = 1.3
    explorer.task.join()
    schedulers = rp.EASY(), rp.EASY(candidates="shortest")
    for k, scheduler in enumerate(schedulers):
        curve, ghost, now = explorer.curve.figure.data[3 * k : 3 * k + 3]
        assert {*curve.x} == {*model.FACTORS, 1.3}
        waits = [
            rp.simulate(log, scheduler, rp.Users(f + 1)).measures["mean_wait"] / 3600
            for f in curve.x
        ]
        assert [*curve.y] == pytest.approx(waits)
        assert [*ghost.x] == [0] and [*now.x] == [1.3]
        assert now.y[0] == pytest.approx(waits[[*curve.x].index(1.3)])


def test_choices_without_effect_are_disabled(log, explorer):
    a, b = explorer.sides
    b["scheduler"].value = "no backfilling"
    assert b["predictor"].disabled and b["estimates"].disabled and not explorer.f.disabled
    assert "predictor: without effect; estimates: without effect" in explorer.words[1].value
    a["predictor"].value = "true run time"
    assert a["estimates"].disabled and explorer.f.disabled
    a["predictor"].value, a["estimates"].value = "last accuracy", "user estimates"
    assert not a["estimates"].disabled and explorer.f.disabled
    b["scheduler"].value = "EASY"
    assert not explorer.f.disabled


@pytest.mark.parametrize("seed", range(2))
def test_no_result_belongs_to_another_choice(tools, serve, monkeypatch, seed):
    """Logs, loads, schedulers, estimates and f change at random while the curve is computed."""
    logs = {name: generated(k) for k, name in enumerate(["KTH-SP2", "CTC-SP2", "HPC2N"], 1)}
    serve(logs)
    simulate, draw = model.Choice.simulate, np.random.default_rng(seed)

    def slowly(choice):
        time.sleep(0.003)
        return simulate(choice)

    monkeypatch.setattr(model.Choice, "simulate", slowly)
    explorer = tools.Explorer("KTH-SP2")
    stepper = tools.Stepper(explorer)
    stepper.source.value = "log"
    menus = [part for side in explorer.sides for name, part in side.items() if name != "predictor"]
    menus += [explorer.log, explorer.length]
    for _ in range(40):
        part = [*menus, explorer.load, explorer.f, explorer.since][draw.integers(len(menus) + 3)]
        if part is explorer.load:
            part.value = draw.integers(60, 120) / 100
        elif part in menus:
            options = [model.Log(name) for name in logs] if part is explorer.log else part.options
            part.value = options[draw.integers(len(options))]
        else:
            part.value = float(draw.uniform(part.min, part.max))
        time.sleep(draw.choice([0, 0.005, 0.03]))
        with tools.LOCK:
            shown, chosen = explorer.choices, explorer.chosen()
            curves = [dict(zip(t.x, t.y, strict=True)) for t in explorer.curve.figure.data[:6:3]]
        hidden = [tool.shown.layout.visibility == "hidden" for tool in (explorer, stepper)]
        if hidden[0]:  # this choice is refused
            assert shown is None and hidden[1]
            continue
        assert shown == chosen
        for choice, view, curve in zip(shown, explorer.views, curves, strict=True):
            assert view.schedule.start.tolist() == simulate(choice).start.tolist()
            for f, wait in curve.items():
                assert wait == simulate(replace(choice, f=float(f))).measures["mean_wait"] / 3600
        since = round(explorer.since.value * 3600)
        a = replace(shown[0], scheduler="EASY", predictor=model.OWN, own=None)
        if not hidden[1]:
            assert stepper.walk.start.tolist() == steps.of_log(simulate(a), since).start.tolist()
    explorer.task.join()
    for choice, waits in explorer.waits.items():
        for f, wait in waits.items():
            assert wait == simulate(replace(choice, f=float(f))).measures["mean_wait"] / 3600


def test_stories_set_all_menus_and_compare_the_guess(log, tools):
    both = tools.Tools(tools.Explorer(LOG))
    explorer, stepper = both.explorer, both.stepper
    for story in tools.stories.STORIES:
        stepper.source.value, explorer.sides[0]["predictor"].value = "F = 1", "user estimate"
        explorer.load.value, explorer.sides[1]["scheduler"].value = 0.8, "no backfilling"
        both.tell(story)
        assert story.question[:20] in html.unescape(both.text.value)
        if story.log is None:
            assert both.tab.selected_index == 0
            assert (
                "job 4 is backfilled" not in stepper.text.value and "At 4: " in stepper.text.value
            )
            both.answer(2)
            assert stepper.source.value == "F = 2" and "job 4 is backfilled" in stepper.text.value
            assert both.text.value.count("Right: later than before")
            stepper.buttons["next"].click()
            assert "Right" not in both.text.value
            continue
        assert both.tab.selected_index == 1
        assert explorer.choices == (tools.Choice(story.log, None, *story.a, story.f),) * 2
        for guess in range(3):
            both.tell(story)
            both.answer(guess)
            assert explorer.choices[1] == tools.Choice(story.log, None, *story.b, story.f)
            a, b = (view.schedule.measures["mean_wait"] for view in explorer.views)
            truth = 1 if abs(b - a) <= 0.01 * a else 2 if b > a else 0
            assert f"{'Right' if guess == truth else 'Not so'}: {story.words[truth]}" in (
                both.text.value
            )
        explorer.since.value += 12  # another part of the same schedules
        assert story.words[truth] in both.text.value
        explorer.load.value = 0.8
        assert story.words[truth] not in both.text.value
    both.tell(story)
    explorer.log.value = model.Log("KTH-SP2")
    both.answer(0)  # a click that comes late, when the question is gone
    assert explorer.log.value == model.Log("KTH-SP2") and "Choose a story" in both.text.value


def test_a_log_is_loaded_for_the_machine_of_the_paper_that_is_named(tools, serve, monkeypatch):
    serve(None)
    given = []

    def load(name, **rules):
        given.append((name, rules))
        return generated().replace(machine=int(rules.get("paper") == "heel_and_toe") * 100 + 64)

    monkeypatch.setattr(rp, "load", load, raising=False)
    explorer = tools.Explorer("CTC-SP2", paper="heel_and_toe")
    assert given == [("CTC-SP2", {"paper": "heel_and_toe"})]
    assert "400 jobs on 164 processors, load " in explorer.text.value
    assert "rp.load('CTC-SP2', paper='heel_and_toe')" in explorer.lines.value
    machines = [name for name, log in explorer.log.options if log.name == "CTC-SP2"]
    assert [name.split(": ")[-1] for name in machines] == ["338", "430", "512"]
    explorer.log.value = model.Log("CTC-SP2")
    assert "400 jobs on 64 processors" in explorer.text.value


def test_gains_are_changes_of_the_mean_wait_and_a_bar_outlines_its_jobs(log, tools):
    explorer = tools.Explorer(LOG)
    explorer.sides[1]["scheduler"].value = "no backfilling"
    a, b = (view.schedule for view in explorer.views)
    later = b.start - a.start
    explorer.below[0].selected_index = 1
    kept = measured_jobs(log.submit, a.end) & measured_jobs(log.submit, b.end)
    by_size = explorer.gains.figure.data[0]
    change = dict(zip(by_size.y, by_size.x, strict=True))
    fits = (log.processors >= 5) & (log.processors <= 8)
    assert change["all"] == pytest.approx(later[kept].mean() / 3600)
    assert change["5 to 8"] == pytest.approx(later[kept & fits].mean() / 3600)
    explorer.sides[1]["scheduler"].value = "EASY"
    assert not np.any(explorer.gains.figure.data[1].x)
    explorer.sides[1]["scheduler"].value = "no backfilling"
    explorer.bars.clicked = [0, by_size.y.index("5 to 8")]
    assert explorer.picked.tolist() == np.flatnonzero(fits).tolist()
    explorer.act(explorer.go_to_next)
    job = max(np.flatnonzero(fits), key=lambda k: abs(later[k]))
    assert f"Job {log.job_id[job]}: " in explorer.text.value
    assert all((boxes.job == job).any() for boxes in explorer.picture.boxes)
    explorer.act(explorer.go_to_next)
    assert f"Job {log.job_id[job]}: " not in explorer.text.value


def test_a_reader_draws_the_curve_before_it_is_shown(log, explorer):
    assert explorer.f.value == 0
    drawn = explorer.curve.figure.data
    explorer.draw_first.click()
    assert drawn[0].x == (0,) and drawn[3].x == (0,)
    explorer.line.drawn = "M0.5,1.25L3,2e0L9.5,1"
    assert drawn[-1].x.tolist() == [0.5, 3, 9.5] and drawn[-1].y.tolist() == [1.25, 2, 1]
    assert {*drawn[0].x} == {*model.FACTORS}
    explorer.sides[0]["scheduler"].value = "PV-EASY"  # another curve: the drawing was not of it
    assert not len(drawn[-1].x)


def test_an_estimate_of_the_six_jobs_is_dragged(tools):
    stepper = tools.Stepper()
    moment = stepper.walk.moments[stepper.at]
    assert moment.sight.now == 0 and moment.sight.planned == 12 * stepper.walk.unit
    handle = stepper.picture.handles.index(0)
    stepper.canvas.dragged = [handle, 8.3]  # job 1 ends at 8 by its estimate, and job 3 starts then
    moment = stepper.walk.moments[stepper.at]
    assert moment.sight.now == 0 and moment.sight.planned == 8 * stepper.walk.unit
    assert moment.sight.real == 6 * stepper.walk.unit
    stepper.canvas.dragged = [handle, 2.0]  # no estimate below the run time
    assert stepper.walk.moments[stepper.at].sight.planned == 8 * stepper.walk.unit  # by job 2
    stepper.source.value = "F = 1"
    stepper.source.value = "F = 2"
    assert stepper.walk.estimate.tolist() == steps.six_jobs().estimate.tolist()


def test_the_python_lines_make_the_same_schedules(log, tools, capsys):
    explorer = tools.Explorer(LOG)
    explorer.load.value = 0.9
    explorer.sides[0]["estimates"].value = "run times × (f + 1)"
    explorer.sides[1]["predictor"].value = "last accuracy"
    explorer.f.value = 0.7
    variables = {}
    exec(explorer.lines.value, variables)
    assert explorer.views, explorer.text.value
    for name, view in zip("ab", explorer.views, strict=True):
        assert variables[name].start.tolist() == view.schedule.start.tolist()


def test_the_python_lines_of_generated_jobs_run(tools, serve, monkeypatch):
    serve(None)
    monkeypatch.setattr(rp, "load", ORIGINAL_LOAD, raising=False)
    monkeypatch.setattr(paths, "trace_folders", list)
    explorer = tools.Explorer("KTH-SP2", paper="top_percent")
    variables = {}
    exec(explorer.lines.value, variables)
    for name, view in zip("ab", explorer.views, strict=True):
        assert variables[name].start.tolist() == view.schedule.start.tolist()


def test_a_log_without_estimates_opens(tools, serve):
    serve(generated().replace(without_estimate=1.0))
    explorer = tools.Explorer(LOG)
    assert "100% of the jobs have no estimate" in explorer.text.value
    assert {repr(view.schedule.estimates) for view in explorer.views} == {"FModel(f=1.0)"}
    explorer.sides[0]["estimates"].value = "user estimates"
    assert "choose others, such as" in explorer.text.value
    assert explorer.shown.layout.visibility == "hidden"


@pytest.mark.parametrize("value, words", [(0, "load: 0;"), (3, "load: 3;")])
def test_loads_are_refused_and_not_changed(log, tools, value, words):
    explorer = tools.Explorer(LOG)
    explorer.load.value = value
    assert explorer.load.value == value and words in explorer.text.value
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
    back, forth, jump = stepper.buttons.values()
    at = stepper.at
    forth.click()
    assert stepper.at == at + 1
    back.click(), back.click()
    assert stepper.at == at - 1
    while not jump.disabled:
        jump.click()
        assert stepper.at in stepper.backfills
    assert stepper.at == stepper.backfills[-1]
    stepper.source.value = "log"
    assert "of made" in stepper.picture.figure.layout.xaxis2.title.text
    while not forth.disabled:
        forth.click()
    assert stepper.at == len(stepper.walk.moments) - 1


def test_the_walk_follows_the_log_the_load_and_the_estimates_of_a(log, tools):
    explorer = tools.Explorer(LOG)
    stepper = tools.Stepper(explorer)
    stepper.source.value = "log"
    text = stepper.text.value
    explorer.sides[1]["scheduler"].value = "no backfilling"  # B, which the walk does not show
    assert stepper.text.value == text
    for part, value in (
        (explorer.sides[0]["estimates"], "perfect"),
        (explorer.load, 0.9),
        (explorer.since, explorer.since.min + 60),
    ):
        before, part.value = stepper.walk, value
        a, since = explorer.choices[0], round(explorer.since.value * 3600)
        expected = steps.of_log(a.simulate(), since)
        assert stepper.walk is not before
        assert stepper.walk.start.tolist() == expected.start.tolist()
        assert stepper.walk.estimate.tolist() == expected.estimate.tolist()
        assert "log.swf, EASY" in stepper.text.value and "estimates of A" in stepper.text.value
    explorer.load.value = 0  # refused: no walk of an older choice stays
    assert stepper.shown.layout.visibility == "hidden"


def test_the_walk_takes_no_clicks_while_the_explorer_simulates(log, tools, monkeypatch):
    explorer = tools.Explorer(LOG)
    stepper = tools.Stepper(explorer)
    stepper.source.value = "log"
    explorer.task.join()
    simulate, seen = model.Choice.simulate, []

    def watched(choice):
        off = [part.disabled for part in stepper.buttons.values()]
        seen.append((all(off), stepper.canvas.outdated, "Simulating" in stepper.text.value))
        return simulate(choice)

    monkeypatch.setattr(model.Choice, "simulate", watched)
    explorer.load.value = 0.95
    explorer.task.join()
    assert seen[0] == (True, True, True)
    assert not stepper.buttons["next"].disabled and not stepper.canvas.outdated
    assert "Simulating" not in stepper.text.value


def test_a_window_and_a_log_without_a_queue_say_so(tools, serve):
    day = 24 * 3600
    submit, run_time = [0, 0, *range(9 * day, 12 * day, day)], [day, day, 60, 60, 60]
    jobs = rp.Workload.from_columns("made", 4, submit, run_time, [4, 4, 1, 1, 1])
    serve(jobs)
    explorer = tools.Explorer(LOG)
    assert "No job waits here" not in explorer.text.value
    explorer.since.value = 9 * 24
    assert "No job waits here" in explorer.text.value
    explorer.since.value = 5 * 24
    assert "No job runs here" in explorer.text.value
    serve(jobs.take(slice(2, None)))
    assert "schedulers cannot differ" in tools.Explorer(LOG).text.value


def test_a_story_without_its_log_is_told_of_generated_jobs(tools, serve, monkeypatch):
    serve(None)

    def load(name, paper=None, synthetic=False):
        if not synthetic:
            raise registry.Missing(name)
        return generated().replace(stand_in=True)

    monkeypatch.setattr(rp, "load", load, raising=False)
    both = tools.Tools(tools.Explorer("KTH-SP2"))
    both.tell(tools.stories.STORIES[1])
    both.answer(0)
    assert "The mean wait goes from" in both.text.value
    assert "Stand-in jobs" in both.explorer.text.value


def test_one_job_has_no_nan(tools, serve):
    serve(rp.Workload.from_columns("one", 4, [0], [10], [1]))
    explorer = tools.Explorer("one.swf")
    assert "nan" not in explorer.text.value


def test_notebook_runs_without_a_browser(log, tools):
    cells = nbformat.read(paths.NOTEBOOKS / "explore.ipynb", as_version=4).cells
    variables = {}
    for cell in cells:
        if cell.cell_type == "code":
            exec(cell.source, variables)
    assert {"Explorer", "Tools", "trace"} <= {*variables}


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
    explorer.length.value = "168 h"
    assert explorer.canvas.data != before
    figure = explorer.picture.figure.to_plotly_json()
    assert len(json.loads(explorer.canvas.data)) == len(figure["data"])
    sent = []
    monkeypatch.setattr(explorer.canvas, "send", lambda *words: sent.append(words))
    explorer.canvas._answer(explorer.canvas, "plotly", [])
    assert sent[0][0] == "plotly" and b"plotly.js" in gzip.decompress(sent[0][1][0])
