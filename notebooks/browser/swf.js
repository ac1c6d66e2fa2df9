// Read a job log in the Standard Workload Format by the package's rules (logs/swf.py, logs/cleaning.py).

import { fingerprint, hex, longSha256 } from "./random.js";

const FIELDS = [
  "job_id", "submit", "wait", "run_time", "allocated_processors", "cpu_time", "used_memory",
  "requested_processors", "requested_time", "requested_memory", "status", "user", "group",
  "executable", "queue", "partition", "preceding_job", "think_time",
];
const PLACE = Object.fromEntries(FIELDS.map((name, k) => [name, k]));
const DECIMAL = new Set(["cpu_time", "used_memory", "requested_memory"]);
const KNOWN = new Set(["job_id", "submit"]);
const UNUSED = ["cpu_time", "used_memory", "requested_memory", "partition", "think_time"];
const IN_SECONDS = new Set(["submit", "wait", "run_time", "requested_time", "think_time"]);
const LABELS = "MaxProcs|MaxNodes|MaxJobs|MaxRecords|UnixStartTime|StartTime|EndTime";
const LABEL = new RegExp(`^(?: ?([A-Z][\\p{L}\\p{N}_]*):\\s*(.*)|\\s*(${LABELS}):\\s*(.*))`, "u");
const NUMBER = /^(-?)([0-9]*)(?:\.([0-9]*))?(?:[eE]([+-]?[0-9]{1,2}))?$/;
const MOST = 10n ** 18n, LONGEST = 10_000; // a value, and characters of a number
const MOST_BYTES = 2 ** 31, HEAD = 2 ** 16; // of a file, and of it what shows its kind
const LATEST = 2 ** 39 - 1, AT_ONCE = 2 ** 24 - 1; // the kernel's
const MORE_WORK = 1.05, FAR = 1.1, FEW = 0.01, TOO_MANY = 1.01, FEW_IN_USE = 0.5;

/** A log that cannot be used: one line; `remedy` is an option of `readLog` that helps, perhaps with a likely `value`. */
export class LogError extends Error {
  constructor(message, remedy = "", value = "") {
    super(message);
    Object.assign(this, { remedy, value });
  }
}

/** Compressed files that the package reads and browsers do not, by their first bytes. */
const PACKED = { xz: "fd377a585a", bzip2: "425a68" };

/** Return the decompressed bytes of a file, gzipped or not. */
export async function unpack(bytes, name) {
  const begin = hex(bytes.subarray(0, 5)), kind = Object.keys(PACKED).find((one) => begin.startsWith(PACKED[one]));
  if (kind) throw new LogError(`${name}: compressed by ${kind}; decompress it, or compress it by gzip`);
  if (bytes[0] !== 0x1f || bytes[1] !== 0x8b) return bytes;
  const parts = [];
  let length = 0;
  try {
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    const reader = stream.getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      if ((length += value.length) > MOST_BYTES) throw new LogError(`${name}: too large; allowed: up to 2,048 MiB decompressed`);
    }
  } catch (error) {
    if (error instanceof LogError) throw error;
    const cut = /trunc|unexpected end|incomplete/i.test(`${error.message} ${error.cause?.message}`);
    throw new LogError(`${name}: the gzip is ${cut ? "truncated" : "damaged"}`);
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const part of parts) whole.set(part, at), (at += part.length);
  return whole;
}

/** A value of a line that cannot be a job. */
class BadLine {
  constructor(kind, words) {
    this.kind = kind;
    this.words = words;
  }
}

/** Columns of a log while it is read; numbers of jobs, users and so on are exact, to 64 bits. */
class Columns {
  constructor() {
    this.n = 0;
    this.room = 1 << 14;
    this.exact = {};
    this.plain = {};
    for (const name of ["job_id", "user", "group", "executable", "queue"]) this.exact[name] = new BigInt64Array(this.room);
    for (const name of ["submit", "wait", "run_time", "allocated_processors", "requested_processors", "requested_time", "status", "partition", "line"]) {
      this.plain[name] = new Float64Array(this.room);
    }
    this.halves();
  }

  halves() {
    this.words = Object.entries(this.exact).map(([name, column]) => [PLACE[name], new Int32Array(column.buffer)]);
    this.numbers = Object.entries(this.plain).filter(([name]) => name !== "line").map(([name, column]) => [PLACE[name], column]);
  }

  grow() {
    this.room *= 2;
    for (const [name, column] of Object.entries(this.exact)) (this.exact[name] = new BigInt64Array(this.room)).set(column);
    for (const [name, column] of Object.entries(this.plain)) (this.plain[name] = new Float64Array(this.room)).set(column);
    this.halves();
  }

  /** Add a line; its values are numbers, or BigInt where they exceed 53 bits. */
  add(values, line) {
    if (this.n === this.room) this.grow();
    const k = this.n++;
    for (const [place, words] of this.words) {
      const value = values[place];
      if (typeof value === "bigint") {
        words[2 * k] = Number(BigInt.asIntN(32, value));
        words[2 * k + 1] = Number(BigInt.asIntN(32, value >> 32n));
      } else {
        words[2 * k] = value;
        words[2 * k + 1] = Math.floor(value / 2 ** 32);
      }
    }
    for (const [place, column] of this.numbers) column[k] = Number(values[place]);
    this.plain.line[k] = line;
  }
}

/** Return the jobs of a file's bytes (decompressed) and what is known of them.
 *
 * `names` has the names of registered logs by hash, `kinds` the patterns of other files and what to do
 * with them, of the package's reader. Options: `machine` (processors), `badLines`
 * and `larger` ("skip": leave out what cannot be a job, and jobs larger than the machine), `times`
 * ("round" fractions of seconds), and `smaller` ("accept" a machine smaller than what was in use).
 */
export async function readLog(bytes, name, names = {}, options = {}, kinds = []) {
  if (bytes.length > MOST_BYTES) throw new LogError(`${name}: too large; allowed: up to 2,048 MiB decompressed`);
  return workload(parse(bytes, name, options, kinds), name, names, options);
}

/** Return what a file is that is not SWF, and what to do with it; "" if its kind is unknown (logs/kinds.py). */
function kindOf(bytes, kinds) {
  const text = Array.from(bytes.subarray(0, HEAD), (byte) => String.fromCharCode(byte)).join("");
  const head = text.replace(/^\xef\xbb\xbf/, "").replaceAll("\r\n", "\n").replace(/^[\t\n\r ]+/, "");
  return kinds.find(([pattern, flags]) => new RegExp(pattern, flags).test(head))?.[2] ?? "";
}

function parse(bytes, name, { badLines, times }, kinds) {
  const columns = new Columns(), comments = [], bad = new Map(), anomalies = new Map();
  const lineOf = new Map(), values = new Array(18), from = new Int32Array(1 << 12), to = new Int32Array(1 << 12);
  const decoder = new TextDecoder("utf-8", { ignoreBOM: true });
  const count = (counts, kind) => counts.set(kind, (counts.get(kind) ?? 0) + 1);
  let at = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
  let number = 0, width = 18, problem = "", parts = 0, dependent = 0;
  while (at < bytes.length) {
    let end = bytes.indexOf(10, at);
    if (end < 0) end = bytes.length;
    const next = end + 1;
    number++;
    if (end > at && bytes[end - 1] === 13) end--;
    while (at < end && (bytes[at] === 32 || bytes[at] === 9)) at++;
    if (at === end) { at = next; continue; }
    if (bytes[at] === 59) {
      comments.push(comment(bytes.subarray(at + 1, end)));
      at = next;
      continue;
    }
    while (end > at && (bytes[end - 1] === 32 || bytes[end - 1] === 9)) end--;
    // Plain numbers, of at most 15 digits, are read here; the rest is text.
    let tokens = 0, plain = true, value = 0, digits = 0, negative = false;
    from[0] = at;
    for (let k = at; k <= end; k++) {
      const byte = k < end ? bytes[k] : 32;
      if (byte >= 48 && byte <= 57) {
        value = 10 * value + byte - 48;
        digits++;
      } else if (byte === 32 || byte === 9) {
        if (k > from[tokens]) {
          if (digits === 0 || digits > 15 || (negative && value !== 1)) plain = false;
          if (tokens < 18) values[tokens] = negative ? -1 : value;
          to[tokens] = k;
          if (++tokens === from.length) break;
        }
        from[tokens] = k + 1;
        value = digits = 0;
        negative = false;
      } else if (byte === 46 && digits > 0 && (tokens === 5 || tokens === 6 || tokens === 9) && !negative) {
        value = 0; // decimals of fields that are not used
        digits = 1;
      } else if (byte === 45 && digits === 0 && !negative && k === from[tokens]) {
        negative = true;
      } else {
        plain = false;
        digits = 1;
      }
    }
    if (columns.n === 0) width = Math.max(18, tokens);
    const unknown = values[0] < 0 || values[1] < 0;
    let isPart = false;
    if (!plain || tokens !== width || unknown || lineOf.has(values[0])) {
      const texts = [];
      for (let k = 0; k < tokens; k++) texts.push(decoder.decode(bytes.subarray(from[k], to[k])));
      try {
        isPart = slowLine(texts, tokens, width, lineOf, anomalies, values, times);
      } catch (wrong) {
        if (!(wrong instanceof BadLine)) throw wrong;
        count(bad, wrong.kind);
        problem ||= `, line ${number}${wrong.words}`;
        at = next;
        continue;
      }
    }
    at = next;
    if (isPart) { parts++; continue; }
    columns.add(values, number);
    lineOf.set(values[0], number);
    if (values[16] > 0) dependent++;
  }
  const badCount = [...bad.values()].reduce((sum, one) => sum + one, 0);
  if (columns.n === 0 && badCount === 0) {
    throw new LogError(`${name}: no jobs, ${comments.length ? "only comments" : "an empty file"}; a job is a line of 18 numbers`);
  }
  if (columns.n === 0 || (badCount && badLines !== "skip")) {
    const counts = [...bad].map(([kind, lines]) => `${thousands(lines)} ${kind}`).join(", ");
    const total = badCount + columns.n + parts;
    if (columns.n === 0 && [...bad.keys()].every((kind) => kind === "wrong-columns" || kind === "not-a-number")) {
      const kind = kindOf(bytes, kinds);
      throw new LogError(kind ? `${name}: not SWF, but ${kind}` : `${name}: this is not SWF; a job is a line of 18 numbers`);
    }
    const remedy = bad.has("fraction-of-second") ? "times" : columns.n ? "badLines" : "";
    throw new LogError(`${name}${problem}; ${thousands(badCount)} of ${thousands(total)} lines cannot be jobs: ${counts}`, remedy);
  }
  if (dependent) anomalies.set("preceding-job-ignored", dependent);
  return { columns, header: labels(comments), bad, anomalies, sha256: async () => hex(await longSha256(bytes)) };
}

function comment(bytes) {
  let end = bytes.length;
  while (end && bytes[end - 1] === 13) end--;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, end));
  } catch {
    return Array.from(bytes.subarray(0, end), (byte) => String.fromCharCode(byte)).join("");
  }
}

/** Return the values of each label of the header. */
function labels(comments) {
  const values = new Map();
  let last = null;
  for (const text of comments) {
    const found = LABEL.exec(text);
    if (found) {
      const label = found[1] ?? found[3];
      if (!values.has(label)) values.set(label, []);
      (last = values.get(label)).push((found[2] ?? found[4] ?? "").trim());
    } else if (last && /^\s/.test(text) && text.trim()) {
      last[last.length - 1] += `\n${text.trim()}`;
    }
  }
  return values;
}

/** Read a line of texts into `values`; return whether it is a partial execution. */
function slowLine(texts, tokens, width, lineOf, anomalies, values, times) {
  if (tokens !== width) {
    throw new BadLine("wrong-columns", `: ${tokens} columns; allowed: ${width > 18 ? `${width}, as in the first job` : 18}`);
  }
  const first = texts[0].replace(/^0+/, "");
  const known = /^[0-9]{1,18}$/.test(first) && lineOf.has(small(BigInt(first)));
  const isPart = ["2", "3", "4"].includes(texts[10]) && known;
  const unreadable = [];
  for (const name of UNUSED) {
    try {
      valueOf(name, texts[PLACE[name]], 0, false);
    } catch {
      unreadable.push(name);
      texts[PLACE[name]] = "-1";
    }
  }
  if (times === "round") wholeSeconds(texts, anomalies);
  for (let k = 0; k < 18; k++) values[k] = valueOf(FIELDS[k], texts[k], k + 1, isPart);
  if (lineOf.has(values[0]) && !isPart) {
    throw new BadLine("repeated-job-number", `, field 1 (job_id): job ${values[0]} is already on line ${lineOf.get(values[0])}; allowed: each number once`);
  }
  for (const name of unreadable) {
    const kind = `unreadable-${name.replace("_", "-")}`;
    anomalies.set(kind, (anomalies.get(kind) ?? 0) + 1);
  }
  return isPart;
}

/** Round the times of a line: submission, start and end to seconds, of which wait and run time are
 * the differences, and the estimate upwards; count those that change. */
function wholeSeconds(texts, anomalies) {
  const exact = {};
  for (const name of IN_SECONDS) {
    const text = texts[PLACE[name]], found = text.length < LONGEST && NUMBER.exec(text), number = found && decimal(found);
    if (number && (!found[1] || !number.digits)) exact[name] = number;
  }
  const least = Object.values(exact).reduce((shift, one) => (one.shift < shift ? one.shift : shift), 0);
  const second = 10n ** BigInt(-least), parts = (name) => exact[name].digits * 10n ** BigInt(exact[name].shift - least);
  const up = (number) => (number + second - 1n) / second, nearest = (number) => (2n * number + second) / (2n * second);
  const submit = exact.submit ? parts("submit") : 0n, start = exact.wait ? submit + parts("wait") : 0n;
  const whole = {
    submit: () => nearest(submit),
    wait: () => nearest(start) - nearest(submit),
    run_time: () => nearest(start + parts("run_time")) - nearest(start),
    requested_time: () => up(parts("requested_time")), // never below the difference of two rounded times
    think_time: () => nearest(parts("think_time")),
  };
  for (const name of Object.keys(exact)) {
    const value = whole[name]();
    if (value * second === parts(name)) continue;
    texts[PLACE[name]] = String(value);
    anomalies.set("seconds-rounded", (anomalies.get("seconds-rounded") ?? 0) + 1);
  }
}

/** Return a match of `NUMBER` as a whole number times a power of ten, without its sign; null for no number. */
function decimal([, , whole, fraction = "", exponent = "0"]) {
  return whole || fraction ? { digits: BigInt(whole + fraction), shift: Number(exponent) - fraction.length } : null;
}

const small = (value) => (value <= Number.MAX_SAFE_INTEGER && value >= -1n ? Number(value) : value);

/** Return the value of a text in field `k`. */
function valueOf(name, text, k, isPart) {
  const problem = (kind) => {
    const allowed = DECIMAL.has(name) ? "numbers" : "whole numbers of at most 18 digits";
    const unknown = KNOWN.has(name) ? "" : ", or -1 for unknown";
    return new BadLine(kind, `, field ${k} (${name}): ${quote(text)}; allowed: ${allowed} from 0${unknown}`);
  };
  const found = text.length < LONGEST && NUMBER.exec(text), number = found && decimal(found);
  if (!number) throw problem("not-a-number");
  let { digits, shift } = number;
  if (found[1] && digits) {
    if (KNOWN.has(name) && !isPart) throw problem(name === "job_id" ? "unknown-job-number" : "unknown-submission");
    return -1;
  }
  if (DECIMAL.has(name)) {
    if (!Number.isFinite(Number(text))) throw problem("too-large");
    return Number(text);
  }
  const unit = 10n ** BigInt(Math.abs(shift));
  if (shift >= 0 ? digits * unit >= MOST : digits >= MOST * unit) throw problem("too-large");
  if (shift < 0 && digits % unit) throw problem(IN_SECONDS.has(name) ? "fraction-of-second" : "not-whole");
  digits = shift >= 0 ? digits * unit : digits / unit;
  return small(digits);
}

/** Return a text as Python shows it, shortened. */
function quote(text) {
  const most = 40, long = [...text].length > most;
  const shown = long ? `${[...text].slice(0, most).join("")}... (${thousands([...text].length)} characters)` : text;
  const mark = shown.includes("'") && !shown.includes('"') ? '"' : "'";
  const names = { "\n": "\\n", "\r": "\\r", "\t": "\\t", "\\": "\\\\", [mark]: `\\${mark}` };
  const escaped = [...shown].map((one) => {
    const code = one.codePointAt(0);
    if (names[one]) return names[one];
    return code < 32 || (code >= 127 && code < 161) || code === 173 ? `\\x${code.toString(16).padStart(2, "0")}` : one;
  });
  return mark + escaped.join("") + mark;
}

export function thousands(number) {
  return Math.round(number).toLocaleString("en-US");
}

/** Return the jobs of a log after the cleaning rules, in order of submission. */
async function workload(log, name, names, { machine: given = null, larger, smaller }) {
  const { exact, plain, n } = log.columns;
  const { submit, run_time: runTime, allocated_processors: allocated, requested_processors: requested } = plain;
  const { requested_time: estimate } = plain;
  const machine = processorsOf(log, name, given);
  let order = new Uint32Array(n);
  for (let k = 0; k < n; k++) order[k] = k;
  let steps = 0;
  for (let k = 1; k < n; k++) steps += submit[k] < submit[k - 1];
  if (steps) order.sort((a, b) => submit[a] - submit[b] || a - b);

  const sizes = log.header.get("Sizes")?.[0] ?? "", stated = sizes.split(" ")[0].toLowerCase();
  const byAllocated = stated === "allocated";
  const [own, other] = byAllocated ? [allocated, requested] : [requested, allocated];
  const size = new Float64Array(n);
  for (let k = 0; k < n; k++) size[k] = own[k] < 1 && other[k] >= 1 ? other[k] : own[k];
  const rules = {
    "no-run-time": (k) => runTime[k] < 0,
    "zero-run-time": (k) => runTime[k] === 0,
    "no-processors": (k) => size[k] < 1,
  };
  if (larger === "skip") rules["larger-than-machine"] = (k) => size[k] > machine;
  const cleaning = new Map();
  for (const [rule, hits] of Object.entries(rules)) {
    const kept = order.filter((k) => !hits(k));
    cleaning.set(rule, order.length - kept.length);
    order = kept;
  }
  refuseUnusable(log, name, order, size, machine);
  if (!order.length) {
    const dropped = [...cleaning].filter(([, count]) => count).map(([rule, count]) => `${rule} ${count}`);
    throw new LogError(`${name}: no jobs left to simulate; jobs dropped by rule: ${dropped.join(", ")}`);
  }
  const registered = names[await log.sha256()], warnings = [];
  if (smaller !== "accept" && (given !== null || !registered)) warnings.push(...compareWithUse(log, name, order, size, machine, given));
  const partitions = Math.max(Number(/^[0-9]{1,9}/.exec(log.header.get("MaxPartitions")?.[0] ?? "")?.[0] ?? 0), new Set(Array.from(order, (k) => plain.partition[k]).filter((one) => one >= 0)).size);
  if (!registered && partitions > 1) warnings.push(`${thousands(partitions)} partitions (MaxPartitions, field 16) are simulated as one machine of ${thousands(machine)} processors, on which any job can use any processor.`);
  const number = exact.job_id;
  let sorted = true;
  for (let k = 1; k < order.length && sorted; k++) {
    sorted = submit[order[k - 1]] < submit[order[k]] || number[order[k - 1]] <= number[order[k]];
  }
  if (!sorted) order.sort((a, b) => submit[a] - submit[b] || (number[a] < number[b] ? -1 : number[a] > number[b] ? 1 : a - b));

  const jobs = { submit: [], runTime: [], size: [], estimate: [] };
  for (const column in jobs) jobs[column] = new Float64Array(order.length);
  let replaced = 0, unknown = 0, raised = 0, far = 0, asked = 0, held = 0, work = 0, last = 0, longest = 0;
  order.forEach((k, place) => {
    const run = runTime[k], known = estimate[k] >= 1, planned = known ? estimate[k] : run;
    replaced += own[k] < 1 && other[k] >= 1;
    unknown += !known;
    far += known && run > FAR * estimate[k];
    raised += run > planned;
    if (requested[k] > 0 && allocated[k] > 0) {
      asked += run * requested[k];
      held += run * allocated[k];
    }
    work += run;
    last = Math.max(last, submit[k]);
    longest = Math.max(longest, 11 * run, planned);
    jobs.submit[place] = submit[k];
    jobs.runTime[place] = run;
    jobs.size[place] = size[k];
    jobs.estimate[place] = Math.max(planned, run);
  });
  if (last + work + longest >= LATEST) throw new LogError(`${name}: times reach ${Math.round(last + work + longest)} s, allowed: below ${LATEST} s`);
  if (Math.min(order.length, machine) > AT_ONCE) throw new LogError(`${name}: up to ${machine} jobs could run at once, allowed: ${AT_ONCE}`);
  cleaning.set(`size-from-${byAllocated ? "requested" : "allocated"}`, replaced);
  cleaning.set("estimate-from-run-time", unknown);
  cleaning.set("estimate-raised", raised);
  if (steps) cleaning.set("submit-out-of-order", steps);
  for (const [kind, count] of log.anomalies) cleaning.set(kind, count);
  if (far) cleaning.set("estimate-far-below-run-time", far);
  for (const [kind, count] of log.bad) cleaning.set(`bad-line-${kind}`, count);

  const lacking = (unknown + far) / order.length;
  if (!byAllocated && !log.header.has("Sizes") && held > MORE_WORK * asked) {
    warnings.push(`Jobs were given ${Math.round(100 * (held / asked - 1))} % more processor time than they requested; requested sizes are simulated.`);
  }
  if (far > 0.5 * order.length) {
    warnings.push(`${thousands(far)} of ${thousands(order.length)} estimates are more than 10 % below the run time; are they in another unit than seconds?`);
  }
  const pick = (column) => BigInt64Array.from(order, (k) => column[k]);
  const identity = [pick(exact.job_id), ...["submit", "runTime", "estimate", "size"].map((one) => BigInt64Array.from(jobs[one], BigInt))];
  identity.push(...["user", "group", "executable", "queue"].map((one) => pick(exact[one])));
  const drawKey = registered ?? (await fingerprint(identity));
  return {
    name: name.replace(/\.gz$/, "").replace(/\.swf$/, ""), machine, jobs, cleaning: [...cleaning], warnings, drawKey,
    withoutEstimate: lacking, hasEstimates: lacking <= 0.5, fewLack: lacking <= FEW,
  };
}

/** Return the most processors that jobs had in use at once, and the first instant of it, s. */
function mostInUse(jobs, start, runTime, size) {
  const starts = Float64Array.from(jobs, start), ends = Float64Array.from(jobs, (k) => start(k) + runTime[k]);
  const [began, ended] = [starts, ends].map((times) => Uint32Array.from(times.keys()).sort((a, b) => times[a] - times[b]));
  let inUse = 0, most = 0, instant = 0, done = 0;
  began.forEach((job) => {
    for (; ends[ended[done]] <= starts[job]; done++) inUse -= size[jobs[ended[done]]];
    inUse += size[jobs[job]];
    if (inUse > most) [most, instant] = [inUse, starts[job]];
  });
  return [most, instant];
}

/** Compare the machine with what the log's own schedule had in use: refuse a given one that is
 * smaller; return warnings otherwise. */
function compareWithUse(log, name, order, size, machine, given) {
  const { submit, wait, run_time: runTime } = log.columns.plain;
  const started = order.filter((k) => wait[k] >= 0 && runTime[k] > 0);
  if (!started.length) return [];
  const [most, instant] = mostInUse(started, (k) => submit[k] + wait[k], runTime, size);
  const at = `at ${thousands(instant)} s ${thousands(most)} processors were in use`;
  if (most > TOO_MANY * machine && given === null) return [`By the starts in the log, ${at}, and the header names ${thousands(machine)} (MaxProcs); sizes or the machine may be in another unit.`];
  if (most > TOO_MANY * machine && machine < (maxProcs(log.header) || most)) {
    throw new LogError(`${name}: machine ${thousands(machine)}, but by the starts in the log ${at}; expected ${most} or more`, "smaller");
  }
  if (given === null || most >= FEW_IN_USE * machine) return [];
  return [`By the starts in the log, at most ${((100 * most) / machine).toFixed(1)} % of the machine was in use at once (${thousands(most)} of ${thousands(machine)} processors).`];
}

/** Return the number at the beginning of the header's MaxProcs; 0 if there is none. */
function maxProcs(header) {
  const found = /^[0-9]{1,15}(?![\p{L}\p{N}_]|[.,'’_\s][0-9])/u.exec(header.get("MaxProcs")?.[0] ?? "");
  return found ? Number(found[0]) : 0;
}

function processorsOf({ header, columns }, name, given) {
  if (given !== null) {
    if (Number.isInteger(given) && given >= 1 && given <= 1e12) return given;
    throw new LogError(`machine ${given}; allowed: a whole number from 1 to 1000000000000`, "machine");
  }
  const text = header.get("MaxProcs")?.[0] ?? "";
  if (!text) {
    const nodes = /^[0-9]{1,9}/.exec(header.get("MaxNodes")?.[0] ?? "")?.[0] ?? "", { requested_processors: requested, allocated_processors: allocated } = columns.plain;
    const largest = requested.reduce((most, size, k) => Math.max(most, size, allocated[k]), 0);
    const words = nodes ? ` (MaxNodes: ${nodes}); give the machine's processors: machine=${nodes}` : "; give the machine's processors";
    throw new LogError(`${name}: the header names no MaxProcs${words}; the largest job has ${thousands(largest)}`, "machine", nodes);
  }
  const number = maxProcs(header);
  if (number >= 1 && number <= 1e12) return number;
  throw new LogError(`${name}: header field MaxProcs: ${quote(text)}; allowed: a whole number from 1 to 1000000000000`, "machine");
}

/** Refuse the first remaining job that cannot run. */
function refuseUnusable(log, name, order, size, machine) {
  const { job_id: number } = log.columns.exact, { requested_processors: requested, line } = log.columns.plain;
  const bad = order.filter((k) => size[k] > machine);
  if (!bad.length) return;
  const k = bad[0], field = requested[k] === size[k] ? "requested_processors" : "allocated_processors";
  const numbers = Array.from(bad.subarray(0, 5), (job) => number[job]).join(", ") + (bad.length > 5 ? ", ..." : "");
  const jobs = bad.length > 1 ? `${thousands(bad.length)} such jobs, numbers ${numbers}` : `1 such job, number ${numbers}`;
  throw new LogError(
    `${name}, line ${line[k]}, field ${PLACE[field] + 1} (${field}): ${size[k]}; allowed: at most the machine's ${machine} ` +
      `(${jobs}); drop='larger-than-machine' leaves out such jobs`,
    "larger",
  );
}
