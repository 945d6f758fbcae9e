"""Which answers to a question mean the same: by their words, then by what the grouping model replied."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Sequence

from second_way.raw import Raw

_QUESTION = re.compile(r"<question>\n(.*?)\n</question>", re.DOTALL)
_ANSWER = re.compile(r'<answer n="\d+">\n(.*?)\n</answer>', re.DOTALL)

Groups = tuple[tuple[str, ...], ...]
"""Players who said the same."""
Draft = tuple[str, str | None]
"""Who, and what."""


_WITHIN_NUMBERS = re.compile(
    r"(?<=\d)([./:*^+<>=-])(?=\d)|(?<!\w)([-√])(?=\d)"
    r"|(?<![\w/])([a-z])\s?([<>=+*/^])\s?(?=[a-z\d]\b)|[^\w\s]"
)
"""Signs of numbers and of formulas with letters, which stay; all others go."""


def plain(text: str) -> str:
    """Small letters, no accents, no punctuation, no articles; the last word is none ("vitamin A")."""
    letters = unicodedata.normalize("NFKD", re.sub(r"(?<=\d),(?=\d{1,2}\b)", ".", text.lower().replace("ё", "е")))
    bare = "".join(sign for sign in letters if not unicodedata.combining(sign))
    words = _WITHIN_NUMBERS.sub(lambda sign: "".join(filter(None, sign.groups())) or " ", bare).split()
    return " ".join([word for word in words[:-1] if word not in ("a", "an", "the")] + words[-1:])


class Meanings:
    """What the grouping model of an experiment replied, by what it was shown."""

    def __init__(self, raw: Raw) -> None:
        self._texts = {question: row["question"]["text"] for question, row in raw.questions.items()}
        self._open = {
            question: row["question"].get("kind", "open") == "open" for question, row in raw.questions.items()
        }
        self._model = (raw.config.get("grouping") or {}).get("model")
        self._replies: dict[tuple[str, tuple[str, ...], int], list[list[int]]] = {}
        for call in raw.tables["calls"]:
            if call["model"] == self._model:
                self._keep(call["shape"], call["text"])

    def _keep(self, shape: str, reply: str | None) -> None:
        """A reply counts if it is a partition of what was shown."""
        request, repeat, _ = json.loads(shape)
        prompt = request["messages"][-1]["content"]
        asked, shown = _QUESTION.search(prompt), tuple(map(plain, _ANSWER.findall(prompt)))
        try:
            groups = json.loads(reply or "")["groups"]
            numbers = sorted(number for group in groups for number in group)
        except (ValueError, KeyError, TypeError):
            return
        if asked and numbers == list(range(1, len(shown) + 1)):
            self._replies[asked[1], shown, repeat] = groups

    def groups(self, question: str, repeat: int, drafts: Sequence[Draft]) -> Groups:
        """Those who said something, by what they meant."""
        by_words: dict[str, list[str]] = {}
        for player, text in drafts:
            if text is not None:
                by_words.setdefault(plain(text), []).append(player)
        reply = self._reply(question, repeat, list(by_words)) if len(by_words) > 1 else None
        if reply is None:
            return tuple(map(tuple, by_words.values()))
        voices = list(by_words.values())
        return tuple(tuple(player for number in group for player in voices[number - 1]) for group in reply)

    def by_words(self, question: str, repeat: int, drafts: Sequence[Draft]) -> bool:
        """Whether words alone have grouped them although there is somebody who tells meanings."""
        shown = list(dict.fromkeys(plain(text) for _, text in drafts if text is not None))
        return len(shown) > 1 and self._open[question] and self._reply(question, repeat, shown) is None

    def sayers(self, question: str, repeat: int, drafts: Sequence[Draft], word: str) -> set[str] | None:
        """Whose draft says this; nobody's: it is new. None: nobody can tell."""
        texts = [(player, text) for player, text in drafts if text is not None]
        groups = self.groups(question, repeat, drafts)
        same = {player for player, text in texts if plain(text) == plain(word)}
        if not same and self._open[question] and self._model is not None:
            heads = [next(text for player, text in texts if player == group[0]) for group in groups]
            reply = self._reply(question, repeat, [*map(plain, heads), plain(word)])
            if reply is None:
                return None
            beside = next(group for group in reply if len(heads) + 1 in group)
            same = {groups[number - 1][0] for number in beside if number <= len(heads)}
        return {player for group in groups if same & set(group) for player in group} | same

    def _reply(self, question: str, repeat: int, shown: Sequence[str]) -> list[list[int]] | None:
        if not self._open[question] or self._model is None:
            return None
        return self._replies.get((self._texts[question], tuple(shown), repeat))
