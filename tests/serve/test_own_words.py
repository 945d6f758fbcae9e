"""What is wrong with a request is said in our words, with the key and what was expected, and never in the validator's."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from served import serving

ASKED = [{"role": "user", "content": "Which river?"}]
VALIDATOR = re.compile(
    r"Input should|Extra inputs|should have at|Value error|valid (string|integer|list|boolean|dict)|pydantic"
)

CHAT: list[tuple[dict[str, Any], str]] = [
    ({"moot": {"choices": []}}, "moot.choices: expected at least 2, found none"),
    ({"moot": {"choices": ["one"]}}, "moot.choices: expected at least 2, found 1"),
    ({"moot": {"choices": ["a", "a"]}}, "moot.choices: expected each choice once, found 'a' twice"),
    ({"moot": {"choices": [str(number) for number in range(99)]}}, "moot.choices: expected at most 26, found more"),
    ({"moot": {"choices": "ab"}}, "moot.choices: expected a list, found 'ab'"),
    ({"moot": {"chioces": []}}, "moot.chioces: unknown key; expected one of kind, choices, context, language, team; "),
    ({"moot": {"kind": "txt"}}, "moot.kind: expected open, choice, yes-no or text, found 'txt'; did you mean 'text'?"),
    ({"moot": {"context": 5}}, "moot.context: expected a text, found 5"),
    ({"moot": {"context": " "}}, "moot.context: "),
    ({"moot": {"team": {"players": [], "strategy": "vote"}}}, "moot.team.players: expected at least 1, found none"),
    ({"moot": {"team": {"players": ["ann"]}}}, "moot.team.strategy: Field required; expected a text"),
    ({"moot": []}, "moot: expected keys and values, found a list"),
    ({"messages": None}, "messages: expected a list, found nothing"),
    ({"messages": []}, "messages: expected at least 1, found none"),
    ({"messages": [{"content": "Which?"}]}, "messages.0.role: Field required; expected system, developer, user, "),
    ({"messages": [{"role": "user", "content": 5}]}, "messages.0.content: expected a text or a list, found 5"),
    ({"messages": [{"role": "user", "content": [5]}]}, "messages.0.content.0: expected keys and values, found 5"),
    ({"model": ""}, "model: expected a text that is not empty, found ''"),
    ({"stream": "perhaps"}, "stream: expected true or false, found 'perhaps'"),
    ({"max_tokens": True}, "max_tokens: expected a whole number, found true"),
    ({"time_limit_s": 0}, "time_limit_s: expected more than 0, found 0"),
    ({"time_limit_s": True}, "time_limit_s: expected a number, found true"),
    ({"stop": 5}, "stop: expected a text or a list, found 5"),
    ({"stop": ["a", 5]}, "stop.1: expected a text, found 5"),
    ({"tool_choice": "any"}, "tool_choice: expected none, auto or required, found 'any'"),
    ({"tools": [{}]}, "tools.0.type: Field required; expected a text"),
    ({"tools": [{"type": "function"}]}, "tools.0.function: expected the function, with its name"),
    ({"functions": [{"name": "a b"}]}, "functions.0.name: expected 1 to 64 letters, digits, _ and -, found 'a b'"),
    (
        {"response_format": {"type": "xml"}},
        "response_format.type: expected text, json_object or json_schema, found 'xml'",
    ),
]
RESPONSES: list[tuple[dict[str, Any], str]] = [
    ({"input": 5}, "input: expected a text or a list, found 5"),
    ({"input": []}, "input: expected at least 1, found none"),
    ({"input": [{"role": "nobody"}]}, "input.0.role: expected system, developer, user, assistant, tool or function, "),
    ({"input": [{"content": "Which?"}]}, "input.0.role: Field required; expected system, developer, user, assistant, "),
    (
        {"tools": [{"type": "function", "name": "a b"}]},
        "tools.0.name: expected 1 to 64 letters, digits, _ and -, found ",
    ),
    ({"moot": {"choices": []}}, "moot.choices: expected at least 2, found none"),
]
EPISODE = "the id of an episode: ep_ and 40 digits or letters from a to f"
OTHERS: list[tuple[str, dict[str, Any], str]] = [
    ("/v1/feedback", {}, f"episode: Field required; expected {EPISODE}"),
    ("/v1/feedback", {"episode": "7", "correct": True}, f"episode: expected {EPISODE}, found '7'"),
    (
        "/v1/feedback",
        {"episode": "ep_" + "0" * 40, "right": True},
        "right: unknown key; expected one of episode, answer, ",
    ),
    ("/v1/feedback", {"episode": "ep_" + "0" * 40, "answer": "\u200b"}, "answer: "),
    ("/v1/moot/preferences", {"first": "a"}, f"first: expected {EPISODE}, found 'a'"),
    ("/v1/moot/episodes/ep_" + "0" * 40 + "/title", {"title": 5}, "title: expected a text, found 5"),
]


async def test_what_is_wrong_is_said_in_our_words(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        tried = [
            ("/v1/chat/completions", {"model": "three/vote", "messages": ASKED, **more}, words) for more, words in CHAT
        ]
        tried += [
            ("/v1/responses", {"model": "three/vote", "input": "Which?", **more}, words) for more, words in RESPONSES
        ]
        for path, sent, expected in (*tried, *OTHERS):
            status, body = await served.post(path, sent)
            said = body.get("error", {}).get("message", "")
            assert (status, said[: len(expected)]) == (400, expected), said
            assert not VALIDATOR.search(said), said
            assert body["error"]["param"] == expected.partition(":")[0]
        digits = '{"model": "three/vote", "input": "Which?", "max_tokens": %s}'
        for number in ("9" * 5000, "-" + "9" * 5000, "1e999", "1.5e3000"):
            async with served.session.post(
                f"{served.url}/v1/responses", data=digits % number, headers={"Content-Type": "application/json"}
            ) as response:
                assert response.status in (200, 400), (number[:9], await response.text())
