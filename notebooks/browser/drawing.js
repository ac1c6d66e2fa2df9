// Pictures in SVG: elements, scales, axes and the looks of the explorer (notebooks/explorer/pictures.py).

const SVG = "http://www.w3.org/2000/svg";

/** Return an SVG element. */
export function shape(name, attributes = {}, ...children) {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null) element.setAttribute(key, value);
  }
  element.append(...children);
  return element;
}

/** Return an HTML element. */
export function tag(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

export function text(words, x, y, attributes = {}) {
  return shape("text", { x, y, ...attributes }, words);
}

/** Return a linear scale from values to places. */
export function scale(low, high, from, to) {
  return (value) => from + ((value - low) / (high - low)) * (to - from);
}

/** Return round values between two, about `count` of them. */
export function ticks(low, high, count) {
  const rough = (high - low) / count, unit = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 2.5, 5, 10].map((one) => one * unit).find((one) => one >= rough * 0.999);
  const values = [];
  for (let k = Math.ceil(low / step - 1e-9); k * step <= high + 1e-9 * step; k++) values.push(Number((k * step).toFixed(10)));
  return values;
}

/** The hatches of boxes by kind; each picture needs its own. */
export function hatches(prefix) {
  const lines = { mild: "M-1,1 l2,-2 M0,6 l6,-6 M5,7 l2,-2", wild: "M-1,5 l2,2 M0,0 l6,6 M5,-1 l2,2" };
  const own = Object.entries(lines).map(([kind, d]) => shape(
    "pattern", { id: `${prefix}-${kind}`, width: 6, height: 6, patternUnits: "userSpaceOnUse" },
    shape("rect", { width: 6, height: 6, class: `fill-${kind}` }), shape("path", { d, class: "hatch" }),
  ));
  const dots = shape(
    "pattern", { id: `${prefix}-believed`, width: 5, height: 5, patternUnits: "userSpaceOnUse" },
    shape("rect", { width: 5, height: 5, class: "fill-believed" }), shape("circle", { cx: 2, cy: 2, r: 0.8, class: "dot" }),
  );
  return shape("defs", {}, ...own, dots);
}

/** Return an entry of a legend: a box or a line of a class, and words. */
export function legendEntry(kind, words) {
  const mark = tag("span", { class: `mark mark-${kind}`, "aria-hidden": "true" });
  return tag("span", { class: "entry" }, mark, words);
}

/** Call `draw` with the width of an element now, and whenever the width or the colours change. */
export function redraw(element, draw) {
  let width = 0;
  const ask = () => {
    width = element.clientWidth;
    if (width) draw(width);
  };
  new ResizeObserver(() => element.clientWidth !== width && ask()).observe(element);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ask);
  ask();
  return ask;
}

export function colour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

/** Return a time in seconds below two minutes, else in hours and minutes. */
export function duration(seconds) {
  const sign = seconds < 0 ? "−" : "", minutes = Math.round(Math.abs(seconds) / 60);
  if (Math.abs(seconds) < 120) return `${sign}${Number(Math.abs(seconds).toPrecision(seconds < 10 ? 2 : 3))} s`;
  if (minutes < 60) return `${sign}${minutes} min`;
  const hours = Math.floor(minutes / 60);
  return hours < 100 ? `${sign}${hours} h ${String(minutes % 60).padStart(2, "0")} min` : `${sign}${Math.round(minutes / 60)} h`;
}

export function signed(number, digits = 1) {
  const words = Math.abs(number).toFixed(digits);
  return Number(words) === 0 ? words : (number > 0 ? "+" : "−") + words;
}
