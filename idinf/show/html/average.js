
// Averages of rules, as heads with logits compute them: a position weighs N^a with N = 1 + the length of the whole word.

// Σ of features over positions 0..i by their weights; SOS has no feature, and a key of an entry adds its logit.
function averageOf({ terms, entries, precision }, { i, N, now, past }) {
  const p = Number(precision);
  const asked = entries.filter(({ given }) => !given || now.get(given.node) === given.holds);
  let [sum, total] = [ZERO, ZERO];
  for (let j = 0; j <= i; j += 1) {
    const isMet = { $: () => j === 0, φ: (entry) => Number(entry.distance) === i - j, "#": (entry) => past.get(entry.node)[j] };
    const logit = asked.filter((entry) => isMet[entry.key](entry)).reduce((all, entry) => add(all, readRational(entry.logit)), ZERO);
    const weight = roundedWeight(N, roundHalfEven(logit.n << BigInt(p), logit.d), p);
    const held = terms.filter(([, node]) => past.get(node)[j]).reduce((all, [factor]) => all + BigInt(factor), 0n);
    total = add(total, weight);
    sum = add(sum, mul(weight, rational(held)));
  }
  return total.n ? over(sum, total) : ZERO;
}

// Σ factor · count + Σ factor · value + constant, where values may be averages.
const exactSum = ({ constant, form, rest }, now, sum) => rest.reduce((all, [factor, node]) => {
  const value = now.get(node);
  return add(all, mul(rational(BigInt(factor)), typeof value === "bigint" ? rational(value) : value));
}, rational(BigInt(constant) + sum(form)));

// A word one symbol longer has another N, so the circuit runs on all of it again.
function stepAveraged(circuit, before, code) {
  const codes = before ? [...before.codes, code] : [];
  const N = BigInt(codes.length + 1);
  const { truths } = [null, ...codes].reduce((state, symbol) => stepCircuit(circuit, state, symbol, N), UNREAD);
  return { codes, truths };
}
