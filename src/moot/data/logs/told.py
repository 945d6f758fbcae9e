"""What cannot be told from the logs, a line each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from moot.data.logs.answers import AnsweredReply, ContraryVerdicts, worth_here
from moot.data.logs.figures import ROUNDED, ImportedModel
from moot.data.logs.reference_forms import UnsaidReferences
from moot.data.logs.same_questions import LeftOutQuestion
from moot.stats.counted_words import count
from moot.stats.written_numbers import dollars, of_hundred
from moot.types import Case

MOST_PROBLEM = 80


def notes_of(
    models: Sequence[ImportedModel],
    replies: Sequence[AnsweredReply],
    cases: Mapping[str, Case],
    questions: int,
    unreferenced: int,
    told_before: int,
    contrary: Sequence[ContraryVerdicts],
) -> Iterator[str]:
    """`told_before`: of how many of the unreferenced the log itself has said so, with their places."""
    for task in contrary:
        of_task = f"{task.task}: " if task.task else ""
        wrong = f"{of_task}the verdicts call {task.wrong} of {count(task.of, 'reply', 'replies')} wrong that"
        are = "are the reference itself"
        if task.others_right is not None:
            are = f"say the reference, and {task.others_right} of {count(task.others, 'other', 'others')} right"
        yield f"{wrong} {are}, so nothing is accepted for being called right, and no share right in the log is told"
    for model in models:
        yield from _of_model(model, replies, cases, questions)
    if unreferenced == questions:
        own = "what is right has to come from questions of your own with the same ids"
        yield f"no reference could be taken from these logs: {own}"
    elif unreferenced > told_before:
        others = " more" if told_before else ""
        left = count(unreferenced - told_before, f"question{others}", f"questions{others}")
        yield f"{left} without a reference, left out of the questions"


def left_out_words(questions: Iterable[LeftOutQuestion]) -> Iterator[str]:
    """Of the questions that nobody could be asked, by task and by what is the matter with them."""
    causes = Counter((each.question.task, each.why) for each in questions)
    for (task, why), number in causes.items():
        of_task = f"{task}: " if task else ""
        yield f"{of_task}{count(number, 'question')} that nobody can be asked here ({why}), left out"


def forms_words(whole: Mapping[str, int], unsaid: Iterable[UnsaidReferences]) -> Iterator[str]:
    """Of replies and references that are more than an answer in short. `whole`: by task how many replies."""
    for task, number in whole.items():
        of_task = f"{task}: " if task else ""
        are = count(number, "reply is its own answer", "replies are their own answers")
        yield (
            f"{of_task}{are}, all of it as the log judges it, since no shorter one could be read: a vote puts none of them"
            " together unless a model or an embedding groups them (grouping)"
        )
    for each in unsaid:
        yield from _of_unsaid(each)


def placeholder_words(replies: int) -> Iterator[str]:
    """`replies`: of how many the log says that they cost 0, and nothing else that says so."""
    if replies:
        price = "price: {prompt: USD, completion: USD} of a million tokens under their models in the experiment file"
        yield (
            f"a cost of 0 in {count(replies, 'reply', 'replies')} is what tools write where they know no price, and taken as"
            f" unknown: give prices with {price}, 0 and 0 where they are free"
        )


def _of_unsaid(each: UnsaidReferences) -> Iterator[str]:
    of_task = f"{each.task}: " if each.task else ""
    replies = count(each.right, "reply", "replies")
    have = count(each.questions, "question has", "questions have")
    yield (
        f"{of_task}of {replies} that the log calls right hardly any is its reference, or says it: {have} a reference that no"
        " answer was seen to match"
    )
    if known := each.questions - each.listed:
        which = f"in {known} of these" if each.listed else "there"
        yield f"{of_task}{which} an answer that the log calls right is accepted; in other words it would be wrong by match"
    if each.listed:
        which = f"in {each.listed} of these" if known else "there"
        yield (
            f"{of_task}{which} nothing short is known to be right, so that only what the log has judged is graded: any other"
            " answer is ungraded, not wrong, until a judge grades it (judge: {models: [NAME]}) or short answers of your own stand"
            " under accepted"
        )


def _of_model(
    model: ImportedModel, replies: Sequence[AnsweredReply], cases: Mapping[str, Case], questions: int
) -> Iterator[str]:
    own = [reply for reply in replies if reply.logged.model == model.name]
    if model.missing:
        why = next((reply.logged.problem for reply in own if not reply.said and reply.logged.problem), None)
        cause = f" ({' '.join(why.split())[:MOST_PROBLEM]})" if why else ""
        yield f"{model.name}: {model.missing} of {count(model.samples, 'sample has', 'samples have')} no reply{cause}"
    if lost_usd := math.fsum(reply.logged.cost_usd or 0.0 for reply in own if not reply.said):
        yield f"{model.name}: {dollars(lost_usd)} was for samples without a reply: it is in its USD, and in no recorded reply"
    never = questions - len({reply.question.id for reply in own})
    if never:
        yield f"{model.name}: never asked {never} of {count(questions, 'question')}, on which it will be unanswered"
    if refused := sum(reply.logged.refused for reply in own):
        of_replies = count(model.samples - model.missing, "reply", "replies")
        yield f"{model.name}: {refused} of {of_replies} refused to answer"
    if model.unread:
        rescued = sum(reply.said and reply.answer is None and reply.worth == 1 for reply in own)
        right = f", {rescued} of them right by the log" if rescued else ""
        replied = model.samples - model.missing
        yield f"{model.name}: no answer could be read from {model.unread} of {count(replied, 'reply', 'replies')}{right}"
    if model.differing:
        yield f"{model.name}: {_difference(model, own, cases)}"
    yield from _other_figures(model)


def _other_figures(model: ImportedModel) -> Iterator[str]:
    """Where the log's figure is of something else than the verdicts that stand beside it here."""
    for figure in model.otherwise:
        of_task = f" of {figure.task}" if model.metric is None else ""
        own = f"{model.name}: {figure.metric}{of_task} is {of_hundred(figure.value)} % in the log"
        mean = "the mean over questions of their mean verdict on single replies"
        if figure.of_more:
            on_these = "there is no verdict" if figure.mean is None else f"{mean} is {of_hundred(figure.mean)} %"
            yield f"{own}, of more questions than are here; on these {on_these}"
        elif figure.mean is None:
            yield f"{own}, and not made of verdicts on single replies"
        else:
            yield f"{own}, {mean} {of_hundred(figure.mean)} %"
    stated, here = model.stated, model.here
    if stated is None or here is None or abs(stated - here) <= ROUNDED:
        return
    if model.judged and model.judged != model.graded:
        of_more = model.metric is not None and any(figure.of_more for figure in model.otherwise)
        theirs = "the log's verdicts on what is here are" if of_more else "the log's figure is"
        yield f"{model.name}: {theirs} of {count(model.judged, 'reply', 'replies')}, the one here of {model.graded}"


def _difference(model: ImportedModel, own: Sequence[AnsweredReply], cases: Mapping[str, Case]) -> str:
    """In which of the ways that there are a verdict of the log is not ours."""
    graded = [reply for reply in own if reply.question.id in cases and reply.worth is not None]
    unread = shares = looser = stricter = same = 0
    for reply in graded:
        theirs, ours = reply.worth or 0.0, worth_here(reply, cases[reply.question.id])
        if theirs == ours or ours is None:
            continue
        if theirs not in (0.0, 1.0):
            shares += 1
        elif theirs and reply.answer is None:
            unread += 1
        elif theirs:
            stricter += 1
        elif reply.answer in _references(cases[reply.question.id]):
            same += 1
        else:
            looser += 1
    ways = [
        (unread, "right there, and no answer to be read here"),
        (shares, "given a part of a point there, which is all or nothing here"),
        (stricter, "right there, and not here"),
        (same, "wrong there, and the same as a reference here"),
        (looser, "wrong there, and equal to a reference here but for case, marks or articles"),
    ]
    told = "; ".join(f"{number} {words}" for number, words in ways if number)
    return f"{count(model.differing, 'verdict differs', 'verdicts differ')} from the log's: {told}"


def _references(case: Case) -> tuple[str | None, ...]:
    return (case.answer, *case.accepted)


def absent_from(replies: Sequence[AnsweredReply]) -> Iterator[str]:
    """What no log says at all, or only some."""
    said = [reply.logged for reply in replies if reply.said]
    if not said:
        return
    for words, name, there in (
        ("costs", "cost_usd", [reply.cost_usd is not None for reply in said]),
        (
            "counts of tokens",
            "tokens",
            [None not in (reply.usage.prompt, reply.usage.completion) for reply in said],
        ),
        ("times", "seconds", [reply.seconds is not None for reply in said]),
        ("verdicts", "worth", [reply.worth is not None for reply in said]),
    ):
        together = sum(name in reply.together for reply in said)
        if together:
            of_single = f"{together} of {count(len(there), 'reply', 'replies')}"
            yield f"no {words} of their own for {of_single}: the logs have them of all replies to one request together"
        missing = len(there) - sum(there) - together
        if missing == len(there):
            yield f"no {words} in these logs"
        elif missing > 0:
            yield f"no {words} for {missing} of {count(len(there), 'reply', 'replies')}"
