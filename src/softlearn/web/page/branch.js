// One branch of the tree: how many rows take it, and what distinguishes it.

import { h } from "./dom.js";
import { percent } from "./format.js";

const SIGNS = { sum: "+", product: "×", leaf: "•" };
const KINDS = { sum: "mixture", product: "product", leaf: "one column" };
const NAMED = 6;

/** Return a branch as an item of the tree; its children come when it is opened. */
export function branch(one, above, isRoot = false) {
  const path = `${above}/${one.node}`;
  const canOpen = one.n_children > 0 || one.kind !== "sum";
  const words = describe(one, isRoot);
  const share = one.share === null ? "" : `, ${percent(one.share_now ?? 0)} of the rows above it`;
  return h(
    "li",
    {
      role: "treeitem",
      tabindex: "-1",
      "data-node": one.node,
      "data-path": path,
      "aria-expanded": canOpen ? "false" : null,
      "aria-label": `${KINDS[one.kind]}${share}: ${words}`,
    },
    h(
      "div",
      { class: "branch" },
      h("span", { class: "turn", "aria-hidden": "true" }, canOpen ? "›" : ""),
      one.share === null || isRoot ? null : shareBar(one),
      h("span", { class: `sign ${one.kind}`, title: KINDS[one.kind], "aria-hidden": "true" }, SIGNS[one.kind]),
      h("span", { class: "words" }, words),
      h("span", { class: "mass quiet" }, isRoot ? "" : `${percent(one.mass_now)} of all rows`),
    ),
    h("ul", { role: "group" }),
  );
}

function describe(one, isRoot) {
  if (isRoot) return "all rows";
  if (one.words.length) return one.words.join("; ");
  const names = one.columns.slice(0, NAMED).join(", ");
  const rest = one.n_columns - Math.min(NAMED, one.columns.length);
  const columns = rest > 0 ? `${names} and ${rest} more` : names;
  return one.share === null ? columns : `much like the others (${columns})`;
}

function shareBar(one) {
  const ghost = h("span", { class: "ghost" });
  const solid = h("span", { class: "solid" });
  ghost.style.width = `${100 * one.share}%`;
  solid.style.width = `${100 * (one.share_now ?? 0)}%`;
  return h(
    "span",
    { class: "weight", title: `${percent(one.share_now ?? 0)} given the evidence, ${percent(one.share)} before` },
    h("span", { class: "bar", "aria-hidden": "true" }, ghost, solid),
    h("span", { class: "share" }, percent(one.share_now ?? 0)),
  );
}

/** Return the item that fetches further branches. */
export function moreItem(left, above) {
  return h(
    "li",
    { role: "treeitem", class: "more-branches", tabindex: "-1", "data-path": `${above}/more` },
    h("div", { class: "branch" }, h("span", { class: "turn" }), `${left.toLocaleString("en")} more branches`),
  );
}

/** Return the item for columns that are independent of all others here. */
export function restItem(summaries) {
  return h(
    "li",
    { role: "treeitem", class: "rest", tabindex: "-1", "aria-label": `independent columns: ${summaries.join(", ")}` },
    h(
      "div",
      { class: "branch" },
      ...summaries.map((text) => h("span", { class: "leaf" }, text)),
    ),
  );
}
