"""Compile the kernels once, so that nothing later waits for it.

Compiled code is kept on disk. Processes that start together would each compile it for themselves.
"""

import time


def add_arguments(parser):
    """Nothing to choose."""


def main(args):
    """Run every kernel once on a tiny workload and say how long it took."""
    from replication.schedule.simulation import warm

    started = time.perf_counter()
    warm()
    print(f"Kernels compiled in {time.perf_counter() - started:.1f} s")
    return 0
