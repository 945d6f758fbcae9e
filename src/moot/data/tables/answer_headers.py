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
        *("reponse", "juste", "cle"),
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
    *("point", "score", "weight", "difficult", "rating", "grade", "percent", "second", "minute", "limit", "duration"),
    *("incorrect", "distractor", "categor", "topic", "chapter", "section", "selected", "predict", "explan", "comment"),
    *("confiden", "frequen", "attempt", "priorit", "feedback", "language", "source", "author", "stage", "version"),
    *("punkt", "niveau", "schwier", "gewicht", "runde", "bewert", "wertung", "kategor", "kapitel", "sekunde", "anzahl"),
    *("prozent", "falsch", "schuler", "teilnehm", "gegeben", "gewahlt", "haufig", "sprache", "quelle", "hinweis"),
    *("erklarung", "begrund", "kommentar", "abschnitt", "lektion"),
    *("bareme", "coef", "chapitre", "fauss", "mauvais", "eleve", "donnee", "choisie", "indice", "auteur", "explic"),
    *("punto", "puntaj", "puntu", "dificult", "califica", "capitulo", "alumno", "estudiant", "elegid", "seleccion"),
    *("puntegg", "livell", "difficolt", "valutaz", "capitol", "errat", "sbagliat", "student", "materia"),
    *("балл", "уровен", "уровн", "сложност", "реитинг", "оценк", "категор", "групп", "команд", "секунд", "неверн"),
    *("неправильн", "ложн", "ученик", "студент", "участник", "выбран", "источник", "подсказк", "объяснен", "пояснен"),
    *("очк", "процент", "количеств"),
)
"""What stands anywhere in a word that says something else, so that Höchstpunktzahl is known by its points."""


def says_what_is_right(name: str) -> bool:
    """Whether a header calls its column the answer, or what is right."""
    return calls_it_an_answer(name) and not says_otherwise(name)


def calls_it_an_answer(name: str) -> bool:
    """Whether a word of it does, whatever the others say: "Answer (year)", "Model answer"."""
    named = any(word in _RIGHT or word.startswith(_BEGIN_RIGHT) for word in _words(name))
    return named or known_by_a_word(name, "answer")


def says_otherwise(name: str) -> bool:
    """Whether a header calls its column something that no answer is: points, a level, what somebody chose, what is wrong."""
    if "%" in name:
        return True
    return any(word in _OTHERWISE or any(part in word for part in _WITHIN_OTHERWISE) for word in _words(name))


def named_right(names: Sequence[str]) -> list[str]:
    """Those that are called what is right, and are none of several that are called alike: "Answer 1" is a choice."""
    alike = {name for family in numbered(names) for name in family}
    return [name for name in names if name not in alike and says_what_is_right(name)]


def _words(name: str) -> list[str]:
    """Without accents, with which words would be cut in the middle."""
    apart = unicodedata.normalize("NFD", name.replace("ß", "ss"))
    plain = "".join(letter for letter in apart if not unicodedata.combining(letter))
    return words_of(plain)
