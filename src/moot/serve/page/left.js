// A question that is played while its page is left, or loaded anew. A browser may keep a page that was left, and its requests with
// it: so the page breaks them off itself, the server stops for who goes away, and the page that comes back says so, with the
// question. It is written down at the moment of leaving and no sooner: a tab that is opened from this one gets a copy of all that is
// written, and the question is still played in the first.

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
