// One question from the inside: who saw what, what each said, who changed their mind, the verdict and its grade.
import { el, line, said } from "./dom.js";
import { count, grouped, percent, usd } from "./format.js";
import { groupMark, groupsIn, ofKind, votesView } from "./records.js";
import { inPoints, worded } from "./points.js";
import { LETTERS, changesOfMind, withChoice } from "./reply.js";
import { scrolling } from "./scroll.js";
import { recordsView, stepView } from "./steps.js";

const MARKS = [
  ["1", "✓", "right"],
  ["0", "✗", "wrong"],
  ["h", "◐", "partly right"],
  ["?", "?", "not graded"],
  ["!", "‽", "disputed"],
  [".", "·", "not played"],
];

export function gradeMark(mark) {
  const marks = worded(MARKS);
  const [, sign, words] = marks.find(([name]) => name === mark) ?? marks.find(([name]) => name === "?");
  return el(
    "span",
    { class: `grade g${"10h".includes(mark) ? mark : "x"}`, title: words, role: "img", "aria-label": words },
    sign,
  );
}

export function questionHead(run, position, about) {
  const { columns } = run;
  const reference = columns.references[position];
  const facts = [];
  const fact = (name, node) => facts.push(el("dt", {}, name), el("dd", {}, node));
  if (about.rubric) fact("Rubric", el("ul", {}, about.rubric.map(
    ([name, points, says]) => el("li", {}, said(name), ` (${count(points, "point")}): `, said(says)),
  )));
  if (about.rubric && reference !== null) fact("One good answer", said(reference));
  else if (about.rubric) fact("Answer", "judged by the rubric");
  else if (about.unknown) fact("Answer", "nobody has said what is right");
  else fact("Answer", reference === null ? "none: it cannot be answered" : said(withChoice(reference, about.choices)));
  if (about.accepted) fact("Also right", about.accepted.flatMap((each, place) => [place ? "; " : null, said(each)]));
  if (about.rejected) fact("Not right", about.rejected.flatMap((each, place) => [place ? "; " : null, said(each)]));
  if (about.human) fact(
    "People",
    `${about.human[0]} of ${about.human[1]} (${percent(about.human[0] / about.human[1])})`,
  );
  for (const [name, title] of [
    ["comment", "Comment"],
    ["source", "Source"],
    ["author", "Author"],
    ["package", "Package"],
    ["year", "Year"],
    ["difficulty", "Difficulty"],
  ]) {
    if (about[name] !== undefined) fact(title, said(about[name]));
  }
  return [
    about.context ? el(
      "details",
      {},
      el("summary", {}, "The context it goes with"),
      el("div", { class: "paper" }, said(about.context)),
    ) : null,
    el("p", { class: "question-text" }, said(columns.texts[position])),
    about.choices ? el(
      "ol",
      { class: "choices", type: "A" },
      about.choices.map(
        (choice, place) => el("li", { class: LETTERS[place] === reference ? "reference" : null }, said(choice)),
      ),
    ) : null,
    el("dl", { class: "facts" }, facts),
  ];
}

// All verdicts on the question, to choose from.
export function verdictChooser(run, position, chosen, choose) {
  const many = manyTeams(run);
  const groups = Map.groupBy(
    run.cells.map((cell, number) => ({ cell, number })),
    ({ cell }) => {
      if (nobodys(cell)) return many ? `${cell.strategy}, ${cell.team}` : cell.strategy;
      return many && cell.team && cell.player === null ? `${cell.label}, ${cell.team}` : cell.label;
    },
  );
  return el(
    "div",
    { class: "verdicts" },
    [...groups].map(([label, members]) =>
      el(
        "div",
        { class: "verdict-group", role: "group", "aria-label": label },
        el("span", { class: "verdict-label" }, label),
        el("div", { class: "chips" }, members.map(({ cell, number }) => {
          const slot = run.slot(position, chosen.repeat);
          const pressed = number === chosen.cell;
          return el(
            "button",
            {
              type: "button",
              class: "chip",
              "aria-pressed": pressed ? "true" : "false",
              "data-cell": number,
              click: () => choose(number),
            },
            gradeMark(run.columns.grades[number][slot]),
            chipName(cell, members.length),
            line(run.answer(number, position, chosen.repeat) ?? "no answer", 28, "chip-answer"),
          );
        })),
      ),
    ),
  );
}

// Neither a player's nor a captain's: the ways of one strategy stand together, known by their options.
const nobodys = (cell) => cell.player === null && cell.captain === null && cell.cohort === null;

function chipName(cell, size) {
  if (!nobodys(cell)) return el("b", {}, line(cell.player ?? cell.captain ?? cell.cohort, 24));
  return size > 1 ? el("b", {}, line(cell.options || "plain", 48)) : null;
}

function manyTeams(run) {
  return new Set(run.cells.filter((cell) => cell.player === null).map((cell) => cell.team)).size > 1;
}

export function episodeView(episode, cell, about) {
  const { choices, long } = about;
  if (!episode) return [el("p", { class: "quiet-words" }, "Not played yet.")];
  const changed = changesOfMind(episode.steps, long);
  return [
    verdictView(episode, cell, choices),
    ...draftsView(episode, cell, choices),
    ...votesView(episode.verdict.traces, choices),
    el("h4", {}, "How it went"),
    el(
      "ol",
      { class: "steps" },
      episode.steps.map((step, place) => stepView(step, place, episode, cell, changed[place], about)),
    ),
    recordsView(episode.verdict.traces, cell.full, choices),
  ];
}

function verdictView(episode, cell, choices) {
  const { verdict } = episode;
  const mark = episode.value === null ? (
    episode.stage === "disputed" ? "!" : episode.stage || episode.answer !== null ? "?" : "0"
  ) : episode.value === 1 ? "1" : episode.value === 0 ? "0" : "h";
  const worth = episode.value === null ? (
    episode.answer === null ? "nothing to grade" : episode.stage === "disputed" ? "the judges differ" : "not graded"
  ) : inPoints() && episode.stage === "judge" ? `${percent(episode.value)} of the points` : (
    { 1: "right", 0: "wrong" }[episode.value] ?? `worth ${grouped(episode.value, 2)}`
  );
  const by = episode.value !== null && episode.stage ? `, by ${episode.stage}` : "";
  const held = ofKind(verdict.traces, "abstained").at(-1);
  const facts = [`${worth}${by}`, episode.outcome, ...bill(episode)];
  const captain = cell.captain && verdict.who?.includes(cell.captain) && ofKind(verdict.traces, "shown").find(
    (record) => record.to === cell.captain && !record.places,
  );
  return el(
    "div",
    { class: "outcome" },
    el(
      "p",
      { class: "final" },
      gradeMark(mark),
      " ",
      episode.answer === null ? (held ? "abstained" : "no answer") : said(withChoice(episode.answer, choices)),
    ),
    el("p", { class: "outcome-facts" }, facts.join(" · ")),
    held ? el(
      "p",
      { class: "quiet-words" },
      "Not given: ",
      said(withChoice(held.answer, choices)),
      held.who?.length ? ` (${held.who.join(", ")})` : "",
    ) : null,
    verdict.who?.length ? el(
      "p",
      { class: "quiet-words" },
      captain ? `The word of the ${captain.role}, ${cell.captain}.` : `Behind it: ${verdict.who.join(", ")}.`,
    ) : null,
    verdict.absent?.length ? el("p", { class: "quiet-words" }, `Absent: ${verdict.absent.join(", ")}.`) : null,
    verdict.cause ? el("p", { class: "problem" }, said(verdict.cause)) : null,
    episode.detail ? el("p", { class: "quiet-words" }, "Grade: ", said(episode.detail)) : null,
  );
}

// What this episode would cost alone: each of its calls once.
function bill(episode) {
  const calls = [...new Map(episode.steps.filter((step) => step.call).map((step) => [step.key, step.call])).values()];
  const sum = (name) => calls.reduce((total, call) => total + (call[name] ?? 0), 0);
  const unknown = calls.some((call) => call.cost === null) || ofKind(episode.verdict.traces, "unpriced").length > 0;
  const cost = unknown ? "cost unknown" : usd(sum("cost"));
  const uncounted = calls.some((call) => call.promptTokens === null || call.completionTokens === null);
  const tokens = sum("promptTokens") + sum("completionTokens");
  return [
    count(calls.length, "call"),
    ...(uncounted ? ["tokens unknown"] : tokens ? [count(tokens, "token")] : []),
    cost,
    `${grouped(episode.seconds, 1)} s`,
  ];
}

function draftsView(episode, cell, choices) {
  const { drafts, verdict } = episode;
  if (drafts.length < 2) return [];
  const groups = groupsIn(verdict.traces);
  const of = (player) => (Array.isArray(groups) ? groups.findIndex((group) => group.includes(player)) : -1);
  const heads = ["Player", ...(groups ? ["Group"] : []), "Answer", "Reasons"];
  return [
    el("h4", {}, cell.drafts ? "What each said alone" : "Where each stood in the end"),
    scrolling("Answers of the players", el(
      "table",
      { class: "drafts" },
      el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
      el("tbody", {}, drafts.map((draft) => el(
        "tr",
        {},
        el(
          "th",
          { scope: "row" },
          draft.player,
          draft.player === cell.captain ? el("span", { class: "tag" }, "captain") : null,
        ),
        groups ? el(
          "td",
          { class: "group" },
          of(draft.player) < 0 ? "–" : groupMark(of(draft.player)),
        ) : null,
        el("td", {}, draft.text === null ? el("i", {}, draft.outcome) : said(withChoice(draft.text, choices))),
        el("td", { class: "reasons" }, said(draft.reasoning || draft.cause || "")),
      ))),
    )),
  ];
}
