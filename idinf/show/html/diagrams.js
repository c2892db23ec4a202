
// Booleans of a rule as decision diagrams: a node asks where its variable lies between thresholds. 0 is false, 1 is true.
// Beside them forms, {terms: [[feature, coefficient], …], constant}, of features that are 0 or 1. The same as in the library.

class Unpriced extends Error {}

// What a page prices at once is less than the library compiles into the family; the last three are as there.
const MAX_DIAGRAMS = 20000;
const MAX_VARIABLES = 64;
const MAX_COMPARED = 2000;
const MAX_MADE = 300;
const MAX_CONJUNCTIONS = 64;
const MAX_PERIOD = 1024;
const MAX_ENTRIES = 20e6;

const form = (terms, constant = 0) => ({ terms, constant });
const feature = (number) => form([[number, 1]]);
const NO_FORM = form([]);
const ONE_FORM = form([], 1);

function join(...parts) {
  const all = new Map();
  let constant = 0;
  for (const [part, factor] of parts) {
    constant += factor * part.constant;
    for (const [number, c] of part.terms) all.set(number, (all.get(number) ?? 0) + factor * c);
  }
  return form([...all].filter(([, c]) => c).sort(([one], [other]) => one - other), constant + 0);
}

const less = (one, other) => join([one, 1], [other, -1]);
const key = (value) => JSON.stringify(value);
const squares = (numbers) => numbers.reduce((all, c) => all + c * c, 0);
const norm = ({ terms }) => Math.sqrt(squares(terms.map(([, c]) => c)));
const range = (size, start = 0) => Array.from({ length: size }, (_, k) => start + k);
const divisor = (numbers) => Math.abs(numbers.reduce((a, b) => { while (b) [a, b] = [b, a % b]; return a; }, 0));
const coefficients = ({ terms }) => { const known = new Map(terms); return (number) => known.get(number) ?? 0; };

// √(1 + x²), rounded once: it decides between forms of equal size.
function hypotenuse(x) {
  const root = Math.sqrt(1 + x * x);
  const halves = (y) => { const high = 134217729 * y - (134217729 * y - y); return [high, y - high]; };
  const square = (y) => { const [a, b] = halves(y); return [y * y, ((a * a - y * y) + 2 * a * b) + b * b]; };
  const [[p, rest], [q, other]] = [square(x), square(root)];
  return root + ((1 - (q - p)) + (rest - other)) / (2 * root);
}

// The first of the options whose sizes are least, compared one after the other.
function least(options, sizes) {
  const rated = options.map((option) => [option, ...sizes(option)]);
  return rated.reduce((best, next) => {
    const place = next.findIndex((size, k) => k && size !== best[k]);
    return place > 0 && next[place] < best[place] ? next : best;
  })[0];
}

class Diagrams {
  constructor() { Object.assign(this, { layers: [], branches: [null, null], known: new Map() }); }

  // Something computed once.
  once(name, make) {
    if (!this.known.has(name)) this.known.set(name, make());
    return this.known.get(name);
  }

  variable(layer) {
    if (this.layers.length >= MAX_VARIABLES) throw new Unpriced();
    return this.layers.push(layer) - 1;
  }

  above(variable, threshold) { return this.node(variable, [threshold], [0, 1]); }

  among(variable, held) { return this.node(variable, range(held.length - 1), held.map(Number)); }

  node(variable, thresholds, children) {
    const kept = range(thresholds.length).filter((k) => children[k] !== children[k + 1]);
    if (!kept.length) return children[0];
    const branch = [variable, kept.map((k) => thresholds[k]), [...kept.map((k) => children[k]), children.at(-1)]];
    if (this.branches.length > MAX_DIAGRAMS) throw new Unpriced();
    return this.once(key(branch), () => this.branches.push(branch) - 1);
  }

  not(node) {
    if (node < 2) return 1 - node;
    return this.once(`not ${node}`, () => {
      const [variable, thresholds, children] = this.branches[node];
      const flipped = this.node(variable, thresholds, children.map((child) => this.not(child)));
      this.known.set(`not ${flipped}`, node);
      return flipped;
    });
  }

  both(left, right) {
    if (left === right || left === 0 || right === 1) return left;
    if (left === 1 || right === 0) return right;
    return this.once(`both ${Math.min(left, right)} ${Math.max(left, right)}`, () => {
      const [one, other] = [this.branches[left], this.branches[right]];
      const variable = this.rank(one[0], other[0]) <= 0 ? one[0] : other[0];
      const asked = [one, other].flatMap((branch) => (branch[0] === variable ? branch[1] : []));
      const thresholds = [...new Set(asked)].sort((a, b) => a - b);
      const child = (node, [of, own, children], bound) => (of === variable ? children[own.filter((t) => t <= bound).length] : node);
      return this.node(variable, thresholds, [-Infinity, ...thresholds].map((bound) => this.both(child(left, one, bound), child(right, other, bound))));
    });
  }

  either(left, right) { return this.not(this.both(this.not(left), this.not(right))); }

  choice(condition, then, otherwise) { return this.either(this.both(condition, then), this.both(this.not(condition), otherwise)); }

  rank(one, other) { return this.layers[one] - this.layers[other] || one - other; }

  // All parts of a diagram but the constants, children before parents.
  upwards(node) {
    const found = new Set();
    const visit = (part) => {
      if (part < 2 || found.has(part)) return;
      found.add(part);
      this.branches[part][2].forEach(visit);
    };
    visit(node);
    return [...found].sort((one, other) => this.rank(this.branches[one][0], this.branches[other][0]) || one - other).reverse();
  }

  variables(node) { return [...new Set(this.upwards(node).map((part) => this.branches[part][0]))].reverse(); }

  // Whether it holds for some value of every free variable.
  possible(node, free) {
    const found = new Map([[0, 0], [1, 1]]);
    for (const part of this.upwards(node)) {
      const [variable, thresholds, children] = this.branches[part];
      const results = children.map((child) => found.get(child));
      found.set(part, free.includes(variable) ? results.reduce((a, b) => this.either(a, b)) : this.node(variable, thresholds, results));
    }
    return found.get(node);
  }

  // What is asked from a layer on, each with the condition that leads there.
  remainders(node, layer) {
    const found = new Map([[0, new Map([[0, 1]])], [1, new Map([[1, 1]])]]);
    for (const part of this.upwards(node)) {
      const [variable, thresholds, children] = this.branches[part];
      if (this.layers[variable] >= layer) {
        found.set(part, new Map([[part, 1]]));
        continue;
      }
      const below = children.map((child) => found.get(child));
      const rests = new Set(below.flatMap((rows) => [...rows.keys()]));
      found.set(part, new Map([...rests].map((rest) => [rest, this.node(variable, thresholds, below.map((rows) => rows.get(rest) ?? 0))])));
    }
    return found.get(node);
  }

  groups(node) {
    const [variable, thresholds, children] = this.branches[node];
    return [...new Set(children)].map((child) => [this.node(variable, thresholds, children.map((one) => Number(one === child))), child]);
  }

  numPaths(node) {
    const counts = new Map([[0, 0], [1, 1]]);
    for (const part of this.upwards(node)) counts.set(part, [...new Set(this.branches[part][2])].reduce((all, child) => all + counts.get(child), 0));
    return counts.get(node);
  }

  paths(node) {
    if (node < 2) return node ? [[]] : [];
    return this.groups(node).flatMap(([here, child]) => this.paths(child).map((rest) => [here, ...rest]));
  }
}
