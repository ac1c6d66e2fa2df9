"""How far a run of many notebooks is: what is done, what runs, and about how long the rest takes.

What a notebook took is kept below build/, so that the next run knows; before that it is guessed. Cheap ones come
first. A terminal shows a line that changes; a pipe gets a new one every `EVERY` seconds.
"""

import json
import shutil
import sys
import time

from replication.basics import paths, writing

EVERY = 30.0  # s
GUESS = {"paper": 60.0, "quick": 8.0}  # s, of a notebook that never ran here
LONG = ("readings", "robustness", "wide", "modal", "claims")  # guessed to take LONGER times that
LONGER = 5.0


def duration(seconds):
    """Seconds in words, such as ``3 min 05 s``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Progress:
    """What is done and what is left of some notebooks, each with the scale at which it runs."""

    def __init__(self, scales, at_once):
        self.file = paths.BUILD / "seconds.json"
        self.known = json.loads(self.file.read_text()) if self.file.is_file() else {}
        self.scales, self.at_once = scales, at_once
        self.waiting, self.running, self.done = set(scales), {}, 0
        self.began = self.told = time.monotonic()
        self.terminal = sys.stderr.isatty()

    def expected(self, name):
        """Seconds that a notebook probably takes."""
        guess = GUESS[self.scales[name]] * (LONGER if name.split("/")[1] in LONG else 1)
        return self.known.get(f"{name} {self.scales[name]}", guess)

    def order(self):
        """The notebooks, cheap ones first."""
        return sorted(self.scales, key=self.expected)

    def start(self, name):
        """A notebook has started."""
        self.waiting.discard(name)
        self.running.setdefault(name, time.monotonic())

    def end(self, name, seconds, line):
        """A notebook has ended: say so, and keep how long it took where it did not fail (seconds is not None)."""
        self.waiting.discard(name)
        self.running.pop(name, None)
        self.done += 1
        if seconds is not None:
            self.known[f"{name} {self.scales[name]}"] = round(seconds, 1)
            writing.write(self.file, json.dumps(self.known, indent=1).encode())
        self.clear()
        print(line, flush=True)
        self.told = time.monotonic()

    def left(self):
        """Seconds until all are done, about."""
        now = time.monotonic()
        rest = [max(self.expected(n) - (now - began), 1) for n, began in self.running.items()]
        total = sum(map(self.expected, self.waiting)) + sum(rest)
        return max(total / self.at_once, max(rest, default=0))

    def line(self):
        """What is done, what runs and what is left."""
        now = time.monotonic()
        running = ", ".join(f"{name} for {duration(now - t)}" for name, t in self.running.items())
        return (
            f"{self.done} of {len(self.scales)} done in {duration(now - self.began)}; "
            f"running {running or 'nothing yet'}; about {duration(self.left())} left"
        )

    def tick(self):
        """Show where things are, if it is time to."""
        if self.terminal:
            print(f"\r\033[K{self.line()[: _width()]}", end="", file=sys.stderr, flush=True)
        elif time.monotonic() - self.told >= EVERY:
            print(self.line(), flush=True)
            self.told = time.monotonic()

    def clear(self):
        """Take the changing line away."""
        if self.terminal:
            print("\r\033[K", end="", file=sys.stderr, flush=True)


def _width():
    return shutil.get_terminal_size().columns - 1
