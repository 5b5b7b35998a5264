// The bar above all views: what is known, how likely it is, and how to change it.

import { levels as condition, name } from "./conditions.js";
import { h, refill } from "./dom.js";
import { bits, number, percent } from "./format.js";
import { addConditions, canUndo, change, listen, setCondition, state, undo } from "./store.js";

/** Fill the bar, and keep it up to date. */
export function evidenceBar(bar, model) {
  const chips = h("ul", { class: "chips", "aria-label": "Conditions" });
  const field = h("input", {
    type: "text",
    id: "condition",
    autocomplete: "off",
    autocapitalize: "off",
    spellcheck: "false",
    "aria-label": "Add a condition",
    "aria-describedby": "mistake",
    placeholder: `Add a condition, such as ${example(model)}`,
  });
  const form = h("form", { class: "add", on: { submit: (event) => add(event, field) } }, field);
  const likelihood = h("output", { class: "likelihood", for: "condition" });
  const mistake = h("pre", { id: "mistake", class: "mistake", role: "alert", hidden: true });
  const buttons = {
    undo: button("Undo", undo),
    clear: button("Clear", () => change("")),
    share: button("Copy link", (event) => share(event.currentTarget)),
  };
  refill(
    bar,
    h("div", { class: "known" }, chips, form),
    h("div", { class: "side" }, likelihood, h("div", { class: "buttons" }, ...Object.values(buttons))),
    mistake,
  );
  listen("change", () => {
    refill(chips, ...state.conditions.map(chip));
    refill(likelihood, ...likelihoodText());
    buttons.undo.disabled = !canUndo();
    buttons.clear.disabled = !state.given;
  });
  listen("error", (error) => {
    mistake.hidden = error === null;
    mistake.textContent = error?.message ?? "";
    if (!error) field.value = "";
  });
}

function example(model) {
  const levels = model.columns.find((column) => column.levels !== null);
  if (levels) return condition(levels, [levels.levels[0]]);
  const numbers = model.columns.find((column) => column.kind !== "datetime");
  return numbers ? `${name(numbers.name)}>=0` : `${name(model.columns[0].name)}>=2024-12-31`;
}

function add(event, field) {
  event.preventDefault();
  if (field.value.trim()) addConditions(field.value.trim());
}

function button(text, act) {
  return h("button", { type: "button", class: "plain", on: { click: act } }, text);
}

function chip(condition) {
  const remove = h(
    "button",
    {
      type: "button",
      "aria-label": `Remove ${condition.text}`,
      on: { click: () => setCondition(condition.column, null) },
    },
    "×",
  );
  return h("li", { class: "chip", "data-column": condition.column }, h("span", {}, condition.text), remove);
}

function likelihoodText() {
  if (!state.given) return [h("span", { class: "quiet" }, "Nothing is known yet")];
  const { probability, density, bits: surprise } = state.evidence;
  const isDensity = probability === null;
  return [
    h("span", { class: "quiet" }, isDensity ? "density" : "P(evidence)"),
    h("strong", { id: "probability" }, isDensity ? number(density) : percent(probability)),
    h("span", { class: "quiet" }, "surprise"),
    h("strong", { id: "surprise" }, bits(surprise)),
  ];
}

async function share(button) {
  const before = button.textContent;
  try {
    await navigator.clipboard.writeText(location.href);
    button.textContent = "Copied";
  } catch {
    button.textContent = "Copy the address";
  }
  setTimeout(() => {
    button.textContent = before;
  }, 1500);
}
