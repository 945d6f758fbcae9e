// Scales and the axes that show them.
import { svg } from "./dom.js";
import { axisTitle, tick } from "./format.js";

const FONT = 12;
const LETTER = 6.8;
const BETWEEN_TICKS = 44;

const LOGARITHMIC = ["usd", "usd-per-question", "tokens", "calls", "seconds"];

// A linear scale from the data, in round steps, or a logarithmic one where money or tokens span decades.
export function axis(values, unit, from, to, zero, wanted = null) {
  let low = Math.min(...values);
  let high = Math.max(...values);
  const length = Math.abs(to - from);
  if (LOGARITHMIC.includes(unit) && low > 0 && high / low > 50 && !zero) return decades(low, high, from, to);
  if (zero || unit === "points") [low, high] = [Math.min(0, low), Math.max(0, high)];
  if (unit === "ratio") [low, high] = [Math.min(1, low), Math.max(1, high)];
  if (low === high) [low, high] = [low - 0.5 * Math.abs(low || 1), high + 0.5 * Math.abs(high || 1)];
  if (unit === "share") [low, high] = [Math.max(0, low), Math.min(1, high)];
  const steps = wanted === null ? Math.max(2, Math.floor(length / 75)) : wanted || 6;
  let step = round((high - low) / steps);
  if (wanted === 0) step = Math.max(1, step);
  const whole = wanted === 0;
  const first = whole ? low : Math.floor(low / step + 1e-9) * step;
  const above = whole ? high : Math.ceil(high / step - 1e-9) * step;
  const last = unit === "share" ? Math.min(1, above) : above; // a round step may lead beyond all there is
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

// From the 1, 2 or 5 of a decade below the data to the one above, with all of these as ticks where there is room.
function decades(low, high, from, to) {
  const steps = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power += 1) {
    steps.push(...[1, 2, 5].map((each) => Number(`${each}e${power}`)));
  }
  const first = Math.max(0, steps.findLastIndex((each) => each <= low * (1 + 1e-9)));
  const last = steps.findIndex((each) => each >= high * (1 - 1e-9));
  const within = steps.slice(first, last + 1);
  const [least, most] = [Math.log10(within[0]), Math.log10(within.at(-1))];
  const at = (value) => from + ((to - from) * (Math.log10(value) - least)) / (most - least);
  const narrowest = (Math.abs(to - from) * Math.log10(2)) / (most - least);
  const whole = within.filter((each) => Math.abs(Math.log10(each) - Math.round(Math.log10(each))) < 1e-9);
  return { low: within[0], ticks: narrowest >= BETWEEN_TICKS || whole.length < 2 ? within : whole, step: null, at };
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

// Numbers that would run into each other are left out: every second, every third, so that those that stay are even.
export function bottomAxis(scale, bottom, column, left, right) {
  const words = scale.ticks.map((each) => tick(each, column.unit, scale.step));
  const places = scale.ticks.map(scale.at);
  const meet = (one, other) => (
    Math.abs(places[one] - places[other]) < ((words[one].length + words[other].length) / 2) * LETTER + 8
  );
  let every = 1;
  while (words.some((_, each) => each % every === 0 && each + every < words.length && meet(each, each + every))) every += 1;
  return [
    svg("line", { class: "axis", x1: left, x2: right, y1: bottom, y2: bottom }),
    ...words.map((each, place) => (
      place % every ? null : text(places[place], bottom + 16, each, "tick", "middle")
    )),
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
