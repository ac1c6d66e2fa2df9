"""The explorer without a browser: walks, schedules, controls and the pictures' boxes."""

import html
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
from replication.simulator.schedules.measures import measured_jobs
from replication.verdicts import published
from tests.reference import observation as reference_observed
from tests.workloads import workloads

LOG = "log.swf"
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
        several = isinstance(jobs, dict)
        monkeypatch.setattr(rp, "load", lambda name, **_: jobs[name] if several else jobs)
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
    explorer.load.value = 3  # which is refused and not changed
    assert explorer.load.value == 3 and "load: 3;" in explorer.text.value
    assert explorer.shown.layout.visibility == "hidden"


def test_the_curve_has_the_mean_wait_of_each_f_and_the_ghost_stays_where_f_began(log, tools):
    explorer = tools.Explorer(LOG)
    explorer.task.join()
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


def test_no_result_belongs_to_another_choice(tools, serve, monkeypatch):
    """Logs, loads, schedulers, estimates and f change at random while the curve is computed."""
    logs = {name: generated(k) for k, name in enumerate(["KTH-SP2", "CTC-SP2", "HPC2N"], 1)}
    serve(logs)
    simulate, draw = model.Choice.simulate, np.random.default_rng(0)

    def slowly(choice):
        time.sleep(0.003)
        return simulate(choice)

    monkeypatch.setattr(model.Choice, "simulate", slowly)
    explorer = tools.Explorer("KTH-SP2")
    stepper = tools.Stepper(explorer)
    stepper.source.value = "log"
    menus = [part for side in explorer.sides for name, part in side.items() if name != "predictor"]
    menus += [explorer.log, explorer.length]
    for _ in range(25):
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
            assert "job 4 is backfilled" not in stepper.text.value
            both.answer(2)
            assert stepper.source.value == "F = 2" and "job 4 is backfilled" in stepper.text.value
            assert both.text.value.count("Right: later than before")
            continue
        assert both.tab.selected_index == 1
        assert explorer.choices == (tools.Choice(story.log, None, *story.a, story.f),) * 2
        both.answer(0)
        assert explorer.choices[1] == tools.Choice(story.log, None, *story.b, story.f)
        a, b = (view.schedule.measures["mean_wait"] for view in explorer.views)
        truth = 1 if abs(b - a) <= 0.01 * a else 2 if b > a else 0
        assert f"{'Not so' if truth else 'Right'}: {story.words[truth]}" in both.text.value


def test_gains_are_changes_of_the_mean_wait_by_group(log, tools):
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


def test_the_python_lines_make_the_same_schedules(log, tools):
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


def test_a_log_without_estimates_opens(tools, serve):
    serve(generated().replace(without_estimate=1.0))
    explorer = tools.Explorer(LOG)
    assert "100% of the jobs have no estimate" in explorer.text.value
    assert {repr(view.schedule.estimates) for view in explorer.views} == {"FModel(f=1.0)"}
    explorer.sides[0]["estimates"].value = "user estimates"
    assert "choose others, such as" in explorer.text.value
    assert explorer.shown.layout.visibility == "hidden"


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
