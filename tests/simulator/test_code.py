"""The identity of choices and user code: pairs that differ in one hidden thing,
and values without identity.
"""

import hashlib
import importlib
import inspect
import itertools
import json
import os
import shutil
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path

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
import sys
import types
from dataclasses import dataclass, field

import numpy as np
from numba import float32, njit

import folder_of_users.inner
import helper_of_users as helper
import replication as rp
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

def of_folder(w):
    return getattr(folder_of_users, "inner").deep()

made = sys.modules["made_of_users"] = types.ModuleType("made_of_users")
exec("def called(): return 22", vars(made))

def of_made(w):
    return made.called()

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
SOURCES = {
    "own_of_users": OWN,
    "helper_of_users": HELPER,
    "constants_of_users": "DIVISOR = 2\nOFFSET = 3\n",
    "folder_of_users.inner": "def deep():\n    return 20\n",  # without a file __init__.py
}
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
    ("of_table", "np.arange(3000)", "np.arange(3000) + (np.arange(3000) == 1500)"),
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
    ("part", "share=0.25", "share=0.26"),
    ("part", "* share + more", "* share - more"),
    ("of_remembered", "x + 6", "x + 7"),
    ("of_fast", "x * 8", "x * 9"),
    ("of_fast", 'error_model="numpy"', 'error_model="python"'),
    ("of_fast", 'error_model="numpy"', 'error_model="numpy", locals={"x": float32}'),
    ("of_folder", "return 20", "return 21"),
    ("of_made", "return 22", "return 23"),
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


def forget():
    """Remove the modules of a user."""
    for name in [name for name in sys.modules if "_of_users" in name]:
        del sys.modules[name]


def load(folder, *replacements):
    """Import the modules of a user from a folder, with replacements in their sources."""
    for name, source in SOURCES.items():
        for before, after in replacements:
            source = source.replace(before, after)
        path = folder / f"{name.replace('.', '/')}.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(source)
    forget()
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
    forget()


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
    (LONG, LONG.view(np.uint64)),
    (LONG.reshape(50, 100), LONG.reshape(100, 50)),
    (LONG, changed(LONG, 2500, 1)),
    (({"a": 1},), ({"a": 2},)),
]


@pytest.mark.parametrize("k", range(len(VALUES)))
def test_a_hidden_difference_in_a_value_counts(k):
    one, other = VALUES[k]
    assert code.of(one) != code.of(other)
    number = " #2" if repr(one) == repr(other) else ""
    assert code.labels([one, other, one]) == [repr(one), f"{other!r}{number}", repr(one)]


def test_the_simulator_s_part_of_a_key_ignores_comments_docstrings_and_types():
    plain = code.bare("def f(x):\n    pass\n    return x\n")
    typed = 'def f(x: int) -> int:\n    """Return x."""\n    return x  # as given\n'
    assert code.bare(typed) == plain
    assert code.bare("x: int = 1") != code.bare("x = 1")


SYNTAX = """
import asyncio as a
@a.b(c, *d, **e)
class C(B, metaclass=M):
    'Documented.'
    x: int = 0x10; y = 1_000.0, 1e400, 2j, b"\\xff", u"\u00fc\U0001fae9", ..., None, -1
    async def f(self, p, /, q=None, *, r: "str" = 'a' "b") -> None:
        async with self as s, t: [z async for z in s if await z]
        return f"{p!r:>{q}} {q=} {{}} {'n' + f'{r}'}" 'more' f'{s:}' f'' f'{ t = !s:>{q}.{p}}x{{'
def g(*args, **more):
    try: yield from (w := [*args])
    except* OSError as error: raise E from error
    match w:
        case {"k": [1, *rest], **others} | C(x=0) if rest: global h; del w[0:, ::2]
        case None: lambda v=1, *u: v if u else not v < 2 <= 3
"""


def pythons():
    """Return the supported Pythons on the path and beside the present one that run."""
    names = [f"python3.{minor}" for minor in (11, 12, 13)]
    beside = (Path(sys.base_prefix).parent.glob(f"*/bin/{name}") for name in names)
    found = {*filter(None, map(shutil.which, names)), *map(str, itertools.chain(*beside))}
    return [
        one for one in found if not subprocess.run([one, "-c", ""], capture_output=True).returncode
    ]


def test_every_python_of_this_machine_gives_the_same_syntax():
    sources = [SYNTAX, *(one.decode() for one in code._SOURCES.values())]
    script = "\n".join(
        [
            "import ast, hashlib, json, sys",
            inspect.getsource(code.bare),
            "for one in json.load(sys.stdin):",
            "    print(hashlib.sha256(bare(one).encode()).hexdigest())",
        ]
    )
    here = [hashlib.sha256(code.bare(one).encode()).hexdigest() for one in sources]
    for python in pythons():
        done = subprocess.run(
            [python, "-c", script], input=json.dumps(sources), capture_output=True, text=True
        )
        assert done.stdout.split() == here, (python, done.stderr)


def test_comments_docstrings_lines_and_places_do_not_count(own):
    things = "Own()", "of_module", "of_wrapped", "Online()"
    before = [code.of(eval(thing, vars(own()))) for thing in things]  # noqa: S307
    moved = vars(own(("SCALE = 2", "\n\nSCALE = 2  # so")))
    assert [code.of(eval(thing, moved)) for thing in things] == before  # noqa: S307


OF_THE_PACKAGE = [
    "rp.EASY(rp.Biased(rp.Last()), candidates='sjf')",
    "rp.FModel(1, e_max=60), rp.PVEasy()",
    "('mean_wait', (0.1, True), [1, 2], {'a': None}, WEIGHTS, np.float64(0.5))",
]
SCRIPT = """
from replication.simulator.sweeps import code
import own_of_users
for thing in THINGS:
    print(code.of(eval(thing, vars(own_of_users))))
"""


def test_a_hash_is_the_same_in_every_process(own, tmp_path):
    # The order of a set of texts differs from process to process.
    things = sorted({thing for thing, *_ in HIDDEN} - {"constant_of_set"}) + OF_THE_PACKAGE
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


def test_a_class_that_says_it_is_of_the_package_is_known_by_its_value(own):
    keys = []
    for change in ((), [("0.75", "0.7")]):
        one = own(*change).Own
        one.__module__, one.__qualname__ = EASY.__module__, EASY.__qualname__
        keys.append(code.of(one()))
    assert keys[0] != keys[1]


class Single:
    """An object that is pickled by its name, whatever its value."""

    def __reduce__(self):
        return "SINGLE"


SINGLE = Single()
REFUSED = {
    "import helper_of_users": "imports helper_of_users when it is called",
    "from .statistics import mean": "imports statistics when it is called",
    "class C: k = SCALE": "C uses SCALE; define this class at the top",
}


def test_what_cannot_be_written_by_value_is_unknown(own):
    names = vars(own())
    exec("def f(w): import scipy, os.path", names)  # noqa: S102
    code.of(names["f"])
    for body, message in REFUSED.items():
        exec(f"def f(w):\n    {body}", names)  # noqa: S102
        with pytest.raises(code.Unknown, match=message):
            code.of(names["f"])
    for value, message in ((SINGLE, "by its name only"), (threading.Lock(), "_thread.lock")):
        with pytest.raises(code.Unknown, match=message):
            code.of(OrderedEASY(by=lambda w, value=value: value))


def test_sources_without_influence_on_results_are_left_out(monkeypatch):
    for name in code.WITHOUT_INFLUENCE:
        assert (code.PACKAGE / name).exists(), name
    before = code.of_simulator()
    assert len(before) == 64
    for name in ("logs/swf.py", "decisions.py", "kernels/easy.py"):
        monkeypatch.setitem(code._SOURCES, name, b"changed = True")
        same = code.of_simulator.__wrapped__() == before
        assert same == (name != "kernels/easy.py")
