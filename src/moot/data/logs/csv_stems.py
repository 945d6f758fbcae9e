"""What the columns are called of a table with some for each model: its name and, before or behind that, what they hold.

`gpt-4o_response`, `cost_gpt-4o` and `gpt-4o latency (s)` are about gpt-4o; `gpt-4o-mini` is another model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from moot.data.logs.csv_answers import ANSWERS
from moot.data.logs.csv_names import NAMES, bare_name
from moot.data.tables.known_names import plain

REPLY, EXTRACTED, UNREAD = "reply", "extracted", ""
"""Keys of columns about a model; the last: they are about its replies, and nothing is read of them."""
_KEYS = tuple(key for key in NAMES if key not in ("model", REPLY, EXTRACTED))
_REPLIES = frozenset(
    (*NAMES[REPLY], "raw", "rawtext", "rawanswer", "fulltext", "fullresponse", "fulloutput", "fullanswer")
)
_SHORT = frozenset((*NAMES[EXTRACTED], *ANSWERS))
_UNREAD = frozenset(
    (
        *("tokens", "token", "tokencount", "price", "inputcost", "outputcost", "confidence", "probability", "prob"),
        *("logprob", "logprobs", "note", "notes", "comment", "comments", "remark", "remarks", "error", "errors"),
        *("status", "finishreason", "stopreason", "timestamp", "date", "rating", "rank", "wrong", "incorrect"),
        *("kosten", "dauer", "zeit", "coût", "cout", "temps", "durée", "duree", "costo", "coste", "custo"),
        *("tiempo", "duración", "duracion", "tempo", "durata", "duração", "duracao", "стоимость", "время"),
        *("токены", "цена", "eur", "euro", "€", "gbp", "£", "rub", "руб", "₽", "chf", "cny", "jpy", "inr", "ct"),
        *("cents", "minutes", "reasoning", "thoughts", "thought", "thinking", "rationale", "cot", "chainofthought"),
        *("explanation", "explanations", "justification", "analysis", "judge", "judgement", "judgment", "eval"),
        *("evaluation", "feedback", "hint", "hints", "begründung", "erklärung", "erläuterung", "denkprozess"),
        *("hinweis", "raisonnement", "explication", "justificatif", "razonamiento", "explicación", "explicacion"),
        *("ragionamento", "spiegazione", "raciocínio", "explicação", "remarque", "обоснование", "пояснение"),
        *("объяснение", "рассуждение", "рассуждения", "мысли", "оценка", "подсказка", "notiz", "notizen"),
        *("bemerkung", "kommentar", "заметки", "примечание", "commentaire", "comentario"),
    )
)
"""As `plain` makes it. A cost or a time in other words says no unit; tokens alone may be those of the reply or all."""
_NO_MODEL = frozenset(
    (
        *("#", "no", "no.", "nr", "nr.", "idx", "index", "row", "rowid", "rownumber", "line", "n", "winner"),
        *("best", "bestmodel", "seed", "temperature", "created", "createdat", "updatedat", "tag", "tags", "url"),
        *("link", "todo", "split", "level", "annotator", "reviewer", "checked"),
    )
)
"""What is no model's name, alone."""
_OF_A_MODEL = frozenset(("thinking", "reasoning"))
"""Which behind a dash are part of a model's name: claude-3-7-sonnet-thinking."""
_WAYS_TO_THINK = _OF_A_MODEL | {"cot", "chainofthought"}
_VARIANTS = frozenset(
    (
        *("mini", "nano", "micro", "tiny", "small", "medium", "large", "xl", "xxl", "pro", "plus", "max", "ultra"),
        *("lite", "light", "flash", "turbo", "instruct", "chat", "base", "preview", "latest", "exp"),
        *("experimental", "beta", "alpha", "high", "low", "fast", "opus", "sonnet", "haiku", "nemo", "vision"),
        *("code", "coder", "reasoner", "distill", "audio", "next", "new", "old", "r", "it", "hf", "air", "heavy"),
        *("deep", "research", "guard", "math", "quantized", "quantised", "tuned", "finetuned", "fine", "ft"),
        *("lora", "sft", "dpo", "rag", "search", "web", "tools", "agent", "few", "zero", "shot", "prompted"),
        *("with", "without", "no", "and", "ensemble", "vote", "online", "offline", "api", "local"),
    )
)
"""Words that make another model, or another way to ask it, of one."""
_SEPARATOR = re.compile(r"[\s_\-:./|]+|[\s_]*[(\[]")
_IN_BRACKETS = re.compile(r"(.*[^\s_])[\s_]*[(\[]([^()\[\]]*)[)\]]\s*", re.DOTALL)
_MORE_WORDS = re.compile(r"[\s_]+[^\W\d][^\d+]*")
"""Without digits, which number runs and sizes."""
_WORD = re.compile(r"[^\W_]+")
_PARTING = " _-:./|"
_ENDS = f"{_PARTING}()[]"


@dataclass(frozen=True, slots=True)
class NamedPart:
    """A name as that of a model, and of what is told of it."""

    stem: str
    key: str
    bare: str
    """What is told, as `plain` makes it."""


def key_of(words: str) -> str | None:
    """What a column of this name holds of a model's replies; None: that is no name of any such thing."""
    bare = bare_name(words)
    if bare in _SHORT:
        return EXTRACTED
    if bare in _REPLIES:
        return REPLY
    found = next((key for key in _KEYS if bare in NAMES[key]), None)
    return UNREAD if found is None and bare in _UNREAD else found


def names_no_model(name: str) -> bool:
    """Whether it says what it holds, or numbers rows."""
    return key_of(name) is not None or bare_name(name) in _NO_MODEL or plain(name).startswith("unnamed:")


def may_say_how_it_thinks(name: str) -> bool:
    """Whether it is either what a model thought, or what the model is called: Kimi K2 Thinking, GPT-4o (CoT)."""
    return not names_no_model(name) and any(part.bare in _WAYS_TO_THINK for part in _parts(name))


def _key_in(words: str) -> str | None:
    """The same of words that may say a unit which is none of ours."""
    in_brackets = _IN_BRACKETS.fullmatch(words)
    of_other_unit = in_brackets is not None and key_of(in_brackets[1]) is not None
    return UNREAD if (found := key_of(words)) is None and of_other_unit else found


def parts_of(name: str) -> list[NamedPart]:
    """All ways to take it as being about a model, that first which says most of what is told."""
    return sorted(_parts(name), key=lambda part: -len(part.bare))


def _parts(name: str) -> Iterator[NamedPart]:
    for found in _SEPARATOR.finditer(name):
        words_before, words_behind = name[: found.start()].strip(_PARTING), name[found.end() :].strip(_PARTING)
        before, behind = _without_brackets(words_before), _without_brackets(words_behind)
        if not before or not behind:
            continue
        for stem, words in ((before, words_behind), (behind, words_before)):
            if found[0].strip() == "-" and bare_name(words) in _OF_A_MODEL:
                continue
            if (key := _key_in(words)) is not None or (key := _key_in(words.strip(_ENDS))) is not None:
                yield NamedPart(stem, key, bare_name(words))


def _without_brackets(words: str) -> str:
    """Without those around all of it, as in response (gpt-4o): those of GPT-4o (May) are its own."""
    if any(words.count(opens) != words.count(closes) for opens, closes in ("()", "[]")):
        return words.strip(_ENDS)
    return words[1:-1] if words[:1] in ("(", "[") and words[-1:] in (")", "]") else words


def about_models(names: Sequence[str], no_thoughts: Collection[str]) -> dict[str, NamedPart]:
    """Of columns that may be models', those that are about a model which has a column of replies.

    `no_thoughts`: those of which the cells show that it is the model's name that says how it thinks.
    """
    options = {name: parts_of(name) for name in names if not names_no_model(name)}
    for name in no_thoughts:
        options[name] = [part for part in options[name] if part.bare not in _WAYS_TO_THINK]
    bases = {plain(name) for name in options}
    spoken = [(name, part) for name, parts in options.items() for part in parts[:1] if part.key in (REPLY, EXTRACTED)]
    alike = Counter((part.bare, _is_behind(name, part)) for name, part in spoken)
    of_stem = Counter(plain(part.stem) for parts in options.values() for part in parts)
    with_replies = {
        plain(part.stem)
        for name, part in spoken
        if alike[part.bare, _is_behind(name, part)] > 1 or of_stem[plain(part.stem)] > 1
    }
    return dict(_taken(options, bases | with_replies))


def _taken(options: Mapping[str, Iterable[NamedPart]], stems: set[str]) -> Iterator[tuple[str, NamedPart]]:
    for name, parts in options.items():
        part = next((part for part in parts if plain(part.stem) in stems and plain(part.stem) != plain(name)), None)
        if part is not None:
            yield name, part


def says_more_of(name: str, models: Iterable[str]) -> bool:
    """Whether it is a model's name and more words behind that, which make no other model of it: gpt-4o verbose log."""
    for model in models:
        more = name[len(model) :].casefold()
        if not model or not name.casefold().startswith(model.casefold()) or not _MORE_WORDS.fullmatch(more):
            continue
        if not _VARIANTS & {*_WORD.findall(more)}:
            return True
    return False


def _is_behind(name: str, part: NamedPart) -> bool:
    return plain(name).startswith(plain(part.stem))
