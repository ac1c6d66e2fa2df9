"""The explorer without a browser: what is told, what is drawn, what a change costs."""

import time

import numpy as np
import pytest
from hypothesis import given, settings

from replication.explore import (
    Explorer,
    Stepper,
    model,
    pictures,
    scene,
    step_pictures,
    steps,
    widgets,
)
from replication.explore.scene import LOOKS, NUMBER, packed
from replication.papers import published
from replication.papers.style import HATCHES
from replication.simulator import paths, predictors, text
from replication.simulator.estimates import Exact, FModel
from replication.simulator.reference import observed as reference_observed
from replication.simulator.reference import pv_easy as reference
from replication.simulator.schedulers import EASY, FCFS, PVEasy
from replication.simulator.simulation import simulate
from replication.simulator.workload import Workload
from tests.in_process import in_process
from tests.workloads import jobs, workloads

LOG = "log.swf"


@pytest.fixture
def log(monkeypatch):
    """Four hundred made-up jobs in place of a log."""
    draw = np.random.default_rng(1)
    n = 400
    run_time = draw.integers(0, 40_000, n)
    made = Workload.from_columns(
        "made",
        64,
        np.sort(draw.integers(0, 40 * 86400, n)),
        run_time,
        draw.integers(1, 65, n),
        run_time * draw.integers(1, 5, n),
        user=draw.integers(0, 9, n),
    )
    monkeypatch.setattr(model.traces, "load", lambda name: made)
    for remembered in (model.whole, model.workload, model.side):
        remembered.cache_clear()
    yield made
    for remembered in (model.whole, model.workload, model.side):
        remembered.cache_clear()


class Shadow(reference.PVEasy):
    """The twin of PV-EASY that writes down, at every instant, which running jobs are shadow load."""

    def schedule(self, now):
        super().schedule(now)
        self.seen = [*getattr(self, "seen", []), (now, self.queue[:1], list(self.running))]


@settings(max_examples=60, deadline=None)
@given(workloads())
def test_shadow_load_is_what_the_twin_of_pv_easy_may_preempt(workload):
    twin = Shadow(workload, predictor=predictors.Request()).run()
    found = simulate(workload, PVEasy(predictor=predictors.Request()))
    assert found.start.tolist() == twin.start
    every = model.Seen("", found).runs
    last = {now: (head, running) for now, head, running in twin.seen}
    for now, (head, running) in last.items():
        here = (every.start <= now) & (every.end > now)
        shadow = set(every.job[here & (every.sunny > now)])
        assert shadow == {job for job in running if head and job > head[0] and twin.end(job) > now}


@settings(max_examples=60, deadline=None)
@given(workloads())
def test_the_queue_and_the_machine_are_those_of_the_schedule(workload):
    found = simulate(workload, PVEasy())
    seen = model.Seen("", found)
    over, every = seen.over_time, seen.runs
    for what, (instant, level) in over.items():
        assert level[-1] == 0, what
        for now, value in zip(instant.tolist(), level.tolist(), strict=True):
            running = every.job[(every.start <= now) & (every.end > now)]
            there = (workload.submit <= now) & (found.end > now)
            assert value == (
                int(workload.processors[running].sum())
                if what == "used"
                else int(there.sum()) - len(set(running.tolist()))
            )


@settings(max_examples=40, deadline=None)
@given(workloads())
def test_a_gantt_picture_has_the_area_of_the_runs(workload):
    found = simulate(workload, PVEasy())
    seen = model.Seen("", found)
    last = int(found.end.max()) + 1
    boxes, left_out = pictures.pieces(seen, scene.Window(0, last, 1, "s"))
    assert left_out == 0
    area = (boxes.end - boxes.start) * (boxes.high - boxes.low)
    drawn = np.bincount(boxes.job, area, len(workload))
    every = seen.runs
    length = np.bincount(every.job, every.end - every.start, len(workload))
    assert drawn.tolist() == (length * workload.processors).tolist()
    stopped = boxes.job[boxes.look == NUMBER["preempted"]]
    assert set(stopped) <= set(np.flatnonzero(found.times_killed).tolist())


def test_of_too_many_runs_the_largest_are_drawn(log, monkeypatch):
    monkeypatch.setattr(pictures, "MOST", 50)
    seen = model.side(model.Jobs(LOG), model.Choice())
    window = scene.Window(0, int(seen.schedule.end.max()), 86400, "days")
    drawn, left_out = pictures.pieces(seen, window)
    assert left_out == int((seen.runs.start < window.until).sum()) - 50
    area = log.run_time * log.processors
    assert area[drawn.job.unique()].min() >= np.sort(area)[-50]


def test_each_look_differs_without_colour():
    kinds = ("regular", "backfilled", "shadow", "preempted")
    assert len({LOOKS[kind]["hatch"] for kind in kinds}) == len(kinds)
    step = [LOOKS[name] for name in step_pictures.LEGEND]
    told = [
        tuple(map(str, (look["hatch"], look["hollow"], look["dash"], look["line"])))
        for look in step
        if look["label"] not in ("ended", "now")
    ]
    assert len(told) == len(set(told))
    assert {look["hatch"] for look in LOOKS.values()} <= set(HATCHES)
    assert LOOKS["gained"]["mark"] != LOOKS["lost"]["mark"]


def test_the_opening_scene_is_the_papers():
    """Its numbers are those that the report gives for Fig. 8."""
    walk = steps.heel_and_toe()
    heads = [m for m in walk.moments if m.sight.kind in ("reserved", "backfilled")]
    wild = [m for m in heads if m.wild]
    ours = {
        "reservation": heads[0].sight.planned,
        "real_shadow": heads[0].sight.real,
        "real_shadow_after_j4": wild[0].sight.real,
    }
    paper = {
        name: published.value("heel_and_toe", "fig8", measure=name).value
        for name in (*ours, "wild_events")
    }
    assert {name: value / walk.unit for name, value in ours.items()} == {
        name: paper[name] for name in ours
    }
    assert len(wild) == paper["wild_events"]
    assert [walk.name(m.sight.jobs[0]) for m in wild] == ["job 4", "job 5", "job 6"]
    assert " time units: job 4 is backfilled, wildly" in next(
        walk.words(walk.moments.index(wild[0]))
    )
    assert [*walk.words(len(walk.moments) - 1)][1:] == [
        "In the end: job 3 could have started at 6 when it became the head, and started at 10; later jobs "
        "stole 4 time units from it."
    ]
    exact = steps.heel_and_toe("F = 1")
    assert len([*exact.words(len(exact.moments) - 1)]) == 1


@pytest.mark.parametrize("badness, first", [("F = 1", 6), ("F = 4/3", 5), ("F = 2", 4)])
def test_the_badness_decides_who_fits_the_hole(badness, first):
    """Table 2's bold figures."""
    walk = steps.heel_and_toe(badness)
    passed = next(m for m in walk.moments if m.sight.kind == "backfilled")
    assert walk.workload.job_id[passed.sight.jobs[0]] == first
    at = walk.moments[walk.moments.index(passed) - 1]
    fits = [job for job in at.sight.queue[1:] if walk.verdict(at, job) == "fits the hole"]
    assert fits[0] == passed.sight.jobs[0]
    assert passed.wild == (badness != "F = 1")


@settings(max_examples=60, deadline=None)
@given(workloads())
def test_a_walk_agrees_with_the_twins_own_account(workload):
    walk = steps.Walk(workload, workload.estimate)
    start, _, seen = reference_observed.easy(workload)
    assert walk.start.tolist() == start
    passes = [m for m in walk.moments if m.sight.kind == "backfilled"]
    assert [
        (m.sight.now, m.sight.queue[0], m.sight.jobs[0], m.sight.planned, m.before, m.sight.real)
        for m in passes
    ] == [tuple(step) for step in seen]
    wild, _, delay = reference_observed.suffered(start, seen)
    assert {m.sight.jobs[0] for m in passes if m.wild} == wild
    for moment in passes:
        head = moment.sight.queue[0]
        assert moment.stolen <= delay.get(head, 0)
        assert walk.verdict(moment, head) == "head: has the reservation"
    picture = step_pictures.Picture(walk)
    for number in range(len(walk.moments)):
        drawn = picture.scene(number)["panels"][0]["rects"]
        on = set(drawn["job"].tolist()) - {-1}
        assert set(walk.moments[number].sight.running) <= on
        assert not on & set(walk.moments[number].sight.queue)


def test_top_percent_is_offered_with_the_papers_percentages():
    offered = [text.predictor(name) for name in model.PREDICTORS]
    policies = {row.policy for row in published.rows("top_percent", "table1")}
    paper = {int(policy.removeprefix("Top")) for policy in policies if policy.startswith("Top")}
    assert paper == {p.percent for p in offered if isinstance(p, predictors.TopPercent)}


def test_the_lists_of_the_controls_are_known_to_the_package():
    for name in model.PREDICTORS:
        text.predictor(name)
    small = jobs(4, (0, 5, 1), (1, 3, 4))
    for kind in model.MODELS:
        estimate = model.Choice(model=kind).told(small).make(small)[1]
        assert (estimate >= small.run_time).all()


@pytest.mark.parametrize(
    "control, value",
    [
        ("log.first", 50),
        ("log.count", 300),
        ("log.load", 84),
        ("log.seed", 7),
        ("since", 12.5),
        ("length", "1 week"),
    ],
)
def test_a_control_changes_the_picture(log, control, value):
    explorer = Explorer(LOG)
    explorer.sides[0].model.value = "random f-model"
    before = explorer.canvas.scene
    part = explorer
    for name in control.split("."):
        part = getattr(part, name)
    part.value = value
    after = explorer.canvas.scene
    assert after["number"] > before["number"]
    assert packed(after["panels"]) != packed(before["panels"])
    assert explorer.message.value == ""


@pytest.mark.parametrize(
    "control, value",
    [("scheduler", "fcfs"), ("model", "perfect"), ("f", 8.0), ("predictor", "perfect")],
)
@pytest.mark.parametrize("side", [0, 1])
def test_a_side_is_simulated_as_chosen(log, side, control, value):
    explorer = Explorer(LOG)
    own = explorer.sides[side]
    own.scheduler.value, own.model.value = "sjf-easy", "random f-model"
    getattr(own, control).value = value
    chosen = own.choice
    own_way = {"candidates": "sjf"} | (
        {"predictor": predictors.Clairvoyant()} if control == "predictor" else {}
    )
    scheduler = FCFS() if control == "scheduler" else EASY(**own_way)
    told = Exact() if control == "model" else FModel(8 if control == "f" else 1)
    expected = simulate(log, scheduler, told, 1)
    assert explorer.schedules[side].start.tolist() == expected.start.tolist()
    assert chosen.words in explorer.canvas.scene["panels"][side]["title"]
    assert own.predictor.disabled == (chosen.scheduler == "fcfs")
    assert own.f.disabled == (control == "model")


def test_what_cannot_be_is_one_line_and_the_picture_stays(log):
    explorer = Explorer(LOG)
    before = explorer.canvas.scene
    explorer.sides[1].predictor.value = "cvh"  # pv-easy refuses it
    assert "predictor=CVH(); allowed: any other" in explorer.message.value
    assert explorer.canvas.scene is before
    explorer.sides[1].predictor.value = "last"
    assert explorer.message.value == ""


def test_a_log_that_cannot_be_read_leaves_the_controls_at_work(log, monkeypatch):
    explorer = Explorer(LOG)
    before, whole = explorer.canvas.scene["number"], model.whole

    def refused(name):
        raise ValueError("no such log <b>")

    monkeypatch.setattr(model, "whole", refused)
    explorer.log.log.value = next(name for name in explorer.log.log.options if name != LOG)
    assert "no such log &lt;b&gt;" in explorer.message.value
    monkeypatch.setattr(model, "whole", whole)
    explorer.log.log.value = LOG
    assert explorer.message.value == "" and explorer.canvas.scene["number"] > before


def test_the_marks_say_who_gained_and_who_lost(log):
    explorer = Explorer(LOG)
    explorer.length.value = "all"
    first, second = explorer.schedules
    marks = explorer.canvas.scene["panels"][1]["marks"]
    look = marks["look"]
    later = second.start - first.start
    assert (look == NUMBER["gained"]).sum() == (later < 0).sum()
    assert (look == NUMBER["lost"]).sum() == (later > 0).sum()
    assert f"{(later < 0).sum():,} jobs start earlier on the right" in explorer.canvas.tip


def test_keys_walk_and_move_the_window(log):
    explorer = Explorer(LOG)
    stepper = Stepper(explorer)
    opening = stepper.step.value
    assert stepper.walk.moments[opening - 1].sight.kind == "reserved"
    for key, at in (
        ("ArrowRight", opening + 1),
        ("ArrowLeft", opening),
        ("End", 18),
        ("ArrowRight", 18),
        ("Home", 1),
    ):
        stepper.key(key)
        assert stepper.step.value == at
    stepper.key("PageDown")
    assert "backfilled, wildly" in stepper.canvas.tip
    explorer.key("ArrowRight")
    assert explorer.since.value == explorer.since.min + 0.5
    explorer.key("-")
    assert explorer.length.value == "4 days"
    stepper.source.value = stepper.LOG
    assert "300 jobs of made" in stepper.canvas.scene["panels"][0]["title"]


def test_the_mouse_tells_of_a_job_on_both_sides(log):
    explorer = Explorer(LOG)
    rect = 3
    explorer.canvas.pointer = [0, rect]
    job = explorer.canvas.scene["panels"][0]["rects"]["job"][rect]
    assert explorer.canvas.tip.count(f"job {log.job_id[job]},") == 2
    explorer.canvas.pointer = []
    assert "mean wait" in explorer.canvas.tip


def test_three_thousand_rectangles_are_a_small_message(log):
    columns = [np.zeros(3000)] * 6
    drawn = packed(scene.rects(*columns))
    assert sum(map(len, drawn.values())) == 3000 * 21
    explorer = Explorer(LOG)
    explorer.length.value = "all"
    data = [
        value
        for panel in packed(explorer.canvas.scene["panels"])
        for part in (panel["rects"], *panel["lines"])
        if part
        for value in part.values()
        if isinstance(value, bytes)
    ]
    assert sum(map(len, data)) < 200_000


def test_a_change_takes_python_far_less_than_a_tenth_of_a_second(log):
    explorer = Explorer(LOG)
    taken = []
    for f in np.arange(1, 10.0):
        explorer.sides[0].f.value = f
        explorer.sides[0].model.value = "random f-model"
        began = time.process_time()
        explorer.sides[0].f.value = f + 0.5
        taken.append(time.process_time() - began)
    assert np.median(taken) < 0.1


def test_the_notebook_runs_headlessly_and_leaves_still_pictures(log):
    made = in_process(paths.NOTEBOOKS / "explore.ipynb", trace=LOG)
    for tool in (made["stepper"], made["explorer"]):
        figure = tool.still()
        assert len(figure.axes) == len(tool.canvas.scene["panels"])
        assert "text/plain" in tool._repr_mimebundle_()
    assert isinstance(made["explorer"], widgets.Explorer)
