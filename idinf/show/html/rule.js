
// Rules in both notations of the library, read into one circuit: formulas as reports print them, `accept iff #1 - #0 >= 0`,
// and programs, `accept = # "0" <= # "1"`. What can stand in one may stand in the other. From loosest to tightest: if,
// or, and, not, comparisons, + and -, *, # and the sign. Values are conditions {node} or sums, as Gates has them.

const WORD = /([\p{L}\p{N}_]+)|(:=|>=|<=|==|!=|&&|\|\||[#%><=≥≤≠!()*·+\-−{},;∧∨¬/:[\]$])/uy;
const ALIKE = { "≥": ">=", "≤": "<=", "≠": "!=", "==": "=", "&&": "and", "∧": "and", "||": "or", "∨": "or", "!": "not", "¬": "not", "−": "-", "·": "*" };
const UNIT = /^u_*\d+$/;
const MAX_NESTED = 100; // as in the library, far from the end of the stack

class RuleError extends Error {}

// Texts in double quotes may hold any sign, so what is one goes by the alphabet first.
function ruleTokens(data, text) {
  const quoted = data.alphabet.map((symbol) => `"${symbol}"`).sort((one, other) => other.length - one.length);
  const tokens = [];
  let at = 0;
  const push = (kind, written, name = written) => {
    tokens.push({ kind, text: name });
    at += written.length;
  };
  for (;;) {
    at += text.slice(at).match(/^(?:\s|\/\/.*)*/)[0].length;
    if (at === text.length) return tokens;
    const symbol = quoted.find((one) => text.startsWith(one, at)) ?? text.slice(at).match(/^"[^"\n]+"/)?.[0];
    WORD.lastIndex = at;
    const found = symbol ? null : WORD.exec(text);
    if (symbol) push("symbol", symbol, symbol.slice(1, -1));
    else if (!found) throw new RuleError(`“${text.slice(at).trim().slice(0, 12)}” is not read here; expected counts like #${data.alphabet[0]}, numbers and comparisons.`);
    else if (found[1]) push(/^\d+$/.test(found[1]) ? "number" : "name", found[1]);
    else push("sign", found[2], ALIKE[found[2]] ?? found[2]);
  }
}

const readRule = (data, text) => new RuleReader(data, ruleTokens(data, text)).read();

class RuleReader extends Gates {
  constructor(data, tokens) {
    super();
    Object.assign(this, { data, tokens, at: 0, nested: 0, names: new Map() });
  }

  read() {
    for (;;) {
      const [name, sign] = this.definition();
      const value = this.expression();
      if (name && this.names.has(name)) this.fail(`a new name instead of a second ${name}`);
      if (name) this.names.set(name, UNIT.test(name) && value.node !== undefined ? { ...value, isUnit: true } : value);
      const separated = this.take(";");
      if (this.at === this.tokens.length) {
        if (sign === ":=") this.fail("a last part “accept iff …”");
        return { nodes: this.nodes, output: this.condition(value), averages: this.nodes.some(([, kind]) => kind === "Average") };
      }
      if (!name) this.fail(separated ? "a definition NAME := … before “;”" : "the end");
    }
  }

  // The name that is defined, and by which sign; nothing before a condition that stands alone.
  definition() {
    while (this.next("#") && this.next("import", 1)) this.at += 3;
    const [one, two] = this.tokens.slice(this.at, this.at + 2);
    const isNamed = one?.kind === "name" && two?.kind === "sign" && [":=", "="].includes(two.text) && !["last", "i"].includes(one.text);
    const isAccepted = one?.text === "accept" && two?.text === "iff";
    if (!isNamed && !isAccepted) return [null, null];
    this.at += 2;
    return [one.text, two.text];
  }

  // The token that follows, or comes some places later, if it is one of some texts and no symbol in quotes.
  next(text, later = 0) {
    const token = this.tokens[this.at + later];
    return token && token.kind !== "symbol" && token.text === text ? token : null;
  }

  take(...texts) {
    const found = texts.find((text) => this.next(text));
    if (found === undefined) return null;
    this.at += 1;
    return found;
  }

  kind(kind) {
    const token = this.tokens[this.at];
    if (token?.kind !== kind) return null;
    this.at += 1;
    return token.text;
  }

  fail(expected) {
    const token = this.tokens[this.at];
    if (["mod", "%", "even", "odd"].includes(token?.text)) throw new RuleError(this.data.modulo);
    throw new RuleError(`${token ? `At “${token.text}”` : "At the end"}: expected ${expected}.`);
  }

  need(text) {
    if (!this.take(text)) this.fail(`“${text}”`);
  }

  integer() { return this.kind("number") ?? this.fail("a number"); }

  deeper(read) {
    this.nested += 1;
    if (this.nested > MAX_NESTED) this.fail("a flatter rule, nested no more than 100 deep");
    const value = read();
    this.nested -= 1;
    return value;
  }

  list(read, end) {
    const items = [read()];
    while (this.take(",")) items.push(read());
    this.need(end);
    return items;
  }

  condition(value) { return value.node ?? this.fail("a comparison, such as “>= 0”, behind a sum"); }

  // A unit among summands is 1 where it holds.
  sum(value) {
    if (value.isUnit) return this.chosen(value.node, number(ONE), NOTHING);
    return value.counts ? value : this.fail("numbers and counts on both sides of a comparison");
  }

  // A sum where averages cannot stand.
  whole(value) {
    const sum = this.sum(value);
    if ([...sum.values.keys()].some((node) => this.isAverage(node)) || [...sum.counts.values(), ...sum.values.values(), sum.constant].some(({ d }) => d > 1n)) {
      this.fail("counts with whole factors; averages and fractions can only be added and compared");
    }
    return sum;
  }

  expression() {
    return this.deeper(() => {
      const value = this.anyOfAll();
      if (!this.take("if")) return value;
      const condition = this.condition(this.anyOfAll());
      this.need("else");
      return this.chosen(condition, this.whole(value), this.whole(this.expression()));
    });
  }

  anyOfAll() {
    let value = this.all();
    while (this.take("or")) value = { node: this.either(this.condition(value), this.condition(this.all())) };
    return value;
  }

  all() {
    let value = this.negation();
    while (this.take("and")) value = { node: this.both(this.condition(value), this.condition(this.negation())) };
    return value;
  }

  negation() {
    if (this.take("not")) return { node: this.not(this.condition(this.deeper(() => this.negation()))) };
    const left = this.addition();
    const sign = this.take(">=", "<=", ">", "<", "=", "!=");
    return sign ? { node: this.compare(sign, this.sum(left), this.sum(this.addition())) } : left;
  }

  addition() {
    let value = this.product();
    for (let sign = this.take("+", "-"); sign; sign = this.take("+", "-")) {
      value = combine(this.sum(value), this.sum(this.product()), sign === "-" ? MINUS_ONE : ONE);
    }
    return value;
  }

  product() {
    let value = this.factor();
    while (this.take("*") || (value.counts && isNumber(value) && this.isTerm())) {
      const [left, right] = [this.sum(value), this.sum(this.factor())];
      if (!isNumber(left) && !isNumber(right)) this.fail("a number on one side of “*”");
      value = isNumber(left) ? times(right, left.constant) : times(left, right.constant);
    }
    return value;
  }

  // Whether what follows a number is multiplied by it without a sign: 2 #a, 2 u1, 1/2 avg(#a).
  isTerm() {
    const token = this.tokens[this.at];
    return Boolean((this.next("#") && !this.next("import", 1)) || this.next("avg") || (token?.kind === "name" && this.names.get(token.text)?.isUnit));
  }

  factor() {
    if (this.take("-")) return times(this.sum(this.deeper(() => this.factor())), MINUS_ONE);
    if (this.take("+")) return this.sum(this.deeper(() => this.factor()));
    if (this.take("#")) return this.count();
    if (this.tokens[this.at]?.kind === "number") return number(this.fraction());
    if (this.take("(")) {
      const value = this.expression();
      this.need(")");
      return value;
    }
    const token = this.tokens[this.at];
    if (token?.kind === "symbol") return { node: this.symbol() };
    const value = this.named();
    if (value) return value;
    return this.fail(`${token?.kind === "name" ? "a name that is defined, " : ""}a count such as #${this.data.alphabet[0]}, a number or a condition`);
  }

  fraction() {
    const [above, below] = [this.integer(), this.take("/") ? this.integer() : "1"];
    if (BigInt(below) === 0n) this.fail("a denominator above 0");
    return readRational(`${above}/${below}`);
  }

  // What a word stands for: what it was defined as, or what the notation has it for.
  named() {
    const token = this.tokens[this.at];
    const known = token?.kind === "name" && this.names.get(token.text);
    if (known) this.at += 1;
    if (known) return known;
    if (this.take("true")) return { node: this.constant(true) };
    if (this.take("false")) return { node: this.constant(false) };
    if (this.take("empty")) return { node: this.not(this.anySymbol()) };
    if (this.take("nonempty")) return { node: this.anySymbol() };
    if (this.take("last")) return { node: this.lastIs() };
    if (this.take("i")) return { node: this.residue() };
    if (this.take("pos_even")) return { node: this.node("Residue", { modulus: "2", residue: "1" }) }; // counted from 0
    if (this.take("at")) return { node: this.atLeast() };
    if (this.take("{")) return { node: this.listed() };
    if (this.take("avg")) return this.weighed();
    const extremum = this.take("min", "max");
    return extremum && this.extremum(extremum === "min" ? "<=" : ">=");
  }

  extremum(sign) {
    this.need("(");
    const sums = this.list(() => this.whole(this.expression()), ")");
    if (sums.length !== 2) this.fail("two counts in brackets");
    return this.chosen(this.compare(sign, ...sums), ...sums);
  }

  atLeast() {
    this.need("least");
    const least = this.fraction();
    this.need("of");
    this.need("(");
    const votes = this.list(() => this.chosen(this.condition(this.expression()), number(ONE), NOTHING), ")");
    return this.compare(">=", votes.reduce((one, other) => combine(one, other, ONE)), number(least));
  }

  // {last = a: P, else: Q}, behind its bracket.
  listed() {
    const isLast = Boolean(this.take("else"));
    const guard = isLast ? null : this.condition(this.expression());
    this.need(":");
    const then = this.condition(this.expression());
    this.need(isLast ? "}" : ",");
    return isLast ? then : this.cases(guard, then, this.listed());
  }

  // Behind #: all positions so far, or those in the brackets of a mask.
  count() {
    const window = this.take("[") && this.mask();
    const node = this.counted();
    return window ? this.window(node, ...window) : this.total(node);
  }

  // Distances of [j = i-k], [j >= i-k], [j < i] or [pred2].
  mask() {
    const name = this.kind("name");
    const before = name?.match(/^pred(\d*)$/);
    if (before) {
      this.need("]");
      return [Number(before[1] || 1), Number(before[1] || 1)];
    }
    const sign = name === "j" && this.take("=", ">=", ">", "<", "<=");
    if (!sign || !this.take("i")) this.fail("a mask such as [j = i-1], [j >= i-2] or [j < i]");
    const distance = this.take("-") ? Number(this.integer()) : 0;
    this.need("]");
    return { "=": [distance, distance], ">=": [0, distance], ">": [0, distance - 1], "<": [distance + 1, Infinity], "<=": [distance, Infinity] }[sign];
  }

  // What stands behind #: a symbol, a name, or a condition in brackets.
  counted() {
    if (this.take("not")) return this.not(this.deeper(() => this.counted()));
    const token = this.tokens[this.at];
    const isKnown = token && (this.next("(") || this.names.has(token.text) || (["true", "false", "pos_even"].includes(token.text) && !this.data.alphabet.includes(token.text)));
    if (!isKnown || token.kind === "symbol") return this.symbol(" behind #");
    return this.condition(this.factor());
  }

  symbol(where = "") {
    const token = this.tokens[this.at];
    const code = token && token.kind !== "sign" ? this.data.alphabet.indexOf(token.text) : -1;
    if (code < 0) this.fail(`a symbol of ${this.data.alphabet.join(" ")}${where}`);
    this.at += 1;
    return this.node("SymbolTest", { code: String(code) });
  }

  anySymbol() { return this.anyOf(this.data.alphabet.map((_, code) => this.node("SymbolTest", { code: String(code) }))); }

  // = x, != x, in {x, y}, not in {x, y}, with a reader of x; what is read is seen as a whole: a set at a distance is one
  // count of all its symbols, as in the library.
  among(item, seen = (node) => node) {
    const sign = this.take("=", "!=");
    if (sign) {
      const node = seen(item());
      return sign === "=" ? node : this.not(node);
    }
    const negated = this.take("not");
    this.need("in");
    this.need("{");
    const node = seen(this.anyOf(this.list(item, "}")));
    return negated ? this.not(node) : node;
  }

  lastIs() {
    if (!this.take("-")) return this.among(() => this.symbol());
    const distance = this.integer();
    return this.among(() => this.symbol(), (node) => this.above(this.window(node, distance, distance)));
  }

  residue() {
    if (this.take("even")) return this.node("Residue", { modulus: "2", residue: "0" });
    if (this.take("odd")) return this.node("Residue", { modulus: "2", residue: "1" });
    this.need("mod");
    const modulus = this.integer();
    if (BigInt(modulus) === 0n) this.fail("a modulus of at least 1");
    return this.among(() => {
      const residue = this.integer();
      if (BigInt(residue) >= BigInt(modulus)) this.fail(`a residue below ${modulus}`);
      return this.node("Residue", { modulus, residue });
    });
  }

  // avg[φ(1)=1, #a given not u1=1/2, p=1](#a - #b), behind its name.
  weighed() {
    const entries = this.take("[") ? this.list(() => this.entry(), "]") : [];
    this.need("(");
    const sum = this.whole(this.expression());
    this.need(")");
    if (sum.values.size || sum.constant.n) this.fail("an average of counts of all positions, without numbers");
    const precision = entries.find(({ key }) => key === "p")?.logit ?? "0";
    if (!/^\d{1,2}$/.test(precision)) this.fail("a precision p from 0 to 99");
    return this.average(sum, entries.filter(({ key }) => key !== "p"), precision);
  }

  // A logit of an average.
  entry() {
    const entry = { key: this.take("$", "p", "φ", "#") ?? this.fail("$, p, φ(1) or #a in the brackets of an average") };
    if (entry.key === "φ") {
      this.need("(");
      entry.distance = this.integer();
      this.need(")");
    }
    if (entry.key === "#") entry.node = String(this.counted());
    if (this.take("given")) entry.given = { holds: !this.take("not"), node: String(this.condition(this.named() ?? this.fail("a unit"))) };
    this.need("=");
    const sign = this.take("-") ? MINUS_ONE : ONE;
    const logit = mul(sign, this.fraction());
    return { ...entry, logit: `${logit.n}/${logit.d}`.replace(/\/1$/, "") };
  }
}
