// Part 1: a machine and five jobs, whose estimates can be dragged.

import { duration, hatches, legendEntry, redraw, scale, shape, tag, text } from "./drawing.js";

export const PROCESSORS = 4;
/** Submission and run time (h), processors. */
export const JOBS = [[0, 6, 2], [0, 3, 1], [1, 4, 3], [2, 5, 1], [3, 4, 1]];
const GUESSED = { job: 0, estimate: 9 };
const END = 16, LONGEST = 10; // h
const HOUR = 3600, STRIDE = 16; // pixels of an hour, of the number in the sentence

/** Return the schedule of the five jobs with these estimates (h), and what happened to the head. */
export function scheduleOf(Machine, kernel, estimates) {
  const column = (k) => JOBS.map((job) => job[k]);
  const jobs = { submit: column(0), runTime: column(1), size: column(2), estimate: estimates };
  const machine = new Machine(kernel, jobs, PROCESSORS);
  machine.simulate("estimate");
  machine.observe();
  const read = (name) => Array.from(machine.numbers(name), Number);
  const flag = (name) => Array.from(machine.flags(name), Boolean);
  const found = { estimates: [...estimates], start: read("start"), order: read("order"), delay: read("delay"), backfilled: flag("backfilled"), wild: flag("wild") };
  found.wait = found.start.map((start, k) => start - JOBS[k][0]);
  found.mean = found.wait.reduce((sum, one) => sum + one, 0) / JOBS.length;
  found.passes = [];
  let earlier = 0;
  JOBS.forEach(([submit], head) => {
    const since = Math.max(submit, earlier);
    earlier = Math.max(earlier, found.start[head]);
    if (found.start[head] <= since) return;
    const begun = found.order.filter((job) => found.start[job] < since || (found.start[job] === since && job < head));
    found.passes.push({ head, now: since, backfill: null, ...machine.reserve(head, since, begun.length) });
    found.order.forEach((job, before) => {
      if (job > head && found.backfilled[job] && found.start[job] >= since && found.start[job] < found.start[head]) {
        found.passes.push({ head, now: found.start[job], backfill: job, ...machine.reserve(head, found.start[job], before) });
      }
    });
  });
  return found;
}

/** Return the pass to be shown: that of a wild backfill, of the last backfill, or of the head. */
export function passShown({ passes, wild }) {
  const wildly = passes.find(({ backfill }) => backfill !== null && wild[backfill]);
  if (wildly) return wildly;
  const first = passes.filter(({ head }) => head === passes[0]?.head);
  return first.findLast(({ backfill }) => backfill !== null) ?? first[0] ?? null;
}

/** Return the sentences that explain a schedule. */
export function explain(found) {
  const hours = (one) => `${one} h`, lines = [];
  const shown = passShown(found);
  if (!shown) return ["No job is blocked: every job starts at once or in order."];
  const head = shown.head + 1;
  const late = shown.planned > shown.real ? `; it could really start at ${hours(shown.real)}` : "";
  lines.push(`Job ${head} is the first that waits. By the estimates it has a reservation at ${hours(shown.planned)}${late}.`);
  for (const pass of found.passes) {
    if (pass.backfill === null) continue;
    const job = pass.backfill + 1, whose = `job ${pass.head + 1}`;
    const inTime = pass.now + found.estimates[pass.backfill] <= pass.planned;
    const reason = inTime ? "since by its estimate it ends before the reservation" : `on an extra processor, which ${whose} does not need then`;
    const backfilled = `Job ${job} is backfilled at ${hours(pass.now)}, ${reason}.`;
    if (!found.wild[pass.backfill]) {
      lines.push(backfilled);
    } else {
      lines.push(
        `${backfilled} But it still runs at ${hours(pass.real)}, when ${whose} could start: a wild backfill. ` +
        `It steals ${hours(found.start[pass.head] - pass.real)} from ${whose}, which starts at ${hours(found.start[pass.head])}.`,
      );
    }
  }
  return lines;
}

/** Return the processors of each job, the lowest free ones: lists of [first, count]. */
function places(found) {
  const free = Array(PROCESSORS).fill(0);
  const own = JOBS.map(() => []);
  for (const job of found.order) {
    const [, run, size] = JOBS[job], start = found.start[job];
    let needed = size;
    for (let k = 0; k < PROCESSORS && needed; k++) {
      if (free[k] > start) continue;
      free[k] = start + run;
      needed--;
      const last = own[job].at(-1);
      if (last && last[0] + last[1] === k) last[1]++;
      else own[job].push([k, 1]);
    }
  }
  return own;
}

/** Show part 1 in its section; `begin` has the estimates (h) to begin with, or is null, and `moved` hears of new ones. */
export function showFiveJobs(section, Machine, kernel, begin, moved) {
  const find = (name) => section.querySelector(name), limit = (job, hours) => Math.min(Math.max(hours, JOBS[job][1]), LONGEST);
  const estimates = JOBS.map((job, k) => limit(k, begin?.[k] || job[1]));
  const picture = find(".picture"), said = find(".said"), number = find(".supposed");
  const perfect = scheduleOf(Machine, kernel, JOBS.map((job) => job[1]));
  let found = scheduleOf(Machine, kernel, estimates), supposed = GUESSED.estimate;
  const handles = JOBS.map((_, job) => handle(job)), scene = shape("g");
  // The handles stay in the picture while it is drawn again, so that a finger does not lose them.
  const svg = shape("svg", { role: "group", "aria-label": "The machine over time, and the five jobs with their estimates" }, hatches("five"), scene, ...handles);
  picture.append(svg);

  const LEGEND = [["ran", "run"], ["mild", "backfilled"], ["wild", "backfilled wildly"], ["believed", "rest of the estimate"], ["plan", "reservation: when the first waiting job can start by the estimates"], ["real", "real shadow time: when it could start by the run times"], ["extra", "extra processors: those that the reservation leaves free"], ["stolen", "stolen: how much later it starts"]];
  find(".legend").append(...LEGEND.map((entry) => legendEntry(...entry)));

  /** Let an element set the estimate of a job by a drag, whose hours `hoursAt(event)` returns, and by keys. */
  function slides(element, job, hoursAt) {
    for (const [name, value] of Object.entries({ role: "slider", tabindex: 0, "aria-valuemin": JOBS[job][1], "aria-valuemax": LONGEST, "aria-label": `estimate of job ${job + 1}` })) element.setAttribute(name, value);
    element.addEventListener("pointerdown", (event) => {
      element.setPointerCapture(event.pointerId);
      event.preventDefault();
      element.focus();
    });
    element.addEventListener("pointermove", (event) => element.hasPointerCapture(event.pointerId) && choose(job, Math.round(hoursAt(event))));
    element.addEventListener("keydown", (event) => {
      const step = { ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, Home: -LONGEST, End: LONGEST }[event.key];
      if (!step) return;
      event.preventDefault();
      choose(job, (element === number ? supposed : estimates[job]) + step);
    });
    return element;
  }

  function handle(job) {
    const group = shape("g", { class: "handle" }, shape("rect", { x: -20, y: -20, width: 40, height: 40, class: "touch" }), shape("circle", { r: 8 }), shape("path", { d: "M-3,-3 l-3,3 l3,3 M3,-3 l3,3 l-3,3" }));
    return slides(group, job, (event) => ((event.clientX - svg.getBoundingClientRect().left - view.left) / (view.right - view.left)) * END - found.start[job]);
  }

  let grip = null;
  number.addEventListener("pointerdown", (event) => (grip = { x: event.clientX, hours: supposed }));
  slides(number, GUESSED.job, (event) => grip.hours + (event.clientX - grip.x) / STRIDE);

  function choose(job, hours, ...before) {
    const estimate = limit(job, hours);
    if (job === GUESSED.job) supposed = estimate;
    if (estimate === estimates[job] && !before.length) return showNumber();
    estimates[job] = estimate;
    show(...before);
  }

  function show(...before) {
    found = scheduleOf(Machine, kernel, estimates);
    draw();
    say(...before);
    const changed = estimates.some((hours, k) => hours !== JOBS[k][1]);
    if (changed) find(".guesses").classList.add("answered");
    find(".reset").hidden = !changed;
    moved(changed ? estimates : null);
  }

  function showNumber() {
    number.textContent = supposed;
    number.setAttribute("aria-valuenow", supposed);
    number.setAttribute("aria-valuetext", `${supposed} hours`);
  }

  function say(...before) {
    const mean = `Mean wait: ${duration(found.mean * HOUR)}; with perfect estimates ${duration(perfect.mean * HOUR)}.`;
    said.replaceChildren(...[...before, ...explain(found), mean].map((line) => tag("p", {}, line)));
    showNumber();
  }

  const view = { left: 0, right: 0 };
  function draw(width = picture.clientWidth) {
    const narrow = width < 560, row = narrow ? 30 : 34, left = narrow ? 46 : 92, right = width - 14;
    const top = 34, floor = top + PROCESSORS * row, list = floor + 40, height = list + JOBS.length * row + 34;
    Object.assign(view, { left, right });
    const x = scale(0, END, left, right), y = (processor) => floor - processor * row;
    for (const [name, value] of Object.entries({ width, height, viewBox: `0 0 ${width} ${height}` })) svg.setAttribute(name, value);
    scene.replaceChildren();
    for (let hour = 0; hour <= END; hour += narrow ? 4 : 2) {
      scene.append(shape("line", { x1: x(hour), x2: x(hour), y1: top, y2: height - 30, class: "grid" }));
      scene.append(text(hour, x(hour), height - 14, { class: "tick", "text-anchor": "middle" }));
    }
    scene.append(text("hours", right, height - 1, { class: "tick", "text-anchor": "end" }));
    scene.append(text(narrow ? `${PROCESSORS} proc.` : `${PROCESSORS} processors`, left - 8, top - 12, { class: "tick", "text-anchor": narrow ? "middle" : "end" }));
    scene.append(shape("rect", { x: left, y: top, width: right - left, height: floor - top, class: "machine" }));
    const kind = (job) => (found.wild[job] ? "wild" : found.backfilled[job] ? "mild" : "ran");
    const fill = (one) => (one === "ran" ? { class: "box fill-ran" } : { class: "box", fill: `url(#five-${one})` });
    places(found).forEach((blocks, job) => {
      const from = x(found.start[job]), to = x(found.start[job] + JOBS[job][1]);
      for (const [first, count] of blocks) {
        scene.append(shape("rect", { x: from, y: y(first + count), width: to - from, height: count * row, ...fill(kind(job)) }));
      }
      const [first, count] = blocks.reduce((best, one) => (one[1] > best[1] ? one : best));
      scene.append(...label(job + 1, Math.min((from + to) / 2, from + 20), y(first + count / 2)));
    });
    const shown = passShown(found);
    if (shown) reservation(shown, x, y, top, floor, right);
    JOBS.forEach(([submit, run, size], job) => {
      const line = list + job * row, middle = line + row / 2 - 2, start = found.start[job], end = start + run;
      scene.append(text(`job ${job + 1}`, left - 8, middle + (narrow ? 4 : -2), { class: "name", "text-anchor": "end" }));
      if (!narrow) scene.append(text(`${size} processor${size > 1 ? "s" : ""}`, left - 8, middle + 11, { class: "tick", "text-anchor": "end" }));
      if (start > submit) scene.append(shape("line", { x1: x(submit), x2: x(start), y1: middle, y2: middle, class: "waits" }));
      scene.append(shape("circle", { cx: x(submit), cy: middle, r: 3, class: "submitted" }));
      scene.append(shape("rect", { x: x(start), y: middle - row / 2 + 5, width: x(end) - x(start), height: row - 10, ...fill(kind(job)) }));
      if (estimates[job] > run) {
        scene.append(shape("rect", { x: x(end), y: middle - row / 2 + 5, width: x(start + estimates[job]) - x(end), height: row - 10, class: "box", fill: "url(#five-believed)" }));
      }
      const place = `translate(${Math.min(x(start + estimates[job]), right)},${middle})`;
      for (const [name, value] of Object.entries({ transform: place, "aria-valuenow": estimates[job], "aria-valuetext": `${estimates[job]} hours; it runs ${run} hours` })) {
        handles[job].setAttribute(name, value);
      }
    });
  }

  function label(words, x, y) {
    return [shape("circle", { cx: x, cy: y, r: 9, class: "label" }), text(words, x, y + 4, { class: "number", "text-anchor": "middle" })];
  }

  function reservation({ head, planned, extra, real }, x, y, top, floor, right) {
    const size = JOBS[head][2], until = Math.min(x(planned + estimates[head]), right);
    scene.append(shape("rect", { x: x(planned), y: y(size), width: until - x(planned), height: floor - y(size), class: "reserved" }));
    if (extra > 0) {
      scene.append(shape("rect", { x: x(planned), y: y(size + extra), width: right - x(planned), height: y(size) - y(size + extra), class: "extra" }));
      scene.append(text(`${extra} extra`, right - 4, y(size + extra) + 14, { class: "note", "text-anchor": "end" }));
    }
    for (const [at, look] of [[real, "line-real"], [planned, "line-plan"]]) {
      for (const own of ["halo", look]) scene.append(shape("line", { x1: x(at), x2: x(at), y1: top - 4, y2: floor, class: own }));
    }
    scene.append(text(`reservation of job ${head + 1}`, Math.min(x(planned) + 4, right - 118), top - 18, { class: "note plan" }));
    if (found.start[head] > real) {
      scene.append(shape("rect", { x: x(real), y: top - 11, width: x(found.start[head]) - x(real), height: 8, class: "stolen" }));
    }
  }

  for (const button of section.querySelectorAll(".guesses button")) {
    button.addEventListener("click", () => {
      const { mean } = scheduleOf(Machine, kernel, JOBS.map((job, k) => (k === GUESSED.job ? supposed : job[1])));
      const answer = mean < perfect.mean ? "shorter" : mean > perfect.mean ? "longer" : "the same";
      JOBS.forEach((job, k) => (estimates[k] = job[1]));
      choose(GUESSED.job, supposed, `${button.value === answer ? "Right" : "Not so"}: the mean wait is ${answer}${answer === "the same" ? "" : `, ${duration(mean * HOUR)} in place of ${duration(perfect.mean * HOUR)}`}. Drag the estimates, here or in the sentence above.`);
      handles[GUESSED.job].focus({ preventScroll: true });
    });
  }
  find(".reset").addEventListener("click", () => {
    JOBS.forEach((job, k) => (estimates[k] = job[1]));
    supposed = estimates[GUESSED.job];
    show();
  });
  redraw(picture, draw);
  say();
  if (begin) supposed = estimates[GUESSED.job], show();
}
