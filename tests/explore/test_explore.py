"""The explorer without a browser: its numbers, controls and stories, and the notebook."""

import html
import subprocess
import sys

import nbformat
import numpy as np
import pandas as pd
import pytest

import replication as rp
from notebooks.explorer import model
from replication.simulator import paths
from replication.simulator.logs import registry
from replication.simulator.schedules.measures import measured_jobs
from tests.workloads import write_log

SHORTEST = "EASY, queue shortest first"
HEAD = " MaxProcs: 64", " UnixStartTime: 0"


@pytest.fixture
def tools():
    """The module with the widgets, where the packages of the extra ``lab`` are installed."""
    return pytest.importorskip("notebooks.explorer.widgets")


def write(path, estimates=True):
    """Write a log of four hundred jobs, and return its path."""
    draw = np.random.default_rng(1)
    run_time = draw.integers(1, 40_000, 400)
    submit = np.sort(draw.integers(0, 25 * 86400, 400))
    estimate = run_time * draw.integers(1, 5, 400) if estimates else np.full(400, -1)
    size, user = draw.integers(1, 65, 400), draw.integers(1, 9, 400)
    columns = {"submit": submit, "run_time": run_time, "requested_time": estimate, "user": user}
    return write_log(path, requested_processors=size, comments=HEAD, **columns)


@pytest.fixture
def log(tmp_path):
    return write(tmp_path / "log.swf")


def shown(part):
    """Return the text of a widget."""
    return html.unescape(part.value)


def test_times_are_in_words():
    assert [model.duration(s) for s in (0.2, 59.4, 90, 3599, 5580, -33, 400_000)] == [
        "0 s", "59 s", "2 min", "1 h 00 min", "1 h 33 min", "\u221233 s", "111 h",
    ]  # fmt: skip


def test_the_window_is_where_most_jobs_wait_or_where_schedules_differ_most():
    jobs = rp.Workload.from_columns(
        "two peaks", 1, [0, 0, 0, 100_000, 100_000], [9_000, 1_000, 1_000, 90_000, 9], [1] * 5
    )
    a, b = (rp.simulate(jobs, scheduler) for scheduler in (rp.FCFS(), rp.OrderedEASY()))
    assert 90_000 <= model.window(a, a, 20_000) <= 100_000  # one job waits for 25 hours
    assert model.window(a, b, 20_000, differing=True) > 90_000
    assert b.start[4] < a.start[4]


def test_changes_are_means_of_each_class(log):
    jobs = rp.load(log)
    a, b = rp.simulate(jobs), rp.simulate(jobs, rp.FCFS())
    table = model.changes(a, b, pd.cut(jobs.processors, [0, 4, 64]))
    kept = measured_jobs(jobs.submit, a.end) & measured_jobs(jobs.submit, b.end)
    later = (b.start - a.start) / 60
    small = kept & (jobs.processors <= 4)
    assert table.loc["all", "change"] == pytest.approx(later[kept].mean())
    assert table.iloc[1]["change"] == pytest.approx(later[small].mean())
    assert table["jobs"].tolist() == [kept.sum(), small.sum(), (kept & ~small).sum()]
    assert (table["low"] <= table["change"]).all() and (table["change"] <= table["high"]).all()
    assert not model.changes(a, a).loc["all", ["change", "low", "high"]].any()


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
estimates = [make(1.0) for make in model.ESTIMATES.values()] + [rp.Modal(3600)]
predictors = [rp.Clairvoyant(), rp.Virtual(0.2), rp.Tsafrir(), rp.Complete(), rp.CVH()]
schedulers = [*model.SCHEDULERS.values(), *(rp.EASY(predictor=one) for one in predictors)]
schedulers += [rp.EASY(predictor=rp.TopPercent(p)) for p in (2, 3, 4)]
names = [*rp.simulate(jobs).measures, "ap0waf"]
rp.compare(jobs, dict.fromkeys(schedulers), estimates, measures=names)
rp.compare(jobs, [rp.EASY(), rp.EASY(predictor=rp.Last())], measures=["wild"])
print(compiled())
"""


def test_nothing_is_compiled_after_warm():
    command = [sys.executable, "-W", "ignore", "-c", AFTER_WARM]
    done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


def test_controls_change_the_schedule_that_they_name(log, tools):
    explorer, jobs = tools.Explorer(log), rp.load(log)
    explorer.sides[1]["estimates"].value = model.RANDOM
    explorer.sides[1]["scheduler"].value = SHORTEST
    explorer.f.value = 3.0
    expected = rp.simulate(jobs, rp.OrderedEASY(), rp.FModel(3.0))
    assert explorer.schedules[1].start.tolist() == expected.start.tolist()
    assert "log.swf: 400 jobs on 64 processors, load " in shown(explorer.text)
    assert f"B · {SHORTEST}, random, up to run times × 4: mean wait" in shown(explorer.text)
    picture = explorer.picture.value
    explorer.length.value = 6
    assert explorer.picture.value not in (b"", picture)
    explorer.load.value = 3  # which is refused and not changed
    assert explorer.load.value == 3 and "load: 3;" in shown(explorer.text)
    assert explorer.picture.value == b"" and explorer.lines.value == ""
    explorer.load.value = 0.9
    assert explorer.schedules[0].workload.load == pytest.approx(0.9, rel=0.01)
    for part in (*explorer.sides[0].values(), *explorer.sides[1].values()):
        part.value = part.options[0]
    assert explorer.f.disabled


def test_the_python_lines_make_the_same_schedules(log, tools):
    explorer = tools.Explorer(log)
    explorer.load.value = 0.9
    explorer.sides[0]["estimates"].value = "run times × (f + 1)"
    explorer.sides[1]["scheduler"].value = "EASY on predictions"
    explorer.f.value = 0.7
    variables = {}
    exec(shown(explorer.lines).partition("'>")[2].removesuffix("</pre>"), variables)
    for name, schedule in zip("ab", explorer.schedules, strict=True):
        assert variables[name].start.tolist() == schedule.start.tolist()


def test_a_log_without_estimates_opens(tmp_path, tools):
    explorer = tools.Explorer(write(tmp_path / "log.swf", estimates=False))
    assert {repr(schedule.estimates) for schedule in explorer.schedules} == {"FModel(f=1.0)"}
    explorer.sides[0]["estimates"].value = model.USERS
    assert "FModel(1)" in shown(explorer.text) and explorer.picture.value == b""


def test_schedulers_of_the_user(log, tools):
    mine = {"at most an hour": rp.OrderedEASY(waiting_limit=3600), "text": "EASY(predictor=Last())"}
    explorer = tools.Explorer(log, schedulers=mine)
    assert explorer.sides[1]["scheduler"].value == "at most an hour"
    assert explorer.schedules[1].scheduler == mine["at most an hour"]
    explorer.sides[1]["scheduler"].value = "text"
    assert explorer.schedules[1].scheduler == rp.EASY(predictor=rp.Last())


def test_a_story_asks_and_scores_the_guess_on_this_log(log, tools):
    explorer, users = tools.Explorer(log), model.USERS
    easy, fcfs = ("EASY", users), ("no backfilling", users)
    story = tools.stories.Story("s", "Longer?", "Look.", model.Log(str(log)), easy, fcfs)
    explorer.load.value, explorer.length.value = 0.8, 6
    explorer.tell(story)
    a, b = explorer.schedules
    assert "Longer?" in shown(explorer.told) and a.start.tolist() == b.start.tolist()
    assert a.workload.load == rp.load(log).load
    explorer.answer(0)
    assert explorer.schedules[1].scheduler == rp.FCFS()
    assert "Not so on this log: longer waits" in shown(explorer.told)
    assert "Look." in shown(explorer.told)
    explorer.f.value = 2.0
    assert "Not so" not in shown(explorer.told)


@pytest.mark.parametrize("losing, doubt", [([], False), ([1, 4, 5, 8], True)])
def test_a_score_names_its_doubt(tools, losing, doubt):
    """In each of twelve weeks a long and a short job arrive together. The order by estimate is the
    better one, but in some weeks the estimate of the short job is the longer one.
    """
    run_time, estimate = np.tile([1000, 10], (2, 12, 1))
    run_time[losing], estimate[losing] = [10, 1000], [2000, 1000]
    submit = np.repeat(7 * 86400 * np.arange(12), 2)
    columns = submit, run_time.ravel(), [1] * 24
    jobs = rp.Workload.from_columns("weeks", 1, *columns, estimate=estimate.ravel())
    a, b = rp.simulate(jobs, rp.FCFS()), rp.simulate(jobs, rp.OrderedEASY())
    text = tools.stories.score(0, a, b)
    assert text.startswith("Right on this log: shorter waits")
    assert ("Over other weeks it could be the other way" in text) == doubt


def test_the_notebook_runs_without_a_browser(log, tools, tmp_path, monkeypatch):
    import matplotlib

    matplotlib.use("agg")
    monkeypatch.chdir(tmp_path)
    cells = nbformat.read(paths.NOTEBOOKS / "explore.ipynb", as_version=4).cells
    variables = {"display": lambda *shown: None}
    for cell in cells:
        if cell.cell_type == "code":
            exec(cell.source, variables)
            if "parameters" in cell.metadata.get("tags", ()):
                variables |= {"trace": str(log), "paper": None}
    assert len(variables["explorer"].schedules[0].workload) == 400
    assert {*variables["curve"]["f"]} >= {0, 10} and variables["curve"]["seed"].nunique() >= 10
    assert all("all" in table.index for table in variables["gains"].values())


def test_the_picture_of_the_notebook_is_the_first_of_the_explorer(tools):
    if registry.locate("KTH-SP2-2") is None:
        pytest.skip("KTH-SP2-2 is not on this machine")
    picture = tools.Explorer("KTH-SP2-2", "heel_and_toe").picture.value
    assert (paths.NOTEBOOKS / "explore.png").read_bytes() == bytes(picture)
