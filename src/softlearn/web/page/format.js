// Numbers, shares, times and cells as people read them.

const DAY = 86_400;

/** A probability in per cent; small ones keep digits, and only certainty is 100 %. */
export function percent(share) {
  const value = 100 * share;
  if (value === 0 || value === 100) return `${value} %`;
  if (value < 0.1) return "<0.1 %";
  if (value > 99.9) return ">99.9 %";
  return `${value < 9.95 || value >= 99.5 ? value.toFixed(1) : value.toFixed(0)} %`;
}

/** A number with three digits that count, thousands apart. */
export function number(value) {
  if (value === null || value === undefined) return "–";
  const size = Math.abs(value);
  if (size >= 1e9 || (size > 0 && size < 1e-3)) return signed(value.toExponential(2));
  if (size >= 100) return signed(value.toLocaleString("en", { maximumFractionDigits: 0 }));
  return signed(value.toLocaleString("en", { maximumSignificantDigits: 3 }));
}

function signed(text) {
  return text.replace(/^-/, "−");
}

/** Bits with two digits behind the point. */
export function bits(value) {
  if (value === null) return "∞ bits";
  const size = Math.abs(value);
  if (size < 0.0005) return "0 bits";
  return `${value.toFixed(size < 0.1 ? 3 : 2)} bits`;
}

/** A place on a column's axis: a number, or seconds since 1970; `span` says how exact to be. */
export function place(column, value, span = Infinity) {
  if (value === null || value === undefined) return "–";
  if (column.kind !== "datetime") return axisNumber(value, span);
  const text = isoTime(value);
  if (text === null) return number(value);
  if (span > 3 * 365 * DAY && span < Infinity) return text.slice(0, 7);
  return span < 3 * DAY ? text.slice(0, 16).replace("T", " ") : text.slice(0, 10);
}

function axisNumber(value, span) {
  if (!Number.isFinite(span)) return number(value);
  const digits = Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(span || 1))));
  if (Math.abs(value) >= 1e6) return number(value);
  const rounded = Number(value.toFixed(digits)) || 0; // no minus before a zero
  return signed(rounded.toLocaleString("en", { maximumFractionDigits: digits }));
}

/** A time as ISO text without zone; null beyond the calendar. */
export function isoTime(seconds) {
  const moment = new Date(seconds * 1000);
  return Number.isNaN(moment.getTime()) ? null : moment.toISOString().slice(0, 19);
}

/** A cell of a table. */
export function cell(value) {
  if (value === null) return "·";
  if (typeof value === "boolean") return value ? "true" : "false";
  if (typeof value !== "number") return String(value);
  if (Number.isInteger(value)) return signed(String(value));
  const size = Math.abs(value);
  return size >= 1e-3 && size < 1000 ? signed(value.toPrecision(3)) : number(value);
}

/** A level of a column. */
export function level(value) {
  return value === null ? "missing" : cell(value);
}

/** Round places between two ends, at most so many. */
export function ticks(column, start, stop, most) {
  const span = stop - start;
  const unit = column.kind === "datetime" ? timeStep(span / most) : roundStep(span / most);
  const step = column.kind === "integer" ? Math.max(1, Math.ceil(unit)) : unit;
  const found = [];
  for (let at = Math.ceil(start / step) * step; at <= stop + 1e-9 * span; at += step) {
    found.push(Math.abs(at) < step * 1e-9 ? 0 : at);
  }
  return found;
}

function roundStep(least) {
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 2.5, 5, 10].map((unit) => unit * power).find((step) => step >= least * 0.999);
}

function timeStep(least) {
  const steps = [60, 300, 900, 3600, 21_600, DAY, 7 * DAY, 30.4375 * DAY, 91.3125 * DAY];
  return steps.find((step) => step >= least) ?? 365.25 * DAY * roundStep(least / (365.25 * DAY));
}
