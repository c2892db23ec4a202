
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);

const MAX_LENGTH = 64; // longer words would make tables that nobody reads
const SAME_R = 2e-9; // R is written with 9 decimals and compared with 1e-9

// Texts enter the page as text nodes only.
function el(name, attributes = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
}

const rText = (r) => r.toFixed(9);
const bound = (r) => r.toFixed(9).replace(/\.?0+$/, "");
const wordText = (text) => (text === "" ? "ε" : text);
const minus = (text) => text.replace("-", "−");
const fraction = (x) => minus(x.d === 1n ? `${x.n}` : `${x.n}/${x.d}`);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;
const nets = data.hypotheses.map((hypothesis) => readNet(hypothesis.net));

// 1. What is consistent, what is selected

const isConsistent = (hypothesis, n) => (hypothesis.fail === null ? n <= hypothesis.checked : hypothesis.fail > n);
const slack = (n) => data.tolerance ?? 1 / (2 * n);

function isSelected(hypothesis, n) {
  const { rStar } = data.stages[n - 1];
  if (rStar === null || !hypothesis.record) return false;
  return isConsistent(hypothesis, n) && hypothesis.r <= rStar + slack(n) + SAME_R;
}

// The cheapest record that is consistent, else the upper bound, else the last record.
function followed(n) {
  const place = data.hypotheses.findIndex((hypothesis) => isConsistent(hypothesis, n));
  return place >= 0 ? place : data.hypotheses.length - 1;
}

function showStage(n) {
  const stage = data.stages[n - 1];
  const name = stage.good === null ? "undetermined" : stage.good ? "good" : "bad";
  byId("n-shown").textContent = n;
  byId("n").setAttribute("aria-valuetext", `n = ${n}, ${name}`);
  for (const mark of document.querySelectorAll(".strip i")) mark.classList.toggle("now", Number(mark.dataset.n) === n);
  for (const body of document.querySelectorAll("#records tbody")) {
    const hypothesis = data.hypotheses[body.dataset.hypothesis];
    const selected = isSelected(hypothesis, n);
    const state = selected ? "selected" : isConsistent(hypothesis, n) ? "consistent" : "out";
    body.className = state;
    body.querySelector(".state").textContent = { selected: "● selected", consistent: "○ consistent", out: "✕ ruled out" }[state];
  }
  byId("status").replaceChildren(...stageSentences(n, stage, name));
}

function* stageSentences(n, stage, name) {
  yield el("p", { class: "answer" }, `n = ${n} is ${name}`);
  if (stage.rStar === null) {
    yield el("p", {}, `No hypothesis that was found is right on all words up to length ${n}: R* is above ${bound(stage.lower)}, and what is selected is not known.`);
    const upper = data.hypotheses.find((hypothesis) => !hypothesis.record && hypothesis.checked >= n);
    if (upper) yield el("p", {}, `It is at most ${rText(upper.r)}: the upper bound of section 3 is right up to length ${upper.checked}.`);
    return;
  }
  const window = data.tolerance === null ? `1/${2 * n}` : bound(data.tolerance);
  yield el("p", {}, `The least R of what is right up to length ${n} is R* = ${rText(stage.rStar)}. Selected is what is right so far and has R ≤ R* + ${window} = ${rText(stage.rStar + slack(n))}.`);
  const least = stage.exact ? "" : "at least ";
  const wrong = stage.bad
    ? `${least}${stage.bad} of them wrong on a word of length ≤ ${2 * n}`
    : stage.good ? `all right up to length ${2 * n}` : `none of them known to be wrong up to length ${2 * n}`;
  const selected = `Selected: ${least}${plural(stage.selected, "function", "functions")}, ${wrong}`;
  const sentence = el("p", {}, selected);
  if (stage.word !== null) sentence.append(", for example on ", el("code", {}, wordText(stage.word)));
  sentence.append(".");
  const listed = data.hypotheses.filter((hypothesis) => isSelected(hypothesis, n)).length;
  if (listed < stage.selected) sentence.append(` The table has ${listed === 1 ? "one" : listed} of them, the others are no records.`);
  yield sentence;
  const next = data.hypotheses.find((hypothesis) => hypothesis.record && isConsistent(hypothesis, n));
  if (!next) return;
  if (next.fail === null) {
    yield el("p", {}, `The cheapest one left has R = ${rText(next.r)}; no word up to length ${next.checked} rules it out.`);
  } else {
    yield el("p", {}, `Next to fall: R = ${rText(next.r)}, at n = ${next.fail}, by the word `, wordButton(next), ".");
  }
}

function wordButton(hypothesis) {
  const place = data.hypotheses.indexOf(hypothesis);
  const text = wordText(hypothesis.word);
  const attributes = { type: "button", class: "word", "data-word": hypothesis.word, "data-hypothesis": place };
  return el("button", { ...attributes, "aria-label": `Compute it on ${text}` }, text);
}

// 2. A word, computed

function encode(text) {
  const tokens = data.spaced ? text.split(/\s+/).filter(Boolean) : [...text.trim()];
  if (text.trim() === "ε" && !data.alphabet.includes("ε")) return [];
  const codes = tokens.map((token) => data.alphabet.indexOf(token));
  const place = codes.indexOf(-1);
  if (place >= 0) {
    const shown = tokens[place].trim() === "" ? "a blank" : `“${tokens[place]}”`;
    throw new RangeError(`Position ${place + 1} holds ${shown}, which is not in the alphabet; expected symbols of ${data.alphabet.join(" ")}.`);
  }
  if (codes.length > MAX_LENGTH) {
    throw new RangeError(`This word has ${codes.length} symbols; tables are drawn up to ${MAX_LENGTH}. “idinf eval” takes longer ones.`);
  }
  return codes;
}

// What the target says: it is computed if the page has it, else it follows from a hypothesis right at this length.
function targetAccepts(codes) {
  if (data.target) return askedOf(data.target, codes).at(-1);
  const text = spell(codes);
  const right = data.hypotheses.findIndex((hypothesis) => hypothesis.checked >= codes.length);
  if (right >= 0) return runNet(nets[right], codes).accepted;
  const wrong = data.hypotheses.findIndex((hypothesis) => hypothesis.word === text);
  return wrong >= 0 ? !runNet(nets[wrong], codes).accepted : null;
}

function compute() {
  const input = byId("word");
  const error = byId("word-error");
  const choice = byId("hypothesis").value;
  const place = choice === "follow" ? followed(Number(byId("n").value)) : Number(choice);
  let message = "";
  if (place >= 0) {
    try {
      const codes = encode(input.value);
      const trace = runNet(nets[place], codes);
      byId("verdict").replaceChildren(...verdictSentences(codes, trace, place));
      byId("trace").replaceChildren(...traceTables(codes, trace, place));
    } catch (problem) {
      if (!(problem instanceof RangeError)) throw problem;
      message = problem.message;
      byId("verdict").replaceChildren();
      byId("trace").replaceChildren();
    }
  }
  markScrolling();
  input.setAttribute("aria-invalid", String(message !== ""));
  if (error.textContent !== message) error.textContent = message;
}

const isSame = (one, other) => one.length === other.length && one.every((symbol) => other.includes(symbol));

// Positions where something is asked, and those of them where a hypothesis is wrong.
function judgedPlaces(codes, trace) {
  const asked = askedOf(data.target, codes);
  const places = asked.map((_, i) => i).filter((i) => asked[i] !== null);
  return { asked, places, wrong: places.filter((i) => !isSame(asked[i], trace.named[i])) };
}

function* namedSentences(codes, trace, place) {
  const hypothesis = data.hypotheses[place];
  const { places, wrong } = judgedPlaces(codes, trace);
  const at = wrong.length === 1 ? "position" : "positions";
  const verdict = wrong.length ? `wrong at ${at} ${wrong.join(", ")}` : places.length ? "right at every position asked" : "nothing is asked";
  yield el("p", { class: "answer" }, el("code", {}, wordText(spell(codes))), ` → ${verdict}`);
  yield el("p", {}, el("code", {}, hypothesis.text || "The hypothesis"), ` (R = ${rText(hypothesis.r)}), with N = ${codes.length + 1} at every position.${outsideText(codes)}`);
}

function nextTable(codes, trace, tokens) {
  const { asked, wrong } = judgedPlaces(codes, trace);
  const title = data.target.answer === "set" ? "The symbols that may follow" : "The symbol that follows";
  const note = asked.includes(null) ? "; · stands where nothing is asked" : "";
  const rows = [
    ["hypothesis", trace.named.map(setText)],
    ["target", asked.map((set) => (set ? setText(set) : "·"))],
    ["right", asked.map((set, i) => (set ? (wrong.includes(i) ? "✕" : "✓") : "·"))],
  ];
  return textTable(`${title} after each position; $ is the end, – is nothing${note}`, tokens, rows, "next", wrong);
}

const outsideText = (codes) => (!data.target || inDomain(data.target, codes) ? "" : " This word is outside the domain: it does not count.");
const setText = (set) => set.join(" ") || "–";
const spell = (codes) => codes.map((code) => data.alphabet[code]).join(data.spaced ? " " : "");

function* verdictSentences(codes, trace, place) {
  if (trace.named) {
    yield* namedSentences(codes, trace, place);
    return;
  }
  const hypothesis = data.hypotheses[place];
  const word = wordText(spell(codes));
  const verdict = trace.accepted ? "accept" : "reject";
  const target = targetAccepts(codes);
  const judged = target === null
    ? ": what the target says on it does not follow from this report."
    : target === trace.accepted ? ` is right: the target says ${verdict}.` : ` is wrong: the target says ${target ? "accept" : "reject"}.`;
  yield el("p", { class: "answer" }, el("code", {}, word), ` → ${verdict}`);
  yield el("p", {}, el("code", {}, hypothesis.text || "The hypothesis"), ` (R = ${rText(hypothesis.r)})${judged}${outsideText(codes)}`);
}

function* traceTables(codes, trace, place) {
  const { names } = data.hypotheses[place];
  const net = nets[place];
  const tokens = ["$", ...codes.map((code) => data.alphabet[code])];
  if (trace.named) yield nextTable(codes, trace, tokens);
  yield el("p", { class: "note" }, `Position 0 holds $, the start; N = ${tokens.length} is the length with it. Logits are scaled by log N, so a weight is N to the power of its logit${net.precision ? `, rounded to multiples of 1/${1n << BigInt(net.precision)}` : ""}.`);
  yield streamDetails("Inputs: embedding plus position", trace.inputs, names, tokens, "inputs");
  for (const [l, layer] of trace.layers.entries()) {
    const box = el("div", { class: "layer" }, el("h3", {}, `Layer ${l + 1}`));
    for (const [h, head] of layer.heads.entries()) box.append(...headTables(net.layers[l].heads[h], head, l, h, names, tokens));
    box.append(...unitTables(net.layers[l], layer, l, names, tokens));
    box.append(streamDetails(`The whole stream after layer ${l + 1}`, layer.outputs, names, tokens, `stream-${l}`));
    yield box;
  }
  yield* net.output ? outputRows(net, trace, names, tokens) : outputSentences(net, trace, names);
}

function* headTables(head, trace, l, h, names, tokens) {
  yield el("h4", {}, `Head ${h + 1}`);
  yield el("p", { class: "note" }, logitText(head, names));
  const kind = document.querySelector("input[name=kind]:checked").value;
  const caption = { attention: "Shares α", weights: "Weights", logits: "Logits a" }[kind];
  const rows = trace[kind].map((row, i) => [`query ${i} ${tokens[i]}`, row, trace.attention[i]]);
  yield table(`${caption} of each query (row) to each key (column)`, "", tokens, rows, `${kind}-${l}-${h}`, "shade");
  const used = names.map((_, place) => place).filter((place) => head.V[place].length);
  if (!used.length) {
    yield el("p", { class: "note" }, "V = 0: this head adds nothing.");
    return;
  }
  for (const place of used) yield el("p", { class: "note" }, `${names[place]}: value ${linear(head.V[place], names)}`);
  const values = used.flatMap((place) => [
    [`value of ${names[place]}`, trace.values.map((value) => value[place])],
    [`attended`, trace.attended.map((sum) => sum[place])],
  ]);
  yield table("Values, and their averages with the shares α", "", tokens, values, `attended-${l}-${h}`);
}

function* unitTables(parameters, trace, l, names, tokens) {
  yield el("h4", {}, parameters.A.length === 1 ? "Unit" : "Units");
  const rows = [];
  for (const [u, row] of parameters.A.entries()) {
    const bias = parameters.b[u].n ? [[-1, parameters.b[u]]] : [];
    const relu = parameters.activation[u] === "relu";
    yield el("p", { class: "note" }, `unit ${l + 1}.${u + 1} ${relu ? "is z if z > 0, else 0" : "is 1 if z > 0, else 0"}; z = ${linear([...row, ...bias], names)}`);
    rows.push([`z of unit ${l + 1}.${u + 1}`, trace.before.map((z) => z[u])]);
    rows.push([`unit ${l + 1}.${u + 1}`, trace.units.map((unit) => unit[u]), null, "on"]);
  }
  yield table("Units before and after their threshold", "", tokens, rows, `units-${l}`);
}

function* outputSentences(net, trace, names) {
  const row = net.unembedding[net.row];
  const value = trace.logits[net.row];
  yield el("h3", {}, "Output");
  yield el("p", { id: "output" }, `At the last position ${linear(row, names)} = ${fraction(value)}. A word is accepted if this is above ${fraction(net.threshold)}: `, el("strong", {}, trace.accepted ? "accept" : "reject"), ".");
  if (trace.logits.length > 1) yield el("p", { class: "note" }, `All output rows: ${trace.logits.map(fraction).join(", ")}.`);
}

function* outputRows(net, trace, names, tokens) {
  const { kind, symbols, rows } = net.output;
  const rule = kind === "set" ? `A symbol may follow where its row is above ${fraction(net.threshold)}.` : "The symbol with the largest row follows, of equal ones the first.";
  yield el("h3", {}, "Output");
  yield el("p", { id: "output" }, `U y at every position, one row for each next symbol. ${rule}`);
  for (const [k, symbol] of symbols.entries()) yield el("p", { class: "note" }, `${symbol}: ${linear(net.unembedding[rows[k]], names)}`);
  const own = symbols.map((symbol, k) => [symbol, trace.everywhere.map((values) => values[rows[k]]), null, "", trace.named.map((set) => set.includes(symbol))]);
  yield table("Rows of U y; those of symbols that follow are marked", "", tokens, own, "output");
}

function logitText(head, names) {
  const parts = head.phi.flatMap((value, k) => (value.n ? [`φ(${k}) = ${fraction(value)}`] : []));
  const M = new Map();
  head.K.forEach((keys, r) => {
    for (const [key, x] of keys) for (const [query, y] of head.Q[r]) {
      const pair = `${key} ${query}`;
      M.set(pair, add(M.get(pair) ?? ZERO, mul(x, y)));
    }
  });
  for (const [pair, value] of M) {
    const [key, query] = pair.split(" ").map(Number);
    if (value.n) parts.push(`${fraction(value)} from a query with ${names[query]} to a key with ${names[key]}`);
  }
  return parts.length ? `Logits: ${parts.join("; ")}; else 0.` : "Uniform attention: every logit is 0, every weight 1.";
}

// Σ entry · [name]; place −1 is the constant.
function linear(row, names) {
  const terms = row.map(([place, x], k) => {
    const size = { n: x.n < 0n ? -x.n : x.n, d: x.d };
    const sign = x.n < 0n ? (k ? " − " : "−") : k ? " + " : "";
    if (place < 0) return sign + fraction(size);
    return `${sign}${size.n === size.d ? "" : `${fraction(size)} · `}[${names[place]}]`;
  });
  return terms.join("") || "0";
}

const positionHeads = (tokens) => tokens.map((token, i) => el("th", { scope: "col" }, el("small", {}, `${i}`), token));

// Rows of texts over positions; columns that are wrong are marked, and said in words above.
function textTable(caption, tokens, rows, id, wrong) {
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "position"), ...positionHeads(tokens)));
  const body = rows.map(([title, cells]) => el("tr", {}, el("th", { scope: "row" }, title),
    ...cells.map((text, i) => el("td", wrong.includes(i) ? { class: "wrong" } : {}, text))));
  const inner = el("table", { "data-of": id }, el("caption", {}, caption), head, el("tbody", {}, ...body));
  return el("div", { class: "scroll", "data-label": caption }, inner);
}

function table(caption, corner, tokens, rows, id, style = "") {
  const heads = positionHeads(tokens);
  const body = rows.map(([title, cells, shares, own, marked]) => {
    const row = el("tr", {}, el("th", { scope: "row" }, title));
    cells.forEach((x, j) => {
      const cell = el("td", {}, fraction(x));
      if (!x.n) cell.className = "zero";
      else if (own) cell.className = own;
      if (marked && marked[j]) cell.className = "on";
      if (style && shares[j].n) {
        cell.classList.add(style);
        cell.style.setProperty("--share", (Number((shares[j].n * 1000n) / shares[j].d) / 1000).toString());
      }
      row.append(cell);
    });
    for (let j = cells.length; j < tokens.length; j += 1) row.append(el("td", { class: "none" }));
    return row;
  });
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, corner || "position"), ...heads));
  const inner = el("table", { "data-of": id }, el("caption", {}, caption), head, el("tbody", {}, ...body));
  return el("div", { class: "scroll", "data-label": caption }, inner);
}

function streamDetails(title, stream, names, tokens, id) {
  const used = names.map((_, place) => place).filter((place) => stream.some((y) => y[place].n));
  const rows = used.map((place) => [names[place], stream.map((y) => y[place])]);
  return el("details", {}, el("summary", {}, title), table(`${title}; coordinates that are 0 everywhere are left out`, "", tokens, rows, id));
}

// Only a box that scrolls is a stop of the Tab key, and a region with a name.
function markScrolling() {
  for (const box of document.querySelectorAll(".scroll")) {
    if (box.hasAttribute("aria-label")) box.dataset.label = box.getAttribute("aria-label");
    const scrolls = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight;
    for (const [key, value] of [["role", "region"], ["tabindex", "0"], ["aria-label", box.dataset.label]]) {
      if (scrolls) box.setAttribute(key, value);
      else box.removeAttribute(key);
    }
  }
}

// The page answers

function start() {
  const slider = byId("n");
  const select = byId("hypothesis");
  document.querySelector(".slider").style.setProperty("--max", data.maxN);
  data.hypotheses.forEach((hypothesis, place) => {
    const kind = hypothesis.record ? `record ${place + 1}` : "upper bound";
    select.append(el("option", { value: place }, `${kind}, R = ${rText(hypothesis.r)}: ${hypothesis.text}`));
  });
  select.append(el("option", { value: "follow" }, "follow the slider: the cheapest that is consistent at n"));
  select.value = data.hypotheses.length ? data.hypotheses.length - 1 : "follow";
  slider.value = 1; // browsers restore what it was before a reload
  const fails = data.hypotheses.filter((hypothesis) => hypothesis.word);
  byId("word").value = fails.length ? fails[fails.length - 1].word : data.alphabet[0];
  if (!data.hypotheses.length) byId("verdict").append("No hypothesis was found, so there is nothing to compute.");
  slider.addEventListener("input", () => {
    showStage(Number(slider.value));
    if (select.value === "follow") compute();
  });
  byId("word").addEventListener("input", compute);
  select.addEventListener("change", compute);
  byId("kind").addEventListener("change", compute);
  addEventListener("resize", markScrolling);
  document.addEventListener("toggle", markScrolling, true); // what is folded up has no size
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button.word");
    if (!button) return;
    byId("word").value = button.dataset.word;
    select.value = button.dataset.hypothesis;
    compute();
    byId("word").focus();
  });
  showStage(1);
  compute();
  document.documentElement.dataset.ready = Math.round(performance.now());
}

start();
