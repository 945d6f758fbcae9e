// A conversation, as the question that a team is asked holds it: what was said before, every line of it behind a ">", and then
// what is asked now. Whatever language the words around it are in.

/** What was said before a question, and what it asks now. */
export function spoken(text) {
  const lines = text.split("\n");
  const turns = [];
  for (let here = 0; here < lines.length; here += 1) {
    const role = /^\[([^\]]+)\]$/.exec(lines[here])?.[1];
    if (role === undefined) continue;
    if (lines[here + 1]?.startsWith(">")) {
      const said = [];
      for (; lines[here + 1]?.startsWith(">"); here += 1) said.push(lines[here + 1].replace(/^> ?/, ""));
      turns.push({ role, content: said.join("\n") });
    } else if (turns.length && lines[here + 1] === "" && lines[here + 3] === "") {
      return { turns, question: lines.slice(here + 4).join("\n").trim() };
    } else break;
  }
  return { turns: [], question: text, begun: turns[0]?.content };
}

/** How a question is named in a list: where something was said before, by what it asks further. */
export function named({ question, further }) {
  if (further !== null) return `↳ ${further}`;
  const { begun } = spoken(question);
  return begun === undefined ? question : `↳ after: ${begun}`;
}

/** With which words the conversation began that this goes on with; null: with these, or it is named by them. */
export function beganWith({ question, further }) {
  if (further === null) return null;
  const { turns, begun } = spoken(question);
  const first = turns.find(({ role }) => role === "user")?.content ?? begun;
  return first === undefined ? null : first.split("\n", 1)[0];
}
