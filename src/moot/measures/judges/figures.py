"""How often two judges said the same of what was answered here."""

from __future__ import annotations

from typing import Any

from sqlalchemy import select

from moot.grade.normalise import answer_key
from moot.measures.source import Source
from moot.stats.agreement import agreement
from moot.store import schema

Row = dict[str, Any]


def judges_figures(source: Source) -> Row | None:
    """How often two judges said the same of what was answered here."""
    if len(source.grades.judges) != 2:
        return None
    first, second = source.grades.judges
    pairs: list[tuple[bool, bool]] = []
    about: list[str] = []
    for case, answers in answers_by_case(source).items():
        words: dict[str, dict[str, bool]] = {}
        for judgement in source.grades.judgements.get(case, ()):
            if judgement.right is not None and judgement.answer in answers:
                words.setdefault(judgement.answer, {})[judgement.judge] = judgement.right
        both = [(verdicts[first], verdicts[second]) for verdicts in words.values() if len(verdicts) == 2]
        pairs += both
        about += [case] * len(both)
    agreed = agreement(pairs, about)
    disputed = sum(one != other for one, other in pairs)
    kappa = {"kappa": agreed.kappa, "kappa_low": agreed.low, "kappa_high": agreed.high}
    row = {"judges": source.grades.judges, "n": agreed.n, "agreement": agreed.share, **kappa, "disputed": disputed}
    return {**row, **({"why": agreed.why} if agreed.why else {})} if pairs else None


def answers_by_case(source: Source) -> dict[str, set[str]]:
    """What was answered to each case, normalised: what judges were asked about here, and not in another experiment.

    Drafts too, whether or not somebody has also played them alone, and on questions that their team was chosen on.
    """
    cells, places, episodes = schema.experiment_cells, schema.experiment_questions, schema.episodes
    query = (
        select(places.c.case, episodes.c.answer)
        .join(episodes, episodes.c.question == places.c.question)
        .join(cells, (cells.c.cell == episodes.c.cell) & (cells.c.experiment == source.ident))
        .where(places.c.experiment == source.ident, episodes.c.answer.is_not(None))
        .distinct()
    )
    asked = {case.digest: case.question for case in source.cases.values()}
    answers: dict[str, set[str]] = {}
    for case, answer in source.connection.execute(query):
        answers.setdefault(case, set()).add(answer_key(asked[case], answer))
    for cell in source.cells:
        for episode in source.whole.seen(cell) if cell["player"] is None else ():
            case = source.cases[episode.key[0]]
            texts = {answer_key(case.question, draft.text) for draft in episode.drafts if draft.text is not None}
            answers.setdefault(case.digest, set()).update(texts)
    return answers
