"""How far a run of many notebooks is: what is done, what runs, and about how long the rest takes.

What a notebook took is kept below build/, so that the next run knows. Before that it is what the committed record says
it took, times how much slower this machine simulates a fixed piece of work than the one that made the record. Cheap
ones come first. A terminal shows a line that changes; a pipe gets a new one every `EVERY` seconds.
"""

import json
import shutil
import sys
import time

import numpy as np

from replication.basics import paths, seeding, writing
from replication.logs.workload import Workload
from replication.pages import record
from replication.schedule.simulation import simulate
from replication.schedulers import EASY

EVERY = 30.0  # s
LONGEST = 1e6  # s, that a notebook may take
STARTS = 4.0  # s, of a kernel
GUESS = {"paper": 60.0, "quick": 8.0}  # s, of a notebook that nobody ran at this scale
#: What is simulated once and kept, and is in no record's seconds: s, on the machine that made the records.
FIRST = {"heel_and_toe/fig04": 600.0, "heel_and_toe/wide": 3000.0}
#: How long that machine takes for `calibration`, s.
REFERENCE = 0.013


def calibration():
    """Seconds that a fixed piece of work takes here, the least of three tries: 40,000 jobs under EASY."""
    draw, n = seeding.generator("calibration"), 40_000
    run_time = draw.integers(60, 20_000, n)
    submit = np.cumsum(draw.integers(0, 2_000, n))
    jobs = Workload.from_columns("calibration", 128, submit, run_time, draw.integers(1, 24, n))

    def tried():
        began = time.perf_counter()
        simulate(jobs, EASY())
        return time.perf_counter() - began

    return min(tried() for _ in range(3))


def duration(seconds):
    """Seconds in words, such as ``3 min 05 s``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Progress:
    """What is done and what is left of some notebooks, each with the scale at which it runs."""

    def __init__(self, scales, at_once):
        self.file = paths.BUILD / "seconds.json"
        self.known = self._kept()
        self.scales, self.at_once = scales, at_once
        self.waiting, self.running, self.done = set(scales), {}, 0
        self.began = self.told = time.monotonic()
        self.terminal = sys.stderr.isatty()
        unknown = [name for name in scales if self._key(name) not in self.known]
        self.slower = calibration() / REFERENCE if unknown else 1.0
        kept = any((paths.BUILD / "results").glob("*"))
        self.guessed = {name: self._guess(name, kept) * self.slower for name in unknown}

    def expected(self, name):
        """Seconds that a notebook probably takes."""
        return self.known.get(self._key(name), self.guessed.get(name))

    def _kept(self):
        """What notebooks took here before; nothing, and a line, where that is not what was written."""
        try:
            found = json.loads(self.file.read_text()) if self.file.is_file() else {}
            if all(0 <= seconds < LONGEST for seconds in found.values()):
                return found
        except (ValueError, TypeError, AttributeError):
            pass
        writing.tell(f"{self.file}: damaged; the times are taken anew")
        return {}

    def _key(self, name):
        return f"{name} {self.scales[name]}"

    def _guess(self, name, kept):
        """Seconds that it would take where the records were made."""
        paper, item = name.split("/")
        facts = record.read(record.folder("paper", paper) / f"{item}.json")
        if self.scales[name] != "paper" or facts is None:
            return GUESS[self.scales[name]]
        return STARTS + facts["run"].get("seconds", 0) + (0 if kept else FIRST.get(name, 0))

    def intention(self):
        """How long all of it will take here, in a sentence."""
        known = len(self.scales) - len(self.guessed)
        how = f"times kept here for {known}" if known else "no times kept here yet"
        if self.guessed:
            how += f"; this machine takes {self.slower:.1f} times as long as that of the records"
        return f"about {duration(self.left())} ({how})"

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
            self.known[self._key(name)] = round(seconds, 1)
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
