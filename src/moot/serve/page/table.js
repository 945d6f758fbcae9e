// The table page: asks the served team through its own API and draws what happens as it happens.
// What a model wrote is shown through textContent, or where it may be long through rich.js, which lets no markup of its own pass.
import { askedAs, askedFurther, askedInForm, bodyOf, inWords, kindFurther, mended } from "./asking.js";
import { tallied } from "./ballots.js";
import { SEEN, alike, blind, broken, saidOf, settled as settledDuel, waiting, whenSaidElsewhere } from "./blind.js";
import { anew, bare, cut, plainly, rich, shown } from "./rich.js";
import { again, answered, comparable, current, duel, emptied, keptOf, stand } from "./duel.js";
import { drawParts, offerStrategies, putTogether, sameTeam } from "./edit.js";
import { put, putByBrowser, untouched } from "./form.js";
import { drawGiven, givenAsMarkdown } from "./given.js";
import { begun, ended, entryFor, keepHere, keptHere, left, stopWhenLeft } from "./left.js";
import { lettered } from "./letters.js";
import { Trouble, asked, forget, get, post } from "./server.js";
import { atWork, doing, done, doneInVain, spoilt } from "./stages.js";
import { drawTabs } from "./tabs.js";
import { beganWith, named, spoken } from "./turns.js";
import { forgetDrawings, lastWords, soon } from "./written.js";

const GROUPS = 8;
const LARGE = 48; // characters of an answer that are shown in large type,
const FITS = 120; // and for which the felt has room at all
const LISTED = 200; // questions in the side bar
const DEEPEST = 1_000; // levels of a reply that is read as JSON
const CUT_OUT = "⟨…✂…⟩"; // in the place of a secret that a reply said (moot.models.cut_out)
const EPISODE = /^#(ep_[0-9a-f]{40})$/;
const MOST_LINES = 12; // of choices that are seen at once
const TOLD_MS = 200; // what begins within so short a time is told as one thing
const SIMULATED = "simulated/"; // what the version of every reply begins with that no real model gave
const LEFT = "You left while this was running, so it was stopped.";
const PAGE_LEFT = "You left the page while this was running, so it was stopped.";
const LEAVES = "Click again to stop the current question and open this one.";
const DECLARED = "declared as primary";
const ITSELF = " (the same team)";
const BEST = "the run's best";
const KINDS = { open: "short", text: "a text", "yes-no": "yes or no", choice: "one of the choices" };
const find = (id) => document.getElementById(id);
const state = { blind: null, offered: "", come: [], duel: null, simulated: new Set(), tab: "answer", early: "", teams: [], kind: "open", parts: null, seats: new Map(), mind: new Map(), work: new Map(), calls: [], asking: null, episode: null, stop: null };

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = shown(text);
  return made;
}

// -- asking ----------------------------------------------------------------------------------------------------------

function choicesAsked() {
  return find("choices").value.split("\n").map((line) => line.trim()).filter(Boolean);
}

function worded(answer) {
  return inWords(answer, state.asking?.choices ?? []);
}

function teamCalled(model) {
  return state.teams.find((team) => team.model === model);
}

/** The one name that the list has for a team, by whichever of its names it is asked. */
function calledAs({ model, edited }) {
  return (edited ? state.called : teamCalled(model)?.called) ?? model;
}

/** What is typed, of whom and how the form says. */
function inForm() {
  return askedInForm(find("question").value.trim(), teamCalled(find("model").value), teamCalled(find("rival").value), find("kind").value, choicesAsked());
}

/** Who sits at the table of those that are asked: a team that is served, or one that was put together. */
function tableOf({ model, edited }) {
  const models = new Map((state.parts?.players ?? []).map((each) => [each.name, each.model]));
  return teamCalled(model) ?? (edited ? { captain: edited.captain, players: edited.players.map((name) => ({ name, model: models.get(name) ?? name })) } : undefined);
}

function ask(asking) {
  state.played = play(asking);
}

async function play(asking) {
  const stopping = new AbortController();
  const limit = Number(find("limit").value) || null;
  state.stop = stopping;
  const started = performance.now();
  entryFor(asking);
  keepHere({ ...asking, limit });
  clear(asking);
  let [trouble, finished] = [null, null];
  begun({ ...asking, limit });
  const clock = setInterval(() => say("cost", `${((performance.now() - started) / 1000).toFixed(1)} s`), 100);
  find("go").disabled = true;
  find("stop").hidden = false;
  try {
    if (asking.rival) {
      document.body.classList.add("duelling");
      const bodies = [asking.team, asking.rival].map((team) => ({ name: calledAs(team), body: bodyOf(asking, team, limit) }));
      say("news", "Both teams are asked.");
      state.blind = asking.question;
      const sides = await duel(bodies, stopping.signal, (episode) => {
        state.come.push(episode);
        blind(state.come);
      });
      stopping.signal.throwIfAborted();
      const episodes = sides.map(({ episode }) => episode);
      if (!comparable(sides)) broken(state.come);
      finished = { sides: keptOf(sides), preferred: comparable(sides) ? blind(episodes) : null };
      state.come = [];
      state.blind = null;
      keepHere({ ...asking, limit }, null, finished);
      await compared(sides, finished);
    } else {
      seat(tableOf(asking.team));
      await watched(bodyOf(asking, asking.team, limit), stopping.signal);
    }
  } catch (error) {
    trouble = error;
    fail(error);
    if (!finished) find("duel").hidden = true; // nothing stands on either side
    unanswered();
    find("trouble").scrollIntoView({ block: "nearest", behavior: "auto" });
  } finally {
    clearInterval(clock);
    find("go").disabled = false;
    find("stop").hidden = true;
    state.stop = null;
    brokenDuel();
    ended();
    say("cost", state.verdict ? bill(state.verdict) : "");
  }
  if (stopping.signal.reason?.code === "left") {
    state.left = asking.question;
    await history(); // it may have been answered in its last moment
    return; // the address is that of where they went
  }
  if (state.episode) window.history.replaceState(null, "", `#${state.episode}`);
  else if (trouble) keepHere({ ...asking, limit }, trouble);
  else if (!finished) window.history.replaceState(null, "", location.pathname);
  if (state.episode || finished) await history();
  else if (trouble) await history().catch(() => {}); // one of two may have answered; the trouble has been told
}

/** What has answered of a duel that is not played to its end is listed like all else. */
function brokenDuel() {
  if (state.come.length) broken(state.come);
  state.come = [];
  state.blind = null;
}

/** Two answers side by side. Until somebody has said which is better nothing here tells whose they are, nor does the list. */
async function compared(sides, kept) {
  const asking = state.asking;
  const here = current();
  const both = comparable(sides);
  const episodes = kept.sides.map(({ episode }) => episode);
  const said = both ? (kept.preferred ?? saidOf(episodes)) : null;
  state.duel = both ? { asked: asking, kept, episodes, said } : null;
  if (!both && waiting().some((each) => each.join() === episodes.join())) settledDuel(episodes, SEEN); // one of them was forgotten
  if (said !== kept.preferred) keepHere(asking, null, { ...kept, preferred: said });
  listed();
  await stand(sides, said, {
    words: worded,
    bill: (whole) => bill({ ...whole.verdict, seconds: whole.seconds, calls: whole.calls.length, cost_usd: costOf(whole) }),
    open: visit,
    may: () => {
      const still = saidOf(episodes) === null;
      if (!still) saidOfDuel();
      return still;
    },
    voted: (word) => {
      settledDuel(episodes, word);
      if (here() && word !== SEEN) {
        state.duel.said = word;
        keepHere(asking, null, { ...kept, preferred: word });
      } else saidOfDuel();
    },
    told: () => history().catch(fail),
  });
  if (!here()) return;
  unanswered();
  if (both) say("news", said === null ? "Both have answered. Which is better?" : "Both have answered.");
  else say("news", answered(sides) ? "Both say the same, word for word." : "Not both have answered.");
}

/** What was said of duels, here or in another tab, or of one that was shown before: the list may name more, and what is shown too. */
function saidOfDuel() {
  const { duel: shows } = state;
  const said = shows && saidOf(shows.episodes);
  if (shows?.said === null && said !== null) comparedBefore({ asked: shows.asked, duel: shows.kept });
  else listed();
}

/** Two answers that were there before, in the same places, as far as they are still kept. */
async function comparedBefore({ asked, duel: kept }) {
  clear(asked);
  document.body.classList.add("duelling");
  listed();
  const here = current();
  let sides;
  try {
    sides = await again(kept.sides);
  } catch (error) {
    if (!here()) return;
    fail(error.code === "unreachable" ? new Trouble(error.message, { code: "not_opened" }) : error);
    find("trouble-again").hidden = false;
    find("trouble-again").onclick = () => comparedBefore({ asked, duel: kept });
    return;
  }
  if (here()) await compared(sides, kept);
}

/** The answers that an entry of the list is one of, and that wait for a vote. */
function duelOf(episode) {
  return waiting().find((each) => each.includes(episode));
}

/** Whether an entry of the list would tell whose an answer is that somebody is to judge. */
function secret({ episode, question }) {
  if (state.blind !== null && plain(question).startsWith(plain(state.blind).slice(0, LARGE))) return true;
  return waiting().some((each) => each.some((one) => alike(one, episode)));
}

/** Whoever looks at something else leaves what is played, which is stopped as by leaving the page. */
async function leave() {
  if (!state.stop) return false;
  state.stop.abort(wasLeft(LEFT));
  await state.played;
  return true;
}

/** One team, from the first seat to the verdict. */
async function watched(body, signal) {
  for await (const event of asked(body, signal)) {
    state.called ??= event.model ?? null; // how the server calls a team that was put together here
    const happened = event.moot && event.moot.event;
    if (event.choices?.[0]?.delta?.content) answering(event.choices[0].delta.content);
    if (happened && happened.kind === "begins") begins(happened);
    if (happened && happened.kind === "words") writing(happened);
    if (happened && happened.kind === "call") heard(happened);
    if (happened && happened.kind === "verdict") decided(happened);
  }
}

/** An empty table. `asking`: for what is to be asked, or was; null: nothing yet. */
function clear(asking = null) {
  const turns = asking?.turns ?? [];
  anew();
  document.body.classList.remove("duelling");
  for (const id of ["duel", "trouble"]) find(id).hidden = true;
  emptied();
  Object.assign(state, { tab: "answer", title: null, seats: new Map(), mind: new Map(), work: new Map(), early: "", calls: [], asking, called: null, verdict: null, episode: null, blind: null, duel: null });
  forgetDrawings();
  for (const id of ["seats", "transcript", "changes", "ballots", "tabs", "turns"]) find(id).replaceChildren();
  for (const panel of find("reading").querySelectorAll(".of-player")) panel.remove();
  for (const id of ["more", "answer-part", "actions", "follow", "changes-part", "ballots-part", "feedback-part", "transcript-part"]) find(id).hidden = true;
  for (const id of ["verdict", "answer", "because"]) rich(find(id), "");
  for (const id of ["cost", "learnt", "did", "left-note"]) say(id, "");
  find("left-note").hidden = true;
  find("centre").classList.remove("none", "small", "long");
  for (const id of ["further", "right"]) find(id).value = "";
  pressed(null);
  find("turns").hidden = turns.length === 0;
  find("turns").append(...turns.map(turn));
  say("asked", asking?.question ?? "");
  drawGiven(asking, Boolean(asking?.rival) || isLong(asking?.question ?? ""));
}

/** Something that was said before: what was asked in full, what was answered to be opened. */
function turn({ role, content }) {
  const item = make("li", role === "user" ? "user" : null, role === "user" ? content : "");
  if (role === "user") return item;
  const whole = make("details");
  const words = make("div", "whole");
  whole.append(make("summary", null, cut(content, FITS)), words);
  whole.addEventListener("toggle", () => rich(words, content), { once: true });
  item.append(whole);
  return item;
}

/** Said once, with what can be done: the alert is read out by itself. */
function fail(error) {
  rest("was stopped");
  say("trouble-what", error.message);
  const silent = [408, 502].includes(error.status) && state.calls.some(spoilt);
  say("trouble-todo", `${error.todo ?? "Reload the page."}${silent ? " Below stands who could not answer." : ""}`);
  find("trouble-again").hidden = true;
  find("trouble").hidden = false;
  say("because", "");
  if (!state.verdict) say("verdict", "");
  find("centre").classList.add("none");
}

/** What has no answer keeps its words: it can be asked again as it was, and mended where it was typed. `there`: also where the form
 * has these words already, as in a page that was loaded anew. */
function unanswered(there = false) {
  const { question, turns, kind, team, about } = state.asking;
  find("actions").hidden = false;
  find("again").hidden = team === null;
  for (const id of ["copy", "save-markdown", "save-json"]) find(id).hidden = !state.verdict || id === "copy";
  if (turns.length) {
    offerFurther(kind || state.kind);
    find("further").value = question;
  } else if (!about?.context && untouched() && (isEmpty() || (there && holds(state.asking)))) refill(state.asking);
}

function isEmpty() {
  return !find("question").value.trim() && choicesAsked().length === 0;
}

function holds({ question, choices }) {
  return find("question").value.trim() === question && choicesAsked().join("\n") === choices.join("\n");
}

/** The empty form, as it is where this is asked from it: Ask asks the same as Ask again. It has no place for a context. */
function refill({ question, team, rival, kind, choices, limit }) {
  find("question").value = question;
  find("choices").value = choices.join("\n");
  roomForChoices();
  find("kind").value = choices.length || kind === state.kind ? "" : kind;
  if (limit) find("limit").value = limit;
  for (const { edited } of [team, rival].filter(Boolean)) if (edited && state.parts) serveToo(putTogether(state.parts, edited));
  offer();
  if (teamCalled(team?.model)) find("model").value = team.model;
  find("rival").value = teamCalled(rival?.model) ? rival.model : "";
  offerRivals();
  find("ways").open ||= Boolean(choices.length || find("kind").value || rival);
  put();
}

function serveToo(team) {
  state.teams = [...state.teams.filter(({ model }) => model !== team.model), team];
}

/** What can be asked next in this conversation, with the kinds of answer that the team can give. */
function offerFurther(kind) {
  const { team, choices } = state.asking;
  find("follow").hidden = team === null;
  if (team === null) return;
  say("further-label", `Ask further: ${calledAs(team)} is told what was said so far`);
  const able = (name) => (name === "choice" ? choices.length > 0 : name !== "text" || givesTexts(team));
  find("further-kind").replaceChildren(...Object.entries(KINDS).filter(([name]) => able(name)).map(([name, words]) => new Option(words, name)));
  find("further-kind").value = able(kind) ? kind : "open";
}

function givesTexts({ model, edited }) {
  return teamCalled(model)?.texts ?? (edited ? (state.parts?.texts ?? []).includes(edited.strategy) : true);
}

/** Nobody is at work any more. `word`: what became of those who were. */
function rest(word = "") {
  clearTimeout(state.telling);
  state.work.clear();
  for (const { element, texts } of state.seats.values()) {
    const line = element.querySelector(".answer");
    if (element.classList.contains("at-work")) element.querySelector(".stage").textContent = word;
    if (line.classList.contains("writing")) line.textContent = ownWords(texts);
    element.classList.remove("at-work");
    line.classList.remove("thinking", "writing");
  }
}

function say(id, text) {
  find(id).textContent = shown(text ?? "");
}

// -- the table -------------------------------------------------------------------------------------------------------

function seat(team) {
  if (!team) return;
  const count = team.players.length;
  team.players.forEach((player, number) => {
    const element = make("li", "seat");
    const angle = (2 * Math.PI * number) / count - Math.PI / 2;
    element.style.setProperty("--x", `${50 + (count > 1 ? 40 * Math.cos(angle) : 0)}%`);
    element.style.setProperty("--y", `${50 + 39 * Math.sin(angle)}%`);
    const who = make("p", "who", player.name);
    if (player.name === team.captain) who.append(make("span", "captain", "captain"));
    const badge = make("span", "badge");
    badge.hidden = true;
    who.append(badge);
    element.append(who, make("p", "model", player.model === player.name ? "" : player.model), make("p", "answer", ""), make("p", "stage", ""));
    find("seats").append(element);
    state.seats.set(player.name, { element, badge, model: player.model, texts: [] });
  });
}

/** What stands at a seat, under the letter of what it says itself: not what it wrote for the team, which stands in the middle. */
function ownWords(texts) {
  const own = texts.filter(({ forTeam }) => !forTeam).at(-1) ?? texts.at(-1);
  return shown(bare(worded(own?.text ?? "")));
}

/** What a reply settles on, whatever form it has. */
function settled(said) {
  if (!said) return null;
  for (const name of ["answer", "solution", "final_solution"]) {
    if (typeof said[name] === "string" || typeof said[name] === "number") return String(said[name]);
  }
  return null;
}

/** Somebody has been asked: the seat says for what, and all who begin together are told as one sentence. */
function begins(call) {
  state.work.set(`${call.player} ${call.stage} ${call.turn}`, call);
  const place = state.seats.get(call.player);
  if (place) {
    place.element.classList.add("at-work");
    if (!place.texts.length) place.element.querySelector(".answer").classList.add("thinking");
    place.element.querySelector(".stage").textContent = shown(`is ${doing(call)}`);
  }
  progress();
  clearTimeout(state.telling);
  state.telling = setTimeout(() => {
    if (state.work.size) say("news", atWork(state.work.values()));
  }, TOLD_MS);
}

/** Somebody writes: its seat shows the last words. */
function writing({ player, stage, turn, voice, text }) {
  const work = state.work.get(`${player} ${stage} ${turn}`);
  if (work && !work.writes) {
    work.writes = true;
    progress();
  }
  const place = state.seats.get(player);
  if (!place) return;
  if (place.voice !== voice) Object.assign(place, { voice, written: "" });
  place.written += text;
  soon(place, () => {
    const line = place.element.querySelector(".answer");
    const last = lastWords(place.written, Boolean(work?.whole));
    if (last) {
      line.classList.remove("thinking");
      line.classList.add("writing");
      line.textContent = shown(last);
    }
    if (work) place.element.querySelector(".stage").textContent = shown(`is ${doing(work)}`);
  });
}

/** The answer itself, where it comes while it is written. When it is whole it is shown as it was meant. */
function answering(words) {
  if (state.verdict) return;
  state.early += words;
  soon("answer", () => {
    if (state.verdict || !isLong(state.early)) return;
    state.title = "The answer";
    plainly(find("answer"), state.early);
    find("answer").classList.remove("rich");
    if (find("answer-part").hidden || !find("tab-answer")) reading();
  });
}

/** Models that are not real are named above all that they say. */
function notReal(models) {
  for (const model of models) state.simulated.add(model);
  find("simulated").hidden = state.simulated.size === 0;
  say("simulated", state.simulated.size ? `Simulated models, not real ones: ${[...state.simulated].sort().join(", ")}` : "");
}

function heard(call) {
  state.calls.push(call);
  state.work.delete(`${call.player} ${call.stage} ${call.turn}`);
  transcript(call);
  const place = state.seats.get(call.player);
  if (!place) return progress();
  if (call.version?.startsWith(SIMULATED)) notReal([place.model]); // whatever the file says of what is behind its address
  const answer = call.answer ?? settled(call.said);
  const line = place.element.querySelector(".answer");
  const stage = place.element.querySelector(".stage");
  if (place.voice !== undefined) line.textContent = ownWords(place.texts);
  line.classList.remove("writing");
  soon(place, () => {});
  if (answer !== null && !spoilt(call)) {
    const before = place.texts.at(-1);
    // Other words for a text are no other mind; and what somebody writes for the team is not its own.
    const isText = typeof call.answer === "string";
    const other = !isText && before !== undefined && differ(before.text, answer);
    if (other) changed(call, before.text, answer);
    const forTeam = isText && call.doing === "reading";
    place.texts.push({ text: answer, why: call.said?.reasoning, stage: call.stage, turn: call.turn, isText, forTeam });
    line.textContent = ownWords(place.texts);
    if (!forTeam) state.mind.set(call.player, answer);
    say("news", `${call.player} ${other ? "has changed its mind" : done(call)}: ${cut(worded(answer), FITS)}`);
  } else {
    // What free words settle on is read out of them, and comes with the verdict: until then they stand there as they end.
    if (call.doing === "drafting" && call.text && !call.error && !call.problem && !call.refused) place.drafted = lastWords(call.text);
    say("news", `${call.player} ${done(call)}`);
  }
  if (!place.texts.length) line.textContent = shown(place.drafted ?? "");
  if (![...state.work.values()].some(({ player }) => player === call.player)) place.element.classList.remove("at-work");
  line.classList.remove("thinking");
  const changes = place.texts.length > 1 && !place.texts.at(-1).isText && differ(place.texts.at(-1).text, place.texts.at(-2).text);
  stage.title = shown(call.error ?? "");
  stage.textContent = stageLine(call, done(call));
  place.last = call;
  if (changes) stage.prepend(make("b", null, "changed its mind"), " · ");
  progress();
  const first = [...state.seats].filter(([, { texts }]) => texts.length).map(([player, { texts }]) => [player, texts[0].text]);
  colour(together(state.mind), together(first));
  reading();
}

/** What a seat says of something that is over: what came of it in `words`, and when. */
function stageLine(call, words) {
  return shown(`${words}${call.turn > 1 ? `, turn ${call.turn}` : ""}${call.error || call.seconds === null ? "" : ` · ${seconds(call.seconds)}`}`);
}

/** While it is played: who is at work, and with what. */
function progress() {
  if (state.verdict) return;
  const spoke = new Set(state.calls.map(({ player }) => player).filter((player) => state.seats.has(player))).size;
  const said = spoke && spoke < state.seats.size ? `${spoke} of ${state.seats.size} have spoken` : "";
  say("because", [atWork(state.work.values()), said].filter(Boolean).join("; "));
}

function changed(call, before, after) {
  const item = make("li");
  item.append(make("b", null, call.player), ` in ${call.stage}: `, make("bdi", null, cut(worded(before), FITS)), " → ", make("bdi", null, cut(worded(after), FITS)));
  find("changes").append(item);
  find("changes-part").hidden = false;
}

function plain(text) {
  return text.trim().toLocaleLowerCase();
}

/** Whether two texts say something else. One that has lost a part to a key may say what any other does. */
function differ(one, other) {
  return !one.includes(CUT_OUT) && !other.includes(CUT_OUT) && plain(one) !== plain(other);
}

/** Groups by equal words, until the team's own grouping is there. `texts`: by player. */
function together(texts) {
  const groups = new Map();
  for (const [player, text] of texts) {
    const key = text.includes(CUT_OUT) ? `${CUT_OUT} ${player}` : plain(text);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(player);
  }
  return [...groups.values()];
}

/** The team's own grouping of the drafts, with whoever changed their mind moved to those they joined. */
function minds(verdict) {
  const groups = verdict.groups.map((group) => [...group]);
  const drafts = new Map((verdict.answers || []).map((each) => [each.player, each.answer]));
  for (const [player, text] of state.mind) {
    const draft = drafts.get(player);
    if (draft === undefined || draft === null || plain(draft) === plain(text)) continue;
    for (const group of groups) if (group.includes(player)) group.splice(group.indexOf(player), 1);
    const joined = !text.includes(CUT_OUT) && groups.find((group) => group.some((other) => plain(drafts.get(other) ?? "") === plain(text)));
    if (joined) joined.push(player);
    else groups.push([player]);
  }
  return groups.filter((group) => group.length);
}

/** Whether somebody still says what it said first. */
function steady(player) {
  const texts = (state.seats.get(player)?.texts ?? []).filter(({ forTeam }) => !forTeam);
  return texts.length > 0 && plain(texts[0].text) === plain(texts.at(-1).text);
}

/** Whether a text was asked for, which nobody compares with an answer or counts. */
function isText() {
  const { choices = [], kind = "" } = state.asking ?? {};
  return choices.length === 0 && (kind || state.kind) === "text";
}

/** `drafts`: the groups of what was said first. */
function colour(groups, drafts) {
  const seats = [...state.seats.keys()];
  const seated = (all) => all.map((group) => group.filter((player) => state.seats.has(player))).filter((group) => group.length);
  lettered(seated(groups), seats, seated(drafts), steady, Boolean(state.verdict)).forEach((group, number) => {
    for (const player of group) {
      const place = state.seats.get(player);
      if (!place) continue;
      place.element.style.setProperty("--seat", `var(--g${number % GROUPS})`);
      // Beside choices a letter means one of them: a group is called by what it chose.
      const chose = state.asking?.choices.length ? (place.texts.at(-1)?.text ?? "").trim() : "";
      place.badge.textContent = /^[A-Z]$/.test(chose) ? chose : String.fromCharCode(65 + (number % 26));
      place.badge.title = isText() && !traces(state.verdict ?? {}, "grouped").length ? `text ${place.badge.textContent}` : `group ${place.badge.textContent}: ${group.length} of ${state.seats.size}`;
      place.badge.hidden = false;
    }
  });
}

/** What somebody settled on where its replies do not tell it: that of free words is read out of them, and is in the verdict. */
function untold(verdict, { player, answer, reasoning }, place) {
  const said = [
    { text: answer, why: reasoning, stage: "draft", turn: 1 },
    ...traces(verdict, "shown").filter(({ to, role }) => to === player && role === "reviewer").map((look) => ({ text: look.answer, stage: "review", turn: look.turn })),
    ...traces(verdict, "round").map(({ positions, turn }) => ({ text: positions[player], stage: "debate", turn })),
    ...traces(verdict, "resolution").map(({ answers, turn }) => ({ text: answers[player], stage: "resolution", turn })),
  ];
  for (const each of said) {
    const before = place.texts.at(-1);
    if (typeof each.text !== "string" || before?.turn >= each.turn || before?.isText) continue;
    if (before && !differ(before.text, each.text)) continue;
    place.texts.push(each);
    state.mind.set(player, each.text);
    place.element.querySelector(".answer").textContent = ownWords(place.texts);
    if (!before) continue;
    changed({ player, stage: each.stage }, before.text, each.text);
    const stage = place.element.querySelector(".stage");
    if (!stage.querySelector("b")) stage.prepend(make("b", null, "changed its mind"), " · ");
  }
}

function decided(verdict) {
  state.verdict = verdict;
  state.episode = verdict.episode;
  for (const answer of verdict.answers || []) {
    const place = state.seats.get(answer.player);
    if (place) untold(verdict, answer, place);
    // Whoever had no draft and has answered since is not without an answer.
    if (!place || answer.answer !== null || place.texts.some(({ turn, forTeam }) => turn > 1 && !forTeam)) continue;
    const needless = traces(verdict, "not-needed").some((spared) => spared.players.includes(answer.player));
    place.element.classList.add("absent");
    place.element.querySelector(".answer").textContent = needless ? "was not needed" : answer.outcome;
    if (place.last && !place.texts.length && ["refused", "unanswered"].includes(answer.outcome)) place.element.querySelector(".stage").textContent = stageLine(place.last, doneInVain(place.last));
  }
  rest();
  if (verdict.groups?.length) colour(minds(verdict), verdict.groups);
  for (const player of verdict.who || []) state.seats.get(player)?.element.classList.add("winner");
  find("centre").classList.toggle("none", verdict.answer === null);
  const abstained = verdict.outcome === "abstained";
  const none = abstained ? "The team does not answer" : `No answer: ${verdict.outcome}`;
  conclude(verdict.answer === null ? none : worded(verdict.answer), verdict.answer === null ? "No answer" : "The answer");
  const failed = verdict.answer === null && !abstained; // why is said once, with what to do: see fail
  rich(find("because"), failed ? "" : [verdict.note, abstained ? "" : sure(verdict), verdict.cause || verdict.reasoning].filter(Boolean).join("; "), { inline: true });
  say("cost", bill(verdict));
  say("news", verdict.answer === null ? none : `The team answers: ${cut(worded(verdict.answer), FITS)}`);
  ballots(verdict);
  if (verdict.answer !== null) offerFurther(kindFurther(state.asking, state.kind, state.asking.team !== null && givesTexts(state.asking.team)));
  find("actions").hidden = false;
  find("again").hidden = state.asking.team === null;
  find("copy").hidden = verdict.answer === null;
  for (const id of ["save-markdown", "save-json"]) find(id).hidden = false;
  find("feedback-part").hidden = verdict.answer === null && !abstained;
  state.abstained = abstained;
  for (const button of find("feedback").querySelectorAll("[data-correct]")) button.hidden = abstained;
  find("right-part").hidden = isText() && !abstained; // no other text is wrong for differing from a good one
  say("right-label", abstained ? "the answer" : "or the answer");
}

/** How sure the answer is, or would have been: in a stored episode as in one that has just ended. */
function sure(verdict) {
  const told = traces(verdict, "told-probability").at(-1) ?? traces(verdict, "decided-by-rule").at(-1);
  return typeof told?.probability === "number" ? `right with ${inHundred(told.probability)} %: ${told.why}` : "";
}

/** Half up by the digits that are written, as every word about it: 0.145 is 15, though 100 times that is a little less than 14.5. */
function inHundred(share) {
  return Math.round(Number((100 * share).toFixed(6)));
}

/** What is too long for the felt begins there and stands whole below the table, with its line breaks. */
function conclude(words, title) {
  const text = words.trim();
  const long = isLong(text);
  const first = long ? bare(text) : text;
  const begun = first.length > FITS ? first.slice(0, FITS).replace(/\s+\S*$/, "") : first;
  if (long) say("verdict", `${begun} …`);
  else rich(find("verdict"), text, { inline: true });
  find("centre").classList.toggle("small", begun.length > LARGE);
  find("centre").classList.toggle("long", long);
  find("more").hidden = !long;
  state.title = title;
  rich(find("answer"), text);
  reading();
}

function isLong(text) {
  return text.trim().includes("\n") || text.trim().length > FITS;
}

// -- to be read --------------------------------------------------------------------------------------------------------

/** Below the table, in a column: the answer, and what each player wrote, if any of it is too long for the table. */
function reading() {
  const written = [...state.seats].filter(([, place]) => place.texts.length);
  const long = find("centre").classList.contains("long") || isLong(state.early) || written.some(([, place]) => place.texts.some(({ text }) => isLong(text)));
  find("answer-part").hidden = !long;
  if (!long) return;
  say("answer-title", state.title ?? "What they write");
  const entries = written.map(([player], number) => ({ id: `p${[...state.seats.keys()].indexOf(player)}`, label: shown(player), player }));
  if (state.title) entries.unshift({ id: "answer", label: state.title });
  find("panel-answer").hidden = true;
  for (const { id, player } of entries) if (player !== undefined) panelOf(id, player);
  const chosen = entries.some(({ id }) => id === state.tab) ? state.tab : entries[0].id;
  drawTabs(find("tabs"), entries, chosen, (id) => {
    if (state.title) state.tab = id;
    const entry = entries.find((each) => each.id === id);
    if (entry.player !== undefined) fill(id, entry.player);
  });
}

function panelOf(id, player) {
  if (find(`panel-${id}`)) return;
  const panel = make("div", "panel of-player");
  Object.assign(panel, { id: `panel-${id}`, tabIndex: 0, hidden: true });
  panel.setAttribute("role", "tabpanel");
  panel.setAttribute("aria-labelledby", `tab-${id}`);
  find("reading").append(panel);
}

/** What a player wrote, the last first; what it was shown, by the names that it may not have seen; its review. */
function fill(id, player) {
  const place = state.seats.get(player);
  const parts = [];
  const last = place.texts.at(-1);
  parts.push([last.forTeam ? "What it wrote for the team" : place.texts.length > 1 ? `At last (${last.stage})` : "Its answer", last.text]);
  if (last.why) parts.push(["Why", readable(last.why)]);
  const verdict = state.verdict ?? {};
  for (const review of traces(verdict, "review").filter(({ by }) => by === player)) {
    for (const [name, words] of Object.entries(review.parts)) parts.push([`Its review: ${name.replaceAll("_", " ")}`, words]);
  }
  for (const look of traces(verdict, "shown").filter(({ to }) => to === player)) {
    parts.push([`What it read as ${look.role}, in this order`, look.order.map((who) => who.join(" and ")).join(", ")]);
  }
  for (const { text, stage, turn } of place.texts.slice(0, -1).reverse()) parts.push([`Before (${stage}, turn ${turn})`, text]);
  const told = JSON.stringify(parts);
  const panel = find(`panel-${id}`);
  if (place.told === told) return;
  place.told = told;
  panel.replaceChildren(
    ...parts.flatMap(([title, words]) => {
      const body = make("div", "whole");
      rich(body, words);
      return [make("h3", "part", title), body];
    }),
  );
}

function bill(verdict) {
  const money = verdict.cost_usd === null || verdict.cost_usd === undefined ? "cost unknown" : usd(verdict.cost_usd);
  return `${verdict.outcome} · ${seconds(verdict.seconds)} · ${verdict.calls} call${verdict.calls === 1 ? "" : "s"} · ${money}`;
}

// Never a nought that is none: small sums keep two digits, as in Python (stats/written_numbers.py).
function usd(value) {
  if (value === 0) return "$0";
  const digits = Math.abs(value) >= 0.1 ? 2 : Math.min(12, 1 - Math.floor(Math.log10(Math.abs(value))));
  return `$${new Intl.NumberFormat("en", { minimumFractionDigits: digits, maximumFractionDigits: digits }).format(value)}`;
}

function seconds(value) {
  return value === null || value === undefined ? "" : `${value.toFixed(value < 10 ? 1 : 0)} s`;
}

/** The records of one kind that an episode keeps. */
function traces(verdict, kind) {
  return (verdict.traces || []).filter((record) => record.kind === kind);
}

/** Who voted for what; at the foot, what each option got. */
function ballots(verdict) {
  const { head, votes, sums } = tallied(verdict, { words: (option) => cut(worded(option), LARGE), long: isLong });
  find("ballots-part").hidden = votes.length === 0;
  find("ballots").replaceChildren(part("thead", [head], "th"), part("tbody", votes, "td"), part("tfoot", sums, "td"));
}

function part(tag, rows, cell) {
  const made = make(tag);
  for (const row of rows) {
    const line = make("tr");
    line.append(...row.map((text) => make(cell, null, text)));
    made.append(line);
  }
  for (const head of made.querySelectorAll("th")) head.scope = "col";
  return made;
}

function readable(value) {
  if (value === null || value === undefined) return "–";
  if (Array.isArray(value)) return value.map(readable).join(", ");
  if (typeof value === "object") return Object.entries(value).map(([name, each]) => `${name}: ${readable(each)}`).join(", ");
  return String(value);
}

function transcript(call) {
  find("transcript-part").hidden = false;
  const item = make("li");
  const head = make("p", "head");
  head.append(make("b", null, call.player), ` · ${call.stage} · turn ${call.turn}${call.seconds === null ? "" : ` · ${seconds(call.seconds)}`}`);
  item.append(head);
  const said = call.said;
  if (said) {
    for (const [name, value] of Object.entries(said)) {
      const words = make("div", "text");
      rich(words, readable(value));
      item.append(make("p", "quiet", name), words);
    }
  } else if (call.text) {
    const words = make("div", "text");
    rich(words, call.text);
    item.append(words);
  }
  for (const trouble of [call.error, call.problem]) if (trouble) item.append(make("p", "problem", trouble));
  if (call.messages) {
    const more = make("details");
    more.append(make("summary", null, "What it was sent"), ...call.messages.map((each) => make("pre", null, `[${each.role}]\n${each.content}`)));
    item.append(more);
  }
  find("transcript").append(item);
}

// -- before and beside -----------------------------------------------------------------------------------------------

async function history() {
  state.past = (await get(`/v1/moot/episodes?limit=${LISTED}`)).episodes;
  listed();
}

/** The side bar: what was asked before, as far as it holds what is sought. */
function listed() {
  const sought = plain(find("sought").value);
  const known = ({ answer, choice, model }) => `${answer ?? ""} ${choice ?? ""} ${model}`;
  const heads = new Set(waiting().map((episodes) => state.past?.find(({ episode }) => episodes.includes(episode))?.episode));
  const waits = (each) => state.blind === null && heads.has(each.episode);
  const found = (state.past ?? []).filter((each) => {
    const hushed = secret(each);
    if (hushed && !waits(each)) return false;
    return plain(`${each.title ?? ""} ${each.question} ${each.further ?? ""} ${hushed ? "" : known(each)}`).includes(sought);
  });
  find("none").hidden = found.length > 0;
  say("none", state.past?.length ? "Nothing that was asked holds this." : "Nothing yet.");
  find("history").replaceChildren(
    ...found.map((each) => {
      if (secret(each)) return unjudged(each);
      const item = make("li", each.episode === state.episode ? "here" : null);
      const button = make("button");
      button.type = "button";
      const came = `${each.model}: ${each.answer ? cut(each.choice ? `${each.answer}. ${each.choice}` : each.answer, FITS) : each.outcome}`;
      const began = each.title ? null : beganWith(each);
      button.append(make("span", "q", each.title ?? named(each)), ...(began ? [make("span", "of", `after: ${began}`)] : []), make("span", "a", came));
      opening(button, each.episode, came);
      item.append(button, renaming(each, item, button), forgetting(each));
      return item;
    }),
  );
}

/** A duel that nobody has voted on is one entry, and its answers none; nor are earlier ones to its question. */
function unjudged(each) {
  const episodes = duelOf(each.episode);
  const item = make("li", state.duel?.episodes.includes(each.episode) ? "here" : null);
  const button = Object.assign(make("button"), { type: "button" });
  const came = episodes.length > 1 ? "Two answers, and no word yet which is better" : "Of two answers side by side, the other is not there yet";
  button.append(make("span", "q", each.title ?? named(each)), make("span", "a", came));
  opening(button, each.episode, came);
  item.append(button);
  return item;
}

/** While something is played it is opened by a second click: what is left is stopped, and paid for. */
function opening(button, episode, came) {
  const calm = () => {
    button.classList.remove("sure");
    button.querySelector(".a").textContent = shown(came);
  };
  button.addEventListener("blur", calm);
  button.addEventListener("click", () => {
    if (!state.stop || button.classList.contains("sure")) {
      return visit(episode).then(history).catch(() => {}); // the list may be older; what cannot be read stays as it is
    }
    button.classList.add("sure");
    button.querySelector(".a").textContent = LEAVES;
    say("news", LEAVES);
  });
}

/** A name of one's own for a conversation: Enter keeps it, Escape leaves it as it was, and an empty one is the question again. */
function renaming(each, item, entry) {
  const button = Object.assign(make("button", "rename", "✎"), { type: "button", title: "Rename" });
  button.setAttribute("aria-label", `Rename: ${shown(each.title ?? named(each)).slice(0, FITS)}`);
  button.addEventListener("click", () => {
    const field = Object.assign(make("input", "renamed"), { type: "text", maxLength: 200, value: each.title ?? shown(named(each)).slice(0, 200) });
    field.setAttribute("aria-label", "The name of this conversation");
    const back = () => {
      if (field.isConnected) field.replaceWith(entry);
      button.focus();
    };
    field.addEventListener("keydown", async (event) => {
      if (event.key === "Escape") back();
      if (event.key !== "Enter" || event.isComposing) return;
      try {
        const { title } = await post(`/v1/moot/episodes/${each.episode}/title`, { title: field.value });
        each.title = title;
        listed();
        say("news", title ? `Renamed: ${title}` : "It has its own words again.");
        find("history").querySelector(`[data-episode="${each.episode}"] button`)?.focus();
      } catch (error) {
        back();
        fail(error);
      }
    });
    entry.replaceWith(field);
    field.select();
  });
  item.dataset.episode = each.episode;
  return button;
}

/** Asks twice: what is forgotten is gone from the store. */
function forgetting(each) {
  const button = Object.assign(make("button", "forget", "✕"), { type: "button", title: "Forget this question for ever" });
  button.setAttribute("aria-label", `Forget: ${shown(named(each)).slice(0, FITS)}`);
  const calm = () => {
    button.classList.remove("sure");
    button.textContent = "✕";
  };
  button.addEventListener("blur", calm);
  button.addEventListener("click", async () => {
    if (!button.classList.contains("sure")) {
      button.classList.add("sure");
      button.textContent = "Forget for ever?";
      return;
    }
    let told;
    try {
      told = await forget(`/v1/moot/episodes/${each.episode}`);
    } catch (error) {
      return fail(error);
    }
    if (each.episode === state.episode) {
      window.history.replaceState(null, "", location.pathname);
      laid();
    }
    say("news", told.note ?? "Forgotten.");
    await history();
    find("sought").focus();
  });
  return button;
}

/** Open a question by its address, which can be kept and shown to others who may see it. One of two answers that wait for a vote is
 * opened beside the other, for alone it would be named. */
async function visit(episode, hasLeft = false) {
  const leaves = (await leave()) || hasLeft;
  if (location.hash !== `#${episode}`) window.history.pushState(null, "", `#${episode}`);
  const episodes = duelOf(episode);
  const two = episodes?.length > 1;
  if (episodes && !two) settledDuel(episodes, SEEN);
  try {
    const wholes = await Promise.all((two ? episodes : [episode]).map((each) => get(`/v1/moot/episodes/${each}`)));
    if (addressed() !== episode) return; // something else was opened meanwhile
    if (!two && duelOf(episode)) return visit(episode, leaves); // of a duel that has come to its end meanwhile
    if (two) await judged(wholes, episodes);
    else replay(episode, wholes[0]);
    if (leaves) sayLeft();
  } catch (error) {
    if (addressed() !== episode) return;
    const gone = error.code === "no_such_episode";
    if (two && gone) {
      settledDuel(episodes, SEEN); // there is nothing to choose any more
      return visit(episode, leaves);
    }
    clear();
    fail(error.code === "unreachable" ? new Trouble(error.message, { code: "not_opened" }) : error);
    find("trouble-again").hidden = gone;
    find("trouble-again").onclick = () => visit(episode, leaves);
  }
}

/** Two answers that wait for a vote, in this entry of the history. Whom they are of is in an order that tells nothing. */
function judged(wholes, episodes) {
  const [one, other] = wholes.map((whole) => askedAs(whole, spoken(whole.question))).sort((a, b) => ((a.team?.model ?? "") < (b.team?.model ?? "") ? -1 : 1));
  const asked = { ...one, team: other.team && one.team, rival: one.team && other.team };
  const kept = { sides: episodes.map((episode) => ({ episode, told: null })), preferred: null };
  keepHere(asked, null, kept);
  return comparedBefore({ asked, duel: kept });
}

/** What was left for what is shown now, above it and in sight. */
function sayLeft() {
  say("left-note", `“${cut(state.left, LARGE)}” was left while it was played, and has stopped: Back and Forward lead to it.`);
  find("left-note").hidden = false;
  find("left-note").scrollIntoView({ block: "nearest", behavior: "auto" });
}

/** The question whose address this is. */
function addressed() {
  return EPISODE.exec(location.hash)?.[1];
}

function replay(episode, whole) {
  const verdict = whole.verdict;
  const answers = (verdict.answers || []).map(([player, answer, reasoning, outcome]) => ({ player, answer, reasoning, outcome }));
  const asking = askedAs(whole, spoken(whole.question));
  clear(asking);
  state.called = whole.model;
  const players = [...new Set([...answers, ...whole.calls].map(({ player }) => player))].map((name) => ({ name, model: name }));
  const table = whole.players ? whole : asking.team && tableOf(asking.team);
  seat(table ?? { captain: whole.captain, players });
  for (const call of whole.calls) heard({ ...call, ...parsed(call.text), seconds: call.latency_s });
  decided({
    ...verdict,
    answers,
    groups: whole.groups,
    episode,
    calls: whole.calls.length,
    cost_usd: costOf(whole),
    seconds: whole.seconds,
  });
  if (verdict.answer === null && verdict.outcome !== "abstained") {
    fail(new Trouble(`The team had no answer: ${verdict.cause ?? verdict.outcome}`, { status: traces(verdict, "deadline").length ? 408 : 502 }));
    unanswered();
  }
  if (whole.feedback) told(whole.feedback);
  if (!asking.team) say("did", `${whole.model ?? "Who answered this"} is not served here any more: to go on, ask another team above.`);
  listed();
  find("centre").scrollIntoView({ block: "center", behavior: "auto" });
}

/** As the server told it when it was asked. null: of a call it is not known, be it of one that brought no reply. */
function costOf({ calls, verdict }) {
  const replied = calls.filter((call) => !call.error);
  const unknown = traces(verdict, "unpriced").length > 0 || replied.some((call) => call.cost_usd === null);
  return unknown ? null : replied.reduce((sum, call) => sum + call.cost_usd, 0);
}

/** What a reply says; one that is nested without end is a text, as it is to the server. Where a text was asked for that is words,
 * whatever stands in it: only a ranking of others' texts is a form, as on the page of a report. */
function parsed(text) {
  try {
    const said = JSON.parse(text);
    let [level, deep] = [[said], 0];
    for (; level.length && deep <= DEEPEST; deep += 1) level = level.flatMap((each) => (each && typeof each === "object" ? Object.values(each) : []));
    const form = said && typeof said === "object" && !Array.isArray(said) && deep <= DEEPEST && (!isText() || Array.isArray(said.ranking));
    return form ? { said, text: null } : { said: null, text };
  } catch {
    return { said: null, text };
  }
}

// -- what can be done with an answer -------------------------------------------------------------------------------------

async function copied(text) {
  try {
    await navigator.clipboard.writeText(text);
    say("did", "Copied.");
  } catch {
    say("did", "The browser does not let the page copy; select the text instead.");
  }
}

function save(name, kind, content) {
  const link = Object.assign(make("a"), { href: URL.createObjectURL(new Blob([content], { type: kind })), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
  say("did", `Saved as ${name}.`);
}

/** The episode as a text that can be read anywhere: the question, the answer, what each wrote. */
function asMarkdown() {
  const verdict = state.verdict;
  const { question, turns, team } = state.asking;
  const given = givenAsMarkdown(state.asking);
  const before = turns.flatMap(({ role, content }) => [`## ${role === "user" ? "Asked before" : "Answered before"}`, content]);
  const parts = [...(turns.length ? [`# ${question}`, ...before, "## Asked further", question] : [`# ${question}`]), ...given, `## ${state.title}`, verdict.answer === null ? (verdict.cause ?? verdict.outcome) : worded(verdict.answer), `*${team ? calledAs(team) : (state.called ?? "a team")}: ${bill(verdict)}*`];
  for (const [player, { texts }] of state.seats) {
    for (const { text, why, stage } of texts) parts.push(`## ${player} (${stage})`, worded(text), ...(why ? [`Why: ${readable(why)}`] : []));
  }
  return `${parts.join("\n\n")}\n`;
}

async function learn(body) {
  if (!state.episode) return;
  try {
    const { correct } = await post("/v1/feedback", { episode: state.episode, ...body });
    told({ answer: body.answer ?? null, correct });
  } catch (error) {
    say("learnt", error.message);
  }
}

/** What was said of the answer, now or before. */
function told({ answer, correct }) {
  const right = answer === null ? "" : ` “${cut(worded(answer), FITS)}” is right`;
  const team = correct === null ? "a judge will say whether that is what the team meant" : `the team was ${correct ? "right" : "wrong"}`;
  say("learnt", state.abstained ? `Kept${right && `:${right}`}.` : `Kept:${right && `${right};`} ${team}.`);
  pressed(answer === null ? correct : null);
}

function pressed(correct) {
  for (const button of find("feedback").querySelectorAll("[data-correct]")) button.setAttribute("aria-pressed", String(button.dataset.correct === String(correct)));
}

async function start() {
  find("trouble").hidden = true;
  const { name, kind, simulated, teams, parts } = await get("/v1/moot/teams");
  Object.assign(state, { teams, parts, kind: kind === "choice" ? "open" : kind });
  drawParts(parts, (team) => {
    serveToo(team);
    offer(team.model);
    find("ways").open = false;
    find("question").focus();
  });
  say("file", name);
  document.title = `${name}: the table`;
  notReal(simulated);
  offer();
  state.offered = find("model").value; // which nobody has chosen
  put("model", "rival");
  seat(teamCalled(find("model").value));
  idle();
  if (!state.asking) restored(); // before anything else is waited for: from now on the form is somebody's
  await history();
  const { reports } = await get("/v1/moot/reports");
  find("reports-part").hidden = reports.length === 0;
  find("reports").replaceChildren(
    ...reports.map((each) => {
      const item = make("li");
      item.append(Object.assign(make("a", null, each.name), { href: each.url }));
      return item;
    }),
  );
}

/** What this address, or this entry of the browser's history, had on the table. */
function restored() {
  if (addressed()) visit(addressed());
  else if (leftWithPage) brokenOff(leftWithPage, wasLeft(PAGE_LEFT));
  else if (keptHere()) stands(keptHere(), PAGE_LEFT);
}

/** What an entry of the browser's history keeps that has no address: two answers, or a question without one. `why`: it was left so. */
function stands({ asked, trouble, duel: kept }, why) {
  if (kept) return comparedBefore({ asked, duel: kept });
  return brokenOff(asked, trouble ?? wasLeft(why));
}

/** A question without an answer: it stands there again with what became of it, to be asked once more. */
function brokenOff(asking, trouble) {
  keepHere(asking, trouble);
  clear(asking);
  seat(tableOf(asking.team));
  idle();
  fail(trouble);
  unanswered(true);
  find("trouble").scrollIntoView({ block: "nearest", behavior: "auto" });
}

function wasLeft(why) {
  return new Trouble(why, { code: "left" });
}

/** Whether what is asked in the form is a text, which not every team can give. */
function textWanted() {
  return choicesAsked().length === 0 && (find("kind").value || state.kind) === "text";
}

/** Choices are answered by one of them: another kind of answer does not go with them, in the form as in the API. */
function kindClashes() {
  const kind = find("kind").value;
  const clashes = Boolean(kind) && choicesAsked().length > 0;
  say("kind-told", clashes ? `“${KINDS[kind]}” does not go with choices: choose “as in the file”, or take the choices out.` : "");
  return clashes;
}

/** As many lines as there are choices, and one to go on with. */
function roomForChoices() {
  find("choices").rows = Math.min(MOST_LINES, Math.max(3, find("choices").value.split("\n").length + 1));
}

/** A team that somebody has chosen stays chosen: if it cannot give what is wanted, that stands beside it. */
function unableToldFor(id) {
  const team = teamCalled(find(id).value);
  const unable = Boolean(team) && textWanted() && !team.texts;
  say(`${id}-told`, unable ? `${team.model} gives no texts: choose another team, or another kind of answer.` : "");
  return unable;
}

/** Another kind of answer is wanted: who cannot give it is not offered, and a team that nobody has chosen gives way to one that can. */
function reoffer() {
  const before = find("model").value;
  offer();
  const asked = teamCalled(before);
  const stays = asked && (!textWanted() || asked.texts || before !== state.offered);
  find("model").value = stays ? before : find("model").querySelector("option:not(:disabled)")?.value;
  if (!stays) state.offered = find("model").value;
  if (!stays) put("model");
  if (find("model").value !== before) find("model").dispatchEvent(new Event("change"));
  unableToldFor("model");
  kindClashes();
}

/** The teams that can be asked, in the order in which they are offered; `chosen` is to be asked. */
function offer(chosen) {
  const texts = textWanted();
  offerStrategies(state.parts, texts);
  const groups = new Map();
  for (const team of state.teams) {
    const label = team.declared ? DECLARED : team.best ? BEST : (team.team ?? "one player");
    if (!groups.has(label)) groups.set(label, []);
    const mark = team.declared ? " (declared)" : team.best ? " (best of the run)" : "";
    const able = !texts || team.texts;
    groups.get(label).push([`${team.model}${mark}${able ? "" : " (gives no texts)"}`, team.model, !able]);
  }
  const rank = (label) => (label === DECLARED || label === BEST ? 0 : label === "one player" ? 2 : 1);
  const ordered = [...groups].sort(([one], [other]) => rank(one) - rank(other));
  const drawn = () => ordered.map(([label, teams]) => {
    const group = Object.assign(make("optgroup"), { label });
    group.append(...teams.map(([words, value, disabled]) => Object.assign(make("option", null, words), { value, disabled })));
    return group;
  });
  const [model, rival] = [find("model").value, find("rival").value];
  find("model").replaceChildren(...drawn());
  if (teamCalled(model)) find("model").value = model;
  find("rival").replaceChildren(new Option("nobody", ""), ...drawn());
  find("rival").value = rival;
  offerRivals();
  if (chosen === undefined) return;
  find("model").value = chosen;
  find("model").dispatchEvent(new Event("change"));
}

/** Beside a team stands another: whoever is asked is not offered there, nor who cannot give what is wanted. */
function offerRivals() {
  const texts = textWanted();
  const asked = teamCalled(find("model").value);
  for (const option of find("rival").querySelectorAll("optgroup option")) {
    const team = teamCalled(option.value);
    const itself = sameTeam(team, asked);
    option.disabled = (texts && !team.texts) || itself;
    option.textContent = shown(option.textContent).replace(ITSELF, "") + (itself ? ITSELF : "");
  }
  const rival = teamCalled(find("rival").value);
  if (rival && sameTeam(rival, asked)) {
    say("rival-told", `${rival.model} is the team that is asked, by another name: nobody stands beside it.`);
    find("rival").value = "";
  } else unableToldFor("rival");
}

/** The table with nothing on it: who would be asked. */
function laid() {
  clear();
  seat(teamCalled(find("model").value));
  idle();
}

function idle() {
  for (const { element } of state.seats.values()) {
    element.querySelector(".stage").textContent = "";
  }
}

function theme(name) {
  document.documentElement.dataset.theme = name;
}

const dark = matchMedia("(prefers-color-scheme: dark)");

/** As it was chosen by hand, else as the system has it. */
function themed() {
  theme(localStorage.getItem("moot-theme") ?? (dark.matches ? "dark" : "light"));
}

const leftWithPage = left(); // before anything can be asked from here
putByBrowser();
themed();
dark.addEventListener("change", themed);
find("theme").addEventListener("click", () => {
  const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
  localStorage.setItem("moot-theme", next);
  theme(next);
});
find("key-form").addEventListener("submit", (event) => {
  event.preventDefault();
  sessionStorage.setItem("moot-key", find("key").value);
  find("key-form").hidden = true;
  start().catch(fail);
  find("question").focus(); // a wrong key takes it back
});
find("ask").addEventListener("submit", (event) => {
  event.preventDefault();
  if (state.stop) return;
  if (kindClashes()) {
    find("ways").open = true;
    return find("kind").focus();
  }
  put();
  ask(inForm());
  find("question").select(); // whoever types on asks something else; the words stay for who wants to mend them
});
for (const [area, form] of [["question", "ask"], ["further", "follow"]]) {
  find(area).addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    find(form).requestSubmit();
  });
}
find("rival").addEventListener("change", offerRivals);
find("model").addEventListener("change", () => {
  offerRivals();
  unableToldFor("model");
  if (state.stop) return;
  laid();
});
find("copy").addEventListener("click", () => copied(worded(state.verdict.answer)));
find("again").addEventListener("click", () => {
  if (!state.stop) ask(state.asking);
});
find("follow").addEventListener("submit", (event) => {
  event.preventDefault();
  const question = find("further").value.trim();
  if (state.stop || !question) return;
  const [answer, kind] = [state.verdict?.answer ?? null, find("further-kind").value];
  ask(answer === null ? mended(state.asking, question, kind) : askedFurther(state.asking, worded(answer), question, kind));
  find("asked").scrollIntoView({ block: "center", behavior: "auto" });
});
find("sought").addEventListener("input", listed);
// Wherever Back and Forward lead, the table shows what the address says.
window.addEventListener("popstate", async () => {
  const leaves = await leave();
  if (addressed()) return visit(addressed(), leaves);
  const kept = keptHere();
  if (kept) stands(kept, LEFT);
  else laid();
  if (leaves) sayLeft();
});
// The address is that of the question: places in the page are gone to without one.
for (const link of document.querySelectorAll('a[href^="#"]')) {
  link.addEventListener("click", (event) => {
    event.preventDefault();
    const place = document.querySelector(link.getAttribute("href"));
    place.scrollIntoView();
    place.focus();
  });
}
find("save-markdown").addEventListener("click", () => save(`${state.episode}.md`, "text/markdown", asMarkdown()));
find("save-json").addEventListener("click", async () => {
  try {
    save(`${state.episode}.json`, "application/json", JSON.stringify(await get(`/v1/moot/episodes/${state.episode}`), null, 1));
  } catch (error) {
    say("did", error.message);
  }
});
find("choices").addEventListener("input", roomForChoices);
for (const [id, event] of [["kind", "change"], ["choices", "input"]]) find(id).addEventListener(event, reoffer);
find("stop").addEventListener("click", () => state.stop?.abort(new Trouble("Stopped.", { code: "stopped" })));
stopWhenLeft(() => {
  state.stop?.abort(wasLeft(PAGE_LEFT));
  brokenDuel();
});
whenSaidElsewhere(saidOfDuel);
find("feedback").addEventListener("click", (event) => {
  const correct = event.target.dataset?.correct;
  if (correct) learn({ correct: correct === "true" });
});
find("feedback").addEventListener("submit", (event) => {
  event.preventDefault();
  if (find("right").value.trim()) learn({ answer: find("right").value.trim() });
});
start().catch(fail);
