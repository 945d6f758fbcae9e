// What a strategy wrote down on the way: who said the same, who read what in which order, votes, rounds, messages.
import { el, said } from "./dom.js";
import { count, grouped, shown } from "./format.js";
import { LETTERS, withChoice } from "./reply.js";
import { scrolling } from "./scroll.js";

const COLOURS = 6;

export const letter = (option) => LETTERS[option] ?? String(Number(option) + 1);

export const ofKind = (traces, kind) => (traces ?? []).filter((record) => record.kind === kind);

// The groups that drafts, or final answers, fell into: a talk may have been grouped at the end of several turns.
export const groupsIn = (traces) => ofKind(traces, "grouped").at(-1)?.groups ?? null;

export function groupMark(place) {
  return el("span", { class: `group-mark c${place % COLOURS}` }, letter(place));
}

const listed = (list) => (list ?? []).join(", ");
const turnOf = (record, first = 1) => record.turn ?? first;
const quoted = (text, choices) => (
  text === null || text === undefined ? el("i", {}, "nothing") : said(withChoice(text, choices))
);

// --- votes: what was on the ballots, and what they came to ------------------------------------------------------------

export function votesView(traces, choices) {
  const ballots = ofKind(traces, "ballot");
  const counts = ofKind(traces, "counted");
  const turns = [...new Set([...ballots, ...counts].map((record) => turnOf(record)))].sort((one, two) => one - two);
  return turns.map((turn) => el(
    "div",
    {},
    el("h4", {}, turns.length > 1 ? `Vote of turn ${turn}` : ballots.length ? "Ballots" : "The vote"),
    ballotTable(ballots.filter((record) => turnOf(record) === turn)),
    counts.filter((record) => turnOf(record) === turn).map((record) => countTable(record, choices)),
  ));
}

function ballotTable(ballots) {
  if (!ballots.length) return null;
  const ordered = ballots.some((ballot) => ballot.order?.length);
  const heads = ["Voter", "Vote", ...(ordered ? ["Read in this order"] : [])];
  const rows = ballots.map((ballot) => [
    [ballot.voter, ballot.role && ballot.role !== ballot.voter ? el("span", { class: "tag" }, ballot.role) : null],
    voteWords(ballot),
    ...(ordered ? [(ballot.order ?? []).map(letter).join(" · ")] : []),
  ]);
  return recordTable("ballots", "Ballots", heads, rows);
}

// A ranking from the best on, points with their options, or all that are approved of.
function voteWords({ choice, form, cause }) {
  if (!choice) return el("i", {}, cause ? `spoilt: ${cause}` : "spoilt");
  const options = Object.entries(choice);
  if (form === "ranking") return options.sort((one, two) => one[1] - two[1]).map(([each]) => letter(each)).join(", then ");
  if (form === "points") return options.map(([each, points]) => `${letter(each)} ${shown(points)}`).join(", ");
  return options.map(([each]) => letter(each)).join(", ") || "nobody";
}

function countTable(record, choices) {
  const rows = record.options.map((option, place) => [
    groupMark(place),
    quoted(option, choices),
    shown(record.points[place]),
    record.winners.includes(place) ? (record.winners.length > 1 ? "tied" : "won") : "",
  ]);
  return recordTable("counted", "What each got", ["", "Answer", "Got", ""], rows);
}

function recordTable(name, label, heads, rows) {
  return scrolling(label, el(
    "table",
    { class: name },
    el("thead", {}, el("tr", {}, heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", {}, rows.map((row) => el("tr", {}, row.map((cell) => el("td", {}, cell))))),
  ));
}

// --- everything else, in the order in which it happened ---------------------------------------------------------------

const VIEWS = {
  grouped: (record) => [
    recordHead("Said the same", turnOf(record)),
    el("p", {}, record.groups.map((group, place) => el("span", { class: "group-line" }, groupMark(place), ` ${listed(group)} `))),
    record.stages?.length ? recordNote(`Brought together by: ${listed(record.stages)}.`) : null,
    record.fell_back ? recordProblem(`The grouping model's word could not be used: ${record.fell_back}`) : null,
  ],
  shown: (record, choices) => [
    recordHead(`${record.to} as ${record.role}`, turnOf(record, 2)),
    el("p", {}, "Read in this order: ", el(
      "span",
      { class: "order" },
      record.order.map((holders, place) => [place ? " · " : "", `${place + 1} ${holders.join(" + ")}`]),
    ), record.drawn === false ? " (not drawn by lot)." : "."),
    el("p", {}, "Then said: ", quoted(record.answer, choices), standing(record)),
  ],
  round: (record, choices) => [
    recordHead("A round", record.turn),
    standsView(record.positions, choices),
    recordNote([
      record.changed?.length ? `Moved: ${listed(record.changed)}.` : "Nobody moved.",
      record.absent?.length ? `Not heard: ${listed(record.absent)}.` : "",
      record.late?.length ? `Late: ${listed(record.late)}.` : "",
    ].filter(Boolean).join(" ")),
  ],
  resolution: (record, choices) => [recordHead("The resolution, each alone", record.turn), standsView(record.answers, choices)],
  ending: (record) => [recordHead(`Ended: ${record.how}`), recordNote(record.agreed ? "All agreed in the end." : "No agreement.")],
  agreement: (record, choices) => [
    recordHead("Agreement", record.turn),
    el("p", {}, quoted(record.solution, choices), `, behind it ${listed(record.supporters)}`),
    recordNote(`After ${count(record.messages, "message")}.`),
  ],
  review: (record) => [recordHead(`Review by ${record.by}`, turnOf(record, 2)), factsView(record.parts)],
  remark: (record, choices) => [
    recordHead(`${record.number + 1}. ${record.speaker}`, record.turn),
    record.text ? el("p", {}, said(record.text)) : null,
    record.solution ? el("p", {}, "Solution: ", quoted(record.solution, choices)) : null,
    recordNote([
      record.agree === true ? "Agrees." : record.agree === false ? "Does not agree." : "",
      record.backs && record.backs !== record.solution ? `Stands behind: ${withChoice(record.backs, choices)}.` : "",
      record.heard_by?.length ? `Heard by ${listed(record.heard_by)}.` : "Heard by nobody.",
    ].filter(Boolean).join(" ")),
    record.cause ? recordProblem(record.cause) : null,
  ],
  persona: (record) => [recordHead(`${record.player} spoke as ${record.title}`), el("p", {}, said(record.persona))],
  challenge: (record, choices) => [
    recordHead(`Challenge: ${record.setting}`),
    el("p", {}, record.planted !== undefined ? "Planted: " : "Put to all: ", quoted(record.shown, choices)),
    record.facts ? el("div", { class: "paper" }, said(record.facts)) : null,
    record.cause ? recordProblem(record.cause) : null,
  ],
  objection: (record, choices) => [
    recordHead(`${record.player} ${{ true: "agrees", false: "challenges it" }[record.agree] ?? "did not say"}`),
    record.answer ? el("p", {}, "Its own answer: ", quoted(record.answer, choices)) : null,
    record.cause ? recordProblem(record.cause) : null,
  ],
  extraction: (record, choices) => [
    recordHead(`Read out of what ${record.player} said`, record.turn),
    el("p", {}, quoted(record.answer, choices)),
    factsView(record.readings),
    record.cause ? recordProblem(record.cause) : null,
  ],
  "strategy-broke": (record) => [recordHead("Broke"), recordNote(`A mistake in ${record.strategy} itself: ${record.error}`)],
  "not-needed": (record) => [recordHead("Not needed"), recordNote(`Nothing that ${listed(record.players)} could say would have changed the result.`)],
  "no-two-agreed": (record) => [
    recordHead(record.texts ? "No two texts mean the same" : "No two agreed"),
    recordNote(record.by === "captain" ? `The captain's stands: that of ${record.taken}.` : `Drawn by lot: that of ${record.taken}.`),
  ],
  "hangs-on-cut": (record) => [
    recordHead("Not known"),
    recordNote(`The count might have come out otherwise: a part that equals a key was cut out of the answer of ${listed(record.players)}, so nobody knows whose it equals.`),
  ],
  "cut-off": (record) => [recordHead("Cut off", record.turn), recordNote(`What ${record.player} wrote ended where its length did, and is taken as far as it goes.`)],
  cut: (record) => [recordHead("Shortened"), recordNote(`To ${count(record.characters, "character")}: ${listed(record.players)}.`)],
  deadline: (record) => [recordHead("Time was up"), recordNote(`After ${grouped(record.seconds, 1)} s; what had been heard by then was decided on.`)],
  unpriced: (record) => [
    recordHead("Cost not known"),
    recordNote(`${count(record.calls, "call")} went out to models without a price and brought no reply.`),
  ],
  remarked: (record) => [recordHead("Worth knowing"), el("p", {}, said(record.text))],
};

export function recordView(record, choices) {
  const { kind, ...content } = record;
  const view = Object.hasOwn(VIEWS, kind) ? VIEWS[kind] : () => [recordHead(kind), factsView(content)];
  let parts;
  try {
    parts = view(record, choices);
  } catch {
    parts = [recordHead(kind), factsView(content)]; // written by another version: shown as it is
  }
  return el("li", { class: "record", "data-kind": kind }, parts.filter(Boolean));
}

// Where what it said stood among what it had read.
function standing({ places }) {
  if (!places) return null;
  if (!places.length) return ", which is new";
  return `, which stood at ${places.length > 1 ? "places" : "place"} ${places.map((place) => place + 1).join(" and ")}`;
}

function recordHead(words, turn = null) {
  return el("p", { class: "record-head" }, said(words), turn === null ? null : el("span", { class: "tag" }, `turn ${turn}`));
}

const recordNote = (words) => el("p", { class: "quiet-words" }, said(words));
const recordProblem = (words) => el("p", { class: "problem" }, said(words));

function standsView(held, choices) {
  return el("dl", { class: "facts" }, Object.entries(held).flatMap(
    ([player, answer]) => [el("dt", {}, said(player)), el("dd", {}, quoted(answer, choices))],
  ));
}

function factsView(content) {
  const entries = Object.entries(content ?? {});
  if (!entries.length) return null;
  return el("dl", { class: "facts" }, entries.flatMap(
    ([key, value]) => [el("dt", {}, said(key)), el("dd", {}, said(typeof value === "string" ? value : shown(value)))],
  ));
}
