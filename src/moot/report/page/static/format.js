// Figures as people write them: the same as in the terminal.

export const NOTHING = "–";

const SUFFIX = {
  share: "%",
  points: "points",
  usd: "USD",
  calls: "calls",
  tokens: "tokens",
  seconds: "s",
  ratio: "×",
};

export function shown(value, unit = "") {
  if (value === null || value === undefined) return NOTHING;
  if (typeof value === "boolean") return value ? "yes" : "no";
  if (typeof value === "number") return number(value, unit);
  if (Array.isArray(value)) return value.map((each) => shown(each)).join(", ") || NOTHING;
  if (typeof value === "object") {
    return Object.entries(value).map(([key, each]) => `${key} ${shown(each)}`).join(", ") || NOTHING;
  }
  return String(value);
}

export function number(value, unit = "") {
  switch (unit) {
    case "share": return `${(100 * value).toFixed(1)} %`;
    case "points": return `${value > 0 ? "+" : ""}${(100 * value).toFixed(1)}`.replace("-", "−");
    case "usd": return usd(value);
    case "p": return value < 0.001 ? "<0.001" : value.toFixed(3);
    case "ratio": return Math.abs(value) < 10 ? value.toFixed(2) : value.toFixed(1);
    case "number": return grouped(value, 2);
    case "seconds": return `${grouped(value, 1)} s`;
    default: return Number.isInteger(value) ? grouped(value, 0) : grouped(value, 2);
  }
}

export function usd(value) {
  if (value === 0) return "$0";
  return Math.abs(value) < 1 ? `$${value.toFixed(Math.abs(value) < 0.001 ? 6 : 4)}` : `$${grouped(value, 2)}`;
}

export function grouped(value, digits) {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

export function percent(value) {
  return `${Math.round(100 * value)} %`;
}

// An interval in the unit of its value, without repeating the sign of the unit; open on a side that has no bound.
export function bounds(low, high, unit = "") {
  const bare = (end) => number(end, unit).replace(/ [%s]$/, "").replace(/^\+/, "");
  const none = (end) => end === null || end === undefined;
  if (none(low) && none(high)) return "";
  if (none(high)) return `from ${bare(low)}`;
  if (none(low)) return `to ${bare(high)}`;
  return low < 0 ? `${bare(low)} to ${bare(high)}` : `${bare(low)}–${bare(high)}`;
}

export function cellText(row, column) {
  const interval = bounds(column.low ? row[column.low] : null, column.high ? row[column.high] : null, column.unit);
  const value = shown(row[column.key], column.unit);
  return interval ? `${value} (${interval})` : value;
}

export function axisTitle(column) {
  const suffix = SUFFIX[column.unit];
  return suffix && !column.title.includes(suffix) ? `${column.title}, ${suffix}` : column.title;
}

// What stands at a tick: the unit is in the axis title.
export function tick(value, unit, step) {
  const scale = unit === "share" || unit === "points" ? 100 : 1;
  const size = step * scale;
  const digits = [0, 1, 2, 3, 4, 5].find(
    (each) => Math.abs(size * 10 ** each - Math.round(size * 10 ** each)) < 1e-6,
  ) ?? 6;
  const text = grouped(scale * value, digits);
  return /^-[0.]*$/.test(text) ? text.slice(1) : text.replace("-", "−");
}

export function count(value, one, many = `${one}s`) {
  return `${grouped(value, 0)} ${value === 1 ? one : many}`;
}
