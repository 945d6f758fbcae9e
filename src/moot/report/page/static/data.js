// What the page holds: an index that is read at once, and parts with transcripts that are unpacked when looked at.

const KEPT_PARTS = 6;

export async function unpack(id) {
  const block = document.getElementById(id);
  if (!block) throw new Error(`this file is not whole: ${id} is missing`);
  const stream = new Blob([bytes(block.textContent)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function bytes(letters) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(letters);
  const decoded = atob(letters);
  const found = new Uint8Array(decoded.length);
  for (let place = 0; place < decoded.length; place += 1) found[place] = decoded.charCodeAt(place);
  return found;
}

export class Run {
  constructor(raw, number) {
    this.number = number;
    this.name = raw.name;
    this.sections = raw.sections;
    this.cells = raw.cells;
    this.columns = raw.columns;
    this.repeats = raw.columns.repeats;
    this.size = raw.columns.ids.length;
    this.positions = new Map(raw.columns.keys.map((key, position) => [key, position]));
    this.places = new Map(raw.cells.map((cell, place) => [cell.key, place]));
    this.opened = new Map();
  }

  // The part that holds a question; the last few stay unpacked.
  part(position) {
    const starts = this.columns.starts;
    let number = starts.length - 1;
    while (starts[number] > position) number -= 1;
    let found = this.opened.get(number);
    if (!found) {
      const end = starts[number + 1] ?? this.size;
      found = unpack(`part-${this.number}-${number}`).then(
        (raw) => new Part(raw, this.columns.texts.slice(starts[number], end), starts[number]),
      );
    }
    this.opened.delete(number);
    this.opened.set(number, found);
    if (this.opened.size > KEPT_PARTS) this.opened.delete(this.opened.keys().next().value);
    return found;
  }

  // Where a cell stands, by its whole title or as people call it; the first where there is no such cell.
  place(title) {
    return this.places.get(title) ?? Math.max(0, this.cells.findIndex((cell) => cell.title === title));
  }

  slot(position, repeat = 0) {
    return position * this.repeats + repeat;
  }

  answer(cell, position, repeat = 0) {
    const place = this.columns.answers[cell][this.slot(position, repeat)];
    return place < 0 ? null : this.columns.said[position][place];
  }

  // What one play is worth, from 0 to 1; null where nothing was played, or nobody has graded it.
  worth(cell, slot) {
    const mark = this.columns.grades[cell][slot];
    if (mark === "1") return 1;
    if (mark === "0") return 0;
    return mark === "h" ? this.columns.scores[cell][slot] : null;
  }

  // The mean over graded repeats; null where nothing was played, or nobody knows.
  share(cell, position) {
    let right = 0;
    let graded = 0;
    for (let repeat = 0; repeat < this.repeats; repeat += 1) {
      const worth = this.worth(cell, this.slot(position, repeat));
      if (worth === null) continue;
      graded += 1;
      right += worth;
    }
    return graded ? right / graded : null;
  }
}

class Part {
  constructor(raw, known, start) {
    this.raw = raw;
    this.start = start;
    this.lines = [...new Set(known.flatMap((text) => text.split("\n"))), ...raw.lines];
  }

  text(place) {
    return place < 0 ? null : this.raw.texts[place].map((each) => this.lines[each]).join("\n");
  }

  word(place) {
    return place < 0 ? null : this.raw.words[place];
  }

  about(position) {
    const about = this.raw.cases[position - this.start];
    return about.context === undefined ? about : { ...about, context: this.text(about.context) };
  }

  episode(position, cell, repeat) {
    const { episodes } = this.raw;
    const question = position - this.start;
    const place = episodes.question.findIndex(
      (each, number) => each === question && episodes.cell[number] === cell && episodes.repeat[number] === repeat,
    );
    if (place < 0) return null;
    return {
      outcome: this.word(episodes.outcome[place]),
      answer: this.text(episodes.answer[place]),
      verdict: this.raw.verdicts[episodes.verdict[place]],
      drafts: episodes.drafts[place].map((each) => this.draft(each)),
      steps: episodes.steps[place].map((each) => this.step(each)),
      seconds: episodes.seconds[place],
      value: episodes.value[place],
      stage: this.word(episodes.stage[place]),
      detail: this.word(episodes.detail[place]),
    };
  }

  draft(place) {
    const [player, text, reasoning, outcome, cause] = this.raw.answers[place];
    return {
      player: this.word(player),
      text: this.text(text),
      reasoning: this.text(reasoning) ?? "",
      outcome: this.word(outcome),
      cause: this.word(cause),
    };
  }

  step(place) {
    const [player, stage, turn, call, error, problem] = this.raw.steps[place];
    return {
      player: this.word(player),
      stage: this.word(stage),
      turn,
      key: call,
      error: this.word(error),
      problem: this.word(problem),
      call: this.call(call),
    };
  }

  call(place) {
    const { calls } = this.raw;
    if (place < 0 || calls.prompt[place] < 0) return null;
    const prompt = this.raw.prompts[calls.prompt[place]];
    const messages = [];
    for (let each = 0; each < prompt.length; each += 2) {
      messages.push({ role: this.word(prompt[each]), content: this.text(prompt[each + 1]) });
    }
    return {
      messages,
      reply: this.text(calls.reply[place]),
      finish: this.word(calls.finish[place]),
      seconds: calls.seconds[place],
      version: this.word(calls.version[place]),
      cost: calls.cost[place],
      promptTokens: calls.prompt_tokens[place],
      completionTokens: calls.completion_tokens[place],
      thoughts: this.text(calls.thoughts[place]),
    };
  }
}
