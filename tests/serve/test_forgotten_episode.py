"""One question is forgotten by whoever asked it: looked for in every byte that is left, and by others who may not."""

from __future__ import annotations

from pathlib import Path

from served import serving
from test_owners import ANN, BOB, BOSS, KEYS, asked, listed
from test_purge import SECRET, holding

ASKED = f"Where is the well of {SECRET}, and who keeps it in the dry months?"
FORM = {
    "type": "json_schema",
    "json_schema": {"name": "well", "schema": {"type": "object", "properties": {"well": {"type": "string"}}}},
}


async def test_no_byte_of_it_is_left_and_all_else_is(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        _, other = await served.chat("Which river?")
        _, body = await served.chat(ASKED, response_format=FORM)
        episode = body["moot"]["episode"]
        told = {"episode": episode, "answer": f"{SECRET} the first"}
        assert (await served.post("/v1/feedback", told))[0] == 200
        assert holding(tmp_path)
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}") as response:
            removed = (await response.json())["forgotten"]
            assert response.status == 200
        assert (removed["episodes"], removed["questions"]) == (1, 1)
        assert removed["calls"] >= 3
        assert holding(tmp_path) == []
        assert (await served.get(f"/v1/moot/episodes/{episode}"))[0] == 404
        status, whole = await served.get(f"/v1/moot/episodes/{other['moot']['episode']}")
        assert status == 200
        assert all(call["text"] for call in whole["calls"]), "the calls of others stay"
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{episode}") as response:
            assert response.status == 404, "what is gone is gone"


async def test_of_a_question_asked_twice_the_other_answer_stays(tmp_path: Path) -> None:
    async with serving(tmp_path) as served:
        first, second = [(await served.chat("Which river?"))[1]["moot"]["episode"] for _ in range(2)]
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{first}") as response:
            assert (await response.json())["forgotten"]["questions"] == 0
        status, whole = await served.get(f"/v1/moot/episodes/{second}")
        assert status == 200
        assert all(call["text"] for call in whole["calls"])
        assert (await served.post("/v1/feedback", {"episode": second, "correct": True}))[0] == 200


async def test_nobody_forgets_what_is_anothers(tmp_path: Path) -> None:
    async with serving(tmp_path, settings=KEYS) as served:
        anns, bobs = [(await asked(served, "Which river?", key))["moot"]["episode"] for key in (ANN, BOB)]
        for headers, status in (({}, 401), (BOB, 404), (ANN, 200)):
            async with served.session.delete(f"{served.url}/v1/moot/episodes/{anns}", headers=headers) as response:
                assert response.status == status
        assert await listed(served, ANN) == []
        assert await listed(served, BOB) == ["Which river?"]
        elsewhere = {"Origin": "http://elsewhere.example", **BOB}
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{bobs}", headers=elsewhere) as response:
            assert response.status == 403, "no page of another site"
        async with served.session.delete(f"{served.url}/v1/moot/episodes/{bobs}", headers=BOSS) as response:
            assert response.status == 200, "an admin may"
