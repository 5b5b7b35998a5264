// The evidence and what follows from it; the address of the page always says the evidence.

import { ask } from "./api.js";
import { announce } from "./dom.js";
import { bits, percent } from "./format.js";

const listeners = { change: [], distributions: [], error: [] };
const past = []; // evidence before, for undo
let asking = null; // what can be aborted
let wanted = () => null; // columns whose distributions are looked at

export const state = {
  given: "", // as the last answer has it
  settled: "", // as the address has it; differs while something is dragged
  conditions: [],
  evidence: null,
  columns: new Map(), // name to summary
  now: new Map(), // name to distribution
  before: new Map(),
};

/** Call a function after a "change" of evidence, new "distributions", or an "error". */
export function listen(event, act) {
  listeners[event].push(act);
}

/** Say which columns' distributions come with each answer. */
export function setWanted(names) {
  wanted = names;
}

function tell(event, value) {
  for (const act of listeners[event]) act(value);
}

/** Show what went wrong elsewhere in the page. */
export function report(error) {
  if (error?.name !== "AbortError") tell("error", error);
}

/** Return the condition on a column, if there is one. */
export function conditionOn(name) {
  return state.conditions.find((one) => one.column === name) ?? null;
}

/** Replace the condition on a column; null takes it away. */
export function setCondition(name, text, { settle = true } = {}) {
  const others = state.conditions.filter((one) => one.column !== name).map((one) => one.text);
  return change([...others, ...(text ? [text] : [])].join(", "), { settle });
}

/** Add conditions to those that hold. */
export function addConditions(text) {
  const all = [...state.conditions.map((one) => one.text), text];
  return change(all.join(", "));
}

export function canUndo() {
  return past.length > 0;
}

export function undo() {
  if (past.length) change(past.pop(), { remember: false });
}

/** Take other evidence; while `settle` is false the address and the past stay as they are. */
export async function change(given, { settle = true, remember = true, address = true } = {}) {
  asking?.abort();
  const own = new AbortController();
  asking = own;
  try {
    const found = await ask("posterior", { given, column: wanted() }, own.signal);
    if (own !== asking) return;
    take(found);
  } catch (error) {
    if (error.name !== "AbortError") tell("error", error);
    return;
  }
  if (settle) settled({ remember, address });
  tell("error", null);
  tell("change");
}

function take(found) {
  Object.assign(state, {
    given: found.given,
    conditions: found.conditions,
    evidence: found.evidence,
    columns: new Map(found.columns.map((one) => [one.name, one])),
    now: new Map(found.distributions.map((one) => [one.name, one])),
  });
  if (!found.given) for (const [name, one] of state.now) state.before.set(name, one);
}

function settled({ remember, address }) {
  if (remember && state.settled !== state.given) past.push(state.settled);
  state.settled = state.given;
  if (address) {
    const query = state.given ? `?${new URLSearchParams({ given: state.given })}` : "/";
    history.pushState(null, "", query + location.hash);
  }
  const { probability, bits: surprise } = state.evidence;
  if (!state.given) announce("Nothing is known.");
  else if (probability !== null) announce(`Probability ${percent(probability)}, ${bits(surprise)}.`);
}

/** Fetch the distributions of columns that have come into view, now and before. */
export async function need(names) {
  const given = state.given;
  const fresh = names.filter((name) => !state.now.has(name));
  const unknown = names.filter((name) => !state.before.has(name));
  try {
    const [now, before] = await Promise.all([
      fresh.length ? ask("posterior", { given, column: fresh }) : null,
      unknown.length && given ? ask("posterior", { column: unknown }) : null,
    ]);
    for (const one of before?.distributions ?? []) state.before.set(one.name, one);
    if (given !== state.given) return;
    for (const one of now?.distributions ?? []) {
      state.now.set(one.name, one);
      if (!given) state.before.set(one.name, one);
    }
    if (fresh.length || unknown.length) tell("distributions", names);
  } catch (error) {
    tell("error", error);
  }
}

/** Read the evidence from the address, at the start and when somebody goes back. */
export function fromAddress() {
  const given = new URLSearchParams(location.search).get("given") ?? "";
  return change(given, { remember: false, address: false });
}
