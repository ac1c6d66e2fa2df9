"""IPython completes log names, choices, values of options and measures."""

import pytest

import replication as rp
from replication.explore.completion import register, values
from replication.simulator.logs import registry
from replication.simulator.schedules import measures

CASES = {
    'rp.load("': registry.names(),
    "rp.load('KTH": ["KTH-SP2", "KTH-SP2-2"],
    'rp.load("a (b, c", paper="to': ["top_percent"],
    'x = rp.EASY(\n    rp.Last(window=[1, 2]), "': ["fcfs", "sjf"],
    'rp.compare(kth, [rp.EASY(), rp.PVEasy(predictor=rp.Last(), mode="k': ["kill"],
    'rp.simulate(kth, measures="': list(measures.NAMES),
    'rp.sweep(kth, measures=["mean_wait", "wait': ["wait_p95"],
    'rp.simulate(kth, "pv': ["pv-easy"],
    'rp.compare(kth, ["fcfs", "easy': ["easy", "easy-by", "easy-last"],
    'rp.sweep(kth, estimates="lo': ["log"],
    'rp.EASY(predictor="la': ["last", "last-submitted"],
    'rp.load("KTH-SP2")': [],
    'rp.Last("': [],
    'rp.Ezzy("': [],
    'open("': [],
    'table["': [],
}


@pytest.mark.parametrize("text", CASES)
def test_strings_in_calls_are_completed(text):
    assert values(text, {"rp": rp, "open": open})[1] == CASES[text]


def test_ipython_completes_after_the_import():
    pytest.importorskip("IPython")
    from IPython.core.interactiveshell import InteractiveShell

    shell = InteractiveShell.instance()
    try:
        register()
        shell.user_ns["rp"] = rp
        _, found = shell.complete("SDSC-", 'rp.load("SDSC-', 14)
        assert found == ["SDSC-BLUE", "SDSC-DS", "SDSC-Paragon", "SDSC-SP2"]
    finally:
        InteractiveShell.clear_instance()
