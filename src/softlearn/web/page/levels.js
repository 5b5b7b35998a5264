// Levels as bars: the ghost is what was believed before, the solid bar what is believed now.

import { levels as condition } from "./conditions.js";
import { h, refill } from "./dom.js";
import { level as text, percent } from "./format.js";
import { conditionOn, setCondition } from "./store.js";

const SHOWN = 8;

/** Return the bars of a discrete column; a click on one makes it evidence. */
export function levelsChart(column) {
  const list = h("ul", { class: "levels" });
  const more = h("button", { type: "button", class: "plain more", on: { click: showAll } });
  const hint = h("p", { class: "hidden", id: `hint-${crypto.getRandomValues(new Uint32Array(1))[0]}` },
    "Press to take this level as evidence; with shift to add it to others.");
  const rows = column.levels.map((level, code) => bar(column, level, code, hint.id));
  let all = column.levels.length <= SHOWN + 1;
  let order = rows;

  function showAll() {
    all = !all;
    arrange();
  }

  function arrange() {
    const shown = all ? order : order.slice(0, SHOWN);
    if (shown.some((row, place) => list.children[place] !== row.element) || list.children.length !== shown.length) {
      refill(list, ...shown.map((row) => row.element));
    }
    more.hidden = column.levels.length <= SHOWN + 1;
    more.textContent = all ? `Show the ${SHOWN} most common` : `Show all ${column.levels.length} levels`;
  }

  function draw(now, before) {
    const known = conditionOn(column.name);
    const chosen = new Set(known?.levels ?? []);
    const usual = before?.probabilities ?? now.probabilities;
    rows.forEach((row, code) => row.draw(now.probabilities[code], usual[code], chosen.has(code)));
    if (column.levels.length > SHOWN + 1) {
      const weight = (row) => usual[row.code] + (chosen.has(row.code) ? 1 : 0);
      order = [...rows].sort((a, b) => weight(b) - weight(a) || a.code - b.code);
    }
    arrange();
  }

  return { element: h("div", {}, list, more, hint), draw };
}

function bar(column, level, code, hint) {
  const ghost = h("span", { class: "ghost" });
  const solid = h("span", { class: "solid" });
  const share = h("span", { class: "share" });
  const button = h(
    "button",
    {
      type: "button",
      class: "level",
      "aria-describedby": hint,
      "data-level": text(level),
      on: { click: (event) => choose(column, code, event.shiftKey) },
    },
    h("span", { class: "name", title: text(level) }, text(level)),
    h("span", { class: "bar", "aria-hidden": "true" }, ghost, solid),
    share,
  );

  function draw(now, before, isChosen) {
    ghost.style.width = `${100 * before}%`;
    solid.style.width = `${100 * now}%`;
    share.textContent = percent(now);
    button.setAttribute("aria-pressed", String(isChosen));
    button.setAttribute("aria-label", `${column.name} ${text(level)}: ${percent(now)}, before ${percent(before)}`);
    button.title = `before ${percent(before)}`;
    button.dataset.probability = now;
  }

  return { code, element: h("li", {}, button), draw };
}

/** Take a level as evidence, or let go of it; with `add`, keep those that are chosen already. */
function choose(column, code, add) {
  const chosen = conditionOn(column.name)?.levels ?? [];
  let next;
  if (add) next = chosen.includes(code) ? chosen.filter((one) => one !== code) : [...chosen, code];
  else next = chosen.length === 1 && chosen[0] === code ? [] : [code];
  const levels = next.map((one) => column.levels[one]);
  if (levels.length > 1 && levels.includes(null)) levels.splice(levels.indexOf(null), 1);
  const isAll = levels.length === column.levels.length;
  setCondition(column.name, levels.length && !isAll ? condition(column, levels) : null);
}
