"use strict";

// Exact rationals on BigInt: {n, d} in lowest terms, d > 0.

const gcd = (a, b) => {
  while (b) [a, b] = [b, a % b];
  return a < 0n ? -a : a;
};

function rational(n, d = 1n) {
  if (d === 1n) return { n, d };
  const common = gcd(n, d);
  return { n: n / common, d: d / common };
}

const ZERO = rational(0n);
const ONE = rational(1n);

const add = (x, y) => (y.n ? (x.n ? rational(x.n * y.d + y.n * x.d, x.d * y.d) : y) : x);
const mul = (x, y) => (x.n && y.n ? rational(x.n * y.n, x.d * y.d) : ZERO);
const over = (x, y) => (x.n ? rational(x.n * y.d, x.d * y.n) : ZERO); // only y > 0 occurs

function readRational(text) {
  const [n, d = "1"] = text.split("/");
  return rational(BigInt(n), BigInt(d));
}

// Rounding to the grid of 2^-p, half to even, in integers only.

const MAX_BITS = 1n << 19n; // the same bound as the reference

function roundHalfEven(n, d) {
  let quotient = n / d;
  let rest = n % d;
  if (rest < 0n) {
    quotient -= 1n;
    rest += d;
  }
  const odd = quotient % 2n !== 0n;
  return 2n * rest > d || (2n * rest === d && odd) ? quotient + 1n : quotient;
}

function floorRoot(x) {
  if (x < 2n) return x;
  let root = 1n << BigInt(2 * x.toString(16).length); // at least √x, so Newton's steps only go down
  for (;;) {
    const next = (root + x / root) >> 1n;
    if (next >= root) return root;
    root = next;
  }
}

function checkBits(bits, p) {
  if (bits > MAX_BITS) throw new RangeError(`Rounding at precision ${p} needs integers of ${bits} bits here.`);
}

// round_p(N^a) for a = k/2^p, as a number of steps 2^-p. With a = c/2^q in lowest terms and
// m = ⌊2^p N^a⌋ it is m + 1 where (2m + 1)^(2^q) lies below 2^((p+1) 2^q) N^c, or at it with m odd.
function weightSteps(N, k, p) {
  const one = 1n << BigInt(p);
  if (k === 0n || N === 1n) return one;
  let c = k;
  let q = BigInt(p);
  while (q && c % 2n === 0n) {
    c /= 2n;
    q -= 1n;
  }
  const bitsOfN = BigInt(N.toString(2).length);
  checkBits(q, p);
  if (-c * (bitsOfN - 1n) > BigInt(p + 1) << q) return 0n; // below half a step, whatever the rest says
  checkBits((BigInt(p) << q) + (c < 0n ? -c : c) * bitsOfN, p);
  const root = 1n << q;
  const [above, below] = c > 0n ? [N ** c, 1n] : [1n, N ** -c];
  const scaled = above << (BigInt(p) * root);
  let m = scaled / below;
  for (let step = 0n; step < q; step += 1n) m = floorRoot(m);
  const middle = (2n * m + 1n) ** root * below;
  const value = scaled << root;
  return middle < value || (middle === value && m % 2n === 1n) ? m + 1n : m;
}

const knownWeights = new Map();

function roundedWeight(N, k, p) {
  const key = `${N} ${k} ${p}`;
  if (!knownWeights.has(key)) knownWeights.set(key, rational(weightSteps(N, k, p), 1n << BigInt(p)));
  return knownWeights.get(key);
}

// limit-transformer/1: numbers arrive as texts; rows of matrices keep what is not 0.

const readVector = (row) => row.map(readRational);
const readSparse = (rows) =>
  rows.map((row) => readVector(row).flatMap((entry, place) => (entry.n ? [[place, entry]] : [])));

// A limit-transformer/1 whose numbers are texts.
function readNet(net) {
  const output = net.output && { ...net.output, rows: net.output.rows.map(Number) };
  return {
    precision: Number(net.precision),
    embedding: ["$", ...net.alphabet].map((symbol) => readVector(net.embedding[symbol])),
    positions: net.positions.map(readVector),
    layers: net.layers.map(({ heads, mlp }) => ({
      heads: heads.map((head) => ({
        K: readSparse(head.K),
        Q: readSparse(head.Q),
        V: readSparse(head.V),
        phi: readVector(head.phi),
      })),
      A: readSparse(mlp.A),
      b: readVector(mlp.b),
      B: readSparse(mlp.B),
      activation: mlp.activation,
    })),
    unembedding: readSparse(net.unembedding),
    row: output ? null : Number(net.accept.row),
    output,
    threshold: readRational((output ?? net.accept).threshold),
  };
}

const product = (rows, y) => rows.map((row) => row.reduce((sum, [place, x]) => add(sum, mul(x, y[place])), ZERO));
const sumOf = (x, y) => x.map((entry, place) => add(entry, y[place]));

// The forward pass: y^(0), the heads and units of every layer, U y_i, and the verdict or what is named.

function runNet(net, codes) {
  const rows = [0, ...codes.map((code) => code + 1)];
  const inputs = rows.map((row, i) => sumOf(net.embedding[row], net.positions[i % net.positions.length]));
  const layers = [];
  let stream = inputs;
  for (const layer of net.layers) {
    const heads = layer.heads.map((head) => attend(head, stream, net.precision));
    const mixed = stream.map((y, i) => heads.reduce((sum, head) => sumOf(sum, head.attended[i]), y));
    const before = mixed.map((y) => sumOf(product(layer.A, y), layer.b));
    const units = before.map((zs) => zs.map((z, u) => activate(layer.activation[u], z)));
    const outputs = mixed.map((y, i) => sumOf(y, product(layer.B, units[i])));
    layers.push({ heads, mixed, before, units, outputs });
    stream = outputs;
  }
  const everywhere = stream.map((y) => product(net.unembedding, y));
  const logits = everywhere[everywhere.length - 1];
  if (net.output) return { inputs, layers, logits, everywhere, named: everywhere.map((values) => namedBy(net, values)) };
  return { inputs, layers, logits, accepted: isAbove(logits[net.row], net.threshold) };
}

const isAbove = (x, y) => x.n * y.d > y.n * x.d;

// The rows above the threshold, or the symbol whose row has the largest value, of equal ones the first.
function namedBy({ output, threshold }, values) {
  const own = output.rows.map((row) => values[row]);
  if (output.kind === "set") return output.symbols.filter((_, k) => isAbove(own[k], threshold));
  return [output.symbols[own.reduce((best, value, k) => (isAbove(value, own[best]) ? k : best), 0)]];
}

const activate = (kind, z) => (z.n <= 0n ? ZERO : kind === "relu" ? z : ONE);

function attend(head, stream, p) {
  const N = BigInt(stream.length);
  const keys = stream.map((y) => product(head.K, y));
  const values = stream.map((y) => product(head.V, y));
  const trace = { values, logits: [], weights: [], attention: [], attended: [] };
  stream.forEach((y, i) => {
    const query = product(head.Q, y);
    const grid = keys.slice(0, i + 1).map((key, j) => {
      const content = key.reduce((sum, entry, place) => add(sum, mul(entry, query[place])), ZERO);
      const logit = add(content, head.phi[i - j] ?? ZERO);
      return roundHalfEven(logit.n << BigInt(p), logit.d);
    });
    const weights = grid.map((k) => roundedWeight(N, k, p));
    const total = weights.reduce(add, ZERO);
    trace.logits.push(grid.map((k) => rational(k, 1n << BigInt(p))));
    trace.weights.push(weights);
    trace.attention.push(weights.map((weight) => over(weight, total)));
    // Σ_j w_ij V y_j is divided by the total once: the same number, with smaller fractions on the way.
    trace.attended.push(
      y.map((_, place) => over(weights.reduce((sum, weight, j) => add(sum, mul(weight, values[j][place])), ZERO), total)),
    );
  });
  return trace;
}
