"""Small tables in the forms of public question sets and of the tools people make quizzes with, and what is asked by each.

The rows are our own; the headers and the forms of the cells are those that everybody downloads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Asked:
    """A question as a model would see it, and what is right."""

    text: str
    right: str | None
    choices: tuple[str, ...] = ()
    context: str | None = None
    accepted: tuple[str, ...] = ()


@dataclass(frozen=True)
class PublicTable:
    name: str
    content: str | Rows
    asked: tuple[Asked, ...]
    """The first questions of it."""
    advised: int = 0
    """How many times it is refused, each time with a line to be pasted before it is played."""
    which: str | None = None
    """The column somebody puts where the line leaves it open."""
    drawn: bool = False
    """Whether the order of the choices is drawn."""


def _told(about: str) -> str:
    """A passage."""
    return f"{about} was seen by two travellers on the old road, who wrote of it at length when they came home at last."


PLANETS = ("Mars", "Jupiter", "Venus", "Saturn")
METALS = ("Silver", "Iron", "Lead", "Gold")
LARGEST, SIGN, RIVER = "Which planet is the largest?", "Which metal has the sign Au?", "Which river is in Egypt?"
RIVERS = ("Nile", "Kongo", "Niger", "Volta")
ASKED = (Asked(LARGEST, "Jupiter", PLANETS), Asked(SIGN, "Gold", METALS), Asked(RIVER, "Nile", RIVERS))
THREE = ((LARGEST, PLANETS, 1), (SIGN, METALS, 3), (RIVER, RIVERS, 0))
OPEN = tuple(Asked(asked.text, asked.right) for asked in ASKED)
WITH_PASSAGES = tuple(
    Asked(asked.text, asked.right, asked.choices, _told(about))
    for asked, about in zip(ASKED, ("The sky", "The metal", "The river"), strict=True)
)
PASSAGES = tuple(str(asked.context) for asked in WITH_PASSAGES)
OPEN_WITH_PASSAGES = tuple(Asked(asked.text, asked.right, (), asked.context) for asked in WITH_PASSAGES)


def _apart(stem: str, ends: str, choices: Sequence[str]) -> dict[str, str]:
    return {f"{stem}{end}": choice for end, choice in zip(ends, choices, strict=True)}


def _rows(make: Any) -> Rows:
    """`make`: a row of a number, its question, choices and the place of the right one."""
    return [make(number, *row) for number, row in enumerate(THREE)]


def _numpy(choices: Sequence[str]) -> str:
    return f"[{' '.join(map(repr, choices[:2]))}\n {' '.join(map(repr, choices[2:]))}]"


def _labelled(choices: Sequence[str], labels: str = "ABCD") -> dict[str, list[str]]:
    return {"text": list(choices), "label": list(labels)}


def _wrong(choices: Sequence[str], place: int) -> list[str]:
    return [*choices[:place], *choices[place + 1 :]]


MULTIPLE_CHOICE = (
    PublicTable(
        "mmlu.jsonl",
        _rows(lambda n, text, choices, place: {"question": text, "subject": "x", "choices": choices, "answer": place}),
        ASKED,
    ),
    PublicTable(
        "mmlu.parquet",
        _rows(lambda n, text, choices, place: {"question": text, "choices": list(choices), "answer": place}),
        ASKED,
    ),
    PublicTable(
        "mmlu-by-pandas.csv",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "subject": "astronomy",
                "choices": _numpy(choices),
                "answer": place,
            }
        ),
        ASKED,
    ),
    PublicTable(
        "mmlu-pro.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "question_id": 70 + n,
                "question": text,
                "options": choices,
                "answer": "ABCD"[place],
                "answer_index": place,
                "cot_content": "A: Let's think step by step. There are several, and one of these must be it, as we know"
                + f" from book {n}.",
                "category": "other",
                "src": "ori",
            }
        ),
        ASKED,
    ),
    PublicTable(
        "arc.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"M_{n}",
                "question": text,
                "choices": _labelled(choices, "ABCD" if n else "1234"),
                "answerKey": ("ABCD" if n else "1234")[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "arc.parquet",
        _rows(
            lambda n, text, choices, place: {
                "id": f"M_{n}",
                "question": text,
                "choices": _labelled(choices),
                "answerKey": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "arc-by-pandas.csv",
        _rows(
            lambda n, text, choices, place: {
                "id": f"M_{n}",
                "question": text,
                "choices": f"{{'text': array({list(choices)!r}, dtype=object),\n 'label': array(['A', 'B', 'C', 'D'],"
                " dtype=object)}",
                "answerKey": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "arc-as-published.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"M_{n}",
                "question": {
                    "stem": text,
                    "choices": [{"text": each, "label": label} for each, label in zip(choices, "ABCD", strict=True)],
                },
                "answerKey": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "commonsense-qa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"{n}f",
                "question": text,
                "question_concept": "sky",
                "choices": _labelled(choices),
                "answerKey": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "openbookqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"7-{n}",
                "question_stem": text,
                "choices": _labelled(choices),
                "answerKey": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "hellaswag.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "ind": n,
                "activity_label": "Asking",
                "ctx_a": text,
                "ctx_b": "",
                "ctx": text,
                "endings": choices,
                "source_id": f"activitynet~v_{n}",
                "split": "val",
                "split_type": "indomain",
                "label": str(place),
            }
        ),
        ASKED,
    ),
    PublicTable(
        "swag.csv",
        ",video-id,fold-ind,startphrase,sent1,sent2,gold-source,ending0,ending1,ending2,ending3,label\n"
        "0,a1,3416,Someone opens the old door. She,Someone opens the old door.,She,gold,swims.,walks in.,is a door.,barks.,1\n"
        "1,a2,3417,The man takes his bow. He,The man takes his bow.,He,gold,plays.,sinks.,melts.,rains.,0\n",
        (
            Asked("Someone opens the old door. She", "walks in.", ("swims.", "walks in.", "is a door.", "barks.")),
            Asked("The man takes his bow. He", "plays.", ("plays.", "sinks.", "melts.", "rains.")),
        ),
    ),
    PublicTable(
        "piqa.jsonl",
        [
            {"goal": "How do I open a jar?", "sol1": "Twist the lid.", "sol2": "Paint the lid.", "label": 0},
            {"goal": "To dry a shirt", "sol1": "put it in water.", "sol2": "hang it in the sun.", "label": 1},
        ],
        (
            Asked("How do I open a jar?", "Twist the lid.", ("Twist the lid.", "Paint the lid.")),
            Asked("To dry a shirt", "hang it in the sun.", ("put it in water.", "hang it in the sun.")),
        ),
    ),
    PublicTable(
        "winogrande.jsonl",
        [
            {"sentence": "Ann thanked Eva since _ had helped.", "option1": "Ann", "option2": "Eva", "answer": "2"},
            {
                "sentence": "The cup is not in the bag as _ is too big.",
                "option1": "cup",
                "option2": "bag",
                "answer": "1",
            },
        ],
        (
            Asked("Ann thanked Eva since _ had helped.", "Eva", ("Ann", "Eva")),
            Asked("The cup is not in the bag as _ is too big.", "cup", ("cup", "bag")),
        ),
    ),
    PublicTable(
        "siqa.jsonl",
        [
            {
                "context": "Kim gave Lee the key.",
                "question": "What does Lee want?",
                **_apart("answer", "ABC", ("to sleep", "to go in", "to cook")),
                "label": "2",
            },
            {
                "context": "Lee fell in the mud.",
                "question": "How does Lee feel?",
                **_apart("answer", "ABC", ("dirty", "proud", "tall")),
                "label": "1",
            },
        ],
        (
            Asked("What does Lee want?", "to go in", ("to sleep", "to go in", "to cook"), "Kim gave Lee the key."),
            Asked("How does Lee feel?", "dirty", ("dirty", "proud", "tall"), "Lee fell in the mud."),
        ),
    ),
    PublicTable(
        "cosmosqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"3Q{n}",
                "context": PASSAGES[n],
                "question": text,
                **_apart("answer", "0123", choices),
                "label": place,
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "copa.jsonl",
        [
            {
                "premise": "The lamp went out.",
                "choice1": "I read.",
                "choice2": "It broke.",
                "question": "cause",
                "idx": 0,
                "label": 1,
            },
            {
                "premise": "The glass fell.",
                "choice1": "It broke.",
                "choice2": "I slept.",
                "question": "effect",
                "idx": 1,
                "label": 0,
            },
        ],
        (
            Asked("cause", "It broke.", ("I read.", "It broke."), "The lamp went out."),
            Asked("effect", "It broke.", ("It broke.", "I slept."), "The glass fell."),
        ),
    ),
    PublicTable(
        "medqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "answer": choices[place],
                "options": _apart("", "ABCD", choices),
                "meta_info": "step1",
                "answer_idx": "ABCD"[place],
                "metamap_phrases": ["planet"],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "medqa-by-pandas.csv",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "answer": choices[place],
                "options": str(_apart("", "ABCD", choices)),
                "answer_idx": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "medqa-bigbio.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "meta_info": "step1",
                "question": text,
                "answer_idx": "ABCD"[place],
                "answer": choices[place],
                "options": [{"key": key, "value": each} for key, each in zip("ABCD", choices, strict=True)],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "medmcqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"e{n}",
                "question": text,
                **_apart("op", "abcd", choices),
                "cop": place,
                "choice_type": "single",
                "exp": f"Number {n} is right as is told by all of the books that are read in the schools of the land.",
                "subject_name": "Sky",
                "topic_name": None if n else "Planets",
            }
        ),
        ASKED,
    ),
    PublicTable(
        "agieval.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "passage": PASSAGES[n],
                "question": text,
                "options": [f"({label}){each}" for label, each in zip("ABCD", choices, strict=True)],
                "label": "ABCD"[place],
                "answer": None,
                "other": {"solution": "so"},
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "agieval-cloze.jsonl",
        [
            {
                "passage": None,
                "question": "What is 2 + 2?",
                "options": None,
                "label": None,
                "answer": "4",
                "other": None,
            },
            {
                "passage": None,
                "question": "What is 2 + 3?",
                "options": None,
                "label": None,
                "answer": "5",
                "other": None,
            },
        ],
        (Asked("What is 2 + 2?", "4"), Asked("What is 2 + 3?", "5")),
    ),
    PublicTable(
        "race.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "example_id": f"high{n}.txt",
                "article": PASSAGES[n],
                "answer": "ABCD"[place],
                "question": text,
                "options": choices,
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "reclor.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "context": PASSAGES[n],
                "question": text,
                "answers": choices,
                "label": place,
                "id_string": f"train_{n}",
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "logiqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "context": PASSAGES[n],
                "query": text,
                "options": choices,
                "correct_option": place,
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "musr.csv",
        _rows(
            lambda n, text, choices, place: {
                "narrative": PASSAGES[n],
                "question": text,
                "choices": str(list(choices)),
                "answer_index": place,
                "answer_choice": choices[place],
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "belebele.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "link": f"https://en.wikibooks.org/wiki/{n}",
                "question_number": 1,
                "flores_passage": PASSAGES[n],
                "question": text,
                **_apart("mc_answer", "1234", choices),
                "correct_answer_num": str(place + 1),
                "dialect": "eng_Latn",
                "ds": "2023-05-03",
            }
        ),
        WITH_PASSAGES,
    ),
    PublicTable(
        "aqua.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "options": [f"{label}){each}" for label, each in zip("ABCD", choices, strict=True)],
                "rationale": f"It is number {n}, as all of us have learnt at school, so that one is the answer.",
                "correct": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "cmmlu.csv",
        _rows(
            lambda n, text, choices, place: {
                "": n,
                "Question": text,
                **_apart("", "ABCD", choices),
                "Answer": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "sciq.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                **_apart("distractor", "312", _wrong(choices, place)),
                "correct_answer": choices[place],
                "support": PASSAGES[n],
            }
        ),
        WITH_PASSAGES,
        drawn=True,
    ),
    PublicTable(
        "gpqa.csv",
        _rows(
            lambda n, text, choices, place: {
                "Pre-Revision Question": f"{text} Please say which of all of these it is, and say it in one word.",
                "Question": text,
                "Correct Answer": choices[place],
                **_apart("Incorrect Answer ", "123", _wrong(choices, place)),
                "Explanation": f"All of the books say that it is {choices[place]}, as it is taught in all schools.",
                "Feedback_EV_1": f"I have checked question {n} and find that it is as good as it can be for now.",
                "Self-reported time (minutes)": 12,
                "High-level domain": "Physics",
                "Canary String": "This must not be in any corpus for training; canary 26b5c67b which is a long text in"
                " all rows, so that whoever looks for it finds it wherever it has gone, be it ever so far away from here.",
                "Record ID": f"rec{n}",
            }
        ),
        ASKED,
        drawn=True,
    ),
)

OPEN_ANSWERS = (
    PublicTable(
        "squad.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "id": f"5{n}",
                "title": "A road",
                "context": PASSAGES[n],
                "question": text,
                "answers": {
                    "text": [choices[place], choices[place], f"the {choices[place]}"],
                    "answer_start": [1, 1, 0],
                },
            }
        ),
        tuple(Asked(asked.text, asked.right, (), asked.context, (f"the {asked.right}",)) for asked in WITH_PASSAGES),
    ),
    PublicTable(
        "squad-2.parquet",
        [
            {
                "id": "1",
                "context": PASSAGES[0],
                "question": LARGEST,
                "answers": {"text": ["Jupiter"], "answer_start": [3]},
            },
            {"id": "2", "context": PASSAGES[1], "question": SIGN, "answers": {"text": [], "answer_start": []}},
        ],
        (Asked(LARGEST, "Jupiter", (), PASSAGES[0]), Asked(SIGN, None, (), PASSAGES[1])),
    ),
    PublicTable(
        "squad-by-pandas.csv",
        _rows(
            lambda n, text, choices, place: {
                "id": f"5{n}",
                "context": PASSAGES[n],
                "question": text,
                "answers": f"{{'text': array(['{choices[place]}'], dtype=object), 'answer_start': array([177], dtype=int32)}}",
            }
        ),
        OPEN_WITH_PASSAGES,
    ),
    PublicTable(
        "triviaqa.jsonl",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "question_id": f"tc_{n}",
                "question_source": "http://www.triviacountry.com/",
                "entity_pages": {"title": [], "wiki_context": []},
                "search_results": {"title": [], "search_context": []},
                "answer": {
                    "aliases": [f"The {choices[place]}", choices[place]],
                    "normalized_aliases": [f"the {choices[place]}".lower()],
                    "matched_wiki_entity_name": "",
                    "normalized_value": choices[place].lower(),
                    "type": "WikipediaEntity",
                    "value": choices[place],
                },
            }
        ),
        tuple(Asked(asked.text, asked.right, accepted=(f"The {asked.right}",)) for asked in ASKED),
    ),
    PublicTable(
        "pubmedqa.jsonl",
        [
            {
                "pubid": 21645374 + n,
                "question": f"Do leaves of plant {n} die?",
                "context": {
                    "contexts": [PASSAGES[n], "And so on."],
                    "labels": ["BACKGROUND", "RESULTS"],
                    "meshes": ["Leaf"],
                },
                "long_answer": f"Results show that the leaves of plant {n} die as was said before by those who saw them.",
                "final_decision": ("yes", "no", "maybe")[n],
            }
            for n in range(3)
        ],
        (
            Asked("Do leaves of plant 0 die?", "yes", (), f"{PASSAGES[0]}\n\nAnd so on."),
            Asked("Do leaves of plant 1 die?", "no", (), f"{PASSAGES[1]}\n\nAnd so on."),
        ),
    ),
    PublicTable(
        "pubmedqa-yes-no.csv",
        [
            {
                "pubid": 21645374 + n,
                "question": f"Do leaves of plant {n} die?",
                "context": PASSAGES[n],
                "long_answer": f"Results show that the leaves of plant {n} die as was said before by those who saw them.",
                "final_decision": ("yes", "no", "no")[n],
            }
            for n in range(3)
        ],
        (
            Asked("Do leaves of plant 0 die?", "yes", (), PASSAGES[0]),
            Asked("Do leaves of plant 1 die?", "no", (), PASSAGES[1]),
        ),
    ),
    PublicTable(
        "pubmedqa-as-published.json",
        '{"216": {"QUESTION": "Do leaves die?", "CONTEXTS": ["They fall down in the autumn.", "They rot."], "LABELS": ["A", "B"],'
        ' "MESHES": ["x"], "YEAR": "2011", "LONG_ANSWER": "They do so.", "final_decision": "yes"},'
        ' "217": {"QUESTION": "Do stones die?", "CONTEXTS": ["They lie on the ground for ever."], "LABELS": ["A"],'
        ' "MESHES": ["y"], "YEAR": "2012", "LONG_ANSWER": "They do not.", "final_decision": "no"}}',
        (
            Asked("Do leaves die?", "yes", (), "They fall down in the autumn.\n\nThey rot."),
            Asked("Do stones die?", "no", (), "They lie on the ground for ever."),
        ),
    ),
    PublicTable(
        "svamp.jsonl",
        [
            {
                "ID": "chal-1",
                "Body": "Each pack of books costs 76 coins, and you get 25 off.",
                "Question": "What is it now?",
                "Equation": "( 76.0 - 25.0 )",
                "Answer": "51.0",
                "Type": "Subtraction",
            },
            {
                "ID": "chal-2",
                "Body": "Ann had 3 apples, and then she had eaten 2 of these apples.",
                "Question": "How many are left?",
                "Equation": "( 3.0 - 2.0 )",
                "Answer": "1.0",
                "Type": "Subtraction",
            },
        ],
        (
            Asked("What is it now?", "51.0", (), "Each pack of books costs 76 coins, and you get 25 off."),
            Asked("How many are left?", "1.0", (), "Ann had 3 apples, and then she had eaten 2 of these apples."),
        ),
    ),
    PublicTable(
        "math500.jsonl",
        [
            {
                "problem": f"Find {n} + {n}.",
                "solution": f"We add {n} and {n}, which gives twice as much, and so we have found it: {2 * n}.",
                "answer": str(2 * n),
                "subject": "Algebra",
                "level": 1,
                "unique_id": f"test/algebra/{n}.json",
            }
            for n in range(3, 6)
        ],
        (Asked("Find 3 + 3.", "6"), Asked("Find 4 + 4.", "8")),
    ),
    PublicTable(
        "aime.jsonl",
        [
            {
                "ID": f"2024-I-{n}",
                "Problem": f"Find {n} + {n}.",
                "Solution": f"We add {n} and {n} and find what it is: {2 * n}.",
                "Answer": 2 * n,
            }
            for n in range(3, 6)
        ],
        (Asked("Find 3 + 3.", "6"), Asked("Find 4 + 4.", "8")),
    ),
    PublicTable(
        "alpaca.json",
        [
            {"instruction": "Turn this into one word.", "input": "the planet that is the largest", "output": "Jupiter"},
            {"instruction": LARGEST, "input": "", "output": "Jupiter"},
        ],
        (
            Asked("Turn this into one word.", "Jupiter", (), "the planet that is the largest"),
            Asked(LARGEST, "Jupiter"),
        ),
    ),
    PublicTable(
        "alpaca-on-the-hub.jsonl",
        [
            {
                "instruction": asked.text,
                "input": "",
                "output": asked.right,
                "text": "Below is an instruction that describes a task. "
                f"### Instruction: {asked.text} ### Response: {asked.right}",
            }
            for asked in OPEN
        ],
        OPEN,
    ),
    PublicTable(
        "dolly.jsonl",
        [
            {"instruction": asked.text, "context": asked.context, "response": asked.right, "category": "closed_qa"}
            for asked in OPEN_WITH_PASSAGES
        ],
        OPEN_WITH_PASSAGES,
    ),
    PublicTable(
        "simpleqa.csv",
        [
            {
                "metadata": f"{{'topic': 'Sky', 'answer_type': 'Person', 'urls': ['https://en.org/{n}', 'https://en.org/b{n}',"
                f" 'https://en.org/c/{n}', 'https://en.org/d/{n}']}}",
                "problem": asked.text,
                "answer": asked.right,
            }
            for n, asked in enumerate(OPEN)
        ],
        OPEN,
    ),
    PublicTable(
        "hotpotqa.jsonl",
        [
            {
                "id": f"5a{n}",
                "question": asked.text,
                "answer": asked.right,
                "type": "bridge",
                "level": "hard",
                "supporting_facts": {"title": ["Sky"], "sent_id": [0]},
                "context": {"title": ["Sky", "Road"], "sentences": [["It is blue.", " It is high."], [PASSAGES[n]]]},
            }
            for n, asked in enumerate(OPEN)
        ],
        tuple(
            Asked(asked.text, asked.right, (), f"Sky: It is blue. It is high.\n\nRoad: {passage}")
            for asked, passage in zip(OPEN, PASSAGES, strict=True)
        ),
    ),
    PublicTable(
        "musique.jsonl",
        [
            {
                "id": f"2hop__{n}",
                "paragraphs": [{"idx": 0, "title": "Sky", "paragraph_text": PASSAGES[n], "is_supporting": True}],
                "question": asked.text,
                "answer": asked.right,
                "answer_aliases": [],
                "answerable": True,
            }
            for n, asked in enumerate(OPEN)
        ],
        tuple(
            Asked(asked.text, asked.right, (), f"Sky: {passage}") for asked, passage in zip(OPEN, PASSAGES, strict=True)
        ),
    ),
    *(
        PublicTable(
            f"{name.lower().replace(' ', '-')}.csv",
            [{name: asked.context, "question": asked.text, "answer": asked.right} for asked in OPEN_WITH_PASSAGES],
            OPEN_WITH_PASSAGES,
        )
        for name in ("Story", "Document", "Passage", "Article", "Source text", "Reading passage")
    ),
    PublicTable(
        "passages-without-a-known-name.csv",
        [{"question": asked.text, "Lore": asked.context, "answer": asked.right} for asked in OPEN_WITH_PASSAGES],
        OPEN_WITH_PASSAGES,
        advised=1,
    ),
    PublicTable(
        "passages-of-a-german-quiz.csv",
        [{"Frage": asked.text, "Lesestück": asked.context, "Lösung": asked.right} for asked in OPEN_WITH_PASSAGES],
        OPEN_WITH_PASSAGES,
        advised=2,
    ),
    PublicTable(
        "jeopardy.csv",
        [
            {
                "Show Number": 4680,
                " Air Date": "2004-12-31",
                " Round": "Jeopardy!",
                " Category": "SKY",
                " Value": "$200",
                " Question": asked.text,
                " Answer": asked.right,
            }
            for asked in OPEN
        ],
        OPEN,
    ),
)

QUIZ_TOOLS = (
    PublicTable(
        "gimkit.csv",
        _rows(
            lambda n, text, choices, place: {
                "Question": text,
                "Correct Answer": choices[place],
                "Incorrect Answer 1": _wrong(choices, place)[0],
                "Incorrect Answer 2 (Optional)": _wrong(choices, place)[1],
                "Incorrect Answer 3 (Optional)": _wrong(choices, place)[2],
            }
        ),
        ASKED,
        drawn=True,
    ),
    PublicTable(
        "optional.csv",
        _rows(
            lambda n, text, choices, place: {
                "Question": text,
                "Option A": choices[0],
                "Option B": choices[1],
                "Option C (optional)": choices[2],
                "Option D (optional)": choices[3],
                "Correct Answer": "ABCD"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "blooket.csv",
        _rows(
            lambda n, text, choices, place: {
                "Question #": n + 1,
                "Question Text": text,
                "Answer 1": choices[0],
                "Answer 2": choices[1],
                "Answer 3\n(Optional)": choices[2],
                "Answer 4\n(Optional)": choices[3],
                "Time Limit (sec)\n(Max: 300 seconds)": 20,
                "Correct Answer(s)\n(Only include Answer #)": place + 1,
            }
        ),
        ASKED,
    ),
    PublicTable(
        "kahoot.csv",
        _rows(
            lambda n, text, choices, place: {
                "Question - max 120 characters": text,
                **{f"Answer {each + 1} - max 75 characters": choice for each, choice in enumerate(choices)},
                "Time limit (sec) – 5, 10, 20, 30, 60, 90, 120, or 240 secs": 20,
                "Correct answer(s) - choose at least one": place + 1,
            }
        ),
        ASKED,
    ),
    PublicTable(
        "quizizz.csv",
        _rows(
            lambda n, text, choices, place: {
                "Question Text": text,
                "Question Type": "Multiple Choice",
                **_apart("Option ", "1234", choices),
                "Option 5": "",
                "Correct Answer": place + 1,
                "Time in seconds": 30,
                "Image Link": "",
            }
        ),
        ASKED,
    ),
    PublicTable(
        "open-trivia.json",
        '{"response_code": 0, "results": ['
        '{"type": "multiple", "difficulty": "easy", "category": "Entertainment: Books", '
        '"question": "Who wrote &quot;Faust&quot;?",'
        ' "correct_answer": "Goethe &amp; nobody", "incorrect_answers": ["Kant", "O&#039;Neill", "Marx"]},'
        '{"type": "boolean", "difficulty": "easy", "category": "Sky", "question": "Is the sky high?",'
        ' "correct_answer": "True", "incorrect_answers": ["False"]}]}',
        (
            Asked('Who wrote "Faust"?', "Goethe & nobody", ("Goethe & nobody", "Kant", "Marx", "O'Neill")),
            Asked("Is the sky high?", "True", ("False", "True")),
        ),
        drawn=True,
    ),
    PublicTable(
        "the-trivia-api.json",
        _rows(
            lambda n, text, choices, place: {
                "category": "science",
                "id": f"622{n}",
                "correctAnswer": choices[place],
                "incorrectAnswers": _wrong(choices, place),
                "question": {"text": text},
                "tags": ["science"],
                "type": "text_choice",
                "difficulty": "easy",
            }
        ),
        ASKED,
        drawn=True,
    ),
    PublicTable("flashcards.csv", [{"Front": each.text, "Back": each.right, "Tags": "sky"} for each in OPEN], OPEN),
    PublicTable(
        "anki.txt",
        "#separator:tab\n#html:true\n#tags column:3\n"
        + "".join(f"{each.text.replace('?', '&#63;')}<br>\t<b>{each.right}</b>\tsky road\n" for each in OPEN),
        OPEN,
    ),
    PublicTable(
        "anki-with-columns.txt",
        "#separator:Semicolon\n#html:false\n#columns:Question;Answer;Tags\n"
        + "".join(f"{each.text};{each.right};sky\n" for each in OPEN),
        OPEN,
    ),
    PublicTable(
        "quiz-of-a-page.json",
        _rows(
            lambda n, text, choices, place: {
                "question": text,
                "options": _apart("", "abcd", choices),
                "answer": "abcd"[place],
            }
        ),
        ASKED,
    ),
    PublicTable(
        "quiz-under-a-key.json",
        '{"title": "Sky", "questions": [{"question": "Which planet is the largest?", "options": ["Mars", "Jupiter", "Venus",'
        ' "Saturn"], "correctAnswer": "Jupiter"}, {"question": "Which river is in Egypt?", "options": ["Nile", "Kongo",'
        ' "Niger", "Volta"], "correctAnswer": "Nile"}]}',
        (ASKED[0], ASKED[2]),
    ),
)

TABLES = (*MULTIPLE_CHOICE, *OPEN_ANSWERS, *QUIZ_TOOLS)
