// The picture of a month of a log: its jobs on the processors, and the jobs that wait.

import { colour, ticks } from "./drawing.js";

const DAY = 86_400, DAYS = 30, MOST_BOXES = 1100; // processors of which each is drawn

/** Return first and last second and the days of the month in which most jobs wait. */
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
  const since = first + best * DAY, shown = Math.min(DAYS, days);
  return { since, until: since + shown * DAY, days: shown };
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

/** Return the sum of the jobs' amounts in each of some steps of time, from one column of times to another. */
export function level(from, to, amount, since, until, steps) {
  const change = new Float64Array(steps + 1), place = (second) => Math.min(steps, Math.max(0, Math.ceil(((second - since) / (until - since)) * steps)));
  for (let k = 0; k < from.length; k++) {
    const [first, last] = [place(from[k]), place(to(k))], value = amount(k);
    if (value && first < last) (change[first] += value), (change[last] -= value);
  }
  let sum = 0;
  return Array.from({ length: steps }, (_, k) => (sum += change[k]));
}

/** Draw a schedule on a canvas; `exact` is the start of each job at f = 0, `span` of `busiest`. */
export function drawMonth(canvas, log, { f, start, backfilled, wild }, exact, { since, until, days }) {
  const width = canvas.parentElement.clientWidth, height = width < 560 ? 250 : 300, { submit, runTime, size } = log.jobs;
  if (!width) return;
  const ratio = Math.min(devicePixelRatio || 1, 2), pen = canvas.getContext("2d");
  canvas.width = width * ratio;
  canvas.height = height * ratio;
  canvas.style.height = `${height}px`;
  pen.scale(ratio, ratio);
  const left = 52, right = width - 14, floor = height - 106, base = height - 26, top = 8, steps = Math.round(right - left);
  const x = (second) => left + ((second - since) / (until - since)) * (right - left);
  pen.fillStyle = colour("machine");
  pen.fillRect(left, top, right - left, floor - top);
  const tall = (floor - top) / log.machine, kind = (job) => (wild[job] ? 2 : backfilled[job] ? 1 : 0);
  const fills = ["regular", "mild", "wild"].map(colour);
  if (log.machine <= MOST_BOXES) {
    for (const [job, first, count] of placed(start, runTime, size, log.machine, since, until)) {
      const from = Math.max(x(start[job]), left), to = Math.min(x(start[job] + runTime[job]), right);
      pen.fillStyle = fills[kind(job)];
      pen.fillRect(from, floor - (first + count) * tall, Math.max(to - from - 0.25, 0.4), count * tall - (tall > 3 ? 0.5 : 0.15));
    }
  } else {
    const under = new Float64Array(steps);
    fills.forEach((fill, which) => {
      pen.fillStyle = fill;
      level(start, (k) => start[k] + runTime[k], (k) => (kind(k) === which ? size[k] : 0), since, until, steps).forEach((used, k) => {
        under[k] += used;
        pen.fillRect(left + k, floor - under[k] * tall, 1, used * tall);
      });
    });
  }
  const queues = [start, exact].map((starts) => level(submit, (k) => starts[k], () => 1, since, until, steps));
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
  for (const day of ticks(0, days, width < 560 ? 3 : 6)) pen.fillText(day ? `day ${day}` : "0", x(since + day * DAY) - (day === days ? 16 : 0), height - 8);
  for (const [words, from, to] of [["processors", top, floor], ["waiting", floor + 16, base]]) {
    pen.save();
    pen.translate(9, (from + to) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(words, 0, 0);
    pen.restore();
  }
  canvas.setAttribute("aria-label", `${days} days of the machine at f = ${f}: jobs on ${log.machine} processors, and below them up to ${Math.max(...queues[0])} waiting jobs; at f = 0 up to ${Math.max(...queues[1])}.`);
}
