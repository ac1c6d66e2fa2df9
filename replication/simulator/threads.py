"""Work in threads: compiled kernels let others run beside them."""

import os
from collections import deque
from concurrent.futures import ThreadPoolExecutor


def each(function, tasks, workers):
    """What a function returns for each of some tasks, in their order."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, tasks))


def in_order(function, items):
    """Yield what a function returns for each item, in the order of the items.

    Meanwhile threads work on the items that follow, and those after them are made. If making an item fails, what was
    begun before it comes first, then the error.
    """
    workers, begun, made, failure = os.cpu_count() or 1, deque(), iter(items), None
    with ThreadPoolExecutor(workers) as pool:
        while failure is None:
            try:
                begun.append(pool.submit(function, next(made)))
            except Exception as error:
                failure = error
            if len(begun) > 2 * workers:
                yield begun.popleft().result()
        for one in begun:
            yield one.result()
    if not isinstance(failure, StopIteration):
        raise failure
