"""The frame of the command line: which command runs, what is loaded, how errors end."""

import importlib
import os
import signal
import subprocess
import sys
import tomllib

import click
import pytest

from replication import __main__ as cli
from replication import __version__, commands
from replication.simulator import paths
from replication.simulator.workload import WorkloadError

SLOW_TO_LOAD = {"IPython", "matplotlib", "numba", "numpy", "pandas", "pyarrow", "scipy"}


@pytest.fixture
def command(monkeypatch):
    """Put a made-up command `try` in place whose work is a given function."""

    def install(work):
        times = click.Option(["--times"], type=int)
        words = commands.Several(["--words"])
        made = commands.Command("try", callback=work, params=[times, words], help="Try it.")
        monkeypatch.setattr(commands, "names", lambda: ["other", "try"])
        monkeypatch.setattr(commands, "summary", lambda name: f"About {name}.")
        monkeypatch.setattr(commands, "load", {"try": made}.__getitem__)

    return install


def failing(error):
    def work(times, words):
        raise error

    return work


def shell(code, **options):
    """Run Python code in a process of its own, from the top of the checkout."""
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        timeout=60,
        **options,
    )


def test_the_commands_own_arguments_and_exit_code_are_used(command):
    command(lambda times, words: times)
    assert cli.main(["try", "--times", "7"]) == 7
    assert cli.main(["--debug", "try", "--times", "0"]) == 0


def test_an_option_of_several_words_takes_them_up_to_the_next_option(command):
    heard = []
    command(lambda times, words: heard.append((words, times)))
    for line in (
        ["--words", "a", "b", "--times", "3"],
        ["--times", "3", "--words", "a", "--words", "b"],
    ):
        assert cli.main(["try", *line]) == 0
    assert heard == [(("a", "b"), 3)] * 2


@pytest.mark.parametrize(
    "words", [["try", "--times", "two"], ["try", "--speed", "2"], ["try", "surplus"]]
)
def test_wrong_arguments_are_refused_with_code_2(command, capsys, words):
    command(failing(AssertionError("the work was started")))
    assert cli.main(words) == 2
    said = capsys.readouterr().err
    assert words[1 if words[1].startswith("--speed") else -1] in said
    assert said.count("\n") == 1


def test_the_closest_option_is_named(command, capsys):
    command(lambda times, words: 0)
    assert cli.main(["try", "--tims", "2"]) == 2
    assert "--times" in capsys.readouterr().err


def test_an_unknown_command_lists_the_valid_ones_and_the_closest(command, capsys):
    command(lambda times, words: 0)
    assert cli.main(["tyr"]) == 2
    assert capsys.readouterr().err == (
        "replication: unknown command 'tyr' (did you mean try?); the commands are other, try\n"
    )
    assert cli.main(["xylophone"]) == 2
    assert "did you mean" not in capsys.readouterr().err


def test_no_command_shows_the_help_and_is_refused(command, capsys):
    command(lambda times, words: 0)
    assert cli.main([]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert "About other." in said.err


@pytest.mark.parametrize(
    "error, code, said",
    [
        (
            WorkloadError("log: job 3: run_time -1,\n  allowed: 0"),
            1,
            "log: job 3: run_time -1, allowed: 0",
        ),
        (
            commands.UsageError("scheduler 'esay'; allowed: easy"),
            2,
            "scheduler 'esay'; allowed: easy",
        ),
        (
            FileNotFoundError(2, "No such file or directory", "a.swf"),
            1,
            "a.swf: No such file or directory",
        ),
        (OSError("archive did not answer"), 1, "archive did not answer"),
        (
            ModuleNotFoundError("No module named 'x'", name="x"),
            1,
            f"x is not installed for {sys.executable}; 'make setup' prepares .venv",
        ),
    ],
)
def test_a_failure_is_one_line_and_a_code(command, capsys, error, code, said):
    command(failing(error))
    assert cli.main(["try"]) == code
    assert capsys.readouterr() == ("", f"replication: {said}\n")


def test_a_plain_value_error_is_expected_only_from_the_package(command, capsys):
    # This file is not of the package: like numpy, it stands for code that was used wrongly.
    def raised_inside(times, words):
        exec(
            "raise ValueError('f -1, allowed: 0 or more')",
            {"__name__": "replication.simulator.estimates.models"},
        )

    command(raised_inside)
    assert cli.main(["try"]) == 1
    assert capsys.readouterr().err == "replication: f -1, allowed: 0 or more\n"
    command(failing(ValueError("operands could not be broadcast")))
    with pytest.raises(ValueError, match="broadcast"):
        cli.main(["try"])


@pytest.mark.parametrize(
    "error", [KeyError("x"), ModuleNotFoundError("gone", name="replication.gone")]
)
def test_mistakes_in_the_code_keep_their_traceback(command, error):
    command(failing(error))
    with pytest.raises(type(error)):
        cli.main(["try"])


@pytest.mark.parametrize("words", [["--debug", "try"], ["try", "--debug"]])
def test_debug_shows_where_an_error_came_from(command, words):
    command(failing(WorkloadError("no jobs")))
    with pytest.raises(WorkloadError):
        cli.main(words)


def test_an_interruption_is_code_130(command, capsys):
    command(failing(KeyboardInterrupt()))
    assert cli.main(["try"]) == 130
    assert capsys.readouterr().err == "replication: interrupted\n"


@pytest.mark.parametrize("lines", [5, 100_000])
def test_a_reader_that_leaves_early_is_no_error(lines):
    """Few lines are written only when the program ends, many while it runs."""
    code = f"""
import sys
from replication import commands, __main__
def work():
    input()
    for line in range({lines}):
        print(line)
    return 0
commands.names = lambda: ["try"]
commands.load = lambda name: commands.Command("try", callback=work)
sys.exit(__main__.main(["try"]))
"""
    program = subprocess.Popen(
        [sys.executable, "-c", code],
        cwd=paths.ROOT,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": ""},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    program.stdout.close()
    program.stdin.write("go\n")
    program.stdin.close()
    assert program.stderr.read() == ""
    assert program.wait(timeout=60) == 128 + signal.SIGPIPE


def test_help_lists_all_commands_and_loads_none_of_them():
    done = shell("""
import sys
from replication.__main__ import main
try:
    main(["--help"])
finally:
    print("LOADED", *sys.modules)
""")
    help_text, _, loaded = done.stdout.partition("LOADED")
    assert {
        "audit",
        "compare",
        "convert",
        "figures",
        "report",
        "simulate",
        "sweep",
        "traces",
        "warm",
    } <= set(commands.names())
    for name in commands.names():
        assert f"  {name} " in help_text
        assert commands.summary(name) in help_text
    assert not SLOW_TO_LOAD & set(loaded.split())
    assert not [name for name in loaded.split() if name.startswith("replication.commands.")]


@pytest.mark.parametrize("name", commands.names())
def test_a_commands_help_comes_at_once(name):
    done = shell(f"""
import sys
from replication.__main__ import main
try:
    main([{name!r}, "--help"])
finally:
    print("LOADED", *sys.modules)
""")
    help_text, _, loaded = done.stdout.partition("LOADED")
    assert f"Usage: replication {name} " in help_text
    assert commands.summary(name) in help_text
    # These list sizes and schedulers, which lie beside arrays and kernels.
    needed = {"cluster": {"numpy"}, "sweep": {"numpy"}, "simulate": {"numba", "numpy", "scipy"}}
    assert SLOW_TO_LOAD & set(loaded.split()) <= needed.get(name, set())


@pytest.mark.parametrize(
    "name",
    [
        "audit",
        "cluster",
        "compare",
        "completion",
        "convert",
        "figures",
        "simulate",
        "sweep",
        "traces",
    ],
)
def test_a_commands_help_has_examples_of_itself(name):
    examples = (
        commands.load(name).help.partition("Examples:\n")[2].partition("\n\n")[0].splitlines()
    )
    assert any(f"replication {name}" in line for line in examples)


@pytest.mark.parametrize("name", commands.names())
def test_a_commands_summary_is_one_sentence(name):
    assert commands.load(name).help.partition("\n")[0] == commands.summary(name)
    assert commands.summary(name)[-1] in ".?"
    assert len(commands.summary(name)) <= 90


def test_the_module_and_the_installed_program_are_the_same():
    project = tomllib.loads((paths.ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    module, _, name = project["scripts"]["replication"].partition(":")
    assert getattr(importlib.import_module(module), name) is cli.main
    done = subprocess.run(
        [sys.executable, "-m", "replication", "--version"],
        cwd=paths.ROOT,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.stdout == f"replication {__version__}\n"
