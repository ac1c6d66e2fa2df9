"""Choices: checked, shown, equal, in families, as text, and found beside the package."""

import copy
import os
import pickle
import shutil
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import replication as rp
from replication.simulator import paths
from replication.simulator.choices import Choice, ChoiceError, Number, did_you_mean, option
from replication.simulator.observation import observe
from tests.workloads import jobs


class Pudding(Choice, family="pudding"):
    """A family for these tests."""


@dataclass(frozen=True)
class Trifle(Pudding):
    """Layers."""

    layers: int = option(3, Number(1, 9, whole=True))
    fruit: str = option("cherry", ("cherry", "raspberry"))
    topping: Pudding | None = option(None, lambda value: value and Pudding.check(value))


@dataclass(frozen=True)
class Custard(Pudding, name="custard-sauce"):
    thickness: float = option(allowed=Number(0))


SUSPENDING = rp.PVEasy(rp.Biased(rp.TopPercent(3), 2), preemption="suspend", cost=600)
THREE = jobs(4, (0, 9, 3), (1, 5, 4), (2, 3, 1))
EVERY = rp.Scheduler, rp.EstimateModel, rp.Predictor, Pudding


def test_equal_choices_have_one_hash_and_one_repr_and_are_replaced_and_copied():
    assert repr(Trifle()) == "Trifle()"
    assert repr(Trifle(4, topping=Custard(2))) == "Trifle(layers=4, topping=Custard(thickness=2.0))"
    assert Custard(2) == Custard(2.0) != Custard(3) and hash(Custard(2)) == hash(Custard(2.0))
    assert copy.deepcopy(Custard(2)) == pickle.loads(pickle.dumps(Custard(2))) == Custard(2)
    assert replace(Trifle(), layers=5) == Trifle(5)
    with pytest.raises(FrozenInstanceError):
        Trifle().layers = 4


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("easy", rp.EASY()),
        (" pv-easy\n", rp.PVEasy()),
        ("EASY", rp.EASY()),
        ("EASY('last', correction='now')", rp.EASY(rp.Last(), correction="now")),
        ("f-model=2", rp.FModel(2)),
        ("biased=last", rp.Biased(rp.Last())),
        ("Trifle(topping='Trifle(layers=4)')", Trifle(topping=Trifle(4))),
        (repr(SUSPENDING), SUSPENDING),
        (repr(rp.Virtual(0.2, bias=-0.5)), rp.Virtual(0.2, bias=-0.5)),
    ],
)
def test_text_makes_a_choice(text, value):
    assert next(kind for kind in EVERY if isinstance(value, kind)).check(text) == value


def with_init():
    methods = {"__init__": lambda self: None, "predict": lambda self, job, now: 1}
    return type("Named", (rp.Predictor,), methods, name="")()


@pytest.mark.parametrize(
    ("make", "value", "allowed"),
    [
        # Values in Python, and text
        (lambda: Trifle(layer=2), "Trifle has no option 'layer' (did you mean layers?)", ""),
        (lambda: Trifle(fruit="chery"), "(did you mean cherry?)", "'cherry', 'raspberry'"),
        (lambda: Trifle(fruit=np.arange(2)), "fruit=array([0, 1])", "'cherry'"),
        (lambda: Trifle(2.5), "layers=2.5", "a whole number from 1 to 9"),
        (lambda: replace(Trifle(), layers=10), "layers=10", "from 1 to 9"),
        (lambda: Custard(float("nan")), "nan", "a number from 0"),
        (lambda: Pudding.check(Custard), "did you mean Custard()?", "made by Trifle, Custard"),
        ((rp.Scheduler, "easy=2"), "'easy=2'", "easy or EASY(...)"),
        ((rp.Scheduler, "Easy()"), "'Easy' (did you mean EASY?)", "FCFS"),
        ((rp.Scheduler, "PaperEASY(ties='x', ties='y')"), "ties is given twice", "once"),
        ((rp.Scheduler, "EASY(correction=now)"), "correction=now", "text in quotation marks"),
        ((rp.Scheduler, "__import__('os').system('ls')"), "__import__", "EASY"),
        (lambda: rp.EASY(lifetime="until-due"), "'lifetime' (an option of PaperEASY", ""),
        ((rp.EstimateModel, "f-model"), "'f-model'", "f-model=F (a number from 0)"),
        ((rp.EstimateModel, "FModel(e_max=9)"), "f is missing", "a number from 0"),
        ((rp.Predictor, "TopPercent(1, 2, 3, 4, 5, 6)"), "6 values", "5"),
        # Options that exclude each other
        (lambda: rp.EASY(reservations=2, candidates_limit=3), "several reservations", "no limit"),
        (lambda: rp.OrderedEASY("wfp3", reservations=2), "'wfp3'", "by a function, and no limit"),
        (lambda: rp.PVEasy(rp.Biased(rp.CVH(), 2)), "uses the starts of jobs", ""),
        (with_init, "Named has a method __init__", "its options as annotated fields"),
    ],
)
def test_a_refusal_names_the_value_and_what_is_allowed(make, value, allowed):
    with pytest.raises(ChoiceError) as error:
        make() if callable(make) else make[0].check(make[1])
    problem = str(error.value)
    assert value in problem and allowed in problem and "\n" not in problem


def test_python_takes_text_where_it_takes_a_choice():
    run = rp.simulate(THREE, "EASY(predictor=Last())", "f-model=2")
    assert (run.scheduler, run.estimates) == (rp.EASY(rp.Last()), rp.FModel(2))
    assert observe(THREE, "perfect", scheduler="easy").schedule.scheduler == rp.EASY()
    arguments = {"trim": False, "folder": None, "progress": False}
    for study in (rp.compare, rp.sweep):
        by_text = study(THREE, ["easy", rp.FCFS()], ["f-model=0:2:1", "users"], **arguments)
        models = [*map(rp.FModel, range(3)), rp.Users()]
        assert by_text.equals(study(THREE, [rp.EASY(), rp.FCFS()], models, **arguments))


def test_a_range_is_all_its_choices():
    assert rp.EstimateModel.check_all("f-model=0:1:0.5") == [rp.FModel(f) for f in (0, 0.5, 1)]
    with pytest.raises(ChoiceError, match="'f-model=1:0:1': from 1.0 to 0.0 by 1.0"):
        rp.EstimateModel.check_all("f-model=1:0:1")


@pytest.mark.filterwarnings("error")
@example("EASY(1or 2)")
@example("f-model=1or 2")
@given(st.text(alphabet="EASYaefilmrtx=*:,.-_'()[]{}0123456789 \n", max_size=30))
def test_any_text_is_read_or_refused(text):
    for family in EVERY:
        try:
            assert isinstance(family.check(text), family)
        except ChoiceError as error:
            assert "\n" not in str(error)


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("Lst", "last"),  # capitals do not count
        ("fig3", "a/fig03"),
        ("number", "number_1, number_2, number_3 or number_4"),  # at most four
        ("nothing like it", ""),
        (None, ""),
    ],
)
def test_a_hint_names_what_a_word_may_stand_for(word, hint):
    names = ["last", "mean_wait", "wait_p95", "a/fig03", "a/fig13"]
    names += [f"number_{k}" for k in range(1, 9)]
    assert did_you_mean(word, names) == (f" (did you mean {hint}?)" if hint else "")


def test_a_family_knows_its_members_by_name():
    assert Pudding.members == {"trifle": Trifle, "custard-sauce": Custard}
    with pytest.raises(ChoiceError, match="'trifle' exists already"):
        type("Other", (Pudding,), {}, name="trifle")


@pytest.mark.parametrize("base", [Trifle, type("Deep", (Trifle,), {}, name="")], ids=["", "deep"])
def test_an_attribute_that_would_not_change_an_option_is_refused(base):
    with pytest.raises(ChoiceError, match="Named.layers = 5 .* option; expected: layers: int = 5"):
        type("Named", (base,), {"layers": 5}, name="")


@pytest.mark.parametrize("base", [rp.PythonScheduler, rp.Predictor])
@pytest.mark.parametrize("is_base_first", [False, True])
def test_options_of_base_classes_are_options_whichever_class_is_used_first(base, is_base_first):
    class Flagged(base, name=""):
        flag: bool = False

        def predict(self, job, now):
            return 1

    class Weighted(Flagged, name=""):
        flag: bool = True
        weight: float = 1.0

    for kind in (Flagged, Weighted) if is_base_first else (Weighted, Flagged):
        flag = kind().flag
        assert flag == (kind is Weighted)
        assert repr(kind(flag=not flag)) == f"{kind.__name__}(flag={not flag})"
    assert list(Weighted.options())[-2:] == ["flag", "weight"]


def test_a_class_without_the_decorator_is_refused():
    body = {"colour": "red", "__annotations__": {"colour": str}}
    jelly = type("Jelly", (Pudding,), body, name="")
    with pytest.raises(ChoiceError, match="@dataclass"):
        jelly()


MINE = """
from collections import namedtuple
from dataclasses import dataclass

import numba
import numpy as np

import replication as rp

Rules = namedtuple("Rules", "late")


@numba.njit(cache=True)
def starts(submit, rules):
    return submit + rules.late


@dataclass(frozen=True)
class Mine(rp.Scheduler):
    late: int = 7

    def run(self, workload, estimate, seed):
        start = starts(workload.submit, Rules(self.late))
        return {"start": start, "backfilled": np.zeros(len(start), bool)}
"""
BY_TEXT = "from replication.simulator.text import import_module; import_module(Path('own/mine.py'))"
IN_PYTHON = "from own.mine import Mine"


def printed(folder, code, compiled):
    """Return the lines that a new process prints in a folder."""
    variables = {"NUMBA_CACHE_DIR": str(compiled), "PYTHONPATH": str(paths.ROOT)}
    command = [sys.executable, "-c", code]
    output = subprocess.check_output(command, cwd=folder, env=os.environ | variables, text=True)
    return output.splitlines()


def test_a_file_outside_the_package_is_used_by_text_and_in_python(tmp_path):
    """Its compiled code is stored under one name and loaded, or compiled again, under the other."""
    (tmp_path / "own").mkdir()
    (tmp_path / "own/mine.py").write_text(MINE)
    for load, scheduler, starts in (
        (BY_TEXT, "'Mine(late=8)'", [8, 9]),
        (IN_PYTHON, "Mine()", [7, 8]),
    ):
        code = f"from pathlib import Path; import replication as rp; {load}\n"
        code += "log = rp.Workload.from_columns('two', 4, [0, 1], [9, 5], [3, 1])\n"
        code += f"print(rp.simulate(log, {scheduler}).start.tolist())"
        assert printed(tmp_path, code, tmp_path / "compiled") == [str(starts)]


def test_changed_kernels_are_compiled_into_another_folder(tmp_path):
    """Also if the folder is inherited from a process that ran on older sources."""
    for name in ("replication", "data"):
        shutil.copytree(paths.ROOT / name, tmp_path / name)
    code = "import os, replication.simulator.kernels; print(os.environ['NUMBA_CACHE_DIR'])"
    (before,) = printed(tmp_path, code, tmp_path / "compiled")
    assert Path(before).parent == tmp_path / "compiled"
    with (tmp_path / "replication/simulator/kernels/list_scheduler.py").open("a") as source:
        source.write("ANOTHER = 1\n")
    (after,) = printed(tmp_path, code, before)
    assert after != before and Path(after).parent == tmp_path / "compiled"
