
// What happens at n in words, and the questions of "what if" with the reasons for which the report does not answer.

function statusView(data, container) {
  return ({ n, ...state }) => {
    const asked = questionOf(data, state);
    container.replaceChildren(...stageSentences(data, n, asked, judge(data, asked, n)));
  };
}

function* stageSentences(data, n, asked, judged) {
  const verdict = verdictOf(judged);
  yield el("p", { class: "answer" }, `n = ${n} is `, gloss("good", verdict), isOwn(data, asked) ? "" : el("small", {}, " under what you ask"));
  const stage = data.stages[n - 1];
  if (stage.rStar === null) {
    yield el("p", {}, `No hypothesis that was found is right on all words up to length ${n}: R* is ${above(stage.lower)}, and what is selected is not known.`);
    const upper = data.hypotheses.find((hypothesis) => !hypothesis.record && hypothesis.checked >= n);
    if (upper) yield el("p", {}, "It is at most ", num(upper.r), `: the upper bound is right up to length ${upper.checked}.`);
    return;
  }
  if (judged.rStar === null) {
    yield el("p", {}, judged.reason);
    return;
  }
  const width = asked.tolerance === null ? `1/${2 * n}` : bound(asked.tolerance);
  const least = ["Least ", gloss("r", "R"), ` of what is right up to length ${n}: `, gloss("r-star", "R*"), " = ", num(judged.rStar)];
  if (asked.pick === "canonical") yield el("p", {}, ...least, ". Picked is the ", gloss("canonical", "first"), " of that R.");
  else yield el("p", {}, ...least, ". ", gloss("selected", "Selected"), ` is all that costs up to R* + ${width} = `, num(judged.high), ".");
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
  if (judged.reason) sentence.append(` ${judged.reason}`);
  return sentence;
}

function whatIfView(data, container, act) {
  const groups = [
    ["tolerance", "Tolerance", "window", toleranceOptions(data)],
    ["aggregate", "R over layers and heads", "r", [data.aggregate, data.aggregate === "max" ? "sum" : "max"].map((name, k) => [k ? name : "own", name])],
    ["pick", "The learner may pick", "canonical", [["all", "anything selected"], ["canonical", "the first alone"]]],
  ];
  const answer = el("p", { class: "what-answer", role: "status" });
  const boxes = groups.map(([name, title, word, options]) => {
    const fields = options.map(([value, label]) => {
      const reason = value === options[0][0] ? null : whyNot(data, { ...DEFAULTS, [name]: value });
      const input = el("input", { type: "radio", name, value, autocomplete: "off", disabled: reason !== null });
      input.addEventListener("change", () => act.change({ [name]: value }));
      return [el("label", {}, input, ` ${label}`), ...(reason ? [el("span", { class: "note" }, ` ${reason}`)] : [])];
    });
    return el("fieldset", {}, el("legend", {}, gloss(word, title)), ...fields.flat());
  });
  container.append(...boxes, answer);
  container.addEventListener("toggle", () => act.change({ what: container.open }));
  return (state) => {
    container.open = state.what;
    for (const input of container.querySelectorAll("input")) input.checked = input.value === state[input.name];
    const asked = questionOf(data, state);
    const undecided = data.stages.filter((stage, k) => stage.rStar !== null && judge(data, asked, k + 1).good === null).length;
    const left = undecided ? ` The report leaves ${undecided} of ${data.maxN} values of n open.` : "";
    answer.textContent = `${isOwn(data, asked) ? "As the report asks" : "Then"}: ${data.settled || !isOwn(data, asked) ? startText(data, asked) : data.never ? "there is no n₀" : "n₀ is not decided"}.${left}`;
  };
}

// The tolerance of the report first.
function toleranceOptions(data) {
  const all = [["rule", "1/(2n)", null], ["0", "0", 0], ["half", "1/2", 0.5]];
  const own = all.find(([, , value]) => value === data.tolerance) ?? ["", bound(data.tolerance), data.tolerance];
  return [["own", own[1]], ...all.filter((option) => option !== own).map(([value, label]) => [value, label])];
}

// Why a question cannot be answered at any n at which the report itself has an answer; null if it can at some.
function whyNot(data, state) {
  const asked = questionOf(data, state);
  const reasons = data.stages.map((_, k) => judge(data, asked, k + 1)).filter((judged, k) => data.stages[k].rStar !== null);
  if (reasons.some((judged) => judged.good !== null)) return null;
  return reasons.length ? reasons[0].reason : "R* is not known at any n.";
}
