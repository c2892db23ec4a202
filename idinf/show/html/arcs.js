
// Attention of one head as arcs from keys to queries, as thick as their shares; those of one query are strong, the others
// pale. A symbol is a button that makes its position the query.

function arcsView(data, container, act) {
  return (state, shown) => {
    const focused = focusedIn(container)?.dataset?.position;
    container.replaceChildren(...(shown ? arcNodes(data, container, state, shown, act) : []));
    if (focused !== undefined) container.querySelector(`[data-position="${focused}"]`)?.focus();
  };
}

function* arcNodes(data, container, state, { trace, codes, place }, act) {
  const heads = trace.layers.flatMap((layer, l) => layer.heads.map((head, h) => ({ name: `${l + 1}.${h + 1}`, l, h, head })));
  if (!heads.length) {
    yield el("p", { class: "note" }, "This hypothesis has no heads: it looks at no other position.");
    return;
  }
  const chosen = heads.find(({ name }) => name === state.head) ?? heads[0];
  const tokens = ["$", ...codes.map((code) => data.alphabet[code])];
  const query = Math.min(state.query ?? codes.length, codes.length);
  const title = "Attention: which positions a query averages";
  if (heads.length > 1) yield headChoice(heads, chosen, act);
  yield el("p", { class: "note" }, `${title}, in head ${chosen.h + 1} of layer ${chosen.l + 1}. Query: position ${query}, ${tokens[query]}. Press a symbol to make it the query.`);
  const cell = Math.max(26, Math.min(56, Math.floor(((container.clientWidth || 600) - 12) / tokens.length)));
  const width = cell * tokens.length + 12;
  const rise = Math.min(150, 24 + 0.32 * cell * Math.max(1, tokens.length - 1));
  const base = rise + 14;
  const svg = draw("svg", { viewBox: `0 0 ${width} ${base + 58}`, width, height: base + 58, role: "group", "aria-label": title });
  const middle = (i) => 6 + cell * (i + 0.5);
  const shares = chosen.head.attention;
  const order = [...shares.keys()].filter((i) => i !== query).concat(query);
  for (const i of order) {
    if (i !== query && tokens.length > 24) continue;
    for (const [j, share] of shares[i].entries()) {
      if (share.n) svg.append(arcOf(middle(j), middle(i), base, rise, share, i === query, tokens.length));
    }
  }
  for (const [i, token] of tokens.entries()) svg.append(tokenOf(data, i, token, codes, query, shares[query][i], middle(i), base, cell, act));
  yield el("div", { class: "scroll arcs", "data-label": "Attention as arcs", "data-lit": `head:${place}:${chosen.l}:${chosen.h}` }, svg);
}

function headChoice(heads, chosen, act) {
  const select = el("select", { id: "head", autocomplete: "off" }, ...heads.map(({ name, l, h }) => el("option", { value: name, selected: name === chosen.name }, `head ${h + 1} of layer ${l + 1}`)));
  select.addEventListener("change", () => act.change({ head: select.value }));
  return el("p", {}, el("label", {}, "Arcs of ", select));
}

function arcOf(from, to, base, rise, share, strong, count) {
  const part = Number((share.n * 10000n) / share.d) / 10000;
  const height = from === to ? 22 : Math.min(rise, 18 + (rise - 18) * (Math.abs(to - from) / Math.max(60, (to - from) || 1, count * 30)));
  const path = from === to
    ? `M${from - 5} ${base}C${from - 12} ${base - height} ${from + 12} ${base - height} ${from + 5} ${base}`
    : `M${from} ${base}C${from} ${base - 1.3 * height} ${to} ${base - 1.3 * height} ${to} ${base}`;
  return draw("path", { class: strong ? "arc strong" : "arc", d: path, "stroke-width": (strong ? 0.8 + 9 * part : 0.4 + 3 * part).toFixed(2) });
}

function tokenOf(data, i, token, codes, query, share, x, base, cell, act) {
  const keys = i ? `symbol:${codes[i - 1]} back:${codes.length - i}` : "";
  const text = share ? fraction(share) : "";
  const short = text.length > 7 ? shortR(Number(share.n) / Number(share.d)) : text;
  const node = draw("g", {
    class: i === query ? "token query" : "token", role: "button", tabindex: "0", "aria-pressed": String(i === query), "data-position": i, "data-lit": keys,
    "aria-label": `Position ${i}, ${token}${share ? `, share ${text}` : ", after the query"}`,
  });
  node.append(
    draw("rect", { x: x - cell / 2 + 2, y: base + 3, width: cell - 4, height: 26, rx: 3 }),
    draw("text", { class: "symbol", x, y: base + 21, "text-anchor": "middle" }, token.length > 4 ? `${token.slice(0, 3)}…` : token),
    draw("text", { class: "share", x, y: base + 44, "text-anchor": "middle" }, 6 * short.length < cell ? short : ""), // the table has it
    draw("title", {}, text),
  );
  return pressable(node, () => act.change({ query: i === codes.length ? null : i }));
}
