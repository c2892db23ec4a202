
// Two pictures over one axis of lengths. Above, every hypothesis of the table as a line at the height of its R, from 0 to
// the length from which it is wrong; the words up to n have ended the lines on the left of n, and the window
// [R*, R* + tolerance] begins there: n is good if no line of the window ends before 2n + 1. Below, R*_n against n, with
// the verdicts. Both are moved by the pointer; the handle at n is a slider for the keyboard.

const MARGIN = { left: 40, right: 14, top: 26 };
const LINES = 236; // heights of the two pictures, and between them
const BETWEEN = 44;
const CURVE = 84;
const STRIP = 14;

function frontierView(data, container, act) {
  const key = el("p", { class: "key", "aria-hidden": "true" });
  const caption = el("p", { class: "caption" });
  const box = el("div", { class: "pictures" });
  container.replaceChildren(box, key, caption);
  const size = {};
  let last = null;

  function rebuild() {
    const width = Math.max(280, Math.round(container.clientWidth || 640));
    Object.assign(size, sizeOf(data, width));
    size.svg = draw("svg", { viewBox: `0 0 ${width} ${size.height}`, width, height: size.height, role: "group", "aria-label": "Hypotheses by R and by the length from which they are wrong, and R* against n" });
    size.svg.append(...frameOf(data, size), ...["seen", "curve", "handle", "lines"].map((name) => (size[name] = draw("g", { class: name }))));
    size.handle.append(...handleOf(data, size, act));
    box.replaceChildren(size.svg);
    size.handle.addEventListener("keydown", (event) => moveByKey(event, data, last.n, act));
    followPointer(size, data, act);
  }

  function update(state) {
    last = state;
    if (container.clientWidth && Math.abs(container.clientWidth - size.width) >= 2) rebuild(); // it may have been hidden
    const judged = judge(data, state.n);
    size.known = isLed(state) && state.n < data.lastN ? state.n : null; // what comes later is not told yet
    const focused = focusedIn(container)?.dataset?.point;
    size.seen.replaceChildren(...windowOf(data, size, state.n, judged));
    size.lines.replaceChildren(...linesOf(data, size, state.n, judged, act, caption, state));
    size.curve.replaceChildren(...curveOf(data, size));
    moveHandle(data, size, state.n, judged);
    key.replaceChildren(...keyOf(size.curve));
    if (focused !== undefined) size.lines.querySelector(`[data-point="${focused}"]`)?.focus();
    caption.replaceChildren(...(size.known === null ? captionOf(data, shownPlace(data, state), state) : []));
    size.handle.setAttribute("tabindex", size.known === null ? "0" : "-1");
  }

  rebuild();
  addEventListener("resize", () => {
    if (Math.abs((container.clientWidth || 640) - size.width) < 2) return;
    rebuild();
    update(last);
  });
  return update;
}

function sizeOf(data, width) {
  const inner = width - MARGIN.left - MARGIN.right;
  const x = lengthScale(data.horizon, MARGIN.left, inner);
  const known = [...data.hypotheses.map((hypothesis) => hypothesis.r), ...data.stages.map((stage) => stage.rStar).filter((r) => r !== null)];
  const least = Math.min(...known); // an open run may be complete up to less than the first hypothesis costs
  const levels = [...known, ...data.stages.map((stage) => Math.max(stage.lower, Number.isFinite(least) ? least : 0))];
  const [low, high] = [Math.min(...levels) - 0.5, Math.max(...levels) + 0.9];
  const curveTop = MARGIN.top + LINES + BETWEEN;
  return {
    width, inner, x, low, high, curveTop, bottom: curveTop + CURVE + STRIP,
    height: curveTop + CURVE + STRIP + 24,
    y: levelScale(low, high, MARGIN.top, LINES),
    yCurve: levelScale(low, high, curveTop, CURVE),
  };
}

// Where lines at n stand: in both pictures, not on the numbers between them.
const spans = (size) => [[MARGIN.top, MARGIN.top + LINES], [size.curveTop - 8, size.bottom]];

const write = (text, x, y, anchor = "start", name = "") => draw("text", { x, y, "text-anchor": anchor, class: name, "aria-hidden": "true" }, text);
const rule = (x1, y1, x2, y2, name) => draw("line", { x1, y1, x2, y2, class: name });

function* frameOf(data, size) {
  const { x, y, yCurve, width, low, high, curveTop } = size;
  const end = width - MARGIN.right;
  const floor = MARGIN.top + LINES;
  yield write("R", 4, MARGIN.top - 10, "start", "name");
  for (const r of levelMarks(low, high, 6)) yield draw("g", {}, rule(MARGIN.left, y(r), end, y(r), "grid"), write(r, MARGIN.left - 8, y(r) + 4, "end"));
  for (const length of lengthMarks(data.horizon, x.at, 26)) {
    yield draw("g", {}, rule(x.at(length), floor, x.at(length), floor + 5, "axis"), write(length, x.at(length), floor + 18, "middle"));
  }
  yield rule(MARGIN.left, floor, end, floor, "axis");
  yield write("length of words", end, floor + 33, "end", "name");
  yield write("R*ₙ", 4, curveTop - 8, "start", "name");
  for (const r of levelMarks(low, high, 3)) yield draw("g", {}, rule(MARGIN.left, yCurve(r), end, yCurve(r), "grid"), write(r, MARGIN.left - 8, yCurve(r) + 4, "end"));
  for (const n of lengthMarks(data.maxN, x.at, 26)) if (n) yield write(n, x.at(n), size.bottom + 16, "middle");
  yield write("n", end, size.bottom + 16, "end", "name");
}

// Words seen, and the window behind them.
function* windowOf(data, size, n, judged) {
  const { x, y, width } = size;
  const left = x.at(0) - 6;
  yield draw("rect", { class: "read", x: left, y: MARGIN.top, width: x.at(n) - left, height: LINES });
  const twice = x.at(Math.min(2 * n, data.horizon));
  for (const [from, to] of spans(size)) yield rule(twice, from, twice, to, "twice");
  const narrow = twice - x.at(n) < 52; // half of the handle, and half of what is written
  if (!narrow) yield write(`2n = ${2 * n}`, Math.min(twice, width - 34), MARGIN.top - 10, "middle", "name");
  if (judged.rStar === null) {
    const lower = data.stages[n - 1].lower;
    yield draw("rect", { class: "unknown", x: x.at(n), y: MARGIN.top, width: width - MARGIN.right - x.at(n), height: Math.max(0, y(lower) - MARGIN.top) });
    yield write(`R* is ${above(lower)}`, width - MARGIN.right - 6, MARGIN.top + 14, "end", "name");
    return;
  }
  const top = Math.min(y(judged.high), y(judged.rStar) - 3) - 3;
  const height = y(judged.rStar) + 3 - top;
  yield draw("rect", { class: "window", x: x.at(n), y: top, width: width - MARGIN.right - x.at(n), height });
  yield draw("rect", { class: `judged ${verdictOf(judged)}`, x: x.at(n), y: top, width: twice - x.at(n), height });
}

function* linesOf(data, size, n, judged, act, caption, state) {
  const { x, y, width } = size;
  const end = width - MARGIN.right;
  const taken = [];
  const places = data.hypotheses.map((_, place) => place);
  for (const place of places) {
    const hypothesis = data.hypotheses[place];
    const fate = stateOf(hypothesis, n, judged);
    const level = y(hypothesis.r);
    const isCut = size.known !== null && fate !== "out"; // it ends somewhere behind n
    const stop = isCut ? x.at(n) : hypothesis.fail === null ? x.at(hypothesis.checked) : x.at(hypothesis.fail);
    if (isCut && fate !== "selected") continue;
    const point = draw("g", { class: `point ${fate}`, "data-lit": `hypothesis:${place}`, "data-point": place, role: "button", tabindex: "0", "aria-label": pointLabel(hypothesis, place, fate, isCut) });
    point.append(draw("line", { class: "hit", x1: x.at(0), y1: level, x2: stop, y2: level }), rule(x.at(0), level, stop, level, "life"));
    if (fate === "out") {
      point.append(rule(stop - 5, level - 5, stop + 5, level + 5, "cross"), rule(stop - 5, level + 5, stop + 5, level - 5, "cross"));
    } else if (isCut) {
      point.append(rule(stop, level, x.at(Math.min(2 * n, data.horizon)), level, "ahead"));
    } else if (hypothesis.fail === null) {
      point.append(draw("path", { class: "open-end", d: `M${stop - 7} ${level - 5}L${stop} ${level}L${stop - 7} ${level + 5}` }));
    } else point.append(draw("circle", { class: "end", cx: stop, cy: level, r: 5 }));
    const label = labelOf(hypothesis, fate);
    if (label) {
      const left = stop + 10 + 7 * label.length < end;
      const spot = { x: left ? stop + 10 : stop - 10, y: level + 4, from: left ? stop + 10 : stop - 10 - 7 * label.length };
      if (!taken.some((other) => Math.abs(other.y - spot.y) < 13 && Math.abs(other.from - spot.from) < 7 * 12)) {
        taken.push(spot);
        point.append(write(label, spot.x, left ? spot.y : spot.y - 10, left ? "start" : "end", "word-label"));
      }
    }
    const about = (shown) => (size.known === null ? [...captionOf(data, shown, state)] : []);
    const show = () => {
      caption.replaceChildren(...about(place));
      act.light(new Set([`hypothesis:${place}`]));
    };
    const leave = () => {
      caption.replaceChildren(...about(shownPlace(data, state)));
      act.light(new Set());
    };
    for (const [name, run] of [["pointerenter", show], ["focus", show], ["pointerleave", leave], ["blur", leave]]) point.addEventListener(name, run);
    yield pressable(point, () => act.change({ record: String(place + 1), word: null }));
  }
  yield* ghostOf(data, size, n, judged);
}

// What is selected and wrong, and no record: its R is known to lie in the window, no more.
function* ghostOf(data, size, n, judged) {
  if (judged.worst === null || judged.rStar === null || judged.picks.some(({ fail }) => fail === judged.worst)) return;
  const [cx, cy] = [size.x.at(judged.worst), (size.y(judged.rStar) + size.y(judged.high)) / 2];
  const mark = draw("path", { class: "ghost-mark", d: `M${cx} ${cy - 6}L${cx + 6} ${cy}L${cx} ${cy + 6}L${cx - 6} ${cy}Z` });
  mark.append(draw("title", {}, `Selected as well, and no record: it is wrong from length ${judged.worst} on`));
  yield mark;
  if (judged.word !== null) yield write(shortWord(judged.word), cx, cy - 12, "middle", "word-label");
}

const shortWord = (text) => (text.length > 14 ? `${text.slice(0, 13)}…` : wordText(text));
const labelOf = (hypothesis, fate) => (fate === "out" && hypothesis.word !== null ? shortWord(hypothesis.word) : null);
const verdictOf = ({ good }) => (good === null ? "undetermined" : good ? "good" : "bad");

function pointLabel(hypothesis, place, fate, isCut) {
  const name = hypothesis.record ? `Record ${place + 1}` : "Upper bound";
  if (isCut) return `${name}: R = ${shortR(hypothesis.r)}, right so far; ${fate}`;
  const until = hypothesis.fail === null ? `right on all words up to length ${hypothesis.checked}` : `wrong from length ${hypothesis.fail}${hypothesis.word === null ? "" : `, on ${wordText(hypothesis.word)}`}`;
  return `${name}: R = ${shortR(hypothesis.r)}, ${until}; ${{ out: "ruled out", consistent: "consistent", selected: "selected" }[fate]}. Compute it`;
}

function* captionOf(data, place, state) {
  const hypothesis = data.hypotheses[place];
  if (!hypothesis) return;
  yield el("b", {}, hypothesis.record ? `record ${place + 1}` : "upper bound");
  yield ": R = ";
  yield num(hypothesis.r);
  if (hypothesis.fail === null) yield `, right on all words up to length ${hypothesis.checked}`;
  else yield `, wrong from length ${hypothesis.fail} on`;
  if (hypothesis.word !== null) yield el("span", {}, ": ", el("code", {}, shortWord(hypothesis.word)));
  if (state.records && hypothesis.text) yield el("span", {}, " · ", el("code", {}, hypothesis.text));
}

function* curveOf(data, size) {
  const { x, yCurve, bottom } = size;
  const step = (k, edge) => x.at(k + edge);
  const judged = data.stages.map((_, k) => judge(data, k + 1));
  let path = "";
  for (const [k, stage] of data.stages.slice(0, size.known ?? data.stages.length).entries()) {
    const [from, to] = [step(k + 1, -0.5), step(k + 1, 0.5)];
    const level = stage.rStar ?? stage.lower;
    if (stage.rStar === null) yield draw("rect", { class: "unknown", x: from, y: size.curveTop, width: to - from, height: yCurve(level) - size.curveTop });
    else if (judged[k].high !== null) yield draw("rect", { class: "slack", x: from, y: yCurve(judged[k].high), width: to - from, height: Math.max(0.5, yCurve(level) - yCurve(judged[k].high)) });
    if (stage.rStar !== null) path += `${path ? "L" : "M"}${from} ${yCurve(level)}L${to} ${yCurve(level)}`;
    yield draw("rect", { class: `verdict ${verdictOf(judged[k])}`, "data-n": k + 1, x: from, y: bottom - STRIP, width: Math.max(0.5, to - from - (to - from > 4 ? 1 : 0)), height: STRIP });
  }
  yield draw("path", { class: "level", d: path || "M0 0" });
  if (data.n0 !== null && size.known === null) {
    const at = x.at(data.n0);
    yield draw("path", { class: "flag", d: `M${at - 5} ${bottom - STRIP - 10}L${at + 5} ${bottom - STRIP - 10}L${at} ${bottom - STRIP - 1}Z` });
    yield write(`n₀ = ${data.n0}`, at + 9, bottom - STRIP - 3, "start", "flag-name");
  }
}

function* handleOf(data, size) {
  for (const [from, to] of spans(size)) yield rule(0, from, 0, to, "now");
  yield draw("rect", { class: "grip", x: -24, y: 0, width: 48, height: 21, rx: 10.5 });
  yield draw("text", { class: "grip-name", x: 0, y: 15, "text-anchor": "middle" });
  fill(size.handle, { role: "slider", tabindex: "0", "aria-label": "n, the length of the longest words seen", "aria-valuemin": 1, "aria-valuemax": data.lastN }, []);
}

function moveHandle(data, size, n, judged) {
  const place = size.x.at(n);
  size.handle.setAttribute("transform", `translate(${place} 0)`);
  const label = size.handle.querySelector(".grip-name");
  label.textContent = `n = ${n}`;
  const wide = 18 + 6.5 * label.textContent.length;
  fill(size.handle.querySelector(".grip"), { x: -wide / 2, width: wide }, []);
  size.handle.setAttribute("aria-valuenow", n);
  size.handle.setAttribute("aria-valuetext", `n = ${n}, ${verdictOf(judged)}`);
}

function moveByKey(event, data, n, act) {
  const far = Math.max(1, Math.round(data.lastN / 10));
  const to = { ArrowRight: n + 1, ArrowUp: n + 1, ArrowLeft: n - 1, ArrowDown: n - 1, PageUp: n + far, PageDown: n - far, Home: 1, End: data.lastN }[event.key];
  if (to === undefined) return;
  event.preventDefault();
  act.change({ n: Math.min(data.lastN, Math.max(1, to)) });
}

// Pressing on free ground or on the handle moves n there, and it follows the pointer; from a line it has to be drawn
// first, since a press there is about the hypothesis. A touch that scrolls is left alone.
const DRAWN = 4; // pixels

function followPointer(size, data, act) {
  const { svg, x, width } = size;
  let held = null;
  const move = (event) => {
    const box = svg.getBoundingClientRect();
    act.change({ n: Math.min(data.lastN, Math.max(1, Math.round(x.length(((event.clientX - box.left) * width) / box.width)))) });
  };
  const begin = (event) => {
    svg.setPointerCapture(event.pointerId);
    held.moves = true;
    move(event);
  };
  svg.addEventListener("pointerdown", (event) => {
    if (event.button) return;
    held = { id: event.pointerId, from: event.clientX, moves: false };
    if (!event.target.closest(".point")) begin(event);
  });
  svg.addEventListener("pointermove", (event) => {
    if (event.pointerId !== held?.id) return;
    if (held.moves) move(event);
    else if (Math.abs(event.clientX - held.from) > DRAWN) begin(event);
  });
  for (const name of ["pointerup", "pointercancel"]) svg.addEventListener(name, () => (held = null));
}

// What the marks mean, as far as they occur.
function keyOf(curve) {
  const verdicts = ["good", "bad", "undetermined"].filter((name) => curve.querySelector(`.verdict.${name}`));
  const marks = [["read", "lengths seen"], ["window", "window of what may be picked"], ...verdicts.map((name) => [name, name])];
  return marks.map(([name, meaning]) => el("span", {}, el("i", { class: name }), ` ${meaning}`));
}
