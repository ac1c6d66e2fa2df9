"""A long round of the fuzzer: ``python -m tests.fuzz MINUTES [TARGET ...]``, or ``make fuzz MINUTES=60``.

Targets take turns with inputs that are new each time. A failure is made as small as it goes, printed and kept in
``.hypothesis``, where the next round begins with it; the last lines are the counts.
"""

import argparse
import contextlib
import signal
import sys
import time
import traceback
from collections import Counter

from hypothesis import HealthCheck, given, settings
from hypothesis.database import DirectoryBasedExampleDatabase

from replication.simulator import simulation
from tests.fuzz.targets import TARGETS

TURN = 200  # inputs


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("minutes", type=float)
    parser.add_argument("targets", nargs="*", metavar="TARGET", default=list(TARGETS))
    asked = parser.parse_args()
    unknown = set(asked.targets) - set(TARGETS)
    if unknown:
        parser.error(f"{', '.join(sorted(unknown))}; allowed: {', '.join(TARGETS)}")
    simulation.warm()
    tried, failed, end = Counter(), Counter(), time.monotonic() + 60 * asked.minutes
    left = list(dict.fromkeys(asked.targets))
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    with contextlib.suppress(KeyboardInterrupt):  # what was tried until then is counted
        while left and time.monotonic() < end:
            for name in [*left]:
                if not turn(name, tried, end):
                    failed[name] += 1
                    left.remove(name)  # the same fault would be found again
            seconds = max(0, end - time.monotonic())
            print(
                f"{tried.total():>10,} inputs  {failed.total()} faults  {seconds:.0f} s left",
                flush=True,
            )
    for name in asked.targets:
        print(f"{tried[name]:>10,} inputs  {failed[name]} faults  {name}")
    print(f"{tried.total():>10,} inputs  {failed.total()} faults")
    return 1 if failed else 0


def turn(name, tried, end):
    """Some inputs of a target, until the time is up; whether all that must hold held."""
    inputs, check = TARGETS[name]

    def counted(given_one):
        if time.monotonic() < end:
            tried[name] += 1
            check(given_one)

    try:
        settings(
            max_examples=TURN,
            deadline=None,
            database=DirectoryBasedExampleDatabase(".hypothesis/fuzz"),
            print_blob=False,
            suppress_health_check=list(HealthCheck),
        )(given(inputs)(counted))()
    except Exception:
        print(f"{name}: a fault after {tried[name]:,} inputs", file=sys.stderr)
        traceback.print_exc()
        return False
    return True


if __name__ == "__main__":
    sys.exit(main())
