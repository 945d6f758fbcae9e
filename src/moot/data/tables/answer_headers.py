"""What a header says of its column, in the languages of those who write quizzes: that it is what is right, or that it is not.

Points from 1 to 4 beside four choices point at one of them in every row, as a level from A to D does. Nobody sees by the
rows that they are no answers, and everybody by the header.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from moot.data.tables.known_names import known_by_a_word, numbered, words_of

_RIGHT = frozenset(
    (
        *("answer", "solution", "gold", "truth", "winner"),
        *("antwort", "lsg", "schlussel"),
        *("right", "reponse", "juste", "cle"),
        *("respuesta", "solucion", "clave", "resposta", "gabarito"),
        *("risposta", "soluzione", "giusta", "chiave"),
        *("antwoord", "oplossing", "odpowiedz", "cevap", "答案", "正确答案", "正解"),
        *("ответ", "верно", "відповідь"),
    )
)
"""Words that say it, without their accents. A plural is none of them: answers are what there is to choose from."""
_BEGIN_RIGHT = (
    *("correct", "losung", "loesung", "musterlosung", "richtig", "korrekt", "antwortschlussel"),
    *("corrig", "corret", "juist", "poprawn", "prawidlow", "dogru"),
    *("правильн", "верны", "верна", "ключ", "эталон"),
)
_OTHERWISE = frozenset(
    (
        *("mark", "marks", "level", "round", "rank", "tier", "star", "stars", "class", "group", "team", "age"),
        *("year", "date", "time", "times", "type", "kind", "rate", "count", "most", "wrong", "false", "given"),
        *("seconds", "sec", "secs", "start", "end", "offset", "pct"),
        *("chosen", "user", "student", "model", "unit", "week", "part", "page", "hint", "tag", "tags", "url"),
        *("link", "status", "lang", "mine", "your", "my", "their", "id", "at", "by", "length", "len", "format"),
        *("score", "cost", "price", "votes", "stufe", "note", "noten", "rang", "klasse", "gruppe", "thema"),
        *("woche", "zeit", "typ", "art", "teil", "seite", "jahr", "datum", "fach", "tipp", "stern", "sterne"),
        *("ihre", "deine", "meine", "tour", "manche", "poids", "classe", "groupe", "equipe", "temps", "duree"),
        *("partie", "theme", "faux", "votre", "peso", "nivel", "ronda", "clase", "grupo", "equipo", "tiempo"),
        *("tema", "tipo", "parte", "valor", "voto", "turno", "gruppo", "squadra", "tempo", "punti", "data"),
        *("scelta", "falsa", "falso", "вес", "тур", "раунд", "тема", "класс", "время", "тип", "язык", "автор"),
        *("глава", "год", "этап", "ваш", "дата"),
    )
)
_WITHIN_OTHERWISE = (
    *("point", "score", "weight", "difficult", "rating", "grade", "percent", "minute", "limit", "duration"),
    *("incorrect", "distractor", "categor", "topic", "chapter", "section", "selected", "predict", "explan", "comment"),
    *("explain", "rational", "reason", "justif", "remark", "footnote"),
    *("confiden", "frequen", "attempt", "priorit", "feedback", "language", "source", "author", "stage", "version"),
    *("punkt", "niveau", "schwier", "gewicht", "runde", "bewert", "wertung", "kategor", "kapitel", "sekunde", "anzahl"),
    *("prozent", "falsch", "schuler", "teilnehm", "gegeben", "gewahlt", "haufig", "sprache", "quelle", "hinweis"),
    *("erklarung", "erlauter", "begrund", "kommentar", "anmerk", "losungsweg", "rechenweg", "abschnitt", "lektion"),
    *(
        "bareme",
        "coef",
        "chapitre",
        "fauss",
        "mauvais",
        "eleve",
        "donnee",
        "remarque",
        "choisie",
        "indice",
        "auteur",
        "explic",
    ),
    *("punto", "puntaj", "puntu", "dificult", "califica", "capitulo", "alumno", "estudiant", "elegid", "seleccion"),
    *(
        "puntegg",
        "livell",
        "difficolt",
        "valutaz",
        "capitol",
        "errat",
        "sbagliat",
        "student",
        "materia",
        "spiegaz",
        "motivaz",
    ),
    *("балл", "уровен", "уровн", "сложност", "реитинг", "оценк", "категор", "групп", "команд", "секунд", "неверн"),
    *(
        "неправильн",
        "ложн",
        "ученик",
        "студент",
        "участник",
        "выбран",
        "источник",
        "подсказк",
        "объяснен",
        "пояснен",
        "коммент",
        "примечан",
    ),
    *("очк", "процент", "количеств"),
)
"""What stands anywhere in a word that says something else, so that Höchstpunktzahl is known by its points."""


_ASKED_BY = frozenset(("user", "student", "your", "my", "mine", "ihre", "deine", "meine", "votre", "ваш"))
"""Of those the words that a question may have: user_question."""
_LEFT = "left"
"""Beside it "right" is a side."""


def says_what_is_right(name: str) -> bool:
    """Whether a header calls its column the answer, or what is right."""
    return calls_it_an_answer(name) and not says_otherwise(name)


def calls_it_an_answer(name: str) -> bool:
    """Whether a word of it does, whatever the others say: "Answer (year)", "Model answer"."""
    named = any(word in _RIGHT or word.startswith(_BEGIN_RIGHT) for word in words_without_accents(name))
    return named or known_by_a_word(name, "answer")


def says_nothing_else(name: str) -> bool:
    """Whether each word of it does, as in "Correct answer", but not in "short answer" or "answer notes"."""
    return all(word in _RIGHT or word.startswith(_BEGIN_RIGHT) for word in words_without_accents(name))


def says_otherwise(name: str) -> bool:
    """Whether a header calls its column something that no answer is: points, a level, what somebody chose, what is wrong."""
    return "%" in name or any(map(_is_otherwise, words_without_accents(name)))


def says_no_question(name: str) -> bool:
    """Whether a header calls its column something that nobody is asked: an explanation, a hint, a level."""
    words = words_without_accents(name)
    return "%" in name or any(_is_otherwise(word) for word in words if word not in _ASKED_BY)


def _is_otherwise(word: str) -> bool:
    return word in _OTHERWISE or any(part in word for part in _WITHIN_OTHERWISE)


def named_right(names: Sequence[str]) -> list[str]:
    """Those that are called what is right, and are none of several that are called alike: "Answer 1" is a choice."""
    alike = {name for family in numbered(names) for name in family}
    if any(_LEFT in words_without_accents(name) for name in names):
        alike |= {name for name in names if name.strip().casefold() == "right"}
    return [name for name in names if name not in alike and says_what_is_right(name)]


def words_without_accents(name: str) -> list[str]:
    """Those of a header, without accents, with which words would be cut in the middle."""
    apart = unicodedata.normalize("NFD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return words_of(plain)
