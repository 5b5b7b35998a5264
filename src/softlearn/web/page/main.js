// The page: its head, its views, and which of them is shown.

import { ask } from "./api.js";
import { h, refill } from "./dom.js";
import { evidenceBar } from "./evidence.js";
import { fromAddress, listen, report, setWanted } from "./store.js";
import { themeButton } from "./theme.js";
import { columnsView } from "./columns.js";
import { fitView } from "./fit.js";
import { generateView } from "./generate.js";
import { rowsView } from "./rows.js";
import { structureView } from "./structure.js";
import { whatIfView } from "./whatif.js";

const VIEWS = {
  columns: ["Columns", columnsView],
  whatif: ["What if", whatIfView],
  rows: ["Rows", rowsView],
  generate: ["Generate", generateView],
  structure: ["Structure", structureView],
  fit: ["Fit", fitView],
};
const WITH_TABLE = new Set(["rows", "fit"]);

async function start() {
  themeButton(document.getElementById("theme"));
  const main = document.getElementById("main");
  let model;
  try {
    model = await ask("model");
  } catch (error) {
    refill(main, h("p", { class: "mistake", role: "alert" }, error.message));
    return;
  }
  model.byName = new Map(model.columns.map((column) => [column.name, column]));
  describe(model);
  evidenceBar(document.getElementById("evidence"), model);
  const names = Object.keys(VIEWS).filter((name) => model.n_rows !== null || !WITH_TABLE.has(name));
  const links = new Map(names.map((name) => [name, h("a", { href: `#${name}` }, VIEWS[name][0])]));
  refill(document.getElementById("views"), ...links.values());
  const made = new Map();
  let shown = null;

  const show = () => {
    const asked = location.hash.slice(1);
    if (asked === "main") return; // the link for skipping
    const name = links.has(asked) ? asked : "columns";
    if (!made.has(name)) made.set(name, VIEWS[name][1](model));
    shown = made.get(name);
    for (const [one, link] of links) {
      if (one === name) {
        link.setAttribute("aria-current", "page");
        link.scrollIntoView({ inline: "nearest", block: "nearest" });
      }
      else link.removeAttribute("aria-current");
    }
    document.title = `${model.title} · ${VIEWS[name][0]}`;
    refill(main, shown.element);
    shown.update();
  };
  listen("change", () => shown?.update());
  addEventListener("hashchange", show);
  addEventListener("popstate", fromAddress);
  addEventListener("unhandledrejection", (event) => report(event.reason));
  setWanted(() => model.columns.slice(0, 12).map((column) => column.name));
  await fromAddress();
  show();
}

function describe(model) {
  const { columns, nodes } = model.size;
  const parts = [`${columns} columns`, `${nodes.toLocaleString("en")} nodes`];
  if (model.n_rows !== null) parts.push(`${model.n_rows.toLocaleString("en")} rows`);
  document.getElementById("title").textContent = model.title;
  document.getElementById("size").textContent = parts.join(" · ");
}

start();
