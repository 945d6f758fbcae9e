// What was asked, whole: the question where the table has no room for all of it, what there was to choose from, and what it was to
// be answered from. The team was sent all of this; whoever reads the answer sees it beside the question.
import { withLetters } from "./asking.js";
import { plainly, shown } from "./rich.js";

const FOLDED = 400; // characters of a context, from which on it is opened by whoever wants to read it
const find = (id) => document.getElementById(id);

/** `asking`: as asking.js has it, or null for nothing; `whole`: whether the question itself is to be read here in any case. */
export function drawGiven(asking, whole) {
  const { question = "", choices = [], about } = asking ?? {};
  const context = about?.context ?? "";
  find("given").hidden = !(choices.length || context || (whole && question));
  plainly(find("given-question"), question);
  find("given-choices").hidden = choices.length === 0;
  find("given-choices").replaceChildren(...withLetters(choices).map((words) => Object.assign(document.createElement("li"), { textContent: shown(words) })));
  find("given-context").hidden = context === "";
  find("given-context").open = context.length <= FOLDED;
  find("given-context").querySelector("summary").textContent = context.length > FOLDED ? `Context: ${context.length.toLocaleString("en")} characters` : "Context";
  plainly(find("given-context").querySelector(".whole"), context);
}

/** The same in markdown, below a heading that is the question. */
export function givenAsMarkdown({ choices, about }) {
  const listed = withLetters(choices).map((words) => `- ${words}`).join("\n");
  return [...(listed ? [listed] : []), ...(about?.context ? ["## Context", about.context] : [])];
}
