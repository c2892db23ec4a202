
// The state of every control, and the address of the page that keeps it: #n=4&record=3&word=aab.

const DEFAULTS = {
  n: 1, record: "follow", word: null, // follow the slider
  show: "attention", head: "1.1", query: null, layers: true,
  tolerance: "own", aggregate: "own", pick: "all", what: false,
  rule: "", records: null, nine: false,
};

const READ = {
  n: (text, data) => (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= data.maxN ? Number(text) : 1),
  record: (text, data) => (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= data.hypotheses.length ? text : "follow"),
  word: (text) => text,
  show: (text) => oneOf(text, ["attention", "weights", "logits"]),
  head: (text) => (/^\d+\.\d+$/.test(text) ? text : "1.1"),
  query: (text) => (/^\d+$/.test(text) ? Number(text) : null),
  tolerance: (text) => oneOf(text, ["own", "rule", "0", "half"]),
  aggregate: (text) => oneOf(text, ["own", "max", "sum"]),
  pick: (text) => oneOf(text, ["all", "canonical"]),
  rule: (text) => text,
  layers: (text) => text !== "closed",
  what: (text) => text === "open",
  records: (text) => text === "open",
  nine: (text) => text === "1",
};

const WRITE = {
  layers: (open) => (open ? "open" : "closed"),
  what: (open) => (open ? "open" : "closed"),
  records: (open) => (open ? "open" : "closed"),
  nine: (on) => (on ? "1" : "0"),
};

const oneOf = (text, options) => (options.includes(text) ? text : options[0]);

function readAddress(data, hash) {
  const given = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { ...DEFAULTS };
  for (const [key, read] of Object.entries(READ)) if (given.has(key)) state[key] = read(given.get(key), data);
  return state;
}

// What differs from the defaults, and always n.
function writeAddress(state) {
  const kept = Object.keys(DEFAULTS).filter((key) => key === "n" || state[key] !== DEFAULTS[key]);
  return `#${new URLSearchParams(kept.map((key) => [key, (WRITE[key] ?? String)(state[key])]))}`;
}
