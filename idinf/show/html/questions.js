// Questions that mark their answers, as idinf/show/questions.py does: a choice, a number, a word, or a rule.

const NONE = ["none", "no", "never", "-"];

// {right, said, more}: right is null if the answer could not be read; more is said below.
function markAnswer(data, question, text) {
  const mark = { choice: markChoice, number: markNumber, word: markWord, rule: markRule }[question.form];
  return mark(question, text.trim(), data);
}

function markChoice({ options }, answer) {
  const chosen = options[Number(answer) - 1];
  if (!chosen) return { right: null, said: "Choose one of them." };
  return chosen.reason === null ? { right: true, said: "Right." } : { right: false, said: `No: ${chosen.reason}` };
}

function markNumber(question, answer) {
  const given = NONE.includes(answer.toLowerCase()) ? "none" : answer;
  if (given !== "none" && !/^\d{1,9}$/.test(given)) return { right: null, said: "Write a whole number, or none." };
  const plain = given === "none" ? given : String(Number(given));
  if (plain === question.answer) return { right: true, said: "Right." };
  const isNumbers = plain !== "none" && question.answer !== "none";
  const known = question.mistakes[plain] ?? (question.answer === "none" ? "there is none." : isNumbers ? `it is ${Number(plain) < Number(question.answer) ? "more" : "less"}.` : null);
  return { right: false, said: known ? `No: ${known}` : "No." };
}

function markWord(question, answer, data) {
  const { value: codes, message } = attempt(() => encode(data, answer));
  if (!codes) return { right: null, said: message };
  const read = wordText(spell(data, codes));
  const shown = ["ε", read].includes(wordText(answer)) ? read : `${answer} (read as ${read})`; // of letters that are not told apart
  const net = question.net ? readNet(question.net) : data.nets[question.place];
  const [accepts, own] = [targetAccepts(data, codes), runNet(net, codes).accepted];
  if (accepts === own) return { right: false, said: `No: both ${own ? "accept" : "reject"} ${shown}.` };
  if (codes.length > question.fail) {
    return { right: false, said: `It is wrong on ${shown}, but not first there: look for a word of ${plural(question.fail, "symbol", "symbols")}.` };
  }
  return { right: true, said: `Right: ${shown} is ${accepts ? "accepted" : "rejected"} by the target alone.` };
}


function markRule({ until }, answer, data) {
  const rule = data.rules.find(({ text }) => text === answer);
  if (!rule) return { right: null, said: "Choose one of them." };
  const { fail, checked } = rule;
  const more = [priceSentence(data, rule)];
  if (fail === null) return { right: true, said: `Right, on all words up to length ${checked}.`, more };
  const shown = rule.word === null ? `a word of length ${fail}` : wordText(rule.word);
  if (!fail) return { right: false, said: "No: it is wrong on ε already.", more };
  if (fail > until) return { right: true, said: `Right up to length ${fail - 1}; ${shown} shows that it is wrong.`, more };
  return { right: false, said: `No: it is wrong on ${shown}, and right on every shorter word.`, more };
}

const LABELS = { number: "Number, or none", word: "Word", rule: "Rule" };

// A question with its fields, and what is said of an answer. `marked` hears of every answer that is right or wrong.
function questionForm(data, question, name, marked) {
  const said = el("div", { class: "said", role: "status" });
  const form = el("form", { class: "question" }, el("p", { class: "asked", id: `${name}-asked` }, ...formulasIn(question.text)));
  if (question.form === "choice") form.append(el("fieldset", { "aria-labelledby": `${name}-asked` }, ...question.options.map(({ text }, k) => el("label", {},
    el("input", { type: "radio", name, value: k + 1, autocomplete: "off" }), " ", el("span", {}, ...formulasIn(text))))));
  else form.append(el("label", {}, LABELS[question.form], question.form === "rule" ? ruleList(data)
    : el("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: "false", "aria-describedby": `${name}-asked` })));
  form.append(el("button", { type: "submit" }, "Answer"), said);
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const given = question.form === "choice" ? form.querySelector("input:checked")?.value ?? "" : form.querySelector("input, select").value;
    const mark = markAnswer(data, question, given);
    const kind = { true: "right", false: "wrong", null: "unread" }[mark.right];
    said.replaceChildren(el("p", { class: `mark ${kind}` }, ...formulasIn(mark.said)), ...(mark.more ?? []));
    if (mark.right !== null) marked(mark.right);
  });
  return form;
}

// Formulas stand in single quotes, as in the sentences of reports; R shows three decimals or nine, an arXiv number all.
function formulasIn(text) {
  const numbersIn = (part) => part.split(/((?:^|(?<=[=<>≤≥] )|(?<=, )(?=[\d.]+\])|(?<=[[(])(?=[\d.]+, ))\d+\.\d{4,9}\b)/).map((piece, k) => (k % 2 ? num(Number(piece)) : piece));
  return text.split(/'([^']+)'/).flatMap((part, k) => (k % 2 ? [el("code", {}, part)] : numbersIn(part)));
}
