"""The identity of choices and user code: fifty pairs that differ in one hidden thing, and values without identity."""

import importlib
import os
import subprocess
import sys
import threading
from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

import replication as rp
from replication.simulator.choices import option
from replication.simulator.schedulers import EASY, OrderedEASY
from replication.simulator.sweeps import code

OWN = """
import enum
import functools
from dataclasses import dataclass, field

import numpy as np
from numba import njit

import helper_of_users as helper
from helper_of_users import of_helper, by_wraps
from replication.simulator.choices import option
from replication.simulator.predictors import Predictor
from replication.simulator.predictors.base import compiled
from replication.simulator.schedulers import Scheduler

SCALE = 2
TABLE = {"a": 1, "b": 2}
NAMES = {"x", "y"}
WEIGHTS = np.arange(3000)
FRAME = [(1, 2), (3, [4, 5])]

class Kind(enum.Enum):
    SMALL = 1

class Settings:
    limit = 10
    def __init__(self):
        self.depth = 3
SETTINGS = Settings()

def default(w, share=0.5, *, more=1):
    return w.processors * share + more

def body(w):
    return w.processors + 1

def constant_of_set(w):
    return len({"q", "r"} & NAMES)

def of_global(w):
    return w.processors * SCALE

def of_table(w):
    return TABLE["a"] + WEIGHTS.sum() + FRAME[1][0]

def of_enum(w):
    return Kind.SMALL.value

def of_object(w):
    return SETTINGS.depth + SETTINGS.limit

def of_module(w):
    return helper.shrink(w.processors)

def of_name(w):
    return of_helper(w.processors)

def of_wrapped(w):
    return by_wraps(w.processors)

def nested(w):
    def inner(x):
        return x - 7
    return [inner(x) for x in w.processors]

def make(amount):
    def closure(w):
        return w.processors * amount
    return closure
closure = make(4)
small = lambda w: w.processors % 5
part = functools.partial(default, share=0.25)

@functools.lru_cache
def remembered(x):
    return x + 6

def of_remembered(w):
    return remembered(1)

@njit(error_model="numpy")
def fast(x):
    return x * 8

def of_fast(w):
    return fast(3)

def generator(w):
    yield 9

def recursive(n):
    return n and recursive(n - 1) + 11

class Small:
    @staticmethod
    def order(w):
        return w.processors

    @classmethod
    def other(cls, w):
        return cls.factor * w.processors
    factor = 12

class Called:
    def __init__(self, sign):
        self.sign = sign
    def __call__(self, w):
        return self.sign * w.processors
called = Called(1)

@dataclass(frozen=True)
class Own(helper.Base, Scheduler, name="own-of-a-test"):
    '''About.'''
    amount: int = option(13)
    passes = 14

    @property
    def share(self):
        return 0.75

    def run(self, workload, estimate, seed):
        return self.amount * of_global(workload)

@dataclass(frozen=True)
class Fast(Predictor, name="fast-of-a-test"):
    predict = compiled(lambda memory, job, now: memory.request[job] // 15)

class Online(Predictor, name="online-of-a-test"):
    weight: float = 0.5
    def predict(self, job, now):
        return self.weight * job.estimate
    def learn(self, job, now):
        self.last = 16
"""
HELPER = """
import functools
import constants_of_users
from constants_of_users import OFFSET
class Base:
    validated = True
    def shared(self):
        return 17
def shrink(x):
    return x // constants_of_users.DIVISOR
def of_helper(x):
    return x + OFFSET
def decorate(function):
    @functools.wraps(function)
    def inside(*given):
        return function(*given) * 18
    return inside
@decorate
def by_wraps(x):
    return x + 19
"""
SOURCES = {"own": OWN, "helper": HELPER, "constants": "DIVISOR = 2\nOFFSET = 3\n"}
#: A thing, and a change of one source that it depends on.
HIDDEN = [
    ("default", "share=0.5", "share=0.6"),
    ("default", "more=1", "more=2"),
    ("body", "+ 1\n", "+ 2\n"),
    ("body", "+ 1\n", "- 1\n"),
    ("constant_of_set", '{"q", "r"}', '{"q", "s"}'),
    ("constant_of_set", '{"x", "y"}', '{"x", "z"}'),
    ("of_global", "SCALE = 2", "SCALE = 3"),
    ("of_global", "SCALE = 2", "SCALE = 2.0"),
    ("of_table", '"a": 1', '"a": 0'),
    ("of_table", '"a": 1, "b": 2', '"b": 2, "a": 1'),
    (
        "of_table",
        "WEIGHTS = np.arange(3000)",
        "WEIGHTS = np.arange(3000) + (np.arange(3000) == 1500)",
    ),
    ("of_table", "np.arange(3000)", "np.arange(3000.0)"),
    ("of_table", "[4, 5]", "[4, 6]"),
    ("of_enum", "SMALL = 1", "SMALL = 2"),
    ("of_object", "limit = 10", "limit = 11"),
    ("of_object", "self.depth = 3", "self.depth = 4"),
    ("of_module", "x //", "x %"),
    ("of_module", "DIVISOR = 2", "DIVISOR = 8"),
    ("of_name", "OFFSET = 3", "OFFSET = 4"),
    ("of_name", "x + OFFSET", "x - OFFSET"),
    ("of_wrapped", "* 18", "* 17"),
    ("of_wrapped", "+ 19", "+ 20"),
    ("nested", "x - 7", "x - 8"),
    ("nested", "in w.processors]", "in w.processors[::2]]"),
    ("closure", "make(4)", "make(5)"),
    ("closure", "* amount", "// amount"),
    ("small", "% 5", "% 6"),
    ("part", "share=0.25", "share=0.26"),
    ("part", "* share + more", "* share - more"),
    ("of_remembered", "x + 6", "x + 7"),
    ("of_fast", "x * 8", "x * 9"),
    ("of_fast", 'error_model="numpy"', 'error_model="python"'),
    ("generator", "yield 9", "yield 10"),
    ("recursive", "+ 11", "+ 12"),
    ("Small.order", "return w.processors\n", "return -w.processors\n"),
    ("Small.other", "factor = 12", "factor = 13"),
    ("called", "Called(1)", "Called(-1)"),
    ("called", "self.sign *", "2 * self.sign *"),
    ("Own()", "option(13)", "option(12)"),
    ("Own()", "passes = 14", "passes = 15"),
    ("Own()", "0.75", "0.7"),
    ("Own()", "return self.amount *", "return self.amount -"),
    ("Own()", "SCALE = 2", "SCALE = 1"),
    ("Own()", "validated = True", "validated = False"),
    ("Own()", "return 17", "return 18"),
    ("Fast()", "// 15", "// 16"),
    ("Online()", "weight: float = 0.5", "weight: float = 0.6"),
    ("Online()", "self.weight * job", "self.weight + job"),
    ("Online()", "self.last = 16", "self.last = 15"),
]


def load(folder, *replacements):
    """Import the modules of a user from a folder, with replacements in their sources."""
    for name, source in SOURCES.items():
        for before, after in replacements:
            source = source.replace(before, after)
        (folder / f"{name}_of_users.py").write_text(source)
        sys.modules.pop(f"{name}_of_users", None)
    importlib.invalidate_caches()
    for family in (rp.Scheduler, rp.Predictor):
        for name in [name for name in family.members if name.endswith("-of-a-test")]:
            del family.members[name]
    return importlib.import_module("own_of_users")


@pytest.fixture
def own(tmp_path, monkeypatch):
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    yield lambda *replacements: load(tmp_path, *replacements)
    for name in SOURCES:
        sys.modules.pop(f"{name}_of_users", None)


@pytest.mark.parametrize(("thing", "before", "after"), HIDDEN)
def test_a_hidden_difference_in_code_counts(own, thing, before, after):
    assert any(before in source for source in SOURCES.values())
    keys = [code.of(eval(thing, vars(own(*change)))) for change in ((), [(before, after)], ())]  # noqa: S307
    assert keys[0] == keys[2] != keys[1]


@dataclass(frozen=True)
class Replay(rp.Predictor, name="replay-of-a-test"):
    """Predictions that were made elsewhere."""

    values: object = option(None)

    def predictions(self, workload, request, seed):
        return np.minimum(self.values, request)


def changed(values, place, value):
    values = values.copy()
    values[place] = value
    return values


def small(workload):
    return workload.processors


def with_order(function):
    function.__name__ = function.__qualname__ = "order"
    return OrderedEASY(by=function)


LONG = np.arange(5000)
VALUES = [
    (Replay(LONG), Replay(changed(LONG, 2500, 1))),
    (Replay(LONG), Replay(LONG.astype(np.int32))),
    (Replay(LONG.reshape(50, 100)), Replay(LONG.reshape(100, 50))),
    (Replay(pd.Series(LONG)), Replay(pd.Series(changed(LONG, 2500, 1)))),
    (Replay([*LONG]), Replay([*changed(LONG, 2500, 1)])),
    (EASY(Replay(LONG)), EASY(Replay(changed(LONG, 2500, 1)))),
    (with_order(lambda w: w.processors), with_order(lambda w: -w.processors)),
    (with_order(lambda w, k=1: k * w.submit), with_order(lambda w, k=2: k * w.submit)),
    (rp.FModel(1, e_max=60), rp.FModel(1, e_max=61)),
    (rp.PVEasy(rp.Last()), rp.PVEasy(rp.Biased(rp.Last()))),
]


@pytest.mark.parametrize("k", range(len(VALUES)))
def test_a_hidden_difference_in_a_value_counts(k):
    one, other = VALUES[k]
    assert code.of(one) != code.of(other)
    assert code.labels([one, other, one]) == (
        [repr(one), f"{other!r} #2", repr(one)]
        if repr(one) == repr(other)
        else [repr(one), repr(other), repr(one)]
    )


def test_the_simulator_s_part_of_a_key_ignores_comments_docstrings_and_return_types():
    plain = code.bare("def f(x):\n    pass\n    return x\n")
    assert code.bare('def f(x) -> int:\n    """Return x."""\n    return x  # as given\n') == plain
    assert code.bare("def f(x: int):\n    pass\n    return x\n") != plain


def test_comments_docstrings_lines_and_places_do_not_count(own):
    things = "Own()", "of_module", "of_wrapped", "Online()"
    before = [code.of(eval(thing, vars(own()))) for thing in things]  # noqa: S307
    moved = vars(own(("SCALE = 2", "\n\nSCALE = 2  # so")))
    assert [code.of(eval(thing, moved)) for thing in things] == before  # noqa: S307


SCRIPT = """
from replication.simulator.sweeps import code
import own_of_users
for thing in THINGS:
    print(code.of(eval(thing, vars(own_of_users))))
"""


def test_a_hash_is_the_same_in_every_process(own, tmp_path):
    things = sorted({thing for thing, *_ in HIDDEN})
    here = [code.of(eval(thing, vars(own()))) for thing in things]  # noqa: S307
    folders = os.pathsep.join([str(tmp_path), *sys.path])
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.replace("THINGS", repr(things))],
        env=os.environ | {"PYTHONPATH": folders, "PYTHONHASHSEED": "77"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.split() == here


def test_variables_set_at_run_time_count(own):
    module = own()
    before = code.of(module.Own())
    module.SCALE = 5
    assert code.of(module.Own()) != before


def imports_when_called(w):
    import helper_of_users

    return helper_of_users.shrink(w.processors)


def imports_installed(w):
    import scipy

    return scipy


def test_what_cannot_be_written_by_value_is_unknown(own, tmp_path):
    own()
    with pytest.raises(code.Unknown, match="imports helper_of_users when it is called"):
        code.of(imports_when_called)
    code.of(imports_installed)
    lock = threading.Lock()
    with pytest.raises(code.Unknown, match="cannot pickle '_thread.lock' object"):
        code.of(OrderedEASY(by=lambda w: lock))
    with open(tmp_path / "file", "w") as file, pytest.raises(code.Unknown, match="TextIOWrapper"):
        code.of(Replay(file))


def test_sources_without_influence_on_results_are_left_out(monkeypatch):
    for name in code.WITHOUT_INFLUENCE:
        assert (code.PACKAGE / name).exists(), name
    before = code.of_simulator()
    assert len(before) == 64
    for name in ("logs/swf.py", "reference/easy.py", "kernels/easy.py"):
        monkeypatch.setitem(code._SOURCES, name, b"changed = True")
        same = code.of_simulator.__wrapped__() == before
        assert same == (name != "kernels/easy.py")
