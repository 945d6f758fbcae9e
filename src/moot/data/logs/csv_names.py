"""What the columns of a table of replies are called: those about the replies, and those of the question in other languages than
the two that every table of questions is read in.

Whoever imports a table can name no columns: so a name that says it plainly is taken, where one column alone has it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import takewhile

from moot.data.logs.csv_verdicts import ANYTHING, SAY_RIGHT
from moot.data.tables.known_names import ColumnNames, Guess, guessed, plain
from moot.types import MOST_CHOICES

NAMES: Mapping[str, tuple[str, ...]] = {
    "model": (
        *(
            "model",
            "modelname",
            "modelid",
            "nameofmodel",
            "modelused",
            "usedmodel",
            "aimodel",
            "llmmodel",
            "llmname",
            "llmid",
        ),
        *("modelversion", "llm", "provider", "system", "engine", "модель", "модельии", "названиемодели", "имямодели"),
        *(
            "modell",
            "sprachmodell",
            "kimodell",
            "modellname",
            "modèle",
            "modele",
            "nomdumodèle",
            "modeleia",
            "modèleia",
        ),
        *("modelo", "modeloia", "nombredelmodelo", "nomedomodelo", "modello", "modelloia", "nomedelmodello"),
    ),
    "reply": (
        *("reply", "response", "output", "completion", "rawresponse", "rawoutput", "modeloutput", "modelresponse"),
        *(
            "llmresponse",
            "llmoutput",
            "llmreply",
            "llmanswer",
            "airesponse",
            "aioutput",
            "aianswer",
            "ответии",
            "kiantwort",
        ),
        *("modelreply", "generation", "generated", "prediction", "pred", "modelanswer", "result", "ответмодели"),
        *("modellantwort", "antwortdesmodells", "ausgabe", "réponsedumodèle", "respuestadelmodelo"),
        *("rispostadelmodello", "respostadomodelo"),
    ),
    "extracted": ("extracted", "extractedanswer", "parsed", "parsedanswer", "prediction", "pred", "modelanswer"),
    "sample": ("sample", "epoch", "repeat", "run", "trial", "attempt"),
    "worth": (*SAY_RIGHT, *ANYTHING),
    "cost_usd": (
        *("cost", "costusd", "usd", "totalcost", "kostenusd", "coûtusd", "coutusd", "costeusd", "costousd", "custousd"),
    ),
    "prompt_tokens": ("prompttokens", "inputtokens", "tokensin"),
    "completion_tokens": ("completiontokens", "outputtokens", "tokensout"),
    "reasoning_tokens": ("reasoningtokens", "thinkingtokens"),
    "total_tokens": ("totaltokens",),
    "seconds": ("seconds", "latency", "latencys", "duration", "durations", "time"),
    "milliseconds": ("latencyms", "durationms", "milliseconds", "ms"),
}
"""What the columns about replies are called, as `plain` makes it. A cost in other words than English says its currency too."""

ELSEWHERE: Mapping[str, tuple[str, ...]] = {
    "text": ("frage", "fragetext", "fragestellung", "pregunta", "domanda", "pergunta"),
    "answer": (
        *("antwort", "richtigeantwort", "korrekteantwort", "lösung", "loesung", "musterlösung", "musterantwort"),
        *("réponse", "reponse", "bonneréponse", "respuesta", "respuestacorrecta", "risposta", "rispostacorretta"),
        *("rispostagiusta", "resposta", "respostacorreta", "respostacerta"),
    ),
}


_UNIT = re.compile(r"[(\[]([^()\[\]]{1,20})[)\]]\s?\Z")
_TIMES = frozenset(
    (
        *(
            "time",
            "latency",
            "duration",
            "elapsed",
            "responsetime",
            "zeit",
            "dauer",
            "laufzeit",
            "antwortzeit",
            "temps",
        ),
        *(
            "durée",
            "duree",
            "tiempo",
            "duración",
            "duracion",
            "tempo",
            "durata",
            "duração",
            "duracao",
            "время",
            "задержка",
        ),
    )
)
_COSTS = frozenset(
    (
        "cost",
        "costs",
        "price",
        "kosten",
        "preis",
        "coût",
        "cout",
        "prix",
        "costo",
        "coste",
        "custo",
        "стоимость",
        "цена",
    )
)
_UNITS: Mapping[str, str] = {
    **dict.fromkeys(("s", "sec", "secs", "second", "seconds", "sek", "sekunden", "с", "сек"), "latencys"),
    **dict.fromkeys(("ms", "msec", "millis", "milliseconds", "мс"), "latencyms"),
    **dict.fromkeys(("usd", "$", "us$", "us-dollar", "dollars"), "costusd"),
}
"""What a time or a cost in this unit is called, in whatever language."""


def bare_name(words: str) -> str:
    """cost ($) as costusd, Zeit (s) as latencys, Correct? as correct."""
    found = _UNIT.search(words)
    called = _UNITS.get(found[1].strip().casefold()) if found is not None else None
    if found is not None and called is not None:
        what = plain(words[: found.start()])
        if what in (_COSTS if called == "costusd" else _TIMES):
            return called
    return re.sub(r"[()\[\]]", "", plain(words)).replace("us$", "usd").replace("$", "usd").rstrip("?")


def named(names: Sequence[str], key: str) -> str | None:
    """In the order in which names of this kind are looked for."""
    by_name = {bare_name(name): name for name in names} | {plain(name): name for name in names}
    return next((by_name[known] for known in NAMES[key] if known in by_name), None)


_FEWEST_NUMBERS = 3


def guessed_anywhere(names: Sequence[str]) -> Guess:
    """As every table of questions is guessed; what is in doubt or missing then, by these names."""
    guess = guessed(names, {"human": None})  # which nothing here is made of, and may as well have replied
    settled: dict[str, ColumnNames] = {}
    if "choices" not in {*guess.columns, *guess.doubts} and "answer" in guess.columns and (numbers := _numbers(names)):
        settled["choices"] = numbers
    for key, known in ELSEWHERE.items():
        found = [name for name in names if plain(name) in known]
        if key not in guess.columns and key not in guess.doubts and len(found) == 1:
            settled[key] = found[0]
    if not settled:
        return guess
    again = guessed(names, {"human": None, **settled})
    return Guess({**settled, **again.columns}, again.doubts)


def _numbers(names: Sequence[str]) -> tuple[str, ...]:
    """Columns called 1, 2, 3: no model is called so."""
    bare = {name.strip(): name for name in names}
    for first in (0, 1):
        there = tuple(bare[str(n)] for n in takewhile(lambda n: str(n) in bare, range(first, first + MOST_CHOICES)))
        if len(there) >= _FEWEST_NUMBERS:
            return there
    return ()
