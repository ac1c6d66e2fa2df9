"""Choices: checked, shown, equal, kept in families."""

import copy
import pickle
from dataclasses import FrozenInstanceError, dataclass, replace

import numpy as np
import pytest

from replication.simulator.choices import Choice, ChoiceError, Number, option


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
        (lambda: Trifle(fruit="chery"), r"did you mean cherry\?\); allowed: 'cherry', 'raspberry'"),
        (lambda: Trifle(fruit=np.arange(2)), r"fruit=array\(\[0, 1\]\); allowed: 'cherry'"),
        (lambda: Trifle(2.5), "layers=2.5; allowed: a whole number from 1 to 9"),
        (lambda: Custard(float("nan")), "allowed: a number from 0"),
        (lambda: Custard("2"), "thickness='2'; allowed: a number from 0"),
        (lambda: Trifle(topping="trifle"), r"did you mean Trifle\(\)\?"),
        (lambda: Pudding.check(Custard), r"did you mean Custard\(\)\?.*made by Trifle, Custard"),
    ],
)
def test_errors_list_what_exists(make, message):
    with pytest.raises(ChoiceError, match=message):
        make()


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
