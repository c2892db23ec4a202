
// Guess first: a rule is chosen among those that were priced and compared when the page was written.

const ruleList = (data, id = null) => el("select", { id, autocomplete: "off" },
  el("option", { value: "" }, "choose one"), ...data.rules.map(({ text }) => el("option", {}, text)));

function guessView(data, container, act) {
  const list = ruleList(data, "rule");
  const answer = el("div", { role: "status" });
  container.append(
    el("p", {}, "Which rule would the learner settle on? Try one, and see on which word it fails, before you look at the ", el("span", { class: "together" }, gloss("record", "records"), ".")),
    el("p", {}, el("label", { for: "rule" }, "A rule to try"), list),
    answer,
    el("p", { class: "note" }, el("code", {}, "idinf demo --open"), " takes a rule of your own."));
  list.addEventListener("change", () => act.change({ rule: list.value }));
  let shown = null;
  return (state) => {
    const rule = data.rules.find(({ text }) => text === state.rule) ?? null;
    list.value = rule?.text ?? "";
    if (rule === shown) return;
    shown = rule;
    answer.replaceChildren(...(rule ? ruleSentences(data, rule, act) : []));
  };
}

function* ruleSentences(data, rule, act) {
  const { fail, word, checked } = rule;
  if (fail === null) yield el("p", { class: "answer" }, `Right on all words up to length ${checked}`);
  else if (word === null) yield el("p", { class: "answer" }, `Wrong on a word of length ${fail}`);
  else {
    const show = el("button", { type: "button", class: "word", "aria-label": `Compute the record that is followed on ${wordText(word)}` }, ...litWord(data, word));
    show.addEventListener("click", () => act.change({ word }, "word"));
    yield el("p", { class: "answer" }, "Wrong on ", show, fail ? ", right on every shorter word" : "");
  }
  yield priceSentence(data, rule);
}

// R of a rule; beside it the least R of what lasts as long.
function priceSentence(data, { text, r, fail, checked }) {
  const place = data.hypotheses.findIndex((hypothesis) => hypothesis.record && hypothesis.text === text);
  const n = Math.min((fail ?? checked + 1) - 1, data.maxN);
  const stage = n >= 1 ? data.stages[n - 1] : null;
  const least = stage === null ? ["."]
    : stage.rStar === null ? [`; the least R of what is right up to length ${n} is not known.`]
    : [`; the least of what is right up to length ${n} is R* = `, num(stage.rStar), "."];
  if (place >= 0) return el("p", {}, `It is record ${place + 1}, with R = `, num(r), ...least);
  if (r === null) return el("p", {}, "Its R is not computed", ...least);
  return el("p", {}, "Compiled as it is written, it costs R = ", num(r), ", an upper end: a cheaper net may be the same rule", ...least);
}
