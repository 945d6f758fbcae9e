// A question that is played while its page is left, or loaded anew. A browser may keep a page that was left, and its requests with
// it: so the page breaks them off itself, the server stops for who goes away, and the page that comes back says so, with the
// question. It is written down at the moment of leaving and no sooner: a tab that is opened from this one gets a copy of all that is
// written, and the question is still played in the first.

//
// Within the page a question stands in the entry of the browser's history that it was asked in, until it has an answer whose address
// that is: Back, Forward and a reload lead to each that was stopped, left or failed, and an entry without one is an empty table.

import { Trouble } from "./server.js";

const KEPT = "moot-asked";
let played = null;

/** `stop` is called when the page is left. */
export function stopWhenLeft(stop) {
  window.addEventListener("pagehide", () => {
    if (played !== null) keep(played);
    stop();
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    if (persisted) sessionStorage.removeItem(KEPT); // it was kept as it was, and tells it itself
  });
}

/** What was asked in this entry and has no answer with an address, with the trouble that it met, as far as that was told; null: nothing was. */
export function keptHere() {
  const { asked, trouble, duel = null } = window.history.state ?? {};
  if (!asked) return null;
  return { asked, trouble: trouble ? new Trouble(trouble.message, trouble) : null, duel };
}

/** In this entry, which has no address of its own. `trouble`: what became of it; null: it is being played, or `duel` says what two
 * teams came to, and which of them was preferred. */
export function keepHere(asked, trouble = null, duel = null) {
  const { message, status = null, code = null, param = null } = trouble ?? {};
  try {
    window.history.replaceState({ asked, trouble: trouble ? { message, status, code, param } : null, duel }, "", location.pathname);
  } catch {
    window.history.replaceState(null, "", location.pathname); // longer than a browser keeps
  }
}

/** A new entry, unless this is that of the same question at the same place in a conversation without an answer, or of nothing yet. */
export function entryFor(asking) {
  const place = ({ question, turns }) => JSON.stringify([question, turns]);
  const { asked, duel } = keptHere() ?? {};
  if (location.hash || (asked && (duel || place(asked) !== place(asking)))) window.history.pushState(null, "", location.pathname);
}

function keep(asked) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(asked));
  } catch {
    sessionStorage.removeItem(KEPT); // longer than a browser keeps: then nothing is told of it
  }
}

export function begun(asked) {
  played = asked;
}

/** It has come to its end. */
export function ended() {
  played = null;
}

/** What was asked when the page was left, told once; null: nothing. */
export function left() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept === null ? null : JSON.parse(kept);
}
