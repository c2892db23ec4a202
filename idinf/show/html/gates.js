
// A circuit, as the target may be one, built gate by gate. A condition is the number of its node. A sum is {counts, values,
// constant}: Σ factor · (how often a node held) + Σ factor · (what a node is here) + constant, with rational factors.

const NOTHING = { counts: new Map(), values: new Map(), constant: ZERO };
const number = (value) => ({ ...NOTHING, constant: value });
const isNumber = ({ counts, values }) => !counts.size && !values.size;

function combine(left, right, factor) {
  const joined = (one, other) => {
    const all = new Map(one);
    for (const [node, own] of other) all.set(node, add(all.get(node) ?? ZERO, mul(factor, own)));
    return all;
  };
  return { counts: joined(left.counts, right.counts), values: joined(left.values, right.values), constant: add(left.constant, mul(factor, right.constant)) };
}

const times = (sum, factor) => combine(NOTHING, sum, factor);
const MINUS_ONE = rational(-1n);

class Gates {
  constructor() {
    Object.assign(this, { nodes: [], known: new Map() });
  }

  node(kind, node) {
    const key = `${kind} ${JSON.stringify(node)}`;
    if (!this.known.has(key)) {
      this.known.set(key, this.nodes.length);
      this.nodes.push([this.nodes.length, kind, node]);
    }
    return this.known.get(key);
  }

  constant(value) { return this.node("ConstantNode", { value }); }

  not(node) { return this.node("Not", { operand: String(node) }); }

  both(left, right) { return this.node("And", { left: String(left), right: String(right) }); }

  either(left, right) { return this.not(this.both(this.not(left), this.not(right))); }

  anyOf(nodes) { return nodes.reduce((one, other) => this.either(one, other)); }

  cases(guard, then, otherwise) { return this.either(this.both(guard, then), this.both(this.not(guard), otherwise)); }

  total(node) { return { ...NOTHING, counts: new Map([[node, ONE]]) }; }

  valued(node) { return { ...NOTHING, values: new Map([[node, ONE]]) }; }

  // How often a node held at distances from low to high.
  window(node, low, high) { return this.valued(this.node("Window", { operand: String(node), low: String(low), high: String(high) })); }

  chosen(condition, then, otherwise) {
    const [one, other] = [this.linear(then), this.linear(otherwise)];
    return this.valued(this.node("Choice", { condition: String(condition), then: one, otherwise: other }));
  }

  average(sum, entries, precision) {
    return this.valued(this.node("Average", { terms: this.linear(sum).form, entries, precision }));
  }

  isAverage(node) { return this.nodes[node][1] === "Average"; }

  compare(sign, left, right) {
    const difference = combine(left, right, MINUS_ONE);
    const [above, below] = [() => this.above(difference), () => this.above(times(difference, MINUS_ONE))];
    switch (sign) {
      case ">": return above();
      case "<": return below();
      case "<=": return this.not(above());
      case ">=": return this.not(below());
      case "!=": return this.either(above(), below());
      default: return this.not(this.either(above(), below()));
    }
  }

  // Whether a sum is above 0. Without averages it is a whole number, once its factors are.
  above(sum) {
    const denominators = [...sum.counts.values(), ...sum.values.values(), sum.constant].map(({ d }) => d);
    const whole = times(sum, rational(denominators.reduce((one, other) => (one * other) / gcd(one, other), 1n)));
    if (isNumber(whole)) return this.constant(whole.constant.n > 0n);
    if ([...sum.values.keys()].some((node) => this.isAverage(node))) return this.node("Positive", { value: this.linear(whole) });
    return this.node("NonNegative", { value: this.linear(combine(whole, number(ONE), MINUS_ONE)) });
  }

  // A sum of whole factors as the nodes of a target have it.
  linear({ counts, values, constant }) {
    const terms = (map) => [...map].filter(([, { n }]) => n).map(([node, { n }]) => [String(n), String(node)]);
    return { constant: String(constant.n), scale: "1", form: terms(counts), rest: terms(values) };
  }
}
