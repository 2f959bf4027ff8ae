/**
 * Sorting of tables by their headings. The first press of a heading sorts numbers in descending and texts in ascending order; a
 * second press reverses the order. A cell's `data-key`, if any, is its sort key instead of its text.
 */

/** @param {any} cell @param {boolean} numeric */
function sortKey(cell, numeric) {
  const text = (cell.dataset.key ?? cell.textContent).trim().replace("−", "-");
  if (!numeric) return text.toLowerCase();
  const number = parseFloat(text);
  return Number.isNaN(number) ? null : number;  // cells without a number come last in both orders
}

/** Sort a table by a column. @param {any} table @param {number} column */
export function sortTable(table, column) {
  const head = table.tHead.rows[0].cells[column], numeric = head.classList.contains("number");
  const first = numeric ? "descending" : "ascending", second = numeric ? "ascending" : "descending";
  const direction = head.ariaSort === first ? second : first, sign = direction === "ascending" ? 1 : -1;
  const keyed = [...table.tBodies[0].rows].map(row => [sortKey(row.cells[column], numeric), row]);
  keyed.sort(([a], [b]) => a === null || b === null ? Number(a === null) - Number(b === null)
    : sign * (numeric ? a - b : a.localeCompare(b, undefined, {numeric: true})));
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  head.ariaSort = direction;
  table.tBodies[0].append(...keyed.map(([, row]) => row));
}

/** Make the tables in an element sortable by their headings. @param {any} root */
export function makeSortable(root) {
  for (const table of root.querySelectorAll("table.sortable"))
    [...table.tHead.rows[0].cells].forEach((head, column) => {
      if (!head.textContent.trim()) return;
      const button = document.createElement("button");
      button.append(...head.childNodes);
      button.onclick = () => sortTable(table, column);
      head.append(button);
    });
}
