// Two teams side by side: both are asked the same, the sides are drawn by lot, and who is who is told when somebody has said
// which answer is better. That word is kept as evidence.
import { bare, plainly, rich, shown } from "./rich.js";
import { Trouble, asked, post } from "./server.js";
import { atWork } from "./stages.js";
import { soon } from "./written.js";

const find = (id) => document.getElementById(id);
const SIDES = ["first", "second"];

/** Ask both. `bodies`: what each is sent; `bill`, `worded`: a verdict's cost and its answer in words; `told`: who is who is known. */
export async function duel(bodies, signal, bill, worded, told) {
  const order = Math.random() < 0.5 ? bodies : [...bodies].reverse();
  find("duel").hidden = false;
  find("better").hidden = true;
  find("voted").textContent = "";
  const verdicts = await Promise.all(order.map((body, number) => side(SIDES[number], body, signal, worded)));
  const names = order.map(({ name }) => name);
  const tellAll = () => {
    SIDES.forEach((each, number) => tell(each, names[number], verdicts[number] ? bill(verdicts[number]) : ""));
    told();
  };
  if (verdicts.some((verdict) => !verdict || verdict.answer === null)) {
    tellAll();
    return verdicts;
  }
  find("better").hidden = false;
  for (const button of find("better").querySelectorAll("button")) {
    button.disabled = false;
    button.onclick = () => vote(button.dataset.better, verdicts, names, tellAll);
  }
  // The question, and no answer to it: one more Enter would give that. Both texts are seen from their beginnings.
  find("better").focus({ preventScroll: true });
  find("given").scrollIntoView({ block: "start", behavior: "auto" });
  return verdicts;
}

// What it cost and how long it took would tell a team from a player alone: it is said with the name.
function tell(each, name, cost) {
  find(`side-${each}`).querySelector(".team").textContent = shown(name);
  find(`side-${each}`).querySelector(".cost").textContent = shown(cost);
}

async function side(each, body, signal, worded) {
  const place = find(`side-${each}`);
  const [work, words, cost, team] = [".work", ".whole", ".cost", ".team"].map((name) => place.querySelector(name));
  const busy = new Map();
  let early = "";
  let verdict = null;
  work.textContent = "";
  cost.textContent = "";
  team.textContent = "whose it is, is told when you have chosen";
  rich(words, "");
  try {
    for await (const event of asked(body.body, signal)) {
      const happened = event.moot?.event;
      if (event.choices?.[0]?.delta?.content && !verdict) {
        early += event.choices[0].delta.content;
        soon(place, () => (verdict ? undefined : plainly(words, early)));
      }
      const key = happened && `${happened.player} ${happened.stage} ${happened.turn}`;
      if (happened?.kind === "begins") busy.set(key, happened);
      if (happened?.kind === "call") busy.delete(key);
      if (happened?.kind === "verdict") verdict = happened;
      work.textContent = verdict ? "" : shown(anonymous(busy));
    }
  } catch (error) {
    work.textContent = "";
    words.textContent = shown(signal.aborted || !(error instanceof Trouble) ? error.message : `${error.message} ${error.todo}`);
    return null;
  }
  rich(words, verdict.answer === null ? (verdict.cause ?? verdict.outcome) : worded(verdict.answer));
  return verdict;
}

/** Who is at work without names, which would tell whose side it is. */
function anonymous(busy) {
  const calls = [...busy.values()].map((call, number) => ({ ...call, office: "player", player: `player ${number + 1}` }));
  return bare(atWork(calls));
}

async function vote(preferred, [first, second], names, tellAll) {
  for (const button of find("better").querySelectorAll("button")) button.disabled = true;
  try {
    await post("/v1/moot/preferences", { first: first.episode, second: second.episode, preferred });
    tellAll();
    find("voted").textContent = shown(preferred === "tie" ? `Kept: ${names[0]} and ${names[1]} are equally good.` : `Kept: ${names[SIDES.indexOf(preferred)]} is better.`);
  } catch (error) {
    find("voted").textContent = shown(error.message);
    for (const button of find("better").querySelectorAll("button")) button.disabled = false;
  }
}
