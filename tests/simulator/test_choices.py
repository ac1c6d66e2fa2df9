"""Choices: checked, shown, equal, kept in families."""

import copy
import pickle
import subprocess
import sys
from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pytest

from replication.simulator import paths
from replication.simulator.choices import Choice, ChoiceError, Number, did_you_mean, option


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


def test_the_repr_is_an_expression():
    assert repr(Trifle()) == "Trifle()"
    assert repr(Trifle(4, topping=Custard(2))) == "Trifle(layers=4, topping=Custard(thickness=2.0))"


def test_equal_choices_have_one_hash_and_one_repr():
    assert Custard(2) == Custard(2.0)
    assert hash(Custard(2)) == hash(Custard(2.0))
    assert repr(Custard(2)) == repr(Custard(2.0))
    assert Custard(2) != Custard(3)


def test_replace_makes_a_variant_and_checks_it():
    assert replace(Trifle(), layers=5) == Trifle(5)
    with pytest.raises(ChoiceError, match="from 1 to 9"):
        replace(Trifle(), layers=10)
    with pytest.raises(FrozenInstanceError):
        Trifle().layers = 4


def test_a_choice_survives_copying_and_pickling():
    assert copy.deepcopy(Custard(2)) == pickle.loads(pickle.dumps(Custard(2))) == Custard(2)


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Trifle(layer=2), r"Trifle has no option 'layer' \(did you mean layers\?\)"),
        (lambda: Trifle(fruit="chery"), r"did you mean cherry\?\).*'cherry', 'raspberry'"),
        (lambda: Trifle(fruit=np.arange(2)), r"fruit=array\(\[0, 1\]\).*'cherry'"),
        (lambda: Trifle(2.5), "layers=2.5.*a whole number from 1 to 9"),
        (lambda: Custard(float("nan")), "nan.*a number from 0"),
        (lambda: Custard("2"), "thickness='2'.*a number from 0"),
        (lambda: Trifle(topping="trifel"), r"'trifel' unknown \(did you mean trifle\?\)"),
        (lambda: Trifle(topping=3), "pudding is 3.*a value made by Trifle, Custard"),
        (lambda: Pudding.check(Custard), r"did you mean Custard\(\)\?.*made by Trifle, Custard"),
    ],
)
def test_errors_list_what_exists(make, message):
    with pytest.raises(ChoiceError, match=message):
        make()


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("Lst", "last"),  # capitals do not count
        ("last_", "last"),
        ("wait", "mean_wait or wait_p95"),
        ("mean-wait", "mean_wait"),
        ("mean_wiat", "mean_wait"),
        ("fig3", "a/fig03"),
        ("nothing like it", ""),
        (None, ""),
        ("last", ""),
    ],
)
def test_a_hint_names_what_a_word_may_stand_for(word, hint):
    known = ["last", "mean_wait", "wait_p95", "a/fig03", "a/fig13"]
    assert did_you_mean(word, known) == (f" (did you mean {hint}?)" if hint else "")


def test_a_hint_has_at_most_four_names():
    known = [f"{number}_wait" for number in range(9)]
    assert did_you_mean("wait", known) == " (did you mean 0_wait, 1_wait, 2_wait or 3_wait?)"


def test_a_member_is_given_itself_or_as_text():
    assert Pudding.check("custard-sauce=2") == Pudding.check("Custard(2)") == Custard(2)
    assert Trifle(topping="Trifle(layers=4)") == Trifle(topping=Trifle(4))


def test_a_family_knows_its_members_by_name():
    assert Pudding.members == {"trifle": Trifle, "custard-sauce": Custard}
    with pytest.raises(ChoiceError, match="'trifle' exists already"):

        class Other(Pudding, name="trifle"):
            pass


def test_a_class_without_the_decorator_is_refused():
    class Jelly(Pudding):
        colour: str = option("red")

    try:
        with pytest.raises(ChoiceError, match="@dataclass"):
            Jelly()
    finally:
        del Pudding.members["jelly"]


SUBCLASSES = """
import sys
from dataclasses import dataclass

import replication as rp
from replication.simulator.choices import option

decorated = dataclass(frozen=True)


class Scheduler(rp.PythonScheduler):
    by: str = option("size", ("size", "area"))
    flag: bool = option(False, (False, True))

    def schedule(self, now):
        for job in self.queue:
            if job.size <= self.free:
                self.begin(job)


class Scheduler2(Scheduler):
    weight: float = 1.0


class Scheduler3(Scheduler2):
    more: int = 1


class Share(rp.Predictor):
    by: str = option("size", ("size", "area"))
    flag: bool = option(False, (False, True))

    def predict(self, job, now):
        return job.estimate


class Share2(Share):
    weight: float = 1.0


class Share3(Share2):
    more: int = 1


class Model(rp.EstimateModel):
    by: str = option("size", ("size", "area"))
    flag: bool = option(False, (False, True))

    def estimate(self, workload, seed):
        return workload.run_time


@decorated
class Model2(Model):
    weight: float = 1.0


@decorated
class Model3(Model2):
    more: int = 1


for name in sys.argv[1:]:
    one = globals()[name]()
    assert (one.by, one.flag) == ("size", False), repr(one.flag)
    again = globals()[name](by="area", flag=True)
    assert repr(again) == f"{name}(by='area', flag=True)"
    own = ["by", "flag", "weight", "more"][: {"2": 3, "3": 4}.get(name[-1], 2)]
    assert list(type(one).options())[-len(own) :] == own
"""


@pytest.mark.parametrize("kind", ["Scheduler", "Share", "Model"])
def test_options_of_base_classes_are_options_whichever_class_is_used_first(kind, tmp_path):
    (tmp_path / "subclasses.py").write_text(SUBCLASSES)
    plain = [] if kind == "Model" else [kind]  # only these families complete an undecorated class
    for order in ([f"{kind}3", f"{kind}2", *plain], [*plain, f"{kind}2", f"{kind}3"]):
        command = [sys.executable, tmp_path / "subclasses.py", *order]
        done = subprocess.run(command, cwd=paths.ROOT, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("base", [Trifle, type("Deep", (Trifle,), {}, name="")], ids=["", "deep"])
def test_an_attribute_that_would_not_change_an_option_is_refused(base):
    with pytest.raises(ChoiceError, match="Own.layers = 5 .* option; expected: layers: int = 5"):
        type("Own", (base,), {"layers": 5}, name="")


def test_a_subclass_changes_an_option_with_its_annotation():
    @dataclass(frozen=True)
    class High(Trifle, name=""):
        layers: int = 7

    assert High().layers == 7 and repr(High()) == "High()"
