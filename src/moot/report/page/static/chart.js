// Sections drawn: dots with whiskers, lines, bars and scattered points, at the width there is.
import { axis, bottomAxis, grid, text } from "./axis.js";
import { el, short, svg } from "./dom.js";
import { axisTitle, cellText, digitsOf, shown, tick } from "./format.js";
import { LOOKS, look, seriesOf, shape } from "./series.js";

const CHARACTER = 6.5;
const ROW = 20;
const SUBROW = 15;
const LINE = 14;
const DENSE = 16;
const MANY_BARS = 40;
const NARROW = 560;
const ROOM_FOR_TAGS = 460;
const FIGURE = 58;
const BOUNDS_BELOW = 4;
const STRONG = 1.3;

let ruler = null;

// How wide a label is. Fonts differ: by the number of its letters alone it would stand out of the picture here or there.
function wide(words, strong) {
  ruler ??= document.createElement("canvas").getContext("2d");
  const { fontFamily } = getComputedStyle(document.body);
  ruler.font = `${strong ? 700 : 400} 12px ${getComputedStyle(document.body).getPropertyValue("--sans") || fontFamily}`;
  return Math.max(ruler.measureText(words).width, words.length * CHARACTER * (strong ? STRONG : 1));
}

// Whether there is anything to draw: a table without numbers is shown as a table, and so are more lines or bars than
// anybody could tell apart.
export function drawable(section) {
  const { chart, rows } = section;
  if (!chart) return false;
  const most = Math.max(...panels(section).map(([, own]) => seriesOf(section, own).names.length));
  if (chart.kind !== "scatter" && most > LOOKS) return false;
  if (chart.kind === "dots" || chart.kind === "bars") return numeric(rows, reading(section).value);
  return rows.some((row) => typeof row[chart.x] === "number" && typeof row[chart.y] === "number");
}

// The rows of each drawing by its title: of one without panels, all of them under none.
function panels({ chart, rows }) {
  return chart.panel ? [...Map.groupBy(rows, (row) => String(row[chart.panel] ?? ""))] : [[null, rows]];
}

// How rows with dots are drawn unless somebody wants them otherwise. `row`: how high one is. `tags`: words beside the
// figure of a row that stands out, by row. `plain`: without a list of the series, which the names tell.
const USUAL = { row: ROW, tags: new Map(), intervals: true, plain: false };

// `all` are the rows that the scale must hold: those of the section, or of both runs side by side.
export function drawChart(section, width, all = section.rows, way = USUAL) {
  if (!section.chart.panel) return drawOne(section, width, all, way);
  const drawings = panels(section).map(([name, rows]) => [
    name,
    drawOne({ ...section, title: `${section.title}, ${name}`, rows }, width, all, way),
  ]);
  const drawn = drawings.filter(([, drawing]) => drawing);
  if (!drawn.length) return null;
  return el(
    "div",
    { class: "facets" },
    drawn.map(([name, drawing]) => el("div", { class: "facet" }, el("h4", {}, name), drawing)),
  );
}

function drawOne(section, width, all, way) {
  const { chart } = section;
  const drawn = { dots: across, bars: across, lines: plane, scatter: plane }[chart.kind](section, width, all, way);
  if (!drawn) return null;
  const root = svg(
    "svg",
    {
      class: way.row < DENSE ? "chart dense" : "chart",
      role: "img",
      width,
      height: drawn.height,
      viewBox: `0 0 ${width} ${drawn.height}`,
      "aria-label": `${section.title}. The data are in the table below.`,
    },
    svg("desc", {}, section.words.join(" ")),
    drawn.marks,
  );
  return el("div", { class: "figure" }, root, drawn.series.told && !way.plain ? legend(drawn.series) : null);
}

const numeric = (rows, key) => rows.some((row) => typeof row[key] === "number");
const columnOf = (section, key) => section.columns.find((each) => each.key === key) ?? { key, title: key, unit: "" };

// Which key is the value and which the name of a row: a chart may have them either way round.
function reading({ chart: { x, y, label }, rows }) {
  const keys = [x, y].filter((key) => key !== label);
  const value = keys.find((key) => numeric(rows, key)) ?? keys[0];
  return { value, name: label ?? (value === x ? y : x) };
}

function across(section, width, all, way) {
  const { value, name } = reading(section);
  const column = columnOf(section, value);
  const digits = digitsOf(column, section.rows);
  const dots = section.chart.kind === "dots";
  const known = section.rows.filter((row) => typeof row[value] === "number" || (dots && bounded(section, row, column)));
  if (!known.length) return null;
  const series = seriesOf(section, known);
  const rows = series.inOrder(known);
  // So many bars would fill a wall: then all of a name stand on one line, as marks.
  const crowded = section.chart.kind === "bars" && rows.length > MANY_BARS;
  const bars = section.chart.kind === "bars" && !crowded;
  const groups = Map.groupBy(rows, (row) => String(row[name] ?? ""));
  const standsOut = (members) => members.some((row) => way.tags.has(row));
  const longest = Math.max(...[...groups].map(([each, members]) => wide(each, standsOut(members))));
  // Where a name beside its row would be cut, it stands above it.
  const above = width < NARROW && longest + 10 > width * 0.42;
  const left = above ? 6 : Math.min(width * 0.42, longest + 10);
  const tagged = width >= ROOM_FOR_TAGS ? Math.max(0, ...[...way.tags.values()].map((tag) => tag.length * CHARACTER)) : 0;
  const right = FIGURE + tagged;
  const ends = all.flatMap(
    (row) => [
      row[value],
      row[column.low],
      row[column.high],
      ...(dots && bounded(section, row, column) ? [row.least, row.most] : []),
    ],
  ).filter((each) => typeof each === "number");
  const band = bandOf(section, known);
  const scale = axis([...ends, ...(band ?? [])], column.unit, left, width - right, bars);
  const marks = [];
  let top = 8;
  let before = null;
  for (const [title, members] of groups) {
    const first = series.nameOf(members[0]);
    if (!crowded && members.length === 1 && before !== null && first !== before) top += 8;
    before = first;
    const lines = folded(title, Math.floor((above ? width - 12 : left - 8) / CHARACTER));
    const step = members.length > 1 || above ? Math.min(SUBROW, way.row) : way.row;
    const needed = above || (lines.length === 1 && way !== USUAL) ? 0 : LINE * lines.length + 4;
    const height = Math.max(needed, crowded ? ROW : step * members.length + (members.length > 1 ? 6 : 0));
    const titleHeight = above ? LINE * lines.length + 2 : 0;
    const strong = standsOut(members);
    if (strong) marks.push(svg("rect", { class: "band", x: 0, y: top, width, height: titleHeight + height, rx: 2 }));
    const middle = top + titleHeight + height / 2;
    lines.forEach((each, place) => {
      const y = above ? top + 12 + LINE * place : middle + 4 + LINE * (place - (lines.length - 1) / 2);
      const [x, anchor] = above ? [left, "start"] : [left - 8, "end"];
      marks.push(text(x, y, each, strong ? "label strong" : "label", anchor, title));
    });
    top += titleHeight;
    if (crowded) {
      marks.push(svg("line", { class: "guide", x1: left, x2: width - right, y1: middle, y2: middle }));
      for (const row of members) {
        const kind = series.kindOf(row);
        const mark = shape(scale.at(row[value]), middle, kind);
        mark.append(svg("title", {}, `${title}, ${series.nameOf(row)}: ${cellText(row, column, digits)}`));
        marks.push(svg("g", { class: look(kind) }, mark));
      }
    } else members.forEach((row, place) => {
      const y = members.length > 1 ? middle + step * (place - (members.length - 1) / 2) : middle;
      const kind = series.kindOf(row);
      marks.push(svg("line", { class: "guide", x1: left, x2: width - right, y1: y, y2: y }));
      if (!bars && bounded(section, row, column)) {
        const under = typeof row[value] === "number" ? y + BOUNDS_BELOW : y;
        const ends = { x1: scale.at(row.least), x2: scale.at(row.most), y1: under, y2: under };
        marks.push(svg("line", { class: `bounds ${look(kind)}`, ...ends }));
      }
      if (typeof row[value] === "number") {
        marks.push(bars ? bar(row, column, scale, y, step, kind) : whisker(row, column, scale, y, kind, way.intervals));
      }
      const told = way.intervals ? cellText(row, column, digits) : shown(row[value], column.unit, digits);
      marks.push(
        text(
          width - right + 8,
          y + 4,
          shown(row[value], column.unit, digits).replace(" %", ""),
          way.tags.has(row) ? "figure-value strong" : "figure-value",
          "start",
          `${title}: ${told}`,
        ),
      );
      if (tagged && way.tags.has(row)) marks.push(text(width - tagged - 8, y + 4, way.tags.get(row), "tag-word", "start"));
    });
    top += height;
  }
  return {
    height: top + 40,
    series,
    marks: [...behind(band, scale, top), ...grid(scale, 4, top), ...bottomAxis(scale, top, column, left, width - right), ...marks],
  };
}

// What was measured before, behind what is seen now: the ends are the same in all rows of a drawing.
function bandOf({ chart }, rows) {
  const ends = (chart.band ?? []).map((key) => rows[0]?.[key]);
  return ends.length === 2 && ends.every((each) => typeof each === "number") ? ends : null;
}

function behind(band, scale, bottom) {
  if (!band) return [];
  const [from, to] = band.map((each) => scale.at(each));
  return [svg("rect", { class: "measured", x: from, y: 2, width: Math.max(1, to - from), height: bottom - 2 })];
}

// A long name in two lines, parted where a word ends; what does not fit in two is cut.
function folded(title, room) {
  if (title.length <= room) return [title];
  const place = title.slice(0, room + 1).search(/[\s,@+/-][^\s,@+/-]*$/);
  const end = place > room / 3 ? place + 1 : room;
  return [title.slice(0, end).trimEnd(), short(title.slice(end), room)];
}

// What a share is over all questions, were every ungraded answer wrong, and were it right: where columns say so.
function bounded({ columns }, row, column) {
  const alike = columns.some((each) => each.key === "least" && each.unit === column.unit);
  return alike && typeof row.least === "number" && typeof row.most === "number";
}

function whisker(row, column, scale, y, kind, intervals) {
  const low = column.low ? row[column.low] : null;
  const high = column.high ? row[column.high] : null;
  const known = typeof low === "number" && typeof high === "number";
  return svg(
    "g",
    { class: look(kind) },
    known && intervals ? svg("line", { class: "whisker", x1: scale.at(low), x2: scale.at(high), y1: y, y2: y }) : null,
    shape(scale.at(row[column.key]), y, kind),
  );
}

function bar(row, column, scale, y, step, kind) {
  const from = scale.at(Math.max(0, scale.low));
  const to = scale.at(row[column.key]);
  const thick = Math.min(10, step - 5);
  const low = column.low ? row[column.low] : null;
  const high = column.high ? row[column.high] : null;
  const known = typeof low === "number" && typeof high === "number";
  return svg(
    "g",
    { class: look(kind) },
    svg(
      "rect",
      { class: "bar", x: Math.min(from, to), y: y - thick / 2, width: Math.max(1, Math.abs(to - from)), height: thick },
    ),
    known ? svg("line", { class: "bar-whisker", x1: scale.at(low), x2: scale.at(high), y1: y, y2: y }) : null,
  );
}

function plane(section, width, all) {
  const { x, y, label, kind, weight, equal } = section.chart;
  const whole = equal ? [0, 1] : [];
  const [across, up] = [columnOf(section, x), columnOf(section, y)];
  const rows = section.rows.filter((row) => typeof row[x] === "number" && typeof row[y] === "number");
  if (!rows.length) return null;
  const series = seriesOf(section, rows);
  const height = Math.max(240, Math.min(340, width * 0.55));
  const [left, right, top, bottom] = [46, 16, 26, height - 44];
  const ends = all.flatMap((row) => [row[y], row[up.low], row[up.high]]).filter((each) => typeof each === "number");
  const vertical = axis([...ends, ...whole], up.unit, bottom, top, false, 5);
  const horizontal = axis(
    [...all.map((row) => row[x]).filter((each) => typeof each === "number"), ...whole],
    across.unit,
    left + 14,
    width - right - 14,
    false,
    kind === "lines" && rows.every((row) => Number.isInteger(row[x])) ? 0 : null,
  );
  const marks = [text(4, 12, axisTitle(up), "axis-title", "start")];
  for (const each of vertical.ticks) {
    marks.push(
      svg("line", { class: "grid", x1: left, x2: width - right, y1: vertical.at(each), y2: vertical.at(each) }),
    );
    marks.push(text(left - 8, vertical.at(each) + 4, tick(each, up.unit, vertical.step), "tick", "end"));
  }
  marks.push(...bottomAxis(horizontal, bottom, across, left, width - right));
  if (equal) {
    const [from, to] = [0, 1].map((each) => ({ x: horizontal.at(each), y: vertical.at(each) }));
    marks.push(svg("line", { class: "equal", x1: from.x, y1: from.y, x2: to.x, y2: to.y }));
  }
  const most = weight ? Math.max(...all.map((row) => row[weight] ?? 0)) : 0;
  const best = rows.filter((row) => row.frontier === true).sort((a, b) => a[x] - b[x]);
  if (best.length > 1) {
    const path = best.map(
      (row, place) => `${place ? `H${horizontal.at(row[x])}V` : `M${horizontal.at(row[x])} `}${vertical.at(row[y])}`,
    ).join("");
    marks.push(svg("path", { class: "frontier", d: path }));
  }
  // Where many stand above one place, each moves aside a little, so that whiskers do not hide each other.
  const met = new Set(rows.map((row) => row[x])).size <= rows.length / 2 && best.length === 0;
  const stacked = (kind === "lines" || met) && !equal; // where a place on the line is read off, it is the true one
  const aside = stacked ? Math.min(5, 20 / series.names.length) : 0;
  const shiftOf = (row) => aside * (series.names.indexOf(series.nameOf(row)) - (series.names.length - 1) / 2);
  for (const name of series.names) {
    const own = rows.filter((row) => series.nameOf(row) === name).sort((a, b) => a[x] - b[x]);
    const shift = shiftOf(own[0]);
    const kindOfSeries = series.kindOf(own[0]);
    const group = svg("g", { class: look(kindOfSeries) });
    if (kind === "lines") {
      group.append(
        svg(
          "polyline",
          {
            class: "path",
            points: own.map((row) => `${horizontal.at(row[x]) + shift},${vertical.at(row[y])}`).join(" "),
          },
        ),
      );
    }
    for (const row of own) {
      const share = most ? (row[weight] ?? 0) / most : null;
      group.append(
        ...point(row, horizontal.at(row[x]) + shift, up, vertical, kindOfSeries, label && row[label], share),
      );
    }
    marks.push(group);
  }
  if (kind === "scatter" && label) {
    const named = rows.map((row) => ({
      x: horizontal.at(row[x]) + shiftOf(row),
      y: vertical.at(row[y]),
      name: pointName(String(row[label] ?? ""), series, row),
      first: row.frontier === true,
    }));
    marks.push(...pointLabels(named, width));
  }
  return { height, series, marks };
}

// `share`: of the most that stand behind a point, how many stand behind this one. The mark's area tells it.
function point(row, at, up, vertical, place, title, share = null) {
  const low = up.low ? row[up.low] : null;
  const high = up.high ? row[up.high] : null;
  const nodes = [];
  if (typeof low === "number" && typeof high === "number" && row.frontier !== false) {
    nodes.push(svg("line", { class: "whisker thin", x1: at, x2: at, y1: vertical.at(low), y2: vertical.at(high) }));
  }
  const y = vertical.at(row[up.key]);
  const mark = shape(at, y, place);
  if (share !== null) {
    const size = Math.max(0.4, 1.8 * Math.sqrt(share));
    mark.setAttribute("transform", `translate(${at} ${y}) scale(${size}) translate(${-at} ${-y})`);
  }
  mark.append(svg("title", {}, `${title ? `${title}: ` : ""}${cellText(row, up)}`));
  return [...nodes, mark];
}

// Where colours tell the strategies apart, a point is known by whose it is.
function pointName(name, series, row) {
  const known = `${series.nameOf(row)}@`;
  return short(series.told && name.startsWith(known) ? name.slice(known.length) : name, 26);
}

// Names beside the points, where they do not run into each other; every name is in the table.
function pointLabels(points, width) {
  const taken = points.map(({ x, y }) => [x - 5, x + 5, y - 5, y + 5]);
  const said = [];
  const marks = [];
  for (const { x, y, name } of points.toSorted((a, b) => b.first - a.first)) {
    if (said.some((other) => other.name === name && Math.abs(other.x - x) < 20 && Math.abs(other.y - y) < 60)) continue;
    const long = name.length * CHARACTER * 0.92;
    const places = [[x + 9, y + 4, "start"], [x - 9, y + 4, "end"], [x, y - 10, "middle"], [x, y + 18, "middle"]];
    for (const [px, py, anchor] of places) {
      const from = anchor === "start" ? px : anchor === "end" ? px - long : px - long / 2;
      const box = [from - 2, from + long + 2, py - 10, py + 3];
      const free = box[0] > 40 && box[1] < width && taken.every(
        (other) => box[1] < other[0] || box[0] > other[1] || box[3] < other[2] || box[2] > other[3],
      );
      if (!free) continue;
      taken.push(box);
      said.push({ x, y, name });
      marks.push(text(px, py, name, "label small", anchor));
      break;
    }
  }
  return marks;
}

function legend(series) {
  return el(
    "ul",
    { class: "series", "aria-label": "Series" },
    series.names.map((name) => {
      const kind = series.kinds.get(name);
      const drawing = { class: look(kind), width: 14, height: 14, "aria-hidden": "true" };
      return el("li", {}, svg("svg", drawing, shape(7, 7, kind)), name || "–");
    }),
  );
}
