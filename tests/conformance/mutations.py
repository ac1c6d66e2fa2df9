"""Rules of the kernels changed one by one: ``python -m tests.conformance.mutations``.

Each change must fail a conformance log, or be listed with the reason why it can change no start. The kernels run as
plain Python, so that a change costs nothing to compile; the compiled ones are held to the same logs by the tests.
"""

import signal
import sys
from contextlib import contextmanager
from types import ModuleType

import pytest

from tests.conformance import plain  # isort: skip  # noqa: F401

from replication.simulator import schedulers
from replication.simulator.simulation import simulate
from tests.conformance.edited import edited
from tests.conformance.search import logs

NAMES = (
    "running",
    "waiting",
    "observing",
    "planned",
    "laf",
    "conservative",
    "easy",
    "easy_predicted",
    "queue_orders",
)
KERNELS = [f"replication.simulator.kernels.{name}" for name in (*NAMES, "pv_easy")]
# The modules that refer to kernels.
SCHEDULERS = [module for module in vars(schedulers).values() if isinstance(module, ModuleType)]
LONGEST = 3  # s of processor time until a change counts as one that never ends

PASSES = "passes = size[job] <= free and (in_time or size[job] <= extra)"
MUTATIONS = [
    # EASY and FCFS.
    ("easy", "in_time = now + estimate[job] <= shadow\n                starts", "in_time = now + estimate[job] < shadow\n                starts"),
    ("easy", PASSES, PASSES.replace("<= extra", "< extra")),
    ("easy", PASSES, PASSES.replace("in_time or ", "")),
    ("easy", PASSES, PASSES.replace(" or size[job] <= extra", "")),
    ("easy", "starts = in_time or size[job] <= extra", "starts = in_time or size[job] < extra"),
    ("easy", "starts = in_time or size[job] <= extra", "starts = in_time"),
    ("easy", "starts = in_time or size[job] <= extra", "starts = True"),
    ("easy", "                    if not in_time:\n", "                    if False:\n"),
    ("easy", "                    if not in_time:\n", "                    if True:\n"),
    ("easy", "if queue.size[head] != EMPTY and size[job] <= free:", "if queue.size[head] != EMPTY and size[job] < free:"),
    ("easy", "starts = size[job] <= free\n", "starts = size[job] < free\n"),
    ("easy", "(ended or overdue or moved)", "(overdue or moved)"),
    ("easy", "if backfilling and head < tail and smallest <= free:", "if backfilling and head < tail and smallest < free:"),
    ("easy", "if backfilling and head < tail and smallest <= free:", "if False:"),
    ("easy", "elif starts and backfilling:", "elif starts:"),
    ("running", "while available < head_size:", "while available <= head_size:"),
    ("running", "instant = max(order[k + ONE] >> SLOT_BITS, now)", "instant = order[k + ONE] >> SLOT_BITS"),
    ("running", "while order[k] >> SLOT_BITS <= instant:", "while order[k] >> SLOT_BITS < instant:"),
    ("running", "return instant, available - head_size", "return instant, available"),
    ("waiting", "np.uint64((size <= extra) |", "np.uint64((size < extra) |"),
    ("waiting", "(size <= free) & (estimate <= window)", "(size < free) & (estimate <= window)"),
    ("waiting", "least_size <= extra or least_estimate <= window", "least_size < extra or least_estimate <= window"),
    ("easy", "in_time = now + estimate[job] <= shadow\n                    passes", "in_time = now + estimate[job] < shadow\n                    passes"),
    ("easy", "if starts and not in_time:", "if False:"),
    ("easy", "if starts and not in_time:", "if starts:"),
    ("easy", "(ended or overdue or moved)", "(ended or moved)"),
    ("easy", "reserved = moved = False", "moved = False"),
    ("easy", "if backfilling and head < tail and smallest <= free:", "if head < tail and smallest <= free:"),
    ("waiting", "(size <= free) & (estimate <= window)", "(size <= free) & (estimate < window)"),
    ("waiting", "least_size <= extra or least_estimate <= window", "least_size <= extra or least_estimate < window"),
    # EASY with predictions.
    ("easy_predicted", "always = rules.kept or not", "always = not"),
    ("easy_predicted", "or not rules.uses_up or", "or"),
    ("easy_predicted", "rules.uses_up or not rules.all_count", "rules.uses_up"),
    ("easy_predicted", "            ended\n            or corrected", "            corrected", "            or count[planned.FREED] > 0\n", ""),
    ("easy_predicted", "            or corrected\n", ""),
    ("easy_predicted", "            or planned.next_planned_end(machine) < now\n", ""),
    ("planned", "come, end = rules.submissions_first, not rules.submissions_first", "come, end = not rules.submissions_first, rules.submissions_first"),
    ("planned", "if come and rules.submissions_first:", "if come and not rules.submissions_first:", "if come and not rules.submissions_first:\n        fits = _submit(machine, memory, rules, now)\n    return", "if come and rules.submissions_first:\n        fits = _submit(machine, memory, rules, now)\n    return"),
    ("planned", "fits |= memory.size[job] <= count[FREE]", "fits |= memory.size[job] < count[FREE]"),
    ("easy_predicted", "if ended or fits or (came and not rules.only_if_fits):", "if ended or came:"),
    ("planned", "while next_end(machine) == now and not rules.one_by_one:", "while next_end(machine) == now:"),
    ("easy_predicted", "machine.wanted[count[HEAD]] <= count[FREE]", "machine.wanted[count[HEAD]] < count[FREE]"),
    ("easy_predicted", "if not rules.kept:", "if False:"),
    ("easy_predicted", "(rules.kept and is_due and not rules.held)", "rules.kept and not rules.held"),
    ("easy_predicted", "(rules.kept and is_due and not rules.held)", "(rules.kept and is_due)"),
    ("easy_predicted", "is_due = count[SHADOW] <= now", "is_due = count[SHADOW] < now"),
    ("easy_predicted", "    elif rules.recounts:\n", "    elif False:\n"),
    ("easy_predicted", "if rules.held and rules.closed and count[SHADOW] <= now:", "if False:"),
    ("easy_predicted", "rules.closed and count[SHADOW] <= now:", "rules.closed and count[SHADOW] < now:"),
    ("easy_predicted", "if rules.held and rules.closed and", "if rules.held and"),
    ("planned", "    while order[k] >> JOB_BITS <= instant:\n", "    while order[k] >> JOB_BITS < instant:\n"),
    ("planned", "if not all_count and available >= head_size and", "if available >= head_size and"),
    ("planned", "if not all_count and available >= head_size and", "if not all_count and"),
    ("planned", "available >= head_size and max(order[k] >> JOB_BITS, now) == instant:", "available >= head_size:"),
    ("planned", "    instant = max(instant, now)\n", ""),
    ("planned", "    return available - head_size\n", "    return max(available - head_size, machine.count[EXTRA])\n"),
    ("easy_predicted", "if rules.kept or fitting > 0:", "if fitting > 0:"),
    ("planned", "if wanted[k] <= free:", "if wanted[k] < free:"),
    ("easy_predicted", "if count[planned.SMALLEST] <= count[FREE]:", "if count[planned.SMALLEST] < count[FREE]:"),
    ("easy_predicted", "if rules.shortest_first:\n        for k", "if False:\n        for k"),
    ("easy_predicted", "in_time = now + predicted <= count[SHADOW]", "in_time = now + predicted < count[SHADOW]"),
    ("easy_predicted", "if in_time or size <= count[EXTRA]:", "if in_time or size < count[EXTRA]:"),
    ("easy_predicted", "if in_time or size <= count[EXTRA]:", "if in_time:"),
    ("easy_predicted", "if in_time or size <= count[EXTRA]:", "if True:"),
    ("easy_predicted", "if rules.uses_up and not in_time:", "if rules.uses_up:"),
    ("easy_predicted", "if rules.uses_up and not in_time:", "if not in_time:"),
    ("easy_predicted", "if rules.uses_up and not in_time:", "if False:"),
    ("planned", "while machine.by_plan[k] >> JOB_BITS <= now:", "while machine.by_plan[k] >> JOB_BITS < now:"),
    ("planned", "if prediction + step > elapsed:", "if prediction + step >= elapsed:"),
    ("planned", "while prediction <= elapsed and", "while prediction < elapsed and"),
    ("planned", "return min(prediction + step, request)", "return prediction + step"),
    ("planned", "prediction = min(max(2 * prediction, 1), request)", "prediction = max(2 * prediction, 1)"),
    ("planned", "    if way == DOUBLING:\n", "    if False:\n"),
    ("planned", "    if way == GRADUAL:\n", "    if False:\n"),
    ("planned", "while available < head_size:", "while available <= head_size:"),
    ("planned", "instant = max(order[k + ONE] >> JOB_BITS, now)", "instant = order[k + ONE] >> JOB_BITS"),
    ("planned", "while all_count and", "while"),
    ("planned", "while all_count and order[k] >> JOB_BITS <= instant:", "while False:"),
    ("planned", "return instant, available - head_size", "return instant, available"),
    # Conservative backfilling.
    ("conservative", "if at[k] >= ends:", "if at[k] > ends:"),
    ("conservative", "and free[k] >= size:", "and free[k] > size:"),
    ("conservative", "_file(plan.order, k, _place(machine, memory, plan, job))", "plan.order[k] = _place(machine, memory, plan, job)"),
    ("conservative", "failed or late or plan", "failed or plan"),
    ("conservative", "known or failed or late", "known or late"),
    ("conservative", "elif ended and rules.each:", "elif ended and not rules.each:"),
    ("conservative", "end = max(key >> JOB_BITS, now + 1)", "end = max(key >> JOB_BITS, now + 2)"),
    ("planned", "if machine.start[job] + machine.planned[job] == now:", "if False:"),
    ("planned", "        age = machine.start[job] << JOB_BITS | job\n", "        age = job\n"),
    ("planned", "if come and rules.submissions_first:", "if come:"),
    ("conservative", "take(plan, -memory.size[job], now, planned_end)", "take(plan, 0 * memory.size[job], now, planned_end)"),
    ("conservative", "take(plan, -memory.size[job], reserved, reserved + length)", "take(plan, 0 * memory.size[job], reserved, reserved + length)"),
    ("conservative", "elif ended and rules.each:", "elif False:"),
    ("conservative", "elif ended and given_back > now:", "elif False:"),
    ("conservative", "        given_back = max(given_back, reserved + length)\n", "        pass\n"),
    ("conservative", "_first_from(plan, min(given_back, reserved))", "_first_from(plan, given_back)"),
    # Largest area first.
    ("laf", "or area > most or", "or area >= most or"),
    ("laf", "length > longest)", "length >= longest)"),
    ("laf", "length > longest)", "length < longest)"),
    ("laf", "area = size * length", "area = size"),
    ("laf", "0 if ended else before", "before"),
    ("laf", "and size <= machine.count[FREE]", "and size < machine.count[FREE]"),
    # PV-EASY.
    ("pv_easy", "if size > count[FREE] + _shadow_size(machine, memory, runs, head):", "if size >= count[FREE] + _shadow_size(machine, memory, runs, head):"),
    ("pv_easy", "if size > count[FREE] + _shadow_size(machine, memory, runs, head):", "if True:"),
    ("pv_easy", "while size > count[FREE]:", "while size >= count[FREE] and _shadow_size(machine, memory, runs, head):"),
    ("pv_easy", "if left <= window:", "if left < window:"),
    ("pv_easy", "    sort(places[:some])\n", ""),
    ("pv_easy", "available = count[FREE] + _shadow_size(machine, memory, runs, head)", "available = count[FREE]"),
    ("pv_easy", "if processors > machine.count[FREE] or not rules.venture:", "if not rules.venture:"),
    ("pv_easy", "            _change_shadow(runs, job, -memory.size[job])\n        if count", "            pass\n        if count"),
    ("pv_easy", "    _change_shadow(runs, job, memory.size[job])\n\n", "\n"),
    ("pv_easy", "if runs.shadow[0] != head:", "if runs.shadow[0] < 0:"),
    ("pv_easy", "first = machine.scratch[0]", "first = machine.scratch[0] + 1"),
    ("pv_easy", "    if rules.venture:\n", "    if False:\n"),
    ("pv_easy", "job = max(job, machine.by_end[k] & JOB_MASK)", "job = machine.by_end[k] & JOB_MASK"),
    ("pv_easy", "(left - 1) // rules.interval * rules.cost", "left // rules.interval * rules.cost"),
    ("pv_easy", "    return 0\n", "    return done + elapsed\n"),
    ("pv_easy", "return left + rules.cost\n", "return left\n"),
    ("pv_easy", "rules.correction) - done, 0)", "rules.correction), 0)"),
    ("pv_easy", "ended or runs.kills[1] > 0, queued", "ended, queued"),
    ("pv_easy", "    if rules.at_once:\n", "    if True:\n"),
    ("pv_easy", "while k > count[HEAD] and waiting[k - 1] > job:", "while k > count[HEAD] + 1 and waiting[k - 1] > job:"),
    ("planned", "if rules.refresh else", "if not rules.refresh else"),
    ("pv_easy", "elapsed // (rules.interval + rules.cost) * rules.interval", "elapsed // rules.interval * rules.interval"),
    ("planned", "if prediction > elapsed or", "if prediction >= elapsed or"),
    # Orders of the queue.
    ("queue_orders", "if waited >= rules.limit:", "if waited > rules.limit:"),
    ("queue_orders", "if waited >= rules.limit:", "if False:"),
    ("queue_orders", "return -math.inf", "return -1e6 + predicted"),
    ("queue_orders", "return float(predicted)\n", "return float(size)\n"),
    ("queue_orders", "float(predicted * size)", "float(predicted)"),
    ("queue_orders", "float(predicted * size)", "float(size)"),
    ("queue_orders", "ratio * ratio * ratio", "ratio * ratio"),
    ("queue_orders", "-(ratio", "(ratio"),
    ("queue_orders", "ratio * size", "ratio"),
    ("queue_orders", "memory.submit[job] - memory.submit[0], 1", "memory.submit[job], 1"),
    ("queue_orders", "math.log10(length) * size", "length * size"),
    ("queue_orders", "math.log10(length) * size", "math.log10(length)"),
    ("queue_orders", " + 870.0 * math.log10(arrival)", ""),
    ("queue_orders", "machine.wanted[head] <= count[FREE]", "machine.wanted[head] < count[FREE]"),
    ("queue_orders", "machine.planned[job] <= window", "machine.planned[job] < window"),
    ("queue_orders", "machine.planned[job] <= window", "True"),
    ("queue_orders", "if size <= extra or", "if size < extra or"),
    ("queue_orders", "if now + length[waiting[place]] > shadow:", "if False:"),
    ("queue_orders", "if now + length[waiting[place]] > shadow:", "if True:"),
    ("queue_orders", "(size <= free and", "(size < free and"),
    ("queue_orders", "count[SMALLEST] <= count[FREE]", "count[SMALLEST] < count[FREE]"),
    ("queue_orders", "key[place] < key[best]", "key[place] <= key[best]"),
    ("queue_orders", "key[place] < key[best]", "key[place] > key[best]"),
]  # fmt: skip

#: Changes that can change no start, and why.
EQUIVALENT = {
    ("planned", "    if way == NOW:\n", "    if False:\n"): "a prediction that becomes now stays as it is, and this spares looking",
    ("easy_predicted", "            or before == count[HEAD]\n", ""): "the pass begins with those who come, and before them nobody waits",
    ("easy", "overdue = next_planned_end(jobs, running) < now", "overdue = next_planned_end(jobs, running) <= now"): "a pass more, when a job is planned to end now and runs on, finds the reservation as it was",
    ("conservative", "_first_from(plan, min(given_back, reserved))", "_first_from(plan, reserved)"): "nobody finds an earlier start behind what was given back, and this spares looking",
    ("conservative", "elif ended and given_back > now:", "elif ended:"): "nobody finds an earlier start where nothing was given back, and this spares looking",
    ("pv_easy", "    _change_shadow(runs, job, -memory.size[job])\n    if", "    if"): "the head that preempts starts at once, and the load is summed up anew for the next that asks",
    ("pv_easy", "if job > runs.shadow[0] else 0", "if job >= runs.shadow[0] else 0"): "no running job is the head",
}  # fmt: skip


@contextmanager
def kernels(name, *edits):
    """The kernels in plain Python, one of them edited."""
    with edited(f"replication.simulator.kernels.{name}", edits, KERNELS) as modules:
        # Where a job's number is signed, numba makes one of these two, and Python neither.
        modules["replication.simulator.kernels.waiting"].PIECE_ENTRIES = 10
        with pytest.MonkeyPatch.context() as patch:
            for module in SCHEDULERS:
                for own, value in vars(module).copy().items():
                    if isinstance(value, ModuleType) and value.__name__ in modules:
                        patch.setattr(module, own, modules[value.__name__])
            yield


def failed(known):
    """The name of the first log whose schedule the kernels do not give; None where they give all."""
    for name, workload, scheduler, (start, end) in known:
        signal.setitimer(signal.ITIMER_VIRTUAL, LONGEST)
        try:
            done = simulate(workload, scheduler)
        except Exception:  # noqa: BLE001 - a changed kernel may do anything, and all of it is wrong
            return name
        finally:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        if (done.start != start).any() or (done.end != end).any():
            return name
    return None


def _never_ends(*_):
    raise TimeoutError


def main():
    """Print each change with the log that it fails; the exit code is 1 if one fails none."""
    signal.signal(signal.SIGVTALRM, _never_ends)
    known = list(logs())
    with kernels("easy"):
        assert failed(known) is None, f"unchanged, the kernels fail {failed(known)}"
    survived = []
    for module, *edits in MUTATIONS:
        with kernels(module, *edits):
            by = failed(known)
        survived += [(module, *edits)] if by is None else []
        print(f"{by or 'SURVIVED':16}{module}: {edits[0].strip()!r} -> {edits[1].strip()!r}")
    for (module, *edits), reason in EQUIVALENT.items():
        with kernels(module, *edits):
            assert failed(known) is None, f"{module}: {edits}: not equivalent"
        print(f"{'equivalent':16}{module}: {edits[1]!r}: {reason}")
    print(f"caught {len(MUTATIONS) - len(survived)} of {len(MUTATIONS)}")
    return 1 if survived else 0


if __name__ == "__main__":
    sys.exit(main())
