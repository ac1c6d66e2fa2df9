"""The hash of code: changes that count, and code that cannot be hashed."""

import functools
import importlib
import sys
import time

import pytest

from replication.simulator.schedulers import EASY
from replication.simulator.sweeps import code

OWN = """
import helper_of_a_test as helper
SCALE = 2

class Own(helper.Base):
    '''About.'''
    def run(self, workload, estimate, seed):
        return SCALE * helper.shrink(estimate)
"""
HELPER = """
import constants_of_a_test
class Base:
    pass
def shrink(x):
    return x // constants_of_a_test.DIVISOR
"""
SOURCES = {"own": OWN, "helper": HELPER, "constants": "DIVISOR = 2\n"}


@pytest.fixture
def own(tmp_path, monkeypatch):
    """Import a user's module, with some replacements in it and in its imports."""
    monkeypatch.syspath_prepend(tmp_path)

    def load(*replacements, old=True):
        if old:
            monkeypatch.setattr(code, "STARTED", time.time() + 60)
        for name, source in SOURCES.items():
            for before, after in replacements:
                source = source.replace(before, after)
            (tmp_path / f"{name}_of_a_test.py").write_text(source)
            sys.modules.pop(f"{name}_of_a_test", None)
        importlib.invalidate_caches()
        monkeypatch.setattr(sys, "dont_write_bytecode", True)
        return importlib.import_module("own_of_a_test")

    return load


@pytest.mark.parametrize(
    "change",
    [
        ("SCALE = 2", "SCALE = 3"),
        ("x //", "x *"),
        ("DIVISOR = 2", "DIVISOR = 8"),
        ("class Base:\n    pass", "class Base:\n    validated = False"),
    ],
)
def test_user_code_counts_with_its_bases_and_imports(own, change):
    assert code.of(own(change).Own) != code.of(own().Own)


def test_comments_and_docstrings_do_not_count(own):
    changed = own(("About.", "More about."), ("SCALE = 2", "SCALE = 2  # so"))
    assert code.of(changed.Own) == code.of(own().Own)


def test_variables_set_at_run_time_count(own):
    module = own()
    digest = functools.partial(code.of, module.Own)
    before = digest()
    module.SCALE = 5
    assert digest() != before
    module.SCALE = object()
    with pytest.raises(code.Unknown, match="SCALE is a object, neither plain data nor code"):
        digest()


def test_a_source_that_changed_after_the_session_began_is_unknown(own):
    module = own(old=False)
    with pytest.raises(code.Unknown, match="changed after this session began"):
        code.of(module.Own)


def test_cells_scripts_and_closures_are_unknown(own):
    class Local(EASY, name="local-of-a-test"):
        pass

    with pytest.raises(code.Unknown, match="Local is defined inside a function"):
        code.of(Local)
    del EASY.members["local-of-a-test"]
    with pytest.raises(code.Unknown, match="defined inside a function"):
        code.of(lambda schedule: 1.0)
    there = type("There", (), {"__module__": "__main__"})
    with pytest.raises(code.Unknown, match="__main__ has no source file"):
        code.of(there)
    module = own()
    module.Own.helper = (lambda y: lambda: y)(3)
    with pytest.raises(code.Unknown, match="closure"):
        code.of(module.Own)


def test_sources_without_influence_on_results_are_left_out(monkeypatch):
    for name in code.WITHOUT_INFLUENCE:
        assert (code.PACKAGE / name).exists(), name
    before = code.of_simulator()
    assert code.of(EASY) == code.of() and len(before) == 64
    for name in ("formats.py", "reference/easy.py", "kernels/easy.py"):
        monkeypatch.setitem(code._SOURCES, name, b"changed = True")
        same = code.of_simulator.__wrapped__() == before
        assert same == (name != "kernels/easy.py")
