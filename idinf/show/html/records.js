
// The records: their state at n, their formulas term by term, and R as a bar of its terms.

const R_TERMS = {
  layers_plus_heads: "L + H", precision: "p", rank_V: "rank V", norm_KQ: "‖KᵀQ‖", norm_V: "‖V‖", norm_A: "‖A‖", norm_B: "‖B‖",
  norm_U: "‖U‖", norm_p: "‖p‖", norm_E: "‖E‖", norm_b: "‖b‖", phi: "Σφ²", period: "Δ",
};

function recordsView(data, container, explained, act) {
  explained.textContent = "Point at a term of a formula: what it is made of lights up.";
  const most = Math.max(...data.hypotheses.map((hypothesis) => hypothesis.r));
  const bodies = [...container.querySelectorAll("#records tbody")];
  for (const body of bodies) {
    const place = Number(body.dataset.hypothesis);
    const hypothesis = data.hypotheses[place];
    for (const button of body.querySelectorAll("button.word")) button.replaceChildren(...litWord(data, hypothesis.word));
    const code = body.querySelector(".formula code");
    code.replaceChildren(...formulaTerms(data, place, explained, act));
    code.after(barOf(hypothesis, place, most));
    body.addEventListener("pointerenter", () => act.light(new Set([`hypothesis:${place}`])));
    body.addEventListener("pointerleave", () => act.light(new Set()));
  }
  container.addEventListener("toggle", (event) => event.target === container && act.change({ records: container.open }));
  return (state) => {
    container.open = state.records;
    const judged = judge(data, state.n);
    for (const body of bodies) {
      const fate = stateOf(data.hypotheses[body.dataset.hypothesis], state.n, judged);
      body.classList.remove("out", "consistent", "selected");
      body.classList.add(fate);
      body.querySelector(".state").textContent = { selected: "● selected", consistent: "○ consistent", out: "✕ ruled out" }[fate];
    }
  };
}

// One piece for each term of R, as wide as its share of the dearest R.
function barOf(hypothesis, place, most) {
  const bar = el("span", { class: "bar", role: "img", "aria-label": `R is ${Object.entries(hypothesis.terms).map(([name, value]) => `${R_TERMS[name]} ${shortR(value)}`).join(", ")}` });
  for (const [name, value] of Object.entries(hypothesis.terms)) {
    const piece = el("span", { "data-lit": `price:${place}:${name}`, title: `${R_TERMS[name]} = ${rText(value)}` }, R_TERMS[name]);
    piece.style.setProperty("width", `${(100 * value) / most}%`);
    bar.append(piece);
  }
  return bar;
}
