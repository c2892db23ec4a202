
// The state of every control, and the address of the page that keeps it: #n=4&record=3&word=aab. Of two sides, each has
// its keys behind a prefix, but for those that are linked: #n=4&a.record=3&b.word=11.

const DEFAULTS = {
  n: 1, record: "follow", word: null, // follow the slider
  show: "attention", head: "1.1", query: null, layers: true,
  rule: "", records: null, nine: false,
  step: null, told: false, exercise: 1, side: 0, // of the reading order, the exercises, and the tabs of two sides
};

const LINKED = ["n", "nine", "step", "told", "exercise", "side"];

// Whether the reader may guess a rule, before the records are told.
const isGuessed = (data) => data.rules.length > 0;
const defaultsOf = (data) => ({ ...DEFAULTS, records: !isGuessed(data) });

const READ = {
  n: (text, data) => (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= data.lastN ? Number(text) : 1),
  record: (text, data) => (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= data.hypotheses.length ? text : "follow"),
  word: (text) => text,
  show: (text) => oneOf(text, ["attention", "weights", "logits"]),
  head: (text) => (/^\d+\.\d+$/.test(text) ? text : "1.1"),
  query: (text) => (/^\d+$/.test(text) ? Number(text) : null),
  rule: (text) => text,
  layers: (text) => text !== "closed",
  records: (text) => text === "open",
  nine: (text) => text === "1",
  step: (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : null),
  told: (text) => text === "1",
  exercise: (text) => (/^[1-9]\d?$/.test(text) ? Number(text) : 1),
  side: (text) => Number(text === "1"),
};

const ON = { layers: "open", records: "open", nine: "1", told: "1" };
const OFF = { layers: "closed", records: "closed", nine: "0", told: "0" };
const written = (key, value) => (key in ON ? (value ? ON : OFF)[key] : String(value));

const oneOf = (text, options) => (options.includes(text) ? text : options[0]);

const nameOf = (key, prefix) => (LINKED.includes(key) ? key : prefix + key);

// The state of every side.
function readAddress(sides, hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  return sides.map(({ data, prefix }) => {
    const state = defaultsOf(data);
    for (const [key, read] of Object.entries(READ)) {
      const name = nameOf(key, prefix);
      if (given.has(name)) state[key] = read(given.get(name), data);
    }
    return state;
  });
}

// What differs from the defaults, and always n.
function writeAddress(sides, states) {
  const kept = new Map();
  for (const [k, { data, prefix }] of sides.entries()) {
    const [state, defaults] = [states[k], defaultsOf(data)];
    for (const key of Object.keys(DEFAULTS)) {
      if (key === "n" || state[key] !== defaults[key]) kept.set(nameOf(key, prefix), written(key, state[key]));
    }
  }
  return `#${new URLSearchParams([...kept])}`;
}
