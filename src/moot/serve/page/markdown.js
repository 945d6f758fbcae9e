// A worker that turns what a model wrote into HTML: markdown, highlighted code, mathematics as MathML. No raw HTML passes,
// no picture, no link but http and https. What comes out is still a stranger's: rich.js sanitises it before it is shown.
// It runs beside the page, so that a text made to take for ever is given up without the page standing still.

importScripts("/page/vendor/markdown-it.umd.min.js", "/page/vendor/highlight.min.js", "/page/vendor/katex.min.js");

const LONGEST_CODE = 20_000; // characters that are highlighted; a longer block is shown in one colour
const LONGEST_FORMULA = 2_000;
const MOST_FORMULAS = 300; // of one text; those after them are shown as they were written
const MOST_TAGS = 8_000; // what a browser checks and lays out without standing still
const DEEPEST = 24;
let formulas = 0;
let coloured = true;

const markdown = self.markdownit({ html: false, linkify: false, breaks: true, maxNesting: DEEPEST });
const escaped = markdown.utils.escapeHtml;

markdown.disable("image");
markdown.validateLink = (url) => /^https?:\/\//i.test(url.trim());

// A heading of an answer stands below those of the page.
markdown.core.ruler.push("lower_headings", (state) => {
  for (const token of state.tokens) {
    if (token.type === "heading_open" || token.type === "heading_close") token.tag = `h${Math.min(6, Number(token.tag[1]) + 2)}`;
  }
});

// Which side a column keeps to is said without a style, which the page's policy forbids.
markdown.core.ruler.push("align_cells", (state) => {
  for (const token of state.tokens) {
    const side = /^text-align:(left|center|right)$/.exec(token.attrGet("style") ?? "")?.[1];
    if (side) token.attrs = [["align", side]];
  }
});

function code(text, language) {
  if (!coloured || !language || text.length > LONGEST_CODE || !self.hljs.getLanguage(language)) return escaped(text);
  return self.hljs.highlight(text, { language, ignoreIllegals: true }).value;
}

markdown.renderer.rules.fence = (tokens, number) => {
  const language = tokens[number].info.trim().split(/\s+/, 1)[0];
  return `<pre><code>${code(tokens[number].content, language)}</code></pre>\n`;
};

/** A formula, or its source where it is none. `annotation` repeats the source, and would be shown twice where it is not known. */
function formula(source, display) {
  try {
    formulas += 1;
    if (formulas > MOST_FORMULAS || source.length > LONGEST_FORMULA) throw new RangeError("too long, or too many");
    const drawn = self.katex.renderToString(source, { output: "mathml", displayMode: display, throwOnError: true, strict: "ignore", trust: false, maxSize: 10, maxExpand: 200 });
    return drawn.replace(/<annotation[^>]*>[^<]*<\/annotation>/g, "").replace(/<\/?semantics>/g, "");
  } catch {
    return `<code>${escaped(source)}</code>`;
  }
}

const MARKS = [
  { opens: "$$", closes: "$$", display: true },
  { opens: "\\[", closes: "\\]", display: true },
  { opens: "\\(", closes: "\\)", display: false },
  { opens: "$", closes: "$", display: false },
];

/** Where the formula that begins here ends, or -1. Sums of money are none: a single $ holds tight, and no digit follows it. */
function ending(text, begin, mark) {
  const end = text.indexOf(mark.closes, begin);
  if (end <= begin) return -1;
  if (mark.opens !== "$") return end;
  const held = !/\s/.test(text[begin]) && !/\s/.test(text[end - 1]) && !/\d/.test(text[end + 1] ?? "");
  return held && !text.slice(begin, end).includes("\n") && text[end - 1] !== "\\" ? end : -1;
}

markdown.inline.ruler.before("escape", "formula", (state, silent) => {
  const mark = MARKS.find(({ opens }) => state.src.startsWith(opens, state.pos));
  if (!mark) return false;
  const begin = state.pos + mark.opens.length;
  const end = ending(state.src, begin, mark);
  if (end < 0 || end > state.posMax) return false;
  if (!silent) Object.assign(state.push("formula", "", 0), { content: state.src.slice(begin, end).trim(), meta: mark });
  state.pos = end + mark.closes.length;
  return true;
});

// One that begins a line may hold lines that would be a list or a heading elsewhere.
markdown.block.ruler.before(
  "fence",
  "formula",
  (state, first, last, silent) => {
    const begin = state.bMarks[first] + state.tShift[first];
    const mark = MARKS.find(({ opens, display }) => display && state.src.startsWith(opens, begin));
    if (!mark || state.sCount[first] - state.blkIndent >= 4) return false;
    let line = first;
    let end = -1;
    for (; line < last && end < 0; line += 1) {
      const from = line === first ? begin + mark.opens.length : state.bMarks[line];
      const found = state.src.slice(from, state.eMarks[line]).indexOf(mark.closes);
      if (found >= 0) end = from + found;
    }
    if (end < 0 || state.src.slice(end + mark.closes.length, state.eMarks[line - 1]).trim()) return false;
    if (silent) return true;
    state.line = line;
    Object.assign(state.push("formula", "", 0), { content: state.src.slice(begin + mark.opens.length, end).trim(), meta: mark, block: true });
    return true;
  },
  { alt: ["paragraph", "blockquote", "list"] },
);

markdown.renderer.rules.formula = (tokens, number) => {
  const { content, meta } = tokens[number];
  const drawn = formula(content, meta.display);
  return tokens[number].block ? `<p>${drawn}</p>\n` : drawn;
};

/** The HTML, or null where it would be too much, or would lose something: below the deepest level nothing is parsed. */
function rendered(text, inline) {
  formulas = 0;
  const tokens = inline ? markdown.parseInline(text, {}) : markdown.parse(text, {});
  if (tokens.some(({ level }) => level >= DEEPEST - 1)) return null;
  // Of styles nothing would be left, and a browser complains of each: of formulas too. No quotation mark of a text is bare here.
  const html = markdown.renderer.render(tokens, markdown.options, {}).replace(/ style="[^"]*"/g, "");
  return html.split("<").length > MOST_TAGS ? null : html;
}

self.onmessage = ({ data }) => {
  let html = null;
  try {
    coloured = true;
    html = rendered(data.text, data.inline);
    coloured = false;
    html ??= rendered(data.text, data.inline); // much code may be too much for its colours alone
  } catch {
    // not to be rendered: it is shown as it was written
  }
  self.postMessage({ job: data.job, html });
};
self.postMessage({ ready: true });
