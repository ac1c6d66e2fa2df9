"""SIGINT, SIGTERM and SIGHUP end a program in order: a line on standard error, the right exit code, no process left.

A signal raises `Ended` in the main thread, so that files are closed and what is half written is removed. Compiled
code and the end of the interpreter do not notice exceptions: a thread waits beside them and ends the program after
`GRACE` seconds, or at the second signal.
"""

import contextlib
import os
import select
import signal
import sys
import threading

ENDING = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
GRACE = 3.0  # s


class Ended(KeyboardInterrupt):
    """A signal asks the program to end; `number` is the signal's."""

    def __init__(self, number):
        super().__init__(number)
        self.number = number


@contextlib.contextmanager
def answered(name):
    """Answer the signals while inside; one that was ignored before, as by ``nohup``, stays ignored.
    `name` is the program's, for its last line.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {n: signal.getsignal(n) for n in ENDING if signal.getsignal(n) is not signal.SIG_IGN}
    heard, told = os.pipe()
    os.set_blocking(told, False)
    threading.Thread(target=_wait, args=(heard, name), daemon=True).start()
    woken = signal.set_wakeup_fd(told, warn_on_full_buffer=False)
    for number in before:
        signal.signal(number, _raise)
    ended = False
    try:
        yield
    except Ended:
        ended = True  # The thread stays: what is left to do must not take for ever.
        raise
    finally:
        if not ended:
            for number, handler in before.items():
                signal.signal(number, handler)
            signal.set_wakeup_fd(woken)
            os.close(told)


def _raise(number, frame):
    raise Ended(number)


def _wait(heard, name):
    """End the program some time after the first signal, or at once after the second."""
    number = _heard(heard)
    if number is not None:
        select.select([heard], [], [], GRACE)
        os._exit(end(number, name))


def _heard(heard):
    """The number of a signal that ends programs; None once nobody listens any more."""
    while byte := os.read(heard, 1):
        if byte[0] in ENDING:
            return byte[0]
    os.close(heard)
    return None


_said = threading.Lock()


def end(number, name):
    """Say once why the program ends, and end the processes that it started. Returns the exit code:
    128 and the signal's number.
    """
    import psutil

    for child in psutil.Process().children(recursive=True):
        with contextlib.suppress(psutil.NoSuchProcess):
            child.kill()
    if _said.acquire(blocking=False):
        why = (
            "interrupted" if number == signal.SIGINT else f"ended by {signal.Signals(number).name}"
        )
        # The terminal may be gone.
        with contextlib.suppress(OSError):
            print(f"{name}: {why}", file=sys.stderr, flush=True)
    return 128 + number
