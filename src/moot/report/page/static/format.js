// Figures as people write them: the same as in the terminal.

export const NOTHING = "–";

// Made once for each number of digits: making one takes longer than a hundred uses.
const formats = new Map();

const SUFFIX = {
  share: "%",
  points: "points",
  usd: "USD",
  calls: "calls",
  tokens: "tokens",
  seconds: "s",
  ratio: "×",
};

// A hyphen before a figure is a minus; within a word or a date it is not.
export const minus = (words) => words.replace(/(?<![\w.–-])-(?=\d)/g, "−");

export function shown(value, unit = "", digits = null) {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value, unit, digits);
  if (Array.isArray(value)) return value.map((each) => shown(each)).join(", ") || NOTHING;
  if (typeof value === "object") {
    return Object.entries(value).map(([key, each]) => `${key} ${shown(each)}`).join(", ") || NOTHING;
  }
  return String(value);
}

export function number(value, unit = "", digits = null) {
  return minus(written(value, unit, digits));
}

function written(value, unit, digits) {
  switch (unit) {
    case "share": return `${fixed(hundredfold(value), 1)} %`;
    case "points": return signed(fixed(hundredfold(value), 1));
    case "usd": return usd(value);
    case "usd-per-question": return usd(1000 * value);
    case "p": return value < 0.001 ? "<0.001" : fixed(value, 3);
    case "ratio": return fixed(value, Math.abs(value) < 10 ? 2 : 1);
    case "seconds": return `${fixed(value, 1)} s`;
    case "number": return fixed(value, digits ?? 2);
    default: return fixed(value, digits ?? (Number.isInteger(value) ? 0 : 2));
  }
}

// By its digits, as it is written: 100 * 0.285 is a little less than 28.5.
export function hundredfold(value) {
  const shifted = Number(`${value}e2`);
  return Number.isNaN(shifted) ? 100 * value : shifted;
}

function signed(text) {
  return text.startsWith("-") || /^[0.]*$/.test(text) ? text : `+${text}`;
}

// Half goes away from zero, by the digits that a number is written with: as in Python (measures/numbers.py).
// Without a sign before what rounds to nothing.
function fixed(value, digits) {
  const text = grouped(value, digits);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text;
}

// How many digits the figures of a column have: as many in every row, none where all are whole.
export function digitsOf(column, rows) {
  if (!["", "number", "calls", "tokens"].includes(column.unit)) return null;
  const values = rows.flatMap((row) => [row[column.key], row[column.low], row[column.high]]);
  return values.every((each) => typeof each !== "number" || Number.isInteger(each)) ? 0 : 2;
}

// Never a nought that is none: small sums keep two digits.
export function usd(value) {
  if (value === 0) return "$0";
  const digits = Math.abs(value) >= 0.1 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(Math.abs(value))));
  return `$${fixed(value, digits)}`;
}

export function grouped(value, digits) {
  let format = formats.get(digits);
  if (!format) {
    format = new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
    formats.set(digits, format);
  }
  return format.format(value);
}

export function percent(value) {
  return `${fixed(hundredfold(value), 0)} %`;
}

// An interval in the unit of its value, without repeating the sign of the unit; open on a side that has no bound.
export function bounds(low, high, unit = "", digits = null) {
  const bare = (end) => number(end, unit, digits).replace(/ [%s]$/, "").replace(/^\+/, "");
  const none = (end) => end === null || end === undefined;
  if (none(low) && none(high)) return "";
  if (none(high)) return `from ${bare(low)}`;
  if (none(low)) return `to ${bare(high)}`;
  return low < 0 ? `${bare(low)} to ${bare(high)}` : `${bare(low)}–${bare(high)}`;
}

export function cellText(row, column, digits = null) {
  const [low, high] = [column.low, column.high].map((key) => (key ? row[key] : null));
  const interval = bounds(low, high, column.unit, digits);
  const value = shown(row[column.key], column.unit, digits);
  return interval ? `${value} (${interval})` : value;
}

export function axisTitle(column) {
  if (column.unit === "usd-per-question") return "dollars per 1,000 questions";
  const suffix = SUFFIX[column.unit];
  return suffix && !column.title.includes(suffix) ? `${column.title}, ${suffix}` : column.title;
}

// What stands at a tick: the unit is in the axis title, and before money as well. `step`: between ticks; null where they
// are not even, and each has the digits that it needs.
export function tick(value, unit, step) {
  const scale = unit === "usd-per-question" ? 1000 : unit === "share" || unit === "points" ? 100 : 1;
  const size = (step ?? value) * scale;
  const written = (each) => Number(`${size}e${each}`);
  const exact = (each) => Math.abs(written(each) - Math.round(written(each))) < 1e-6 * Math.abs(written(each));
  const money = unit === "usd" || unit === "usd-per-question" ? "$" : "";
  const needed = Array.from({ length: 12 }, (_, each) => each).find(exact) ?? 12;
  const digits = money && needed === 1 ? 2 : needed;
  return value === 0 ? `${money}0` : `${money}${minus(fixed(scale * value, digits))}`;
}

export function count(value, one, many = `${one}s`) {
  return `${grouped(value, 0)} ${value === 1 ? one : many}`;
}
