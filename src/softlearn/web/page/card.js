// The card of one column: its name, how far it has moved, and its distribution.

import { h } from "./dom.js";
import { bits } from "./format.js";
import { levelsChart } from "./levels.js";
import { numbersChart } from "./numbers.js";
import { conditionOn, setCondition, state } from "./store.js";

const KINDS = { integer: "whole numbers", numeric: "numbers", datetime: "times" };

/** Return the card; `draw` fills it from the latest distributions. */
export function makeCard(column, place) {
  const title = h("h2", { id: `column-${place}`, title: column.name }, column.name);
  const moved = h("span", { class: "moved" });
  const forget = h(
    "button",
    {
      type: "button",
      class: "forget",
      hidden: true,
      "aria-label": `Remove the condition on ${column.name}`,
      on: { click: () => setCondition(column.name, null) },
    },
    "×",
  );
  const chart = column.levels === null ? numbersChart(column) : levelsChart(column);
  const element = h(
    "article",
    { class: "card", "aria-labelledby": `column-${place}`, "data-place": place, "data-column": column.name },
    h("header", {}, title, h("span", { class: "kind" }, KINDS[column.kind] ?? column.kind), moved, forget),
    chart.element,
  );

  function summarise() {
    const summary = state.columns.get(column.name);
    const isKnown = conditionOn(column.name) !== null;
    element.classList.toggle("is-known", isKnown);
    forget.hidden = !isKnown;
    const isQuiet = !state.given || isKnown;
    moved.textContent = isQuiet ? "" : `moved ${bits(summary?.bits ?? 0)}`;
    moved.classList.toggle("far", (summary?.bits ?? 0) >= 0.1);
  }

  function draw() {
    summarise();
    const now = state.now.get(column.name);
    const before = state.before.get(column.name);
    if (now) chart.draw(now, before ?? null);
  }

  return { column, element, draw, summarise };
}
