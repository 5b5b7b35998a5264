// A density as a curve over its axis: the ghost before, solid now, quantiles below.

import { s } from "./dom.js";
import { percent, place, ticks } from "./format.js";

export const HEIGHT = 128;
const TOP = 8;
const BASE = 92; // where the curve stands
const STRIP = 101; // where the quantiles are drawn
const EDGE = 2;
const SPIKE = 3; // how many times taller than its neighbours a value may be drawn

/** Return how places on the axis become pixels, and back. */
export function scaleOf(distribution, width) {
  const { start, stop, cells } = distribution.axis ?? { start: 0, stop: 1, cells: 1 };
  const inner = width - 2 * EDGE;
  return {
    start,
    stop,
    cells,
    width,
    x: (value) => EDGE + (inner * (value - start)) / (stop - start),
    value: (x) => start + ((stop - start) * Math.min(Math.max(x - EDGE, 0), inner)) / inner,
  };
}

/** Return the drawing. */
export function curve(column, now, before, scale, region) {
  const ghost = now.before ?? (before?.axis && sameAxis(before.axis, scale) ? before.shares : null);
  const top = heightOf([...(now.shares ?? []), ...(ghost ?? [])]);
  const y = (share) => BASE - ((BASE - TOP) * Math.min(share, top)) / top;
  const isBars = column.kind === "integer" && scale.cells <= 60;
  const shape = isBars ? bars : area;
  return s(
    "svg",
    { width: scale.width, height: HEIGHT, "aria-hidden": "true", class: "curve" },
    regionBand(region, scale),
    ghost ? shape(ghost, scale, y, "ghost") : null,
    now.shares ? shape(now.shares, scale, y, "now") : null,
    ...(now.shares ? spikes(now.shares, scale, top) : []),
    s("line", { class: "axis", x1: EDGE, x2: scale.width - EDGE, y1: BASE + 0.5, y2: BASE + 0.5 }),
    now.quantiles ? quantiles(now.quantiles, scale) : null,
    now.axis || now.at === null ? null : pointLine(now.at, scale),
    ...labels(column, scale),
  );
}

function sameAxis(axis, scale) {
  return axis.start === scale.start && axis.stop === scale.stop;
}

/** Return the share that reaches the top; a lonely spike is cut off, so that the rest can be seen. */
function heightOf(shares) {
  const sorted = [...shares].sort((a, b) => b - a);
  const usual = sorted[Math.min(4, sorted.length - 1)];
  return Math.min(sorted[0], usual > 0 ? SPIKE * usual : sorted[0]) || 1;
}

function area(shares, scale, y, kind) {
  const points = shares.map((share, i) => [scale.x(middle(scale, i)), y(share)]);
  const line = points.map(([px, py]) => `${px.toFixed(1)} ${py.toFixed(1)}`).join("L");
  const first = points[0][0].toFixed(1);
  const last = points[points.length - 1][0].toFixed(1);
  return s(
    "g",
    { class: kind },
    s("path", { class: "fill", d: `M${first} ${BASE}L${line}L${last} ${BASE}Z` }),
    s("path", { class: "line", d: `M${line}` }),
  );
}

function bars(shares, scale, y, kind) {
  const step = (scale.width - 2 * EDGE) / scale.cells;
  const width = step * (kind === "ghost" ? 0.86 : 0.5);
  return s(
    "g",
    { class: `${kind} bars` },
    ...shares.map((share, i) =>
      s("rect", {
        x: (scale.x(middle(scale, i)) - width / 2).toFixed(2),
        y: y(share).toFixed(2),
        width: width.toFixed(2),
        height: Math.max(0, BASE - y(share)).toFixed(2),
      }),
    ),
  );
}

function middle(scale, i) {
  return scale.start + ((scale.stop - scale.start) * (i + 0.5)) / scale.cells;
}

/** Return the shares of values that stand out too far to be drawn in full. */
function spikes(shares, scale, top) {
  return shares
    .map((share, i) => [share, scale.x(middle(scale, i))])
    .filter(([share]) => share > 1.02 * top)
    .map(([share, x]) => {
      const isRight = x > scale.width - 60;
      return s("text", { class: "spike", x: x + (isRight ? -5 : 5), y: TOP + 8, "text-anchor": isRight ? "end" : "start" }, percent(share));
    });
}

function regionBand(region, scale) {
  if (region === null) return null;
  const [low, high] = region.map((end) => scale.x(Math.min(Math.max(end, scale.start), scale.stop)));
  const width = Math.max(high - low, 1.5);
  return s(
    "g",
    { class: "region" },
    s("rect", { x: low, y: 0, width, height: BASE }),
    s("line", { x1: low, x2: low, y1: 0, y2: BASE }),
    s("line", { x1: low + width, x2: low + width, y1: 0, y2: BASE }),
  );
}

function pointLine(at, scale) {
  const x = scale.x(at);
  return s("line", { class: "point", x1: x, x2: x, y1: TOP, y2: BASE });
}

function quantiles(values, scale) {
  const at = values.map((value) => Math.min(Math.max(scale.x(value), EDGE), scale.width - EDGE));
  return s(
    "g",
    { class: "quantiles" },
    s("line", { x1: at[0], x2: at[4], y1: STRIP, y2: STRIP }),
    s("line", { class: "half", x1: at[1], x2: at[3], y1: STRIP, y2: STRIP }),
    s("circle", { cx: at[2], cy: STRIP, r: 3.5 }),
  );
}

function labels(column, scale) {
  const span = scale.stop - scale.start;
  const found = ticks(column, scale.start, scale.stop, column.kind === "datetime" ? 3 : 4);
  return found.map((value) => {
    const x = scale.x(value);
    const anchor = x < 16 ? "start" : x > scale.width - 20 ? "end" : "middle";
    return s("text", { class: "tick", x, y: HEIGHT - 5, "text-anchor": anchor }, place(column, value, span));
  });
}
