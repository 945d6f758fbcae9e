"""Small tables in the forms in which public sets of questions are published, and what a model says that is right about each.

Their columns and the way references are written are those of the sets; the questions are our own.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Rows = Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class PublicTable:
    name: str
    rows: Rows
    right: Sequence[str] = ()
    """What is said by who is right, in the order of the rows."""
    refused: str = ""
    """In the message of a table that nobody can read as it is."""
    ending: str = ".jsonl"
    more: str = ""
    """What the experiment file says beside the file."""

    def write(self, folder: Path) -> Path:
        path = folder / f"{self.name}{self.ending}"
        if self.ending == ".jsonl":
            path.write_text("".join(json.dumps(row) + "\n" for row in self.rows))
        else:
            with path.open("w", newline="") as file:
                table = csv.DictWriter(file, list(self.rows[0]), delimiter="\t" if self.ending == ".tsv" else ",")
                table.writeheader()
                table.writerows(self.rows)
        return path


class Printed:
    """A cell as pandas writes an array of NumPy."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts

    def __str__(self) -> str:
        return f"[{' '.join(map(repr, self.texts))}]"


GSM8K = [
    {
        "question": "A baker fills 3 trays with 4 buns each and sells 2 buns. How many buns are left?",
        "answer": "There are 3*4=<<3*4=12>>12 buns.\nThen 12-2=<<12-2=10>>10 buns are left.\n#### 10",
    },
    {
        "question": "A hall has 50 rows of 24 seats. How many seats are in it?",
        "answer": "It has 50*24=<<50*24=1200>>1200 seats.\n#### 1,200",
    },
]
MATH = [
    {
        "problem": "What is the probability that a fair coin shows heads?",
        "level": "Level 1",
        "type": "Counting & Probability",
        "solution": r"One of two sides is heads, so it is $\boxed{\frac{1}{2}}$.",
    },
    {
        "problem": "Compute $3 + 4 \\cdot 2$.",
        "level": "Level 1",
        "type": "Prealgebra",
        "solution": r"First $4\cdot 2 = \boxed{8}$, then the sum is $\boxed{11}$.",
    },
    {
        "problem": "Which sequence is longer?",
        "level": "Level 2",
        "type": "Algebra",
        "solution": "The second, since\n\\[\\{1, 2, 3\\}\\]\nhas three members: $\\boxed{\\text{the second}}$.",
    },
]
BOOLQ_PASSAGES = (
    "The harbour of Lissow freezes every winter.",
    "The bridge was built in 1931 and has not been closed since.",
)
BOOLQ_QUESTIONS = ("does the harbour of lissow freeze in winter", "is the bridge of 1931 closed")


def boolq(column: str, words: Sequence[Any]) -> Rows:
    every = zip(BOOLQ_QUESTIONS, words, BOOLQ_PASSAGES, strict=True)
    return [{"question": text, column: word, "passage": passage} for text, word, passage in every]


def of_choices(**columns: Sequence[Any]) -> Rows:
    return [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]


PLANETS = ("Which planet is the largest?", "Which planet is nearest to the sun?")
NAMES = (("Mars", "Jupiter", "Venus", "Earth"), ("Saturn", "Neptune", "Uranus", "Mercury"))
RIGHT_PLANETS = ("Jupiter", "Mercury")
TABLES = (
    PublicTable("gsm8k", GSM8K, ("10", "1200")),
    PublicTable("gsm8k-as-a-table", GSM8K, ("10", "1,200"), ending=".csv"),
    PublicTable("gsm8k-in-our-form", [
        {"id": f"q{place}", "text": row["question"], "answer": row["answer"]} for place, row in enumerate(GSM8K)
    ], ("10.0", "1200")),
    PublicTable("math", MATH, ("1/2", "11", "the second")),
    PublicTable("hendrycks-as-a-table", MATH, (r"\frac{1}{2}", "11", "The second."), ending=".csv"),
    PublicTable("boolq", boolq("answer", (True, False)), ("yes", "no")),
    PublicTable("boolq-as-a-table", boolq("answer", (True, False)), ("Yes", "no"), ending=".csv"),
    PublicTable("boolq-in-capitals", boolq("answer", ("TRUE", "FALSE")), ("yes", "No."), ending=".csv"),
    PublicTable("boolq-in-words", boolq("answer", ("yes", "no")), ("true", "false"), ending=".csv"),
    PublicTable("boolq-in-letters", boolq("answer", ("Y", "N")), ("yes", "no"), ending=".csv"),
    PublicTable("super-glue-boolq", boolq("label", (1, 0)), ("yes", "no")),
    PublicTable("super-glue-boolq-as-a-table", boolq("label", ("1.0", "0.0")), ("yes", "no"), ending=".csv"),
    PublicTable("boolq-in-our-form", [
        {"id": "1", "text": "Is ice cold?", "answer": True}, {"id": "2", "text": "Is fire wet?", "answer": "False"},
    ], ("yes", "no")),
    PublicTable("rte", of_choices(
        question=("The bridge is old. Hence: a bridge exists.", "It rains. Hence: it snows."), label=(0, 1),
    ), refused="columns: {answer: WHICH_COLUMN}, or kind: yes-no (1 is yes)"),
    PublicTable("rte-where-the-file-says-so", of_choices(
        question=("The bridge is old. Does it follow that a bridge exists?", "It rains. So it snows?"), label=(1, 0),
    ), ("yes", "no"), more="kind: yes-no"),
    PublicTable("cb", of_choices(
        question=("He left. He was there before.", "It rains. It is dry.", "It rains. He left."), label=(0, 1, 2),
    ), refused="or kind: open (the number is the answer)", ending=".csv"),
    PublicTable("rte-with-names", of_choices(
        question=("The bridge is old. Hence: a bridge exists.", "It rains. Hence: it snows."),
        label=("entailment", "not_entailment"),
    ), ("entailment", "not entailment")),
    PublicTable("nq-open", of_choices(
        question=("when was the bridge of lissow opened", "who painted the old harbour"),
        answer=(["4 May 1931", "1931", "May 1931"], ["Ann Reed"]),
    ), ("May 1931", "ann reed")),
    PublicTable("nq-open-as-a-table", of_choices(
        question=("when was the bridge of lissow opened", "who painted the old harbour"),
        answer=(["4 May 1931", "1931"], ["Ann Reed"]),
    ), ("1931", "Ann Reed"), ending=".csv"),
    PublicTable("nq-open-as-numpy-prints-it", of_choices(
        question=("when was the bridge of lissow opened", "who painted the old harbour"),
        answer=(Printed("4 May 1931", "1931"), Printed("Ann Reed", "A. O'Reed")),
    ), ("1931", "A. O'Reed"), ending=".csv"),
    PublicTable("popqa", of_choices(
        id=(4222362, 792991), subj=("Ann Reed", "Bob Hale"), prop=("occupation", "occupation"),
        question=("What is Ann Reed's occupation?", "What is Bob Hale's occupation?"),
        answer=('["painter", "artist"]', '["sailor", "seaman", "captain"]'),
    ), ("artist", "Seaman"), ending=".tsv"),
    PublicTable("lists-and-others", of_choices(
        question=("What does list('ab') print?", "What does 1 + 1 print?"), answer=("['a', 'b']", "2"),
    ), refused="answers: lists or answers: as-written", ending=".csv"),
    PublicTable("lists-that-are-answers", of_choices(
        question=("What does list('ab') print?", "What does list('c') print?"), answer=("['a', 'b']", "['c']"),
    ), ("['a', 'b']", "['c']"), ending=".csv", more="answers: as-written"),
    PublicTable("triviaqa", of_choices(
        question=("Which river runs through Lissow?", "Who built its bridge?"), question_id=("tc_1", "tc_2"),
        answer=(
            {"aliases": ["River Liss", "Liss"], "normalized_aliases": ["liss"], "value": "The Liss", "type": "WikipediaEntity"},
            {"aliases": ["Tom Hale"], "normalized_aliases": ["tom hale"], "value": "Thomas Hale", "type": "WikipediaEntity"},
        ),
    ), ("River Liss", "Tom Hale")),
    PublicTable("squad", of_choices(
        id=("56be1", "56be2"), title=("Lissow", "Lissow"), context=(BOOLQ_PASSAGES[0], BOOLQ_PASSAGES[1]),
        question=("What freezes every winter?", "When was the bridge built?"),
        answer=(
            {"text": ["The harbour of Lissow", "The harbour"], "answer_start": [0, 0]}, {"text": ["1931"], "answer_start": [24]},
        ),
    ), ("harbour", "1931")),
    PublicTable("squad-as-pandas-writes-it", of_choices(
        context=(BOOLQ_PASSAGES[0], BOOLQ_PASSAGES[1]),
        question=("What freezes every winter?", "When was the bridge built?"),
        answer=(
            "{'text': array(['The harbour of Lissow', 'The harbour'],\n      dtype=object), 'answer_start': array([0, 0])}",
            "{'text': array(['1931'], dtype=object), 'answer_start': array([24], dtype=int32)}",
        ),
    ), ("harbour", "1931"), ending=".csv"),
    PublicTable("svamp", of_choices(
        ID=("chal-1", "chal-2"), Equation=("( 60.0 - 9.0 )", "( 5.0 / 2.0 )"), Answer=(51.0, 2.5),
        Question=("9 of 60 books are taken. How many are left?", "A ribbon of 5 m is cut in 2. How long is each part?"),
    ), ("51", "2.50")),
    PublicTable("svamp-as-a-table", of_choices(
        ID=("chal-1", "chal-2"), Answer=("51.0", "2.5"),
        Question=("9 of 60 books are taken. How many are left?", "A ribbon of 5 m is cut in 2. How long is each part?"),
    ), ("51", "2.50"), ending=".csv"),
    PublicTable("asdiv", of_choices(
        id=("nluds-0001", "nluds-0002"), question=("7 red and 2 green pears: how many?", "How many halves has 1?"),
        answer=("9.0", "2"),
    ), ("9", "2.0"), ending=".csv"),
    PublicTable("mmlu", of_choices(
        question=PLANETS, subject=("astronomy", "astronomy"), choices=NAMES, answer=(0, 3),
    ), ("Mars", "Mercury")),
    PublicTable("mmlu-pro", of_choices(
        question_id=(70, 71), question=PLANETS, options=NAMES, answer=("B", "D"), answer_index=(1, 3), cot_content=("", ""),
        category=("astronomy", "astronomy"), src=("made up", "made up"),
    ), RIGHT_PLANETS),
    PublicTable("truthfulqa-mc", of_choices(
        question=PLANETS, choices=NAMES, label=(0, 2),
    ), ("Mars", "Uranus")),
    PublicTable("winogrande", of_choices(
        question=("The jar did not fit the box since the _ was too big.", "The lid fell as the _ was loose."),
        option1=("jar", "box"), option2=("box", "lid"), answer=("1", "2"),
    ), ("jar", "lid")),
    PublicTable("copa", of_choices(
        question=("The glass fell. What was the effect?", "The ground was wet. What was the cause?"),
        choice1=("It broke.", "It was noon."), choice2=("It sang.", "It rained."), label=(0, 1),
    ), ("It broke.", "It rained.")),
    PublicTable("medmcqa", of_choices(
        id=("e9ad", "e9ae"), question=PLANETS, opa=("Mars", "Saturn"), opb=("Jupiter", "Neptune"), opc=("Venus", "Uranus"),
        opd=("Earth", "Mercury"), cop=(0, 3), choice_type=("single", "single"), exp=("It is.", "It is."),
    ), ("Mars", "Mercury")),
    PublicTable("pubmedqa", of_choices(
        question=("Does rest help against colds?", "Is tea better than water?", "Does music heal?"),
        context=("Of 40 who rested 30 were well.", "No difference.", "Too few were asked."),
        answer=("yes", "no", "maybe"),
    ), ("yes", "no", "maybe")),
    PublicTable("sciq", of_choices(
        question=PLANETS, distractor3=("Mars", "Saturn"), distractor1=("Venus", "Uranus"), distractor2=("Earth", "Neptune"),
        correct_answer=RIGHT_PLANETS, support=("It is.", "It is."),
    ), RIGHT_PLANETS),
    PublicTable("race", of_choices(
        example_id=("high1.txt", "high2.txt"), article=("Nine planets went around.",) * 2, answer=("B", "D"), question=PLANETS,
        options=NAMES,
    ), RIGHT_PLANETS),
    PublicTable("logiqa", of_choices(
        context=("Nine planets went around.",) * 2, query=PLANETS, options=NAMES, correct_option=(0, 3),
    ), ("Mars", "Mercury")),
    PublicTable("drop", of_choices(
        section_id=("s1", "s2"), passage=("Lissow won 21-14.",) * 2,
        question=("How many points did Lissow score?", "Who won?"), query_id=("a", "b"),
        answer=({"spans": ["21"], "types": ["number"]}, {"spans": ["Lissow", "the team of Lissow"], "types": ["span", "span"]}),
    ), ("21", "Lissow")),
    PublicTable("strategyqa", of_choices(
        qid=("q1", "q2"), term=("Ice", "Fire"), question=("Can ice float on water?", "Would a fire burn under water?"),
        answer=(True, False), facts=(["Ice is light."], ["Fire needs air."]),
    ), ("yes", "no")),
    PublicTable("bbh-boolean", of_choices(
        input=("not ( True ) and ( True ) is", "True and not not ( not False ) is"), target=("False", "True"),
    ), ("False", "True")),
    PublicTable("bbh-words", of_choices(
        input=("Sort: pear, apple", "Sort: hat, coat"), target=("apple pear", "coat hat"),
    ), ("apple, pear", "coat hat")),
    PublicTable("aime", of_choices(
        ID=("2024-I-1", "2024-I-2"), Problem=("How many of 1 to 45 are odd?", "What is 7 squared?"), Answer=(23, 49),
    ), ("23", "49.0")),
    PublicTable("aime-with-zeros", of_choices(
        problem=("How many of 1 to 45 are odd?", "What is 7 squared?"), answer=("023", "049"),
    ), ("23", "49"), ending=".csv"),
    PublicTable("simpleqa", of_choices(
        metadata=("{'topic': 'Art'}", "{'topic': 'Art'}"), problem=("Who painted the old harbour?", "When?"),
        answer=("Ann Reed", "May 4, 1931"),
    ), ("Ann Reed", "May 4 1931"), ending=".csv"),
    PublicTable("gpqa", [
        {
            "Record ID": f"rec{place}", "Question": text, "Correct Answer": names[right],
            **{f"Incorrect Answer {number}": names[(right + number) % 4] for number in (1, 2, 3)},
        }
        for place, (text, names, right) in enumerate(zip(PLANETS, NAMES, (1, 3), strict=True))
    ], RIGHT_PLANETS, ending=".csv"),
)  # fmt: skip
