// A picture of curves over badness: means, a band, a committed curve, a drawn one, and the place of a slider.

import { scale, shape, text, ticks } from "./drawing.js";

const LEFT = 56, RIGHT = 14, TOP = 14, BOTTOM = 40, MINUTE = 60, HOUR = 3600;

/** Return the range of an axis for some waits (s): from 0 if they vary by half of the largest, or `fromZero`. */
function range(values, fromZero) {
  const low = Math.min(...values), high = Math.max(...values, 1); // of waits below a second nothing is seen
  if (fromZero || low < high / 2) return [0, 1.08 * high];
  const margin = Math.max(0.06 * (high - low), 0.01 * high);
  return [low - margin, high + margin];
}

/** Return the picture of a curve of mean waits (s) over f, and the f and the wait (s) of a place in it.
 *
 * `points` has mean, p5 and p95 for each f computed; `committed` the same of the published figure,
 * or null; `drawn` a wait for each f that the reader has drawn; `users` the wait with the users'
 * estimates, or null; `now` has f and a wait. Until there are points the axis leaves room to draw.
 */
export function curvePicture({ width, height, fs, points, committed = null, drawn = [], users = null, now, first, fromZero = false, title }) {
  const largest = fs.at(-1), shown = points.filter(Boolean), guesses = drawn.filter((wait) => wait !== undefined);
  const values = [now.wait, ...(shown.length ? [] : [first]), ...shown.flatMap((point) => [point.p5, point.p95, point.mean])];
  values.push(...(committed ?? []).flatMap((point) => [point.p5, point.p95]), ...(shown.length ? guesses : []));
  const [least, most] = [Math.min(...values), Math.max(...values)];
  // Far users' estimates would leave no room for the curve.
  const near = users !== null && (!shown.length || users - most < 1.5 * (most - least));
  if (near) values.push(users);
  const [low, high] = shown.length ? range(values, fromZero) : [0, 1.5 * Math.max(...values, 1)];
  const [unit, name] = high < 3 * MINUTE ? [1, "s"] : high < 20 * HOUR ? [MINUTE, "min"] : [HOUR, "h"];
  const x = scale(0, largest, LEFT, width - RIGHT), y = scale(low, high, height - BOTTOM, TOP);
  const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": title });
  for (const value of ticks(low / unit, high / unit, 5)) {
    svg.append(shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(value * unit), y2: y(value * unit), class: "grid" }));
    svg.append(text(value, LEFT - 7, y(value * unit) + 4, { class: "tick", "text-anchor": "end" }));
  }
  for (const f of ticks(0, largest, width < 500 ? 5 : 10)) svg.append(text(f, x(f), height - BOTTOM + 17, { class: "tick", "text-anchor": "middle" }));
  svg.append(text("badness f", (LEFT + width - RIGHT) / 2, height - 5, { class: "axis", "text-anchor": "middle" }));
  svg.append(text(`mean wait [${name}]`, 0, 0, { class: "axis", "text-anchor": "middle", transform: `translate(12,${(TOP + height - BOTTOM) / 2}) rotate(-90)` }));
  if (low > 0) svg.append(text("the axis does not start at 0", LEFT + 4, height - BOTTOM - 6, { class: "note" }));
  const lines = (curve) => Array.from(curve, (point, k) => [k, point]).filter(([, point]) => point);
  const line = (curve, value, look) => svg.append(shape("polyline", { points: lines(curve).map(([k, point]) => `${x(fs[k]).toFixed(1)},${y(point[value]).toFixed(1)}`).join(" "), class: look }));
  const edges = [...lines(points).map(([k, point]) => [k, point.p95]), ...lines(points).reverse().map(([k, point]) => [k, point.p5])];
  svg.append(shape("polygon", { points: edges.map(([k, wait]) => `${x(fs[k]).toFixed(1)},${y(wait).toFixed(1)}`).join(" "), class: "band" }));
  line(points, "mean", "mean");
  if (near) {
    svg.append(shape("line", { x1: LEFT, x2: width - RIGHT, y1: y(users), y2: y(users), class: "level" }));
    svg.append(text("users’ estimates", width - RIGHT, y(users) - 6, { class: "note real", "text-anchor": "end" }));
  } else if (users !== null) {
    svg.append(text(`users’ estimates: ${Math.round(users / unit)} ${name} ↑`, width - RIGHT, TOP + 4, { class: "note real", "text-anchor": "end" }));
  }
  for (const [value, look] of committed ? [["p95", "committed-edge"], ["p5", "committed-edge"], ["mean", "committed-mean"]] : []) line(committed, value, look);
  line(Array.from(drawn, (wait) => wait !== undefined && { wait }), "wait", "drawn");
  svg.append(shape("line", { x1: x(now.f), x2: x(now.f), y1: TOP, y2: height - BOTTOM, class: "now" }));
  if (!shown.length) svg.append(shape("circle", { cx: x(0), cy: y(first), r: 4, class: "mean-point" }));
  svg.append(shape("path", { d: `M${x(now.f)},${y(now.wait) - 7} l7,7 l-7,7 l-7,-7 z`, class: "here" }));
  const inside = (value, least, most) => Math.min(Math.max(value, least), most);
  return {
    svg,
    fAt: (place) => inside(((place - LEFT) / (width - RIGHT - LEFT)) * largest, 0, largest),
    waitAt: (place) => inside(low + ((height - BOTTOM - place) / (height - BOTTOM - TOP)) * (high - low), low, high),
  };
}
