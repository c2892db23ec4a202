
// Rules as reports and programs write them, `#1 - #0 >= 0` or `accept = # "0" <= # "1"`, read into a circuit as the target
// may be one. They compare sums of counts with whole factors, look at the last symbol and at the length modulo a number,
// and join such conditions by and, or and not. Definitions, `u1 := #0 - #1 > 0; accept iff #u1 = 0`, may be counted.

const RULE_TOKEN = /\s*(?:(\d+)|"([^"]*)"|([\p{L}_][\p{L}\p{N}_]*)|(:=|>=|<=|==|!=|&&|\|\||[#><=≥≤≠!()*·+\-−{},;∧∨¬/:[\]]))/uy;
const ALIKE = { "≥": ">=", "≤": "<=", "≠": "!=", "==": "=", "&&": "and", "∧": "and", "||": "or", "∨": "or", "!": "not", "¬": "not", "−": "-", "·": "*", ":=": "=" };

class RuleError extends Error {}

function ruleTokens(text) {
  const tokens = [];
  RULE_TOKEN.lastIndex = 0;
  const rest = text.replace(/\/\/.*$/gm, "").replace(/;?\s*\n\s*/g, ";").replace(/[;\s]+$/, "");
  while (RULE_TOKEN.lastIndex < rest.length) {
    const start = RULE_TOKEN.lastIndex;
    const found = RULE_TOKEN.exec(rest);
    if (!found) throw new RuleError(`“${rest.slice(start).trim().slice(0, 12)}” is not read here; expected counts like #a, numbers and comparisons.`);
    const [, number, quoted, name, sign] = found;
    tokens.push({ kind: number ? "number" : quoted !== undefined ? "symbol" : name ? "name" : "sign", text: number ?? quoted ?? name ?? ALIKE[sign] ?? sign, from: start });
  }
  return tokens;
}

function readRule(data, text) {
  const reader = new RuleReader(data, ruleTokens(text));
  return reader.read();
}

class RuleReader {
  constructor(data, tokens) {
    Object.assign(this, { data, tokens, at: 0, nodes: [], known: new Map(), names: new Map() });
  }

  // Values are conditions {node} or sums {form: Map of nodes to factors, constant}.
  read() {
    for (;;) {
      const name = this.definition();
      const value = this.either();
      if (name !== null && name !== "accept") this.names.set(name, value);
      if (this.take(";")) {
        if (name === null) this.fail("a definition NAME := … before “;”");
        continue;
      }
      if (this.at < this.tokens.length) this.fail("the end");
      if (name !== null && name !== "accept") this.fail("a last part “accept iff …”");
      return { nodes: this.nodes, output: this.condition(value) };
    }
  }

  definition() {
    const [one, two] = this.tokens.slice(this.at, this.at + 2);
    if (one?.text === "accept" && (two?.text === "iff" || two?.text === "=")) this.at += 2;
    else if (one?.kind === "name" && two?.text === "=" && !["last", "i"].includes(one.text)) this.at += 2;
    else return null;
    return one.text;
  }

  next() { return this.tokens[this.at]; }

  take(...texts) {
    const token = this.next();
    if (!token || token.kind === "symbol" || !texts.includes(token.text)) return null;
    this.at += 1;
    return token.text;
  }

  fail(expected) {
    const token = this.next();
    throw new RuleError(`${token ? `At “${token.text}”` : "At the end"}: expected ${expected}.`);
  }

  need(text) {
    if (!this.take(text)) this.fail(`“${text}”`);
  }

  node(kind, node) {
    const key = `${kind} ${JSON.stringify(node)}`;
    if (!this.known.has(key)) {
      this.known.set(key, this.nodes.length);
      this.nodes.push([this.nodes.length, kind, node]);
    }
    return this.known.get(key);
  }

  condition(value) {
    if (value.node === undefined) this.fail("a comparison, such as “>= 0”, behind a sum");
    return value.node;
  }

  sum(value) {
    if (!value.form) this.fail("numbers and counts on both sides of a comparison");
    return value;
  }

  not(node) { return this.node("Not", { operand: String(node) }); }

  both(left, right) { return this.node("And", { left: String(left), right: String(right) }); }

  either() {
    let value = this.all();
    while (this.take("or")) {
      const [left, right] = [this.condition(value), this.condition(this.all())];
      value = { node: this.not(this.both(this.not(left), this.not(right))) };
    }
    return value;
  }

  all() {
    let value = this.negation();
    while (this.take("and")) value = { node: this.both(this.condition(value), this.condition(this.negation())) };
    return value;
  }

  negation() {
    if (this.take("not")) return { node: this.not(this.condition(this.negation())) };
    return this.comparison();
  }

  comparison() {
    const left = this.addition();
    const sign = this.take(">=", "<=", ">", "<", "=", "!=");
    if (!sign) return left;
    const difference = this.combine(this.sum(left), this.sum(this.addition()), -1n);
    const above = (value, threshold) => this.threshold(value, threshold);
    const opposite = this.combine({ form: new Map(), constant: 0n }, difference, -1n);
    switch (sign) {
      case ">=": return { node: above(difference, 0n) };
      case ">": return { node: above(difference, 1n) };
      case "<=": return { node: above(opposite, 0n) };
      case "<": return { node: above(opposite, 1n) };
      default: {
        const equal = this.both(above(difference, 0n), above(opposite, 0n));
        return { node: sign === "=" ? equal : this.not(equal) };
      }
    }
  }

  threshold({ form, constant }, least) {
    const terms = [...form].filter(([, factor]) => factor).map(([node, factor]) => [String(factor), String(node)]);
    if (!terms.length) return this.node("ConstantNode", { value: constant >= least });
    return this.node("ThresholdTest", { form: terms, threshold: String(least - constant) });
  }

  combine(left, right, factor) {
    const form = new Map(left.form);
    for (const [node, own] of right.form) form.set(node, (form.get(node) ?? 0n) + factor * own);
    return { form, constant: left.constant + factor * right.constant };
  }

  addition() {
    const zero = { form: new Map(), constant: 0n };
    const first = this.take("-", "+");
    let value = this.product();
    if (first) value = this.combine(zero, this.sum(value), first === "-" ? -1n : 1n);
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      value = this.combine(this.sum(value), this.sum(this.product()), sign === "-" ? -1n : 1n);
    }
    return value;
  }

  // A number times a count, with or without a sign between them.
  product() {
    if (this.next()?.kind !== "number") return this.single();
    const constant = BigInt(this.tokens[this.at].text);
    this.at += 1;
    const next = this.next();
    const times = this.take("*") || (next && next.kind === "sign" && next.text === "#");
    const zero = { form: new Map(), constant: 0n };
    return times ? this.combine(zero, this.sum(this.single()), constant) : { ...zero, constant };
  }

  single() {
    if (this.take("(")) {
      const value = this.either();
      this.need(")");
      return value;
    }
    if (this.take("#")) return { form: new Map([[this.counted(), 1n]]), constant: 0n };
    if (this.take("true")) return { node: this.node("ConstantNode", { value: true }) };
    if (this.take("false")) return { node: this.node("ConstantNode", { value: false }) };
    if (this.take("empty")) return { node: this.not(this.anySymbol()) };
    if (this.take("nonempty")) return { node: this.anySymbol() };
    if (this.take("last")) return { node: this.lastIs() };
    if (this.take("i")) return { node: this.residue() };
    const token = this.next();
    if (token?.kind === "symbol") return { node: this.symbol() };
    if (token?.kind === "name" && this.names.has(token.text)) {
      this.at += 1;
      return this.names.get(token.text);
    }
    return this.fail(token?.kind === "name" ? "a count such as #a, “last”, “i mod 2”, or a name that is defined; averages and cases are not read here" : "a count, a number or a condition");
  }

  counted() {
    if (this.take("(")) {
      const value = this.condition(this.either());
      this.need(")");
      return value;
    }
    const token = this.next();
    const code = token && token.kind !== "sign" ? this.data.alphabet.indexOf(token.text) : -1;
    if (code >= 0) {
      this.at += 1;
      return this.symbolTest(code);
    }
    const named = token?.kind === "name" && this.names.get(token.text);
    if (!named) this.fail(`a symbol of ${this.data.alphabet.join(" ")} behind #`);
    this.at += 1;
    return this.condition(named);
  }

  symbolTest(code) { return this.node("SymbolTest", { code: String(code) }); }

  symbol() {
    const token = this.next();
    const code = token && token.kind !== "sign" ? this.data.alphabet.indexOf(token.text) : -1;
    if (code < 0) this.fail(`a symbol of ${this.data.alphabet.join(" ")}`);
    this.at += 1;
    return this.symbolTest(code);
  }

  anyOf(nodes) { return nodes.slice(1).reduce((one, other) => this.not(this.both(this.not(one), this.not(other))), nodes[0]); }

  anySymbol() { return this.anyOf(this.data.alphabet.map((_, code) => this.symbolTest(code))); }

  // = x, != x, in {x, y}, not in {x, y}, with a reader of x.
  among(item) {
    const negated = Boolean(this.take("!=", "not"));
    if (!negated && this.take("=")) return item();
    if (negated && this.tokens[this.at - 1].text === "!=") return this.not(item());
    this.need("in");
    this.need("{");
    const nodes = [item()];
    while (this.take(",")) nodes.push(item());
    this.need("}");
    return negated ? this.not(this.anyOf(nodes)) : this.anyOf(nodes);
  }

  lastIs() { return this.among(() => this.symbol()); }

  residue() {
    if (this.take("even")) return this.node("Residue", { modulus: "2", residue: "0" });
    if (this.take("odd")) return this.node("Residue", { modulus: "2", residue: "1" });
    this.need("mod");
    const modulus = this.number();
    if (modulus === "0") this.fail("a modulus of at least 1");
    return this.among(() => this.node("Residue", { modulus, residue: this.number() }));
  }

  number() {
    const token = this.next();
    if (token?.kind !== "number") this.fail("a number");
    this.at += 1;
    return token.text;
  }
}
