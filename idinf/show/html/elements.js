
// Elements and texts. Texts of a report enter the page as text nodes and attribute values only.

const SVG = Object.assign(document.createElement("template"), { innerHTML: "<svg>" }).content.firstChild.namespaceURI;

function fill(node, attributes, children) {
  for (const [key, value] of Object.entries(attributes)) {
    if (value !== null && value !== false) node.setAttribute(key, value === true ? "" : value);
  }
  node.append(...children);
  return node;
}

const el = (name, attributes = {}, ...children) => fill(document.createElement(name), attributes, children);
const draw = (name, attributes = {}, ...children) => fill(document.createElementNS(SVG, name), attributes, children);

const SAME_R = 2e-9; // R is written with 9 decimals and compared with 1e-9
const rText = (r) => r.toFixed(9);
const shortR = (r) => r.toFixed(3).replace(/\.?0+$/, "");
const bound = (r) => rText(r).replace(/\.?0+$/, "");

/** Where something may still be: what ends 2e-9 below a round number leaves that number open, as texts say. */
const above = (r) => {
  const end = Math.round(r * 1000) / 1000;
  return rText(end - 2e-9) === rText(r) ? `at least ${bound(end)}` : `above ${bound(r)}`;
};
const minus = (text) => text.replace("-", "−");
const fraction = (x) => minus(x.d === 1n ? `${x.n}` : `${x.n}/${x.d}`);
const plural = (count, one, many) => `${count} ${count === 1 ? one : many}`;

// Three decimals, and all nine at the pointer or where the reader asks for them.
const num = (r) => el("span", { class: "r", title: rText(r) },
  el("span", { class: "short" }, shortR(r)), el("span", { class: "long" }, rText(r)));

// A part of a picture that is a button, for the pointer and for the keyboard.
function pressable(node, choose) {
  node.addEventListener("click", choose);
  node.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" && event.key !== " ") return;
    event.preventDefault();
    choose();
  });
  return node;
}

// A word of the glossary, which opens its note.
const gloss = (key, text) => el("button", { type: "button", class: "gloss", popovertarget: `gloss-${key}` }, text);

// The element with the focus in the same page or side as a node.
const focusedIn = (node) => node.getRootNode().activeElement;

// What belongs together is lit together: elements name their keys in data-lit, separated by blanks (keys hold none).
function light(root, keys) {
  for (const node of root.querySelectorAll("[data-lit]")) {
    node.classList.toggle("lit", node.dataset.lit.split(" ").some((key) => keys.has(key)));
  }
}
