// The document, built node by node. Words of a model reach it as text and in no other way.

const SVG = "http://www.w3.org/2000/svg";

// C0 and C1 controls but tab and line feed; marks that turn the direction of what follows; invisible joiners.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/;
const CONTROLS = new RegExp(`(${CONTROL.source})`);

export const LONG = 4000;

export function el(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

export function svg(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") node.addEventListener(name, value);
    else node.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children.flat(2)) {
    if (child !== null && child !== undefined && child !== false) node.append(child);
  }
  return node;
}

// A text that somebody wrote: kept apart in direction, with what cannot be seen made visible.
export function said(text, name = "") {
  const shown = String(text);
  const node = el("bdi", { class: `said ${name}`.trim(), dir: "auto" });
  if (shown.length <= LONG) {
    node.append(...visible(shown));
    return node;
  }
  node.append(...visible(begun(shown, LONG / 2)), "…");
  const more = el(
    "button",
    { type: "button", class: "quiet more" },
    `Show all ${shown.length.toLocaleString("en")} characters`,
  );
  more.addEventListener("click", () => {
    node.replaceChildren(...visible(shown));
    more.remove();
    node.setAttribute("tabindex", "-1");
    node.focus({ preventScroll: true });
  });
  return el("span", { class: "long" }, node, more);
}

// Of a long text no more is read than may be shown: spaces shrink, so a few times the length is enough.
export function short(text, length) {
  const whole = String(text);
  const plain = whole.slice(0, 4 * length).replace(/\s+/g, " ").trim();
  if (plain.length <= length) return whole.length <= 4 * length ? plain : `${plain}…`;
  return `${cut(plain, length - 1).trimEnd()}…`;
}

// One line, for lists: nothing in it may break out of its place.
export function line(text, length, name = "") {
  return el("bdi", { class: name || null }, ...visible(short(text, length)));
}

// The beginning of a text, up to where a line ends, else a word; in the middle of one only where it is as long as all that.
export function begun(text, length) {
  const first = cut(text, length);
  const least = length / 2;
  const line = first.lastIndexOf("\n");
  if (line >= least) return first.slice(0, line).trimEnd();
  const word = first.search(/\s\S*$/);
  return word >= least ? first.slice(0, word).trimEnd() : first;
}

function cut(text, length) {
  const high = text.charCodeAt(length - 1);
  return text.slice(0, high >= 0xd800 && high < 0xdc00 ? length - 1 : length);
}

function visible(text) {
  if (!CONTROL.test(text)) return [text];
  const nodes = [];
  for (const piece of text.split(CONTROLS)) {
    if (piece.length === 1 && CONTROL.test(piece)) nodes.push(control(piece.charCodeAt(0)));
    else if (piece) nodes.push(piece);
  }
  return nodes;
}

function control(code) {
  const name = `U+${code.toString(16).toUpperCase().padStart(4, "0")}`;
  return el(
    "span",
    { class: "control", title: `control character ${name}` },
    code < 32 ? String.fromCharCode(0x2400 + code) : name,
  );
}
