"""What a header says of its column, in the languages of those who write quizzes: that it is the question.

A header of an explanation may name the question too, and an explanation is longer: it is none, whatever else it says.
"""

from __future__ import annotations

from moot.data.tables.answer_headers import calls_it_an_answer, says_no_question, words_without_accents
from moot.data.tables.known_names import known_by_a_word

_ASKED = frozenset(
    (
        *("question", "q", "prompt", "riddle", "statement", "exercise", "task"),
        *("frage", "fragen", "fragentext", "fragetext", "fragestellung", "aufgabe", "aufgabentext", "aufgabenstellung"),
        *("enonce", "consigne", "pregunta", "enunciado", "consigna", "pergunta", "questao"),
        *("domanda", "quesito", "vraag", "vraagstelling", "pytanie", "soru", "fraga", "sporgsmal", "otazka", "kerdes"),
        *("вопрос", "задание", "запитання", "питання", "问题", "題目", "题目", "問題", "质问", "質問", "질문", "문제"),
    )
)
"""Words that say it, without their accents."""


def calls_it_a_question(name: str) -> bool:
    """Whether a word of a header does, and none says that it is something else."""
    asked = known_by_a_word(name, "text") or any(word in _ASKED for word in words_without_accents(name))
    return asked and could_be_asked(name)


def could_be_asked(name: str) -> bool:
    """Whether a header leaves it open that its column is the question: it is no explanation, level or answer."""
    return not says_no_question(name) and not calls_it_an_answer(name)
