
// The page of one report. The files of the script stand one behind the other in one scope:
//
//   forward target        exact fractions, the forward pass, the target as a machine; they know nothing of the page
//   elements words        elements and texts, numbers in three or nine decimals, lights; words read and written
//   selection what_if     what the table (R, fail) of the report says at n, and what it decides of other questions
//   address               the state of every control, read from the address and written into it
//   scales frontier       hypotheses as lines that end, the window at n, and the curve R*_n below
//   status                sentences about n, and the controls of "what if"
//   records terms         the records, their formulas term by term, and what a term lights
//   rule guess            a rule read into a circuit, and compared with target and records
//   arcs trace computed   a word, computed: attention as arcs, tables, and the controls of both
//   notes                 boxes that scroll, and notes of the glossary
//   page                  this file: the state, and who hears of it
//
// A view is made once by xView(data, container, act), which builds what stays and listens, and returns a function that
// shows a state; it reads nothing of other views. `data` is what the page holds, with its nets read. Views change the
// state by act.change({n: 3}), which shows it everywhere and keeps it in the address; act.state() is the state of now,
// and act.light(keys) lights, everywhere on the page, the elements that name one of some keys in data-lit. A view looks for
// its parts inside its container only, so two reports on one page are two of these, with containers of their own.

const data = JSON.parse(document.getElementById("data").textContent);

function start() {
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  data.nets = data.hypotheses.map((hypothesis) => readNet(hypothesis.net));
  root.dataset.scripted = ""; // what needs the script has a size from now on
  const guesses = data.target !== null && data.target.answer === "accept";
  DEFAULTS.records = !guesses;
  let state = readAddress(data, location.hash);
  const act = {
    state: () => state,
    light: (keys) => light(document.body, keys),
    change(changes, focus = null) {
      if (Object.keys(changes).some((key) => changes[key] !== state[key])) {
        state = { ...state, ...changes };
        show();
        keep();
      }
      if (focus) byId(focus).focus();
    },
  };
  const views = [
    frontierView(data, byId("picture"), act),
    statusView(data, byId("consistent"), act),
    whatIfView(data, byId("what-if"), act),
    recordsView(data, byId("reveal"), byId("explained"), act),
    ...(guesses ? [guessView(data, byId("guess"), act)] : []),
    computedView(data, byId("computed"), act),
    digitsView(byId("digits"), root, act),
  ];
  const show = () => {
    for (const view of views) view(state);
    markScrolling(document);
  };
  let waiting = 0;
  const keep = () => { // not at every step of a drag: browsers count them
    clearTimeout(waiting);
    waiting = setTimeout(() => history.replaceState(null, "", writeAddress(state)), 120);
  };
  addEventListener("hashchange", () => {
    if (!location.hash.includes("=")) return; // a link within the page
    clearTimeout(waiting);
    state = readAddress(data, location.hash);
    show();
  });
  addEventListener("resize", () => markScrolling(document));
  document.addEventListener("toggle", () => markScrolling(document), true); // what is folded up has no size
  document.addEventListener("click", (event) => {
    const { word, hypothesis } = event.target.closest("button.word")?.dataset ?? {};
    if (word !== undefined) act.change({ word, record: String(Number(hypothesis) + 1), query: null }, "word");
  });
  placeNotes(document);
  show();
  root.dataset.ready = Math.round(performance.now());
}

function digitsView(box, root, act) {
  box.addEventListener("change", () => act.change({ nine: box.checked }));
  return (state) => {
    box.checked = state.nine;
    root.classList.toggle("nine", state.nine);
  };
}

start();
