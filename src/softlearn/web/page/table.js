// Rows and columns as an HTML table.

import { h } from "./dom.js";

/** Return a table; a column is {name, isKnown, isNumber}, a row {cells, head, attributes}. */
export function dataTable(columns, rows, head = []) {
  const titles = [...head, ...columns];
  return h(
    "table",
    { class: "data" },
    h(
      "thead",
      {},
      h("tr", {}, ...titles.map((one) => h("th", { scope: "col", class: classOf(one), title: one.name }, one.name))),
    ),
    h("tbody", {}, ...rows.map((row) => line(row, columns))),
  );
}

function line(row, columns) {
  return h(
    "tr",
    row.attributes ?? {},
    ...(row.head ?? []),
    ...row.cells.map((text, place) =>
      h("td", { class: `${classOf(columns[place])}${text === "·" ? " gap" : ""}`, title: text }, text),
    ),
  );
}

function classOf(column) {
  return `${column.isNumber ? "number" : ""}${column.isKnown ? " known" : ""}`;
}
