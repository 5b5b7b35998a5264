// The rows of the table from the oddest on, and why a row is odd.

import { ask } from "./api.js";
import { h, refill } from "./dom.js";
import { cell, number } from "./format.js";
import { kindsPanel } from "./kinds.js";
import { rowPanel } from "./row.js";
import { dataTable } from "./table.js";

const AT_ONCE = 50;
const HEAD = [{ name: "compare" }, { name: "row", isNumber: true }, { name: "log-density", isNumber: true }];
const ORDERS = { odd: "least likely first", usual: "most likely first", table: "as in the table" };

/** Return the view. */
export function rowsView(model) {
  const place = h("div", { class: "scroll rows", tabindex: "0", role: "region", "aria-label": "Rows" });
  const detail = h("aside", { class: "detail", "aria-label": "The chosen row", "aria-live": "polite" });
  const order = h(
    "select",
    { "aria-label": "Order of the rows", on: { change: () => load(0) } },
    ...Object.entries(ORDERS).map(([value, text]) => h("option", { value }, text)),
  );
  const previous = h("button", { type: "button", class: "plain", on: { click: () => load(start - AT_ONCE) } }, "‹ Previous");
  const next = h("button", { type: "button", class: "plain", on: { click: () => load(start + AT_ONCE) } }, "Next ›");
  const where = h("span", { class: "quiet", role: "status" });
  const chosen = new Set(); // rows that are compared
  const numbers = new Set(
    model.columns.filter((one) => ["integer", "numeric"].includes(one.kind)).map((one) => one.name),
  );
  let start = 0;
  let opened = null;
  let loaded = false;

  async function load(from) {
    const found = await ask("rows", { start: Math.max(0, from), n: AT_ONCE, order: order.value });
    start = found.start;
    loaded = true;
    const densities = found.rows.map((row) => row.log_density ?? -Infinity);
    const lines = found.rows.map((row) => line(row));
    refill(
      place,
      dataTable(found.columns.map((name) => ({ name, isNumber: numbers.has(name) })), lines, HEAD),
    );
    where.textContent = `${start + 1} to ${start + densities.length} of ${found.n_rows.toLocaleString("en")}`;
    previous.disabled = start === 0;
    next.disabled = start + AT_ONCE >= found.n_rows;
    if (opened === null && found.rows.length) open(found.rows[0].row);
    else mark();
  }

  function line(row) {
    const check = h("input", {
      type: "checkbox",
      "aria-label": `Compare row ${row.row}`,
      checked: chosen.has(row.row),
      on: { change: (event) => compare(row.row, event.target.checked), click: (event) => event.stopPropagation() },
    });
    const button = h("button", { type: "button", class: "link", "aria-label": `Explain row ${row.row}` }, String(row.row));
    return {
      attributes: { "data-row": row.row, on: { click: () => open(row.row) } },
      head: [
        h("td", { class: "check" }, check),
        h("td", { class: "number" }, button),
        h("td", { class: "number" }, row.log_density === null ? "impossible" : row.log_density.toFixed(1).replace("-", "−")),
      ],
      cells: row.cells.map(cell),
    };
  }

  function mark() {
    for (const line of place.querySelectorAll("tr[data-row]")) {
      line.classList.toggle("open", Number(line.dataset.row) === opened);
    }
  }

  async function open(row) {
    opened = row;
    mark();
    const found = await ask("row", { row });
    if (opened === row) refresh(found);
  }

  let latest = null;
  async function refresh(found) {
    latest = found ?? latest;
    const compared = [...new Set([opened, ...chosen])];
    const kinds = await ask("memberships", { row: compared });
    refill(detail, latest ? rowPanel(latest, model) : null, kindsPanel(kinds));
  }

  function compare(row, isChosen) {
    if (isChosen) chosen.add(row);
    else chosen.delete(row);
    refresh(null);
  }

  const element = h(
    "section",
    { class: "view", "aria-label": "Rows" },
    h("div", { class: "tools" }, order, previous, next, where),
    h("div", { class: "two" }, place, detail),
  );
  return {
    element,
    update() {
      if (!loaded) load(0);
    },
  };
}
