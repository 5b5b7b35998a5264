// What each column would tell about a target, if it were known.

import { ask } from "./api.js";
import { h, refill } from "./dom.js";
import { bits, percent } from "./format.js";
import { state } from "./store.js";

/** Return the view. */
export function whatIfView(model) {
  const target = h(
    "select",
    { id: "target", on: { change: () => update() } },
    ...model.columns.map((column) => h("option", { value: column.name }, column.name)),
  );
  const list = h("ol", { class: "tellers", "aria-label": "Columns, most informative first" });
  const lead = h("p", { class: "lead" });
  let latest = 0;

  async function update() {
    const asked = (latest += 1);
    let found;
    try {
      found = await ask("informative", { target: target.value, given: state.given });
    } catch (error) {
      refill(list, h("li", { class: "mistake" }, error.message));
      return;
    }
    if (asked !== latest) return;
    const isKnown = found.entropy_bits < 1e-9;
    lead.textContent = isKnown
      ? `${found.target} is known, so there is nothing left to learn about it.`
      : `${found.target} is uncertain by ${bits(found.entropy_bits)}${found.given ? " given the evidence" : ""}. ` +
        "Each bar shows how much of that uncertainty the column would remove on average, if it were known.";
    const most = Math.max(found.columns[0]?.bits ?? 0, 1e-9);
    refill(list, ...found.columns.map((one) => teller(one, most, found.entropy_bits)));
  }

  function teller(one, most, entropy) {
    const bar = h("span", { class: "solid" });
    bar.style.width = `${(100 * one.bits) / most}%`;
    const share = entropy > 1e-9 ? Math.min(one.bits / entropy, 1) : 0;
    return h(
      "li",
      { "data-column": one.name, "data-bits": one.bits },
      h("span", { class: "name", title: one.name }, one.name),
      h("span", { class: "bar", "aria-hidden": "true" }, bar),
      h("span", { class: "share" }, bits(one.bits)),
      h("span", { class: "share quiet" }, percent(share)),
    );
  }

  const element = h(
    "section",
    { class: "view narrow", "aria-label": "What if" },
    h("div", { class: "tools" }, h("label", { for: "target" }, "Most informative about"), target),
    h("div", { class: "panel" }, lead, list),
  );
  return { element, update };
}
