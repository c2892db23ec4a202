
// The price of a rule: R of its compiled program, as `idinf crasp compile` builds it. The rule is read once more, into diagrams,
// then into units, layer by layer, whose matrices R is read off.

// A rule read into diagrams; what may stand in a comparison beside counts are atoms, which split it into cases.
class PriceReader extends RuleReader {
  constructor(data, tokens, period, isFormula) {
    super(data, tokens);
    Object.assign(this, { isFormula, circuit: new Circuit(data.alphabet.length, period), atoms: [], places: new Map(), hits: new Map(), numCompared: 0, isVote: false, isFolded: false });
  }

  decision() {
    const { output } = this.read();
    if (this.isFolded && this.circuit.layers.length > 3) throw new Unpriced();
    return output;
  }

  node(kind, { code, modulus, residue }) {
    if (kind === "SymbolTest") return this.circuit.symbol(Number(code));
    if (kind === "Residue") return this.circuit.residues(Number(modulus), Number(residue));
    throw new Unpriced();
  }

  constant(value) { return Number(value); }

  not(node) { return this.circuit.not(node); }

  both(left, right) {
    this.fold(0, left, right);
    return this.circuit.both(left, right);
  }

  either(left, right) {
    this.fold(1, left, right);
    return this.circuit.either(left, right);
  }

  // A formula drops what stands beside a constant that decides, before it meets the counts there.
  fold(decides, ...parts) {
    const isCounting = (node) => node > 1 && this.circuit.variables(node).at(-1) > this.circuit.residue;
    if (this.isFormula && parts.includes(decides) && parts.some(isCounting)) this.isFolded = true;
  }

  cases(guard, then, otherwise) {
    if (guard < 2) this.fold(guard, guard, guard ? otherwise : then);
    if (then === otherwise) this.fold(guard, guard);
    return this.circuit.choice(guard, then, otherwise);
  }

  compare(sign, left, right) {
    const { counts, values, constant } = this.scaled(combine(left, right, MINUS_ONE));
    const by = [...counts.values(), ...values.values()].reduce((all, { n }) => gcd(all, n), 0n);
    if (this.isFormula && ["=", "!="].includes(sign) && by && constant.n % by) return this.constant(sign === "!=");
    return super.compare(sign, left, right);
  }

  // With whole factors.
  scaled(sum) {
    const denominators = [...sum.counts.values(), ...sum.values.values(), sum.constant].map(({ d }) => d);
    return times(sum, rational(denominators.reduce((one, other) => (one * other) / gcd(one, other), 1n)));
  }

  anySymbol() { return this.above(this.total(1)); } // as the library has "nonempty"

  isAverage() { return false; }

  average() { throw new Unpriced(); }

  // Counts and atoms by the order in which they were first met.
  placed(name) { return this.places.get(name) ?? this.places.set(name, this.places.size).get(name); }

  total(node) {
    if (node) this.placed(`# ${node}`);
    return node ? super.total(node) : NOTHING;
  }

  atom(kind, ...parts) {
    const number = this.placed(`${kind} ${parts.map((part) => part.constant ? this.sumKey(part) : part)}`);
    this.atoms[number] = [kind, ...parts];
    return super.valued(number);
  }

  sumKey(sum) {
    const terms = (map) => [...map].filter(([, { n }]) => n).map(([of, { n }]) => `${of}:${n}`).sort();
    return `${terms(sum.counts)}|${terms(sum.values)}|${sum.constant.n}`;
  }

  window(node, first, last) {
    const [low, high] = [Number(first), Number(last)];
    if (high === Infinity && low === 1 && !this.data.alphabet.some((_, code) => node === this.circuit.symbol(code))) throw new Unpriced();
    if (high === Infinity && low === 1) return combine(this.total(node), this.chosen(node, number(ONE), NOTHING), MINUS_ONE);
    if (high === Infinity) return low ? combine(this.total(node), this.window(node, 0, low - 1), MINUS_ONE) : this.total(node);
    if (high - low > MAX_CONJUNCTIONS) throw new Unpriced();
    const held = range(Math.max(0, high - low + 1), low).map((distance) => this.circuit.recalled(distance, node));
    return held.filter((one) => one).reduce((sum, one) => combine(sum, this.atom("Indicator", one), ONE), NOTHING);
  }

  lastIs() {
    const found = super.lastIs();
    if (this.circuit.branches[found]?.[0] > this.circuit.residue) this.hits.set(found, this.atom("Indicator", found));
    return found;
  }

  chosen(condition, then, otherwise) {
    if (condition < 2 || this.sumKey(then) === this.sumKey(otherwise)) return condition ? then : otherwise;
    if (this.isVote && this.hits.has(condition)) return this.hits.get(condition);
    return this.atom("Case", condition, then, otherwise);
  }

  // The condition is read before what it chooses, as the library does: variables stand in the order of being met.
  expression() {
    let depth = 0;
    let at = this.at;
    for (; at < this.tokens.length; at += 1) {
      const { kind, text } = this.tokens[at];
      if (kind === "symbol") continue;
      if (depth === 0 && (["if", "else", ")", "]", "}", ",", ";", ":"].includes(text))) break;
      depth += "([{".includes(text) - ")]}".includes(text);
    }
    if (this.tokens[at]?.text !== "if") return this.deeper(() => this.anyOfAll());
    return this.deeper(() => {
      const start = this.at;
      this.at = at + 1;
      const condition = this.condition(this.anyOfAll());
      const end = this.at;
      this.at = start;
      const then = this.whole(this.anyOfAll());
      this.at = end;
      this.need("else");
      return this.chosen(condition, then, this.whole(this.expression()));
    });
  }

  atLeast() {
    this.isVote = true;
    const found = super.atLeast();
    this.isVote = false;
    return found;
  }

  extremum(sign) {
    this.need("(");
    const sums = this.list(() => this.whole(this.expression()), ")").map((sum) => (sign === "<=" ? times(sum, MINUS_ONE) : sum));
    if (sums.length !== 2) this.fail("two counts in brackets");
    const largest = this.sumKey(sums[0]) === this.sumKey(sums[1]) ? sums[0] : this.atom("Largest", ...sums);
    return sign === "<=" ? times(largest, MINUS_ONE) : largest;
  }

  above(sum) { return this.positive(this.scaled(sum)); }

  // Whether a whole sum is above 0: one comparison of counts for each case.
  positive(sum) {
    return this.circuit.once(`positive ${this.sumKey(sum)}`, () => {
      const { circuit } = this;
      const order = ["Largest", "Case", "Indicator"];
      const atoms = [...sum.values].filter(([, { n }]) => n).map(([of, c]) => [this.atoms[of], c, of]);
      atoms.sort(([[one], , p], [[other], , q]) => order.indexOf(one) - order.indexOf(other) || p - q);
      const counts = [...sum.counts].filter(([, { n }]) => n).sort(([one], [other]) => this.placed(`# ${one}`) - this.placed(`# ${other}`)).map(([node, { n }]) => [node, Number(n)]);
      const constant = Number(sum.constant.n);
      this.numCompared += 1;
      if (this.numCompared > MAX_COMPARED || ![constant, ...counts.map(([, c]) => c)].every(Number.isSafeInteger)) throw new Unpriced();
      if (!atoms.length) return circuit.exceeds(counts, -constant);
      const [[kind, ...parts], c, own] = atoms[0];
      const rest = combine(sum, super.valued(own), mul(c, MINUS_ONE));
      const put = (part) => this.positive(combine(rest, part, c));
      if (kind === "Largest") return circuit[c.n > 0n ? "either" : "both"](put(parts[0]), put(parts[1]));
      if (kind === "Case") return circuit.choice(parts[0], put(parts[1]), put(parts[2]));
      const node = circuit.choice(parts[0], put(number(ONE)), put(NOTHING));
      if (atoms.length > 1 && !counts.length) for (const known of [node, circuit.not(node)]) circuit.votes.add(known);
      return node;
    });
  }
}

// The largest eigenvalue of a symmetric matrix, by rotations.
function largestEigenvalue(rows) {
  for (let sweep = 0; sweep < 60; sweep += 1) {
    const [trace, off] = [squares(rows.flat()), squares(rows.flatMap((row, i) => row.filter((_, j) => i !== j)))];
    if (off <= 1e-30 * trace) break;
    for (let p = 0; p < rows.length; p += 1) {
      for (let q = p + 1; q < rows.length; q += 1) {
        if (!rows[p][q]) continue;
        const ratio = (rows[q][q] - rows[p][p]) / (2 * rows[p][q]);
        const t = (ratio < 0 ? -1 : 1) / (Math.abs(ratio) + Math.sqrt(ratio * ratio + 1));
        const c = 1 / Math.sqrt(t * t + 1);
        const turn = (one, other) => [c * one - t * c * other, t * c * one + c * other];
        for (const row of rows) [row[p], row[q]] = turn(row[p], row[q]);
        for (const k of rows.keys()) [rows[p][k], rows[q][k]] = turn(rows[p][k], rows[q][k]);
      }
    }
  }
  return Math.max(0, ...rows.map((row, k) => row[k]));
}

function rankOf(vectors) {
  let rank = 0;
  for (let rows = vectors.map((row) => row.map(BigInt)); rows.length; rank += 1) {
    const [top, ...others] = rows;
    const column = top.findIndex((c) => c);
    rows = others.map((row) => row.map((c, k) => c * top[column] - row[column] * top[k])).filter((row) => row.some((c) => c));
    rows = rows.map((row) => { const by = row.reduce(gcd, 0n); return row.map((c) => c / by); });
  }
  return rank;
}

// Value vectors on one line share a channel, which each reads with a factor.
function channelsOf(vectors) {
  const lines = new Map();
  for (const vector of vectors) {
    const by = divisor(vector) * Math.sign(vector.find((c) => c));
    const line = vector.map((c) => c / by + 0);
    lines.set(key(line), [...(lines.get(key(line)) ?? []), [vector, line, by]]);
  }
  const rows = [...lines.values()];
  return { vectors: rows.map((readers) => readers[0][readers.length > 1 ? 1 : 0]), entries: rows.flatMap((readers) => (readers.length > 1 ? readers.map(([, , by]) => by) : [1])) };
}

// R of what accepts, by the precision that makes it least.
function cheapest(circuit, accepting, aggregate) {
  const unit = (number) => circuit.units[number - circuit.first];
  const kept = new Set();
  const visit = (number) => {
    if (kept.has(number)) return;
    kept.add(number);
    for (const { terms } of [unit(number).values, unit(number).own]) for (const [f] of terms) if (f >= circuit.first) visit(f);
  };
  accepting.forEach(visit);
  const order = [...kept].sort((one, other) => one - other);
  const depth = unit(accepting[0]).layer;
  const forms = order.flatMap((number) => [unit(number).values, unit(number).own]);
  const residues = range(circuit.period, circuit.tokens).map((residue) => key(forms.map((one) => coefficients(one)(residue))));
  const period = range(circuit.period, 1).find((d) => circuit.period % d === 0 && residues.every((row, k) => row === residues[k % d]));
  const vector = (one) => {
    const of = coefficients(one);
    const here = range(period, circuit.tokens).map(of);
    return [...range(circuit.tokens).map((token) => of(token) + (period > 1 ? 0 : here[0])), ...(period > 1 ? here : []), ...order.map(of)];
  };
  const layers = range(depth, 1).map((layer) => {
    const members = order.filter((number) => unit(number).layer === layer && (layer < depth || accepting.includes(number))).map(unit);
    const patterns = new Set(members.filter(({ head }) => head[0] >= 0).map(({ head }) => key(head)));
    const heads = [...patterns].map((pattern) => {
      const [distance, many] = JSON.parse(pattern);
      const channels = channelsOf(members.filter(({ head }) => key(head) === pattern).map(({ values }) => vector(values)));
      const gram = channels.vectors.map((one) => channels.vectors.map((other) => one.reduce((all, c, k) => all + c * other[k], 0)));
      const phi = many > 1 || distance < 3 ? many : 4;
      return { ...channels, phi, rank: rankOf(channels.vectors), norm: Math.sqrt(largestEigenvalue(gram)) };
    });
    return { heads, entries: squares(heads.flatMap(({ entries }) => entries)), own: squares(members.flatMap(({ own }) => vector(own))), bias: squares(members.map(({ own }) => own.constant)), size: members.length };
  });
  const heads = layers.flatMap((layer) => layer.heads);
  const width = circuit.tokens + period + order.length + heads.reduce((all, { vectors }) => all + vectors.length, 0);
  if (width * (heads.length * (width + 2) + 2 * order.length + period) > MAX_ENTRIES) throw new Unpriced();
  const combined = (values) => (aggregate === "max" ? Math.max(0, ...values) : values.reduce((all, value) => all + value, 0));
  const phi = heads.reduce((all, head) => all + head.phi, 0);
  const rest = depth + Math.max(...layers.map((layer) => layer.heads.length)) + combined(heads.map(({ rank }) => rank)) + Math.sqrt(accepting.length) + 1 + (period > 1 ? 1 + period : 0) + phi;
  let best = Infinity;
  for (let precision = 0; rest + precision < best - 1e-9; precision += 1) {
    const one = 2 ** precision;
    const r = rest + precision + combined(heads.map((head) => head.norm / one)) + combined(layers.map(({ entries, own }) => Math.sqrt(entries + own / (one * one))))
      + combined(layers.map(({ size }) => Math.sqrt(size))) + combined(layers.map(({ bias }) => Math.sqrt(bias) / one));
    if (r < best - 1e-9) best = r;
  }
  return best;
}

// Without the definitions that the last one does not need: they cost nothing.
function neededTokens(data, tokens) {
  const rows = [];
  const reader = new RuleReader(data, tokens);
  const definition = reader.definition.bind(reader);
  const get = reader.names.get.bind(reader.names);
  reader.definition = () => {
    const start = reader.at;
    const [name, sign] = definition();
    rows.push({ start, name, uses: new Set() });
    return [name, sign];
  };
  reader.names.get = (name) => {
    rows.at(-1).uses.add(name);
    return get(name);
  };
  reader.read();
  const needed = new Set([rows.at(-1).name]);
  for (const { name, uses } of [...rows].reverse()) if (needed.has(name)) uses.forEach((used) => needed.add(used));
  return rows.flatMap(({ name, start }, k) => (needed.has(name) ? tokens.slice(start, rows[k + 1]?.start) : []));
}

// R of the compiled rule; null where it needs more than is built here.
function priceRule(data, text) {
  try {
    const tokens = neededTokens(data, ruleTokens(data, text));
    const { nodes } = new RuleReader(data, tokens).read();
    const moduli = nodes.filter(([, kind]) => kind === "Residue").map(([, , { modulus }]) => BigInt(modulus));
    const period = moduli.reduce((all, modulus) => (all * modulus) / gcd(all, modulus), 1n);
    if (period > MAX_PERIOD) return null;
    const isFormula = !/\baccept\s*=(?!=)/.test(text);
    const reader = new PriceReader(data, tokens, Number(period), isFormula);
    return cheapest(reader.circuit, reader.circuit.accepted(reader.decision()), data.aggregate);
  } catch (problem) {
    if (problem instanceof Unpriced || problem instanceof RangeError) return null;
    throw problem;
  }
}

function priceCommand(data, text) {
  const whole = /\baccept\b/.test(text) ? text : `accept ${/#\s*\[|&&|\|\|/.test(text) ? "=" : "iff"} ${text}`;
  return `idinf crasp compile '${whole.replaceAll("'", "'\\''")}' --alphabet '${data.alphabet.join(data.spaced ? " " : "")}'`;
}
