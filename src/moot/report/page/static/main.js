// Puts the page together: unpack, draw, and keep the address, the list and the transcript in step.
import { Run, unpack } from "./data.js";
import { el, line, said } from "./dom.js";
import { FLAGS, Haystack, ORDERS, chosen, flagsOf, joined, summaries } from "./filters.js";
import { count, grouped } from "./format.js";
import { List } from "./list.js";
import { renderPictures } from "./picture.js";
import { renderSections } from "./sections.js";
import { theme } from "./theme.js";
import { inPoints, tellPoints, worded } from "./points.js";
import { episodeView, gradeMark, questionHead, verdictChooser } from "./transcript.js";

const byId = (id) => document.getElementById(id);

class Explorer {
  constructor(runs) {
    this.runs = runs;
    this.entries = joined(runs);
    this.haystack = new Haystack(runs);
    this.state = { query: "", cell: "", category: "", order: "file", flags: new Set() };
    this.list = new List(runs, byId("list"), byId("rows"), (entry) => this.go(entry));
    this.panel = byId("transcript");
    this.controls();
    this.summarise();
    this.refresh();
    addEventListener("hashchange", () => this.route());
    addEventListener("keydown", (event) => this.key(event));
    this.route();
    whenIdle(this.haystack.ahead());
  }

  controls() {
    const titles = new Map(this.runs.flatMap((run) => run.cells.map((cell) => [cell.key, cell.title])));
    options(byId("cell"), [["", "all of them"], ...titles], (value) => {
      this.state.cell = value;
      this.summarise();
    }, this);
    const categories = [...new Set(this.runs.flatMap((run) => run.columns.categories))].sort();
    byId("category-field").hidden = !categories.length;
    options(
      byId("category"),
      [["", "all"], ...categories.map((each) => [each, each])],
      (value) => (this.state.category = value),
      this,
    );
    const people = this.runs.some((run) => run.columns.human.some((each) => each !== null));
    options(
      byId("sort"),
      worded(ORDERS).filter(([order]) => order !== "people" || people),
      (value) => (this.state.order = value),
      this,
    );
    byId("search").addEventListener("input", (event) => {
      this.state.query = event.target.value;
      this.refresh();
    });
    document.querySelector(".controls").addEventListener("submit", (event) => event.preventDefault());
  }

  summarise() {
    this.all = summaries(this.runs, this.entries, this.state.cell);
    this.flags = flagsOf(this.all);
  }

  refresh() {
    const { entries, counts } = chosen(this.runs, this.all, this.haystack, this.state);
    byId("flags").replaceChildren(...worded(FLAGS).filter(
      ([flag]) => this.flags.has(flag) || this.state.flags.has(flag),
    ).map(([flag, title, meaning]) => {
      const pressed = this.state.flags.has(flag);
      const name = flag === "wrong" && this.state.cell && !inPoints() ? "Wrong" : title;
      return el(
        "button",
        {
          type: "button",
          class: "flag",
          "data-flag": flag,
          title: meaning,
          "aria-pressed": pressed ? "true" : "false",
          click: () => this.toggle(flag),
        },
        name,
        el("span", {}, grouped(counts[flag], 0)),
      );
    }));
    byId("count").textContent = entries.length === this.all.length
      ? count(entries.length, "question")
      : `${grouped(entries.length, 0)} of ${count(this.all.length, "question")}`;
    this.list.show(entries, this.state.cell, entries.length < this.all.length);
  }

  toggle(flag) {
    if (!this.state.flags.delete(flag)) this.state.flags.add(flag);
    this.refresh();
    document.querySelector(`[data-flag="${flag}"]`)?.focus();
  }

  key(event) {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey) {
      event.preventDefault();
      byId("search").focus();
    } else if (event.key === "Escape" && !this.panel.hidden) {
      event.preventDefault();
      this.close();
    } else if (event.key === "ArrowDown" && event.target === byId("search")) {
      event.preventDefault();
      byId("list").focus();
    }
  }

  // The address says what is open, so that a link to it can be sent.
  go(entry, chosenRun = null, cell = null, repeat = 0) {
    const number = chosenRun ?? entry.places.findIndex((position) => position >= 0);
    const run = this.runs[number];
    const where = new URLSearchParams({ q: run.columns.ids[entry.places[number]] });
    const opened = cell === null
      ? this.state.cell || run.cells[this.telling(run, entry.places[number])]?.key
      : run.cells[cell].key;
    if (opened) where.set("s", opened);
    if (repeat) where.set("n", repeat + 1);
    if (number) where.set("run", number + 1);
    const hash = `#${where}`;
    this.wantsFocus = cell === null;
    if (location.hash === hash) this.route();
    else location.hash = hash;
  }

  // The play to open first: of the declared primary, or else of whom the verdict of the run is about, where that one has
  // played the question. Of several, and where there is none, one that changed its captain's mind; else the last of the file.
  telling(run, position) {
    const slot = run.slot(position);
    const every = run.cells.map((_, cell) => cell);
    const played = every.filter((cell) => run.columns.outcomes[cell][slot] !== ".");
    const first = played.filter((cell) => run.cells[cell].first);
    const among = [first, played, every].find((cells) => cells.length);
    return among.findLast((cell) => run.columns.changes[cell][slot] !== " ") ?? among.at(-1);
  }

  async route() {
    const where = new URLSearchParams(location.hash.slice(1));
    const id = where.get("q");
    if (id === null) return this.shut();
    const number = Math.max(0, Math.min(this.runs.length - 1, (Number(where.get("run")) || 1) - 1));
    const run = this.runs[number];
    const position = run.columns.ids.indexOf(id);
    const entry = this.all.find((each) => position >= 0 && each.places[number] === position);
    if (!entry) return this.tell(`There is no question ${id} here.`);
    const cell = where.has("s") ? run.place(where.get("s")) : this.telling(run, position);
    const repeat = Math.max(0, Math.min(run.repeats - 1, (Number(where.get("n")) || 1) - 1));
    const part = await run.part(position);
    this.paint(entry, number, position, part, { cell, repeat });
  }

  paint(entry, number, position, part, picked) {
    const run = this.runs[number];
    const again = this.shown === entry.number && !this.panel.hidden;
    const about = part.about(position);
    const cell = run.cells[picked.cell];
    const close = el("button", { type: "button", class: "quiet close", click: () => this.close() }, "Close");
    const head = el(
      "h3",
      { id: "transcript-title", tabindex: "-1" },
      el("span", { class: "row-id" }, line(run.columns.ids[position], 60)),
    );
    const body = el(
      "div",
      { class: "episode" },
      el("h3", { class: "episode-title" }, said(cell.title)),
      this.repeats(run, entry, number, picked),
      episodeView(part.episode(position, picked.cell, picked.repeat), cell, about),
    );
    const kept = this.panel.scrollTop;
    this.panel.replaceChildren(
      el("div", { class: "panel-head" }, head, close),
      ...questionHead(run, position, about).filter(Boolean),
      ...this.sides(entry, number, picked),
      verdictChooser(run, position, picked, (chosenCell) => this.go(entry, number, chosenCell, picked.repeat)),
      body,
    );
    this.panel.hidden = false;
    document.body.classList.add("reading");
    this.panel.scrollTop = again ? kept : 0;
    this.shown = entry.number;
    this.list.mark(entry);
    const chip = this.panel.querySelector(`[data-cell="${picked.cell}"]`);
    const chooser = this.panel.querySelector(".verdicts");
    chooser.scrollTop = chip.offsetTop - chooser.offsetTop - (chooser.clientHeight - chip.offsetHeight) / 2;
    if (again && !this.wantsFocus) chip?.focus({ preventScroll: true });
    else if (this.wantsFocus || document.activeElement === document.body) head.focus({ preventScroll: true });
    if (!this.wantsFocus && !again) byId("questions").scrollIntoView({ block: "start", behavior: "instant" });
    this.wantsFocus = false;
  }

  // Two runs: both verdicts on the question, to switch between.
  sides(entry, number, picked) {
    if (this.runs.length < 2) return [];
    return [el("div", { class: "sides", role: "group", "aria-label": "Run" }, this.runs.map((run, place) => {
      const position = entry.places[place];
      const same = run.places.get(this.runs[number].cells[picked.cell].key) ?? -1;
      const there = position >= 0;
      const cell = same < 0 && there ? this.telling(run, position) : Math.max(0, same);
      return el(
        "button",
        {
          type: "button",
          class: "chip",
          disabled: !there,
          "aria-pressed": place === number ? "true" : "false",
          click: () => this.go(entry, place, cell),
        },
        there && same >= 0 ? gradeMark(run.columns.grades[cell][run.slot(position)]) : null,
        el("b", {}, line(run.name, 40)),
        there ? line(same >= 0 ? run.answer(cell, position) ?? "no answer" : "", 40, "chip-answer") : "not asked",
      );
    }))];
  }

  repeats(run, entry, number, picked) {
    if (run.repeats < 2) return null;
    return el("div", {
      class: "sides",
      role: "group",
      "aria-label": "Repeat",
    }, Array.from({ length: run.repeats }, (_, repeat) => el(
      "button",
      {
        type: "button",
        class: "chip",
        "aria-pressed": repeat === picked.repeat ? "true" : "false",
        click: () => this.go(entry, number, picked.cell, repeat),
      },
      gradeMark(run.columns.grades[picked.cell][run.slot(entry.places[number], repeat)]),
      `repeat ${repeat + 1}`,
    )));
  }

  tell(words) {
    this.panel.replaceChildren(
      el(
        "div",
        { class: "panel-head" },
        el("p", {}, said(words)),
        el("button", { type: "button", class: "quiet close", click: () => this.close() }, "Close"),
      ),
    );
    this.panel.hidden = false;
    document.body.classList.add("reading");
    byId("questions").scrollIntoView({ block: "start", behavior: "instant" });
  }

  close() {
    history.replaceState(null, "", location.pathname + location.search);
    this.shut();
    byId("list").focus({ preventScroll: true });
  }

  shut() {
    this.panel.hidden = true;
    this.panel.replaceChildren();
    document.body.classList.remove("reading");
    this.list.mark(null);
  }
}

function options(select, pairs, choose, explorer) {
  select.replaceChildren(...pairs.map(([value, title]) => el("option", { value }, title)));
  select.addEventListener("change", () => {
    choose(select.value);
    explorer.refresh();
  });
}

// A little at a time, whenever the browser has nothing better to do.
function whenIdle(steps) {
  const later = window.requestIdleCallback ?? ((work) => setTimeout(() => work({ timeRemaining: () => 5 }), 50));
  const work = (deadline) => {
    let done = false;
    while (!done && deadline.timeRemaining() > 3) ({ done } = steps.next());
    if (!done) later(work);
  };
  later(work);
}

async function start() {
  theme(byId("theme"));
  if (typeof DecompressionStream === "undefined") throw new Error(
    "this browser cannot unpack the data; any browser since the middle of 2024 can",
  );
  const index = await unpack("index");
  const runs = index.runs.map((raw, number) => new Run(raw, number));
  tellPoints(index.runs.some((raw) => raw.points));
  renderSections(runs, index.between, byId("sections"), byId("contents"));
  if (index.asked === false) for (const link of document.querySelectorAll('a[href="#questions"]')) link.remove();
  renderPictures(runs);
  if (index.asked === false) return ready();
  byId("questions").hidden = false;
  byId("legend").append(
    el("i", { class: "right" }),
    inPoints() ? "points" : "right",
    el("i", { class: "wrong" }),
    inPoints() ? "no points" : "wrong",
    el("i", { class: "open" }),
    "not graded",
  );
  new Explorer(runs);
  ready();
}

function ready() {
  document.documentElement.dataset.ready = "true";
  performance.mark("interactive");
}

start().catch((error) => {
  const trouble = byId("trouble");
  trouble.textContent = `The figures and questions cannot be shown: ${error.message}.`;
  trouble.hidden = false;
});
