// A table that sorts: the head of a column is a button that sorts by it, and then the other way round. Numbers are compared as
// numbers, a row without a value comes last both ways, and rows of equal values keep their order.

// The number with which a text begins, as in "≥ 5", "(10.5, 11.2]", "1,054" and "9.1; n0 = 4"; "3-216" and "04.04.LT" are names.
const NUMBER = /^[([>≥<≤≈ ]*(-?\d[\d,]*(?:\.\d+)?(?:e[+-]?\d+)?)(?![\d.-])/i;
const MISSING = new Set(["", "-", "–", "—"]);

function keysOf(cells) {
  if (cells.some((cell) => cell.dataset.key !== undefined)) {
    return cells.map((cell) => (cell.dataset.key === "" ? null : Number(cell.dataset.key)));
  }
  const texts = cells.map((cell) => cell.textContent.trim()).map((text) => (MISSING.has(text) ? null : text));
  const found = texts.map((text) => (text === null || text === "none" ? null : text.match(NUMBER)));
  const all = texts.every((text, row) => found[row] !== null || text === null || text === "none");
  if (!all || found.every((match) => match === null)) return texts;
  // An open end counts as a little more, or less, than the number that it excludes.
  const aside = (text) => (/^[([ ]*[>≥]/.test(text) ? 1e-9 : /^[([ ]*[<≤]/.test(text) ? -1e-9 : 0);
  return found.map((match) => (match === null ? null : Number(match[1].replaceAll(",", "")) + aside(match[0])));
}

function compareKeys(one, other) {
  return typeof one === "number" ? one - other : one.localeCompare(other, "en", { numeric: true });
}

function makeSortable(table, status) {
  const heads = [...table.tHead.rows[0].cells];
  const body = table.tBodies[0];

  function sortBy(column) {
    const descends = heads[column].getAttribute("aria-sort") === "ascending";
    const rows = [...body.rows];
    const keys = keysOf(rows.map((row) => row.cells[column]));
    const known = rows.map((row, place) => [keys[place], row]).filter(([key]) => key !== null);
    known.sort(([one], [other]) => (descends ? compareKeys(other, one) : compareKeys(one, other)));
    body.append(...known.map(([, row]) => row), ...rows.filter((_, place) => keys[place] === null));
    for (const head of heads) head.removeAttribute("aria-sort");
    heads[column].setAttribute("aria-sort", descends ? "descending" : "ascending");
    status.textContent = `Sorted by ${heads[column].textContent}, ${descends ? "largest" : "least"} first.`;
  }

  for (const [column, head] of heads.entries()) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    button.addEventListener("click", () => sortBy(column));
    head.append(button);
  }
}
