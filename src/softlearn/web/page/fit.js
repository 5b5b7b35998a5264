// The table beside the model: likelihoods of whole rows, and each column by itself.

import { ask } from "./api.js";
import { h, refill } from "./dom.js";
import { compare } from "./compare.js";
import { level, number, percent } from "./format.js";

const AT_ONCE = 60;

/** Return the view. */
export function fitView(model) {
  const element = h("section", { class: "view", "aria-label": "Fit" }, h("p", { class: "quiet" }, "Comparing …"));
  let loaded = false;

  async function update() {
    if (loaded) return;
    loaded = true;
    try {
      show(await ask("fit"));
    } catch (error) {
      refill(element, h("p", { class: "mistake" }, error.message));
    }
  }

  function show(found) {
    const grid = h("div", { class: "cards" });
    const more = h("button", { type: "button", class: "plain", on: { click: () => add() } });
    let shown = 0;
    const add = () => {
      grid.append(...found.columns.slice(shown, shown + AT_ONCE).map((one) => columnCard(one, model)));
      shown = Math.min(shown + AT_ONCE, found.columns.length);
      more.hidden = shown === found.columns.length;
      more.textContent = `Show more of ${found.columns.length} columns`;
    };
    refill(element, h("div", { class: "figures" }, ...figures(found)), rowsPanel(found), columnsHead(), grid, more);
    add();
  }

  return { element, update };
}

function figures(found) {
  const gain = found.mean_log_density - found.columns_alone_mean_log_density;
  return [
    figure("Mean log-density of the table's rows", number(found.mean_log_density), found.impossible_rows
      ? `${found.impossible_rows} rows are impossible`
      : `${found.n_rows.toLocaleString("en")} rows, in nats; held-out rows say most`),
    figure("Of rows that the model draws", number(found.drawn_mean_log_density), "with the table's gaps; far higher means overfitting"),
    figure("Of the table, each column alone", number(found.columns_alone_mean_log_density), `dependence is worth ${number(gain)} nats per row`),
  ];
}

function figure(title, value, note) {
  return h("div", { class: "panel figure" }, h("h2", {}, title), h("p", { class: "big" }, value), h("p", { class: "quiet" }, note));
}

function rowsPanel(found) {
  const axis = { kind: "numeric", name: "log-density" };
  return h(
    "div",
    { class: "panel wide" },
    h("h2", {}, "Log-densities of rows"),
    h("p", { class: "legend" }, h("span", { class: "swatch ghost" }), "table", h("span", { class: "swatch now" }), "rows that the model draws"),
    compare(axis, found.axis, found.table, found.model, 150),
  );
}

function columnsHead() {
  return h("div", { class: "tools head" }, h("h2", {}, "Columns, the least alike first"),
    h("p", { class: "legend" }, h("span", { class: "swatch ghost" }), "table", h("span", { class: "swatch now" }), "model"));
}

function columnCard(one, model) {
  const column = model.byName.get(one.name);
  const notes = [`differs by ${percent(one.distance)}`];
  if (one.missing > 0) notes.push(`${percent(one.missing)} missing`);
  const chart = one.axis ? compare(column, one.axis, one.table, one.model, 96) : levels(column, one);
  return h(
    "article",
    { class: "card short", "aria-label": `${one.name}: ${notes.join(", ")}` },
    h("header", {}, h("h2", { title: one.name }, one.name), h("span", { class: "moved" }, notes.join(" · "))),
    chart,
  );
}

function levels(column, one) {
  const order = column.levels.map((_, code) => code).sort((a, b) => one.table[b] + one.model[b] - one.table[a] - one.model[a]);
  return h("ul", { class: "levels" }, ...order.slice(0, 6).map((code) => {
    const ghost = h("span", { class: "ghost" });
    const solid = h("span", { class: "solid" });
    ghost.style.width = `${100 * one.table[code]}%`;
    solid.style.width = `${100 * one.model[code]}%`;
    return h(
      "li",
      { class: "level still" },
      h("span", { class: "name", title: level(column.levels[code]) }, level(column.levels[code])),
      h("span", { class: "bar", "aria-hidden": "true" }, ghost, solid),
      h("span", { class: "share", title: `table ${percent(one.table[code])}, model ${percent(one.model[code])}` }, percent(one.model[code])),
    );
  }));
}
