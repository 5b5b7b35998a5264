// Rows drawn given the evidence, to look at and to keep.

import { address, ask } from "./api.js";
import { h, refill } from "./dom.js";
import { cell } from "./format.js";
import { state } from "./store.js";
import { dataTable } from "./table.js";

const SIZES = [10, 100, 1000];

/** Return the view. */
export function generateView(model) {
  const size = h(
    "select",
    { id: "drawn", on: { change: () => update() } },
    ...SIZES.map((n) => h("option", { value: n, selected: n === 100 }, `${n.toLocaleString("en")} rows`)),
  );
  const again = h("button", { type: "button", class: "plain", on: { click: redraw } }, "Draw again");
  const download = h("a", { class: "plain button", download: "drawn-rows.csv" }, "Download CSV");
  const place = h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Drawn rows" });
  const lead = h("p", { class: "lead" });
  let seed = 0;
  let latest = 0;

  function redraw() {
    seed += 1;
    update();
  }

  async function update() {
    const asked = (latest += 1);
    const question = { given: state.given, n: size.value, seed };
    let drawn;
    try {
      drawn = await ask("sample", question);
    } catch (error) {
      refill(place, h("p", { class: "mistake" }, error.message));
      return;
    }
    if (asked !== latest) return;
    download.href = address("sample.csv", question);
    lead.textContent = drawn.given
      ? "Drawn exactly from the model given the evidence; known values stay as they are."
      : "Drawn from the model. Set evidence to draw rows that fit it.";
    const known = new Set(drawn.conditions.map((one) => one.column));
    refill(
      place,
      dataTable(
        drawn.columns.map((name) => ({ name, isKnown: known.has(name), isNumber: isNumber(model, name) })),
        drawn.rows.map((row) => ({ cells: row.map(cell) })),
      ),
    );
  }

  const element = h(
    "section",
    { class: "view", "aria-label": "Generate" },
    h("div", { class: "tools" }, h("label", { class: "hidden", for: "drawn" }, "How many rows"), size, again, download),
    lead,
    place,
  );
  return { element, update };
}

function isNumber(model, name) {
  return ["integer", "numeric"].includes(model.byName.get(name).kind);
}
