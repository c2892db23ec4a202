
// The page of one report, or of two side by side. The files of the script stand one behind the other in one scope:
//
//   forward target        exact fractions, the forward pass, the target as a machine; they know nothing of the page
//   elements words        elements and texts, numbers in three or nine decimals, lights; words read and written
//   selection address     what the report says at n; the state of every control, kept in the address
//   scales frontier       hypotheses as lines that end, the window at n, and the curve R*_n below
//   slider status         n, and sentences about it
//   records terms guess   the records, their formulas term by term, and what a term lights; rules to try
//   questions lesson      questions that mark their answers; the reading order that asks them
//   exercises             exercises, one at a time
//   arcs trace computed   a word, computed: attention as arcs, tables, and the controls of both
//   notes                 boxes that scroll, and notes of the glossary
//   page                  this file: the sides of the page, their states, and who hears of them
//
// A view is made once by xView(data, container, act), which builds what stays and listens, and returns a function that
// shows a state; it reads nothing of other views. `data` is what the page holds, with its nets read. Views change the
// state by act.change({n: 3}), which shows it everywhere and keeps it in the address; act.state() is the state of now,
// and act.light(keys) lights, everywhere on its side, the elements that name one of some keys in data-lit. A view looks
// for its parts inside its container only.
//
// A side is a report with a state of its own. The page of one report is the document. Of two, each stands in a shadow
// tree, where ids and styles are its own, and what LINKED names is the same in both.

const sides = readSides();
const [{ data }] = sides; // at hand in the console

// {data, root, host, name, prefix}: where its parts are found, what is marked as ready, and how the address names it.
function readSides() {
  const hosts = [...document.querySelectorAll(".side")];
  const read = hosts.length
    ? hosts.map((host, k) => ({ root: host.shadowRoot, host, name: host.getAttribute("aria-label"), prefix: `${"ab"[k]}.` }))
    : [{ root: document, host: document.documentElement, name: null, prefix: "" }];
  for (const side of read) {
    side.data = JSON.parse(side.root.getElementById("data").textContent);
    side.data.nets = side.data.hypotheses.map((hypothesis) => readNet(hypothesis.net));
  }
  for (const { data } of read) data.lastN = Math.min(...read.map((side) => side.data.maxN));
  return read;
}

// What the address says; of the reading order, what its step says.
function readStates() {
  const read = readAddress(sides, location.hash);
  const { step, told, n, side } = settleStep(sides, read[0]);
  return read.map((state) => ({ ...state, step, told, n, side }));
}

function start() {
  const all = document.documentElement;
  for (const { host } of [{ host: all }, ...sides]) host.dataset.scripted = ""; // what needs the script has a size from now on
  let states = readStates();
  let waiting = 0;
  const keep = () => { // not at every step of a drag: browsers count them
    clearTimeout(waiting);
    waiting = setTimeout(() => history.replaceState(null, "", writeAddress(sides, states)), 120);
  };
  const change = (k, changes) => {
    if (Object.keys(changes).every((key) => changes[key] === states[k][key])) return;
    const linked = Object.fromEntries(Object.entries(changes).filter(([key]) => LINKED.includes(key)));
    states = states.map((state, other) => ({ ...state, ...(other === k ? changes : linked) }));
    show();
    keep();
  };
  const views = sides.map((side, k) => viewsOf(side, {
    state: () => states[k],
    light: (keys) => light(side.root, keys),
    change(changes, focus = null) {
      change(k, changes);
      if (focus) side.root.getElementById(focus).focus();
    },
  }));
  if (sides.length > 1) placeNotes(document); // of its own introduction
  const whole = { state: () => states[0], change: (changes) => change(0, changes) };
  const slider = sliderView(sides, document.getElementById("control"), whole);
  const shared = [lessonView(sides, document.getElementById("lesson"), whole), exercisesView(sides, document.getElementById("exercises"), whole)];
  const show = () => {
    slider(states);
    for (const view of shared) view(states[0]);
    for (const [k, state] of states.entries()) for (const view of views[k]) view(state);
    sides.forEach(markScrolling);
  };
  addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) return; // a link within the page
    clearTimeout(waiting);
    states = readStates();
    show();
  });
  addEventListener("resize", () => sides.forEach(markScrolling));
  show();
  all.dataset.ready = Math.round(performance.now());
}

function viewsOf(side, act) {
  const { data, root, host } = side;
  const part = (id) => root.getElementById(id);
  root.addEventListener("toggle", () => markScrolling(side), true); // what is folded up has no size
  root.addEventListener("click", (event) => {
    const { word, hypothesis } = event.target.closest("button.word")?.dataset ?? {};
    if (word !== undefined) act.change({ word, record: String(Number(hypothesis) + 1), query: null }, "word");
  });
  placeNotes(root);
  return [
    frontierView(data, part("picture"), act),
    statusView(data, part("status"), act),
    recordsView(data, part("reveal"), part("explained"), act),
    ...(isGuessed(data) ? [guessView(data, part("guess"), act)] : []),
    computedView(data, part("computed"), act),
    digitsView(part("digits"), host, act),
  ];
}

function digitsView(box, host, act) {
  box.addEventListener("change", () => act.change({ nine: box.checked }));
  return (state) => {
    box.checked = state.nine;
    host.classList.toggle("nine", state.nine);
  };
}

start();
