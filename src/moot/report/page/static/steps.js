// One call after another: what a player was shown, what it said, and what came of it.
import { el, line, said } from "./dom.js";
import { count, grouped, shown, usd } from "./format.js";
import { recordView } from "./records.js";
import { readReply, withChoice } from "./reply.js";

export function stepView(step, place, episode, cell, before, { choices, long }) {
  const attempt = episode.steps.slice(0, place).filter(
    (each) => each.player === step.player && each.stage === step.stage && each.turn === step.turn,
  ).length;
  const head = [
    el("b", {}, step.player),
    ` ${step.stage}`,
    `, turn ${step.turn}`,
    attempt ? `, attempt ${attempt + 1}` : "",
  ];
  const body = [];
  if (step.call) {
    const reply = readReply(step.call.reply, long);
    if (reply.answer !== null) body.push(el("p", { class: "step-answer" }, said(withChoice(reply.answer, choices))));
    if (reply.reasoning) body.push(el("p", { class: "step-reasons" }, said(reply.reasoning)));
    if (reply.plain !== null) body.push(
      el("p", { class: "step-reasons" }, reply.plain ? said(reply.plain) : el("i", {}, "an empty reply")),
    );
    if (reply.rest.length) body.push(
      el(
        "dl",
        { class: "facts" },
        reply.rest.flatMap(([key, value]) => [el("dt", {}, said(key)), el("dd", {}, said(shown(value)))]),
      ),
    );
    body.push(...disclosures(step));
  }
  return el(
    "li",
    { class: `step${step.player === cell.captain && step.turn > 1 ? " captain" : ""}` },
    el(
      "p",
      { class: "step-head" },
      head,
      step.player === cell.captain ? el("span", { class: "tag" }, "captain") : null,
      before !== null ? el("span", { class: "tag changed" }, "changed its mind, was: ", line(before, 60)) : null,
    ),
    step.error ? el("p", { class: "problem" }, said(step.error)) : null,
    step.problem ? el(
      "p",
      { class: "problem" },
      step.problem === "repaired" ? "The reply was repaired before it could be read." : [
        "Could not be used: ",
        said(step.problem),
      ],
    ) : null,
    body,
  );
}

// Built when opened: a question may have hundreds of prompts.
function disclosures({ player, call }) {
  const size = call.messages.reduce((sum, each) => sum + each.content.length, 0);
  const used = [call.finish, ...(call.seconds === null ? [] : [`${grouped(call.seconds, 2)} s`])];
  if (call.completionTokens !== null) used.push(count(call.completionTokens, "token"));
  used.push(call.cost === null ? "cost unknown" : usd(call.cost));
  if (call.version) used.push(call.version);
  const long = `${count(call.messages.length, "message")}, ${count(size, "character")}`;
  const seen = later(`What ${player} saw (${long})`, () =>
    call.messages.map(
      (message) => el("div", { class: "paper" }, el("span", { class: "role" }, message.role), said(message.content)),
    ),
  );
  const reply = later(`The reply as it came (${used.join(", ")})`, () => [
    el("div", { class: "paper" }, said(call.reply)),
    call.thoughts && el("div", { class: "paper" }, el("span", { class: "role" }, "thoughts"), said(call.thoughts)),
  ]);
  return [seen, reply];
}

function later(summary, build) {
  const details = el("details", {}, el("summary", {}, summary));
  details.addEventListener("toggle", () => details.childElementCount > 1 || details.append(...build().filter(Boolean)));
  return details;
}

// What the protocol wrote down, votes aside, which stand above; built when opened.
export function recordsView(traces, strategy, choices) {
  const records = (traces ?? []).filter((record) => !["ballot", "counted"].includes(record.kind));
  if (!records.length && !strategy) return null;
  const summary = records.length ? `Notes of the protocol (${count(records.length, "record")})` : "Notes of the protocol";
  return later(summary, () => [
    strategy ? el("dl", { class: "facts" }, el("dt", {}, "strategy"), el("dd", {}, said(strategy))) : null,
    el("ol", { class: "records" }, records.map((record) => recordView(record, choices))),
  ]);
}
