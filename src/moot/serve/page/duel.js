// Two teams side by side: both are asked the same, the sides are drawn by lot, and who is who is told when somebody has said
// which answer is better. That word is kept as evidence, so until then the page holds nothing but the two answers: neither who is at
// work nor with what, neither a word sooner than the other nor what it took, for each of these tells a team from a player alone.
// What comes later than it was asked for is drawn only where the same duel still stands: `current` knows.
import { SEEN } from "./blind.js";
import { rich, shown } from "./rich.js";
import { Trouble, asked, get, post } from "./server.js";
import { done } from "./stages.js";

const find = (id) => document.getElementById(id);
const SIDES = ["first", "second"];
const LETTERS = ["A", "B"];
const SECRET = "whose it is, is told when you have chosen";
const TOLD = "No vote was kept, and none is taken any more: whose they are has been told.";
let standing = 0;

/** Ask both, in an order drawn by lot. Of each side: its episode, its answer, or what is told in place of one; `name`, for later.
 * `came`: hears the episode of each as soon as it is known. */
export async function duel(bodies, signal, came) {
  const order = Math.random() < 0.5 ? bodies : [...bodies].reverse();
  const here = current();
  find("duel").hidden = false;
  for (const each of SIDES) part(each, ".work").textContent = "is being asked";
  const sides = await Promise.all(order.map(async ({ name, body }) => {
    const side = { name, ...(await heardFrom(body, signal)) };
    if (side.episode !== null) came(side.episode);
    return side;
  }));
  if (here()) for (const each of SIDES) part(each, ".work").textContent = "";
  return sides;
}

/** Tells later whether the page still shows the same duel as now. */
export function current() {
  const mine = standing;
  return () => mine === standing;
}

/** A duel that was played before, as far as it can be shown without telling who is who. `kept`: an entry of `keptOf`. */
export function again(kept) {
  return Promise.all(
    kept.map(async ({ episode, told, name }) => {
      if (episode === null) return { episode, answer: null, told, name };
      try {
        const { answer, cause, outcome } = await get(`/v1/moot/episodes/${episode}/answer`);
        return { episode, answer, told: cause ?? outcome, name };
      } catch (error) {
        if (error.code !== "no_such_episode") throw error; // it may still be there, and to be judged
        return { episode: null, answer: null, told: worded(error) };
      }
    }),
  );
}

/** What an entry of the browser's history keeps of both sides: nothing that tells who they are, unless there is nothing to choose. */
export function keptOf(sides) {
  const open = !comparable(sides);
  return sides.map(({ episode, told, name }) => ({ episode, told: episode === null ? told : null, ...(open ? { name } : {}) }));
}

/** Whether there are two answers to choose from: of two that are equal word for word neither is better. */
export function comparable(sides) {
  return answered(sides) && sides[0].answer.trim() !== sides[1].answer.trim();
}

/** Whether there are two answers. */
export function answered(sides) {
  return sides.every(({ answer }) => answer !== null);
}

/**
 * Both answers at once, and the question which is better. `said`: what was said before, `SEEN` where their names were told without
 * a vote; null: nothing. `words`: an answer in words; `bill`: what an episode took; `open`: shows one; `may`: whether a vote is
 * still taken, and shows it if not; `voted`: hears what is said, whatever is shown by then; `told`: who is who is known.
 */
export async function stand(sides, said, { words, bill, open, may, voted, told }) {
  const here = current();
  find("duel").hidden = false;
  sides.forEach(({ answer, told: why }, number) => rich(part(SIDES[number], ".whole"), answer === null ? shown(why ?? "") : words(answer)));
  const tell = async () => {
    const names = await Promise.all(sides.map((side, number) => tellSide(SIDES[number], side, bill, open, here)));
    told();
    return names;
  };
  if (!comparable(sides)) {
    const names = await tell();
    if (!here() || !answered(sides)) return;
    find("voted").textContent = shown(`${names[0] ?? "Answer A"} and ${names[1] ?? "answer B"} say the same, word for word: neither is better.`);
    return;
  }
  const better = find("better").querySelectorAll("button");
  find("better").hidden = said === SEEN;
  find("unvoted").disabled = false;
  for (const button of better) {
    button.disabled = said !== null;
    button.onclick = () => vote(button.dataset.better, sides, { here, may, voted, tell });
  }
  find("unvoted").hidden = said !== null;
  find("unvoted").onclick = () => voted(SEEN);
  if (said !== null) {
    const names = await tell();
    if (here()) sayKept(said, names);
    return;
  }
  // The question, and no answer to it: one more Enter would give that. Both texts are seen from their beginnings.
  find("better").focus({ preventScroll: true });
  find("given").scrollIntoView({ block: "start", behavior: "auto" });
}

function part(each, selector) {
  return find(`side-${each}`).querySelector(selector);
}

/** Both sides alike, with nothing on them; what still comes for those that stood there is not drawn any more. */
export function emptied() {
  standing += 1;
  find("unvoted").hidden = true;
  find("better").hidden = true;
  find("better").classList.remove("said");
  find("voted").textContent = "";
  for (const each of SIDES) {
    for (const selector of [".work", ".cost"]) part(each, selector).textContent = "";
    part(each, ".team").textContent = SECRET;
    part(each, ".steps").hidden = true;
    part(each, ".stages").replaceChildren();
    part(each, ".open").onclick = null;
    rich(part(each, ".whole"), "");
  }
}

/** What one of them says in the end; of all else that its stream tells nothing is kept. */
async function heardFrom(body, signal) {
  let [words, refusal, report] = ["", "", null];
  try {
    for await (const event of asked(body, signal, { team: false })) {
      const delta = event.choices?.[0]?.delta ?? {};
      words += delta.content ?? "";
      refusal += delta.refusal ?? "";
      report = event.moot ?? report;
    }
    if (report === null) throw new Trouble("The line to the server broke off.", { code: "unreachable" });
  } catch (error) {
    return { episode: null, answer: null, told: signal.aborted ? error.message : worded(error) };
  }
  const none = refusal !== "" || report.outcome === "abstained";
  return { episode: report.episode, answer: none ? null : words, told: refusal || words };
}

/** What failed and what can be done, as sentences: the first may be a server's own words, which end as they like. */
function worded(error) {
  if (!(error instanceof Trouble)) return error.message;
  const what = error.message.trimEnd();
  return `${what}${/[.!?…]$/.test(what) ? "" : "."} ${error.todo}`;
}

/** Who it was, what it took and how it came about, drawn as long as it is `here`. Gives the name. */
async function tellSide(each, { episode, name }, bill, open, here) {
  let [model, cost, whole] = [null, "", null];
  try {
    if (episode !== null) {
      whole = await get(`/v1/moot/episodes/${episode}`);
      model = whole.model; // as the list has it, whichever of its names it was asked by
      cost = bill(whole);
    }
  } catch (error) {
    cost = worded(error);
  }
  model ??= name ?? null;
  if (!here()) return model;
  part(each, ".cost").textContent = shown(cost);
  part(each, ".team").textContent = shown(model ?? "");
  if (whole === null) return model;
  part(each, ".stages").replaceChildren(...whole.calls.map(step));
  part(each, ".open").onclick = () => open(episode);
  part(each, ".steps").hidden = false;
  return model;
}

function step(call) {
  const item = document.createElement("li");
  item.textContent = shown(`${call.player} ${done(call)}`);
  return item;
}

function sayKept(said, names) {
  find("better").classList.add("said"); // it is in nobody's way any more
  const called = names.map((name, number) => name ?? `answer ${LETTERS[number]}`);
  const best = said === "tie" ? `Kept: ${called[0]} and ${called[1]} are equally good.` : `Kept: ${called[SIDES.indexOf(said)]} is better.`;
  find("voted").textContent = shown(said === SEEN ? TOLD : best);
}

async function vote(preferred, sides, { here, may, voted, tell }) {
  if (!may()) return;
  const [first, second] = sides;
  const buttons = [...find("better").querySelectorAll("button"), find("unvoted")];
  for (const button of buttons) button.disabled = true;
  try {
    await post("/v1/moot/preferences", { first: first.episode, second: second.episode, preferred });
  } catch (error) {
    if (!here()) return;
    find("voted").textContent = shown(error.message);
    for (const button of buttons) button.disabled = false;
    return;
  }
  voted(preferred);
  if (!here()) return;
  find("unvoted").hidden = true;
  const names = await tell();
  if (!here()) return;
  sayKept(preferred, names);
  // The button that was pressed takes no focus any more; whoever went elsewhere in between stays there.
  if ([document.body, ...buttons].includes(document.activeElement)) find("voted").focus({ preventScroll: true });
}
