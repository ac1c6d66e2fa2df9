// Part 3: which jobs wait shorter at f than at f = 0, and which wait longer.

import { runAt } from "./curve.js";
import { duration, redraw, scale, shape, signed, text, ticks } from "./drawing.js";
import { thousands } from "./swf.js";

const MINUTE = 60, HOUR = 3600, SEEDS = 20;
const LENGTHS = [["< 1 min", MINUTE], ["1 to 10 min", 10 * MINUTE], ["10 to 60 min", HOUR], ["1 to 4 h", 4 * HOUR], ["4 to 12 h", 12 * HOUR], ["> 12 h", Infinity]];

/** Return the jobs that EASY with the users' estimates blocks at the head of the queue (notebooks/audits.py). */
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

/** Return the mean wait (s) of each group's measured jobs, and last the mean of the longest 1 %. */
export function waits(log, machine, members) {
  const start = machine.numbers("start"), kept = machine.flags("kept"), { submit } = log.jobs;
  const wait = Float64Array.from(submit, (at, k) => Number(start[k]) - at);
  const found = members.map(([, jobs]) => {
    let sum = 0, count = 0;
    for (const job of jobs) if (kept[job]) (sum += wait[job]), count++;
    return sum / count;
  });
  const sorted = wait.filter((_, k) => kept[k]).sort().reverse(), longest = sorted.subarray(0, Math.max(1, Math.round(sorted.length / 100)));
  return [...found, longest.reduce((sum, one) => sum + one, 0) / longest.length];
}

/** Show part 3 in its section. */
export function showPayers(section, log, machine, f) {
  const find = (name) => section.querySelector(name);
  machine.simulate(log.hasEstimates ? "estimate" : "runTime");
  const isHead = heads(log.jobs.submit, Float64Array.from(machine.numbers("start"), Number));
  const members = groups(log, isHead), names = [...members.map(([name]) => name), "longest 1 % of waits"];
  runAt(machine, log, 0, 1);
  const before = waits(log, machine, members);
  let runs = [], turn = 0;

  function begin() {
    runs = [];
    const own = ++turn;
    const next = () => {
      if (own !== turn) return;
      const until = performance.now() + 12;
      do {
        runAt(machine, log, f.value, runs.length + 1);
        runs.push(waits(log, machine, members));
      } while (runs.length < SEEDS && f.value > 0 && performance.now() < until);
      draw();
      if (runs.length < SEEDS && f.value > 0) requestAnimationFrame(next);
      else say();
    };
    next();
  }

  const means = () => before.map((_, k) => runs.reduce((sum, run) => sum + run[k], 0) / runs.length);

  function say() {
    const change = means().map((wait, k) => (100 * (wait - before[k])) / before[k]);
    const shorter = names.filter((_, k) => change[k] < -1), longer = names.filter((_, k) => change[k] > 1);
    const lengths = LENGTHS.map(([name]) => name);
    const list = (some) => {
      const own = some.filter((name) => lengths.includes(name)), parts = some.filter((name) => !lengths.includes(name));
      return [...parts, ...(own.length ? [`run times ${own.join(", ")}`] : [])].join("; ") || "none";
    };
    find(".said").textContent = f.value === 0
      ? "At f = 0 all estimates are perfect: nobody gains or pays. Move f."
      : `At f = ${f.value}, means over ${SEEDS} seeds against f = 0. Shorter waits: ${list(shorter)}. Longer waits: ${list(longer)}.`;
  }

  function draw(width = find(".picture").clientWidth) {
    if (!runs.length || !width) return;
    const narrow = width < 560, row = narrow ? 44 : 30, left = narrow ? 8 : 186, right = width - (narrow ? 8 : 190), top = 26;
    const height = top + names.length * row + 26, after = means();
    const change = after.map((wait, k) => (100 * (wait - before[k])) / before[k]);
    const most = Math.max(10, ...change.map(Math.abs), ...runs.flatMap((run) => run.map((wait, k) => Math.abs((100 * (wait - before[k])) / before[k]))));
    const x = scale(-most, most, left, right);
    const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Change of the mean wait at f = ${f.value} by group of jobs: ${names.map((name, k) => `${name} ${signed(change[k])} %`).join("; ")}` });
    svg.append(text(narrow ? "← shorter" : "← wait shorter", x(0) - 8, 13, { class: "note", "text-anchor": "end" }), text(narrow ? "longer →" : "wait longer →", x(0) + 8, 13, { class: "note" }));
    svg.append(text("jobs by run time", narrow ? left : left - 12, 13, { class: "note", "text-anchor": narrow ? "start" : "end" }));
    for (const value of ticks(-most, most, narrow ? 4 : 6)) {
      svg.append(shape("line", { x1: x(value), x2: x(value), y1: top, y2: height - 24, class: value ? "grid" : "zero" }));
      svg.append(text(`${signed(value, 0)} %`, x(value), height - 8, { class: "tick", "text-anchor": "middle" }));
    }
    names.forEach((name, k) => {
      const line = top + k * row, middle = line + (narrow ? 30 : row / 2), sorted = runs.map((run) => (100 * (run[k] - before[k])) / before[k]).sort((a, b) => a - b);
      const count = k < members.length ? `${thousands(members[k][1].length)} jobs` : "";
      const numbers = `${duration(before[k])} → ${duration(after[k])}`;
      if (narrow) {
        svg.append(text(name, left, line + 15, { class: "name" }), text(numbers, right, line + 15, { class: "tick", "text-anchor": "end" }));
      } else {
        svg.append(text(name, left - 12, middle + (count ? -1 : 4), { class: "name", "text-anchor": "end" }));
        if (count) svg.append(text(count, left - 12, middle + 12, { class: "tick", "text-anchor": "end" }));
        svg.append(text(numbers, right + 12, middle + 4, { class: "tick" }));
      }
      const from = Math.min(x(0), x(change[k])), long = Math.abs(x(change[k]) - x(0));
      svg.append(shape("rect", { x: from, y: middle - 8, width: Math.max(long, 0.5), height: 16, class: change[k] < 0 ? "gain" : "loss" }));
      if (runs.length > 4) svg.append(shape("line", { x1: x(sorted[Math.floor(0.05 * sorted.length)]), x2: x(sorted[Math.ceil(0.95 * sorted.length) - 1]), y1: middle, y2: middle, class: "whisker" }));
    });
    find(".picture").replaceChildren(svg);
  }

  f.watch(begin);
  redraw(find(".picture"), draw);
  begin();
}
