"""The commands, as the tests call them."""

from conformance import cli


def run(capsys, *words):
    """Return exit code, output and errors."""
    try:
        code = cli.main(list(map(str, words)))
    except SystemExit as ended:
        code = ended.code
    return code, *capsys.readouterr()
