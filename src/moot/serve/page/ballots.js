// Ballots and what they came to. Voters were shown options without names; here they have them, by the number of the option: its
// words need be nobody's alone.

const LOOKED_IN = 2; // the turn of a look in which none is written down

/** The rows of a table. `words`: an option as it is shown; `long`: whether it is a text, of which the beginning says little. */
export function tallied(verdict, { words, long }) {
  const traces = (kind) => (verdict.traces ?? []).filter((record) => record.kind === kind);
  const cast = traces("ballot");
  const counts = traces("counted");
  const turn = (record) => record.turn ?? 1;
  const several = new Set(cast.map(turn)).size > 1;
  const owners = whose(cast, traces("shown"));
  const groups = (record) => traces("grouped").find((each) => turn(each) === turn(record))?.groups ?? [];
  const named = (record, options) => (number) => {
    const option = options[number];
    if (option === undefined) return `option ${Number(number) + 1}`;
    const who = owners.get(`${turn(record)} ${number}`) ?? (long(option) ? groups(record)[number] : undefined);
    return who?.length ? `${who.join(" and ")}’s “${words(option)}”` : words(option);
  };
  const row = (record, who, told) => [who, ...(several ? [String(turn(record))] : []), told];
  const votes = cast.map((each) => {
    const counted = counts.find((count) => turn(count) === turn(each)) ?? counts.at(-1);
    return row(each, each.voter, vote(each, named(each, counted?.options ?? [])));
  });
  const sums = counts.map((count) => {
    const name = named(count, count.options);
    return row(count, "together", count.options.map((_, number) => `${name(number)}: ${Number(count.points[number].toFixed(3))}`).join(" · "));
  });
  return { head: ["voter", ...(several ? ["turn"] : []), "vote"], votes, sums };
}

/** By turn and number of the option: who stands behind it. A voter's look at the options is written down with names, in the order
 * in which its ballot has them by number. */
function whose(cast, looks) {
  const owners = new Map();
  for (const { voter, order, role = "voter", turn = 1 } of cast) {
    const look = looks.find((each) => each.to === voter && each.role === role && (each.turn ?? LOOKED_IN) === turn);
    if (!look || look.order.length !== order?.length) continue;
    order.forEach((number, place) => owners.set(`${turn} ${number}`, look.order[place]));
  }
  return owners;
}

/** One ballot: the options that it names, with their places or points where it gives such. */
function vote(ballot, name) {
  if (!ballot.choice) return ballot.cause ? `spoilt: ${ballot.cause}` : "spoilt";
  const named = Object.entries(ballot.choice).map(([number, value]) => ({ option: name(number), value }));
  if (ballot.form === "ranking") return named.sort((one, other) => one.value - other.value).map(({ option, value }) => `${value}. ${option}`).join(" · ");
  if (named.every(({ value }) => value === 1)) return named.map(({ option }) => option).join(", ");
  return named.map(({ option, value }) => `${option}: ${value}`).join(" · ");
}
