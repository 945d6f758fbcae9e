// The letters of those who agree: by their seats and what they said, and not by who happened to speak first, so that an episode
// that is looked at again has the letters that it had.

/** By letter, from 0 on: the groups. `seats`: everybody, in order; `drafts`: the groups of what was said first; `steady`: whether
 * somebody still says that. A group keeps the letter of those who stayed in it, whoever joins or leaves; one that nobody was in
 * before has a letter that nobody has had. */
export function lettered(groups, seats, drafts, steady, over) {
  const first = (group) => Math.min(...group.map((player) => seats.indexOf(player)));
  const spoke = new Set(drafts.flat());
  const silent = over ? [] : seats.filter((player) => !spoke.has(player)).map((player) => [player]); // who may say something new
  const places = [...drafts, ...silent].sort((one, other) => first(one) - first(other));
  const letter = (player) => places.findIndex((group) => group.includes(player));
  const taken = new Map();
  const fresh = [];
  for (const group of [...groups].sort((one, other) => first(one) - first(other))) {
    const kept = group.filter(steady).map(letter).filter((number) => number >= 0 && !taken.has(number)).sort((one, other) => one - other)[0];
    if (kept === undefined) fresh.push(group);
    else taken.set(kept, group);
  }
  fresh.forEach((group, number) => taken.set(places.length + number, group));
  return taken;
}
