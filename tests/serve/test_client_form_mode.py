"""What a client asks for in its own form changes nothing for those who come after it: the requests that are sent tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hostile_server import completion, hostile, http
from served import serving

STRICT = {"error": {"message": "Invalid schema for response_format 'reply': In context=(), 'additionalProperties' is "
                               "required to be supplied and to be false.", "param": "response_format"}}  # fmt: skip
UNSUPPORTED = {"error": {"message": "response_format json_schema with such a schema is not supported"}}


def team(base_url: str) -> dict[str, Any]:
    return {
        "name": "one",
        "models": {"ann": {"provider": "endpoint", "base_url": base_url, "model": "m", "retries": {"attempts": 1}}},
        "teams": {"one": {"players": ["ann"], "captain": "ann"}},
        "strategies": ["vote"],
    }


async def test_a_clients_form_is_no_lesson(tmp_path: Path) -> None:
    for number, refusal in enumerate((STRICT, UNSUPPORTED)):
        folder = tmp_path / str(number)
        folder.mkdir()

        def answer(body: Any, _: int, refusal: Any = refusal) -> bytes:
            schema = body.get("response_format", {}).get("json_schema", {}).get("schema", {})
            if schema and schema.get("additionalProperties") is not False:
                return http(refusal, 400)
            return http(completion())

        async with hostile(answer) as server, serving(folder, team(server.base_url)) as table:
            assert (await table.chat("Which?", "one/vote"))[0] == 200
            before = list(server.forms)
            assert set(before) == {"json_schema"}
            status, said = await table.chat("Which?", "one/vote", response_format={"type": "json_object"})
            assert status == 200, said
            asked = server.forms[len(before) :]
            assert asked[-2:] == ["json_schema", "json_object"], "in the lesser way, for this client"
            so_far = len(server.forms)
            assert (await table.chat("And now?", "one/vote"))[0] == 200
            assert set(server.forms[so_far:]) == {"json_schema"}, "the served team is the measured one"
