
// The table of the gallery: the head of a column is a button that sorts by it, and then the other way round. A row without
// a value comes last both ways, and rows of equal values keep their order.

const table = document.getElementById("benchmark-table");
const heads = [...table.tHead.rows[0].cells];
const body = table.tBodies[0];

function keyOf(row, column) {
  const cell = row.cells[column];
  if (cell.dataset.key !== undefined) return cell.dataset.key === "" ? null : Number(cell.dataset.key);
  return cell.textContent;
}

function compare(one, other) {
  return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
}

function sortBy(column) {
  const descends = heads[column].getAttribute("aria-sort") === "ascending";
  const rows = [...body.rows].map((row) => [keyOf(row, column), row]);
  const known = rows.filter(([key]) => key !== null).sort(([one], [other]) => (descends ? compare(other, one) : compare(one, other)));
  const unknown = rows.filter(([key]) => key === null);
  body.append(...[...known, ...unknown].map(([, row]) => row));
  for (const head of heads) head.removeAttribute("aria-sort");
  heads[column].setAttribute("aria-sort", descends ? "descending" : "ascending");
  document.getElementById("sorted").textContent = `Sorted by ${heads[column].textContent}, ${descends ? "largest" : "least"} first.`;
}

for (const [column, head] of heads.entries()) {
  const button = document.createElement("button");
  button.type = "button";
  button.append(...head.childNodes);
  button.addEventListener("click", () => sortBy(column));
  head.append(button);
}
document.documentElement.dataset.ready = "1";
