// A question that is played while its page is left, or loaded anew. A browser may keep a page that was left, and its requests with
// it: so the page breaks them off itself, the server stops for who goes away, and the page that comes back says so, with the
// question.

const KEPT = "moot-asked";
let leaving = false;

/** `stop` is called when the page is left. */
export function stopWhenLeft(stop) {
  window.addEventListener("pagehide", () => {
    leaving = true;
    stop();
  });
  window.addEventListener("pageshow", ({ persisted }) => {
    leaving = false;
    if (persisted) sessionStorage.removeItem(KEPT); // it was kept as it was, and tells it itself
  });
}

export function begun(asked) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(asked));
  } catch {
    sessionStorage.removeItem(KEPT); // longer than a browser keeps: then nothing is told of it
  }
}

/** It has come to its end. A page that is being left gets here too, as its request breaks off; what it puts off is never done. */
export function ended() {
  if (!leaving) setTimeout(() => (leaving ? undefined : sessionStorage.removeItem(KEPT)), 0);
}

/** What was asked when the page was left, told once; null: nothing. */
export function left() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept === null ? null : JSON.parse(kept);
}
