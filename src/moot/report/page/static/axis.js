// Scales and the axes that show them.
import { svg } from "./dom.js";
import { axisTitle, tick } from "./format.js";

const FONT = 12;

// A linear scale from the data, in round steps, or a logarithmic one where money or tokens span decades.
export function axis(values, unit, from, to, zero, wanted = null) {
  let low = Math.min(...values);
  let high = Math.max(...values);
  const length = Math.abs(to - from);
  const decades = ["usd", "usd-per-question", "tokens", "calls", "seconds"].includes(unit) && low > 0 && high / low > 50 && !zero;
  if (decades) {
    const [first, last] = [Math.floor(Math.log10(low)), Math.ceil(Math.log10(high))];
    const ticks = Array.from({ length: last - first + 1 }, (_, place) => 10 ** (first + place));
    return {
      low: ticks[0],
      ticks,
      step: ticks[0],
      at: (value) => from + ((to - from) * (Math.log10(value) - first)) / (last - first),
    };
  }
  if (unit === "share") [low, high] = [Math.max(0, low), Math.min(1, high)];
  if (zero || unit === "points") [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (unit === "ratio") [low, high] = [Math.min(1, low), Math.max(1, high)];
  if (low === high) [low, high] = [low - 0.5 * Math.abs(low || 1), high + 0.5 * Math.abs(high || 1)];
  const steps = wanted === null ? Math.max(2, Math.floor(length / 75)) : wanted || 6;
  let step = round((high - low) / steps);
  if (wanted === 0) step = Math.max(1, step);
  const whole = wanted === 0;
  const first = whole ? low : Math.floor(low / step + 1e-9) * step;
  const last = whole ? high : Math.ceil(high / step - 1e-9) * step;
  const ticks = [];
  const start = Math.ceil(first / step - 1e-9);
  for (let place = start; place * step <= last + step / 1e6; place += 1) ticks.push(place * step);
  const origin = unit === "points" ? 0 : unit === "ratio" ? 1 : null;
  return {
    low: first,
    ticks,
    step,
    origin,
    at: (value) => from + ((to - from) * (value - first)) / (last - first || 1),
  };
}

function round(rough) {
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * ([1, 2, 2.5, 5, 10].find((each) => each * power >= rough * 0.999) ?? 10);
}

export function grid(scale, top, bottom) {
  const lines = scale.ticks.map(
    (each) => svg("line", { class: "grid", x1: scale.at(each), x2: scale.at(each), y1: top, y2: bottom }),
  );
  if (typeof scale.origin === "number") lines.push(
    svg("line", { class: "origin", x1: scale.at(scale.origin), x2: scale.at(scale.origin), y1: top, y2: bottom }),
  );
  return lines;
}

export function bottomAxis(scale, bottom, column, left, right) {
  return [
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    ...scale.ticks.map(
      (each) => text(scale.at(each), bottom + 16, tick(each, column.unit, scale.step), "tick", "middle"),
    ),
    text((left + right) / 2, bottom + 34, axisTitle(column), "axis-title", "middle"),
  ];
}

export function text(x, y, words, name, anchor, title = null) {
  return svg(
    "text",
    { x, y, class: name, "text-anchor": anchor, "font-size": FONT },
    words,
    title && title !== words ? svg("title", {}, title) : null,
  );
}
