// Part 2: a month of a log at one f, and the curve of its mean wait over f.

import { curvePicture } from "./axes.js";
import { badness, Campaign, runAt } from "./curve.js";
import { colour, duration, legendEntry, redraw, signed, } from "./drawing.js";
import { summary } from "./shapes.js";
import { thousands } from "./swf.js";

const DAY = 86_400, DAYS = 30, MINUTE = 60, SEEDS = 100, MOST = 10, STEPS = 100;
const Z95 = 1.959964;

/** Return the first second of the month in which most jobs wait. */
export function busiest(submit, start) {
  const first = submit[0], days = Math.ceil((submit.at(-1) - first) / DAY) + 1, waited = new Float64Array(days + 1);
  for (let k = 0; k < submit.length; k++) {
    for (let day = Math.floor((submit[k] - first) / DAY); day * DAY + first < start[k] && day < days; day++) {
      const from = Math.max(submit[k], first + day * DAY), to = Math.min(start[k], first + (day + 1) * DAY);
      waited[day] += Math.max(0, to - from);
    }
  }
  let sum = 0, most = -1, best = 0;
  for (let day = 0; day < days; day++) {
    sum += waited[day] - (day >= DAYS ? waited[day - DAYS] : 0);
    if (day >= DAYS - 1 && sum > most) [most, best] = [sum, day - DAYS + 1];
  }
  return first + best * DAY;
}

/** Return the processors of the jobs that run between two seconds: [job, first, count] of the lowest free ones. */
export function placed(start, runTime, size, machine, since, until) {
  const jobs = [];
  for (let k = 0; k < start.length; k++) if (start[k] < until && start[k] + runTime[k] > since && runTime[k] > 0) jobs.push(k);
  jobs.sort((a, b) => start[a] - start[b] || size[a] - size[b]);
  const until_ = new Float64Array(machine).fill(-Infinity), blocks = [];
  for (const job of jobs) {
    let needed = size[job], first = -1;
    for (let k = 0; k <= machine && needed >= 0; k++) {
      const free = k < machine && needed > 0 && until_[k] <= start[job];
      if (free) {
        until_[k] = start[job] + runTime[job];
        if (first < 0) first = k;
        needed--;
      } else if (first >= 0) {
        blocks.push([job, first, k - first]);
        first = -1;
      }
      if (!needed && first < 0) break;
    }
  }
  return blocks;
}

/** Return the number of waiting jobs in each of some steps of time. */
export function waiting(submit, start, since, until, steps) {
  const change = new Int32Array(steps + 1), place = (second) => Math.ceil(((second - since) / (until - since)) * steps);
  for (let k = 0; k < submit.length; k++) {
    const from = Math.max(0, place(submit[k])), to = Math.min(steps, place(start[k]));
    if (from < to) change[from]++, change[to]--;
  }
  let level = 0;
  return Array.from({ length: steps }, (_, k) => (level += change[k]));
}

/** Show part 2 in its section. `f` is shared with part 3: its value, `set` and `watch`. */
export function showMonth(section, log, machine, kernelBytes, startWorker, f, committed) {
  const find = (name) => section.querySelector(name);
  const fs = badness(MOST, STEPS), columns = log.jobs;
  const numbers = (name) => Float64Array.from(machine.numbers(name), Number);
  machine.simulate("estimate");
  const level = log.hasEstimates ? machine.measure()[1] / MINUTE : null;
  const perfect = runAt(machine, log, 0, 1), exact = { start: numbers("start") };
  const since = busiest(columns.submit, exact.start), until = since + DAYS * DAY;
  let now = null, campaign = null, seeds = range(1), points = [], fade = false, started = 0, shownAt = 0;

  function range(from) {
    return Array.from({ length: SEEDS }, (_, k) => from + k);
  }

  const KINDS = [["ran", "started in order"], ["mild", "backfilled"], ["wild", "backfilled wildly"], ["queue", "waiting jobs"], ["queue0", "the same at f = 0"]];
  find(".legend.machine-legend").append(...KINDS.map((entry) => legendEntry(...entry)));
  const LINES = [["mean", "mean of the runs, computed here"], ["band", "5th to 95th percentile"], ["committed", "Fig. 4 as committed in the repository"], ["here", "this run"]];
  find(".legend.curve-legend").append(...LINES.filter(([kind]) => committed || kind !== "committed").map((entry) => legendEntry(...entry)));

  function run() {
    const clock = performance.now();
    const { wait } = runAt(machine, log, f.value, 1);
    const took = performance.now() - clock;
    machine.observe();
    now = { f: f.value, wait: wait / MINUTE, start: numbers("start"), backfilled: machine.flags("backfilled").slice(), wild: machine.flags("wild").slice() };
    const change = (100 * (wait - perfect.wait)) / perfect.wait;
    const wild = now.wild.reduce((sum, one) => sum + one, 0) / machine.n;
    find(".run").textContent = `f = ${f.value}: mean wait ${duration(wait)} (${signed(change)} % against f = 0), ${(100 * wild).toFixed(1)} % of the jobs backfilled wildly. All ${thousands(machine.n)} jobs in ${took.toFixed(1)} ms.`;
    drawMonth();
    drawCurve();
  }

  function drawMonth() {
    const canvas = find("canvas"), width = canvas.parentElement.clientWidth, height = width < 560 ? 250 : 300;
    if (!now || !width) return;
    const ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d");
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    canvas.style.height = `${height}px`;
    pen.scale(ratio, ratio);
    const left = 52, right = width - 14, floor = height - 106, base = height - 26, top = 8;
    const x = (second) => left + ((second - since) / (until - since)) * (right - left);
    pen.fillStyle = colour("machine");
    pen.fillRect(left, top, right - left, floor - top);
    const tall = (floor - top) / log.machine;
    const fills = ["ran", "mild", "wild"].map((kind) => colour(kind === "ran" ? "regular" : kind));
    for (const [job, first, count] of placed(now.start, columns.runTime, columns.size, log.machine, since, until)) {
      const from = Math.max(x(now.start[job]), left), to = Math.min(x(now.start[job] + columns.runTime[job]), right);
      pen.fillStyle = fills[now.wild[job] ? 2 : now.backfilled[job] ? 1 : 0];
      pen.fillRect(from, floor - (first + count) * tall, Math.max(to - from - 0.25, 0.4), count * tall - (tall > 3 ? 0.5 : 0.15));
    }
    const steps = Math.round(right - left), queues = [waiting(columns.submit, now.start, since, until, steps), waiting(columns.submit, exact.start, since, until, steps)];
    const most = Math.max(1, ...queues[0], ...queues[1]), y = (jobs) => base - (jobs / most) * (base - floor - 18);
    pen.fillStyle = colour("queue");
    for (let k = 0; k < steps; k++) pen.fillRect(left + k, y(queues[0][k]), 1, base - y(queues[0][k]));
    pen.strokeStyle = colour("ink");
    pen.setLineDash([4, 2]);
    pen.beginPath();
    queues[1].forEach((jobs, k) => (k ? pen.lineTo(left + k, y(jobs)) : pen.moveTo(left, y(jobs))));
    pen.stroke();
    pen.setLineDash([]);
    pen.fillStyle = colour("muted");
    pen.font = "12px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.fillText(log.machine, left - 7, top + 10);
    pen.fillText("0", left - 7, floor);
    pen.fillText(most, left - 7, floor + 28);
    pen.fillText("0", left - 7, base);
    pen.textAlign = "center";
    for (let day = 0; day <= DAYS; day += width < 560 ? 10 : 5) pen.fillText(day ? `day ${day}` : "0", x(since + day * DAY) - (day === DAYS ? 16 : 0), height - 8);
    for (const [words, from, to] of [["processors", top, floor], ["waiting", floor + 16, base]]) {
      pen.save();
      pen.translate(13, (from + to) / 2);
      pen.rotate(-Math.PI / 2);
      pen.fillText(words, 0, 0);
      pen.restore();
    }
    canvas.setAttribute("aria-label", `${DAYS} days of the machine at f = ${f.value}: jobs on ${log.machine} processors, and below them up to ${Math.max(...queues[0])} waiting jobs; at f = 0 up to ${Math.max(...queues[1])}.`);
  }

  function drawCurve() {
    const place = find(".curve"), width = place.clientWidth;
    if (!width) return;
    const height = width < 560 ? 280 : 340;
    const title = points.some(Boolean)
      ? `Mean wait over badness f: ${Math.round(points[0]?.mean ?? 0)} min at f = 0; lowest near f = ${fs[lowest()]} with ${points[lowest()].mean.toFixed(1)} min; ${(points.at(-1) ?? points[lowest()]).mean.toFixed(1)} min at the largest f.`
      : "Mean wait over badness f; not computed yet.";
    const svg = curvePicture({ width, height, fs, points, committed: fade ? committed : null, level, now, title });
    place.replaceChildren(svg);
  }

  function lowest() {
    return points.reduce((best, one, k) => (one && (!points[best] || one.mean < points[best].mean) ? k : best), 0);
  }

  function update(force = false) {
    if (!force && performance.now() - shownAt < 60 && !campaign.finished) return;
    shownAt = performance.now();
    points = campaign.waits.map((waits) => (waits.size ? scaled(summary([...waits.values()])) : null));
    const seconds = (performance.now() - started) / 1000;
    const ended = campaign.finished || campaign.stopped;
    find("progress").value = campaign.done / campaign.total;
    find(".progress").textContent = campaign.problem || `${thousands(campaign.done)} of ${thousands(campaign.total)} runs of ${thousands(machine.n)} jobs in ${seconds.toFixed(1)} s`;
    find(".stop").hidden = ended;
    find(".again").hidden = !ended;
    if (ended) {
      fade = Boolean(committed);
      find(".difference").textContent = committed ? comparison() : "";
    }
    drawCurve();
  }

  const scaled = ({ mean, error, p5, p95, runs }) => ({ mean: mean / MINUTE, error: error / MINUTE, p5: p5 / MINUTE, p95: p95 / MINUTE, runs });

  /** Say by how much the curve differs from the committed one, given the seeds. */
  function comparison() {
    const both = fs.map((value, k) => [value, points[k], committed[k]]).filter(([, own]) => own && own.runs > 1);
    if (both.length < fs.length) return "Stopped before two seeds were complete: too few to compare with the committed curve.";
    const largest = both.reduce((best, one) => (Math.abs(one[1].mean - one[2].mean) > Math.abs(best[1].mean - best[2].mean) ? one : best));
    const most = Math.abs(largest[1].mean - largest[2].mean), runs = Math.min(...both.map(([, own]) => own.runs));
    if (seeds[0] === 1 && campaign.finished) {
      return most < 0.001
        ? `Committed curve: the same ${SEEDS} seeds, and the same ${fs.length} means to every printed digit.`
        : `Committed curve: the same ${SEEDS} seeds, yet the means differ by up to ${most.toFixed(3)} min, at f = ${largest[0]}. Please report this.`;
    }
    const which = seeds[0] === 1 ? `the first ${runs} of its ${SEEDS} seeds` : `${runs} other seeds`;
    const differ = `Committed curve: with ${which} the means differ by up to ${most.toFixed(2)} min (${((100 * most) / largest[2].mean).toFixed(1)} %), at f = ${largest[0]}`;
    if (!campaign.finished) return `${differ}.`;
    const within = both.filter(([, own, other]) => Math.abs(own.mean - other.mean) <= Z95 * Math.hypot(own.error, other.error) + 0.001).length;
    return `${differ}. At ${within} of ${fs.length} values of f the 95 % interval of the difference holds 0; by chance alone it does at about ${Math.round(0.95 * fs.length)}.`;
  }

  function start(from) {
    campaign?.stop();
    seeds = range(from);
    points = [];
    fade = false;
    find(".difference").textContent = "";
    find(".begin").hidden = true;
    started = performance.now();
    campaign = new Campaign(startWorker, kernelBytes, log, fs, seeds, () => update());
    update(true);
  }

  find(".begin").addEventListener("click", () => start(1));
  find(".stop").addEventListener("click", () => (campaign.stop(), update(true)));
  find(".again").addEventListener("click", () => start(seeds[0] + SEEDS));
  f.watch(run);
  redraw(find(".month"), drawMonth);
  redraw(find(".curve"), drawCurve);
  run();
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) {
    const watcher = new IntersectionObserver(([entry]) => {
      if (!entry.isIntersecting) return;
      watcher.disconnect();
      if (!campaign) start(1);
    }, { threshold: 0.25 });
    watcher.observe(find(".curve"));
  }
  return { perfect, exact };
}
