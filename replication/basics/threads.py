"""Work in threads: compiled kernels let others run beside them."""

from concurrent.futures import ThreadPoolExecutor


def each(function, tasks, workers):
    """What a function returns for each of some tasks, in their order."""
    with ThreadPoolExecutor(workers) as pool:
        return list(pool.map(function, tasks))
