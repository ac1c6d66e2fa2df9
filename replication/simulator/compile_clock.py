"""The line that says for how long kernels have been compiled: ``0:42, compiling EASY(), ...``.

It appears in a terminal, in a notebook, or in what `showing` names, and goes when the compilation
is done.
"""

import contextlib
import os
import shutil
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from pathlib import Path

from numba.core import event

#: Environment variable: the file that holds the line while this process compiles, for the process
#: that waits for it.
FILE = "REPLICATION_COMPILING"
PERIOD = 1.0  # s
#: The scheduler whose kernels are compiled, if any.
subject: ContextVar = ContextVar("subject", default=None)
_shows: list[Callable[[str], None]] = []


def minutes(seconds: float) -> str:
    """Return a duration as on a clock, such as ``0:42``."""
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def fitted(line: str, width: int | None = None) -> str:
    """Return a line cut at a space to a width, by default that of the terminal."""
    width = (width or shutil.get_terminal_size().columns) - 1
    if len(line) <= width:
        return line
    return line[: width - 1].rpartition(" ")[0].rstrip(",;") + " …"


@contextlib.contextmanager
def every_second(act: Callable[[], None]) -> Iterator[None]:
    """Call a function each second, in a thread of its own, until the block ends."""
    done = threading.Event()

    def tick():
        while not done.wait(PERIOD):
            act()

    thread = threading.Thread(target=tick, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()


@contextlib.contextmanager
def showing(show: Callable[[str], None]) -> Iterator[None]:
    """Give the line to a function, each second, instead of showing it; an empty line at the end."""
    _shows.append(show)
    try:
        yield
    finally:
        _shows.remove(show)


class _Clock(event.Listener):
    """Follow numba's compilations, which nest, and of which one at a time runs."""

    def __init__(self):
        self.depth, self.begun, self.ended = 0, 0.0, 0.0

    def on_start(self, _):
        self.depth += 1
        if self.depth == 1:
            # Kernels that follow each other are one wait for a reader.
            self.begun = self.begun if time.monotonic() < self.ended + 2 else time.monotonic()
            self.shown = contextlib.ExitStack()
            show, choice = self.shown.enter_context(_place()), subject.get()
            self.shown.enter_context(every_second(lambda: show(self.line(choice))))

    def on_end(self, _):
        self.depth -= 1
        if self.depth == 0:
            self.shown.close()
            self.ended = time.monotonic()

    def line(self, choice):
        words = f"compiling {choice or 'kernels'}, first run only"
        return f"{minutes(time.monotonic() - self.begun)}, {words}"


@contextlib.contextmanager
def _place():
    """Give the function that shows the line, and remove the line at the end."""
    if _shows:
        yield _shows[-1]
        _shows[-1]("")
    elif FILE in os.environ:
        file = Path(os.environ[FILE])
        yield lambda line: file.write_text(line, encoding="utf-8")
        file.unlink(missing_ok=True)
    else:
        from tqdm.auto import tqdm

        in_notebook = "ipykernel" in sys.modules
        options = {"bar_format": "{desc}", "leave": False, "delay": 1 if in_notebook else 0}
        with tqdm(**options, disable=False if in_notebook else None) as bar:
            yield lambda line: bar.set_description_str(line if in_notebook else fitted(line))


event.register("numba:compile", _Clock())
