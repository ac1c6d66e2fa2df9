// A picture of curves over badness: means, a band, a committed curve, and the place of a slider.

import { scale, shape, text, ticks } from "./drawing.js";

const LEFT = 52, RIGHT = 14, TOP = 14, BOTTOM = 40;

/** Return the picture of a curve of mean waits (min) over f.
 *
 * `points` has mean, p5 and p95 for each f computed; `committed` the same of the published figure,
 * or null; `level` a horizontal line (the users' estimates), or null; `now` has f and a wait, or null.
 */
export function curvePicture({ width, height, fs, points, committed = null, level = null, now = null, title }) {
  const largest = fs.at(-1), shown = points.filter(Boolean);
  const values = [...shown.flatMap((one) => [one.p5, one.p95, one.mean]), ...(committed ?? []).flatMap((one) => [one.p5, one.p95])];
  if (now) values.push(now.wait);
  // A far level would leave no room for the curve.
  const near = level !== null && values.length && level - Math.max(...values) < 1.5 * (Math.max(...values) - Math.min(...values));
  if (near) values.push(level);
  const low = Math.min(...values), high = Math.max(...values), margin = Math.max((high - low) * 0.06, high * 0.01, 0.01);
  const x = scale(0, largest, LEFT, width - RIGHT), y = scale(low - margin, high + margin, height - BOTTOM, TOP);
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  if (!values.length) {
    svg.append(text("…", width / 2, height / 2, { class: "tick", "text-anchor": "middle" }));
    return svg;
  }
  for (const value of ticks(low - margin, high + margin, 5)) {
    svg.append(shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(value), y2: y(value), class: "grid" }));
    svg.append(text(value, LEFT - 7, y(value) + 4, { class: "tick", "text-anchor": "end" }));
  }
  for (const f of ticks(0, largest, width < 500 ? 5 : 10)) svg.append(text(f, x(f), height - BOTTOM + 17, { class: "tick", "text-anchor": "middle" }));
  svg.append(text("badness f", (LEFT + width - RIGHT) / 2, height - 5, { class: "axis", "text-anchor": "middle" }));
  svg.append(text("mean wait [min]", 0, 0, { class: "axis", "text-anchor": "middle", transform: `translate(12,${(TOP + height - BOTTOM) / 2}) rotate(-90)` }));
  const at = (k, value) => `${x(fs[k]).toFixed(1)},${y(value).toFixed(1)}`;
  const lines = (own) => own.map((one, k) => [k, one]).filter(([, one]) => one);
  const band = (own, look) => {
    const some = lines(own);
    const edge = [...some.map(([k, one]) => at(k, one.p95)), ...some.reverse().map(([k, one]) => at(k, one.p5))];
    svg.append(shape("polygon", { points: edge.join(" "), class: look }));
  };
  const line = (own, look) => svg.append(shape("polyline", { points: lines(own).map(([k, one]) => at(k, one.mean)).join(" "), class: look }));
  band(points, "band");
  line(points, "mean");
  if (level !== null && !near) {
    svg.append(text(`the users’ own estimates: ${Math.round(level)} min ↑`, width - RIGHT, TOP + 4, { class: "note real", "text-anchor": "end" }));
  } else if (near) {
    svg.append(shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(level), y2: y(level), class: "level" }));
    svg.append(text("the users’ own estimates", width - RIGHT, y(level) - 6, { class: "note real", "text-anchor": "end" }));
  }
  if (committed) {
    const own = shape("g", { class: "committed" });
    own.append(shape("polyline", { points: lines(committed).map(([k, one]) => at(k, one.p95)).join(" "), class: "committed-edge" }));
    own.append(shape("polyline", { points: lines(committed).map(([k, one]) => at(k, one.p5)).join(" "), class: "committed-edge" }));
    own.append(shape("polyline", { points: lines(committed).map(([k, one]) => at(k, one.mean)).join(" "), class: "committed-mean" }));
    svg.append(own);
  }
  if (now) {
    svg.append(shape("line", { x1: x(now.f), x2: x(now.f), y1: TOP, y2: height - BOTTOM, class: "now" }));
    svg.append(shape("path", { d: `M${x(now.f)},${y(now.wait) - 7} l7,7 l-7,7 l-7,-7 z`, class: "here" }));
  }
  return svg;
}
