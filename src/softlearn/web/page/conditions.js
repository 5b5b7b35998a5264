// Conditions as text, in the language of the command line.

import { isoTime } from "./format.js";

const PLAIN_NAME = /^[\p{L}\p{N}_][\p{L}\p{N}_./%-]*( [\p{L}\p{N}_][\p{L}\p{N}_./%-]*)*$/u;
const ENDS_LIKE_A_WORD = /\s(in|is (not )?missing)$/;
const PLAIN_VALUE = /^[^\s,{}"'?]+( [^\s,{}"'?]+)*$/u;

function quoted(text) {
  const quote = text.includes("'") ? '"' : "'";
  return quote + text.replaceAll(quote, quote + quote) + quote;
}

/** A column's name, in quotes if it needs them. */
export function name(text) {
  return PLAIN_NAME.test(text) && !ENDS_LIKE_A_WORD.test(text) ? text : quoted(text);
}

function value(level) {
  const text = String(level);
  return PLAIN_VALUE.test(text) && !text.includes("..") ? text : quoted(text);
}

/** The condition that a discrete column has one of some levels. */
export function levels(column, chosen) {
  if (chosen.length === 1 && chosen[0] === null) return `${name(column.name)} is missing`;
  if (chosen.length === 1) return `${name(column.name)}=${value(chosen[0])}`;
  return `${name(column.name)} in {${chosen.map(value).join(", ")}}`;
}

/** The condition that a column lies between two places on its axis. */
export function interval(column, low, high) {
  const ends = [low, high].map((end) => written(column, end, high - low));
  return `${name(column.name)}=${ends.join("..")}`;
}

function written(column, end, span) {
  if (column.kind === "datetime") return isoTime(end) ?? "";
  const digits = Math.min(12, Math.max(0, 2 - Math.floor(Math.log10(span || 1))));
  return String(Number(end.toFixed(digits)));
}

/** What somebody typed into a column's field, as a condition. */
export function typed(column, text) {
  const said = text.trim();
  if (!said) return null;
  const relation = /^(<=|>=|!=|<|>|=|in\s*\{|is\s)/.exec(said);
  return `${name(column.name)}${relation ? (relation[0].startsWith("i") ? " " : "") : "="}${said}`;
}
