// A log at a badness f: its month, the curve of its mean wait, and who pays.

import { curvePicture } from "./axes.js";
import { duration, legendEntry, redraw, signed, tag } from "./drawing.js";
import { busiest, drawMonth } from "./month.js";
import { changes, drawPayers, sentence } from "./payers.js";
import { badness, Campaign, offeredLoad, Runner } from "./runs.js";
import { LEAST, summary, verdict } from "./shapes.js";
import { thousands } from "./swf.js";

export const MOST = 10;
const PAYER_SEEDS = 20, HARDLY = 0.01, DRAGGED = 6;
const KINDS = [["ran", "started in order"], ["mild", "backfilled"], ["wild", "backfilled wildly"], ["queue", "waiting jobs"], ["queue0", "the same at f = 0"]];

/** Copy the words of a `pre` when a button is pressed. */
function copies(button, pre) {
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre);
      button.textContent = "Selected: press Ctrl+C";
    }
  });
}

/** Show a log in two places, both filled from templates; return a function that ends its runs.
 *
 * `steps` of f and `seeds` are those of the curve, `committed` is a curve (s) or null; `lines(f)` returns
 * Python; `moved(part, f)` hears of a new f, and `known` of the first runs: false ends all.
 */
export async function showLog(month, paying, log, { engine, f: begin, steps, seeds, committed = null, lines, moved, known = () => {} }) {
  const find = (name) => month.querySelector(name), pays = (name) => paying.querySelector(name), fs = badness(MOST, steps);
  const runner = new Runner(engine.start, engine.kernel, log);
  let f = begin, now = null, campaign = null, points = [], drawn = [], pen = null, picture = null, started = 0, shownAt = 0, payers = null, turn = 0, busy = false;

  const users = log.hasEstimates ? (await runner.ask("wait", null)).wait : null;
  const exact = await runner.ask("schedule", 0), span = busiest(log.jobs.submit, exact.start);
  if (!exact.jobs) {
    runner.stop();
    throw new Error("No job is measured: each ends after the last submission.");
  }
  const run = log.jobs.runTime.reduce((sum, seconds) => sum + seconds, 0) / log.jobs.runTime.length;
  const hardly = Math.max(exact.wait, users ?? 0) < HARDLY * run;
  if (known({ users, exact, hardly, run }) === false) return () => runner.stop();
  for (const [place, name] of [[month, "month-parts"], [paying, "paying-parts"]]) place.replaceChildren(document.getElementById(name).content.cloneNode(true));
  const bars = [find(".bar"), pays(".bar")];

  find(".machine-legend").append(...KINDS.map((entry) => legendEntry(...entry)));
  const LINES = [["drawn", "your curve"], ["mean", `mean of ${seeds.length} seeds`], ["band", "5th to 95th percentile"], ["committed", "Fig. 4 as committed in the repository"], ["here", "this run"]];
  find(".curve-legend").append(...LINES.filter(([kind]) => committed || kind !== "committed").map((entry) => legendEntry(...entry)));
  find("h3").textContent = `The curve: ${seeds.length} seeds at each of ${fs.length} values of f`;

  /** Take a new f, and simulate it unless a run is under way, which takes it up at its end. */
  async function set(value, part = "month") {
    f = Number(Math.min(Math.max(value, 0), MOST).toFixed(1));
    for (const bar of bars) {
      bar.querySelector("input").value = f;
      bar.querySelector("input").setAttribute("aria-valuetext", `f = ${f}`);
      bar.querySelector(".f").textContent = f.toFixed(1);
    }
    moved(part, f);
    if (busy) return;
    busy = true;
    do {
      const asked = f;
      now = { ...(await runner.ask("schedule", asked)), f: asked };
      sayRun();
      drawMonth(find("canvas"), log, now, exact.start, span);
      drawCurve();
    } while (now.f !== f);
    busy = false;
    if (!hardly) pay();
  }

  function sayRun() {
    const against = exact.wait ? `${signed((100 * (now.wait - exact.wait)) / exact.wait)} % against f = 0; ` : "", wild = now.wild.reduce((sum, one) => sum + one, 0);
    const point = points[Math.round((now.f / MOST) * steps)];
    const seen = point ? ` Over the seeds: mean ${duration(point.mean)}, 5th to 95th percentile ${duration(point.p5)} to ${duration(point.p95)}.` : "";
    find(".wait").textContent = `mean wait ${duration(now.wait)}`;
    find(".run").textContent = `One seed at f = ${now.f}: ${against}${((100 * wild) / now.wild.length).toFixed(1)} % of the jobs backfilled wildly. All ${thousands(now.start.length)} jobs in ${now.took.toFixed(1)} ms.${seen}`;
    find("pre").textContent = lines(now.f, now.wait);
  }

  /** Compare the groups of jobs, a seed at a time, until f changes. */
  async function pay() {
    const own = ++turn, asked = f;
    payers ??= { before: await runner.ask("groups", 0) };
    payers = { ...payers, f: asked, after: [] };
    for (let seed = 1; seed <= (asked > 0 ? PAYER_SEEDS : 1); seed++) {
      const { waits } = await runner.ask("groups", asked, seed);
      if (own !== turn || asked !== f) return;
      payers.after.push(waits);
      drawPayers(pays(".picture"), payers);
    }
    pays(".wait").textContent = `mean of ${payers.after.length} seeds ${duration(changes(payers).after[0])}`;
    pays(".said").textContent = sentence(payers);
  }

  function drawCurve() {
    const place = find(".curve"), width = place.clientWidth;
    if (!now || !width) return;
    const ended = campaign && (campaign.finished || campaign.stopped), best = lowest(points);
    const title = best ? `Mean wait over badness f: ${duration(exact.wait)} at f = 0; lowest at f = ${best.f}, ${duration(best.mean)}.` : "Mean wait over badness f, not computed yet. Left and right move f, up and down draw the curve that you expect.";
    picture = curvePicture({ width, height: width < 560 ? 280 : 340, fs, points, committed: ended ? committed : null, drawn, users, now, first: exact.wait, fromZero: hardly, title });
    place.replaceChildren(picture.svg);
    find(".erase").hidden = !drawn.length;
  }

  /** Return the f and the mean of the lowest point of a curve; null if it has no point. */
  function lowest(curve) {
    const some = curve.map((point, k) => (point ?? null) === null ? null : { f: fs[k], mean: point.mean ?? point }).filter(Boolean);
    return some.length ? some.reduce((best, point) => (point.mean < best.mean ? point : best)) : null;
  }

  /** Draw the reader's curve up to a place, straight from the last one. */
  function draw(value, wait) {
    const k = Math.round((value / MOST) * steps), from = pen.last ?? { k, wait }, way = Math.abs(k - from.k);
    for (let step = 0; step <= way; step++) drawn[from.k + Math.sign(k - from.k) * step] = from.wait + ((wait - from.wait) * step) / (way || 1);
    pen.last = { k, wait };
    drawCurve();
  }

  const curve = find(".curve"), place = (event) => {
    const box = curve.getBoundingClientRect();
    return [picture.fAt(event.clientX - box.left), picture.waitAt(event.clientY - box.top)];
  };
  curve.addEventListener("pointerdown", (event) => {
    if (!picture || event.button) return;
    curve.setPointerCapture(event.pointerId);
    pen = { from: event.clientX };
  });
  curve.addEventListener("pointermove", (event) => {
    if (!pen || !curve.hasPointerCapture(event.pointerId) || (!pen.drags && Math.abs(event.clientX - pen.from) < DRAGGED)) return;
    pen.drags = true;
    if (campaign) set(place(event)[0]);
    else draw(...place(event));
  });
  curve.addEventListener("pointerup", (event) => {
    if (pen && !pen.drags) set(place(event)[0]);
    pen = null;
  });
  curve.addEventListener("pointercancel", () => (pen = null));
  let keyed = null;
  curve.addEventListener("keydown", (event) => {
    const [right, up] = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[event.key] ?? [0, 0];
    if (!(right || up) || !picture) return;
    event.preventDefault();
    if (right) return set(f + 0.5 * right);
    if (campaign) return;
    const at = Math.round((f / MOST) * steps), wait = drawn[at] ?? keyed?.wait ?? exact.wait;
    pen = { last: keyed ?? { k: 0, wait: exact.wait } };
    draw(f, Math.max(0, wait + 0.02 * up * exact.wait));
    [keyed, pen] = [pen.last, null];
  });

  function update(force = false) {
    if (!force && performance.now() - shownAt < 60 && !campaign.finished) return;
    shownAt = performance.now();
    points = campaign.waits.map((waits) => (waits.size ? summary([...waits.values()]) : null));
    const ended = campaign.finished || campaign.stopped;
    find("progress").value = campaign.done / campaign.total;
    find(".progress").textContent = campaign.problem || `${thousands(campaign.done)} of ${thousands(campaign.total)} runs of ${thousands(log.jobs.submit.length)} jobs in ${((performance.now() - started) / 1000).toFixed(1)} s`;
    find(".stop").hidden = ended;
    find(".begin").hidden = !ended || campaign.finished;
    if (ended) judge();
    drawCurve();
  }

  /** Say the shape of the curve, how it compares with the drawn one, and whether it is the committed one. */
  function judge() {
    const { seeds: complete, runs } = campaign.complete(), said = [verdict(fs, runs, engine.none, complete.length, seeds.length)];
    const mine = lowest(Array.from(drawn)), best = lowest(points);
    if (mine && complete.length >= LEAST) said.push(`Your curve is lowest at f = ${mine.f}, ${duration(mine.mean)}; the computed one at f = ${best.f}, ${duration(best.mean)}.`);
    if (committed && campaign.finished) {
      const most = Math.max(...points.map(({ mean }, k) => Math.abs(mean - committed[k].mean)));
      said.push(most < 0.06 ? "The means are those of the committed figure, to every printed digit." : `The means differ from the committed figure by up to ${most.toFixed(1)} s. Please report this.`);
    }
    find(".verdict").replaceChildren(...said.map((words) => tag("p", {}, words)));
  }

  find(".begin").addEventListener("click", () => {
    points = [];
    find(".verdict").replaceChildren();
    started = performance.now();
    campaign = new Campaign(engine.start, engine.kernel, log, fs, seeds, () => update());
    find("progress").hidden = false;
    update(true);
  });
  find(".stop").addEventListener("click", () => (campaign.stop(), update(true)));
  find(".erase").addEventListener("click", () => ((drawn = []), (keyed = null), drawCurve()));
  copies(find(".copy"), find("pre"));
  for (const [bar, part] of [[bars[0], "month"], [bars[1], "payers"]]) bar.querySelector("input").addEventListener("input", (event) => set(Number(event.target.value), part));
  await set(f, "");
  redraw(find(".month"), () => drawMonth(find("canvas"), log, now, exact.start, span));
  redraw(curve, drawCurve);
  redraw(pays(".picture"), () => payers?.after.length && drawPayers(pays(".picture"), payers));
  return () => (runner.stop(), campaign?.stop());
}

/** Return the sentence for a log whose jobs hardly wait. */
export function hardlyWaits({ exact, users, run }, log) {
  const load = offeredLoad(log), at = Number.isFinite(load) ? ` at this load of ${(100 * load).toFixed(0)} %` : "";
  if (Math.max(users ?? 0, exact.wait) === 0) return `No job waits${at}, so estimates cannot matter.`;
  const wait = users === null ? `${duration(exact.wait)} with perfect estimates` : `${duration(users)} with users’ estimates and ${duration(exact.wait)} with perfect ones`;
  return `The mean wait is ${wait}, the mean run time ${duration(run)}: jobs hardly wait${at}, so estimates cannot matter.`;
}
