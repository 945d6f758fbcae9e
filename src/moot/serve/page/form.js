// What stands in the form, and who has put it there. The page fills the form with what it shows: a question that has no answer stands
// there to be asked again. Whatever was typed or chosen since is somebody's next question, and is never written over: whoever
// presses Enter asks, and pays, whom they have chosen.

const find = (id) => document.getElementById(id);
const FIELDS = ["question", "choices", "kind", "model", "rival", "limit"];
const own = new Map();

/** What stands in these fields now is what was asked last, or what the page has put there. */
export function put(...ids) {
  for (const id of ids.length ? ids : FIELDS) own.set(id, find(id).value);
}

/** What the browser had filled in before anybody could choose, in a page that was loaded anew. */
export function putByBrowser() {
  for (const id of FIELDS) own.set(id, find(id).dataset.filled ?? find(id).value);
}

/** Whether nobody has typed or chosen anything since. Who has emptied a field for a question has not begun another yet. */
export function untouched() {
  return FIELDS.every((id) => find(id).value === own.get(id) || (["question", "choices"].includes(id) && !find(id).value.trim()));
}
