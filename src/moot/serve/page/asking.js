// How a question is asked: after what was said before, of whom, beside whom, for which kind of answer. The form says it of what is
// asked there; an episode says it of itself, and is asked again or further so, whatever stands in the form by then.

const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const CLOSED = ["choice", "yes-no"];

/** As the form has it. `team`, `rival`: of those that can be asked; `kind` empty: as in the file. */
export function askedInForm(question, team, rival, kind, choices) {
  return { question, turns: [], team: named(team), rival: rival ? named(rival) : null, kind: choices.length ? "choice" : kind, choices };
}

/** As an episode was. `team` null: whoever answered it is not served here any more. */
export function askedAs(whole, { turns, question }) {
  const team = whole.served ? { model: whole.model, edited: whole.team } : null;
  const { kind, context, language } = whole;
  return { question, turns, team, rival: null, kind, choices: whole.choices ?? [], about: { ...(context === null ? {} : { context }), language } };
}

function named({ model, edited }) {
  return { model, edited: edited ?? null };
}

/** Choices as a team is sent them. */
export function withLetters(choices) {
  return choices.map((choice, number) => `${LETTERS[number]}. ${choice}`);
}

/** The next question after an answer: the team is told the choices that there were, and the answer in words. */
export function askedFurther(asking, answer, question, kind) {
  const was = [asking.question, ...withLetters(asking.choices)].join("\n");
  const turns = [...asking.turns, { role: "user", content: was }, { role: "assistant", content: answer }];
  return { ...mended(asking, question, kind), turns, rival: null };
}

/** The same place in a conversation, in other words. */
export function mended(asking, question, kind) {
  return { ...asking, question, kind, choices: kind === "choice" ? asking.choices : [] };
}

/** What is asked further is seldom the same choice again: as the file has it, or short. `usual`: the kind of the file's questions. */
export function kindFurther(asking, usual, texts) {
  const kind = asking.kind || usual;
  if (!CLOSED.includes(kind)) return kind;
  return usual === "text" && texts ? usual : "open";
}

/** What is sent to one of those that are asked, in the form of the API. */
export function bodyOf({ question, turns, kind, choices, about }, { model, edited }, limit) {
  const options = {
    ...about,
    ...(edited ? { team: edited } : {}),
    ...(choices.length ? { choices } : kind ? { kind } : {}),
  };
  return {
    ...(edited ? {} : { model }),
    messages: [...turns, { role: "user", content: question }],
    ...(Object.keys(options).length ? { moot: options } : {}),
    ...(limit ? { time_limit_s: limit } : {}),
  };
}

/** An answer in words: of a choice its letter and what it stands for. */
export function inWords(answer, choices) {
  const number = answer.trim().length === 1 ? LETTERS.indexOf(answer.trim()) : -1;
  return choices[number] === undefined ? answer : `${answer.trim()}. ${choices[number]}`;
}
