// Exercises, one at a time: an answer is marked with its reason, the right one can be shown, and the next one follows.

function exercisesView(sides, container, act) {
  const questions = JSON.parse(document.getElementById("exercises-data")?.textContent ?? "[]");
  if (!container || !questions.length) return () => {};
  const results = questions.map(() => null); // what the first answer that could be read was
  const [title, body] = [el("h3", { tabindex: "-1" }), el("div")];
  const score = el("p", { class: "note", role: "status" });
  const [back, show, next] = ["Back", "Show the answer", "Next"].map((text) => el("button", { type: "button" }, text));
  container.append(title, body, el("p", { class: "moves" }, back, show, next), score);
  let shown = null;
  const go = (place) => {
    act.change({ exercise: place });
    title.focus({ preventScroll: true });
    title.scrollIntoView({ block: "nearest" });
  };
  back.addEventListener("click", () => go(shown - 1));
  next.addEventListener("click", () => go(shown + 1));
  show.addEventListener("click", () => {
    results[shown - 1] ??= "shown"; // it does not count
    tell(questions[shown - 1]);
  });
  const tell = (question) => {
    body.querySelector(".told")?.remove();
    body.append(el("div", { class: "told", role: "status" }, whyOf(question)));
  };
  const count = () => {
    const right = results.filter((result) => result === true).length;
    const answered = results.filter((result) => typeof result === "boolean").length;
    score.textContent = answered ? `${right} of ${answered} right at the first answer.` : "";
  };
  return (state) => {
    const place = Math.min(state.exercise, questions.length);
    if (place === shown) return;
    shown = place;
    const question = questions[place - 1];
    title.textContent = `Exercise ${place} of ${questions.length}`;
    back.disabled = place === 1;
    next.disabled = place === questions.length;
    body.replaceChildren(questionForm(sides[question.side].data, question, "exercise", (right) => {
      results[place - 1] ??= right;
      count();
      if (right) tell(question);
    }));
  };
}
