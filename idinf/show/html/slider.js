
// The slider of n, one for all sides; beside another target it says what n is for each, and leads there.

function sliderView(sides, container, moveTo) {
  const [output, slider, verdicts] = ["n-shown", "n", "verdicts"].map((id) => container.querySelector(`#${id}`));
  slider.addEventListener("input", () => moveTo(Number(slider.value)));
  return (states) => {
    const [{ n }] = states;
    const told = sides.map(({ data, name }, k) => [name, verdictOf(judge(data, questionOf(data, states[k]), n))]);
    output.textContent = n;
    slider.value = n;
    slider.setAttribute("aria-valuetext", `n = ${n}, ${told.map(([name, verdict]) => (name ? `${name} ${verdict}` : verdict)).join(", ")}`);
    verdicts?.replaceChildren(...told.map(([name, verdict], k) => sideButton(sides[k].root.querySelector("header"), name, verdict)));
  };
}

function sideButton(header, name, verdict) {
  const button = el("button", { type: "button", class: "to-side" }, el("i", { class: verdict }), ` ${name}: ${verdict}`);
  button.addEventListener("click", () => {
    header.focus({ preventScroll: true });
    header.scrollIntoView();
  });
  return button;
}
