// A question that is played while its page is left, or loaded anew: the server stops for who goes away, and the page that comes
// back says so, with the question.

const KEPT = "moot-asked";

export function begun(asked) {
  try {
    sessionStorage.setItem(KEPT, JSON.stringify(asked));
  } catch {
    sessionStorage.removeItem(KEPT); // longer than a browser keeps: then nothing is told of it
  }
}

/** It has come to its end. A page that is being left gets here too, as its request breaks off; what it puts off is never done. */
export function ended() {
  setTimeout(() => sessionStorage.removeItem(KEPT), 0);
}

/** What was asked when the page was left, told once; null: nothing. */
export function left() {
  const kept = sessionStorage.getItem(KEPT);
  sessionStorage.removeItem(KEPT);
  return kept === null ? null : JSON.parse(kept);
}
