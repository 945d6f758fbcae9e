// The page of a running experiment: asks its own server how it stands, and draws that. It says when it can ask again.
// Names and messages are others' words: they are shown through textContent, whatever they look like.

const LONGEST_S = 60;
const find = (id) => document.getElementById(id);

/** Text as it can be read: control characters and direction marks become visible instead of acting. */
function shown(value) {
  return String(value).replace(/[\u0000-\u0008\u000b-\u001f\u007f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd");
}

function make(tag, className, text) {
  const made = document.createElement(tag);
  if (className) made.className = className;
  if (text !== undefined && text !== null) made.textContent = shown(text);
  return made;
}

function say(id, text) {
  find(id).textContent = shown(text ?? "");
}

const whole = (number) => number.toLocaleString("en");
const seconds = (value) => (value === null ? "–" : value < 90 ? `${value.toFixed(1)} s` : `${(value / 60).toFixed(0)} min`);

function remaining(minutes) {
  if (minutes < 1) return "under a minute";
  return minutes < 90 ? `${Math.round(minutes)} min` : `${(minutes / 60).toFixed(1)} h`;
}

// -- drawing ---------------------------------------------------------------------------------------------------------

function draw(run) {
  say("experiment", run.experiment ?? "");
  say("state", run.cause ? `${run.words} (${run.cause})` : run.words);
  drawNotes(run);
  const known = run.accuracy !== undefined;
  for (const part of ["accuracy-part", "models-part", "bar"]) find(part).hidden = !known;
  if (!known) return;
  const planned = run.episodes + run.missing;
  find("bar").value = planned ? run.episodes / planned : 0;
  say("pace", paceWords(run, planned));
  find("simulated").hidden = !run.simulated.length;
  say("simulated", `Simulated, not real: ${run.simulated.join(", ")}.`);
  say("accuracy-title", run.over ? "Right" : "Right so far, of what was fast");
  find("accuracy").replaceChildren(...run.accuracy.map(option));
  find("models").replaceChildren(...run.models.map(model));
  const failed = run.models.flatMap((row) => row.failures.map((cause) => [row.model, cause]));
  find("failures-part").hidden = !failed.length;
  find("failures").replaceChildren(...failed.map(([name, cause]) => make("li", "", `${name}: ${whole(cause.times)} × ${cause.kind}: ${cause.message}`)));
}

function drawNotes(run) {
  find("notes").hidden = !run.notes.length;
  find("notes").replaceChildren(...run.notes.map((note) => make("p", "", note)));
}

function paceWords(run, planned) {
  const parts = [`${whole(run.episodes)} of ${whole(planned)} episodes`, `${whole(run.questions)} questions`];
  const calls = run.models.reduce((sum, row) => sum + row.replies, 0);
  parts.push(`${whole(calls)} calls`);
  parts.push(run.spent);
  if (!run.over && run.per_minute) {
    parts.push(`${whole(Math.round(run.per_minute))} episodes a minute`, `at this pace ${remaining(run.missing / run.per_minute)} to go`);
  }
  return parts.join(" · ");
}

function option(row) {
  const made = make("li");
  const name = make("span", "name", row.of);
  if (row.declared) name.append(" ", make("span", "quiet", "declared"));
  made.append(name, picture(row), make("span", "figure", row.words), make("span", "quiet rest", rest(row)));
  if (row.value === null && row.why) made.append(make("span", "quiet why", row.why));
  return made;
}

function rest(row) {
  const parts = [`n ${whole(row.n)}`];
  if (row.missing) parts.push(`${whole(row.missing)} to come`);
  if (row.ungraded) parts.push(`${whole(row.ungraded)} ungraded`);
  const without = Object.entries(row.outcomes).filter(([outcome]) => outcome !== "answered");
  for (const [outcome, times] of without) parts.push(`${whole(times)} ${outcome}`);
  return parts.join(", ");
}

function picture(row) {
  const made = make("span", "picture");
  made.setAttribute("aria-hidden", "true");
  if (row.value === null) return made;
  if (row.low !== null) {
    const reach = make("span", "reach");
    reach.style.setProperty("--low", `${100 * row.low}%`);
    reach.style.setProperty("--high", `${100 * row.high}%`);
    made.append(reach);
  }
  const dot = make("span", "dot");
  dot.style.setProperty("--at", `${100 * row.value}%`);
  made.append(dot);
  return made;
}

function model(row) {
  const made = make("li");
  const name = make("span", "name", row.model);
  if (row.slow) name.append(" ", make("span", "slow", "slow"));
  made.append(
    name,
    make("span", "", `${whole(row.replies)} replies`),
    make("span", "", row.median_s === null ? "none of late" : `${seconds(row.median_s)}, slowest tenth ${seconds(row.slow_s)}`),
    make("span", "", row.last_s === null ? "no reply yet" : `last ${seconds(row.last_s)} ago`),
    make("span", row.failed ? "bad" : "quiet", `${whole(row.failed)} failed`),
  );
  return made;
}

// -- following -------------------------------------------------------------------------------------------------------

async function look() {
  const token = document.querySelector('meta[name="moot-page"]').content;
  let again = 5;
  try {
    const response = await fetch("/v1/moot/watch", { headers: { "X-Moot-Page": token } });
    if (!response.ok) throw new Error(`the server said ${response.status}; load the page again`);
    const run = await response.json();
    draw(run);
    say("fresh", `as of ${new Date().toLocaleTimeString()}`);
    again = run.over ? LONGEST_S : Math.min(LONGEST_S, run.again_s);
  } catch (error) {
    say("fresh", `not up to date: ${error.message}`);
  }
  setTimeout(look, 1000 * again);
}

look();
