"""How far a run of many notebooks is: what is done, what runs, and about how long the rest takes.

What a notebook took is kept below build/, so that the next run knows. One that has not run here yet takes as much longer
than its committed record says as those that have; before any has, nothing is said, since kernels are then still to be
compiled. A terminal shows a line that changes; a pipe gets a new one every `EVERY` seconds.
"""

import json
import math
import statistics
import sys
import time

import tqdm

from replication.report import record
from replication.simulator import paths, writing

EVERY = 30.0  # s
LONGEST = 1e6  # s, that a notebook may take
STARTS = 4.0  # s, of a kernel
UNKNOWN = "how long is not known, since none ran here yet and kernels are compiled when first used"


def duration(seconds):
    """Seconds in words, such as ``3 min 05 s``."""
    minutes, seconds = divmod(round(seconds), 60)
    return f"{minutes} min {seconds:02} s" if minutes else f"{seconds} s"


class Progress:
    """What is done and what is left of some notebooks, each with the scale at which it runs."""

    def __init__(self, scales, at_once):
        self.file, self.at_once = paths.BUILD / "seconds.json", at_once
        self.kept = self._read()
        self.keys = {name: f"{name} {scale}" for name, scale in scales.items()}
        self.recorded = {key: _recorded(key) for key in (*self.kept, *self.keys.values())}
        self.waiting, self.running, self.done = set(scales), {}, 0
        self.began = self.told = time.monotonic()
        pipe = not sys.stderr.isatty()
        self.bar = tqdm.tqdm(bar_format="{desc}", leave=False, dynamic_ncols=True, disable=pipe)

    def _read(self):
        """What notebooks took here before; nothing, and a line, where that is not what was written."""
        try:
            found = json.loads(self.file.read_text()) if self.file.is_file() else {}
            if all(0 <= seconds < LONGEST for seconds in found.values()):
                return found
        except (ValueError, TypeError, AttributeError):
            pass
        writing.tell(f"{self.file}: damaged; the times are taken anew")
        return {}

    def expected(self, name):
        """Seconds that a notebook probably takes, nan where none ran here at its scale."""
        key = self.keys[name]
        scale = key.rpartition(" ")[2]
        alike = [other for other in self.kept if other.endswith(f" {scale}")]
        slower = [self.kept[other] / self.recorded[other] for other in alike] or [math.nan]
        return self.kept.get(key, self.recorded[key] * statistics.median(slower))

    def intention(self):
        """How long all of it will take here, in a sentence."""
        known = len(self.kept.keys() & self.keys.values())
        left = self.left()
        return f"{left} (times kept here for {known} of {len(self.keys)})" if left else UNKNOWN

    def order(self):
        """The notebooks, cheap ones first."""
        known = self.recorded | self.kept
        return sorted(self.keys, key=lambda name: known[self.keys[name]])

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
            self.kept[self.keys[name]] = round(seconds, 1)
            writing.write(self.file, json.dumps(self.kept, indent=1).encode())
        self.bar.clear()
        print(line, flush=True)
        self.told = time.monotonic()

    def left(self):
        """About how long until all are done, in words; empty where that is not known."""
        now = time.monotonic()
        rest = [max(self.expected(n) - (now - began), 1) for n, began in self.running.items()]
        total = sum(map(self.expected, self.waiting)) + sum(rest)
        left = max([total / self.at_once, *rest])
        return "" if math.isnan(total) else f"about {duration(left)}"

    def line(self):
        """What is done, what runs and what is left."""
        now, left = time.monotonic(), self.left()
        running = ", ".join(f"{name} for {duration(now - t)}" for name, t in self.running.items())
        return (
            f"{self.done} of {len(self.keys)} done in {duration(now - self.began)}; "
            f"running {running or 'nothing yet'}" + (f"; {left} left" if left else "")
        )

    def tick(self):
        """Show where things are, if it is time to."""
        if not self.bar.disable:
            self.bar.set_description_str(self.line())
        elif time.monotonic() - self.told >= EVERY:
            print(self.line(), flush=True)
            self.told = time.monotonic()


def _recorded(key):
    """Seconds that a notebook took where its committed record was made; at any other scale the start of its kernel."""
    name, _, scale = key.rpartition(" ")
    facts = record.of("paper", name) if scale == "paper" else None
    return STARTS + (facts["run"].get("seconds", 0) if facts else 0)
