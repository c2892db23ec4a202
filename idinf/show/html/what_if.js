
// What if the learner chose otherwise: another tolerance, R by the other aggregate, the canonical pick alone. This says
// what the report decides of it, and nothing more. Let R* = R*_n, H_m = R*_m + t(m) the top of the report's window at
// m, S_m = {h : fail(h) > m, R(h) ≤ H_m} what it selects there, and w_m the least fail in S_m, as far as it is known.
// Asked is S = {h : fail(h) > n, R(h) ≤ H} for another top H of the window at n. R*_n does not depend on a tolerance.
//
// Bad. h is in S if n < fail(h) and R(h) ≤ H, and then makes n bad if fail(h) ≤ 2n. The report knows such h from its
// records, and from the stages m with n < w_m ≤ 2n and H_m ≤ H: the worst of S_m has R ≤ H_m.
// Good. Let m ≤ n with H ≤ H_m. Then S lies in S_m. If m is good and all of S_m was counted, w_m is the least fail in S_m
// (none: nothing fails), so S is right up to 2n if w_m > 2n. For m = n good says this itself. S is not empty: R*_n ≤ H.
// Without such m something that is no record may have R in the window: the report does not say.
//
// The other aggregate. R by sum ≥ R by max, for every hypothesis. Let the report be by max, and h the record with
// R(h) = R*. If h costs the same by sum, then R* is that by sum as well, and what is selected by sum is selected by
// max: goodness carries over as above. Bad is proved by records alone, whose R by sum is computed from their matrices.
// If h costs more by sum, R* by sum is not known. If the report is by sum, something cheaper by max may be beyond what
// was searched. In a space of one layer with at most one head both are the same number, and nothing changes.
//
// The canonical pick at n is the first of what has R = R* and fail > n, whatever the tolerance. A record has the largest
// fail of its R: where it is at most 2n, the pick is bad. It is good where the window of width 0 is, and from the
// report's own n0 of the pick on; just before that it is bad. By sum instead of max, with R*
// the same: what has R = R* by sum has it by max, so the first two hold; the n0 of the pick need not.
//
// Values of R are rounded to 9 decimals; those within SAME_R count as equal, as in the library.

const atMost = (r, top) => r <= top + SAME_R;

// tolerance: null for 1/(2n), or a number; aggregate: "max" or "sum"; pick: "all" or "canonical".
const ownQuestion = (data) => ({ tolerance: data.tolerance, aggregate: data.aggregate, pick: "all" });
const questionOf = (data, state) => ({
  tolerance: { own: data.tolerance, rule: null, 0: 0, half: 0.5 }[state.tolerance],
  aggregate: state.aggregate === "own" ? data.aggregate : state.aggregate,
  pick: state.pick,
});

const isOwn = (data, asked) => asked.tolerance === data.tolerance && asked.pick === "all"
  && (asked.aggregate === data.aggregate || data.oneWay);

// {good, rStar, high, selected, bad, exact, word, worst, picks, reason}; counts are at least so much unless exact.
function judge(data, asked, n) {
  const stage = data.stages[n - 1];
  const nothing = { good: null, rStar: null, high: null, selected: 0, bad: 0, exact: false, word: null, worst: null, picks: [] };
  if (stage.rStar === null) return { ...nothing, reason: "No hypothesis that was found is right up to this length." };
  const same = asked.aggregate === data.aggregate || data.oneWay;
  const price = (hypothesis) => (same ? hypothesis.r : hypothesis.otherR ?? Infinity);
  const records = data.hypotheses.filter((hypothesis) => hypothesis.record);
  const first = records.find((hypothesis) => isConsistent(hypothesis, n));
  if (!first) return { ...nothing, reason: "The report shows no record that is right up to this length." };
  if (!same && data.aggregate === "sum") return { ...nothing, reason: "By max, something cheaper may lie beyond what was searched by sum." };
  if (!same && !atMost(price(first), first.r)) {
    return { ...nothing, reason: "The record selected here costs more by sum, so the least R by sum may belong to a hypothesis that is no record." };
  }
  const high = stage.rStar + (asked.pick === "canonical" ? 0 : asked.tolerance ?? 1 / (2 * n));
  const found = { ...nothing, rStar: stage.rStar, high };
  if (asked.pick === "canonical") return { ...found, ...judgePick(data, same, n, first) };
  found.picks = records.filter((hypothesis) => isConsistent(hypothesis, n) && atMost(price(hypothesis), high));
  if (isOwn(data, asked)) {
    const { good, selected, bad, exact, word, worst } = stage;
    return { ...found, good, selected, bad, exact, word, worst };
  }
  const wrong = found.picks.filter((hypothesis) => hypothesis.fail !== null && hypothesis.fail <= 2 * n);
  const whole = stage.rStar + slack(data, n);
  const includes = same && atMost(whole, high); // all that the report selects at n is selected
  const beyond = found.picks.filter((hypothesis) => !atMost(hypothesis.r, whole));
  found.selected = Math.max(found.picks.length, includes ? stage.selected + beyond.length : 0);
  found.bad = Math.max(wrong.length, includes ? stage.bad + beyond.filter((hypothesis) => wrong.includes(hypothesis)).length : 0);
  found.exact = stage.exact && atMost(high, whole) && stage.selected === found.selected;
  const seen = same ? worstKnown(data, n, high) : null;
  if (wrong.length) Object.assign(found, { worst: wrong[0].fail, word: wrong[0].word });
  if (seen && (found.worst === null || seen.worst < found.worst)) Object.assign(found, { worst: seen.worst, word: seen.word });
  if (seen || wrong.length) return { ...found, good: false, bad: Math.max(1, found.bad) };
  if (isGood(data, n, high)) return { ...found, good: true };
  return { ...found, reason: "Something that is no record may lie in the window; this report does not say." };
}

function judgePick(data, same, n, first) {
  const { n0Canonical } = data;
  const found = { picks: [first], selected: 1, exact: true };
  if (first.fail !== null && first.fail <= 2 * n) return { ...found, good: false, bad: 1, word: first.word, worst: first.fail };
  if (isGood(data, n, data.stages[n - 1].rStar)) return { ...found, good: true };
  if (same && n0Canonical !== null && n >= n0Canonical) return { ...found, good: true };
  if (same && n0Canonical !== null && n === n0Canonical - 1) return { ...found, good: false, bad: 1 };
  return { ...found, reason: "The pick may be another hypothesis of the same R than the record." };
}

// The least fail that makes n bad, of the worst functions of stages whose window ends below a top.
function worstKnown(data, n, high) {
  const known = data.stages.filter(({ rStar, worst }, k) => rStar !== null && worst !== null && worst > n && worst <= 2 * n
    && atMost(rStar + slack(data, k + 1), high));
  return known.reduce((least, stage) => (least && least.worst <= stage.worst && least.word !== null ? least : stage), null);
}

// Whether a stage proves that everything consistent at n with R up to a top is right up to length 2n.
const isGood = (data, n, high) => data.stages.some((stage, k) => {
  const m = k + 1;
  if (m > n || stage.good !== true || !atMost(high, stage.rStar + slack(data, m))) return false;
  return m === n || (stage.exact && (stage.worst === null || stage.worst > 2 * n));
});

// n0 of a question: {n0}, {none: true}, or {least, most}, the range in which the report leaves it; most null: unknown.
function findStart(data, asked) {
  const verdicts = data.stages.map((_, k) => judge(data, asked, k + 1).good);
  let n = data.maxN;
  while (n >= 1 && verdicts[n - 1] === true) n -= 1;
  if (n === data.maxN) return verdicts[n - 1] === false ? { none: true } : { least: verdicts.lastIndexOf(false) + 2, most: null };
  return n === 0 || verdicts[n - 1] === false ? { n0: n + 1 } : { least: verdicts.lastIndexOf(false) + 2, most: n + 1 };
}

function startText(data, asked) {
  const { n0, none, least, most } = findStart(data, asked);
  if (n0 !== undefined) return `n₀ = ${n0} for n ≤ ${data.maxN}`;
  if (none) return `no n₀ up to n = ${data.maxN}: n = ${data.maxN} is bad`;
  return most === null ? `n₀ is not decided; if there is one, n₀ ≥ ${least}` : `n₀ is between ${least} and ${most}; this report does not say where`;
}
