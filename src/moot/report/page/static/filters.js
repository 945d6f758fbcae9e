// Which questions are shown, and in which order. Pure: no document here.

export const FLAGS = [
  ["wrong", "All wrong", "nobody was right"],
  ["rescued", "Rescued", "a team was right where its captain alone was wrong, or more nearly right"],
  ["regressed", "Regressed", "a team was wrong where its captain alone was right, or less nearly right"],
  ["disagreed", "Disagreed", "the players gave different answers"],
  ["undecided", "Undecided", "the protocol did not decide"],
  ["abstained", "Abstained", "an answer was there and not sure enough to be given"],
  ["silent", "No answer", "unanswered, refused or failed"],
  ["disputed", "Disputed", "judges differ"],
  ["ungraded", "Ungraded", "no grader could settle it"],
  ["differ", "Runs differ", "the two runs were not right alike"],
];

// What a question is, as one number with a bit for each flag: twelve thousand of them are gone through at every key.
const BIT = Object.fromEntries(FLAGS.map(([flag], place) => [flag, 1 << place]));

export const has = (entry, flag) => (entry.flags & BIT[flag]) !== 0;

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

// What the list must know of every entry under the chosen strategy ("" is all of them). `number` stays an entry's own.
export function summaries(runs, entries, chosenCell) {
  const cells = runs.map((run) => {
    if (chosenCell === "") return run.cells.map((_, place) => place);
    return run.places.has(chosenCell) ? [run.places.get(chosenCell)] : [];
  });
  return entries.map((places, number) => {
    const found = places.map((position, place) => (position < 0 ? NOWHERE : marked(runs[place], position, cells[place])));
    const played = found.filter((each) => each.played);
    let flags = found.reduce((all, each) => all | each.flags, 0);
    if (played.length && played.every((each) => !each.right && !each.open)) flags |= BIT.wrong;
    if (played.length === 2 && differ(...played)) flags |= BIT.differ;
    const shares = found.map(({ right, played: all, open }) => (all > open ? right / (all - open) : null));
    const known = shares.filter((each) => each !== null);
    const share = known.length ? known.reduce((sum, each) => sum + each, 0) / known.length : null;
    return { number, places, flags, share, shares, open: found.map((each) => each.open) };
  });
}

const NOWHERE = { flags: 0, right: 0, played: 0, open: 0 };

// Whether one run was right more often than the other, whatever the ungraded answers turn out to be.
function differ(one, other) {
  const least = ({ right, played }) => right / played;
  const most = ({ right, played, open }) => (right + open) / played;
  return least(one) > most(other) + 1e-9 || least(other) > most(one) + 1e-9;
}

// What is graded, and how many plays nobody has graded: these are neither right nor wrong.
function marked(run, position, cells) {
  const { grades, outcomes, changes, diverse } = run.columns;
  let [flags, right, played, open] = [0, 0, 0, 0];
  for (const cell of cells) {
    for (let repeat = 0; repeat < run.repeats; repeat += 1) {
      const slot = run.slot(position, repeat);
      const mark = grades[cell][slot];
      if (mark === ".") continue;
      played += 1;
      right += run.worth(cell, slot) ?? 0;
      if (mark === "?" || mark === "!") {
        open += 1;
        flags |= mark === "!" ? BIT.ungraded | BIT.disputed : BIT.ungraded;
      }
      const outcome = outcomes[cell][slot];
      if (outcome === "d") flags |= BIT.undecided;
      else if (outcome === "b") flags |= BIT.abstained;
      else if (outcome !== "a") flags |= BIT.silent;
      const change = changes[cell][slot];
      if (change === "+") flags |= BIT.rescued;
      else if (change === "-") flags |= BIT.regressed;
    }
  }
  if (diverse[position] > 1) flags |= BIT.disagreed;
  return { flags, right, played, open };
}

// All flags that any of the entries has.
export function flagsOf(entries) {
  const any = entries.reduce((flags, entry) => flags | entry.flags, 0);
  return new Set(FLAGS.map(([flag]) => flag).filter((flag) => any & BIT[flag]));
}

// The words of every question in small letters. Made as they are asked for, or ahead of time while nothing else is done.
export class Haystack {
  constructor(runs) {
    this.runs = runs;
    this.texts = runs.map((run) => new Array(run.size));
  }

  found(entry, words) {
    return entry.places.some((position, number) => {
      if (position < 0) return false;
      const text = this.text(number, position);
      return words.every((word) => text.includes(word));
    });
  }

  text(number, position) {
    return (this.texts[number][position] ??= this.made(this.runs[number].columns, position));
  }

  made(columns, position) {
    return [
      columns.ids[position],
      columns.texts[position],
      columns.references[position] ?? "",
      columns.categories[columns.category[position]] ?? "",
      ...columns.said[position],
    ].join("\n").toLowerCase();
  }

  // Some thousandths of a second at a time, so that nobody waits for it.
  *ahead(step = 200) {
    for (const [number, run] of this.runs.entries()) {
      for (let start = 0; start < run.size; start += step) {
        for (let place = start; place < Math.min(run.size, start + step); place += 1) this.text(number, place);
        yield;
      }
    }
  }
}

// Entries that fit, and how many of them each flag would leave.
export function chosen(runs, all, haystack, state) {
  const words = state.query.toLowerCase().split(/\s+/).filter(Boolean);
  const wanted = [...state.flags].reduce((flags, flag) => flags | BIT[flag], 0);
  const numbers = runs.map((run) => run.columns.categories.indexOf(state.category));
  const counts = Object.fromEntries(FLAGS.map(([flag]) => [flag, 0]));
  const left = all.filter(
    (entry) => (entry.flags & wanted) === wanted
      && (state.category === "" || inCategory(runs, entry, numbers))
      && (!words.length || haystack.found(entry, words)),
  );
  for (const entry of left) {
    for (const [flag] of FLAGS) if (entry.flags & BIT[flag]) counts[flag] += 1;
  }
  return { entries: sorted(runs, left, state.order), counts };
}

function inCategory(runs, entry, numbers) {
  return entry.places.some(
    (position, place) => (
      position >= 0 && numbers[place] >= 0 && runs[place].columns.category[position] === numbers[place]
    ),
  );
}

function sorted(runs, entries, order) {
  const of = (entry, column) => {
    const number = entry.places.findIndex((position) => position >= 0);
    return runs[number].columns[column][entry.places[number]];
  };
  const last = (value, sign = 1) => (value === null || value === undefined ? Infinity : sign * value);
  const key = {
    hardest: (entry) => last(entry.share),
    easiest: (entry) => last(entry.share, -1),
    different: (entry) => -of(entry, "diverse"),
    people: (entry) => last(of(entry, "human")),
    id: (entry) => inNumbers(of(entry, "ids")),
  }[order];
  if (!key) return entries;
  return entries.map((entry) => [key(entry), entry]).sort(
    (a, b) => (a[0] === b[0] ? 0 : a[0] < b[0] ? -1 : 1),
  ).map(([, entry]) => entry);
}

// q2 before q10. A collator that knows numbers is ten times slower.
function inNumbers(id) {
  return id.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"));
}
