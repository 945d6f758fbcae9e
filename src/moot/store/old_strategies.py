"""The strategies as they were when stores kept no options, traits or records: plain data, for migrations alone.

A migration must say the same of an old store for ever. So it asks no strategy of today, whose options, traits and names
may change, and makes no record of today: what stands here is not to be changed with them. Of strategies that other
packages brought nothing but the label is known.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from moot.types import digest

_DEFAULTS: Mapping[str, Mapping[str, Any]] = {
    "solo": {"drafts": "single-call"},
    "vote": {"captain": None, "early_stop": False},
    "silent": {"captain": None},
    "talkative": {"captain": None},
    "adaptive": {"captain": None, "talk_from": 3},
    "discuss": {
        "paradigm": None,
        "style": "simple",
        "drafting": "first-agent",
        "decision": "simple-voting",
        "personas": "expert",
        "agents": 3,
        "max_turns": 5,
        "vote_from": 3,
        "visible_turns": 2,
        "debate_rounds": 2,
        "budget": 25,
        "step_by_step": False,
        "judge": None,
        "challenge": "none",
        "facts": None,
        "planted_by": None,
    },
    "peer-review": {
        "captain": None,
        "drafts": "double-call",
        "names": "hidden",
        "restate_own": False,
        "replies": None,
    },
    "debate": {
        "captain": None,
        "max_rounds": 5,
        "drafts": "double-call",
        "quorum": False,
        "grace_s": 60.0,
        "replies": None,
    },
    "mixture": {
        "order": "random",
        "accuracies": "shown",
        "summariser": None,
        "proposers": (),
        "repeats": 10,
        "temperature": 0.7,
        "context_tokens": None,
        "shown_accuracies": {},
    },
}
"""Options in the order of labels, with their defaults."""

_SERVED: Mapping[str, Mapping[str, Any]] = {"vote": {"early_stop": True}, "debate": {"quorum": True}}
_FROM_FILES = ("proposers", "shown_accuracies")
"""Options that could name a file, which a store does not hold."""

_LED = {"captain": "leads", "word": "captain"}
_TRAITS: Mapping[str, Mapping[str, Any]] = {
    "solo": {"alone": True, "word": "player", "hears": "nothing", "asks": "nobody"},
    "vote": {
        "drafts": "single-call",
        "captain": "breaks-ties",
        "word": "group",
        "hears": "nothing",
        "groups": True,
        "asks": "nobody",
    },
    "silent": {"drafts": "single-call", **_LED, "hears": "answers", "asks": "captain"},
    "talkative": {"drafts": "single-call", **_LED, "hears": "reasons", "names": "hidden", "asks": "captain"},
    "adaptive": {"drafts": "single-call", **_LED, "hears": "reasons", "groups": True, "asks": "captain"},
    "discuss": {"word": "group", "hears": "talk", "groups": True},
    "peer-review": {**_LED, "hears": "reasons", "asks": "captain"},
    "debate": {**_LED, "hears": "rounds", "names": "hidden", "groups": True},
    "mixture": {"drafts": "single-call", "hears": "reasons"},
}
_CONSENSUS = ("majority-consensus", "supermajority-consensus", "unanimity-consensus")
_SIGNS = frozenset(",=()[]{}'\"\\\n\r")
_OTHER_VALUES = frozenset(("", "True", "False", "None"))


@dataclass(frozen=True, slots=True)
class OldStrategy:
    """One entry of an old file: a name, and what was written of its options."""

    name: str
    written: Mapping[str, Any]

    @property
    def options(self) -> dict[str, Any]:
        return {**_DEFAULTS[self.name], **self.written}

    @property
    def captain(self) -> str | None:
        captain: str | None = self.options.get("captain")
        return captain

    def served(self) -> OldStrategy:
        return OldStrategy(self.name, {**self.written, **_SERVED.get(self.name, {})})

    def labels(self) -> Iterator[str]:
        """What its cells may have been called: values as they were written, as floats, or quoted."""
        given = self.stored_options()["given"]
        as_written = {option: self.options[option] for option in given}
        for options, told in ((as_written, str), (given, str), (given, _quoted)):
            changed = [
                f"{option}={_accuracies_mark(value) if option == 'shown_accuracies' else told(value)}"
                for option, value in options.items()
                if option != "captain"
            ]
            yield f"{self.name}({', '.join(changed)})" if changed else self.name

    def stored_options(self) -> dict[str, dict[str, Any]]:
        """A whole number where a fraction could stand is the same value."""
        kept: dict[str, dict[str, Any]] = {"given": {}, "default": {}}
        for option, value in self.options.items():
            default = _DEFAULTS[self.name][option]
            whole = isinstance(default, float) and type(value) is int
            kept["default" if value == default else "given"][option] = float(value) if whole else value
        return kept

    def traits(self) -> dict[str, Any]:
        """What a cell keeps of them: what differs from the cautious default."""
        options, traits = self.options, dict(_TRAITS[self.name])
        if self.name in ("solo", "peer-review", "debate"):
            traits["drafts"] = options["drafts"]
        if self.name == "peer-review":
            traits["names"] = options["names"]
        if self.name == "discuss":
            offices = {"judge": options["judge"], "plant": options["planted_by"]}
            traits["offices"] = {office: model for office, model in offices.items() if model is not None}
            decision = options["decision"]
            traits["decides_by"] = (
                "consensus" if decision in _CONSENSUS else "judge" if decision == "judge" else "voting"
            )
        if self.name == "mixture":
            traits |= _mixture(options)
        return {name: value for name, value in traits.items() if value != {}}


def _mixture(options: Mapping[str, Any]) -> dict[str, Any]:
    repeats = {} if options["repeats"] == 1 else {"repeats": options["repeats"]}
    if options["summariser"] is None:
        return {**_LED, "asks": "captain", **repeats}
    return {"word": "office", "asks": "nobody", "offices": {"summariser": options["summariser"]}, **repeats}


def old_strategy(name: str, options: Mapping[str, Any] | None) -> OldStrategy | None:
    """None where nobody knows any more what it was: of another package, or with values from another file."""
    if name not in _DEFAULTS:
        return None
    written = {str(key).replace("-", "_"): _as_tuples(value) for key, value in (options or {}).items()}
    from_files = any(isinstance(written.get(option), str) for option in _FROM_FILES)
    if from_files or not written.keys() <= _DEFAULTS[name].keys():
        return None
    return OldStrategy(name, written)


def _as_tuples(value: Any) -> Any:
    return tuple(map(_as_tuples, value)) if isinstance(value, list) else value


def _quoted(value: Any) -> str:
    """As labels are told since: a text that could be mistaken is quoted, and a whole number has no point."""
    if isinstance(value, str):
        mistaken = value in _OTHER_VALUES or value != value.strip() or _is_number(value) or _SIGNS & set(value)
        return json.dumps(value, ensure_ascii=False) if mistaken else value
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True


def _accuracies_mark(accuracies: Mapping[str, float]) -> str:
    """A label told their number and a mark."""
    return f"{len(accuracies)}#{digest([[name, float(share)] for name, share in accuracies.items()])[:6]}"


_RECORDS: Mapping[str, Mapping[str, Any]] = {
    "grouped": {"stages": (), "fell_back": None, "turn": 1},
    "ballot": {"form": "choice", "order": (), "turn": 1, "role": "voter", "cause": None},
    "counted": {"turn": 1, "solutions": {}},
    "shown": {"turn": 2, "drawn": True, "answer": None, "places": None},
    "round": {"changed": (), "absent": (), "late": ()},
    "review": {"turn": 2},
    "remark": dict.fromkeys(("text", "solution", "agree", "position", "backs", "outcome", "cause"))
    | {"part": 0, "heard_by": ()},
    "challenge": dict.fromkeys(("shown", "planted", "facts", "cause")),
    "objection": dict.fromkeys(("answer", "cause")),
}
"""By kind of record: what was left out where it had this value, when traces were first written."""


def old_record(kind: str, **content: Any) -> dict[str, Any]:
    """A record as the first version with traces stored it."""
    defaults = _RECORDS.get(kind, {})
    kept = {name: value for name, value in content.items() if name not in defaults or value != defaults[name]}
    return {"kind": kind} | {
        name: {str(key): item for key, item in value.items()} if isinstance(value, Mapping) else value
        for name, value in kept.items()
    }
