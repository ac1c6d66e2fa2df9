"""The schedulers of docs/recipes.md and docs/extending.md do what the pages say."""

import re

import numpy as np
import pytest

import replication as rp
from replication.simulator import paths
from tests.workloads import jobs, random_jobs

NAMES = ("Backfilling", "Memory", "UserLimit", "EveryMinute", "FairShare", "Relaxed")
CROWD = random_jobs(300, 8, 4000, 200, 400)


@pytest.fixture(scope="module")
def recipes():
    """Return the schedulers by name, from the blocks of the pages that define them."""
    found = {}
    for page in ("recipes", "extending"):
        text = (paths.ROOT / f"docs/{page}.md").read_text(encoding="utf-8")
        for block in re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
            if any(f"class {name}(" in block for name in NAMES):
                exec(compile(block, page, "exec"), found.setdefault(page, {"rp": rp}))
    return found["recipes"] | {"Relaxed": found["extending"]["Relaxed"]}


def test_the_head_has_a_reservation_in_memory_too(recipes):
    """A job that needs two thirds of the memory waited as long as others came."""
    n = 400
    memory = np.full(n, 20)
    memory[5] = 40
    log = rp.Workload.from_columns(
        "memory", 10, 1090 * np.arange(n), np.full(n, 3300), np.full(n, 2),
        more={"requested_memory": memory},
    )  # fmt: skip
    run = rp.simulate(log, recipes["Memory"](memory=120))
    assert run.wait[5] < 3300
    changes = [(t, m) for t, m in zip(run.start, 2 * memory, strict=True)]
    changes += [(t, -m) for t, m in zip(run.end, 2 * memory, strict=True)]
    assert max(np.cumsum([change for _, change in sorted(changes)])) <= 120


def test_with_enough_memory_it_is_easy(recipes):
    memory = np.arange(300) % 7
    log = CROWD.replace(more={"requested_memory": memory})
    assert rp.simulate(log, recipes["Memory"]()).start.tolist() == rp.simulate(log).start.tolist()


def test_a_user_has_at_most_so_many_running_jobs(recipes):
    log = CROWD.replace(user=np.arange(300) % 3)
    run = rp.simulate(log, recipes["UserLimit"](most=2))
    for user in range(3):
        own = log.user == user
        at = run.start[own]
        running = (run.start[own] <= at[:, None]) & (at[:, None] < run.end[own])
        assert running.sum(axis=1).max() == 2


def test_jobs_start_at_whole_minutes_alone(recipes):
    run = rp.simulate(CROWD, recipes["EveryMinute"]())
    assert (run.start % 60 == 0).all()


def test_users_who_have_used_less_go_first(recipes):
    # User 1 runs first. Of the jobs that wait then, that of user 2 goes before those of user 1.
    log = jobs(4, (0, 100, 4), (1, 10, 4), (2, 10, 4), (3, 10, 4))
    log = log.replace(user=np.array([1, 1, 2, 3]))
    assert rp.simulate(log, recipes["FairShare"]()).start.tolist() == [0, 120, 100, 110]
    # After many half-lives the usage of user 1 is below that of user 2.
    log = jobs(4, (0, 100, 4), (900, 50, 4), (910, 5, 4), (911, 5, 4))
    log = log.replace(user=np.array([1, 2, 1, 2]))
    assert rp.simulate(log, recipes["FairShare"](half_life=50)).start.tolist() == [0, 900, 950, 955]


def test_relaxed_backfilling_delays_the_head_by_its_share(recipes):
    # Job 2 waits for 4 processors until 10. Job 3 would delay it until 12.
    log = jobs(4, (0, 10, 3), (0, 5, 4), (2, 10, 1))
    starts = [rp.simulate(log, recipes["Relaxed"](share=s)).start.tolist() for s in (0, 0.1, 0.2)]
    assert starts == [[0, 10, 15], [0, 10, 15], [0, 12, 2]]
