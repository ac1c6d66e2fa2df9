"""The logs find the defects of other programs, and nothing else; every broken search for holes
fails one.
"""

import re
from functools import partial

import pytest
from holes import BROKEN, broken
from programs import CandidatesByRunTime, Easy, Holes, RunningByLimit, starts

from replication.simulator import paths
from replication_conformance import cases

ONE_BY_ONE = {"events": "one-by-one"}
BY_PLAN = {"events": "by-plan"}
EACH = BY_PLAN | {"compression": "each"}
COVERED = "after an instant with too few processors the time covered so far counts"


def failing(run, like, kills=False):
    """Return the names of the logs that differ."""
    return [one["log"] for one in cases.differences(run, cases.entries(like), kills)]


def with_search(search):
    """Return conservative backfilling with another search for holes."""
    return type("Broken", (Holes,), {"search": staticmethod(search)})


@pytest.mark.parametrize(
    ("program", "options", "kills", "found"),
    [
        pytest.param(Easy, ONE_BY_ONE, False, [], id="pyss"),
        pytest.param(Easy, BY_PLAN, True, [], id="WRENCH"),
        pytest.param(Easy, ONE_BY_ONE, True, [], id="CQSim, repaired"),
        pytest.param(CandidatesByRunTime, ONE_BY_ONE, True, ["E14"], id="CQSim"),
        pytest.param(Holes, EACH, True, [], id="WRENCH, conservative, repaired"),
        pytest.param(
            with_search(broken(COVERED)), EACH, True, ["predicted-P16b"], id="WRENCH, conservative"
        ),
    ],
)
def test_other_programs_fail_by_their_own_defects_alone(program, options, kills, found):
    plain = "conservative" if issubclass(program, Holes) else "easy"
    like = f"{plain}:{','.join(f'{name}={value}' for name, value in options.items())}"
    assert failing(starts(program, kills, **options), like, kills) == found


def test_the_defects_of_raps_are_named():
    assert failing(starts(Easy), "easy") == []
    assert {"E9", "E12a", "E12b", "E15b"} <= set(failing(starts(RunningByLimit), "easy"))


@pytest.mark.parametrize("change", BROKEN)
@pytest.mark.parametrize("options", [{}, EACH], ids=["all", "each"])
def test_every_broken_search_for_holes_fails_a_log(change, options):
    like = "conservative" + ":events=by-plan,compression=each" * bool(options)
    assert failing(starts(Holes, **options), like) == []
    assert failing(starts(with_search(broken(change)), **options), like)


@pytest.mark.parametrize(
    ("other", "like", "found"),
    [
        ("conservative:compression=each", "conservative", ["predicted-P17f"]),
        ("conservative:events=by-plan", "conservative", ["E2b"]),
        ("conservative", "conservative:compression=each", ["predicted-P17f"]),
        ("easy:events=one-by-one", "easy", ["E2a"]),
        ("easy", "easy:events=one-by-one", ["E2a", "predicted-P13b"]),
    ],
)
def test_the_variants_of_a_scheduler_differ(other, like, found):
    assert failing(partial(cases.by_scheduler, other, False), like) == found


def test_a_killing_scheduler_passes_with_the_switch_alone():
    run = partial(cases.by_scheduler, "easy", True)
    assert failing(run, "easy", kills=True) == []
    assert failing(run, "easy") == ["E15a", "E15b", "E15c"]


def test_simultaneous_jobs_are_listed_backwards_in_one_log_alone():
    backwards = []
    for path in sorted((cases.FOLDER / "logs").iterdir()):
        rows = [line.split() for line in path.read_text().splitlines() if line[0] != ";"]
        listed = [(int(row[1]), int(row[0])) for row in rows]
        if listed != sorted(listed):
            backwards.append(path.stem)
    assert backwards == ["E4"]


def test_the_sentences_are_those_of_the_semantics():
    for entry in cases.entries():
        page = (paths.ROOT / entry["page"]).read_text(encoding="utf-8")
        sentence = entry["name"].rpartition("-")[2].rstrip("abcdefghijklmnopqrstuvwxyz")
        found = re.search(rf"^- \*\*{sentence}\*\* (.*?)(?=\n\n|\n- |\Z)", page, re.DOTALL | re.M)
        assert " ".join(found[1].split()) == entry["rule"]
