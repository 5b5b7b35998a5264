// Two distributions over one axis: grey steps of the table under the curve of the model.

import { h, s } from "./dom.js";
import { place, ticks } from "./format.js";

const WIDTH = 640; // in the drawing's own units; the page stretches it

/** Return the drawing; it takes the width that there is. */
export function compare(column, axis, table, model, height) {
  const top = Math.max(...table, ...model) || 1;
  const x = (i) => (WIDTH * i) / axis.cells;
  const y = (share) => height - ((height - 4) * share) / top;
  const steps = table.map((share, i) => `L${x(i)} ${y(share)}L${x(i + 1)} ${y(share)}`).join("");
  const isStepped = column.kind === "integer" && axis.cells <= 60;
  const line = isStepped
    ? model.map((share, i) => `${x(i)} ${y(share)}L${x(i + 1)} ${y(share)}`).join("L")
    : model.map((share, i) => `${x(i + 0.5)} ${y(share)}`).join("L");
  const drawing = s(
    "svg",
    { viewBox: `0 0 ${WIDTH} ${height}`, preserveAspectRatio: "none", height, width: "100%" },
    s("path", { class: "steps", d: `M0 ${height}${steps}L${WIDTH} ${height}Z` }),
    s("path", { class: "line", d: `M${line}`, "vector-effect": "non-scaling-stroke" }),
  );
  return h("div", { class: "compare", "aria-hidden": "true" }, drawing, labels(column, axis));
}

function labels(column, axis) {
  const span = axis.stop - axis.start;
  const found = ticks(column, axis.start, axis.stop, 4).filter(
    (value) => value > axis.start + 0.03 * span && value < axis.stop - 0.03 * span,
  );
  return h("div", { class: "ticks" }, ...found.map((value) => {
    const label = h("span", {}, place(column, value, span));
    label.style.left = `${(100 * (value - axis.start)) / span}%`;
    return label;
  }));
}
