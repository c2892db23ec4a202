// Tables of the site: they sort (sorted.js), and long ones have a box that leaves the rows with all the words in it.

const LONG = 20;

function addFilter(region, table, status) {
  const rows = [...table.tBodies[0].rows];
  const texts = rows.map((row) => [...row.cells].map((cell) => cell.textContent).join(" ").toLowerCase());
  const label = document.createElement("label");
  label.className = "filter";
  const box = document.createElement("input");
  box.type = "search";
  label.append("Rows with ", box);
  box.addEventListener("input", () => {
    const words = box.value.toLowerCase().split(/\s+/);
    let shown = 0;
    for (const [place, row] of rows.entries()) {
      row.hidden = !words.every((word) => texts[place].includes(word));
      shown += row.hidden ? 0 : 1;
    }
    status.textContent = `${shown.toLocaleString("en")} of ${rows.length.toLocaleString("en")} rows.`;
  });
  region.before(label);
}

for (const region of document.querySelectorAll(".rows.sorts")) {
  const table = region.querySelector("table");
  const status = document.createElement("p");
  status.className = "sorted";
  status.setAttribute("role", "status");
  region.after(status);
  if (table.tBodies[0].rows.length > LONG) addFilter(region, table, status);
  makeSortable(table, status);
}
document.documentElement.dataset.ready = "1";
