// The list of questions: only the rows in sight exist, so twelve thousand scroll like twelve.
import { el, line, svg } from "./dom.js";
import { grouped, percent } from "./format.js";
import { FLAGS } from "./filters.js";

const SPARE = 6;
const STRIP = 18;
const TAGS = new Map(
  FLAGS.filter(
    ([flag]) => ["wrong", "rescued", "regressed", "undecided", "disputed"].includes(flag),
  ).map(([flag, title]) => [flag, title.toLowerCase()]),
);

export class List {
  constructor(runs, box, rows, open) {
    this.runs = runs;
    this.box = box;
    this.rows = rows;
    this.open = open;
    this.entries = [];
    this.active = 0;
    this.picked = null;
    this.title = "";
    this.layouts = runs.map((run) => layout(run.cells));
    box.addEventListener("scroll", () => this.soon(), { passive: true });
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("focus", () => this.draw());
    rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-place]");
      if (row) this.pick(Number(row.dataset.place));
    });
    new ResizeObserver(() => this.draw(true)).observe(box);
  }

  show(entries, title) {
    this.entries = entries;
    this.title = title;
    this.active = Math.max(
      0,
      entries.findIndex((entry) => entry === this.picked || entry.places.join() === this.picked?.places.join()),
    );
    this.box.scrollTop = 0;
    this.draw(true);
    if (this.active) this.reveal();
  }

  mark(entry) {
    this.picked = entry;
    const place = entry ? this.entries.findIndex((each) => each.places.join() === entry.places.join()) : -1;
    if (place >= 0) {
      this.active = place;
      this.reveal();
    }
    this.draw(true);
  }

  get height() {
    return parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 60;
  }

  soon() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  draw(anew = false) {
    const height = this.height;
    const first = Math.max(0, Math.floor(this.box.scrollTop / height) - SPARE);
    const last = Math.min(
      this.entries.length,
      Math.ceil((this.box.scrollTop + this.box.clientHeight) / height) + SPARE,
    );
    if (!anew && first === this.first && last === this.last && this.active === this.drawnActive) return;
    [this.first, this.last, this.drawnActive] = [first, last, this.active];
    this.rows.style.height = `${this.entries.length * height}px`;
    const nodes = [];
    for (let place = first; place < last; place += 1) nodes.push(this.row(place, height));
    if (this.active < first || this.active >= last) {
      if (this.entries[this.active]) nodes.push(this.row(this.active, height));
    }
    this.rows.replaceChildren(...nodes);
    if (this.entries.length) this.box.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  row(place, height) {
    const entry = this.entries[place];
    const number = entry.places.findIndex((position) => position >= 0);
    const { columns } = this.runs[number];
    const position = entry.places[number];
    const picked = this.picked?.places.join() === entry.places.join();
    const node = el(
      "div",
      {
        class: `row${place === this.active ? " active" : ""}`,
        id: `row-${place}`,
        role: "option",
        "data-place": place,
        "aria-selected": picked ? "true" : "false",
        "aria-posinset": place + 1,
        "aria-setsize": this.entries.length,
      },
      el("div", { class: "row-text" }, line(columns.texts[position], 220)),
      el("div", { class: "row-meta" }, this.meta(entry, number, position)),
      el(
        "div",
        { class: "row-strip" },
        entry.places.map(
          (each, run) => (
            each < 0 ? el("span", { class: "no-strip" }) : strip(this.runs[run], each, this.layouts[run], this.title)
          ),
        ),
      ),
      el(
        "div",
        { class: "row-share" },
        entry.shares.map((share) => el("span", {}, share === null ? "–" : percent(share))),
      ),
    );
    node.style.transform = `translateY(${place * height}px)`;
    node.style.height = `${height}px`;
    return node;
  }

  meta(entry, number, position) {
    const { columns } = this.runs[number];
    const parts = [el("span", { class: "row-id" }, line(columns.ids[position], 28))];
    const category = columns.categories[columns.category[position]];
    if (category) parts.push(el("span", {}, line(category, 24)));
    const cell = this.title ? this.runs[number].cells.findIndex((each) => each.title === this.title) : -1;
    if (cell >= 0) parts.push(
      el("span", { class: "row-answer" }, "said ", line(this.runs[number].answer(cell, position) ?? "nothing", 40)),
    );
    else if (columns.references[position] !== null) parts.push(
      el("span", { class: "row-answer" }, "= ", line(columns.references[position], 40)),
    );
    if (columns.human[position] !== null) parts.push(el("span", {}, `people ${percent(columns.human[position])}`));
    for (const [flag, title] of TAGS) if (entry.flags.has(flag)) parts.push(
      el("span", { class: `tag ${flag}` }, title),
    );
    return parts;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.box.clientHeight / this.height) - 1);
    const moves = { ArrowDown: 1, ArrowUp: -1, PageDown: page, PageUp: -page, Home: -Infinity, End: Infinity };
    if (event.key in moves) this.move(moves[event.key]);
    else if (event.key === "Enter" || event.key === " ") this.pick(this.active);
    else return;
    event.preventDefault();
  }

  move(by) {
    this.active = Math.max(0, Math.min(this.entries.length - 1, this.active + by));
    this.reveal();
    this.draw();
  }

  reveal() {
    const height = this.height;
    const [top, bottom] = [this.active * height, (this.active + 1) * height];
    if (top < this.box.scrollTop) this.box.scrollTop = top;
    else if (bottom > this.box.scrollTop + this.box.clientHeight) this.box.scrollTop = bottom - this.box.clientHeight;
  }

  pick(place) {
    if (!this.entries[place]) return;
    this.active = place;
    this.open(this.entries[place]);
  }
}

// Where each strategy's mark stands in a strip: together by label, with a gap between labels.
function layout(cells) {
  const step = cells.length > 40 ? Math.max(1.5, 200 / cells.length) : 5;
  let at = 0;
  const places = cells.map((cell, number) => {
    if (number && cell.label !== cells[number - 1].label) at += 5;
    at += step;
    return at - step;
  });
  return { places, step, width: at };
}

// A bar for who was right, as high as the share of repeats; a stroke for wrong; hollow: not graded; a hair: no answer.
export function strip(run, position, { places, step, width }, title = "") {
  const thick = Math.max(1, step - 1.2);
  const paths = new Map();
  let right = 0;
  let played = 0;
  run.cells.forEach((cell, number) => {
    const share = run.share(number, position);
    if (share === null) return;
    played += 1;
    right += share === 1;
    const slot = run.slot(position);
    const [name, height] = stripMark(run.columns.grades[number][slot], run.columns.outcomes[number][slot], share);
    const key = title && cell.title !== title ? `${name} faint` : name;
    const drawn = `M${places[number]} ${STRIP - 1}v${-height}h${thick}v${height}z`;
    paths.set(key, (paths.get(key) ?? "") + drawn);
  });
  const words = `right ${grouped(right, 0)} of ${grouped(played, 0)}`;
  const shape = { width, height: STRIP, viewBox: `0 0 ${width} ${STRIP}` };
  const marks = [...paths].map(([name, d]) => svg("path", { class: name, d }));
  return svg("svg", { class: "strip", role: "img", "aria-label": words, ...shape }, marks);
}

function stripMark(mark, outcome, share) {
  if (share > 0) return ["right", (STRIP - 3) * share];
  if (mark === "?" || mark === "!") return ["open", 7];
  return "urf".includes(outcome) ? ["none", 1] : ["wrong", 3];
}
