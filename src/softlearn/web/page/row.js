// One row: how surprising each of its cells is, what was expected, and what is missing.

import { h } from "./dom.js";
import { bits, cell, number, percent } from "./format.js";
import { addConditions, change } from "./store.js";

/** Return the panel. */
export function rowPanel(found, model) {
  const columns = [...found.columns].sort((a, b) => beyond(b) - beyond(a));
  const most = Math.max(1, ...columns.map((one) => Math.abs(finite(beyond(one)))));
  const known = found.columns.map((one) => one.condition).filter((text) => text !== null);
  return h(
    "div",
    { class: "panel", id: "row-panel" },
    h("h2", {}, `Row ${found.row}`),
    h(
      "p",
      { class: "lead" },
      `Log-density ${found.log_density === null ? "−∞" : number(found.log_density)}: number ${found.rank.toLocaleString("en")} `,
      `of ${model.n_rows.toLocaleString("en")} rows, the least likely first. Bars show the surprise of each cell given the others, beyond what is usual in its column.`,
    ),
    h("ul", { class: "cells" }, ...columns.map((one) => line(one, most))),
    h(
      "button",
      { type: "button", class: "plain", on: { click: () => change(known.join(", ")) } },
      "Use the whole row as evidence",
    ),
  );
}

function beyond(one) {
  if (one.value === null && one.condition === null) return -Infinity; // a missing cell
  return one.bits === null ? Infinity : one.bits - one.usual_bits;
}

function finite(value) {
  return Number.isFinite(value) ? value : 0;
}

function line(one, most) {
  const isMissing = one.condition === null;
  const gap = beyond(one);
  const bar = h("span", { class: gap > 0 ? "over" : "under" });
  const width = Number.isFinite(gap) ? (50 * Math.abs(gap)) / most : gap > 0 ? 50 : 0;
  bar.style.width = `${width}%`;
  bar.style[gap > 0 ? "left" : "right"] = "50%";
  const value = isMissing
    ? h("span", { class: "filled", title: "missing; its mean, or its most probable level" }, `${cell(one.filled)} filled`)
    : h(
        "button",
        { type: "button", class: "link", title: `Use ${one.condition} as evidence`, on: { click: () => addConditions(one.condition) } },
        cell(one.value),
      );
  return h(
    "li",
    { "data-column": one.name },
    h("span", { class: "name", title: one.name }, one.name),
    h("span", { class: "value" }, value),
    h("span", { class: "bar", "aria-hidden": "true" }, bar),
    h("span", { class: "share" }, isMissing ? "missing" : Number.isFinite(gap) ? signed(gap) : "impossible"),
    h("span", { class: "expected" }, expected(one)),
  );
}

function signed(gap) {
  return `${gap > 0 ? "+" : "−"}${bits(Math.abs(gap))}`;
}

function expected(one) {
  if (one.expected === null && one.probability === null) return "";
  if (one.probability !== null) return `expected ${cell(one.expected)} (${percent(one.probability)})`;
  return `expected ${cell(one.expected)}, 90 % from ${cell(one.low)} to ${cell(one.high)}`;
}
