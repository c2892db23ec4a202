
// What happens at n in words.

const statusView = (data, container) => ({ n }) => container.replaceChildren(...stageSentences(data, n, judge(data, n)));

function* stageSentences(data, n, judged) {
  yield el("p", { class: "answer" }, `n = ${n} is `, gloss("good", verdictOf(judged)));
  if (judged.rStar === null) {
    yield el("p", {}, `No hypothesis that was found is right on all words up to length ${n}: R* is ${above(judged.lower)}, and what is selected is not known.`);
    const upper = data.hypotheses.find((hypothesis) => !hypothesis.record && hypothesis.checked >= n);
    if (upper) yield el("p", {}, "It is at most ", num(upper.r), `: the upper bound is right up to length ${upper.checked}.`);
    return;
  }
  const width = data.tolerance === null ? `1/${2 * n}` : bound(data.tolerance);
  yield el("p", {}, "Least ", gloss("r", "R"), ` of what is right up to length ${n}: `, gloss("r-star", "R*"), " = ", num(judged.rStar),
    ". ", gloss("selected", "Selected"), ` is all that costs up to R* + ${width} = `, num(judged.high), ".");
  yield countSentence(data, n, judged);
  const next = data.hypotheses.find((hypothesis) => hypothesis.record && isConsistent(hypothesis, n));
  if (!next) return;
  if (next.fail === null) yield el("p", {}, "The cheapest one left has R = ", num(next.r), `; no word up to length ${next.checked} rules it out.`);
  else if (next.word === null) yield el("p", {}, "Next to fall: R = ", num(next.r), `, at n = ${next.fail}.`);
  else yield el("p", {}, "Next to fall: R = ", num(next.r), `, at n = ${next.fail}, by the word `, wordButton(data, data.hypotheses.indexOf(next)), ".");
}

function countSentence(data, n, judged) {
  const least = judged.exact ? "" : "at least ";
  const wrong = judged.good === false
    ? `${least}${judged.bad} of them wrong on a word of length ≤ ${2 * n}`
    : judged.good ? `all right up to length ${2 * n}` : `none of them known to be wrong up to length ${2 * n}`;
  const sentence = el("p", {}, `Selected: ${least}${plural(judged.selected, "function", "functions")}, ${wrong}`);
  if (judged.word !== null) sentence.append(", for example on ", el("code", {}, wordText(judged.word)));
  sentence.append(".");
  const listed = judged.picks.length;
  if (listed < judged.selected) sentence.append(` The table has ${listed === 1 ? "one" : listed} of them, the others are no `, el("span", { class: "together" }, gloss("record", "records"), "."));
  return sentence;
}
