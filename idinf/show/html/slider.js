
// The slider of n, one for all sides; beside another target it says what n is for each, and leads there. Where there is
// room for one side only, what leads there are tabs.

const NARROW = matchMedia("(max-width: 60rem)");

function sliderView(sides, container, act) {
  const [output, slider, verdicts] = ["n-shown", "n", "verdicts"].map((id) => container.querySelector(`#${id}`));
  slider.addEventListener("input", () => act.change({ n: Number(slider.value) }));
  return (states) => {
    const [{ n }] = states;
    const told = sides.map(({ data, name }) => [name, verdictOf(judge(data, n))]);
    output.textContent = n;
    slider.value = n;
    slider.setAttribute("aria-valuetext", `n = ${n}, ${told.map(([name, verdict]) => (name ? `${name} ${verdict}` : verdict)).join(", ")}`);
    verdicts?.replaceChildren(...told.map(([name, verdict], k) => sideButton(sides[k], k, name, verdict, states[0].side === k, act)));
    for (const [k, { host }] of sides.entries()) host.classList.toggle("aside", sides.length > 1 && states[0].side !== k);
  };
}

function sideButton({ root }, place, name, verdict, isShown, act) {
  const header = root.querySelector("header");
  const button = el("button", { type: "button", class: "to-side", "aria-pressed": String(isShown) }, el("i", { class: verdict }), ` ${name}: ${verdict}`);
  button.addEventListener("click", () => {
    act.change({ side: place });
    header.focus({ preventScroll: true });
    if (!NARROW.matches) header.scrollIntoView();
  });
  return button;
}
