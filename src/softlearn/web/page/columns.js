// The view of all columns: cards that are filled when they come into sight.

import { makeCard } from "./card.js";
import { debounced, h, refill } from "./dom.js";
import { listen, need, setWanted, state } from "./store.js";

const ORDERS = {
  table: ["as in the table", null],
  moved: ["moved most", (a, b) => moved(b) - moved(a)],
  name: ["by name", (a, b) => a.column.name.localeCompare(b.column.name)],
};

function moved(card) {
  const summary = state.columns.get(card.column.name);
  return summary?.bits ?? Infinity; // a number whose value is known
}

/** Return the view. */
export function columnsView(model) {
  const cards = model.columns.map((column, place) => makeCard(column, place));
  const grid = h("div", { class: "cards" });
  const search = h("input", {
    type: "search",
    placeholder: "Find a column",
    "aria-label": "Find a column",
    on: { input: debounced(() => arrange(), 120) },
  });
  const order = h(
    "select",
    { "aria-label": "Order of the columns", on: { change: () => arrange() } },
    ...Object.entries(ORDERS).map(([value, [text]]) => h("option", { value }, text)),
  );
  const count = h("span", { class: "quiet", role: "status" });
  const visible = new Set();
  const sight = new IntersectionObserver(seen, { rootMargin: "200px" });
  for (const card of cards) sight.observe(card.element);

  function seen(entries) {
    for (const entry of entries) {
      const card = cards[Number(entry.target.dataset.place)];
      if (entry.isIntersecting) visible.add(card);
      else visible.delete(card);
    }
    fill();
  }

  function fill() {
    const names = [...visible].map((card) => card.column.name);
    const lacking = names.filter((name) => !state.now.has(name) || !state.before.has(name));
    if (lacking.length) need(lacking);
    for (const card of visible) card.draw();
  }

  function arrange() {
    const text = search.value.trim().toLowerCase();
    const found = cards.filter((card) => card.column.name.toLowerCase().includes(text));
    const compare = ORDERS[order.value][1];
    const sorted = compare ? [...found].sort(compare) : found;
    const focused = document.activeElement;
    const isSame = sorted.length === grid.children.length
      && sorted.every((card, place) => grid.children[place] === card.element);
    if (!isSame) {
      refill(grid, ...sorted.map((card) => card.element));
      if (grid.contains(focused)) focused.focus({ preventScroll: true });
    }
    count.textContent = text ? `${found.length} of ${cards.length}` : "";
  }

  const first = cards.slice(0, 12).map((card) => card.column.name);
  setWanted(() => {
    if (!grid.isConnected) return first.slice(0, 1); // nobody looks at the others
    if (visible.size === cards.length) return null; // all of them
    return visible.size ? [...visible].map((card) => card.column.name) : first;
  });
  listen("distributions", () => {
    if (grid.isConnected) fill();
  });
  addEventListener("resize", debounced(() => grid.isConnected && fill(), 100));
  arrange();

  return {
    element: h(
      "section",
      { class: "view", "aria-label": "Columns" },
      h("div", { class: "tools" }, search, order, count, legend()),
      grid,
    ),
    update() {
      arrange();
      for (const card of cards) card.summarise();
      fill();
    },
  };
}

function legend() {
  return h(
    "p",
    { class: "legend", "aria-hidden": "true" },
    h("span", { class: "swatch ghost" }),
    "before",
    h("span", { class: "swatch now" }),
    "given the evidence",
    h("span", { class: "swatch known" }),
    "evidence",
  );
}
