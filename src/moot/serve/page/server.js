// The page's way to the server that it came from: requests, their streams, and what it means where one fails.

export function headers() {
  const key = sessionStorage.getItem("moot-key");
  const page = document.querySelector('meta[name="moot-page"]').content;
  return {
    "Content-Type": "application/json",
    ...(page ? { "X-Moot-Page": page } : {}),
    ...(key ? { Authorization: `Bearer ${key}` } : {}),
  };
}

/** Something that failed: what, and what can be done about it. */
export class Trouble extends Error {
  constructor(message, { status = null, code = null, param = null } = {}) {
    super(message);
    Object.assign(this, { status, code, param });
  }

  get todo() {
    return TODO_BY_CODE[this.code] ?? TODO_BY_PARAM[this.param] ?? TODO_BY_STATUS[this.status] ?? "Ask again; if it fails once more, whoever runs the server finds the reason in its log.";
  }
}

const TODO_BY_CODE = {
  answer_written_anew: "Ask again.",
  answer_was_thoughts: "Ask again.",
  no_long_answers: "Take another team, or another kind of answer.",
  no_place_in_time: "Ask again with a longer time limit, or with none.",
  page_token: "Copy what you wrote, and load the page again.",
  no_such_episode: "It may have been forgotten, or belong to another key: look for it in the list.",
  model_not_found: "Choose a team from the list.",
  invalid_team: "Change the team that you put together.",
  team_refused: "Ask in other words, or another team.",
  left: "What was asked of players until then is kept and paid for; ask again when you like.",
  stopped: "What was asked of players until then is kept and paid for; ask again when you like.",
  not_opened: "Is the server still running? Open it again when it is.",
  unreachable: "Is the server still running? Ask again when it is; what you wrote is still here.",
};
const TODO_BY_PARAM = {
  "moot.kind": "Take another team, or another kind of answer.",
};
const TODO_BY_STATUS = {
  400: "Change what you ask, and ask again.",
  401: "Type the key into the field at the top.",
  403: "Ask whoever runs the server for a key that may.",
  408: "Ask again with a longer time limit, or with none.",
  413: "Ask something shorter.",
  429: "Wait a little, and ask again.",
  502: "Ask again, or another team. Whoever runs the server finds the reasons in its log.",
  503: "Wait a little and ask again; if it lasts, tell whoever runs the server.",
};

/** The server was started again, and knows this page no more: by its own address it is told the new token. False: it was not. */
async function knownAgain() {
  const page = await fetch("/", { cache: "no-store" }).then((response) => (response.ok ? response.text() : ""), () => "");
  const token = /<meta name="moot-page" content="([\w-]{1,100})">/.exec(page)?.[1];
  if (token) document.querySelector('meta[name="moot-page"]').content = token;
  return token !== undefined;
}

async function fetched(path, options = {}, again = true) {
  let response;
  try {
    response = await fetch(path, { headers: headers(), ...options });
  } catch {
    throw options.signal?.aborted ? options.signal.reason : new Trouble("The server cannot be reached.", { code: "unreachable" });
  }
  if (response.status === 401) {
    document.getElementById("key-form").hidden = false;
    document.getElementById("key").focus();
  }
  if (response.ok) return response;
  const trouble = await troubleOf(response);
  if (again && trouble.code === "page_token" && (await knownAgain())) return fetched(path, options, false);
  throw trouble;
}

async function troubleOf(response) {
  try {
    const { message, code, param } = (await response.json()).error;
    return new Trouble(message, { status: response.status, code, param });
  } catch {
    return new Trouble(`The server answered with status ${response.status}.`, { status: response.status });
  }
}

export async function get(path) {
  return (await fetched(path)).json();
}

export async function post(path, body) {
  return (await fetched(path, { method: "POST", body: JSON.stringify(body) })).json();
}

export async function forget(path) {
  return (await fetched(path, { method: "DELETE" })).json();
}

/** Ask a team: the events of its stream, one JSON value each. `team`: with what happens at the table. */
export async function* asked(body, signal, { team = true } = {}) {
  const streamed = { ...body, stream: true, ...(team ? { stream_options: { include_team: true } } : {}) };
  const response = await fetched("/v1/chat/completions", { method: "POST", signal, body: JSON.stringify(streamed) });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    let read;
    try {
      read = await reader.read();
    } catch {
      throw signal.aborted ? signal.reason : new Trouble("The line to the server broke off.", { code: "unreachable" });
    }
    if (read.done) return;
    const lines = (rest + read.value).split("\n");
    rest = lines.pop();
    for (const line of lines) {
      if (!line.startsWith("data: ") || line === "data: [DONE]") continue;
      const event = JSON.parse(line.slice(6));
      if (event.error) throw new Trouble(event.error.message, { status: event.error.status ?? 502, code: event.error.code });
      yield event;
    }
  }
}
