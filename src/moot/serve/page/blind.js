// The duels that nobody has voted on, as every tab of this browser knows them: as long as one of them waits for its vote no list,
// search or address tells whose its answers are, and a vote is taken only of one of which that is so. What became of a duel is
// kept here too: the vote may come back when another question is shown. Nothing is kept but ids and that word.

const KEPT = "moot-duels";
const MOST = 100; // the oldest go first, and are not voted on any more
const QUESTION = 32; // characters at the end of an episode's id: which question it answers

/** What was said of a duel whose answers were named without a vote. */
export const SEEN = "seen";

function kept() {
  try {
    const duels = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
    return Array.isArray(duels) ? duels.filter(({ episodes }) => Array.isArray(episodes)) : [];
  } catch {
    return [];
  }
}

function keep(duels) {
  try {
    localStorage.setItem(KEPT, JSON.stringify(duels.slice(-MOST)));
  } catch {
    // No room, or the browser keeps nothing for the page: what does not stand there is not voted on.
  }
}

const others = (episodes) => kept().filter((each) => !each.episodes.some((one) => episodes.includes(one)));

/** From now on nothing tells whose these are: of a duel that is played, those that have answered. Gives `saidOf`. */
export function blind(episodes) {
  // An episode is of one duel alone: whatever else is kept of these is this duel before its end, or of another store.
  const opened = kept().some((each) => each.said === SEEN && each.episodes.length < episodes.length && each.episodes.every((one) => episodes.includes(one)));
  keep([...others(episodes), { episodes, said: opened ? SEEN : null }]);
  return saidOf(episodes); // as it stands there, if anything does
}

/** Somebody has said which is better, or has been told whose they are. */
export function settled(episodes, said) {
  keep([...others(episodes), { episodes, said }]);
}

/** It did not come to its end. */
export function broken(episodes) {
  keep(others(episodes));
}

/** Which was said to be better, `SEEN`, or null: nothing was, and nothing has told whose they are. */
export function saidOf(episodes) {
  const found = kept().find((each) => each.episodes.join() === episodes.join());
  return found === undefined ? SEEN : found.said;
}

/** The duels that wait for their votes: the ids of the answers of each, in the places in which they stand. */
export function waiting() {
  return kept().filter(({ said }) => said === null).map(({ episodes }) => episodes);
}

/** Whether two episodes answer one question: an answer of before, with its team's name, would tell whose the same answer is now. */
export function alike(one, other) {
  return one.slice(-QUESTION) === other.slice(-QUESTION);
}

/** Another tab has said something of these. */
export function whenSaidElsewhere(heard) {
  addEventListener("storage", ({ key }) => {
    if (key === KEPT || key === null) heard();
  });
}
