// The random numbers of the package: a key as JSON, its SHA-256, numpy's SeedSequence and PCG64.

const ROUND = new Int32Array(64), START = new Uint32Array(8);
{
  // The fractions of the cube and square roots of the first primes.
  const fraction = (x) => Math.floor((x - Math.floor(x)) * 2 ** 32);
  for (let p = 2, k = 0; k < 64; p++) {
    let prime = true;
    for (let q = 2; q * q <= p; q++) prime &&= p % q !== 0;
    if (!prime) continue;
    if (k < 8) START[k] = fraction(Math.sqrt(p));
    ROUND[k++] = fraction(Math.cbrt(p));
  }
}

/** Return the SHA-256 of some byte arrays, one after another. */
export function sha256(...parts) {
  const state = START.slice(), words = new Int32Array(64), block = new Uint8Array(64);
  let filled = 0, length = 0;
  const mix = (bytes, at) => {
    for (let k = 0; k < 16; k++, at += 4) {
      words[k] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3];
    }
    for (let k = 16; k < 64; k++) {
      const x = words[k - 15], y = words[k - 2];
      const s = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
      const t = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
      words[k] = words[k - 16] + s + words[k - 7] + t;
    }
    let a = state[0], b = state[1], c = state[2], d = state[3];
    let e = state[4], f = state[5], g = state[6], h = state[7];
    for (let k = 0; k < 64; k++) {
      const s = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
      const t = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
      const one = (h + s + ((e & f) ^ (~e & g)) + ROUND[k] + words[k]) | 0;
      const two = (t + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      h = g; g = f; f = e; e = (d + one) | 0; d = c; c = b; b = a; a = (one + two) | 0;
    }
    state[0] += a; state[1] += b; state[2] += c; state[3] += d;
    state[4] += e; state[5] += f; state[6] += g; state[7] += h;
  };
  for (const part of parts) {
    let at = 0;
    length += part.length;
    while (at < part.length) {
      if (filled === 0 && part.length - at >= 64) {
        mix(part, at);
        at += 64;
        continue;
      }
      const some = Math.min(64 - filled, part.length - at);
      block.set(part.subarray(at, at + some), filled);
      filled += some;
      at += some;
      if (filled === 64) mix(block, 0), (filled = 0);
    }
  }
  block[filled] = 128;
  block.fill(0, filled + 1);
  if (filled >= 56) mix(block, 0), block.fill(0);
  new DataView(block.buffer).setBigUint64(56, 8n * BigInt(length));
  mix(block, 0);
  const digest = new DataView(new ArrayBuffer(32));
  state.forEach((word, k) => digest.setUint32(4 * k, word));
  return new Uint8Array(digest.buffer);
}

export function hex(bytes) {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Return the SHA-256 of long byte arrays, by the browser's own function where there is one. */
export async function longSha256(...parts) {
  if (!globalThis.crypto?.subtle) return sha256(...parts);
  return new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(parts).arrayBuffer()));
}

/** Return the hash of columns of whole numbers, as the package's `fingerprint`. */
export async function fingerprint(columns) {
  return hex(await longSha256(...columns.map((one) => new Uint8Array(one.buffer, one.byteOffset, one.byteLength))));
}

const WORD = (1n << 64n) - 1n, LONG = (1n << 128n) - 1n;
const MULTIPLIER = (2549297995355413924n << 64n) | 4865540595714422341n;

/** Return the first state of the f-model's generator, as `FModel.draws` makes it: four words. */
export function stateOf(drawKey, jobs, f, seed) {
  const number = Number.isInteger(f) ? `${f}.0` : `${f}`;
  const key = `[${JSON.stringify(drawKey)}, ${jobs}, "random-f", ${number}, ${seed}]`;
  const digest = new DataView(sha256(new TextEncoder().encode(key)).buffer);
  const entropy = [];
  for (let at = 28; at >= 0; at -= 4) entropy.push(digest.getUint32(at));
  while (entropy.length > 1 && entropy.at(-1) === 0) entropy.pop();
  const [a, b, c, d] = words(pool(entropy));
  const increment = (((c << 64n) | d) << 1n | 1n) & LONG;
  const state = (((increment + ((a << 64n) | b)) & LONG) * MULTIPLIER + increment) & LONG;
  return [state >> 64n, state & WORD, increment >> 64n, increment & WORD];
}

function pool(entropy) {
  let factor = 0x43b0d7e5;
  const hash = (value) => {
    value ^= factor;
    factor = Math.imul(factor, 0x931e8875);
    value = Math.imul(value, factor);
    return value ^ (value >>> 16);
  };
  const mixed = [0, 1, 2, 3].map((k) => hash(entropy[k] ?? 0));
  const mix = (to, value) => {
    const sum = Math.imul(0xca01f9dd, mixed[to]) - Math.imul(0x4973f715, value);
    mixed[to] = sum ^ ((sum | 0) >>> 16);
  };
  for (let from = 0; from < 4; from++) {
    for (let to = 0; to < 4; to++) if (from !== to) mix(to, hash(mixed[from]));
  }
  for (let from = 4; from < entropy.length; from++) {
    for (let to = 0; to < 4; to++) mix(to, hash(entropy[from]));
  }
  return mixed;
}

function words(mixed) {
  let factor = 0x8b51f9dd;
  const parts = Array.from({ length: 8 }, (_, k) => {
    let value = mixed[k % 4] ^ factor;
    factor = Math.imul(factor, 0x58f38ded);
    value = Math.imul(value, factor);
    return BigInt((value ^ (value >>> 16)) >>> 0);
  });
  return [0, 2, 4, 6].map((k) => parts[k] | (parts[k + 1] << 32n));
}
