"""The environment: gymnasium's checker, EASY start by start, rewards that add up,
windows by seed.
"""

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium")

from gymnasium.utils.env_checker import check_env  # noqa: E402

import replication as rp  # noqa: E402
import replication_gym  # noqa: E402
from replication_gym import FEATURES, MACHINE_FEATURES, Backfill, Policy, easy_action  # noqa: E402

LOG = rp.synthetic(600, 100, seed=3)


def episode(env, act, **options):
    """Run an episode; return the sum of its rewards and the number of steps."""
    _, info = env.reset(**options)
    total, steps, over = 0.0, 0, False
    while not over:
        _, reward, over, _, info = env.step(act(env, info["action_mask"]))
        total, steps = total + reward, steps + 1
    return total, steps


def easy(env, mask):
    return easy_action(env.loop, env.slots)


def random(env, mask):
    return env.action_space.sample(mask.astype(np.int8))


@pytest.mark.parametrize("measure", ["bounded_slowdown", "wait"])
def test_gymnasiums_checker_is_content(measure):
    env = gymnasium.make("Backfill-v0", workload=LOG, jobs=40, measure=measure)
    check_env(env.unwrapped, skip_render_check=True)
    assert env.observation_space.shape == (32 * len(FEATURES) + len(MACHINE_FEATURES),)
    assert replication_gym.Backfill().reset(seed=1)[0].shape == env.observation_space.shape


@pytest.mark.parametrize("first", [0, 100, 300])
def test_with_the_action_of_easy_an_episode_equals_easy(first):
    env = Backfill(LOG, jobs=300, slots=300)
    episode(env, easy, options={"first": first})
    run = rp.simulate(LOG.take(slice(first, first + 300)), rp.EASY())
    assert env.loop.start == run.start.tolist()
    assert env.loop.backfilled == run.backfilled.tolist() and run.backfilled.any()


@pytest.mark.parametrize("act", [easy, random])
@pytest.mark.parametrize("measure", ["bounded_slowdown", "wait"])
def test_the_rewards_add_up_to_the_measure(act, measure):
    env = Backfill(LOG, jobs=200, measure=measure)
    env.action_space.seed(1)
    total, _ = episode(env, act, seed=5)
    w, start = env.loop.workload, np.array(env.loop.start)
    wait = start - w.submit
    assert (wait >= 0).all()
    slowdown = np.maximum((wait + w.run_time) / np.maximum(w.run_time, 10), 1)
    expected = wait.mean() if measure == "wait" else slowdown.mean() - 1
    assert total == pytest.approx(-expected) and total < 0


def test_windows_depend_on_the_seed():
    env = Backfill(LOG, jobs=50)
    drawn = [env.reset(seed=seed)[1]["first"] for seed in (1, 1, 2)]
    assert drawn[0] == drawn[1] != drawn[2]
    again = [env.reset()[1]["first"] for _ in range(3)]
    assert len(set(again)) > 1
    with pytest.raises(ValueError, match="first 551; expected 0 to 550"):
        env.reset(options={"first": 551})
    for jobs, warm in ((601, 0), (0, 0), (590, 11), (5, -1)):
        with pytest.raises(ValueError, match=f"jobs {jobs} after {warm}; .* at most the log's 600"):
            Backfill(LOG, jobs=jobs, warm=warm)


def test_the_observation_of_three_jobs():
    # Job 1 runs on 3 of 4 processors to 100 s. Job 2 is the head; job 3 ends in time, job 4 does
    # not and is too large.
    log = rp.Workload.from_columns(
        "four", 4, [0, 1, 1, 1], [100, 10, 99, 500], [3, 3, 1, 2], [100, 10, 99, 500]
    )
    env = Backfill(log, jobs=4, slots=5)
    env.reset(seed=1)
    observation, _, _, _, info = env.step(0)
    slots = observation[:-4].reshape(5, len(FEATURES))
    assert slots[:, 0].tolist() == [1, 1, 1, 0, 0]
    assert slots[:, 1].tolist() == [0, 1, 0, 0, 0] and slots[:, 2].tolist() == [1, 1, 0, 0, 0]
    assert slots[:, 3].tolist() == [0.75, 0.25, 0.5, 0, 0]
    assert slots[1, 4] == pytest.approx(np.log(100) / np.log(604_801)) and slots[1, 5] == 0
    assert observation[-4] == 0.25 and observation[-1] == 0.25
    assert observation[-2] == pytest.approx(np.log(100) / np.log(604_801))
    assert info["action_mask"].tolist() == [False, True, False, False, False, True]


def test_none_is_masked_where_nothing_else_would_happen():
    env = Backfill(rp.Workload.from_columns("one", 4, [0, 0], [5, 5], [3, 3]), jobs=2, slots=2)
    _, info = env.reset(seed=1)
    assert info["action_mask"].tolist() == [True, True, False]
    env.step(2)
    assert env.loop.start == [0, None]
    assert env.step(2)[2] and env.loop.start == [0, 5]


def shortest(observation, mask):
    planned = observation[:-4].reshape(-1, len(FEATURES))[:, 4]
    return int(np.argmin(np.where(mask[:-1], planned, 2)))


def careless(observation, mask):
    """Choose by the observation alone, also what the mask forbids."""
    return int(1000 * observation.sum()) % len(mask)


@pytest.mark.parametrize("act", [shortest, careless])
@pytest.mark.parametrize("head_first", [False, True])
def test_a_policy_is_a_scheduler_that_decides_as_in_the_environment(act, head_first):
    slots, forbidden = 4, 0
    env = Backfill(LOG, jobs=len(LOG), slots=slots, head_first=head_first)
    observation, info = env.reset()
    over = False
    while not over:
        action = act(observation, info["action_mask"])
        forbidden += not info["action_mask"][action]
        observation, _, over, _, info = env.step(action)
    assert (forbidden > 0) == (act is careless)
    run = rp.simulate(LOG, Policy(act, slots, head_first))
    assert env.loop.start == run.start.tolist()


def test_a_policy_outside_of_the_space_is_refused():
    with pytest.raises(ValueError, match="action 33; expected a whole number from 0 to 32"):
        rp.simulate(LOG, Policy(lambda observation, mask: 33))


@pytest.mark.parametrize("action", [-1, 33, 10**6, 1.5, "0", None, np.array([1])])
def test_an_action_outside_of_the_space_is_refused(action):
    env = Backfill(LOG, jobs=40)
    env.reset(seed=1)
    with pytest.raises(ValueError, match="action .*; expected a whole number from 0 to 32"):
        env.step(action)


@pytest.mark.parametrize("measure", ["bounded_slowdown", "wait"])
@pytest.mark.parametrize("first", [100, 250, 300])
def test_a_warm_episode_continues_that_of_easy(measure, first):
    """With the action of EASY it is one simulation of EASY, and only the window's jobs count."""
    env = Backfill(LOG, jobs=200, slots=300, measure=measure, warm=100, baseline=True)
    _, info = env.reset(options={"first": first})
    before = [start for start in env.loop.start if start is not None]
    assert None not in env.loop.start[:100] and len(before) < 300
    total, over = 0.0, False
    while not over:
        _, reward, over, _, _ = env.step(easy(env, None))
        total += reward
    run = rp.simulate(LOG.take(slice(first - 100, first + 200)), rp.EASY())
    assert env.loop.start == run.start.tolist()
    values = run.wait if measure == "wait" else run.jobs["bounded_slowdown"] - 1
    assert total == pytest.approx(-values[100:].mean()) and total == pytest.approx(info["baseline"])
    with pytest.raises(ValueError, match="first 99; expected 100 to 400"):
        env.reset(options={"first": 99})


def longest_wait(schedule):
    return float(schedule.wait.max())


@pytest.mark.parametrize("warm", [0, 100])
def test_a_measure_is_a_function_of_the_schedule_of_the_window(warm):
    env = Backfill(LOG, jobs=100, measure=longest_wait, warm=warm, baseline=True)
    env.action_space.seed(1)
    _, info = env.reset(seed=2)
    rewards, over = [], False
    while not over:
        _, reward, over, _, step = env.step(random(env, env.action_masks()))
        rewards.append(reward)
    wait = np.array(env.loop.start) - env.loop.workload.submit
    assert rewards[-1] == -wait[warm:].max() and not any(rewards[:-1])
    easy_wait = rp.simulate(env.loop.workload, rp.EASY()).wait
    assert info["baseline"] == -easy_wait[warm:].max() and "baseline" not in step
    with pytest.raises(ValueError, match="measure 'slowdown'; .* or a function of a schedule"):
        Backfill(LOG, measure="slowdown")


def test_windows_come_from_several_logs():
    logs = [LOG, rp.synthetic(300, 64, seed=4).replace(name="other")]
    env = Backfill(logs, jobs=50)
    drawn = [env.reset(seed=seed)[1] for seed in range(20)]
    assert {info["log"] for info in drawn} == {LOG.name, "other"}
    again = [env.reset(seed=seed)[1] for seed in range(20)]
    assert [(info["log"], info["first"]) for info in again] == [
        (info["log"], info["first"]) for info in drawn
    ]
    assert env.reset(options={"workload": 1, "first": 3})[1]["log"] == "other"
    assert env.loop.machine == 64
    with pytest.raises(ValueError, match="workload 2; expected 0 to 1"):
        env.reset(options={"workload": 2})
    with pytest.raises(ValueError, match="at most the log's 300"):
        Backfill(logs, jobs=301)


@pytest.mark.parametrize("warm", [0, 50])
def test_the_head_goes_first_and_the_learner_backfills(warm):
    env = Backfill(LOG, jobs=200, slots=250, warm=warm, head_first=True)
    _, info = env.reset(options={"first": 100})
    over, steps = False, 0
    while not over:
        assert not env.loop.queue or not info["action_mask"][0], "the head waits only if blocked"
        _, _, over, _, info = env.step(easy(env, None))
        steps += 1
    window = LOG.take(slice(100 - warm, 300))
    expected = rp.simulate(window, rp.EASY()).start
    assert env.loop.start == expected.tolist()
    idle = Policy(lambda observation, mask: len(mask) - 1, slots=250, head_first=True)
    assert rp.simulate(window, idle).start.tolist() == rp.simulate(window, rp.FCFS()).start.tolist()


def test_an_unknown_option_of_reset_is_refused():
    with pytest.raises(ValueError, match="options 'frist'; expected first or workload"):
        Backfill(LOG, jobs=20).reset(options={"frist": 3})
