"""What the columns of a table of replies are called: those about the replies, and those of the question in other languages than
the two that every table of questions is read in.

Whoever imports a table can name no columns: so a name that says it plainly is taken, where one column alone has it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from moot.data.logs.csv_verdicts import ANYTHING, SAY_RIGHT
from moot.data.tables.known_names import ColumnNames, Guess, guessed, plain

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


def named(names: Sequence[str], key: str) -> str | None:
    """In the order in which names of this kind are looked for."""
    by_plain = {plain(name): name for name in names}
    return next((by_plain[known] for known in NAMES[key] if known in by_plain), None)


def guessed_anywhere(names: Sequence[str]) -> Guess:
    """As every table of questions is guessed; what is in doubt or missing then, by these names."""
    guess = guessed(names, {})
    settled: dict[str, ColumnNames] = {}
    for key, known in ELSEWHERE.items():
        found = [name for name in names if plain(name) in known]
        if key not in guess.columns and key not in guess.doubts and len(found) == 1:
            settled[key] = found[0]
    if not settled:
        return guess
    again = guessed(names, settled)
    return Guess({**settled, **again.columns}, again.doubts)
