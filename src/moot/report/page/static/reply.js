// What a model's reply says, as far as it is in the form that was asked for. Nothing here is needed for a grade.

const CUT_OUT = "⟨…✂…⟩"; // in the place of a secret that a reply said (moot.models.cut_out)
export const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";

// Strategies ask for an answer with its reasons, or in a discussion for a solution with a message.
// A long answer is words, whatever stands in it: there only a ranking of others' texts is a form, and it is all of the reply.
export function readReply(text, long = false) {
  const found = parsed(text);
  if (!found || (long && !(Array.isArray(found.ranking) && /^\s*\{[^]*\}\s*$/.test(text)))) return { answer: null, reasoning: "", rest: [], plain: text };
  const answer = ["answer", "solution"].find((key) => typeof found[key] === "string" || typeof found[key] === "number");
  const reasoning = ["reasoning", "message"].find((key) => typeof found[key] === "string");
  return {
    answer: answer ? String(found[answer]) : null,
    reasoning: reasoning ? found[reasoning] : "",
    rest: Object.entries(found).filter(([key]) => key !== answer && key !== reasoning),
    plain: null,
  };
}

function parsed(text) {
  const first = text.indexOf("{");
  const last = text.lastIndexOf("}");
  if (first < 0 || last < first) return null;
  try {
    const found = JSON.parse(text.slice(first, last + 1));
    return typeof found === "object" && !Array.isArray(found) ? found : null;
  } catch {
    return null;
  }
}

export function sameAnswer(one, other) {
  return fold(one) === fold(other);
}

function fold(text) {
  return text.normalize("NFKC").toLowerCase().replace(/[\s.,;:!?"'«»“”]+/g, " ").trim();
}

// For each step, what its player had said before if it now says something else.
export function changesOfMind(steps, long = false) {
  const before = new Map();
  return steps.map((step) => {
    if (!step.call || (step.problem && step.problem !== "repaired")) return null;
    const { answer } = readReply(step.call.reply, long);
    if (answer === null) return null;
    const earlier = before.get(step.player);
    before.set(step.player, answer);
    if (earlier === undefined || [earlier, answer].some((text) => text.includes(CUT_OUT))) return null; // it may be the same
    return sameAnswer(earlier, answer) ? null : earlier;
  });
}

// A letter alone tells nothing: the choice it stands for does.
export function withChoice(answer, choices) {
  const place = answer.trim().length === 1 && choices ? LETTERS.indexOf(answer.trim().toUpperCase()) : -1;
  return place >= 0 && place < choices.length ? `${answer.trim().toUpperCase()}. ${choices[place]}` : answer;
}
