// A column of numbers or times: a curve to drag over, and a field to type into.

import { interval, typed } from "./conditions.js";
import { curve, HEIGHT, scaleOf } from "./curve.js";
import { h, refill } from "./dom.js";
import { percent, place } from "./format.js";
import { conditionOn, setCondition } from "./store.js";

const SHORTEST = 4; // pixels that count as a drag
const PATIENCE = 40; // milliseconds between questions while something is dragged

/** Return the chart of a column of numbers; dragging over it makes an interval the evidence. */
export function numbersChart(column) {
  const canvas = h("div", { class: "canvas" });
  const summary = h("p", { class: "summary" });
  const field = h("input", {
    type: "text",
    autocomplete: "off",
    spellcheck: "false",
    "aria-label": `Condition on ${column.name}: a value, or a range such as low..high`,
    on: { keydown: (event) => event.key === "Enter" && take() },
  });
  const drag = { from: null, to: null, at: 0 };
  let scale = null;
  let latest = null;

  function take() {
    const text = typed(column, field.value);
    setCondition(column.name, text);
    field.value = "";
  }

  function draw(now, before) {
    latest = { now, before };
    field.placeholder = example(before ?? now);
    summarise(now, before);
    if (drag.from === null) redraw();
  }

  function example(usual) {
    if (!usual.axis) return "value or low..high";
    const span = usual.axis.stop - usual.axis.start;
    const [, low, middle, high] = usual.quantiles.map((value) => plainPlace(column, value, span));
    return column.kind === "datetime" ? `${low}..${high}` : `${middle} or ${low}..${high}`;
  }

  function redraw() {
    const { now, before } = latest;
    const width = Math.max(160, canvas.clientWidth);
    scale = scaleOf(now.axis ? now : before ?? now, width);
    refill(canvas, curve(column, now, before, scale, shownRegion()));
  }

  function shownRegion() {
    if (drag.from !== null) return [Math.min(drag.from, drag.to), Math.max(drag.from, drag.to)];
    const known = conditionOn(column.name);
    if (!known || known.levels) return null;
    return [known.low ?? -Infinity, known.high ?? Infinity];
  }

  function summarise(now, before) {
    if (!now.axis) {
      refill(summary, "known: ", h("strong", {}, now.at === null ? "missing" : place(column, now.at)));
      return;
    }
    const span = now.quantiles[4] - now.quantiles[0];
    const parts = [
      "median ",
      h("strong", {}, place(column, now.quantiles[2], span)),
      `, 90 % from ${place(column, now.quantiles[0], span)} to ${place(column, now.quantiles[4], span)}`,
    ];
    if (now.missing > 0) parts.push(`, missing ${percent(now.missing)}`);
    canvas.dataset.mean = now.mean;
    canvas.dataset.deviation = now.deviation;
    canvas.dataset.quantiles = now.quantiles.join(" ");
    refill(summary, ...parts);
    const was = before?.axis ? ` Before: median ${place(column, before.quantiles[2], span)}.` : "";
    canvas.setAttribute("aria-label", `${column.name}: ${summary.textContent}.${was}`);
  }

  function commit(settle) {
    const [low, high] = shownRegion();
    return setCondition(column.name, interval(column, low, high), { settle });
  }

  canvas.setAttribute("role", "img");
  canvas.addEventListener("pointerdown", (event) => {
    if (event.button !== 0 || scale === null) return;
    drag.from = drag.to = scale.value(pointX(event, canvas));
    drag.start = pointX(event, canvas);
    canvas.setPointerCapture(event.pointerId);
    event.preventDefault();
  });
  canvas.addEventListener("pointermove", (event) => {
    if (drag.from === null) return;
    drag.to = scale.value(pointX(event, canvas));
    if (Math.abs(pointX(event, canvas) - drag.start) < SHORTEST) return;
    const [low, high] = shownRegion();
    refill(canvas, curve(column, latest.now, latest.before, scale, [low, high]));
    if (event.timeStamp - drag.at > PATIENCE) {
      drag.at = event.timeStamp;
      commit(false);
    }
  });
  canvas.addEventListener("pointerup", (event) => {
    if (drag.from === null) return;
    const isDrag = Math.abs(pointX(event, canvas) - drag.start) >= SHORTEST;
    const done = isDrag ? commit(true) : null;
    drag.from = drag.to = null;
    if (!isDrag && latest) redraw();
    done?.then(() => latest && redraw());
  });
  canvas.addEventListener("pointercancel", () => {
    drag.from = drag.to = null;
  });
  canvas.style.height = `${HEIGHT}px`;
  return { element: h("div", { class: "numbers" }, canvas, summary, field), draw };
}

/** A place as it is typed: no thousands apart, and the minus of keyboards. */
function plainPlace(column, value, span) {
  const rounded = column.kind === "integer" ? Math.round(value) : value;
  return place(column, rounded, Math.min(span, 1e8)).replaceAll(",", "").replace("−", "-");
}

function pointX(event, canvas) {
  return event.clientX - canvas.getBoundingClientRect().left;
}
