// The picture beside the verdict: the rows of a table, as many as the first screen holds.
import { drawChart } from "./chart.js";
import { el } from "./dom.js";
import { keepDrawn } from "./drawn.js";
import { grouped } from "./format.js";

const HIGHEST_ROW = 22;
const LOWEST_ROW = 13;
const STACKED_ROW = 17;
// Where the picture stands below the verdict nobody sees both at once; then it is as long as a screen.
const STACKED_HEIGHT = 720;
const LEAST_HEIGHT = 260;
const BELOW = 14;

export function renderPictures(runs) {
  const pictured = (run) => run.sections.find((section) => section.id === run.picture.section);
  const drawn = runs.filter((run) => run.picture && pictured(run));
  const all = drawn.flatMap((run) => pictured(run).rows);
  keepDrawn(drawn.map((run) => {
    const canvas = el("div", { class: "canvas" });
    const caption = el("figcaption", {});
    document.getElementById(`picture-${run.number}`).append(canvas, caption);
    return { canvas, draw: (width) => firstScreen(pictured(run), run, width, all, canvas, caption) };
  }));
}

function firstScreen(section, run, width, all, canvas, caption) {
  const { picture } = run;
  const stacked = canvas.closest(".run").firstElementChild.getBoundingClientRect().right > canvas.getBoundingClientRect().left;
  const words = (missing) => [
    ...(missing ? [
      `${grouped(picture.order.length - missing, 0)} of ${grouped(picture.order.length, 0)} rows: those that the verdict`
        + " names, then the best, picked afterwards.",
    ] : []),
    ...picture.words,
  ].join(" ");
  const tell = (missing) => caption.replaceChildren(words(missing), " ", el("a", { href: `#section-${section.id}` }, "All figures"));
  tell(1); // as long as it may get
  const top = canvas.getBoundingClientRect().top + scrollY;
  const room = stacked ? STACKED_HEIGHT : Math.max(LEAST_HEIGHT, innerHeight - top - caption.offsetHeight - BELOW);
  const draw = (places, row) => drawChart(
    { ...section, rows: section.rows.filter((_, place) => places.includes(place)) },
    width,
    all,
    { row, intervals: picture.intervals, tags: tags(section, picture), plain: !picture.legend },
  );
  const height = (node) => node.querySelector("svg").height.baseVal.value;
  const most = stacked ? STACKED_ROW : HIGHEST_ROW;
  const whole = draw(picture.order, most);
  if (height(whole) <= room) {
    tell(0);
    return whole;
  }
  const rows = picture.order.length;
  const beside = height(whole) - rows * most;
  const row = Math.max(LOWEST_ROW, Math.floor((room - beside) / rows));
  const kept = Math.min(rows, Math.max(picture.about.length + picture.single.length, Math.floor((room - beside) / row)));
  tell(rows - kept);
  return draw(picture.order.slice(0, kept), row);
}

// By row: what it is called beside its figure.
function tags(section, picture) {
  const told = new Map(picture.single.map((place) => [section.rows[place], "best single"]));
  for (const place of picture.about) {
    const row = section.rows[place];
    told.set(row, told.has(row) ? `${picture.tag}, best single` : picture.tag);
  }
  return told;
}
