
// Words: read, written, and shown symbol by symbol.

const MAX_LENGTH = 64; // longer words would make tables that nobody reads

const wordText = (text) => (text === "" ? "ε" : text);
const spell = (data, codes) => codes.map((code) => data.alphabet[code]).join(data.spaced ? " " : "");
const split = (data, text) => (data.spaced ? text.split(/\s+/).filter(Boolean) : [...text.trim()]);

function encode(data, text) {
  const tokens = split(data, text);
  if (text.trim() === "ε" && !data.alphabet.includes("ε")) return [];
  const codes = tokens.map((token) => data.alphabet.indexOf(data.alike[token] ?? token));
  const place = codes.indexOf(-1);
  if (place >= 0) {
    const shown = tokens[place].trim() === "" ? "a blank" : `“${tokens[place]}”`;
    throw new RangeError(`Position ${place + 1} holds ${shown}, which is not in the alphabet; expected symbols of ${data.alphabet.join(" ")}.`);
  }
  if (codes.length > MAX_LENGTH) {
    throw new RangeError(`This word has ${codes.length} symbols; tables are drawn up to ${MAX_LENGTH}. “idinf run” takes longer ones.`);
  }
  return codes;
}

// What a call gives, or the sentence that refuses it.
function attempt(run) {
  try {
    return { value: run(), message: "" };
  } catch (problem) {
    if (!(problem instanceof RangeError)) throw problem;
    return { value: null, message: problem.message };
  }
}

// A word whose symbols can be lit: all of one kind, or the last one.
function litWord(data, text) {
  const tokens = split(data, text);
  if (!tokens.length) return [wordText(text)];
  return tokens.flatMap((token, i) => {
    const keys = [`symbol:${data.alphabet.indexOf(token)}`, `back:${tokens.length - 1 - i}`].join(" ");
    const span = el("span", { "data-lit": keys }, token);
    return i && data.spaced ? [" ", span] : [span];
  });
}

function wordButton(data, place) {
  const { word } = data.hypotheses[place];
  const label = `Compute hypothesis ${place + 1} on ${wordText(word)}`;
  return el("button", { type: "button", class: "word", "data-word": word, "data-hypothesis": place, "aria-label": label }, ...litWord(data, word));
}
