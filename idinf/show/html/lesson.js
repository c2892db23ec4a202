// The reading order: steps that the report was told in, one at a time, each asking before it shows. The space bar or a
// button goes on; what belongs to a step alone is shown of the page. The order can be left at any time.

// The steps of all sides: of two, the last one, which both would say alike, is said once.
function stepsOf(sides) {
  const last = sides.length - 1;
  return sides.flatMap(({ data }, side) => data.steps
    .slice(0, side < last ? -1 : undefined)
    .map((step) => ({ ...step, side })));
}

const isLed = (state) => state.step !== null;

// What a step shows of its side, by the ids of sections; nothing before it is told.
const SHOWN = { text: [], picture: ["consistent"], whole: ["consistent"], theory: ["theory"] };

// A state whose step exists, with what belongs to it.
function settleStep(sides, state) {
  const steps = stepsOf(sides);
  if (!isLed(state) || !steps.length) return { ...state, step: null };
  const number = Math.min(state.step, steps.length);
  const { n, side, question } = steps[number - 1];
  return { ...state, step: number, n: Math.min(n, sides[0].data.lastN), side, told: state.told || question === null };
}

function lessonView(sides, container, act) {
  const steps = stepsOf(sides);
  if (!steps.length) return () => {};
  const begin = el("button", { type: "button", class: "main" }, "Begin");
  const asking = steps.filter(({ question }) => question !== null).length;
  const asks = asking ? `, and ${asking} of them ask before they show` : "";
  const invitation = el("p", { class: "invitation" }, `In order: ${steps.length} steps${asks}. `, begin);
  const [place, title, body] = [el("p", { class: "note" }), el("h2", { tabindex: "-1" }), el("div", { class: "telling" })];
  const [back, next, leave] = ["Back", "Show", "Leave the order"].map((text) => el("button", { type: "button" }, text));
  next.classList.add("main");
  const panel = el("section", { class: "panel", "aria-label": "Reading order" }, place, title, body,
    el("p", { class: "moves" }, back, next, leave, el("span", { class: "note" }, "The space bar goes on.")));
  container.append(invitation, panel);
  let [led, shown] = [false, null];

  const enter = (number, told) => {
    act.change(settleStep(sides, { ...act.state(), step: number, told: told ?? false }));
    title.focus({ preventScroll: true });
    panel.scrollIntoView({ block: "start" });
  };
  const goOn = () => {
    const state = act.state();
    const number = state.step;
    if (!state.told) act.change({ told: true });
    else if (number < steps.length) enter(number + 1);
    else end();
  };
  const end = () => {
    act.change({ step: null, told: false });
    const exercises = document.getElementById("exercises");
    (exercises ?? begin).focus({ preventScroll: true });
    (exercises ?? container).scrollIntoView();
  };
  begin.addEventListener("click", () => enter(1));
  back.addEventListener("click", () => enter(act.state().step - 1, true));
  next.addEventListener("click", goOn);
  leave.addEventListener("click", () => {
    act.change({ step: null, told: false });
    begin.focus();
  });
  let printed = null; // a print has the whole page
  addEventListener("beforeprint", () => {
    printed = act.state().step;
    act.change({ step: null });
  });
  addEventListener("afterprint", () => act.change({ step: printed }));
  document.addEventListener("keydown", (event) => {
    if (event.key !== " " || event.ctrlKey || event.altKey || event.metaKey || !isLed(act.state())) return;
    if (event.composedPath()[0].closest?.("input, textarea, select, button, summary, a, [role=button], [role=slider]")) return;
    event.preventDefault();
    goOn();
  });

  return (state) => {
    led = isLed(state);
    invitation.hidden = led;
    panel.hidden = !led;
    document.documentElement.classList.toggle("led", led); // of two sides, what stands above both
    for (const [k, side] of sides.entries()) showParts(side, led ? steps[state.step - 1] : null, k, state.told);
    const key = led ? `${state.step} ${state.told}` : null;
    if (key === shown) return;
    const isSame = key !== null && shown?.split(" ")[0] === key.split(" ")[0] && state.told; // told: what was answered stays
    shown = key;
    if (!led) return;
    const number = state.step;
    const step = steps[number - 1];
    const { data, name } = sides[step.side];
    place.textContent = `${name ? `${name} · ` : ""}step ${number} of ${steps.length}`;
    title.textContent = step.title;
    back.disabled = number === 1;
    next.textContent = !state.told ? "Show" : number < steps.length ? "Next" : document.getElementById("exercises") ? "To the exercises" : "To the whole page";
    if (!isSame) body.replaceChildren(...blocksOf(step.part === "picture" ? step.before.filter((block) => typeof block === "string") : step.before), ...(step.question ? [questionForm(data, step.question, "step", () => {
      act.change({ told: true });
      next.focus(); // so that the space bar goes on
    })] : []));
    if (state.told) body.append(el("div", { class: "told" }, ...(step.question ? [whyOf(step.question)] : []), ...blocksOf(step.part === "picture" && step.n < data.maxN ? step.blocks.filter((block) => typeof block === "string") : step.blocks)));
  };
}

// The right answer: prose of a choice, else as it is typed.
const answerOf = ({ form, answer }) => (form === "choice" ? formulasIn(answer.endsWith(".") ? answer : `${answer}.`) : [el("code", {}, answer), "."]);
const whyOf = (question) => el("p", {}, el("b", {}, "Answer: "), ...answerOf(question), " ", ...formulasIn(question.why));

// Paragraphs and tables; a text of several lines keeps them.
function blocksOf(blocks) {
  return blocks.map((block) => {
    if (typeof block === "string") return block.includes("\n") ? el("pre", {}, block) : el("p", {}, ...formulasIn(block));
    const cells = (name, row) => row.map((cell) => el(name, name === "th" ? { scope: "col" } : {}, ...formulasIn(cell)));
    return el("div", { class: "scroll", "data-label": "Table" }, el("table", {}, el("thead", {}, el("tr", {}, ...cells("th", block.header))),
      el("tbody", {}, ...block.rows.map((row) => el("tr", {}, ...cells("td", row))))));
  });
}

// Of a side, only what a step shows; all of it where no step is led.
function showParts({ root, host }, step, place, told) {
  const parts = step === null ? null : step.side === place && told ? SHOWN[step.part] : [];
  for (const section of root.querySelectorAll("section[data-part]")) section.hidden = parts !== null && !parts.includes(section.dataset.part);
  for (const node of root.querySelectorAll(".answers")) node.hidden = parts !== null && !(told && ["whole", "theory"].includes(step.part));
  host.classList.toggle("led", step !== null);
  if (host !== document.documentElement) host.hidden = step !== null && !parts.length;
}
