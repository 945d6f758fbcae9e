// The sections: words in the margin, the figure beside them, its data in a table behind it.
import { drawChart, drawable } from "./chart.js";
import { el, said } from "./dom.js";
import { keepDrawn } from "./drawn.js";
import { cellText, count, digitsOf, minus } from "./format.js";
import { scrolling } from "./scroll.js";

// `between` are sections about two runs at once; they go first.
export function renderSections(runs, between, place, contents) {
  const drawings = [];
  const sheet = (id, title, words, body) => {
    place.append(
      el(
        "section",
        { class: "sheet", id: `section-${id}`, "aria-labelledby": `title-${id}` },
        el("div", { class: "margin" }, el("h2", { id: `title-${id}` }, title), words),
        el("div", { class: `body side-${body.length}` }, body),
      ),
    );
    contents.append(el("a", { href: `#section-${id}` }, title));
  };
  for (const section of between) {
    sheet(
      `both-${section.id}`,
      section.title,
      sentences(section),
      [column(section, null, true, section.rows, drawings)],
    );
  }
  for (const id of new Set(runs.flatMap((run) => run.sections.map((section) => section.id)))) {
    const found = runs.map((run) => run.sections.find((section) => section.id === id) ?? null);
    const alike = found.every((section) => section && section.words.join() === found[0].words.join());
    const rows = found.flatMap((section) => section?.rows ?? []);
    const body = found.map(
      (section, number) => column(section, runs.length > 1 ? runs[number].name : null, alike, rows, drawings),
    );
    sheet(id, found.find(Boolean).title, alike ? sentences(found[0]) : null, body);
  }
  contents.append(el("a", { href: "#questions" }, "Every question"));
  keepDrawn(drawings);
}

function sentences(section) {
  return section.words.map((each) => el("p", { class: "words" }, said(minus(each))));
}

// `rows` are those of all runs: side by side, charts have the same scale.
function column(section, name, alike, rows, drawings) {
  const box = el("div", { class: "column" });
  if (name !== null) box.append(el("h3", { class: "run-name" }, said(name)));
  if (section && !alike) box.append(...sentences(section));
  if (section === null) {
    box.append(el("p", { class: "quiet-words" }, "This run has no data for it."));
    return box;
  }
  const drawn = drawable(section);
  if (drawn) {
    const canvas = el("div", { class: "canvas" });
    box.append(canvas);
    drawings.push({ canvas, draw: (width) => drawChart(section, width, rows) });
  }
  if (section.rows.length) box.append(tableBehind(section, !drawn));
  return box;
}

function tableBehind(section, open) {
  if (open) return table(section);
  const details = el(
    "details",
    { class: "behind" },
    el("summary", {}, `The data as a table (${count(section.rows.length, "row")})`),
  );
  details.addEventListener("toggle", () => details.childElementCount > 1 || details.append(table(section)));
  return details;
}

export function table(section) {
  const figures = section.columns.map(
    (each) => each.unit !== "" || section.rows.some((row) => typeof row[each.key] === "number"),
  );
  const digits = section.columns.map((each) => digitsOf(each, section.rows));
  const name = (place) => (figures[place] ? "figure-cell" : null);
  const head = section.columns.map((each, place) => el("th", { scope: "col", class: name(place) }, each.title));
  const rows = section.rows.map((row) =>
    el("tr", {}, section.columns.map((each, place) => {
      const words = cellText(row, each, digits[place]);
      const content = figures[place] ? words : said(words);
      return place ? el("td", { class: name(place) }, content) : el(
        "th",
        { scope: "row", class: name(place) },
        content,
      );
    })),
  );
  return scrolling(
    `Table: ${section.title}`,
    el("table", {}, el("caption", {}, section.title), el("thead", {}, el("tr", {}, head)), el("tbody", {}, rows)),
  );
}
