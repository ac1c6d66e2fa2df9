"""Choices as text: their repr, and the short forms of those with no or one option."""

import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

import replication as rp
from replication.simulator import paths
from replication.simulator.choices import ChoiceError
from replication.simulator.observation import observe

FAMILIES = rp.Scheduler, rp.EstimateModel, rp.Predictor


@pytest.mark.parametrize(
    ("family", "text", "value"),
    [
        (rp.Scheduler, "easy", rp.EASY()),
        (rp.Scheduler, " pv-easy\n", rp.PVEasy()),
        (rp.Scheduler, "EASY", rp.EASY()),
        (rp.Scheduler, "EASY('last', correction='now')", rp.EASY(rp.Last(), correction="now")),
        (rp.EstimateModel, "users", rp.Users()),
        (rp.EstimateModel, "f-model=2", rp.FModel(2)),
        (rp.EstimateModel, "Users(2)", rp.Users(2)),
        (rp.Predictor, "clairvoyant", rp.Clairvoyant()),
        (rp.Predictor, "top-percent=2.5", rp.TopPercent(2.5)),
        (rp.Predictor, "biased=last", rp.Biased(rp.Last())),
    ],
)
def test_short_forms_and_values_by_position(family, text, value):
    assert family.check(text) == value


@pytest.mark.parametrize(
    "choice",
    [
        rp.PVEasy(preemption="checkpoint", interval=600, predictor=rp.Biased(rp.TopPercent(3), 2)),
        rp.EASY(rp.TopPercent(3, coded=True), "shortest", reservations=2),
        rp.OrderedEASY("wfp3", 86400),
        rp.FModel(0.1, e_max=64800),
        rp.Users(missing="run-time"),
        rp.Virtual(0.2, bias=-0.5),
    ],
    ids=repr,
)
def test_the_repr_of_a_choice_is_its_text(choice):
    family = next(kind for kind in FAMILIES if isinstance(choice, kind))
    assert family.check(repr(choice)) == choice


@pytest.mark.parametrize(
    ("family", "text", "value", "allowed"),
    [
        (rp.Scheduler, "esy", "'esy' unknown (did you mean easy?)", "fcfs"),
        (rp.Scheduler, "easy=2", "'easy=2'", "easy or EASY(...)"),
        (rp.Scheduler, "easy:predictor=last", "'easy:predictor=last'", "EASY(...)"),
        (rp.Scheduler, "EASY(", "'EASY('", "fcfs"),
        (rp.Scheduler, "Easy()", "'Easy' (did you mean EASY?)", "FCFS"),
        (rp.Scheduler, "EASY(corection='now')", "'corection' (did you mean correction?)", "ties"),
        (rp.Scheduler, "EASY(ties='x', ties='y')", "ties is given twice", "once"),
        (
            rp.Scheduler,
            "EASY(correction='no')",
            "correction='no' (did you mean now?)",
            "'estimate'",
        ),
        (rp.Scheduler, "EASY(correction=now)", "correction=now", "text in quotation marks"),
        (rp.Scheduler, "EASY(predictor=Lst())", "'Lst' (did you mean Last?)", "Estimate"),
        (rp.Scheduler, "PVEasy(Lst())", "'Lst' (did you mean Last?)", "Estimate"),
        (rp.Scheduler, "__import__('os').system('ls')", "__import__", "EASY"),
        (rp.EstimateModel, "f-model", "'f-model'", "f-model=F (a number from 0)"),
        (rp.EstimateModel, "f-model=x", "f='x'", "a number from 0"),
        (rp.EstimateModel, "FModel(e_max=9)", "f is missing", "a number from 0"),
        (rp.EstimateModel, "", "''", "perfect"),
        (rp.Predictor, "TopPercent(1, 2, 3, 4, 5, 6)", "6 values", "5"),
        (rp.Predictor, "Biased()", "of is missing", "a predictor"),
        (rp.Scheduler, "EASY(reservations=Last())", "reservations=Last()", "a whole number"),
    ],
)
def test_a_refusal_names_the_value_and_what_is_allowed(family, text, value, allowed):
    with pytest.raises(ChoiceError) as error:
        family.check(text)
    problem, _, options = str(error.value).partition("; ")
    assert value in problem and allowed in options and "\n" not in str(error.value)


THREE = rp.Workload.from_columns(
    "three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1]
)


def test_python_takes_text_where_it_takes_a_choice():
    assert rp.EASY("last") == rp.EASY(rp.Last()) and rp.Biased("last", 2).of == rp.Last()
    run = rp.simulate(THREE, "EASY(predictor=Last())", "f-model=2")
    assert (run.scheduler, run.estimates) == (rp.EASY(rp.Last()), rp.FModel(2))
    assert observe(THREE, "perfect", scheduler="easy").schedule.scheduler == rp.EASY()
    given = {"trim": False, "folder": None, "progress": False}
    for study in (rp.compare, rp.sweep):
        by_text = study(THREE, ["easy", rp.FCFS()], ["f-model=0:2:1", "users"], **given)
        models = [*map(rp.FModel, range(3)), rp.Users()]
        assert by_text.equals(study(THREE, [rp.EASY(), rp.FCFS()], models, **given))


def test_a_range_is_all_its_choices():
    assert rp.EstimateModel.check_all("f-model=0:1:0.5") == [rp.FModel(f) for f in (0, 0.5, 1)]
    with pytest.raises(ChoiceError, match="'f-model=1:0:1': from 1.0 to 0.0 by 1.0"):
        rp.EstimateModel.check_all("f-model=1:0:1")
    with pytest.raises(ChoiceError, match="'f-model=0:1:0.5'"):
        rp.simulate(THREE, estimates="f-model=0:1:0.5")


OWN = """
import replication as rp

class ByArea(rp.PythonScheduler):
    least: int = 1

    def schedule(self, now):
        for job in self.queue:
            if job.size <= self.free:
                self.begin(job)
"""


def test_text_names_the_choices_of_an_imported_file(tmp_path):
    (tmp_path / "orders.py").write_text(OWN)
    code = (
        "import sys, pathlib; from replication.simulator.text import import_module;"
        "import replication as rp; import_module(pathlib.Path(sys.argv[1]));"
        "print(rp.Scheduler.check('by-area'), rp.Scheduler.check('ByArea(least=2)'))"
    )
    words = [sys.executable, "-c", code, tmp_path / "orders.py"]
    done = subprocess.run(words, cwd=paths.ROOT, capture_output=True, text=True, check=True)
    assert done.stdout == "ByArea() ByArea(least=2)\n"


@given(st.text(alphabet="EASYaefilmrtx=*:,.-_'()[]{}0123456789 \n", max_size=30))
def test_any_text_is_read_or_refused(words):
    for family in FAMILIES:
        try:
            assert isinstance(family.check(words), family)
        except ChoiceError as error:
            assert "\n" not in str(error)
