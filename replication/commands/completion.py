"""Print a script that completes commands, options and names with the tab key.

Examples:
  replication completion bash > ~/.local/share/bash-completion/completions/replication
  replication completion zsh >> ~/.zshrc
  source <(replication completion bash)
"""

import click
from click.shell_completion import get_completion_class

from replication.commands import COMPLETE, PROGRAM, shell
from replication.commands import _options as shared

SHELLS = ("bash", "zsh", "fish")


@click.argument("name", metavar="SHELL", type=shared.Word(lambda: SHELLS))
def command(name):
    """Print the script."""
    click.echo(get_completion_class(name)(shell, {}, PROGRAM, COMPLETE).source(), nl=False)
