
// The units of a rule. A unit is {layer, head, values, own}: whether the average of values, by a head for distances
// [first, how many], and own, its bias among it, are above 0. No head is [-1, 0], the one over all positions is [0, 0].
class Circuit extends Diagrams {
  constructor(symbols, period) {
    super();
    Object.assign(this, { tokens: 1 + symbols, period, first: 1 + symbols + period, units: [], fires: [], compared: [], votes: new Set() });
    this.atSos = new Map([[0, 1], [this.tokens, 1]]);
    this.everyToken = form(range(this.tokens).map((token) => [token, 1]));
    this.everyResidue = form(range(period, this.tokens).map((residue) => [residue, 1]));
    this.token = this.variable(0);
    this.residue = this.variable(0);
  }

  symbol(code) { return this.among(this.token, range(this.tokens).map((token) => token === 1 + code)); }

  residues(modulus, residue) { return this.among(this.residue, range(this.period).map((r) => r % modulus === residue)); }

  recalled(distance, node) {
    if (distance === 0) return this.both(this.above(this.token, 0), node);
    const values = this.withoutSos(this.value(node));
    return values.terms.length ? this.above(this.compare({ values, distance, width: 1 }), 0) : 0;
  }

  // Whether Σ coefficient · #P > threshold.
  exceeds(counts, threshold) {
    let values = this.normal(join(...counts.map(([node, c]) => [this.value(node), c])));
    if (!values.terms.length) return Number(threshold < 0);
    const by = divisor(values.terms.map(([, c]) => c));
    const sign = Math.sign(values.terms[0][1]);
    values = form(values.terms.map(([f, c]) => [f, (sign * c) / by]));
    let ends = [-1, 1].map((side) => counts.reduce((all, [, c]) => all + (side * c > 0 ? c : 0), 0));
    if (sign < 0) ends = [-ends[1], -ends[0]];
    let [low, high] = this.rangeOf(values);
    low = Math.max(low, Math.ceil(ends[0] / by));
    high = Math.min(high, Math.floor(ends[1] / by));
    const limit = sign > 0 ? Math.floor(threshold / by) : -Math.floor(threshold / by) - 1;
    const found = low >= 0 && limit < 0 ? 1 : high <= 0 && limit >= 0 ? 0 : this.above(this.compare({ values, low, high }), limit);
    return sign > 0 ? found : this.not(found);
  }

  compare(counted) {
    return this.once(`variable ${counted.distance} ${counted.width} ${key(counted.values)}`, () => {
      const variable = this.variable(1 + this.layerOf(counted.values));
      this.compared[variable] = counted;
      return variable;
    });
  }

  // The one way to write values at positions of the word.
  normal(values) {
    const whole = this.withoutSos(values);
    const base = coefficients(whole)(this.tokens);
    return base && this.period > 1 ? this.withoutSos(join([whole, 1], [this.everyResidue, -base], [this.everyToken, base])) : whole;
  }

  withoutSos(values) {
    const spread = join([form(values.terms), 1], [this.everyToken, values.constant]);
    return join([spread, 1], [feature(0), -this.sos(spread)]);
  }

  sos({ terms, constant }) { return terms.reduce((all, [f, c]) => all + c * (this.atSos.get(f) ?? 0), constant); }

  rangeOf(values) {
    const of = coefficients(values);
    const residues = range(this.period, this.tokens).map(of);
    const [lows, highs] = [[], []];
    for (const token of range(this.tokens - 1, 1)) {
      const here = values.terms.filter(([f]) => f >= this.first && this.fires[f - this.first].includes(token)).map(([, c]) => c);
      const sum = (side) => values.constant + of(token) + Math[side](...residues) + here.reduce((all, c) => all + Math[side](c, 0), 0);
      lows.push(sum("min"));
      highs.push(sum("max"));
    }
    return [Math.min(...lows), Math.max(...highs)];
  }

  layerOf({ terms }) { return Math.max(0, ...terms.map(([f]) => (f >= this.first ? this.units[f - this.first].layer : 0))); }

  latest(node) {
    const variables = this.variables(node);
    const layer = Math.max(0, ...variables.map((v) => this.layers[v]));
    return [layer, variables.filter((v) => layer && this.layers[v] === layer)];
  }

  // A Boolean as a form, exact at every position.
  value(node) { return node < 2 ? [NO_FORM, ONE_FORM][node] : this.once(`value ${node}`, () => this.made(node)); }

  made(node) {
    const [layer, late] = this.latest(node);
    if (!late.length) return this.ofPosition(node);
    const single = late.length === 1 ? this.clauses(node, layer, late[0]) : null;
    if (single?.length === 1) return single[0];
    const rows = this.remainders(node, layer);
    if ([...rows].every(([rest, condition]) => this.isStep(rest, condition, layer))) return this.stepwise(rows, layer);
    const wide = this.fused(node);
    if (wide !== node) return this.value(wide);
    this.refuseVote(node);
    return this.conjoined(node);
  }

  // The same Boolean, with what it asks of several distances asked of one head where that can tell.
  fused(node) {
    let result = 0;
    for (const [rest, condition] of this.remainders(node, this.latest(node)[0])) {
      const variables = this.variables(rest);
      const joined = variables.length < 2 ? rest : this.joined(rest, variables);
      if (joined === null) return node;
      result = this.either(result, this.both(condition, joined));
    }
    return result;
  }

  // A Boolean of the number of hits at distances in a row; null if it asks for something else.
  joined(rest, variables) {
    const asked = variables.map((v) => this.compared[v]);
    const width = asked.length;
    const distances = asked.map((one) => (one?.width === 1 ? one.distance : -1)).sort((one, other) => one - other);
    if (distances[0] < 1 || distances.some((d, k) => d !== distances[0] + k)) return null;
    const held = range(1 + width).map((hits) => {
      let at = rest;
      while (at > 1) {
        const [variable, thresholds, children] = this.branches[at];
        at = children[thresholds.filter((threshold) => threshold < Number(variables.indexOf(variable) < hits)).length];
      }
      return at;
    });
    const steps = range(width, 1).filter((hits) => held[hits] !== held[hits - 1]);
    if (new Set(asked.map(({ values }) => key(values))).size > 1 || !steps.every((hits) => findTelling(distances[0], width, hits))) return null;
    let atLeast = [1, ...variables.map(() => 0)];
    for (const variable of [...variables].reverse()) {
      atLeast = [1, ...variables.map((_, k) => this.choice(this.above(variable, 0), atLeast[k], atLeast[k + 1]))];
    }
    if (steps.reduce((counted, hits) => this.choice(atLeast[hits], held[hits], counted), held[0]) !== rest) return null;
    const wide = this.compare({ values: asked[0].values, distance: distances[0], width });
    return this.node(wide, steps.map((hits) => hits - 1), [0, ...steps].map((hits) => held[hits]));
  }

  // A sum of what stood at several distances may be one unit of a layer more.
  refuseVote(node) {
    if (this.votes.has(node)) throw new Unpriced();
  }

  ofPosition(node) {
    const variables = this.variables(node);
    if (variables.length > 1) return this.conjoined(node);
    const [start, size] = variables[0] === this.token ? [0, this.tokens] : [this.tokens, this.period];
    const [, thresholds, children] = this.branches[node];
    return form(range(size).filter((v) => children[thresholds.filter((t) => t < v).length] === 1).map((v) => [start + v, 1]));
  }

  stepwise(rows, layer) {
    let always = 0;
    const parts = [];
    for (const [rest, condition] of rows) {
      if (rest === 1) always = this.either(always, condition);
      if (rest < 2) continue;
      const [variable, thresholds, children] = this.branches[rest];
      if (children[0] === 1) always = this.either(always, condition);
      for (const [k, threshold] of thresholds.entries()) {
        for (const gate of this.gates(condition, layer)) parts.push([this.threshold(layer, this.compared[variable], threshold, gate), children[k + 1] === 1 ? 1 : -1]);
      }
    }
    return join([this.value(always), 1], ...parts);
  }

  isStep(rest, condition, layer) {
    if (this.variables(rest).length !== 1) return rest < 2;
    return this.numPaths(condition) <= MAX_CONJUNCTIONS || this.signals(this.not(condition), layer) !== null;
  }

  gates(condition, layer) {
    const closed = this.signals(this.not(condition), layer);
    if (closed) return [{ off: closed, on: [] }];
    return this.paths(condition).map((path) => ({ off: path.map((literal) => less(ONE_FORM, this.value(literal))), on: [] }));
  }

  // Forms of earlier layers, never negative, whose sum is above 0 exactly where a Boolean holds.
  signals(node, layer) {
    if (node === 0) return [];
    const opposite = this.not(node);
    if (this.numPaths(opposite) === 1) {
      const [path] = this.paths(opposite);
      if (path.length > 1) return path.map((literal) => this.value(this.not(literal)));
    }
    return this.layerOf(this.value(node)) < layer ? [this.value(node)] : null;
  }

  // A Boolean of one late variable as a conjunction of units, or null.
  clauses(node, layer, variable) {
    let never = 0;
    const bounds = new Map();
    for (const [rest, condition] of this.remainders(node, layer)) {
      if (rest === 0) never = this.either(never, condition);
      if (rest < 2) continue;
      const [, thresholds, children] = this.branches[rest];
      if (children.length > 3 || (children.length === 3 && children[1] === 0)) return null;
      for (const [k, threshold] of thresholds.entries()) {
        const side = `${children[k] === 0} ${threshold}`;
        bounds.set(side, [children[k] === 0, threshold, this.either(bounds.get(side)?.[2] ?? 0, condition)]);
      }
    }
    const units = [];
    for (const [fromBelow, threshold, asked] of bounds.values()) {
      const passed = this.not(this.either(asked, never));
      const [off, on] = [this.signals(never, layer), this.signals(passed, layer)];
      if (!off || !on) return null;
      never = 0;
      const unit = this.threshold(layer, this.compared[variable], threshold, fromBelow ? { off, on } : { off: on, on: off });
      units.push(fromBelow ? unit : less(ONE_FORM, unit));
    }
    return units;
  }

  conjunctions(node) {
    if (this.numPaths(node) <= MAX_CONJUNCTIONS) return this.paths(node);
    return this.groups(node).filter(([, child]) => child !== 0).map(([here, child]) => (child === 1 ? [here] : [here, child]));
  }

  conjoined(node) {
    const [yes, no] = [this.conjunctions(node), this.conjunctions(this.not(node))];
    if (yes.length <= no.length) return join(...yes.map((path) => [this.conjunction(path), 1]));
    return join([ONE_FORM, 1], ...no.map((path) => [this.conjunction(path), -1]));
  }

  conjunction(literals, layer = 0) {
    if (literals.length === 1 && !layer) return this.value(literals[0]);
    const off = literals.map((literal) => this.value(this.not(literal)));
    return this.threshold(layer || 1 + Math.max(...off.map((one) => this.layerOf(one))), null, 0, { off, on: [] });
  }

  make(unit, tokens = range(this.tokens)) {
    return this.once(`unit ${key(unit)}`, () => {
      const numbers = [unit.values, unit.own].flatMap(({ terms, constant }) => [constant, ...terms.map(([, c]) => c)]);
      if (this.units.length >= MAX_MADE || !numbers.every(Number.isSafeInteger)) throw new Unpriced();
      const number = this.first + this.units.push(unit) - 1;
      this.fires.push(tokens);
      this.atSos.set(number, Number(this.sos(unit.values) + this.sos(unit.own) > 0));
      return number;
    });
  }

  // The Boolean [counted > threshold] behind a gate, as u or 1 - u for one unit u, whichever is smaller.
  threshold(layer, counted, threshold, gate) {
    const flipped = { off: gate.on, on: gate.off };
    const fires = ({ off }) => {
      const pure = join(...off.filter(({ terms }) => terms.every(([f]) => f < this.tokens)).map((one) => [one, 1]));
      return range(this.tokens).filter((token) => pure.constant + coefficients(pure)(token) <= 0);
    };
    if (counted?.distance) return feature(this.make(this.smallest(this.recalling(counted, layer, 1 + threshold, gate)), fires(gate)));
    let yes;
    let no;
    if (counted) {
      const { values, low, high } = counted;
      yes = this.comparing(layer, values, low, high, -threshold, gate);
      no = this.comparing(layer, join([values, -1]), -high, -low, threshold + 1, flipped);
    } else {
      const closed = join(...gate.off.map((one) => [one, 1]));
      [yes, no] = [less(ONE_FORM, closed), closed].map((own) => ({ layer, head: [-1, 0], values: NO_FORM, own }));
    }
    [yes, no] = [this.smallest(yes), this.smallest(no)];
    const size = ({ values, own }) => norm(values) + hypotenuse(norm(own)) + Math.abs(own.constant);
    if (size(yes) <= size(no)) return feature(this.make(yes, fires(gate)));
    return less(ONE_FORM, feature(this.make(no, counted ? fires(flipped) : undefined)));
  }

  comparing(layer, values, low, high, atSos, { off, on }) {
    const closed = Math.max(high, atSos, 0);
    const opened = Math.max(atSos > low ? -low : 1 - atSos, 1);
    const own = join(...off.map((one) => [one, -closed]), ...on.map((one) => [one, opened]));
    return { layer, head: [0, 0], values: join([values, 1], [feature(0), atSos]), own };
  }

  recalling({ values, distance, width }, layer, hits, { off, on }) {
    const [factor, atSos] = width > 1 ? findTelling(distance, width, hits) : [1, distance > 2 ? -2 * distance : 0];
    const [held, least] = [factor * (1 + width), factor * hits];
    const [closed, opened] = [Math.max(held, atSos) - least, 1 + least - Math.min(0, atSos)];
    const own = join([ONE_FORM, -least], ...off.map((one) => [one, -closed]), ...on.map((one) => [one, opened]));
    return { layer, head: [distance, width], values: join([values, held], [feature(0), atSos]), own };
  }

  // The same unit with a constant moved between tokens, residues and the bias where that makes it smaller.
  smallest({ layer, head, values, own }) {
    const constants = (of) => [...new Set([0, ...range(this.tokens).map(coefficients(of))])];
    const balanced = (of) => {
      if (this.period === 1) return of;
      const choices = [...new Set([0, ...range(this.period, this.tokens).map(coefficients(of))])];
      return least(choices.map((c) => join([of, 1], [this.everyToken, c], [this.everyResidue, -c])), (one) => [norm(one)]);
    };
    const even = balanced(values);
    const [kept, moved] = least(constants(even).map((c) => [join([even, 1], [this.everyToken, -c]), c]),
      ([one, c]) => [norm(one) + Math.abs(own.constant + c), Math.abs(c)]);
    const here = join([balanced(own), 1], [ONE_FORM, moved]);
    const options = constants(here).map((c) => join([here, 1], [ONE_FORM, c], [this.everyToken, -c]));
    return { layer, head, values: kept, own: least(options, (one) => [hypotenuse(norm(one)) + Math.abs(one.constant), Math.abs(one.constant)]) };
  }

  // What accepts: units of one layer, and what they add.
  accepted(node) {
    if (node < 2) return [this.make({ layer: 1, head: [-1, 0], values: NO_FORM, own: NO_FORM })];
    let parts = null;
    for (const same of [this.fused(node), node]) parts ??= this.conjuncts(same) ?? this.conjuncts(this.not(same));
    parts ??= this.oneLayerUp(node);
    return [...new Set(parts.map(({ terms }) => terms[0][0]))];
  }

  conjuncts(node) {
    const [layer, late] = this.latest(node);
    if (!late.length) {
      const off = this.signals(this.not(node), 1);
      return off && [this.threshold(1, null, 0, { off, on: [] })];
    }
    const parts = late.map((variable) => this.possible(node, late.filter((other) => other !== variable)));
    if (parts.reduce((one, other) => this.both(one, other)) !== node) return null;
    const units = [];
    for (const [k, part] of parts.entries()) {
      const clauses = this.clauses(part, layer, late[k]);
      if (!clauses) return null;
      units.push(...clauses);
    }
    return units;
  }

  oneLayerUp(node) {
    this.refuseVote(node);
    const [yes, no] = [this.conjunctions(node), this.conjunctions(this.not(node))];
    const chosen = yes.length <= no.length ? yes : no;
    const layer = 1 + Math.max(...chosen.flat().map((literal) => this.layerOf(this.value(literal))));
    return chosen.map((path) => this.conjunction(path, layer));
  }
}

// The factor and the value at SOS of a unit that tells, at every N, of so many hits at distances in a row; null if none does.
function findTelling(distance, width, hits) {
  const most = hits === width ? hits * width : hits;
  for (const factor of [1, 2, 3, 4]) {
    const values = range(factor * (most + hits) + 1, -factor * most).sort((one, other) => Math.abs(one) - Math.abs(other));
    const atSos = values.find((value) => tells(distance, width, hits, factor, value));
    if (atSos !== undefined) return [factor, atSos];
  }
  return null;
}

function tells(k, r, m, c, w) {
  const [s, t] = [c * (r + 1), c * m];
  if (t * r + w <= 0 || w - t - c * (r + 1 - m) * (r + 1) > 0 || range(k).some((i) => s * i + w - t * (i + 1) > 0)) return false;
  return range(r, 1).every((heavy) => { // at i = k + heavy - 1, from N = i + 1 on
    const [N, least, largest] = [k + heavy, s * m + w - t * heavy, s * Math.min(m - 1, heavy - 1) + w - t * heavy];
    return (heavy <= m || (least >= 0 && least * N - t * k > 0)) && largest <= 0 && largest * N + (s - t) * k <= 0;
  });
}
