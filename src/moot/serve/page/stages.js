// What is done at the table, in words, by the facts that the server tells of each call: what is asked for, and of whom.

const WORDS = {
  answering: ["answering", "has answered", "could not answer"],
  drafting: ["drafting", "has drafted", "could not answer"],
  explaining: ["giving reasons", "has given its reasons", "gave no reasons"],
  reading: ["reading what the others wrote", "has given the team's word", "gave no word for the team"],
  reviewing: ["reviewing what the others wrote", "has reviewed", "gave no review"],
  ranking: ["ranking the others' drafts", "has ranked the others", "gave no ranking"],
  arguing: ["arguing", "has argued", "gave no argument"],
  voting: ["voting", "has voted", "gave no vote"],
  judging: ["judging", "has judged", "gave no judgement"],
  grouping: ["finding out who means the same", "has found out who means the same", "did not find out who means the same"],
  extracting: ["reading the answer out of a reply", "has read the answer out of a reply", "read no answer out of a reply"],
  preparing: ["finding experts for the question", "has found experts for the question", "found no experts for the question"],
  tempting: ["arguing for another answer", "has argued for another answer", "argued for no other answer"],
  dressing: ["writing the answer in the form that was asked for", "has written the answer in the form that was asked for", "did not write the answer in the form that was asked for"],
};

const SETTLES = ["answering", "drafting", "reading", "reviewing", "arguing"]; // what brings an answer of one's own

/** What somebody is about, as in "is drafting". */
export function doing(call) {
  const words = call.writes && call.doing === "reading" ? "writing the answer" : (WORDS[call.doing] ?? WORDS.answering)[0];
  return call.attempt ? `${words} once more` : words;
}

/** Whether there is nothing to use: no reply, one that refuses, or none that could be read. One that had to be freed of words around
 * it was read. */
export function spoilt({ error, problem, refused }) {
  return Boolean(error || refused || (problem && problem !== "repaired"));
}

/** What somebody has done, or has not. */
export function done(call) {
  if (call.refused) return "declined";
  return (WORDS[call.doing] ?? WORDS.answering)[spoilt(call) ? 2 : 1];
}

/** What somebody has not done of whom it is known in the end that it has no answer: free words may be whole, and nothing read out of
 * them. What else it was asked for, as a ranking of others, is done all the same. */
export function doneInVain(call) {
  return SETTLES.includes(call.doing) && !spoilt(call) ? WORDS[call.doing][2] : done(call);
}

function named({ player, office }) {
  if (office === "player") return player;
  return office === "captain" ? `${player}, the captain,` : `the ${player}`;
}

/** Names as a list. One that ends with a comma of its own, as a captain's does, needs no other. */
function together(names) {
  if (names.length < 2) return names.join("");
  const first = names.slice(0, -2).map((name) => `${name.replace(/,$/, "")}, `);
  return `${first.join("")}${names.at(-2)} and ${names.at(-1)}`;
}

/** All that are at work, as one sentence: who is about the same is named together. */
export function atWork(calls) {
  const groups = new Map();
  for (const call of calls) {
    const words = doing(call);
    // The captain drafts like all others; what it does alone it does as captain.
    const who = call.doing === "drafting" ? call.player : named(call);
    if (!groups.has(words)) groups.set(words, new Set());
    groups.get(words).add(who);
  }
  return [...groups].map(([words, who]) => `${together([...who])} ${who.size > 1 ? "are" : "is"} ${words}`).join("; ");
}
