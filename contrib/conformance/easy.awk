# EASY backfilling as docs/semantics.md defines it. Reads a log in SWF, writes the start of each job:
#   awk -v out=STARTS.csv -f contrib/conformance/easy.awk LOG.swf
# With -v strict=1 it breaks sentence E11: no backfilled job ends exactly at the shadow time.

/MaxProcs:/ { free = $3 }
/^;/ { next }
{ n++; id[n] = $1; submit[n] = $2; run_time[n] = $4; size[n] = $8; estimate[n] = $9; place[n] = n }

END {
    for (i = 2; i <= n; i++)  # E4: by submission, then by job number
        for (k = i; k > 1 && earlier(place[k], place[k - 1]); k--) {
            other = place[k]; place[k] = place[k - 1]; place[k - 1] = other
        }
    for (done = 0; done < n; ) {
        now = 1e15  # the next event
        for (j = 1; j <= n; j++) {
            if (state[j] == "" && submit[j] < now) now = submit[j]
            if (state[j] == "runs" && start[j] + run_time[j] < now) now = start[j] + run_time[j]
        }
        for (j = 1; j <= n; j++) {  # E2: the ends and the submissions of this second, then a pass
            if (state[j] == "runs" && start[j] + run_time[j] == now) { state[j] = "done"; free += size[j]; done++ }
            if (state[j] == "" && submit[j] == now) state[j] = "waits"
        }
        pass()
    }
    print "job_id,start" > out
    for (j = 1; j <= n; j++) print id[j] "," start[j] > out
}

function earlier(a, b) { return submit[a] < submit[b] || (submit[a] == submit[b] && id[a] < id[b]) }
function begin(j) { state[j] = "runs"; start[j] = now; free -= size[j] }
function planned_end(j) { return start[j] + estimate[j] > now ? start[j] + estimate[j] : now }  # E15

function pass(    k, j, blocked, in_time) {
    for (k = 1; k <= n; k++) {
        j = place[k]
        if (state[j] != "waits") continue
        in_time = strict ? now + estimate[j] < shadow : now + estimate[j] <= shadow  # E10, E11
        if (size[j] <= free && (!blocked || in_time || size[j] <= extra)) {
            if (blocked && !in_time) extra -= size[j]  # E12
            begin(j)
        } else if (!blocked) { blocked = 1; reserve(size[j]) }  # E7
    }
}

function reserve(needed,    i, j, available) {  # E8, E9
    shadow = 1e15
    for (i = 1; i <= n; i++) {
        if (state[i] != "runs" || planned_end(i) >= shadow) continue
        available = free
        for (j = 1; j <= n; j++)
            if (state[j] == "runs" && planned_end(j) <= planned_end(i)) available += size[j]
        if (available >= needed) { shadow = planned_end(i); extra = available - needed }
    }
}
