// What sets the rows of a chart apart, and how each looks: a colour and a shape, so that either of them is enough.
import { svg } from "./dom.js";

const SHAPES = 6;

// So many can be told apart: each shape filled and hollow.
export const LOOKS = 2 * SHAPES;

// A strategy looks the same in every chart: its number is given when it is first seen.
const kinds = new Map();
let given = 0;

function numbered(name) {
  if (!kinds.has(name)) kinds.set(name, given++);
  return kinds.get(name);
}

export const look = (kind) => `s${kind % SHAPES}${kind < SHAPES ? "" : " hollow"}`;

export function seriesOf(section, rows) {
  const nameOf = naming(section, rows);
  const names = [...new Set(rows.map(nameOf))];
  const own = names.length > 1 ? looks(names) : new Map(names.map((name) => [name, (kinds.get(name) ?? 0) % LOOKS]));
  const order = [...names].sort((a, b) => kinds.get(a) - kinds.get(b));
  return {
    names: names.length > 1 ? order : names,
    kinds: own,
    nameOf,
    kindOf: (row) => own.get(nameOf(row)),
    // A list of more than can be told apart tells nothing: then every mark looks alike, and its name is in the table.
    told: names.length > 1 && names.length <= LOOKS,
    inOrder: (some) => (
      names.length > 1 ? [...some].sort((a, b) => kinds.get(nameOf(a)) - kinds.get(nameOf(b))) : some
    ),
  };
}

// The number of each name, unless another of the same chart looks like that already. A strategy of a second team is the
// hollow of the first one's.
function looks(names) {
  names.forEach(numbered);
  if (names.length <= LOOKS) return apart(names);
  return new Map(names.map((name) => [name, 0]));
}

function apart(names) {
  const taken = new Set();
  const found = new Map();
  for (const name of [...names].sort((a, b) => kinds.get(a) - kinds.get(b))) {
    let kind = kinds.get(name) % LOOKS;
    while (taken.has(kind)) kind = (kind + (taken.has((kind + SHAPES) % LOOKS) ? 1 : SHAPES)) % LOOKS;
    taken.add(kind);
    found.set(name, kind);
  }
  return found;
}

// Where several teams have a row of one name at one place, the team belongs to the name.
function naming(section, rows) {
  const key = seriesKey(section);
  const plain = (row) => (key ? String(row[key] ?? "") : "");
  const { chart, columns } = section;
  if (!key || key === "team" || !columns.some((each) => each.key === "team")) return plain;
  const place = chart.kind === "lines" ? chart.x : chart.label;
  const meeting = new Set(rows.map((row) => JSON.stringify([row[place], plain(row)]))).size < rows.length;
  if (chart.kind === "scatter" || !meeting) return plain;
  const whole = (row) => `${plain(row)}, ${row.team ?? "all"}`;
  for (const row of rows) {
    kinds.set(whole(row), numbered(plain(row)));
  }
  return whole;
}

// The chart's own series, else a first column that names few things many times.
function seriesKey({ chart, columns, rows }) {
  if (chart.series || chart.kind !== "dots") return chart.series;
  const key = columns.find(
    (each) => each.key !== chart.label && rows.every((row) => typeof row[each.key] === "string"),
  )?.key;
  const different = new Set(rows.map((row) => row[key])).size;
  return key && different > 1 && different <= SHAPES && different < rows.length / 2 ? key : null;
}

export function shape(x, y, kind) {
  switch (kind % SHAPES) {
    case 1: return svg("rect", { class: "mark", x: x - 4, y: y - 4, width: 8, height: 8 });
    case 2: return svg("path", { class: "mark", d: `M${x} ${y - 5.2}l5 9h-10z` });
    case 3: return svg("path", { class: "mark", d: `M${x} ${y - 5.5}l5.5 5.5l-5.5 5.5l-5.5 -5.5z` });
    case 4: return svg("path", { class: "mark", d: `M${x} ${y + 5.2}l5 -9h-10z` });
    case 5: return svg("path", { class: "mark", d: `M${x - 5} ${y - 2}h3v-3h4v3h3v4h-3v3h-4v-3h-3z` });
    default: return svg("circle", { class: "mark", cx: x, cy: y, r: 4.4 });
  }
}
