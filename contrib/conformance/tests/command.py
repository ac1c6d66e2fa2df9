"""The commands, as the tests call them."""

from conformance import cli


def run(capsys, *args):
    """Return exit code, output and errors."""
    try:
        code = cli.main(list(map(str, args)))
    except SystemExit as ended:
        code = ended.code
    return code, *capsys.readouterr()
