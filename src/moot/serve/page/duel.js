// Two teams side by side: both are asked the same, the sides are drawn by lot, and who is who is told when somebody has said
// which answer is better. That word is kept as evidence, so until then the page holds nothing but the two answers: neither who is at
// work nor with what, neither a word sooner than the other nor what it took, for each of these tells a team from a player alone.
import { rich, shown } from "./rich.js";
import { Trouble, asked, get, post } from "./server.js";
import { done } from "./stages.js";

const find = (id) => document.getElementById(id);
const SIDES = ["first", "second"];
const LETTERS = ["A", "B"];
const SECRET = "whose it is, is told when you have chosen";

/** Ask both, in an order drawn by lot. Of each side: its episode, its answer, or what is told in place of one; `name`, for later. */
export async function duel(bodies, signal) {
  const order = Math.random() < 0.5 ? bodies : [...bodies].reverse();
  emptied();
  find("duel").hidden = false;
  for (const each of SIDES) part(each, ".work").textContent = "is being asked";
  const sides = await Promise.all(order.map(async ({ name, body }) => ({ name, ...(await answered(body, signal)) })));
  for (const each of SIDES) part(each, ".work").textContent = "";
  return sides;
}

/** A duel that was played before, as far as it can be shown without telling who is who. `kept`: an entry of `keptOf`. */
export function again(kept) {
  return Promise.all(
    kept.map(async ({ episode, told }) => {
      if (episode === null) return { episode, answer: null, told };
      try {
        const { answer, cause, outcome } = await get(`/v1/moot/episodes/${episode}/answer`);
        return { episode, answer, told: cause ?? outcome };
      } catch (error) {
        return { episode: null, answer: null, told: worded(error) };
      }
    }),
  );
}

/** What an entry of the browser's history keeps of both sides: nothing that tells who they are. */
export function keptOf(sides) {
  return sides.map(({ episode, told }) => ({ episode, told: episode === null ? told : null }));
}

/**
 * Both answers at once, and the question which is better. `preferred`: what was said before; null: nothing.
 * `words`: an answer in words; `bill`: what an episode took; `open`: shows one; `voted`: hears what is said; `told`: who is who is known.
 */
export async function stand(sides, preferred, { words, bill, open, voted, told }) {
  emptied();
  find("duel").hidden = false;
  sides.forEach(({ answer, told: why }, number) => rich(part(SIDES[number], ".whole"), answer === null ? shown(why ?? "") : words(answer)));
  const tell = async () => {
    const names = await Promise.all(sides.map((side, number) => tellSide(SIDES[number], side, bill, open)));
    told();
    return names;
  };
  const comparable = sides.every(({ answer }) => answer !== null);
  if (!comparable) {
    await tell();
    return;
  }
  find("better").hidden = false;
  for (const button of find("better").querySelectorAll("button")) {
    button.disabled = preferred !== null;
    button.onclick = () => vote(button.dataset.better, sides, voted, tell);
  }
  if (preferred !== null) {
    sayKept(preferred, await tell());
    return;
  }
  // The question, and no answer to it: one more Enter would give that. Both texts are seen from their beginnings.
  find("better").focus({ preventScroll: true });
  find("given").scrollIntoView({ block: "start", behavior: "auto" });
}

function part(each, selector) {
  return find(`side-${each}`).querySelector(selector);
}

/** Both sides alike, with nothing on them. */
export function emptied() {
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
async function answered(body, signal) {
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

function worded(error) {
  return error instanceof Trouble ? `${error.message} ${error.todo}` : error.message;
}

/** Who it was, what it took and how it came about. Gives the name. */
async function tellSide(each, { episode, name }, bill, open) {
  let model = name ?? null;
  try {
    if (episode !== null) {
      const whole = await get(`/v1/moot/episodes/${episode}`);
      model ??= whole.model;
      part(each, ".cost").textContent = shown(bill(whole));
      part(each, ".stages").replaceChildren(...whole.calls.map(step));
      part(each, ".open").onclick = () => open(episode);
      part(each, ".steps").hidden = false;
    }
  } catch (error) {
    part(each, ".cost").textContent = shown(worded(error));
  }
  part(each, ".team").textContent = shown(model ?? "");
  return model;
}

function step(call) {
  const item = document.createElement("li");
  item.textContent = shown(`${call.player} ${call.error || call.problem ? "could not answer" : done(call)}`);
  return item;
}

function sayKept(preferred, names) {
  find("better").classList.add("said"); // it is in nobody's way any more
  const called = names.map((name, number) => name ?? `answer ${LETTERS[number]}`);
  find("voted").textContent = shown(preferred === "tie" ? `Kept: ${called[0]} and ${called[1]} are equally good.` : `Kept: ${called[SIDES.indexOf(preferred)]} is better.`);
}

async function vote(preferred, sides, voted, tell) {
  const [first, second] = sides;
  for (const button of find("better").querySelectorAll("button")) button.disabled = true;
  try {
    await post("/v1/moot/preferences", { first: first.episode, second: second.episode, preferred });
  } catch (error) {
    find("voted").textContent = shown(error.message);
    for (const button of find("better").querySelectorAll("button")) button.disabled = false;
    return;
  }
  voted(preferred);
  sayKept(preferred, await tell());
}
