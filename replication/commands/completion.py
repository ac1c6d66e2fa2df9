"""Print a script that completes commands, options and names with the tab key.

Examples:
  replication completion bash > ~/.local/share/bash-completion/completions/replication
  replication completion zsh >> ~/.zshrc
  source <(replication completion bash)
"""

import argparse

from replication import commands
from replication.logs import traces
from replication.schedule import text
from replication.schedulers import Scheduler

_BASH = """\
# Completion of replication; made by 'replication completion'.
_replication() {{
  local word=${{COMP_WORDS[COMP_CWORD]}} before=${{COMP_WORDS[COMP_CWORD-1]}} words=""
  if (( COMP_CWORD == 1 )); then
    words="{commands}"
  else
    case "${{COMP_WORDS[1]}} $before" in
{choices}
      *) case "${{COMP_WORDS[1]}} ${{COMP_WORDS[2]}}" in
{actions}
        *) case "${{COMP_WORDS[1]}}" in
{options}
        esac ;;
      esac ;;
    esac
  fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}}
complete -o default -F _replication replication
"""
_ZSH = "autoload -U +X bashcompinit && bashcompinit\n"


def add_arguments(parser):
    """Say for which shell."""
    parser.add_argument("shell", choices=("bash", "zsh"), help="the shell that is to read it")


def main(args):
    """Print the script."""
    print((_ZSH if args.shell == "zsh" else "") + script(), end="")
    return 0


def script():
    """The script for bash, made from the options that the commands have.

    Returns
    -------
    str
    """
    parsers = {name: _parser(name) for name in commands.names()}
    actions = {
        f"{name} {action}": parser
        for name, own in parsers.items()
        for action, parser in _actions(own).items()
    }
    return _BASH.format(
        commands=" ".join([*parsers, "--help", "--version"]),
        choices="\n".join(
            _case(f"{name.split()[0]} {option}", words, 6)
            for name, parser in (parsers | actions).items()
            for option, words in _choices(parser)
        ),
        actions="\n".join(_case(name, _words(parser), 8) for name, parser in actions.items()),
        options="\n".join(_case(name, _words(parser), 10) for name, parser in parsers.items()),
    )


def _parser(name):
    parser = argparse.ArgumentParser(prog=name)
    parser.add_argument("--debug", action="store_true")
    commands.load(name).add_arguments(parser)
    return parser


def _actions(parser):
    """Parsers of a command's own actions, such as those of ``traces``."""
    found = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return found[0].choices if found else {}


def _words(parser):
    """What may follow: options, actions, choices of an argument, and the logs where one is asked for."""
    words = [option for action in parser._actions for option in action.option_strings]
    for action in parser._actions:
        if not action.option_strings:
            words += list(action.choices or ())
            words += traces.names() if action.metavar in ("TRACE", "NAME") else []
    return words


def _choices(parser):
    """Options that take one of a few words, with these."""
    known = {"scheduler": text.names(Scheduler), "paper": traces.papers()}
    for action in parser._actions:
        words = list(action.choices or known.get(action.dest, ()))
        if words:
            yield from ((option, words) for option in action.option_strings)


def _case(pattern, words, indent):
    return f'{" " * indent}"{pattern}") words="{" ".join(words)}" ;;'
