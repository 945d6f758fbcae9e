// Which questions are shown, and in which order. Pure: no document here.

export const FLAGS = [
  ["wrong", "All wrong", "nobody was right"],
  ["rescued", "Rescued", "a team was right where its captain alone was wrong"],
  ["regressed", "Regressed", "a team was wrong where its captain alone was right"],
  ["disagreed", "Disagreed", "the players gave different answers"],
  ["undecided", "Undecided", "the protocol did not decide"],
  ["silent", "No answer", "unanswered, refused or failed"],
  ["disputed", "Disputed", "judges differ"],
  ["ungraded", "Ungraded", "no grader could settle it"],
  ["differ", "Runs differ", "the two runs were not right alike"],
];

export const ORDERS = [
  ["file", "as in the file"],
  ["hardest", "fewest right first"],
  ["easiest", "most right first"],
  ["different", "most different answers"],
  ["people", "hardest for people"],
  ["id", "by name"],
];

// One entry for each question of any run: its place in each of them, -1 where it is not there.
export function joined(runs) {
  const entries = runs[0].columns.keys.map(
    (key, position) => [position, ...runs.slice(1).map((run) => run.positions.get(key) ?? -1)],
  );
  runs.slice(1).forEach((run, number) => {
    run.columns.keys.forEach((key, position) => {
      if (!runs[0].positions.has(key)) entries.push(runs.map((_, place) => (place === number + 1 ? position : -1)));
    });
  });
  return entries;
}

// What the list must know of every entry under the chosen strategy ("" is all of them).
export function summaries(runs, entries, title) {
  const chosen = runs.map(
    (run) => run.cells.map(
      (cell, place) => (title === "" || cell.title === title ? place : -1),
    ).filter((place) => place >= 0),
  );
  return entries.map((places) => {
    const flags = new Set();
    const shares = places.map(
      (position, number) => (position < 0 ? null : marked(runs[number], position, chosen[number], flags)),
    );
    const known = shares.filter((each) => each !== null);
    if (known.some((each) => each > 0)) flags.delete("wrong");
    if (known.length === 2 && known[0] !== known[1]) flags.add("differ");
    const share = known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
    return { places, flags, share, shares };
  });
}

function marked(run, position, cells, flags) {
  const { grades, outcomes, changes, diverse } = run.columns;
  let right = 0;
  let played = 0;
  let open = 0;
  for (const cell of cells) {
    for (let repeat = 0; repeat < run.repeats; repeat += 1) {
      const slot = run.slot(position, repeat);
      const mark = grades[cell][slot];
      if (mark === ".") continue;
      played += 1;
      right += mark === "1" ? 1 : mark === "h" ? 0.5 : 0;
      if (mark === "?" || mark === "!") {
        open += 1;
        flags.add("ungraded");
        if (mark === "!") flags.add("disputed");
      }
      const outcome = outcomes[cell][slot];
      if (outcome === "d") flags.add("undecided");
      else if (outcome !== "a") flags.add("silent");
      if (changes[cell][slot] === "+") flags.add("rescued");
      if (changes[cell][slot] === "-") flags.add("regressed");
    }
  }
  if (diverse[position] > 1) flags.add("disagreed");
  if (played && !right && !open) flags.add("wrong");
  return played ? right / played : null;
}

export class Haystack {
  constructor(runs) {
    this.runs = runs;
    this.texts = null;
  }

  // Built at the first search: most readers never search.
  get(entry) {
    this.texts ??= this.runs.map(({ columns }) =>
      columns.ids.map((id, place) =>
        [
          id,
          columns.texts[place],
          columns.references[place] ?? "",
          columns.categories[columns.category[place]] ?? "",
          ...columns.said[place],
        ].join("\n").toLowerCase(),
      ),
    );
    return entry.places.map((position, number) => (position < 0 ? "" : this.texts[number][position]));
  }
}

// Entries that fit, and how many of them each flag would leave.
export function chosen(runs, all, haystack, state) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const fitting = all.filter(
    (entry) => inCategory(runs, entry, state.category) && (!words.length || found(haystack.get(entry), words)),
  );
  const counts = Object.fromEntries(FLAGS.map(([flag]) => [flag, 0]));
  const left = fitting.filter((entry) => [...state.flags].every((flag) => entry.flags.has(flag)));
  for (const entry of left) for (const flag of entry.flags) counts[flag] += 1;
  return { entries: sorted(runs, left, state.order), counts };
}

function found(texts, words) {
  return texts.some((text) => words.every((word) => text.includes(word)));
}

function inCategory(runs, entry, category) {
  if (category === "") return true;
  return entry.places.some(
    (position, number) => position >= 0
      && runs[number].columns.categories[runs[number].columns.category[position]] === category,
  );
}

function sorted(runs, entries, order) {
  const of = (entry, column) => {
    const number = entry.places.findIndex((position) => position >= 0);
    return runs[number].columns[column][entry.places[number]];
  };
  const last = (value, sign = 1) => (value === null || value === undefined ? Infinity : sign * value);
  const keys = {
    hardest: (entry) => last(entry.share),
    easiest: (entry) => last(entry.share, -1),
    different: (entry) => -of(entry, "diverse"),
    people: (entry) => last(of(entry, "human")),
  };
  if (order === "id") {
    const { compare } = new Intl.Collator("en", { numeric: true });
    return [...entries].sort((a, b) => compare(of(a, "ids"), of(b, "ids")));
  }
  const key = keys[order];
  if (!key) return entries;
  return entries.map((entry) => [key(entry), entry]).sort(
    (a, b) => (a[0] === b[0] ? 0 : a[0] - b[0]),
  ).map(([, entry]) => entry);
}
