
// A word, computed: the word and the hypothesis, both following n unless the reader chooses, and what is said of them.

function computedView(data, container, act) {
  const part = (id) => container.querySelector(`#${id}`);
  const [input, select, error] = ["word", "hypothesis", "word-error"].map(part);
  const arcs = arcsView(data, part("arcs"), act);
  data.hypotheses.forEach((hypothesis, place) => {
    const kind = hypothesis.record ? `record ${place + 1}` : "upper bound";
    select.append(el("option", { value: place + 1 }, `${kind}, R = ${shortR(hypothesis.r)}: ${hypothesis.text}`));
  });
  select.prepend(el("option", { value: "follow" }, "follow n: the cheapest that is consistent"));
  input.addEventListener("input", () => act.change({ word: input.value, query: null }));
  part("follow-word").addEventListener("click", () => act.change({ word: null, record: "follow", query: null }));
  select.addEventListener("change", () => act.change({ record: select.value }));
  part("kind").addEventListener("change", (event) => act.change({ show: event.target.value }));
  part("layers").addEventListener("toggle", (event) => event.target === part("layers") && act.change({ layers: part("layers").open }));
  let before = null;
  return (state) => {
    const place = shownPlace(data, state);
    const text = shownWord(data, state);
    select.value = state.record;
    if (input.value !== text && !(state.word !== null && focusedIn(container) === input)) input.value = text;
    part("follow-word").hidden = state.word === null && state.record === "follow";
    part("layers").open = state.layers;
    for (const radio of part("kind").querySelectorAll("input")) radio.checked = radio.value === state.show;
    const now = [place, text, state.show, state.head, state.query].join("\n");
    if (now === before) return;
    before = now;
    if (place < 0) part("verdict").replaceChildren("No hypothesis was found, so there is nothing to compute.");
    const { value: shown, message } = attempt(() => (place < 0 ? null : computeWord(data, text, place)));
    if (place >= 0) part("verdict").replaceChildren(...(shown ? verdictSentences(data, shown) : []));
    part("trace").replaceChildren(...(shown ? traceTables(data, shown, state.show) : []));
    arcs(state, shown);
    input.setAttribute("aria-invalid", String(message !== ""));
    if (error.textContent !== message) error.textContent = message;
  };
}

// The forward pass of a hypothesis on a word.
function computeWord(data, text, place) {
  const codes = encode(data, text);
  return { codes, place, trace: runNet(data.nets[place], codes) };
}

const isSame = (one, other) => one.length === other.length && one.every((symbol) => other.includes(symbol));
const outsideText = (data, codes) => (!data.target || inDomain(data.target, codes) ? "" : " This word is outside the domain: it does not count.");

// Positions where something is asked, and those of them where a hypothesis is wrong.
function judgedPlaces(data, codes, trace) {
  const asked = askedOf(data.target, codes);
  const places = asked.map((_, i) => i).filter((i) => asked[i] !== null);
  return { asked, places, wrong: places.filter((i) => !isSame(asked[i], trace.named[i])) };
}

function* verdictSentences(data, { codes, trace, place }) {
  const hypothesis = data.hypotheses[place];
  const word = el("code", {}, ...litWord(data, spell(data, codes)));
  const named = [el("code", {}, hypothesis.text || "The hypothesis"), " (R = ", num(hypothesis.r), ")"];
  if (trace.named) {
    const { places, wrong } = judgedPlaces(data, codes, trace);
    const at = wrong.length === 1 ? "position" : "positions";
    const verdict = wrong.length ? `wrong at ${at} ${wrong.join(", ")}` : places.length ? "right at every position asked" : "nothing is asked";
    yield el("p", { class: "answer" }, word, ` → ${verdict}`);
    yield el("p", {}, ...named, `, with N = ${codes.length + 1} at every position.${outsideText(data, codes)}`);
    return;
  }
  const verdict = trace.accepted ? "accept" : "reject";
  const target = targetAccepts(data, codes);
  const judged = target === null
    ? ": what the target says on it does not follow from this report."
    : target === trace.accepted ? ` is right: the target says ${verdict}.` : ` is wrong: the target says ${target ? "accept" : "reject"}.`;
  yield el("p", { class: "answer" }, word, ` → ${verdict}`);
  yield el("p", {}, ...named, judged, outsideText(data, codes));
}
