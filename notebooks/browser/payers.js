// Which groups of jobs wait shorter at f than at f = 0, and which wait longer.

import { duration, scale, shape, signed, text, ticks } from "./drawing.js";
import { LENGTHS, LONGEST_WAITS } from "./groups.js";
import { thousands } from "./swf.js";

/** Return names, counts, waits (s) before and after, and changes (%, also of each seed) of the groups that have waits at f = 0. */
export function changes({ before, after }) {
  const kept = before.waits.map((wait, k) => k).filter((k) => before.waits[k] > 0 && after.every((waits) => Number.isFinite(waits[k])));
  const mean = (k) => after.reduce((sum, waits) => sum + waits[k], 0) / after.length, change = (wait, k) => (100 * (wait - before.waits[k])) / before.waits[k];
  return {
    names: kept.map((k) => before.names[k] ?? LONGEST_WAITS), counts: kept.map((k) => before.counts[k]),
    before: kept.map((k) => before.waits[k]), after: kept.map(mean), change: kept.map((k) => change(mean(k), k)),
    seeds: kept.map((k) => after.map((waits) => change(waits[k], k)).sort((a, b) => a - b)),
  };
}

/** Return a sentence on the groups that gain and those that pay. */
export function sentence(payers) {
  const { names, change } = changes(payers), lengths = LENGTHS.map(([name]) => name);
  const list = (chosen) => {
    const runTimes = chosen.filter((name) => lengths.includes(name)), others = chosen.filter((name) => !lengths.includes(name));
    return [...others, ...(runTimes.length ? [`run times ${runTimes.join(", ")}`] : [])].join("; ") || "none";
  };
  return payers.f === 0
    ? "At f = 0 all estimates are perfect: nobody gains or pays. Move f."
    : `At f = ${payers.f}, means over ${payers.after.length} seeds against f = 0. Shorter waits: ${list(names.filter((_, k) => change[k] < -1))}. Longer waits: ${list(names.filter((_, k) => change[k] > 1))}.`;
}

/** Draw the changes of all groups in an element. */
export function drawPayers(place, payers) {
  const { names, counts, before, after, change, seeds } = changes(payers), width = place.clientWidth;
  if (!width) return;
  const narrow = width < 560, row = narrow ? 44 : 30, left = narrow ? 8 : 186, right = width - (narrow ? 8 : 190), top = 26;
  const height = top + names.length * row + 26, most = Math.max(10, ...change.map(Math.abs), ...seeds.flat().map(Math.abs));
  const x = scale(-most, most, left, right);
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `Change of the mean wait at f = ${payers.f} by group of jobs: ${names.map((name, k) => `${name} ${signed(change[k])} %`).join("; ")}` });
  svg.append(text(narrow ? "← shorter" : "← wait shorter", x(0) - 8, 13, { class: "note", "text-anchor": "end" }), text(narrow ? "longer →" : "wait longer →", x(0) + 8, 13, { class: "note" }));
  svg.append(text("jobs by run time", narrow ? left : left - 12, 13, { class: "note", "text-anchor": narrow ? "start" : "end" }));
  for (const value of ticks(-most, most, narrow ? 4 : 6)) {
    svg.append(shape("line", { x1: x(value), x2: x(value), y1: top, y2: height - 24, class: value ? "grid" : "zero" }));
    svg.append(text(`${signed(value, 0)} %`, x(value), height - 8, { class: "tick", "text-anchor": "middle" }));
  }
  names.forEach((name, k) => {
    const line = top + k * row, middle = line + (narrow ? 30 : row / 2), sorted = seeds[k];
    const count = counts[k] ? `${thousands(counts[k])} jobs` : "", numbers = `${duration(before[k])} → ${duration(after[k])}`;
    if (narrow) {
      svg.append(text(name, left, line + 15, { class: "name" }), text(numbers, right, line + 15, { class: "tick", "text-anchor": "end" }));
    } else {
      svg.append(text(name, left - 12, middle + (count ? -1 : 4), { class: "name", "text-anchor": "end" }));
      if (count) svg.append(text(count, left - 12, middle + 12, { class: "tick", "text-anchor": "end" }));
      svg.append(text(numbers, right + 12, middle + 4, { class: "tick" }));
    }
    const from = Math.min(x(0), x(change[k])), long = Math.abs(x(change[k]) - x(0));
    svg.append(shape("rect", { x: from, y: middle - 8, width: Math.max(long, 0.5), height: 16, class: change[k] < 0 ? "gain" : "loss" }));
    if (sorted.length > 4) svg.append(shape("line", { x1: x(sorted[Math.floor(0.05 * sorted.length)]), x2: x(sorted[Math.ceil(0.95 * sorted.length) - 1]), y1: middle, y2: middle, class: "whisker" }));
  });
  place.replaceChildren(svg);
}
