// Groups of jobs, and their mean waits in a run.

const MINUTE = 60, HOUR = 3600;
export const LENGTHS = [["< 1 min", MINUTE], ["1 to 10 min", 10 * MINUTE], ["10 to 60 min", HOUR], ["1 to 4 h", 4 * HOUR], ["4 to 12 h", 12 * HOUR], ["> 12 h", Infinity]];
export const LONGEST_WAITS = "longest 1 % of waits";

/** Return the jobs that a schedule blocks at the head of the queue (notebooks/audits.py). */
export function heads(submit, start) {
  let earlier = 0;
  return submit.map((at, k) => {
    const since = Math.max(at, earlier);
    earlier = Math.max(earlier, start[k]);
    return Number(start[k] > since);
  });
}

/** Return the groups of jobs: a name and their members. */
export function groups(log, isHead) {
  const { runTime } = log.jobs, all = Array.from(runTime, (_, k) => k);
  const named = [["all jobs", all]];
  LENGTHS.forEach(([name, most], k) => named.push([name, all.filter((job) => runTime[job] < most && (k === 0 || runTime[job] >= LENGTHS[k - 1][1]))]));
  named.push(["heads of the queue", all.filter((job) => isHead[job])]);
  return named.filter(([, jobs]) => jobs.length);
}

/** Return the mean wait (s) of each group's measured jobs, NaN if it has none, and last the mean of the longest 1 %. */
export function waits(log, machine, members) {
  const start = machine.numbers("start"), kept = machine.flags("kept"), { submit } = log.jobs;
  const wait = Float64Array.from(submit, (at, k) => Number(start[k]) - at);
  const means = members.map(([, jobs]) => {
    let sum = 0, count = 0;
    for (const job of jobs) if (kept[job]) (sum += wait[job]), count++;
    return sum / count;
  });
  const sorted = wait.filter((_, k) => kept[k]).sort().reverse(), longest = sorted.subarray(0, Math.max(1, Math.round(sorted.length / 100)));
  return [...means, longest.reduce((sum, one) => sum + one, 0) / longest.length];
}
