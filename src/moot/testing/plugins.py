"""Models, graders, ballot rules and stores: what each of a kind must do."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Callable, Iterator
from typing import Any

from moot.ballots.tally import Ballot, Rule, Tally
from moot.ballots.trial import usual_ballots
from moot.errors import CallError
from moot.grade.graders import checked_grader, word_of
from moot.grade.match import Grader
from moot.models.answerable import charged
from moot.models.cache import StoredCall
from moot.models.model import Model, call_key
from moot.store import schema
from moot.store.rows import call_row, reply_of
from moot.store.store import Store
from moot.testing.strategies import QUESTIONS
from moot.types import (
    UNKNOWN,
    Case,
    Message,
    Question,
    Reply,
    Request,
    Score,
    seeded,
)


async def check_model(model: Model, *, answers: bool = True) -> None:
    """The shape is JSON, stable, and tells requests apart; a reply is a Reply and an error a CallError."""
    request = Request((Message("user", "What is the capital of France?"),), question_id="paris")
    shape = model.shape(request)
    assert json.loads(json.dumps(shape, default=list)) is not None, "the shape must be JSON"
    assert call_key(model, request) == call_key(model, request), "the key of a call must be stable"
    keys = {call_key(model, variation) for variation in _variations(request)}
    assert len(keys) == len(list(_variations(request))), "two calls that differ must have different keys"
    try:
        reply = await model.generate(request)
    except CallError:
        assert not answers, "the model was expected to answer"
    else:
        assert isinstance(reply, Reply), "generate gives a Reply"
        assert reply.latency_s >= 0
        _check_charge(model, reply)
    await model.close()
    await model.close()


def _check_charge(model: Model, reply: Reply) -> None:
    """A price that is never charged makes every cost unknown, or nothing, and a budget stops at the most it could be."""
    if model.price is None or reply.finish != "stop":
        return
    cost_usd = charged(reply, model.price).cost_usd
    assert cost_usd is not None, (
        "the model has a price that is never charged: expected usage=Usage(prompt, completion) or cost_usd in its reply,"
        f" found {reply.usage}"
    )
    by_tokens_usd = model.price.cost_usd(reply.usage)
    assert cost_usd or not by_tokens_usd, (
        f"the model has a price that is never charged: its reply is worth ${by_tokens_usd:g} by its tokens and says"
        " cost_usd=0; expected what it cost, or cost_usd left out"
    )


def _variations(request: Request) -> Iterator[Request]:
    yield request
    yield dataclasses.replace(request, messages=(Message("user", "What is the capital of Spain?"),))
    yield dataclasses.replace(request, messages=(Message("system", "Be brief."), *request.messages))
    yield dataclasses.replace(request, sample=1)
    yield dataclasses.replace(request, attempt=1)


@dataclasses.dataclass(frozen=True)
class _Trial:
    """A case, and what its file says of some answers: the wordings in one tuple are one answer to moot."""

    case: Case
    right: tuple[tuple[str, ...], ...]
    wrong: tuple[tuple[str, ...], ...] = ()
    others: tuple[tuple[str, ...], ...] = (("Orchid show", "the orchid show."), ("Something else", "something else!"))


_TRIALS = (
    _Trial(
        Case(Question("1", "Which games?"), "Olympics", accepted=("Olympic Games",), rejected=("Olympiad",)),
        (("Olympics", "olympics", "The Olympics!"), ("Olympic Games", "the olympic games")),
        wrong=(("Olympiad", "an olympiad"),),
    ),
    _Trial(Case(QUESTIONS[1], "B"), (("B", "b"),), others=(("A", "a"), ("C", "c"))),
    _Trial(Case(QUESTIONS[2], "yes"), (("yes", "Yes."),), others=(("no", "No"),)),
    _Trial(Case(Question("4", "Who?", context="Nothing."), None), ((UNKNOWN,),)),
)


async def check_grader(grader: Grader) -> None:
    """It gives scores that a run can use; answers that are one to moot are one to it, and asked twice it says the same.

    A score may be any number from 0 to 1, or None, which leaves the answer open. What the file says stands above that:
    its reference and what it accepts are not wrong, and what it rejects is not right.
    """
    checked_grader(grader)
    for trial in _TRIALS:
        case = trial.case
        for wordings in (*trial.right, *trial.wrong, *trial.others):
            first = await _graded(grader, case, wordings[0])
            assert first == await _graded(grader, case, wordings[0]), (
                f"{_asked(case, wordings[0])}: asked twice it does not say the same"
            )
            for wording in wordings[1:]:
                value = (await _graded(grader, case, wording)).value
                assert value == first.value, (
                    f"{_asked(case, wordings[0])} is worth {first.value}, and {wording!r} {value}: answers that differ in"
                    " case, articles and signs only are one answer, of which it is asked once, in whatever wording"
                    " comes first"
                )
            if wordings in trial.right:
                stated = (
                    "is what the file says is right" if case.answer is not None else "is right where there is no answer"
                )
                assert first.value != 0.0, (
                    f"{_asked(case, wordings[0])} {stated}: expected more than 0, or None; found 0"
                )
            if wordings in trial.wrong:
                assert first.value != 1.0, (
                    f"{_asked(case, wordings[0])} is what the file rejects: expected less than 1, or None; found 1"
                )


async def _graded(grader: Grader, case: Case, answer: str) -> Score:
    """By the way that a run takes."""
    word = await word_of(grader, case, answer)
    assert word.failure is None, f"{_asked(case, answer)}: {word.detail}"
    return word


def _asked(case: Case, answer: str) -> str:
    among = {"accepted": case.accepted, "rejected": case.rejected}
    more = "".join(f", {name} {', '.join(map(repr, words))}" for name, words in among.items() if words)
    return f"{answer!r} (reference {case.answer!r}{more})"


def check_ballot_rule(rule: Rule, options: int = 3, rounds: int = 100) -> None:
    """Voters and options are alike to it; what all want wins; a ballot that does not fit never becomes a vote."""
    fitting = [ballot for ballot in usual_ballots(options) if rule.problem(ballot, options) is None]
    assert fitting, "not one usual ballot fits: expected {option: 1}, {option: position} or {option: points}"
    unfit: list[Ballot] = [None, {options: 1}, {0: float("nan")}]
    generator = seeded(7, rule.name)
    for _ in range(rounds):
        cast = generator.choices(fitting, k=generator.randint(1, 6))
        tally = rule.count(cast, options)
        assert tally == rule.count(cast, options), "counting the same ballots twice must give the same"
        assert len(tally.points) == options, "every option has its points, if only 0"
        assert list(tally.winners) == sorted(set(tally.winners)), "winners are listed once each, by their numbers"
        assert set(tally.winners) <= set(range(options)), "only an option can win"
        shuffled = generator.sample(cast, len(cast))
        assert rule.count(shuffled, options) == tally, "who votes first must not matter (anonymity)"
        turned = [{option: ballot[option] for option in reversed(ballot)} for ballot in cast]
        assert rule.count(turned, options) == tally, "the order in which a ballot lists options must not matter"
        to = generator.sample(range(options), options)
        renamed = rule.count([{to[option]: mark for option, mark in ballot.items()} for ballot in cast], options)
        moved = tuple(sorted(to[option] for option in tally.winners))
        assert renamed.winners == moved, "the number of an option must not matter (neutrality)"
        spoilt = [*cast, *generator.choices(unfit, k=2)]
        counted = rule.count(generator.sample(spoilt, len(spoilt)), options)
        as_before = Tally(tally.points, tally.winners, tally.spoilt + 2, tally.voters + 2)
        assert counted == as_before, "a spoilt ballot gives nothing to anyone, and its voter is a voter all the same"
    assert rule.count([None, None], options).winners == (), "where all ballots are spoilt nobody wins"
    for best in range(options):
        wanted = next((ballot for ballot in fitting if min(ballot, key=ballot.__getitem__, default=None) == best), None)
        if wanted is not None and wanted[best] == 1:
            assert rule.count([wanted] * 3, options).winners == (best,), "what all want must win (unanimity)"


async def check_store(opened: Callable[[], Store]) -> None:
    """What is kept is found again, by another opening too; the first of two equal calls stands."""
    first = StoredCall("k1", "ann", "[]", Reply("one", key="k1"))
    second = StoredCall("k1", "bob", "[]", Reply("two", key="k1"))
    store = await opened().open()
    try:
        assert await store.find_call("k1") is None, "an empty store holds nothing"
        kept = await store.keep_call(call_row(first, "test"))
        assert reply_of(kept) == first.reply
        assert reply_of(await store.keep_call(call_row(second, "test"))).text == "one", "the first reply stands"
        failure: dict[str, Any] = {"key": "k2", "experiment": "test", "model": "ann", "kind": "TimedOut"}
        store.put_later([(schema.failures, {**failure, "message": "late", "created_at": 0.0})])
        await store.flush()
    finally:
        await store.close()
    again = await opened().open()
    try:
        row = await again.find_call("k1")
        assert row is not None, "what was kept must be there after closing"
        assert reply_of(row) == first.reply, "a reply must come back as it was"
    finally:
        await again.close()
