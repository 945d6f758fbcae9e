// The list of questions: only the rows in sight exist, so twelve thousand scroll like twelve. A reader who cannot see
// them hears the place of each among all; printed, they stand one below the other.
import { el, line, svg } from "./dom.js";
import { count, grouped, percent } from "./format.js";
import { FLAGS, has } from "./filters.js";
import { inPoints, worded } from "./points.js";

const SPARE = 3;
const PRINTED = 500;
const STRIP = 18;
const TAGGED = ["wrong", "rescued", "regressed", "undecided", "abstained", "disputed"];
const tagWords = () => worded(FLAGS).filter(([flag]) => TAGGED.includes(flag)).map(([flag, title]) => [flag, title.toLowerCase()]);

export class List {
  constructor(runs, box, rows, open) {
    this.runs = runs;
    this.box = box;
    this.rows = rows;
    this.open = open;
    this.entries = [];
    this.active = 0;
    this.picked = null;
    this.cell = "";
    this.drawn = new Map();
    this.layouts = runs.map((run) => layout(run.cells));
    box.addEventListener("scroll", () => this.soon(), { passive: true });
    box.addEventListener("keydown", (event) => this.key(event));
    box.addEventListener("focus", () => this.draw());
    rows.addEventListener("click", (event) => {
      const row = event.target.closest("[data-place]");
      if (row) this.pick(Number(row.dataset.place));
    });
    new ResizeObserver(() => this.measure()).observe(box);
    addEventListener("beforeprint", () => this.unroll());
    addEventListener("afterprint", () => {
      box.classList.remove("unrolled");
      this.measure();
    });
    this.measure();
  }

  show(entries, cell, narrowed) {
    this.entries = entries;
    this.cell = cell;
    this.narrowed = narrowed;
    this.active = Math.max(0, this.place(this.picked));
    this.box.scrollTop = 0;
    this.draw(true);
    if (this.active) this.reveal();
  }

  mark(entry) {
    this.picked = entry;
    const place = this.place(entry);
    if (place >= 0) {
      this.active = place;
      this.reveal();
    }
    this.draw(true);
  }

  place(entry) {
    return entry ? this.entries.findIndex((each) => each.number === entry.number) : -1;
  }

  // Asking for a size makes the browser lay everything out, so it is not asked at every frame.
  measure() {
    if (this.box.classList.contains("unrolled")) return;
    this.height = parseFloat(getComputedStyle(this.box).getPropertyValue("--row")) || 60;
    this.sight = this.box.clientHeight;
    this.draw(true);
  }

  soon() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.draw();
    });
  }

  draw(anew = false) {
    if (anew) {
      this.rows.replaceChildren();
      this.drawn.clear();
      this.rows.style.height = `${this.entries.length * this.height}px`;
    }
    const places = this.inSight();
    for (const [place, node] of this.drawn) {
      if (places.includes(place)) continue;
      node.remove();
      this.drawn.delete(place);
    }
    // In their order, which is the order in which they are read aloud; what is there already stays.
    let next = this.rows.firstChild;
    for (const place of places) {
      const node = this.drawn.get(place);
      if (node && node === next) next = next.nextSibling;
      else this.rows.insertBefore(node ?? this.row(place), next);
      this.drawn.get(place).classList.toggle("active", place === this.active);
    }
    if (this.entries.length) this.box.setAttribute("aria-activedescendant", `row-${this.active}`);
    else this.box.removeAttribute("aria-activedescendant");
  }

  // The rows in sight, some more on either side, and the active one wherever it is: the keyboard is there.
  inSight() {
    const top = this.box.scrollTop;
    const first = Math.max(0, Math.floor(top / this.height) - SPARE);
    const last = Math.min(this.entries.length, Math.ceil((top + this.sight) / this.height) + SPARE);
    const places = Array.from({ length: Math.max(0, last - first) }, (_, place) => first + place);
    if (this.active < first && this.entries.length) places.unshift(this.active);
    if (this.active >= last && this.active < this.entries.length) places.push(this.active);
    return places;
  }

  // Paper does not scroll: what the reader has narrowed down is printed, one row below the other; an open transcript
  // is printed instead.
  unroll() {
    if (!this.narrowed || this.picked) return;
    this.box.classList.add("unrolled");
    this.rows.replaceChildren();
    this.drawn.clear();
    this.rows.append(...this.entries.slice(0, PRINTED).map((_, place) => this.row(place)));
    const more = this.entries.length - PRINTED;
    if (more > 0) this.rows.append(el("p", { class: "quiet-words" }, `And ${count(more, "question")} more.`));
  }

  row(place) {
    const entry = this.entries[place];
    const number = entry.places.findIndex((position) => position >= 0);
    const { columns } = this.runs[number];
    const position = entry.places[number];
    const picked = this.picked?.number === entry.number;
    const node = el(
      "div",
      {
        class: "row",
        id: `row-${place}`,
        role: "option",
        "data-place": place,
        "aria-selected": picked ? "true" : "false",
        "aria-posinset": place + 1,
        "aria-setsize": this.entries.length,
      },
      el("div", { class: "row-text" }, line(columns.texts[position], 180)),
      el("div", { class: "row-meta" }, this.meta(entry, number, position)),
      el(
        "div",
        { class: "row-strip" },
        entry.places.map(
          (each, run) => (
            each < 0 ? el("span", { class: "no-strip" }) : strip(this.runs[run], each, this.layouts[run], this.cell)
          ),
        ),
      ),
      el(
        "div",
        { class: "row-share" },
        entry.shares.map((share, run) => shareView(share, entry.open[run])),
      ),
    );
    node.style.top = `${place * this.height}px`;
    this.drawn.set(place, node);
    return node;
  }

  meta(entry, number, position) {
    const { columns } = this.runs[number];
    const parts = [el("span", { class: "row-id" }, line(columns.ids[position], 28))];
    const category = columns.categories[columns.category[position]];
    if (category) parts.push(el("span", {}, line(category, 24)));
    const cell = this.runs[number].places.get(this.cell);
    if (cell !== undefined) parts.push(
      el("span", { class: "row-answer" }, "said ", line(this.runs[number].answer(cell, position) ?? "nothing", 40)),
    );
    else if (columns.references[position] !== null) parts.push(
      el("span", { class: "row-answer" }, "= ", line(columns.references[position], 40)),
    );
    if (columns.human[position] !== null) parts.push(el("span", {}, `people ${percent(columns.human[position])}`));
    for (const [flag, title] of tagWords()) if (has(entry, flag)) parts.push(
      el("span", { class: `tag ${flag}` }, title),
    );
    return parts;
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.sight / this.height) - 1);
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
    else if (bottom > this.box.scrollTop + this.sight) this.box.scrollTop = bottom - this.sight;
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
function strip(run, position, { places, step, width }, chosenCell) {
  const thick = Math.max(1, step - 1.2);
  const paths = new Map();
  let right = 0;
  let played = 0;
  run.cells.forEach((cell, number) => {
    const share = run.share(number, position);
    const slot = run.slot(position);
    if (share === null && !"?!".includes(run.columns.grades[number][slot])) return;
    played += share !== null;
    right += share === 1;
    const [name, height] = stripMark(run.columns.grades[number][slot], run.columns.outcomes[number][slot], share);
    const key = chosenCell && cell.key !== chosenCell ? `${name} faint` : name;
    const drawn = `M${places[number]} ${STRIP - 1}v${-height}h${thick}v${height}z`;
    paths.set(key, (paths.get(key) ?? "") + drawn);
  });
  const words = `${inPoints() ? "all points" : "right"} ${grouped(right, 0)} of ${grouped(played, 0)}`;
  const shape = { width, height: STRIP, viewBox: `0 0 ${width} ${STRIP}` };
  const marks = [...paths].map(([name, d]) => svg("path", { class: name, d }));
  return svg("svg", { class: "strip", role: "img", "aria-label": words, ...shape }, marks);
}

// Over what is graded, with a mark where not all is.
function shareView(share, open) {
  if (!open) return el("span", {}, share === null ? "–" : percent(share));
  const title = `${count(open, "answer")} not graded${inPoints() ? "" : ": neither right nor wrong"}, and not counted here`;
  return el("span", { title }, share === null ? "–" : `${percent(share)}*`);
}

function stripMark(mark, outcome, share) {
  if (share > 0) return ["right", (STRIP - 3) * share];
  if (mark === "?" || mark === "!") return ["open", 7];
  return "burf".includes(outcome) ? ["none", 1] : ["wrong", 3];
}
