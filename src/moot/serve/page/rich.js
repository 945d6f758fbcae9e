// What models write, shown as they meant it: markdown, code, mathematics. It is plain text first, and stays so where it is too
// long, or takes too long. A worker makes HTML of it (markdown.js); here that is sanitised, and put in place as it was checked.
import "./vendor/purify.min.js";

const LONGEST = 60_000; // characters that are rendered; what is longer is shown as it was written
const LONGEST_HTML = 1_000_000;
const MOST_SHOWN = 100_000; // characters of a text that are laid out unasked: much more of it holds the page for seconds
const PIECE = 20_000; // of all of it, where that is asked for: each is laid out when it comes into sight
const FIRST_LINE = 2_000;
const PATIENCE_MS = 1_500; // for one text
const PATIENCE_AT_START_MS = 20_000; // for the worker with its libraries
const GIVEN_UP = 5; // texts that took too long, after which all are shown as they were written

const MARKED = /[*_`#[\]$\\>|~&]|^[ \t]{0,9}(?:[-+]|\d{1,9}[.)])\s|\n/m; // bounded: it is tried at every line of a text, here on the page's own thread
const MARKS = [ // of markdown in a line, and what is left where they are taken off; tried on FIRST_LINE characters at most
  [/!?\[([^[\]]*)\]\([^()\s]*\)/g, "$1"],
  [/\\\((.+?)\\\)/g, "$1"],
  [/(^|[^\\$\p{L}\p{N}])\$(?=\S)([^$]*[^$\s])\$(?![\d$])/gu, "$1$2"], // mathematics: what two prices have between them ends with a space
  [/\*\*|__|~~|`/g, ""],
  [/(^|[^\p{L}\p{N}*_])([*_])(?=\S)([^*_]*[^*_\s])\2(?![\p{L}\p{N}*_])/gu, "$1$3"],
];
const TAGS =
  "p br hr h3 h4 h5 h6 strong em s code pre blockquote ul ol li table thead tbody tr th td a span " +
  "math mrow mi mn mo ms mtext mspace msub msup msubsup mfrac msqrt mroot mover munder munderover mmultiscripts mprescripts " +
  "mtable mtr mtd mstyle mpadded mphantom menclose merror";
const PLAIN_ATTRIBUTES = // such as hold no address
  "class start align display displaystyle scriptlevel mathvariant stretchy fence separator form symmetric largeop movablelimits " +
  "accent accentunder lspace rspace width height depth voffset minsize maxsize linethickness notation columnalign columnspacing columnlines " +
  "rowspacing rowlines";
const RULES = {
  ALLOWED_TAGS: TAGS.split(" "),
  ALLOWED_ATTR: ["href", ...PLAIN_ATTRIBUTES.split(" ")],
  ADD_URI_SAFE_ATTR: PLAIN_ATTRIBUTES.split(" "),
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_NAMESPACES: ["http://www.w3.org/1999/xhtml", "http://www.w3.org/1998/Math/MathML"],
  ALLOWED_URI_REGEXP: /^https?:\/\//i,
  FORBID_CONTENTS: ["annotation", "annotation-xml", "script", "style", "svg", "template", "noscript", "iframe", "textarea", "title"],
  RETURN_DOM_FRAGMENT: true,
};

const purify = window.DOMPurify;
purify.addHook("afterSanitizeAttributes", (element) => {
  const classes = [...(element.classList ?? [])].filter((name) => /^hljs-[a-z_-]+$/.test(name));
  element.removeAttribute?.("class");
  if (classes.length) element.setAttribute("class", classes.join(" "));
  if (!["th", "td"].includes(element.localName)) element.removeAttribute?.("align");
  if (element.localName !== "a") return element.removeAttribute?.("href");
  const href = element.getAttribute("href");
  if (href === null) return;
  // Where it leads is to be seen before it is followed, whatever its words say.
  for (const [name, value] of [["title", href], ["target", "_blank"], ["rel", "noopener noreferrer"]]) element.setAttribute(name, value);
});

/** Text as it can be read: control characters and direction marks become visible instead of acting. */
export function shown(value) {
  return String(value).replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

/** The first line of a text without the marks of markdown, up to so many characters, for a place that has room for no more. */
export function cut(text, most) {
  const line = bare(text);
  return line.length > most ? `${line.slice(0, most).replace(/\s+\S*$/, "")} …` : line === text.trim() ? line : `${line} …`;
}

export function bare(whole) {
  const text = whole.slice(0, 10 * FIRST_LINE);
  const line = text.split("\n").map((each) => each.trim()).find((each) => /[\p{L}\p{N}]/u.test(each)) ?? text.trim();
  const begun = line.slice(0, FIRST_LINE).replace(/^(?:#{1,6}|>|[-*+])\s+/, "");
  return MARKS.reduce((words, [mark, meant]) => words.replace(mark, meant), begun);
}

const begun = new WeakMap(); // by element, what it shows the beginning of

/** A text as it was written. Of one that is very long its beginning, and a button for all of it. */
export function plainly(element, text) {
  const beginning = text.slice(0, MOST_SHOWN);
  const before = begun.get(element);
  if (text.length > MOST_SHOWN && before?.beginning === beginning && before.more.parentNode === element) {
    before.text = text; // more of the same, word by word: what is shown stays
    before.more.textContent = offer(text);
    return;
  }
  element.textContent = shown(beginning);
  begun.delete(element);
  if (text.length <= MOST_SHOWN) return;
  const more = document.createElement("button");
  const shows = { beginning, text, more };
  begun.set(element, shows);
  more.type = "button";
  more.className = "show-all";
  more.textContent = offer(text);
  more.addEventListener("click", () => {
    element.replaceChildren();
    for (let start = 0; start < shows.text.length; start += PIECE) {
      const piece = document.createElement("span");
      piece.className = "piece";
      piece.textContent = shown(shows.text.slice(start, start + PIECE));
      element.append(piece);
    }
  });
  element.append("\n", more);
}

function offer(text) {
  return `Show all ${text.length.toLocaleString("en")} characters as plain text`;
}

// -- one text after the other ------------------------------------------------------------------------------------------

const queue = [];
const wanted = new WeakMap(); // the last text that each element is to show
let worker = null;
let current = null;
let failures = 0;
let jobs = 0;

/** Show a text in an element. `inline`: as part of a line. */
export function rich(element, text, { inline = false } = {}) {
  const whole = String(text ?? "");
  const words = shown(whole.slice(0, LONGEST + 1));
  const job = { number: (jobs += 1), element: new WeakRef(element), words, inline };
  plainly(element, whole);
  element.classList.remove("rich");
  wanted.set(element, job.number);
  if (words.length > LONGEST || !MARKED.test(words)) return;
  queue.push(job);
  next();
}

/** Another question: what took too long in the last one is not held against it. */
export function anew() {
  failures = 0;
}

function next() {
  if (current) return;
  do current = queue.shift() ?? null;
  while (current && wanted.get(current.element.deref() ?? queue) !== current.number);
  if (!current || failures >= GIVEN_UP) {
    current = null;
    queue.length = 0;
    return;
  }
  if (worker) send();
  else begin();
}

function begin() {
  worker = new Worker("/page/markdown.js");
  const started = worker;
  const slow = setTimeout(() => (worker === started ? giveUp() : undefined), PATIENCE_AT_START_MS);
  worker.onerror = () => (worker === started ? giveUp() : undefined);
  worker.onmessage = ({ data }) => {
    if (worker !== started) return;
    if (data.ready) {
      clearTimeout(slow);
      send();
    } else if (data.job === current?.number) finish(data.html);
  };
}

function send() {
  current.timer = setTimeout(giveUp, PATIENCE_MS);
  worker.postMessage({ job: current.number, text: current.words, inline: current.inline });
}

function giveUp() {
  failures += 1;
  worker?.terminate();
  worker = null;
  current = null;
  next();
}

function finish(html) {
  const done = current;
  clearTimeout(done.timer);
  current = null;
  const element = done.element.deref();
  if (html !== null && html.length <= LONGEST_HTML && element && wanted.get(element) === done.number) {
    element.replaceChildren(purify.sanitize(shown(html), RULES)); // an entity may have become a mark that acts
    element.classList.add("rich");
  }
  next();
}
