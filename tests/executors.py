"""Where tests run tasks instead of threads."""

import pickle
from concurrent.futures import Executor, Future


class InLine(Executor):
    """Runs a task at once, from a copy such as another machine would get."""

    def __init__(self, fail_after=10**9):
        self.left = fail_after

    def submit(self, function, *args):
        future = Future()
        self.left -= 1
        if self.left < 0:
            future.set_exception(KeyboardInterrupt())
        else:
            future.set_result(
                pickle.loads(pickle.dumps(function(*pickle.loads(pickle.dumps(args)))))
            )
        return future
