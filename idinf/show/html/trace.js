
// A word, computed: tables of the forward pass, layer by layer, exact.

function* traceTables(data, { codes, trace, place }, kind) {
  const { names } = data.hypotheses[place];
  const net = data.nets[place];
  const tokens = ["$", ...codes.map((code) => data.alphabet[code])];
  if (trace.named) yield nextTable(data, codes, trace, tokens);
  yield el("p", { class: "note" }, `Position 0 holds $, the start; N = ${tokens.length} is the length with it. Logits are scaled by log N, so a weight is N to the power of its logit${net.precision ? `, rounded to multiples of 1/${1n << BigInt(net.precision)}` : ""}.`);
  yield streamDetails("Inputs: embedding plus position", trace.inputs, names, tokens, "inputs");
  for (const [l, layer] of trace.layers.entries()) {
    const box = el("div", { class: "layer" }, el("h3", {}, `Layer ${l + 1}`));
    for (const [h, head] of layer.heads.entries()) {
      box.append(el("div", { "data-lit": `head:${place}:${l}:${h}` }, ...headTables(net.layers[l].heads[h], head, l, h, names, tokens, kind, place)));
    }
    box.append(...unitTables(net.layers[l], layer, l, names, tokens, place));
    box.append(streamDetails(`The whole stream after layer ${l + 1}`, layer.outputs, names, tokens, `stream-${l}`));
    yield box;
  }
  yield* net.output ? outputRows(net, trace, names, tokens) : outputSentences(net, trace, names);
}

function* headTables(head, trace, l, h, names, tokens, kind, place) {
  yield el("h4", {}, `Head ${h + 1}`);
  yield el("p", { class: "note" }, logitText(head, names));
  const caption = { attention: "Shares α", weights: "Weights", logits: "Logits a" }[kind];
  const rows = trace[kind].map((row, i) => [`query ${i} ${tokens[i]}`, row, trace.attention[i]]);
  yield table(`${caption} of each query (row) to each key (column)`, tokens, rows, `${kind}-${l}-${h}`);
  const used = [...names.keys()].filter((k) => head.V[k].length);
  if (!used.length) {
    yield el("p", { class: "note" }, "V = 0: this head adds nothing.");
    return;
  }
  for (const k of used) yield el("p", { class: "note" }, `${names[k]}: value ${linear(head.V[k], names)}`);
  const values = used.flatMap((k) => [
    [`value of ${names[k]}`, trace.values.map((value) => value[k])],
    [`attended`, trace.attended.map((sum) => sum[k]), null, "", null, `channel:${place}:${l}:${k}`],
  ]);
  yield table("Values, and their averages with the shares α", tokens, values, `attended-${l}-${h}`);
}

function* unitTables(parameters, trace, l, names, tokens, place) {
  if (!parameters.A.length) {
    yield el("p", { class: "note" }, "No units: what the heads attend to is all that this layer adds.");
    return;
  }
  yield el("h4", {}, parameters.A.length === 1 ? "Unit" : "Units");
  const rows = [];
  for (const [u, row] of parameters.A.entries()) {
    const bias = parameters.b[u].n ? [[-1, parameters.b[u]]] : [];
    const relu = parameters.activation[u] === "relu";
    yield el("p", { class: "note" }, `unit ${l + 1}.${u + 1} ${relu ? "is z if z > 0, else 0" : "is 1 if z > 0, else 0"}; z = ${linear([...row, ...bias], names)}`);
    rows.push([`z of unit ${l + 1}.${u + 1}`, trace.before.map((z) => z[u])]);
    rows.push([`unit ${l + 1}.${u + 1}`, trace.units.map((unit) => unit[u]), null, "on", null, `unit:${place}:unit_${l + 1}.${u + 1}`]);
  }
  yield table("Units before and after their threshold", tokens, rows, `units-${l}`);
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
  yield table("Rows of U y; those of symbols that follow are marked", tokens, own, "output");
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

function framed(caption, tokens, id, body) {
  const head = el("thead", {}, el("tr", {}, el("th", { scope: "col" }, "position"), ...positionHeads(tokens)));
  return el("div", { class: "scroll", "data-label": caption }, el("table", { "data-of": id }, el("caption", {}, caption), head, el("tbody", {}, ...body)));
}

// Rows of texts over positions; columns that are wrong are marked, and said in words above.
const textTable = (caption, tokens, rows, id, wrong) => framed(caption, tokens, id, rows.map(([title, cells]) => el("tr", {},
  el("th", { scope: "row" }, title), ...cells.map((text, i) => el("td", { class: wrong.includes(i) && "wrong" }, text)))));

function table(caption, tokens, rows, id) {
  const body = rows.map(([title, cells, shares, own, marked, lit]) => {
    const row = el("tr", lit ? { "data-lit": lit } : {}, el("th", { scope: "row" }, title));
    cells.forEach((x, j) => {
      const cell = el("td", {}, fraction(x));
      if (!x.n) cell.className = "zero";
      else if (own) cell.className = own;
      if (marked && marked[j]) cell.className = "on";
      if (shares && shares[j].n) {
        cell.classList.add("shade");
        cell.style.setProperty("--share", (Number((shares[j].n * 1000n) / shares[j].d) / 1000).toString());
      }
      row.append(cell);
    });
    for (let j = cells.length; j < tokens.length; j += 1) row.append(el("td", { class: "none" }));
    return row;
  });
  return framed(caption, tokens, id, body);
}

function streamDetails(title, stream, names, tokens, id) {
  const used = names.map((_, place) => place).filter((place) => stream.some((y) => y[place].n));
  const rows = used.map((place) => [names[place], stream.map((y) => y[place])]);
  return el("details", {}, el("summary", {}, title), table(`${title}; coordinates that are 0 everywhere are left out`, tokens, rows, id));
}

const setText = (set) => set.join(" ") || "–";

function nextTable(data, codes, trace, tokens) {
  const { asked, wrong } = judgedPlaces(data, codes, trace);
  const title = data.target.answer === "set" ? "The symbols that may follow" : "The symbol that follows";
  const note = asked.includes(null) ? "; · stands where nothing is asked" : "";
  const rows = [
    ["hypothesis", trace.named.map(setText)],
    ["target", asked.map((set) => (set ? setText(set) : "·"))],
    ["right", asked.map((set, i) => (set ? (wrong.includes(i) ? "✕" : "✓") : "·"))],
  ];
  return textTable(`${title} after each position; $ is the end, – is nothing${note}`, tokens, rows, "next", wrong);
}

