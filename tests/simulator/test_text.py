"""Choices as text."""

import importlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

import replication as rp
from replication.simulator import imports, text
from replication.simulator.choices import ChoiceError
from replication.simulator.observation import observe


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("easy", rp.EASY()),
        ("laf", rp.LargestAreaFirst()),
        ("easy:predictor=last", rp.EASY(predictor=rp.Last())),
        ("easy,predictor=top=3,passes=if-fits", rp.EASY(rp.TopPercent(3), passes="if-fits")),
        ("easy:predictor=top-as-coded=3", rp.EASY(rp.TopPercent(3, coded=True))),
        (
            "easy:predictor=last*2,correction=now",
            rp.EASY(rp.Biased(rp.Last(), 2), correction="now"),
        ),
        ("easy-last:correction=now", rp.EASY(rp.Last(), correction="now")),
        ("easy-last:predictor=tsafrir", rp.EASY(rp.Tsafrir())),
        ("sjf-easy", rp.EASY(candidates="sjf")),
        ("conservative:ties=submissions-first", rp.Conservative(ties="submissions-first")),
        ("pv-easy:mode=checkpoint,interval=600", rp.PVEasy(mode="checkpoint", interval=600)),
    ],
)
def test_schedulers(words, value):
    assert text.scheduler(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("log", rp.Users()),
        ("log*2", rp.Users(2)),
        ("perfect*1.5,emax=3600", rp.Exact(1.5, 3600)),
        ("f=2", rp.FModel(2)),
        ("f=300,emax=64800", rp.FModel(300, e_max=64800)),
        ("f=300:e_max=64800", rp.FModel(300, e_max=64800)),
        ("modal,emax=64800", rp.Modal(64800)),
        ("modal=0.3,emax=64800", rp.Modal(64800, 0.3)),
    ],
)
def test_estimates(words, value):
    assert text.estimates(words) == value


@pytest.mark.parametrize(
    ("words", "value"),
    [
        ("request", rp.Request()),
        ("perfect", rp.Clairvoyant()),
        ("virtual=0.2", rp.Virtual(0.2)),
        ("top=2.5", rp.TopPercent(2.5)),
        ("top-as-coded=3", rp.TopPercent(3, coded=True)),
        ("top=3,coded=no", rp.TopPercent(3)),
        ("last*2", rp.Biased(rp.Last(), 2)),
        ("top=3*0.5", rp.Biased(rp.TopPercent(3), 0.5)),
        ("biased=2,of=tsafrir", rp.Biased(rp.Tsafrir(), 2)),
    ],
)
def test_predictors(words, value):
    assert text.predictor(words) == value


@pytest.mark.parametrize(
    ("read", "words", "message"),
    [
        (
            text.scheduler,
            "esy",
            r"scheduler 'esy' unknown \(did you mean easy\?\); allowed: .*fcfs",
        ),
        (text.scheduler, "easy=2", "'easy=2'; allowed: easy"),
        (text.scheduler, "easy:predictor", "'predictor'; allowed: OPTION=VALUE"),
        (text.scheduler, "easy:predictor=lst", r"predictor 'lst' unknown \(did you mean last\?\)"),
        (text.scheduler, "easy:corection=now", r"did you mean correction\?\); allowed: predictor"),
        (text.scheduler, "pv-easy:mode=pause", "mode='pause'; allowed: 'kill', 'suspend'"),
        (text.scheduler, "pv-easy:cost=-1", "cost=-1; allowed: a whole number from 0"),
        (text.scheduler, "pv-easy:predictor=cvh", "allowed: predictors without a method begin"),
        (text.estimates, "g=2", r"'g' unknown.*allowed: .*f=F \(a number from 0\)"),
        (text.estimates, "f", r"is incomplete; allowed: f=F \(a number from 0\)"),
        (text.estimates, "f=x", "f='x'; allowed: a number from 0"),
        (text.estimates, "f=2,emax=0", "e_max=0; allowed: a whole number from 1"),
        (text.estimates, "log=2", r"'log=2'; allowed: log\[\*FACTOR"),
        (text.estimates, "modal=0.5", "is incomplete; allowed: modal.*,emax=E_MAX"),
        (text.estimates, "", "''"),
        (text.predictor, "last*many", "factor='many'; allowed: a number from 0"),
        (text.predictor, "last=3", "'last=3'; allowed: last"),
        (text.predictor, "top=3,coded=perhaps", "coded='perhaps'; allowed: False, True"),
    ],
)
def test_an_error_lists_what_is_allowed(read, words, message):
    with pytest.raises(ChoiceError, match=message) as error:
        read(words)
    assert "\n" not in str(error.value)


class Plain(rp.Predictor, name="plain-options"):
    """A predictor whose options are fields without allowed values."""

    share: float = 0.5
    window: int = 5
    rounds: bool = False

    def predict(self, job, now):
        return self.share * job.estimate


def test_options_without_allowed_values_have_the_type_of_their_default():
    own = text.predictor("plain-options:share=2,window=3,rounds=yes")
    assert own == Plain(2, 3, True) and type(own.window) is int and own.rounds is True
    for word in ("share=x", "window=2.5", "rounds=perhaps"):
        with pytest.raises(ChoiceError, match=f"{word[:5]}.*; allowed: "):
            text.predictor(f"plain-options:{word}")


THREE = rp.Workload.from_columns(
    "three", 4, submit=[0, 1, 2], run_time=[9, 5, 3], processors=[3, 4, 1]
)


def test_python_takes_text_where_it_takes_a_choice():
    assert rp.EASY("last*2") == rp.EASY(rp.Biased(rp.Last(), 2)) == rp.EASY(rp.Biased("last", 2))
    assert rp.PVEasy(predictor="tsafrir") == rp.PVEasy(predictor=rp.Tsafrir())
    run = rp.simulate(THREE, "easy-last", "f=2")
    assert (run.scheduler, run.estimates) == (rp.EASY(rp.Last()), rp.FModel(2))
    assert observe(THREE, "perfect", scheduler="easy").schedule.scheduler == rp.EASY()
    given = {"trim": False, "folder": None, "progress": False}
    for study in (rp.compare, rp.sweep):
        by_text = study(THREE, ["easy", rp.FCFS()], ["f=0:2:1", "log"], **given)
        models = [*map(rp.FModel, range(3)), rp.Users()]
        assert by_text.equals(study(THREE, [rp.EASY(), rp.FCFS()], models, **given))


def test_text_names_functions_of_imported_files_only(tmp_path, monkeypatch):
    monkeypatch.setattr(imports, "_imported", {})
    path = tmp_path / "orders_of_users.py"
    with pytest.raises(ChoiceError, match="orders_of_users.py does not exist"):
        imports.import_module(path)
    path.write_text("def small(workload):\n    return workload.processors\n")
    monkeypatch.syspath_prepend(tmp_path)
    imports.import_module(path)
    small = importlib.import_module("orders_of_users").small
    assert text.scheduler("easy:candidates=orders_of_users.small").candidates is small
    for name in ("orders_of_users.large", "numpy.sort", "sys.exit", "builtins.input"):
        with pytest.raises(ChoiceError, match=f"candidates='{name}'; allowed: 'fcfs', 'sjf'"):
            text.scheduler(f"easy:candidates={name}")


def test_each_scheduler_with_each_predictor():
    assert text.combine(["easy", "fcfs"], []) == [rp.EASY(), rp.FCFS()]
    assert text.combine(["easy", "fcfs"], ["last", "perfect"]) == [
        rp.EASY(rp.Last()),
        rp.EASY(rp.Clairvoyant()),
        rp.FCFS(),
    ]
    with pytest.raises(ChoiceError, match="fcfs: no scheduler takes a predictor"):
        text.combine(["fcfs"], ["last"])
    with pytest.raises(ChoiceError, match="'easy-last' has a predictor; expected it once"):
        text.combine(["easy-last"], ["tsafrir"])
    with pytest.raises(ChoiceError, match="candidates is given twice"):
        text.scheduler("easy:candidates=sjf,candidates=fcfs")
    with pytest.raises(ChoiceError, match="predictor is given twice"):
        text.scheduler("easy-last:predictor=tsafrir,predictor=perfect")


def test_a_range_is_all_its_models():
    assert text.models("f=0:1:0.5,emax=60") == [rp.FModel(f, 60) for f in (0, 0.5, 1)]
    assert text.models("log*2") == [rp.Users(2)]
    with pytest.raises(ChoiceError, match="estimates 'f=1:0:1': from 1.0 to 0.0 by 1.0, allowed"):
        text.models("f=1:0:1")


@given(st.text(alphabet="aefilmrtx=*:,.-_0123456789 \n", max_size=30))
def test_any_text_is_read_or_refused(words):
    for read, family in (
        (text.scheduler, rp.Scheduler),
        (text.estimates, rp.EstimateModel),
        (text.predictor, rp.Predictor),
    ):
        try:
            assert isinstance(read(words), family)
        except ChoiceError as error:
            assert "allowed" in str(error)


@pytest.mark.parametrize("family", [rp.Scheduler, rp.EstimateModel, rp.Predictor])
def test_every_name_is_in_the_forms(family):
    forms = family.forms()
    assert all(name in forms for name in family.names())
    assert family.members.keys() <= set(family.names())
