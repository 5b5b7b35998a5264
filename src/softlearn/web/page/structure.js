// The circuit as a tree that is opened branch by branch.

import { ask } from "./api.js";
import { h, refill } from "./dom.js";
import { state } from "./store.js";
import { branch, moreItem, restItem } from "./branch.js";

/** Return the view. */
export function structureView() {
  const tree = h("ul", { class: "tree", role: "tree", "aria-label": "Circuit", on: { keydown: keys, click: clicked } });
  const lead = h(
    "p",
    { class: "lead" },
    "Mixtures (+) divide the rows, products (×) divide the columns. The grey bar is the share of rows in a branch, ",
    "the coloured bar that share given the evidence. The words compare a branch with the one above it.",
  );
  const open = new Set(); // paths of nodes that show their children
  let focused = null;
  let shownFor = null;

  async function update() {
    if (shownFor === state.given) return;
    shownFor = state.given;
    const root = await ask("structure", { given: state.given });
    const item = branch({ ...root.node, share: 1, share_now: 1, words: [] }, "", true);
    refill(tree, item);
    if (!open.size) open.add(item.dataset.path);
    await expand(item, root);
    setFocus(tree.querySelector(`[data-path="${focused}"]`) ?? item, false);
  }

  async function expand(item, known = null) {
    if (item.getAttribute("aria-expanded") === null) return;
    open.add(item.dataset.path);
    item.setAttribute("aria-expanded", "true");
    const group = item.querySelector(":scope > [role=group]");
    const start = group.querySelectorAll(":scope > li[data-node]").length;
    const found = known ?? (await ask("structure", { node: item.dataset.node, given: shownFor, start }));
    group.querySelector(":scope > .more-branches")?.remove();
    const items = found.children.map((child) => branch(child, item.dataset.path));
    group.append(...items);
    const left = found.n_children - found.start - found.children.length;
    if (left > 0) group.append(moreItem(left, item.dataset.path));
    if (found.columns_alone.length) group.append(restItem(found.columns_alone));
    await Promise.all(items.filter((one) => open.has(one.dataset.path)).map((one) => expand(one)));
  }

  function collapse(item) {
    open.delete(item.dataset.path);
    item.setAttribute("aria-expanded", "false");
    refill(item.querySelector(":scope > [role=group]"));
  }

  function toggle(item) {
    if (item.classList.contains("more-branches")) {
      expand(item.parentElement.closest("li"));
      setFocus(item.previousElementSibling ?? item.parentElement.closest("li"));
    } else if (item.getAttribute("aria-expanded") === "true") collapse(item);
    else expand(item);
  }

  function clicked(event) {
    const item = event.target.closest("li");
    if (!item || item.classList.contains("rest")) return;
    setFocus(item);
    toggle(item);
  }

  function setFocus(item, move = true) {
    if (!item) return;
    for (const one of tree.querySelectorAll("[tabindex='0']")) one.tabIndex = -1;
    item.tabIndex = 0;
    focused = item.dataset.path;
    if (move) item.focus();
  }

  function keys(event) {
    const item = event.target.closest("li");
    const all = [...tree.querySelectorAll("li[tabindex]")];
    const place = all.indexOf(item);
    const isOpen = item.getAttribute("aria-expanded") === "true";
    const acts = {
      ArrowDown: () => setFocus(all[place + 1]),
      ArrowUp: () => setFocus(all[place - 1]),
      ArrowRight: () => (isOpen ? setFocus(all[place + 1]) : toggle(item)),
      ArrowLeft: () => (isOpen ? collapse(item) : setFocus(item.parentElement.closest("li"))),
      Home: () => setFocus(all[0]),
      End: () => setFocus(all.at(-1)),
      Enter: () => toggle(item),
      " ": () => toggle(item),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }

  return { element: h("section", { class: "view", "aria-label": "Structure" }, lead, tree), update };
}
