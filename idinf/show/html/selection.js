
// What the table (R, fail) of the report says at n.

const isConsistent = (hypothesis, n) => (hypothesis.fail === null ? n <= hypothesis.checked : hypothesis.fail > n);

// The cheapest record that is consistent, else the upper bound, else the last record.
function followed(data, n) {
  const place = data.hypotheses.findIndex((hypothesis) => isConsistent(hypothesis, n));
  return place >= 0 ? place : data.hypotheses.length - 1;
}

// The place of the hypothesis that a state shows; -1 if there is none.
const shownPlace = (data, state) => (state.record === "follow" ? followed(data, state.n) : Number(state.record) - 1);

// The word that a state shows: what rules out the hypothesis, else what ruled out the last one before it.
function shownWord(data, state) {
  if (state.word !== null) return state.word;
  const place = shownPlace(data, state);
  const fits = (text) => text !== null && split(data, text).length <= MAX_LENGTH;
  const words = data.hypotheses.slice(0, place + 1).map((hypothesis) => hypothesis.word).filter(fits);
  return words.length ? words[words.length - 1] : data.alphabet[0];
}

// What the report says of n itself, with the top of the window there and the records inside it.
function judge(data, n) {
  const stage = data.stages[n - 1];
  if (stage.rStar === null) return { ...stage, high: null, picks: [] };
  const high = stage.rStar + (data.tolerance ?? 1 / (2 * n));
  return { ...stage, high, picks: data.hypotheses.filter((hypothesis) => hypothesis.record && isConsistent(hypothesis, n) && hypothesis.r <= high + SAME_R) };
}

// Of a record at n under a judgement: ruled out, consistent, or selected.
const stateOf = (hypothesis, n, { picks }) => (picks.includes(hypothesis) ? "selected" : isConsistent(hypothesis, n) ? "consistent" : "out");

// What the target says: it is computed if the page has it, else it follows from a hypothesis right at this length.
function targetAccepts(data, codes) {
  if (data.target) return askedOf(data.target, codes).at(-1);
  const text = spell(data, codes);
  const right = data.hypotheses.findIndex((hypothesis) => hypothesis.checked >= codes.length);
  if (right >= 0) return runNet(data.nets[right], codes).accepted;
  const wrong = data.hypotheses.findIndex((hypothesis) => hypothesis.word === text);
  return wrong >= 0 ? !runNet(data.nets[wrong], codes).accepted : null;
}
