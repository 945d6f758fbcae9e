"""Promises: what a strategy's traits say of it, held against what was asked, recorded and decided in one play.

Everything outside of a strategy goes by its traits, so a trait that is not true makes false figures. Here players of
whom each says something that nobody else says sit at the table; where their words turn up shows what really happened.
`moot.testing.check_strategy` seats them.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from moot.plugins import name_problem, place_of
from moot.strategies import STRATEGIES, with_inside
from moot.strategies.natives import NATIVE_STAGES, SINGLE_CALL, draft_calls, draft_prompts
from moot.strategies.option_values import OptionError, checked_object, option_name, reserved_problem
from moot.strategies.protocol import Strategy
from moot.strategies.traits import Traits
from moot.team import Team
from moot.traces import Ballot, Counted, Shown, looks_of, misfit, of_kind, trace_json, trace_of
from moot.types import Call, Question, Verdict


@dataclass(frozen=True, slots=True)
class Voice:
    """How one player is known by what it says: its answer while it is alone, and a word that only its reasons hold."""

    answer: str
    mark: str
    names: tuple[str, ...]
    """What it is called, as a player and as a model."""


@dataclass(frozen=True, slots=True)
class Play:
    """One play of one question, and all that was asked in it."""

    traits: Traits
    question: Question
    lineup: Team
    verdict: Verdict
    calls: tuple[Call, ...]
    voices: Mapping[str, Voice]
    """By player of the line-up."""
    grouped: int
    """How often the team was asked which answers mean the same."""
    office_requests: Mapping[str, int]
    """By office: how many requests the model in it received, under whatever name."""

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(player.name for player in self.lineup.players)

    @property
    def first_attempts(self) -> list[Call]:
        return [call for call in self.calls if call.request.attempt == 0]

    def asked(self, name: str) -> list[Call]:
        return [call for call in self.first_attempts if call.player == name]


def broken_promises(play: Play) -> Iterator[str]:
    """A sentence for each promise that this play broke."""
    yield from _drafts(play)
    yield from _asked_beyond_drafts(play)
    yield from _heard(play)
    yield from _shown(play)
    yield from _captain(play)
    yield from _word(play)
    yield from _names(play)
    yield from _offices(play)
    yield from _counts(play)


def _drafts(play: Play) -> Iterator[str]:
    """Everybody drafts alone, and the verdict's answers are these drafts."""
    if play.traits.drafts is None:
        return
    answered = [draft.player for draft in play.verdict.answers]
    if sorted(answered) != sorted(play.names):
        yield f"drafts: the verdict's answers must be one of each player; found {', '.join(answered) or 'none'}"
    for name in play.names:
        for call in play.asked(name)[: _draft_calls(play)]:
            for other in _others_heard(play, call):
                yield f"drafts: they are said to be given alone, yet the prompt of {name} has the words of {other}"
        yield from _draft_stages(play, name)
    for draft in play.verdict.answers:
        alone = play.voices[draft.player].answer if draft.player in play.voices else draft.text
        if draft.text is not None and draft.text.casefold() != (alone or "").casefold():
            yield f"drafts: {draft.player} said {alone!r} while alone, yet among the verdict's answers is {draft.text!r}"


def _draft_stages(play: Play, name: str) -> Iterator[str]:
    """Drafts in two calls are measured beside those in one. Whoever was asked in words of its strategy's own has other stages,
    and is known by how often it was asked before it could have heard anything."""
    way = play.traits.drafts or SINGLE_CALL
    asked = play.asked(name)
    alone = [call.stage for call in asked if call.turn == asked[0].turn]
    native = [stage for stage in alone if stage in NATIVE_STAGES]
    wrong = [stage for stage in native if stage not in draft_prompts(way)]
    if wrong or (alone and len(alone) < _draft_calls(play)):
        found = f"in {len(alone)} ({', '.join(alone)})"
        yield f"drafts: they are said to be asked for as {way} ({', '.join(draft_prompts(way))}), yet {name} was asked {found}"


def _draft_calls(play: Play) -> int:
    """A long answer takes one, however others are asked for."""
    return 1 if play.question.is_long else draft_calls(play.traits.drafts or SINGLE_CALL)


def _others_heard(play: Play, call: Call, *, reasons_only: bool = False) -> list[str]:
    """Whose words stand in a prompt, its own apart. Letters and yes or no are everybody's, so only reasons tell."""
    prompt = _prompt(call)
    own_voice = play.voices.get(call.player)
    heard = []
    for name, voice in play.voices.items():
        telling = [voice.mark]
        if not play.question.is_closed and not reasons_only:
            telling.append(voice.answer)
        if voice != own_voice and any(word in prompt for word in telling):
            heard.append(name)
    return heard


def _prompt(call: Call) -> str:
    """All that was sent, but what the asked one had itself said before it was asked again."""
    return "\n".join(message.content for message in call.request.messages if message.role != "assistant")


def _asked_beyond_drafts(play: Play) -> Iterator[str]:
    if play.traits.asks == "everybody":
        return
    for name in play.names:
        if play.traits.asks == "captain" and name == play.lineup.captain:
            continue
        if len(play.asked(name)) > _draft_calls(play):
            yield f"asks: {play.traits.asks} is asked beyond a draft, yet {name} was asked {len(play.asked(name))} times"


def _heard(play: Play) -> Iterator[str]:
    """What those who decide have read of the others."""
    if play.traits.hears not in ("nothing", "answers"):
        return
    for call in play.first_attempts:
        for other in _others_heard(play, call, reasons_only=play.traits.hears == "answers"):
            what = "the reasons" if play.traits.hears == "answers" else "the words"
            yield f"hears: {play.traits.hears} is what is heard, yet {call.player} was shown {what} of {other}"


def _shown(play: Play) -> Iterator[str]:
    """What is said to be drafts in an order stands so in the prompt; answers that were revised since are no drafts."""
    if play.traits.drafts is None or play.question.is_closed:
        return
    for look in looks_of(play.verdict.traces):
        names = [name for holders in look.record.order for name in holders] if isinstance(look.record, Shown) else []
        if look.distinct or not look.drawn or len(names) != len(look.order) or not play.voices.keys() >= set(names):
            continue
        # Of a long answer names are masked: what tells it is the word that only its author has.
        voices = [play.voices[name] for name in names]
        drafts = ".*".join(re.escape(voice.mark if play.question.is_long else voice.answer) for voice in voices)
        prompts = [_prompt(call) for call in play.asked(look.to) if call.turn == look.turn]
        if prompts and not any(re.search(drafts, prompt, re.DOTALL | re.IGNORECASE) for prompt in prompts):
            yield (
                f"traces: {look.to!r} was not shown the drafts of {', '.join(names)} in turn {look.turn} in that order: where it"
                " is what they have said since, put it together (team.group) and say distinct=True"
            )


def _captain(play: Play) -> Iterator[str]:
    """A captain who leads stands behind the answer, unless votes on the record decided."""
    captain, verdict = play.lineup.captain, play.verdict
    if play.traits.captain != "leads" or captain is None or verdict.answer is None:
        return
    if captain not in verdict.who and not of_kind(verdict.traces, Counted):
        yield f"captain: {captain} is said to lead, yet behind the answer stands {', '.join(verdict.who) or 'nobody'}"


def _word(play: Play) -> Iterator[str]:
    """Whose words the answer is in."""
    answer, word = play.verdict.answer, play.traits.word
    if word == "unknown" or answer is None or play.question.is_closed:
        return
    captain = play.lineup.captain
    speakers: Collection[str] = play.traits.offices if word == "office" else play.names
    if word == "captain" and captain is not None and not of_kind(play.verdict.traces, Counted):
        speakers = (captain,)
    replies = [call.reply.text for call in play.calls if call.player in speakers and call.reply is not None]
    if not any(answer.casefold() in reply.casefold() for reply in replies):
        whose = ", ".join(speakers) or "nobody"
        yield f"word: the answer is said to be in words of the {word} ({whose}), who never said {answer!r}"


def _names(play: Play) -> Iterator[str]:
    if play.traits.names != "hidden":
        return
    for call in play.first_attempts:
        for name, voice in play.voices.items():
            if voice == play.voices.get(call.player):
                continue
            for alias in voice.names:
                if re.search(rf"(?<!\w){re.escape(alias)}(?!\w)", _prompt(call), re.IGNORECASE):
                    yield f"names: they are said to be hidden, yet the prompt of {call.player} names {name} as {alias!r}"


def _offices(play: Play) -> Iterator[str]:
    offices = play.traits.offices
    for name in dict.fromkeys(call.player for call in play.calls):
        if name not in play.names and name not in offices:
            yield f"offices: {name!r} was asked, who is no player of the line-up and holds no office in the traits"
    for office, requests in play.office_requests.items():
        under_its_name = sum(call.player == office for call in play.calls)
        if under_its_name != requests:
            yield f"offices: the model of the office {office!r} was asked {requests - under_its_name} times under another name"
    for name in play.names:
        if name in offices:
            yield f"offices: {name!r} holds an office and is seated as a player"


def _counts(play: Play) -> Iterator[str]:
    traits, seats = play.traits, len(play.names)
    if traits.alone and seats != 1:
        yield f"alone: one player and no team, yet a line-up has {seats}"
    if not traits.groups and play.grouped:
        yield "groups: it is said that nobody is asked which answers mean the same, yet the team was"
    usable = sum(call.usable for call in play.calls)
    if traits.calls is not None and usable > traits.calls.at_most(seats):
        yield f"calls: at most {traits.calls.at_most(seats)} for {seats} players are promised, and {usable} were made"


def broken_records(lineup: Team, offices: Collection[str], verdict: Verdict) -> Iterator[str]:
    """What is wrong with the records that a play left: every strategy's must hold, whatever it says of itself."""
    players = [player.name for player in lineup.players]
    for record in verdict.traces:
        if odd := misfit(record):
            yield f"traces: {odd}"
        elif trace_of(stored := json.loads(json.dumps(trace_json(record)))) != record:
            yield f"traces: a {type(record).__name__} is not the same after it was stored: {stored}"
    for look in of_kind(verdict.traces, Shown):
        strangers = [name for holders in look.order for name in holders if name not in players]
        if look.to not in (*players, *offices) or strangers:
            yield f"traces: what was shown to {look.to!r} names {strangers or look.to!r}, not of this line-up"
    for ballot in of_kind(verdict.traces, Ballot):
        if ballot.voter not in (*players, *offices):
            yield f"traces: {ballot.voter!r} has a ballot and is not of this line-up"


def broken_looks(verdict: Verdict, calls: Iterable[Call]) -> Iterator[str]:
    """Whether everybody who is said to have looked was asked in that turn, once for each look, and chose what it chose."""
    asked = Counter((call.player, call.turn) for call in calls if call.request.attempt == 0)
    looks = looks_of(verdict.traces)
    for look in looks:
        if look.options is None:
            yield (
                f"traces: nobody can tell which Counted of turn {look.turn} the ballot of {look.to!r} is in, so that its options"
                " are not known: of several in a turn each stands after its own ballots, and has all their options; or use Shown"
            )
    looked = Counter((look.to, look.turn) for look in looks)
    for (name, turn), times in looked.items():
        if times > asked[name, turn]:
            turns = ", ".join(str(other) for player, other in sorted(asked) if player == name) or "none"
            yield (
                f"traces: in turn {turn} {name!r} has {times} looks on record, and was asked {asked[name, turn]} times (turns in"
                f" which it was asked: {turns}); a Shown and a Ballot of one look have one role and one turn"
            )
    chosen = {(ballot.voter, ballot.role, ballot.turn) for ballot in of_kind(verdict.traces, Ballot) if ballot.choice}
    for shown in of_kind(verdict.traces, Shown):
        if shown.answer is None and shown.places is None and (shown.to, shown.role, shown.turn) in chosen:
            yield f"traces: {shown.to!r} chose by its Ballot of turn {shown.turn}, and by its Shown said nothing usable"


def broken_repeats(first: Play, again: Play, repeat: int, *, shared: bool) -> Iterator[str]:
    """Whether the drafts of a later repeat are those of the first, which they are as long as the traits say so."""
    if first.traits.drafts is None:
        return
    for name in first.names:
        drafts, later = ([call.request for call in play.asked(name)[: _draft_calls(play)]] for play in (first, again))
        if drafts and (drafts == later) != shared:
            what = "are asked for anew" if shared else "are not asked for anew"
            said = f"it decides {first.traits.repeats} times from the same drafts"
            yield f"repeats: {said}, yet those of {name} {what} in repeat {repeat + 1}"


def broken_declarations(strategy: object, traits: Traits) -> Iterator[str]:
    """What can be seen without a play."""
    options = {option_name(option.name) for option in fields(strategy)}  # type: ignore[arg-type]
    if traits.repeats > 1 and traits.drafts is None:
        yield "repeats: it is said to decide several times from the same drafts, and no drafts are declared"
    if unknown := sorted(traits.served.keys() - options):
        yield f"served: it has no option {unknown[0]!r}"
    if (problem := reserved_problem(type(strategy))) is not None:
        yield problem
    classes: dict[str, type[Any]] = {str(getattr(strategy, "name", "")): type(strategy)}
    for inside in (each for played in traits.plays for each in with_inside(played)):
        yield from _broken_inside(inside, classes)


def _broken_inside(inside: Strategy, classes: dict[str, type[Any]]) -> Iterator[str]:
    """What is played within another is checked as if it stood in the file itself. `classes`: those of the play, by name."""
    kind: type[Any] = type(inside)
    if (problem := name_problem(inside.name)) is not None or not is_dataclass(kind):
        expected = f"{kind.__name__} is no dataclass; expected one, whose fields are the strategy's options"
        yield f"plays: {inside.name}: {problem or expected}"
        return
    first = classes.setdefault(inside.name, kind)
    other = place_of(first) if first is not kind else STRATEGIES.other_of_its_name(inside)
    if other is not None:
        mixed = f"{inside.name!r} is the name of {other} already, and results of the two would be mixed"
        yield f"plays: {mixed}; expected another name"
    try:
        checked_object(inside)
    except OptionError as error:
        yield f"plays: {inside.name}: {error}"
