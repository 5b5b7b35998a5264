// The kinds of rows that the model tells apart, and how likely some rows are of each.

import { h } from "./dom.js";
import { percent } from "./format.js";

/** Return the panel. */
export function kindsPanel(found) {
  const isCompared = found.rows.length > 1;
  return h(
    "div",
    { class: "panel", id: "kinds-panel" },
    h("h2", {}, isCompared ? `Kinds of rows, ${found.rows.length} compared` : "Kinds of rows"),
    h("p", { class: "lead" }, "How likely it is of each kind that the model tells apart. Mark several rows to compare them."),
    h("div", { class: "memberships" }, ...found.rows.map((row) => membership(row, found.kinds))),
    h("ol", { class: "kinds" }, ...found.kinds.map(kind)),
  );
}

function membership(row, kinds) {
  const text = row.kinds
    .map((share, i) => `kind ${i + 1}: ${share === null ? "impossible" : percent(share)}`)
    .join(", ");
  return h(
    "div",
    { class: "membership" },
    h("span", { class: "name" }, `row ${row.row}`),
    h("span", { class: "stack", role: "img", "aria-label": `Row ${row.row}, ${text}`, title: text }, ...kinds.map((_, i) => part(row.kinds[i], i))),
  );
}

function part(share, place) {
  const element = h("span", { class: `kind-${place % 6}` });
  element.style.width = `${100 * (share ?? 0)}%`;
  return element;
}

function kind(one, place) {
  return h(
    "li",
    {},
    h("span", { class: `swatch kind-${place % 6}`, "aria-hidden": "true" }),
    h("strong", {}, percent(one.share)),
    h("span", {}, one.words.join("; ") || "much like the whole table"),
  );
}
