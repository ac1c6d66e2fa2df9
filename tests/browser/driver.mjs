// Run the modules of the page in node, for tests/browser: node driver.mjs MODE FOLDER.

import fs from "node:fs";
import path from "node:path";
import { explain, passShown, scheduleOf } from "../../notebooks/browser/five_jobs.js";
import { groups, heads, waits } from "../../notebooks/browser/groups.js";
import { loadKernel, Machine } from "../../notebooks/browser/kernel.js";
import { curveInPython, inPython, SEEDS, STEPS } from "../../notebooks/browser/own_log.js";
import { stateOf as stateOfAddress, unpackLog } from "../../notebooks/browser/page.js";
import { stateOf } from "../../notebooks/browser/random.js";
import { atLoad, badness, runAt } from "../../notebooks/browser/runs.js";
import { shapeOf, verdict } from "../../notebooks/browser/shapes.js";
import { readLog, unpack } from "../../notebooks/browser/swf.js";
import { MOST } from "../../notebooks/browser/view.js";

const [mode, folder] = process.argv.slice(2), given = JSON.parse(fs.readFileSync(path.join(folder, "given.json")));
const kernel = await loadKernel(fs.readFileSync(new URL("../../notebooks/browser/kernel.wasm", import.meta.url)));
const whole = (name) => {
  const bytes = fs.readFileSync(path.join(folder, name));
  return new BigInt64Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
};

/** Return the log of a workload that Python wrote: its columns, one after another. */
function written({ file, n, machine, drawKey }) {
  const all = whole(file), column = (k) => Float64Array.from(all.subarray(k * n, (k + 1) * n), Number);
  return { machine, drawKey, jobs: { submit: column(0), runTime: column(1), size: column(2), estimate: column(3) } };
}

const answers = {
  /** Starts, order and backfilled jobs of runs, in files of their own. */
  simulate: () => given.map((run) => {
    const log = written(run), machine = new Machine(kernel, log.jobs, log.machine);
    if (run.f > 0) machine.draw(run.f, stateOf(log.drawKey, run.n, run.f, run.seed));
    machine.simulate(run.f === null ? "estimate" : run.f > 0 ? "own" : "runTime", run.backfilling);
    const out = (name) => Buffer.from(machine.numbers(name).buffer, machine.at[name], 8 * run.n);
    fs.writeFileSync(path.join(folder, run.out), Buffer.concat([out("start"), out("order"), ...(run.f > 0 ? [out("own")] : [])]));
    const backfilled = machine.flags("backfilled").reduce((sum, one) => sum + one, 0);
    machine.observe();
    const wild = machine.flags("wild").reduce((sum, one) => sum + one, 0);
    const clock = performance.now();
    machine.simulate(run.f === null ? "estimate" : run.f > 0 ? "own" : "runTime", run.backfilling);
    return { backfilled, wild, measures: [...machine.measure()], untrimmed: [...machine.measure(false)], ms: performance.now() - clock };
  }),
  /** The jobs of files, or their refusal. */
  read: () => Promise.all(given.map(async ({ file, options, names, kinds }) => {
    try {
      const name = path.basename(file), bytes = await unpack(new Uint8Array(fs.readFileSync(file)), name);
      const log = await readLog(bytes, name, names, options, kinds);
      const columns = Object.entries(log.jobs).map(([name, column]) => [name, Array.from(column)]);
      return { ...log, jobs: Object.fromEntries(columns) };
    } catch (error) {
      if (error.remedy === undefined) throw error;
      return { refused: error.message, remedy: error.remedy, value: error.value };
    }
  })),
  shape: () => given.map(({ fs: grid, runs, none }) => shapeOf(grid, runs, none)),
  five: () => given.map((estimates) => {
    const found = scheduleOf(Machine, kernel, estimates);
    return { ...found, shown: passShown(found), sentences: explain(found) };
  }),
  verdict: () => given.map(({ fs: grid, runs, none, total }) => verdict(grid, runs, none, runs[0].length, total)),
  address: () => given.map(stateOfAddress),
  /** The submissions of a log at some loads. */
  load: () => given.loads.map((share) => Array.from(atLoad(written(given), share).jobs.submit)),
  /** The mean wait and the curve of a file, its shape, and the lines of Python that give the same. */
  curve: async () => {
    const { file, options, load, f, none } = given, read = await readLog(new Uint8Array(fs.readFileSync(file)), file, {}, options);
    const log = load === null ? read : atLoad(read, load), machine = new Machine(kernel, log.jobs, log.machine), grid = badness(MOST, STEPS);
    const runs = grid.map((value) => Array.from({ length: SEEDS }, (_, k) => runAt(machine, log, value, k + 1).wait));
    return { grid, runs, wait: runAt(machine, log, f, 1).wait, shape: shapeOf(grid, runs, none), lines: [inPython(f, file, { options, load }), curveInPython()] };
  },
  payers: () => {
    const log = written(given), machine = new Machine(kernel, log.jobs, log.machine);
    machine.simulate("estimate");
    const isHead = Array.from(heads(log.jobs.submit, Float64Array.from(machine.numbers("start"), Number)));
    const members = groups(log, isHead);
    runAt(machine, log, given.f, 1);
    return { isHead, names: members.map(([name]) => name), waits: waits(log, machine, members) };
  },
  take: () => given.map((bytes) => kernel.take(BigInt(bytes)) >>> 0),
  unpack: async () => {
    const { jobs } = await unpackLog(given);
    return Object.fromEntries(Object.entries(jobs).map(([name, column]) => [name, Array.from(column)]));
  },
};
process.stdout.write(JSON.stringify(await answers[mode]()));
