// What a model's reply says, as far as it is in the form that was asked for. Nothing here is needed for a grade.

export function readReply(text) {
  const found = parsed(text);
  if (!found) return { answer: null, reasoning: "", rest: [], plain: text };
  const { answer, reasoning, ...rest } = found;
  const worded = typeof answer === "string" || typeof answer === "number";
  return {
    answer: worded ? String(answer) : null,
    reasoning: typeof reasoning === "string" ? reasoning : "",
    rest: Object.entries(worded || answer === undefined ? rest : { answer, ...rest }),
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
export function changesOfMind(steps) {
  const before = new Map();
  return steps.map((step) => {
    if (!step.call || step.problem && step.problem !== "repaired") return null;
    const { answer } = readReply(step.call.reply);
    if (answer === null) return null;
    const earlier = before.get(step.player);
    before.set(step.player, answer);
    return earlier !== undefined && !sameAnswer(earlier, answer) ? earlier : null;
  });
}
