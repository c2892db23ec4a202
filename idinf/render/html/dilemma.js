"use strict";
// The slider of k: it tells the sentence of its row, and marks it.
document.documentElement.dataset.scripted = "";
const slider = document.getElementById("k");
function show() {
  for (const row of document.querySelectorAll("tr[data-k]")) {
    const chosen = row.dataset.k === slider.value;
    row.toggleAttribute("aria-current", chosen);
    for (const cell of row.children) cell.classList.toggle("last", chosen);
    if (chosen) document.getElementById("said").textContent = row.dataset.said;
  }
  document.getElementById("k-shown").textContent = slider.value;
}
slider.addEventListener("input", show);
show();
