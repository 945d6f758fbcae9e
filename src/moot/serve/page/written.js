// Words as they are written: what a seat shows of a reply that is not whole yet, drawn no oftener than the screen is.

const LAST = 160; // characters of it that a seat has room for
const LOOKED_AT = 20_000; // characters at its end: it is looked at anew with every word
const FIELD = /"(?:reasoning|answer|solution|final_solution|strongest|weakest)"\s*:\s*"((?:[^"\\]|\\.)*)/g;
const ESCAPED = { n: "\n", t: " ", r: "", b: "", f: "" };

/** The end of what was written, in words: of a reply in a form, of the part that is being filled in. `plain`: it is a text,
    whatever it begins with. */
export function lastWords(whole, plain = false) {
  const inForm = !plain && whole.slice(0, LAST).trimStart().startsWith("{");
  const text = whole.slice(inForm ? -LOOKED_AT : -10 * LAST);
  const words = inForm ? ([...text.matchAll(FIELD)].at(-1)?.[1] ?? "").replace(/\\(?:u([0-9a-fA-F]{4})|(.))/g, (_, number, letter) => (number ? String.fromCharCode(parseInt(number, 16)) : (ESCAPED[letter] ?? letter))) : text;
  const line = words.replace(/\*\*|__|`+|#{1,6} /g, "").replace(/\s+/g, " ").trim();
  return line.length > LAST ? `… ${line.slice(-LAST).replace(/^\S*\s/, "")}` : line;
}

const waiting = new Map();

/** Draw something when the screen is drawn next; of several drawings of one place the last. */
export function soon(place, draw) {
  if (!waiting.size) {
    requestAnimationFrame(() => {
      const drawings = [...waiting.values()];
      waiting.clear();
      for (const each of drawings) each();
    });
  }
  waiting.set(place, draw);
}

/** What was to be drawn is out of date. */
export function forgetDrawings() {
  waiting.clear();
}
