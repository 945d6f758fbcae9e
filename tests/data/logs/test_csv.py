"""Tables of replies: a column of scores is a verdict in whole or in part, or is said to be none."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from moot.data.logs.imported import ImportedLogs, import_logs
from moot.errors import FileError, MootError
from moot.experiment.build import build
from moot.experiment.spec import read_experiment


def imported(folder: Path, *lines: str) -> ImportedLogs:
    (folder / "kept.csv").write_text("\n".join(lines) + "\n")
    return import_logs("csv", [folder / "kept.csv"])


def stated(logs: ImportedLogs) -> list[float | None]:
    return [model.stated for model in logs.models]


@pytest.mark.parametrize("name", ["score", "grade"])
def test_parts_of_a_point(name: str, tmp_path: Path) -> None:
    logs = imported(tmp_path, f"question,model,output,answer,{name}", "Who?,m1,Ann,Ann,0.8", "Who?,m2,Bob,Ann,0.2")
    assert stated(logs) == [0.8, 0.2]
    assert (
        "m1: 1 verdict differs from the log's: 1 given a part of a point there, which is all or nothing here"
        in logs.notes
    )


def test_parts_of_a_point_beside_each_model(tmp_path: Path) -> None:
    logs = imported(tmp_path, "id,question,answer,ann,ann_score,bob,bob_score", "1,Who?,Ann,Ann,1,Bob,0.25")
    assert stated(logs) == [1.0, 0.25]


@pytest.mark.parametrize("scores", [("7", "9"), ("80 %", "good"), ("0.5", "1.5")])
def test_scores_of_another_kind_are_said_to_be_none(scores: tuple[str, str], tmp_path: Path) -> None:
    first, second = scores
    logs = imported(
        tmp_path, "question,model,output,answer,score", f"Who?,m1,Ann,Ann,{first}", f"Who?,m2,Bob,Ann,{second}"
    )
    assert stated(logs) == [None, None]
    assert any(note.startswith("kept.csv: score holds no verdicts: ") for note in logs.notes)
    assert any("expected right or wrong, or a share from 0 to 1" in note for note in logs.notes)
    logs = imported(tmp_path, "id,question,answer,ann,ann_score,bob,bob_score", f"1,Who?,Ann,Ann,{first},Bob,{second}")
    assert any("ann_score" in note or "bob_score" in note for note in logs.notes)


def test_a_column_called_correct_may_be_the_reference(tmp_path: Path) -> None:
    logs = imported(tmp_path, "question,model,output,correct", "Half of one?,m1,0.5,0.5", "Half of two?,m1,1,1")
    assert (stated(logs), logs.models[0].here) == ([None], 1.0)
    assert not any("verdicts" in note for note in logs.notes)


def test_columns_that_nothing_is_made_of_are_named(tmp_path: Path) -> None:
    logs = imported(tmp_path, "question,model,output,answer,mood,temperature", "Who?,m1,Ann,Ann,good,0.7")
    assert "kept.csv: columns that are not used: mood, temperature" in logs.notes


class TestPlaceOrVerdict:
    """`correct` of 0 and 1 beside two choices: either the place of the right one, or whether the reply is right."""

    UNCLEAR = (
        "kept.csv: correct may be the place of the right choice or whether the reply is right, so it is taken for neither:"
        " call it is_correct or say --metric correct, or write the letters of the right choices under answer"
    )

    def test_is_not_guessed(self, tmp_path: Path) -> None:
        rows = ("1,Which is larger?,Mars,Jupiter,1,m1,B", "2,Nearer?,Venus,Earth,0,m1,A")
        logs = imported(tmp_path, "id,question,A,B,correct,model,response", *rows)
        assert (stated(logs), logs.questions, self.UNCLEAR in logs.notes) == ([None], (), True)

    def test_the_way_out(self, tmp_path: Path) -> None:
        rows = ("1,Which is larger?,Mars,Jupiter,1,m1,B", "2,Nearer?,Venus,Earth,0,m1,A")
        assert stated(imported(tmp_path, "id,question,A,B,is_correct,model,response", *rows)) == [0.5]

    def test_a_verdict_differs_between_replies_to_one_question(self, tmp_path: Path) -> None:
        rows = ("1,Which is larger?,Mars,Jupiter,1,m1,B", "1,Which is larger?,Mars,Jupiter,0,m2,A")
        logs = imported(tmp_path, "id,question,A,B,correct,model,response", *rows)
        assert (stated(logs), self.UNCLEAR in logs.notes) == ([1.0, 0.0], False)

    @pytest.mark.parametrize(
        ("heads", "row"),
        [
            ("id,question,A,B,answer,correct,model,response", "1,Which?,Mars,Jupiter,B,1,m1,B"),
            ("id,question,A,B,correct,model,response", "1,Which?,Mars,Jupiter,true,m1,B"),
            ("id,question,correct,model,response", "1,Which?,1,m1,B"),
        ],
    )
    def test_where_it_can_be_nothing_else_it_is_the_verdict(self, heads: str, row: str, tmp_path: Path) -> None:
        logs = imported(tmp_path, heads, row)
        assert (stated(logs), self.UNCLEAR in logs.notes) == ([1.0], False)


def test_one_cell_without_a_verdict_costs_no_other(tmp_path: Path) -> None:
    for blank in ("nan", "N/A", "None"):
        rows = ("1,Who?,Ann,m1,Ann,0.5", f"2,Whose?,Bob,m1,Ann,{blank}")
        assert stated(imported(tmp_path, "id,question,answer,model,response,score", *rows)) == [0.5]


def test_a_second_column_of_verdicts_is_merely_not_used(tmp_path: Path) -> None:
    logs = imported(tmp_path, "id,question,answer,model,response,score,correct", "1,Who?,Ann,m1,Ann,0.8,1")
    assert stated(logs) == [1.0]
    assert "kept.csv: columns that are not used: score" in logs.notes
    assert not any("holds no verdicts" in note for note in logs.notes)


def test_scores_beside_a_reference_that_is_called_correct(tmp_path: Path) -> None:
    logs = imported(
        tmp_path, "id,question,correct,model,response,score", "1,Who?,Ann,m1,Ann,1", "2,Whose?,Bob,m1,Ann,0"
    )
    assert (stated(logs), [row["answer"] for row in logs.questions]) == ([0.5], ["Ann", "Bob"])


class TestWhatCannotBeReadIsNamed:
    """By column, line and what stands there: whoever has ten thousand rows looks at one."""

    HEAD = "question,answer,model,output,"
    ROWS = ("Who?,Ann,m1,Ann,{}", "Who?,Ann,m2,Bob,{}", "Where?,Rome,m1,Rome,{}", "Where?,Rome,m2,Oslo,{}")

    def table(self, folder: Path, column: str, *cells: str) -> ImportedLogs:
        return imported(
            folder, self.HEAD + column, *(row.format(cell) for row, cell in zip(self.ROWS, cells, strict=True))
        )

    @pytest.mark.parametrize("column", ["score", "is_correct"])
    def test_a_cell_that_is_no_verdict(self, column: str, tmp_path: Path) -> None:
        logs = self.table(tmp_path, column, "1", "0", "maybe", "0")
        told = f"kept.csv: {column} holds no verdicts: 1 of 4 cells is none ('maybe' in line 4); expected right or wrong, or a"
        assert any(note.startswith(told) for note in logs.notes), logs.notes

    def test_a_column_that_could_be_the_reference_but_for_its_verdicts(self, tmp_path: Path) -> None:
        with pytest.raises(
            FileError, match=r"kept.csv:4: correct: 'maybe' is no verdict, as the others under correct are"
        ):
            self.table(tmp_path, "correct", "1", "0", "maybe", "0")

    @pytest.mark.parametrize(
        "cell", ["$0.01", "0.01$", "0,01 $", "$ 0.01", "US$0.01", "usd 0.01", "0.01 USD", " $0.01"]
    )
    def test_a_cost_may_name_dollars(self, cell: str, tmp_path: Path) -> None:
        logs = self.table(tmp_path, "cost", *(f'"{cell}"' for _ in range(4)))
        assert [row["cost_usd"] for row in logs.replies] == [0.01] * 4
        assert logs.notes == ()

    @pytest.mark.parametrize("cell", ["0.01 €", "€0.01", "0.01 EUR", "A$0.01", "1 ct", "-$0.01", "$", "$1.2.3"])
    def test_of_anything_else_it_is_said_that_it_is_none(self, cell: str, tmp_path: Path) -> None:
        logs = self.table(tmp_path, "cost", "$0.5", "n/a", "", cell)
        assert f"kept.csv: cost: 1 of 2 cells is no amount in USD and not read ({cell!r} in line 5)" in logs.notes

    def test_dollars_with_a_thousand_or_a_decimal_comma_are_refused(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"kept.csv:2: cost: '1,234' is a thousand or a decimal comma"):
            self.table(tmp_path, "cost", '"$1,234"', "", "", "")

    def test_one_that_is_named(self, tmp_path: Path) -> None:
        rows = (row.format(cell) for row, cell in zip(self.ROWS, ("1", "0", "maybe", "0"), strict=True))
        (tmp_path / "kept.csv").write_text("\n".join((f"{self.HEAD}correct", *rows)))
        with pytest.raises(
            MootError, match=r"--metric correct: no verdicts by it .*1 of 4 cells is none .'maybe' in line 4"
        ):
            import_logs("csv", [tmp_path / "kept.csv"], metric="correct")

    @pytest.mark.parametrize("column", ["prompt_tokens", "latency", "latency_ms"])
    def test_a_cell_that_is_no_number(self, column: str, tmp_path: Path) -> None:
        logs = self.table(tmp_path, column, "0.5", "n/a", "", "0.1 USD")
        assert (
            f"kept.csv: {column}: 1 of 2 cells is no number from 0 on and not read ('0.1 USD' in line 5)" in logs.notes
        )
        assert not any("no number" in note for note in self.table(tmp_path, column, "1", "2", "", "-").notes)

    def test_what_could_be_the_reference_twice_is_settled_in_the_table(self, tmp_path: Path) -> None:
        with pytest.raises(
            FileError, match=r"2 columns could be answer: answer and reference; .*in the table"
        ) as raised:
            self.table(tmp_path, "reference", "a", "b", "c", "d")
        assert "under questions" not in str(raised.value), "the questions of a table of replies have no such keys"


class TestColumnsOfUnknownNames:
    ROWS = ("Who?,m1,Ann,Ann,1,good", "Who?,m2,Bob,Ann,0,bad")

    def test_that_hold_verdicts_can_be_named(self, tmp_path: Path) -> None:
        logs = imported(tmp_path, "question,model,output,answer,judged,mood", *self.ROWS)
        assert (
            "kept.csv: columns that are not used: judged, mood; if judged says whether a reply is right: --metric judged"
            in logs.notes
        )
        assert import_logs("csv", [tmp_path / "kept.csv"], metric="judged").models[0].stated == 1.0

    def test_several(self, tmp_path: Path) -> None:
        rows = [f"{row},{share}" for row, share in zip(self.ROWS, (0.5, 0.7), strict=True)]
        logs = imported(tmp_path, "question,model,output,answer,judged,mood,polite", *rows)
        told = "if one of judged, polite says whether a reply is right: --metric NAME"
        assert any(note.endswith(told) for note in logs.notes)

    def test_beside_verdicts_nothing_is_advised(self, tmp_path: Path) -> None:
        logs = imported(
            tmp_path, "question,model,output,answer,judged,is_correct", "Who?,m1,Ann,Ann,1,1", "Who?,m2,Bob,Ann,0,0"
        )
        assert "kept.csv: columns that are not used: judged" in logs.notes

    def test_a_name_that_no_column_has(self, tmp_path: Path) -> None:
        imported(tmp_path, "question,model,output,answer,judged,mood", *self.ROWS)
        with pytest.raises(MootError, match=r"--metric judgd: no verdicts by it .*called judgd.*there is judged"):
            import_logs("csv", [tmp_path / "kept.csv"], metric="judgd")


class TestInAnExperimentFile:
    def built(self, folder: Path, *lines: str, metric: str | None = None) -> Sequence[str]:
        (folder / "kept.csv").write_text("\n".join(lines) + "\n")
        source = {"file": "kept.csv", "format": "csv"} | ({"metric": metric} if metric else {})
        models = {name: {"provider": "recorded", "model": name, **source} for name in ("m1", "m2")}
        file = {"name": "cup", "questions": source, "models": models, "strategies": ["solo"]}
        (folder / "cup.yaml").write_text(json.dumps(file))
        dataset = build(read_experiment(folder / "cup.yaml")).dataset
        assert dataset is not None
        return dataset.notes

    @pytest.mark.parametrize("columns", ["judged", "correct,passed"])
    def test_the_key_is_told_and_the_file_once(self, columns: str, tmp_path: Path) -> None:
        more = ["1", "0"] if "," not in columns else ["1,0", "0,1"]
        notes = self.built(
            tmp_path,
            f"question,model,output,answer,{columns}",
            f"Who?,m1,Ann,Ann,{more[0]}",
            f"Who?,m2,Bob,Ann,{more[1]}",
        )
        (told,) = [note for note in notes if "metric" in note]
        assert "--metric" not in told
        assert "metric: " in told
        assert all(note.count("kept.csv") == 1 for note in notes), notes

    def test_so_it_is_where_the_metric_is_wrong(self, tmp_path: Path) -> None:
        rows = ("Who?,m1,Ann,Ann,1", "Who?,m2,Bob,Ann,0")
        with pytest.raises(MootError) as raised:
            self.built(tmp_path, "question,model,output,answer,judged", *rows, metric="judgd")
        assert "questions.metric: judgd: no verdicts by it" in str(raised.value)
        assert "--metric" not in str(raised.value)


class TestTablesOfElsewhere:
    """As a spreadsheet writes them where a comma is the decimal point: cut at semicolons, with headers in its language."""

    def test_with_a_column_for_each_model(self, tmp_path: Path) -> None:
        logs = imported(tmp_path, "Frage;Antwort;gpt;llama", "Hauptstadt?;Paris;Paris;Lyon", "Fluss?;Nil;Nil;Nil")
        assert [(row["text"], row["answer"]) for row in logs.questions] == [("Hauptstadt?", "Paris"), ("Fluss?", "Nil")]
        assert [(model.name, model.here) for model in logs.models] == [("gpt", 1.0), ("llama", 0.5)]

    def test_with_a_row_for_each_reply(self, tmp_path: Path) -> None:
        rows = ("Hauptstadt?;Paris;gpt;Paris;0,05;0,250", "Fluss?;Nil;gpt;Amazonas;12,5;1,5")
        logs = imported(tmp_path, "Frage;Antwort;Modell;Modellantwort;Kosten USD;seconds", *rows)
        assert [(row["cost_usd"], row["seconds"]) for row in logs.replies] == [(0.05, 0.25), (12.5, 1.5)]
        assert logs.models[0].here == 0.5

    @pytest.mark.parametrize("cell", ["1,234", "12,000"])
    def test_what_may_be_a_thousand_is_refused_by_its_row(self, cell: str, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=rf"kept.csv:3: cost: '{cell}' is a thousand or a decimal comma") as raised:
            imported(tmp_path, "question;answer;model;reply;cost", "A?;a;gpt;a;0,5", f"B?;b;gpt;b;{cell}")
        assert raised.value.line == 3

    def test_of_two_columns_of_such_names_none_is_taken(self, tmp_path: Path) -> None:
        rows = ("A?;a;a;gpt;a;0", "B?;b;c;gpt;b;1")
        logs = imported(tmp_path, "Frage;Antwort;Lösung;Modell;Ausgabe;x", *rows)
        assert logs.questions == ()
        assert any("columns that are not used: Antwort, Lösung, x" in note for note in logs.notes)


class TestRepliesUnderTheNameOfAnswers:
    """Beside models it can be nothing else where something else is the reference, or where one question has several."""

    HEADS = (
        "question,target,answer,model",
        "Frage,Lösung,Antwort,Modell",
        "Pregunta,Respuesta correcta,Respuesta,Modelo",
        "Question,Bonne réponse,Réponse,Modèle",
        "Domanda,Risposta corretta,Risposta,Modello",
        "Pergunta,Resposta certa,Resposta,Modelo",
        "Вопрос,Правильный ответ,Ответ,Модель",
        "question,correct,answer,model",
    )

    @pytest.mark.parametrize("head", HEADS)
    def test_beside_a_reference(self, head: str, tmp_path: Path) -> None:
        logs = imported(tmp_path, head, "Where?,Paris,Paris,m1", "Where?,Paris,Rome,m2")
        assert [(row["text"], row["answer"]) for row in logs.questions] == [("Where?", "Paris")]
        assert [(model.name, model.here) for model in logs.models] == [("m1", 1.0), ("m2", 0.0)]
        _, reference, said, _ = head.split(",")
        assert f"kept.csv: the replies are those under {said}, since the reference is under {reference}" in logs.notes

    def test_beside_a_reference_and_verdicts(self, tmp_path: Path) -> None:
        logs = imported(
            tmp_path, "Frage;Lösung;Antwort;Modell;korrekt", "Wo?;Bonn;in Bonn;m1;ja", "Wo?;Bonn;Rom;m2;nein"
        )
        assert [(model.stated, model.here) for model in logs.models] == [(1.0, 1.0), (0.0, 0.0)]

    @pytest.mark.parametrize("head", ["Frage,Antwort,Modell,korrekt", "question,answer,model,correct"])
    def test_where_they_differ_to_one_question(self, head: str, tmp_path: Path) -> None:
        logs = imported(tmp_path, head, "Where?,Paris,m1,ja", "Where?,Rome,m2,nein")
        assert (stated(logs), logs.questions) == ([1.0, 0.0], ())
        said = f"the replies are those under {head.split(',')[1]}, which differ between rows of one question ('Where?')"
        assert f"kept.csv: {said}" in logs.notes
        assert [row.get("text") for row in logs.replies] == ["Paris", "Rome"]

    @pytest.mark.parametrize("head", ["Frage,Antwort,Modell", "question,answer,model", "Pregunta,Respuesta,Modelo"])
    def test_where_they_may_be_the_reference_nothing_is_guessed(self, head: str, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"a column of models and none of their replies") as raised:
            imported(tmp_path, head, "Where?,Paris,m1", "Where?,paris ,m2", "Whence?,Rome,m1")
        assert f"references under another name, such as target, if the replies are under {head.split(',')[1]}" in str(
            raised.value
        )

    def test_a_column_of_verdicts_is_no_reference(self, tmp_path: Path) -> None:
        with pytest.raises(FileError, match=r"a column of models and none of their replies"):
            imported(tmp_path, "question,answer,model,correct", "Where?,Paris,m1,yes", "Whence?,Rome,m1,no")


class TestVerdictsInOtherLanguages:
    WORDS = (
        *(("yes", "no"), ("ja", "nein"), ("Да", "Нет"), ("oui", "non"), ("sí", "no"), ("si", "no"), ("sim", "não")),
        *(("WAHR", "FALSCH"), ("VRAI", "FAUX"), ("VERDADERO", "FALSO"), ("ИСТИНА", "ЛОЖЬ"), ("richtig", "falsch")),
    )

    @pytest.mark.parametrize("words", WORDS, ids="-".join)
    @pytest.mark.parametrize("head", ["answer,correct", "target,correct", "answer,korrekt", "answer,верно"])
    def test_are_verdicts(self, words: tuple[str, str], head: str, tmp_path: Path) -> None:
        rows = (f"Where?,Paris,{words[0]},m1,Paris", f"Where?,Paris,{words[1]},m2,Rome")
        logs = imported(tmp_path, f"question,{head},model,reply", *rows)
        assert (stated(logs), [row["answer"] for row in logs.questions]) == ([1.0, 0.0], ["Paris"])

    @pytest.mark.parametrize("words", WORDS, ids="-".join)
    def test_also_where_nothing_else_is_the_reference(self, words: tuple[str, str], tmp_path: Path) -> None:
        rows = (f"Where?,{words[0]},m1,Paris", f"Whence?,{words[1]},m1,Rome")
        logs = imported(tmp_path, "question,correct,model,reply", *rows)
        assert (stated(logs), logs.questions) == ([0.5], ())

    @pytest.mark.parametrize("words", [("yes", "no"), ("ja", "nein"), ("true", "false")], ids="-".join)
    def test_what_may_be_the_answer_to_a_question_of_yes_or_no_is_taken_for_neither(
        self, words: tuple[str, str], tmp_path: Path
    ) -> None:
        yes, no = words
        rows = (f"Hot?,{yes},m1,{yes.title()}.", f"Hot?,{yes},m2,{no}", f"Cold?,{no},m1,{no}", f"Cold?,{no},m2,{no}")
        logs = imported(tmp_path, "question,correct,model,reply", *rows)
        told = "correct may be the right answer or whether the reply is right, so it is taken for neither"
        assert f"kept.csv: {told}: call it is_correct or say --metric correct, or call it answer" in logs.notes
        assert (stated(logs), logs.questions) == ([None, None], ())
        logs = imported(tmp_path, "question,is_correct,model,reply", *rows)
        assert stated(logs) == [0.5, 0.5]

    @pytest.mark.parametrize(
        "said", ["So it is, I would say: {}, of course", '{{"answer": "{}", "sure": 1}}', "Ja? {}"], ids=repr
    )
    def test_so_it_is_whatever_the_replies_look_like_where_several_have_the_same(
        self, said: str, tmp_path: Path
    ) -> None:
        quoted = '"' + said.replace('"', '""') + '"'
        rows = [
            f"Is {n}?,{('yes', 'no')[n % 2]},{m},{quoted.format('yes')}" for n in range(6) for m in ("m1", "m2", "m3")
        ]
        logs = imported(tmp_path, "question,correct,model,reply", *rows)
        assert stated(logs) == [None, None, None]
        assert any("taken for neither" in note for note in logs.notes)

    def test_to_such_questions_verdicts_that_differ_between_replies_are_verdicts(self, tmp_path: Path) -> None:
        logs = imported(tmp_path, "question,correct,model,reply", "Hot?,yes,m1,yes", "Hot?,no,m2,no")
        assert stated(logs) == [1.0, 0.0]


def test_what_a_call_without_a_reply_cost_is_part_of_the_bill_where_it_is_told(tmp_path: Path) -> None:
    """Nobody was asked the third: that costs nothing, and leaves no cost unknown."""
    rows = ["id,question,A,B,answer,ann,bob,ann_cost,bob_cost"]
    rows += [
        f"q{n},Which of {n}?,red,blue,A,A,{'B' if n < 2 else ''},0.1,{('0.2', '0.2', '', '0.3')[n]}" for n in range(4)
    ]
    (tmp_path / "kept.csv").write_text("\n".join(rows) + "\n")
    logs = import_logs("csv", [tmp_path / "kept.csv"])
    assert {model.name: model.cost_usd for model in logs.models} == pytest.approx({"ann": 0.4, "bob": 0.7})
