// The decisions of replication/simulator/kernels/easy.py in plain C++, every waiting job looked at in every pass: the yardstick
// of `make bench`.
// Built as a shared library and called through ctypes with the same columns.
#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

using i64 = std::int64_t;
static const i64 NEVER = std::numeric_limits<i64>::max();

namespace {

const int SLOT_BITS = 20;
const i64 SLOT_MASK = (1 << SLOT_BITS) - 1, LATEST = NEVER >> SLOT_BITS;

// Two orders of the running jobs, keys with the slot in their low bits, a sentinel in front.
struct Running {
    std::vector<i64> by_end, by_plan, size, plan, vacant;
    explicit Running(i64 most) : by_end(most + 1), by_plan(most + 1), size(most), plan(most), vacant(most) {
        by_end[0] = by_plan[0] = NEVER;
        for (i64 slot = 0; slot < most; ++slot) vacant[slot] = slot;
    }
};

inline void insert(i64* order, i64 count, i64 key) {
    i64 k = count;
    while (order[k] < key) { order[k + 1] = order[k]; k -= 1; }
    order[k + 1] = key;
}

inline void remove(i64* order, i64 count, i64 key) {
    i64 k = count, held = order[k];
    while (held != key) { k -= 1; std::swap(held, order[k]); }
}

inline void begin(Running& jobs, i64 running, i64 end, i64 planned_end, i64 size) {
    const i64 slot = jobs.vacant[running];
    jobs.size[slot] = size;
    jobs.plan[slot] = planned_end << SLOT_BITS | slot;
    insert(jobs.by_end.data(), running, end << SLOT_BITS | slot);
    insert(jobs.by_plan.data(), running, jobs.plan[slot]);
}

inline i64 finish(Running& jobs, i64 running) {
    const i64 slot = jobs.by_end[running] & SLOT_MASK;
    remove(jobs.by_plan.data(), running, jobs.plan[slot]);
    jobs.vacant[running - 1] = slot;
    return jobs.size[slot];
}

inline i64 next_end(const Running& jobs, i64 running) { return jobs.by_end[running] >> SLOT_BITS; }

inline void reservation(const Running& jobs, i64 running, i64 free, i64 head_size, i64 now, i64& shadow, i64& extra) {
    i64 available = free, k = running;
    while (available < head_size) { available += jobs.size[jobs.by_plan[k] & SLOT_MASK]; k -= 1; }
    shadow = std::max(jobs.by_plan[k + 1] >> SLOT_BITS, now);
    while (jobs.by_plan[k] >> SLOT_BITS <= shadow) { available += jobs.size[jobs.by_plan[k] & SLOT_MASK]; k -= 1; }
    extra = available - head_size;
}

}  // namespace

extern "C" void easy(i64 n, const i64* submit, const i64* run_time, const i64* estimate, const i64* size,
                     i64 machine, bool backfilling, i64* start, bool* backfilled) {
    Running jobs(std::min(n, machine));
    std::vector<i64> waiting(n), wait_size(n), wait_estimate(n);
    i64 head = 0, tail = 0, running = 0, arrived = 0, free = machine, smallest = NEVER, shadow = 0, extra = 0;
    bool reserved = false;
    while (arrived < n || running > 0) {
        const i64 now = std::min(arrived < n ? submit[arrived] : LATEST, next_end(jobs, running));

        bool ended = false;
        while (running > 0 && next_end(jobs, running) == now) {
            free += finish(jobs, running);
            running -= 1;
            ended = true;
        }
        const bool overdue = jobs.by_plan[running] >> SLOT_BITS < now;

        if (head < tail && (ended || overdue)) {
            reserved = false;
            while (head < tail && wait_size[head] <= free) {
                const i64 job = waiting[head];
                start[job] = now;
                free -= size[job];
                begin(jobs, running, now + run_time[job], now + estimate[job], size[job]);
                running += 1;
                head += 1;
            }
            if (backfilling && tail - head > 1 && smallest <= free) {
                reservation(jobs, running, free, wait_size[head], now, shadow, extra);
                reserved = true;
                smallest = NEVER;
                i64 kept = head + 1;
                for (i64 k = head + 1; k < tail; ++k) {
                    const bool in_time = now + wait_estimate[k] <= shadow;
                    if (wait_size[k] <= free && (in_time || wait_size[k] <= extra)) {
                        const i64 job = waiting[k];
                        start[job] = now;
                        backfilled[job] = true;
                        free -= size[job];
                        if (!in_time) extra -= size[job];
                        begin(jobs, running, now + run_time[job], now + estimate[job], size[job]);
                        running += 1;
                    } else {
                        if (kept < k) {
                            waiting[kept] = waiting[k]; wait_size[kept] = wait_size[k];
                            wait_estimate[kept] = wait_estimate[k];
                        }
                        smallest = std::min(smallest, wait_size[k]);
                        kept += 1;
                    }
                }
                tail = kept;
            }
        }

        while (arrived < n && submit[arrived] == now) {
            const i64 job = arrived++;
            bool starts = size[job] <= free;
            if (head == tail) {
                head = tail = 0;
                reserved = false;
                smallest = NEVER;
            } else if (starts && backfilling) {
                if (!reserved) {
                    reservation(jobs, running, free, wait_size[head], now, shadow, extra);
                    reserved = true;
                }
                const bool in_time = now + estimate[job] <= shadow;
                starts = in_time || size[job] <= extra;
                if (starts && !in_time) extra -= size[job];
                backfilled[job] = starts;
            } else {
                starts = false;
            }
            if (starts) {
                start[job] = now;
                free -= size[job];
                begin(jobs, running, now + run_time[job], now + estimate[job], size[job]);
                running += 1;
            } else {
                if (head < tail) smallest = std::min(smallest, size[job]);
                waiting[tail] = job; wait_size[tail] = size[job]; wait_estimate[tail] = estimate[job];
                tail += 1;
            }
        }
    }
}
