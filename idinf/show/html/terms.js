
// Terms of a formula. A term lights what it is made of: the coordinates that it reads, the heads and units that read them,
// the terms of R that these matrices pay, and the symbols of words that it counts or looks at.

const TERM = /#(?:"[^"]*"|\([^)]*\)|[\p{L}\p{N}_]+)|last(?:-\d+)? (?:(?:not )?in \{[^}]*\}|!?= (?:"[^"]*"|[\p{L}\p{N}]+))|i (?:even|odd)|i mod \d+ (?:= \d+|in \{[^}]*\})|avg(?:\[[^\]]*\])?|(?<![\p{L}\p{N}_#"])u_*\d+(?![\p{L}\p{N}_])|\b(?:non)?empty\b|(?:[<>]=?|!?=) -?\d+(?:\/\d+)?/gu;

function formulaTerms(data, place, explained, act) {
  const { text } = data.hypotheses[place];
  const nodes = [];
  let end = 0;
  for (const found of text.matchAll(TERM)) {
    if (text.slice(found.index).match(/^u_*\d+ :=/)) continue; // a definition names its unit, and reads nothing
    nodes.push(text.slice(end, found.index), termButton(data, place, found[0], explained, act));
    end = found.index + found[0].length;
  }
  return [...nodes, text.slice(end)];
}

function termButton(data, place, text, explained, act) {
  const button = el("button", { type: "button", class: "term", "data-lit": `term:${place}:${text.replaceAll(" ", "_")}` }, text);
  const show = (event) => {
    event.stopPropagation();
    const keys = termKeys(data, place, text);
    act.light(keys);
    explained.replaceChildren(...explain(data, place, text, keys, act.state()));
  };
  for (const name of ["pointerenter", "focus", "click"]) button.addEventListener(name, show);
  for (const name of ["pointerleave", "blur"]) button.addEventListener(name, () => focusedIn(button) !== button && act.light(new Set()));
  return button;
}

const unquoted = (text) => text.replace(/^"|"$/g, "");

// The terms of R are named as such, and lit where they stand: in the table of all and in the bar of the hypothesis.
function termKeys(data, place, text) {
  const keys = readKeys(data, place, text);
  for (const key of [...keys]) if (key.startsWith("r:")) keys.add(`price:${place}:${key.slice(2)}`);
  return keys;
}

// What a term is about: {counts}, {units}, {residues}, {back, codes}, {average}, {bound}.
function meaningOf(data, text) {
  const code = (name) => data.alphabet.indexOf(unquoted(name));
  const unit = text.match(/^#?u_*(\d+)$/);
  if (text.startsWith("#(") || text.startsWith("i ")) return { residues: true };
  if (text.startsWith("#") && code(text.slice(1)) >= 0) return { counts: [code(text.slice(1))] };
  if (unit) return { unit: Number(unit[1]), counted: text.startsWith("#") };
  const last = text.match(/^last(?:-(\d+))? (?:!?= (.*)|(?:not )?in \{(.*)\})$/);
  if (last) return { back: Number(last[1] ?? 0), codes: (last[2] ? [last[2]] : last[3].split(", ")).map(code) };
  if (text.endsWith("empty")) return { back: 0, codes: data.alphabet.map((_, k) => k) };
  return text.startsWith("avg") ? { average: true } : { bound: true };
}

function readKeys(data, place, text) {
  const keys = new Set([`term:${place}:${text.replaceAll(" ", "_")}`, `hypothesis:${place}`]);
  const meaning = meaningOf(data, text);
  for (const code of meaning.counts ?? []) keys.add(`symbol:${code}`);
  if (meaning.back !== undefined) keys.add(`back:${meaning.back}`);
  const { isNamed, names } = data.hypotheses[place];
  const net = data.nets[place];
  if (!isNamed) return keys;
  if (meaning.bound) {
    if (net.layers.some((layer) => layer.b.some((entry) => entry.n))) keys.add("r:norm_b");
    return keys;
  }
  if (meaning.average || meaning.back) {
    for (const [l, layer] of net.layers.entries()) for (const [h, head] of layer.heads.entries()) weigh(keys, place, l, h, head);
    if (net.precision) keys.add("r:precision");
    if (meaning.average) return keys;
  }
  const symbols = 1 + data.alphabet.length;
  const firstUnit = names.findIndex((name, k) => k >= symbols && name.startsWith("unit "));
  const read = meaning.counts?.map((code) => 1 + code) ?? meaning.codes?.map((code) => 1 + code)
    ?? (meaning.unit ? [firstUnit + meaning.unit - 1] : names.flatMap((name, k) => (k >= symbols && name.startsWith("i mod ") ? [k] : [])));
  if (meaning.residues) for (const name of ["norm_p", "period"]) keys.add(`r:${name}`);
  if (meaning.unit) for (const key of ["r:norm_B", `unit:${place}:${names[read[0]]}`.replace(" ", "_")]) keys.add(key);
  const averaged = Boolean(meaning.counts || meaning.counted || meaning.back);
  if (!readBy(keys, net, place, read, averaged)) readBy(keys, net, place, read, !averaged);
  return keys;
}

// What of a net reads some coordinates: its heads into their channels, or its units directly. Whether there was any.
function readBy(keys, net, place, read, averaged) {
  const before = keys.size;
  for (const [l, layer] of net.layers.entries()) {
    let looked = read;
    if (averaged) {
      looked = [];
      for (const [h, head] of layer.heads.entries()) {
        const channels = head.V.flatMap((row, k) => (row.some(([from]) => read.includes(from)) ? [k] : []));
        if (!channels.length) continue;
        for (const key of [`head:${place}:${l}:${h}`, "r:layers_plus_heads", "r:rank_V", "r:norm_V"]) keys.add(key);
        for (const channel of channels) keys.add(`channel:${place}:${l}:${channel}`);
        looked.push(...channels);
      }
    }
    layer.A.forEach((row, u) => {
      if (!row.some(([from]) => looked.includes(from))) return;
      keys.add("r:norm_A");
      keys.add(`unit:${place}:unit ${l + 1}.${u + 1}`.replace(" ", "_"));
    });
  }
  return keys.size > before;
}

// What gives a head weights that differ.
function weigh(keys, place, l, h, head) {
  const byPlace = head.phi.some((value) => value.n);
  const byContent = head.K.some((row) => row.length) && head.Q.some((row) => row.length);
  if (byPlace) keys.add("r:phi");
  if (byContent) keys.add("r:norm_KQ");
  if (byPlace || byContent) keys.add(`head:${place}:${l}:${h}`);
}

// A sentence about a term, on the word that is shown.
function* explain(data, place, text, keys, state) {
  const meaning = meaningOf(data, text);
  const word = shownWord(data, state);
  yield el("code", {}, text);
  yield ": ";
  yield `${meaningText(data, place, meaning, word)}. `;
  const heads = [...keys].filter((key) => key.startsWith("head:")).map((key) => key.split(":").slice(2).map((k) => Number(k) + 1));
  if (heads.length) yield `Read by ${heads.map(([l, h]) => `head ${h} of layer ${l}`).join(", ")}. `;
  const paid = [...keys].filter((key) => key.startsWith("r:") && data.hypotheses[place].terms[key.slice(2)]).map((key) => R_TERMS[key.slice(2)]);
  if (paid.length) yield `Part of ${paid.join(", ")} in R.`;
}

function meaningText(data, place, meaning, text) {
  const { value: codes, message } = attempt(() => encode(data, text));
  if (!codes) return message;
  const on = ` in ${wordText(text)}`;
  if (meaning.counts) return `the number of ${data.alphabet[meaning.counts[0]]}, ${codes.filter((code) => code === meaning.counts[0]).length}${on}`;
  if (meaning.back !== undefined) {
    const symbol = codes[codes.length - 1 - meaning.back];
    return `the symbol ${meaning.back ? `${meaning.back} before the last` : "at the end"}, ${symbol === undefined ? "none" : data.alphabet[symbol]}${on}`;
  }
  if (meaning.unit) {
    const values = unitValues(data, place, meaning.unit, codes);
    if (!values) return "a unit of an earlier layer";
    if (meaning.counted) return `the number of prefixes at which unit ${meaning.unit} holds, ${values.slice(1).filter((value) => value.n).length}${on}`;
    return `unit ${meaning.unit}, which ${values.at(-1).n ? "holds" : "does not hold"} at the end of ${wordText(text)}`;
  }
  if (meaning.residues) return `about the length, ${codes.length}${on}`;
  return meaning.average ? "an average with weights that differ" : "the bound that it is compared with";
}

// Values of a unit, counted from 1 through all layers, at positions 0..n.
function unitValues(data, place, number, codes) {
  let left = number - 1;
  for (const layer of runNet(data.nets[place], codes).layers) {
    const size = layer.units[0].length;
    if (left < size) return layer.units.map((units) => units[left]);
    left -= size;
  }
  return null;
}
