
// Guess first: a rule is compared with the target on all words in the order of their length, up to a number of words.

const MAX_WORDS = 1 << 14;
const LONGEST = 64; // over one symbol
const MAX_AVERAGED = 1 << 11; // of a rule with averages, which runs on every word from its start
const MAX_NET_WORDS = 1 << 9; // where a hypothesis has no formula that is read here, it runs itself

// The first word on which some machines of truth values disagree with others, and up to which length it was looked.
// Words that begin alike share the states of their machines.
function firstDifference(data, one, other, counts) {
  const most = one.averages || other.averages ? MAX_AVERAGED : MAX_WORDS;
  const machines = [one, other, ...(counts ? [counts] : [])];
  const start = { codes: [], states: machines.map((machine) => stepMachine(machine, null, null)) };
  let level = [start];
  let seen = 1;
  for (let length = 0; ; length += 1) {
    for (const { codes, states } of level) {
      const [first, second, counted] = states.map((state) => state.truths[0]);
      if (first !== second && counted !== false) return { word: codes, looked: length };
    }
    seen += level.length * data.alphabet.length;
    if (seen > most || length === LONGEST) return { word: null, looked: length };
    level = level.flatMap(({ codes, states }) => data.alphabet.map((_, code) => (
      { codes: [...codes, code], states: states.map((state, k) => stepMachine(machines[k], state, code)) })));
  }
}

// The record that is the same function as a rule, as far as it was looked; null if there is none.
function sameRecord(data, circuit, fail, looked) {
  const { machines: [machine], domain } = data.target;
  for (const [place, hypothesis] of data.hypotheses.entries()) {
    if (fail === null && hypothesis.checked >= looked) return { place, looked };
    if (!hypothesis.record || hypothesis.fail !== fail) continue;
    let own = null;
    try {
      own = readRule(data, hypothesis.text);
    } catch (problem) {
      if (!(problem instanceof RuleError)) throw problem;
    }
    const met = own ? firstDifference(data, own, circuit, domain) : netDifference(data, place, circuit, domain);
    if (met.word === null) return { place, looked: met.looked };
  }
  return null;
}

function netDifference(data, place, circuit, domain) {
  const { output } = circuit;
  const words = [[]];
  let seen = 0;
  for (const codes of words) {
    const counted = !domain || runMachine(domain, codes).at(-1)[0];
    if (counted && runMachine({ ...circuit, output }, codes).at(-1)[0] !== runNet(data.nets[place], codes).accepted) return { word: codes, looked: codes.length };
    if (words.length + data.alphabet.length <= MAX_NET_WORDS) for (const code of data.alphabet.keys()) words.push([...codes, code]);
    seen = codes.length;
  }
  const full = words.filter((codes) => codes.length === seen).length === data.alphabet.length ** seen;
  return { word: null, looked: full ? seen : seen - 1 };
}

// Rules to begin with.
function suggestions(data) {
  const written = data.alphabet.map((symbol) => (/^[\p{L}\p{N}]+$/u.test(symbol) ? symbol : `"${symbol}"`));
  const [a, b = a] = written;
  const about = ["true", `last = ${b}`, `last != ${a}`, `#${b} >= 1`, `#${a} = 0`, `#${a} = #${b}`, `#${b} - #${a} >= 0`, `#${b} <= 1`, "i even", `#${b} - #${a} > 0 or last = ${b}`];
  return a === b ? [`#${a} >= 1`, `#${a} >= 2`, "i even", "empty", "true"] : about;
}

function guessView(data, container, act) {
  const input = el("textarea", { id: "rule", rows: "1", autocomplete: "off", autocapitalize: "off", spellcheck: "false", placeholder: `#${data.alphabet[0]} >= 2`, "aria-describedby": "rule-hint" });
  const list = el("select", { id: "rules", autocomplete: "off" }, el("option", { value: "" }, "choose one"), ...suggestions(data).map((text) => el("option", {}, text)));
  const answer = el("div", { id: "guess-answer", role: "status" });
  container.append(
    el("p", {}, "Which rule would the learner settle on? Write one, and see on which word it fails, before you look at the ", el("span", { class: "together" }, gloss("record", "records"), ".")),
    el("div", { class: "fields" },
      el("div", {}, el("label", { for: "rule" }, "A word is accepted iff"), input,
        el("p", { class: "note", id: "rule-hint" }, `#${data.alphabet[0]} counts; also last = ${data.alphabet[0]}, i mod 2 = 0, and, or, not; formulas of reports and whole programs.`)),
      el("div", {}, el("label", { for: "rules" }, "Or take one"), list)),
    answer);
  input.addEventListener("input", () => act.change({ rule: input.value }));
  list.addEventListener("change", () => list.value && act.change({ rule: list.value }));
  let shown = null;
  return (state) => {
    if (input.value !== state.rule) input.value = state.rule;
    const text = state.rule.trim();
    if (text === shown) return;
    shown = text;
    list.value = suggestions(data).includes(text) ? text : "";
    answer.replaceChildren(...(text ? guessSentences(data, text, act) : []));
    input.setAttribute("aria-invalid", String(answer.querySelector(".error") !== null));
  };
}

function* guessSentences(data, text, act) {
  let circuit;
  try {
    circuit = readRule(data, text);
  } catch (problem) {
    if (!(problem instanceof RuleError)) throw problem;
    yield el("p", { class: "error" }, problem.message);
    return;
  }
  const { machines: [machine], domain } = data.target;
  const { word, looked } = firstDifference(data, circuit, machine, domain);
  const fail = word === null ? null : word.length;
  if (word === null) yield el("p", { class: "answer" }, `Right on all words up to length ${looked}`);
  else {
    const spelled = spell(data, word);
    const accepts = runMachine(machine, word).at(-1)[0];
    const show = el("button", { type: "button", class: "word", "aria-label": `Compute the record that is followed on ${wordText(spelled)}` }, ...litWord(data, spelled));
    show.addEventListener("click", () => act.change({ word: spelled }, "word"));
    yield el("p", { class: "answer" }, "Wrong on ", show);
    yield el("p", {}, `The target ${accepts ? "accepts" : "rejects"} this word, your rule ${accepts ? "rejects" : "accepts"} it. On every shorter word it is right.`);
  }
  yield priceSentence(data, circuit, fail, looked, text);
}

// R of the hypothesis of the page that is the same rule, or of the rule compiled; beside it the least R of what lasts as long.
function priceSentence(data, circuit, fail, looked, text) {
  const same = sameRecord(data, circuit, fail, looked);
  const n = fail === null ? Math.min(looked, data.maxN) : Math.min(fail - 1, data.maxN);
  const stage = n >= 1 ? data.stages[n - 1] : null;
  const least = stage === null ? ["."]
    : stage.rStar === null ? [`; the least R of what is right up to length ${n} is not known.`]
    : [`; the least of what is right up to length ${n} is R* = `, num(stage.rStar), "."];
  const r = same ? null : priceRule(data, text);
  if (!same && r === null) return el("p", {}, "It is none of the hypotheses below, and more than this page can price; ", el("code", {}, priceCommand(data, text)), ` says its R${data.aggregate === "sum" ? " by max" : ""}`, ...least);
  if (!same) return el("p", {}, "It is none of the hypotheses below. Compiled as it is written, it costs R = ", num(r), ", an upper end: a cheaper net may be the same rule", ...least);
  const hypothesis = data.hypotheses[same.place];
  const name = hypothesis.record ? `record ${same.place + 1}` : "the upper bound";
  return el("p", {}, `Up to length ${same.looked} it is the same as ${name}, with R = `, num(hypothesis.r), ...least);
}
