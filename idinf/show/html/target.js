
// The target: what is asked after every prefix of a word, and what is right there.

// A machine reads one symbol after the other; a state is never changed, so words that begin alike can share it.
// At position 0 the symbol is null. The truths are those after the symbol.
function stepMachine(machine, state, code) {
  if (machine.never) return { truths: [false] };
  if (machine.nodes) return stepCircuit(machine, state ?? UNREAD, code);
  const place = code === null ? 0 : machine.table[state.place][code];
  return { place, truths: machine.labels[place].map(Boolean) };
}

// Truth values of a machine at positions 0..n, one list for each position.
function runMachine(machine, codes) {
  let state = null;
  return [null, ...codes].map((code) => (state = stepMachine(machine, state, code)).truths);
}

const UNREAD = { counts: new Map(), past: new Map(), i: -1 };

// A C-RASP program as a circuit: every node is a truth value or a count at each position; SOS counts nothing.
function stepCircuit(circuit, before, code) {
  const i = before.i + 1;
  const counts = new Map(before.counts); // of each node, the positions 1..i at which it held
  const past = new Map(before.past); // of each node that a window looks back at, its truth values, position 0 first
  const now = new Map();
  const sum = (form) => form.reduce((total, [factor, node]) => total + BigInt(factor) * (counts.get(node) ?? 0n), 0n);
  const linear = (value) => BigInt(value.constant) + BigInt(value.scale) * sum(value.form)
    + value.rest.reduce((total, [factor, node]) => total + BigInt(factor) * now.get(node), 0n);
  circuit.lookedAt ??= new Set(circuit.nodes.flatMap(([, kind, { operand }]) => (kind === "Window" ? [operand] : [])));
  for (const [place, kind, node] of circuit.nodes) {
    const number = String(place);
    const value = nodeValue(kind, node, { code, i, now, past, sum, linear });
    now.set(number, value);
    if (typeof value !== "boolean") continue;
    if (i && value) counts.set(number, (counts.get(number) ?? 0n) + 1n);
    if (circuit.lookedAt.has(number)) past.set(number, [...(past.get(number) ?? []), i > 0 && value]);
  }
  return { counts, past, i, truths: [now.get(String(circuit.output))] };
}

function nodeValue(kind, node, { code, i, now, past, sum, linear }) {
  switch (kind) {
    case "ConstantNode": return node.value;
    case "SymbolTest": return code !== null && code === Number(node.code);
    case "Residue": return BigInt(i) % BigInt(node.modulus) === BigInt(node.residue);
    case "Not": return !now.get(node.operand);
    case "And": return now.get(node.left) && now.get(node.right);
    case "ThresholdTest": return sum(node.form) >= BigInt(node.threshold);
    case "NonNegative": return linear(node.value) >= 0n;
    case "Choice": return linear(now.get(node.condition) ? node.then : node.otherwise);
    case "Window": {
      const values = past.get(node.operand);
      let held = 0n;
      for (let k = Number(node.low); k <= Math.min(Number(node.high), i); k += 1) if (values[i - k]) held += 1n;
      return held;
    }
    default: throw new RangeError(`A program with the node ${kind} cannot be run here.`);
  }
}

// At positions 0..n what is right: names of next symbols, or acceptance; null where nothing is asked.
function askedOf(target, codes) {
  const truths = target.machines.map((machine) => runMachine(machine, codes));
  const judged = target.judged && runMachine(target.judged, codes);
  return [null, ...codes].map((_, i) => {
    if (judged && !judged[i][0]) return null;
    const held = truths.flatMap((rows) => rows[i]);
    if (target.answer === "accept") return held[0];
    const named = target.outputs.filter((_, k) => held[k]);
    return target.answer === "set" ? named : [named[0] ?? target.outputs[0]];
  });
}

const inDomain = (target, codes) => !target.domain || runMachine(target.domain, codes).at(-1)[0];
