"""Compile the kernels once, so that nothing later waits for it.

Compiled code is kept on disk. Processes that start together would each compile it for themselves.
"""

import time

import click

from replication.explore import model
from replication.simulator import simulation


def command():
    """Run every kernel, and every choice of the explorer, once on a tiny workload."""
    started = time.perf_counter()
    click.echo("Compiling the kernels (a minute or two the first time)")
    simulation.warm()
    model.warm()
    click.echo(f"Kernels ready in {time.perf_counter() - started:.1f} s")
