// The shape of a curve over badness by the rule of docs/verdicts.md (notebooks/heel_and_toe/trends.py).

export const LEVEL = 0.95;
export const LEAST = 10; // seeds of a verdict
const NAMES = { V: "a V", L: "an L", rising: "rising", flat: "flat" };
const SHAPES = { 11: "V", 10: "L", "01": "rising", "00": "flat" };

/** Return the natural logarithm of the gamma function at a positive multiple of one half. */
function logGamma(x) {
  let sum = 0;
  for (; x < 20; x++) sum -= Math.log(x);
  const y = 1 / (x * x);
  return sum + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + (1 / 12 - y * (1 / 360 - y / 1260)) / x;
}

/** Return the quantile of Student's distribution for a share above one half. */
export function studentQuantile(share, freedom) {
  const scale = Math.exp(logGamma((freedom + 1) / 2) - logGamma(freedom / 2)) / Math.sqrt(Math.PI);
  // With t = sqrt(freedom) tan(a) the density is scale * cos(a) ** (freedom - 1).
  const share0 = (angle) => {
    const steps = 400, width = angle / steps; // Simpson's rule
    let sum = 1 + Math.cos(angle) ** (freedom - 1);
    for (let k = 1; k < steps; k++) sum += (k % 2 ? 4 : 2) * Math.cos(k * width) ** (freedom - 1);
    return 0.5 + (scale * sum * width) / 3;
  };
  let low = 0, high = Math.PI / 2;
  for (let k = 0; k < 50; k++) {
    const middle = (low + high) / 2;
    if (share0(middle) < share) low = middle;
    else high = middle;
  }
  return Math.sqrt(freedom) * Math.tan((low + high) / 2);
}

const mean = (values) => values.reduce((sum, one) => sum + one, 0) / values.length;

/** Return mean, standard error and percentiles of the runs at one f. */
export function summary(values) {
  const centre = mean(values), sorted = [...values].sort((a, b) => a - b);
  const spread = Math.sqrt(values.reduce((sum, one) => sum + (one - centre) ** 2, 0) / (values.length - 1));
  const percentile = (share) => {
    const at = share * (sorted.length - 1), k = Math.floor(at);
    return sorted[k] + (at - k) * ((sorted[k + 1] ?? sorted[k]) - sorted[k]);
  };
  return { mean: centre, error: spread / Math.sqrt(values.length), p5: percentile(0.05), p95: percentile(0.95), runs: values.length };
}

/** Return the shape of a curve: `runs` has, for each f, the results of seeds 1, 2, ... */
export function shapeOf(fs, runs, none) {
  const seeds = runs[0].length;
  const width = studentQuantile((1 + LEVEL ** (1 / fs.length)) / 2, seeds - 1);
  const found = runs.map((values) => {
    const { mean: centre, error } = summary(values);
    return {
      mean: centre, low: centre - width * error, high: centre + width * error,
      odd: mean(values.filter((_, k) => k % 2 === 0)), even: mean(values.filter((_, k) => k % 2 === 1)),
    };
  });
  const lowest = (column) => found.reduce((best, one, k) => (one[column] < found[best][column] ? k : best), 0);
  const unit = Math.abs(found[0].mean) / 100, turns = {};
  for (const [name, place] of [["fall", 0], ["rise", found.length - 1]]) {
    const half = (measured, chooser) => found[place][measured] - found[lowest(chooser)][measured];
    const value = (half("even", "odd") + half("odd", "even")) / 2;
    const least = (column) => Math.min(...found.map((one) => one[column]));
    turns[name] = Math.max(value / unit, 0);
    turns[`${name}Low`] = (found[place].low - least("high")) / unit;
    turns[`${name}High`] = (found[place].high - least("low")) / unit;
  }
  const key = `${Number(turns.fall > none)}${Number(turns.rise > none)}`;
  return { shape: SHAPES[key], minimumAt: fs[lowest("mean")], ...turns };
}

/** Return the words on the shape of a curve, of `complete` of `total` seeds: all shapes that the bands allow, that of the means first. */
export function verdict(fs, runs, none, complete, total) {
  if (complete < LEAST) return `Stopped with ${complete} of ${total} seeds complete; a verdict needs ${LEAST}.`;
  if (runs.every((values) => values.every((wait) => wait === 0))) return "Flat: no job waits, whatever the estimates.";
  const found = shapeOf(fs, runs, none), percent = (value) => `${value.toFixed(1).replace("-", "−")} %`;
  const sides = ["fall", "rise"].map((turn) => {
    const side = found[turn] > none, sure = side ? found[`${turn}Low`] > none : found[`${turn}High`] <= none;
    return { turn, allowed: sure ? [side] : [side, !side] };
  });
  const [falls, rises] = sides.map(({ allowed }) => allowed);
  const shapes = falls.flatMap((fall) => rises.map((rise) => NAMES[SHAPES[`${Number(fall)}${Number(rise)}`]]));
  const last = shapes.pop(), names = shapes.length ? `${shapes.join(", ")} or ${last}` : last;
  const turn = (name) => `${percent(found[name])} (band ${percent(found[`${name}Low`])} to ${percent(found[`${name}High`])})`;
  const open = sides.filter(({ allowed }) => allowed.length > 1).map(({ turn: name }) => `${name}s`);
  const sure = open.length ? `Whether it ${open.join(" and ")} by more than ${none} % is not sure.` : "";
  const part = complete < total ? `These are ${complete} of ${total} seeds.` : "";
  const words = `${names}: the mean wait falls by ${turn("fall")} to its lowest, at f = ${found.minimumAt}, and rises by ${turn("rise")} behind it.`;
  return [words[0].toUpperCase() + words.slice(1), sure, part].filter(Boolean).join(" ");
}
