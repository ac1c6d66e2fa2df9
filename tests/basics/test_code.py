"""One hash of the code that a result depends on: what changes it, and what does not."""

import pytest

from replication.simulator import code

PACKAGE = {
    "core": "from small import seeding\nfrom small.basics import arrays as a\n\ndef run(x):\n    return a.f(x)\n",
    "basics/__init__": "ABOUT = 'said'\n",
    "basics/arrays": "def f(x):\n    '''About.'''\n    return x + 1\n",
    "seeding": "def seed():\n    from small import late\n    return late.NUMBER\n",
    "late": "NUMBER = 1\n",
    "shows": "from matplotlib import pyplot\nfrom small import colours\n",
    "colours": "RED = 1\n",
    "schedule": "from small import core, shows\n\ndef run():\n    from small import kernel\n",
    "kernel": "LOOP = 1\n",
    "unrelated": "from small import core\n",
}


@pytest.fixture
def small(tmp_path, monkeypatch):
    """A small package; called with a module and its new source, the hash of `root` after the change."""
    monkeypatch.setattr(code, "PACKAGE", tmp_path / "small")
    (tmp_path / "small" / "basics").mkdir(parents=True)
    (tmp_path / "small" / "__init__.py").write_text("")

    def change(name=None, source="", root="small.schedule"):
        for module, text in (PACKAGE | ({name: source} if name else {})).items():
            (tmp_path / "small" / f"{module}.py").write_text(text)
        for remembered in (code.digest, code._imported, code._imports, code._file, code._tree):
            remembered.cache_clear()
        code._bare.cache_clear()
        return code.digest(root)

    yield change
    monkeypatch.undo()
    for remembered in (code.digest, code._imported, code._imports, code._file, code._tree):
        remembered.cache_clear()
    code._bare.cache_clear()


@pytest.mark.parametrize("name", ["schedule", "core", "basics/arrays", "seeding", "late", "kernel"])
def test_what_is_imported_counts_wherever_the_import_stands(small, name):
    assert small(name, PACKAGE[name] + "MORE = 2\n") != small()


@pytest.mark.parametrize("name", ["shows", "colours", "unrelated", "basics/__init__"])
def test_what_shows_results_or_is_not_imported_does_not_count(small, name):
    assert small(name, PACKAGE[name] + "MORE = 2\n") == small()


def test_comments_and_docstrings_do_not_count(small):
    source = PACKAGE["basics/arrays"].replace("About.", "More about.")
    assert small("basics/arrays", f"# why\n{source}  # so\n") == small()
    assert small("basics/arrays", source.replace("x + 1", "x + 2")) != small()


def test_a_package_counts_where_a_name_of_its_own_is_taken(small):
    core = PACKAGE["core"] + "from small.basics import ABOUT\n"
    before = small("core", core)
    PACKAGE_CHANGED = {"core": core, "basics/__init__": "ABOUT = 'else'\n"}
    for name, source in PACKAGE_CHANGED.items():
        (code.PACKAGE / f"{name}.py").write_text(source)
    for remembered in (code.digest, code._imported, code._imports, code._file, code._tree):
        remembered.cache_clear()
    code._bare.cache_clear()
    assert code.digest("small.schedule") != before


def test_a_module_without_source_is_named(small):
    small()
    with pytest.raises(ModuleNotFoundError, match=r"small\.nothing"):
        code.modules("small.nothing")


def test_a_kernel_counts_with_all_that_is_compiled_into_it():
    assert {
        "replication.simulator.kernels.running",
        "replication.simulator.kernels.waiting",
    } <= set(code.modules("replication.simulator.kernels.cells"))
