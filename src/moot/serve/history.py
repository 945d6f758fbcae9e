"""The page where people watch the table, the questions asked before, and reports beside them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

import orjson
from fastapi import FastAPI, Query, Request
from sqlalchemy import Connection
from starlette.responses import FileResponse, Response

from moot.errors import UsageError
from moot.live.served import find_episode
from moot.live.served_past import latest_episodes
from moot.live.team import LiveTeam
from moot.report.transcript import calls_of
from moot.serve.admission import Gate, Refused
from moot.store.rows import case_of, verdict_json, verdict_of

PAGE = Path(__file__).parent / "page"
FILES = {"table.html": "text/html; charset=utf-8", "table.css": "text/css", "table.js": "text/javascript"}

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""The page shows what models wrote: nothing of it may run, and nothing may leave."""

_BEARER: dict[str, Any] = {"security": [{"bearer": []}]}


def history_routes(app: FastAPI, gate: Gate, live: LiveTeam, reports: Path | None) -> None:
    @app.get("/", include_in_schema=False)
    async def page() -> Response:
        return _file("table.html")

    @app.get("/page/{name}", include_in_schema=False)
    async def part(name: str) -> Response:
        if name not in FILES:
            raise Refused(404, f"There is no {name!r}.", code="unknown_url")
        return _file(name)

    @app.get("/v1/moot/teams", openapi_extra=_BEARER)
    async def teams(request: Request) -> Response:
        """Who sits at which table, for the page."""
        gate.holder(request)
        listed = [
            {
                "model": name,
                "team": None if cell.player else cell.team.name,
                "strategy": cell.label,
                "captain": cell.captain,
                "players": [{"name": each.name, "model": each.model.name} for each in cell.team.players],
            }
            for name, cell in live.cells.items()
        ]
        return _json({"name": live.experiment.name, "simulated": _simulated(live), "teams": listed})

    @app.get("/v1/moot/episodes", openapi_extra=_BEARER)
    async def episodes(request: Request, limit: Annotated[int, Query(ge=1, le=500)] = 50) -> Response:
        """What was asked last."""
        gate.holder(request)
        await live.record.flush()
        found = await live.store.read(partial(latest_episodes, experiment=live.record.id, most=limit))
        names = {cell.id: name for name, cell in reversed(live.cells.items())}
        return _json({"episodes": [_short(row, names) for row in found]})

    @app.get("/v1/moot/episodes/{episode}", openapi_extra=_BEARER)
    async def episode(episode: str, request: Request) -> Response:
        """One question whole: every prompt, reply, ballot and grade."""
        gate.holder(request)
        await live.record.flush()
        try:
            found = await live.store.read(partial(_whole, experiment=live.record.id, episode=episode))
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None
        return _json(found)

    @app.get("/v1/moot/reports", openapi_extra=_BEARER)
    async def list_reports(request: Request) -> Response:
        gate.holder(request)
        names = sorted(_reports(reports))
        return _json({"reports": [{"name": name.removesuffix(".html"), "url": f"/reports/{name}"} for name in names]})

    @app.get("/reports/{name}", include_in_schema=False)
    async def report(name: str) -> Response:
        """A report is a file that anyone may be given; it is served like the page, without a key."""
        known = _reports(reports)
        if name not in known:
            raise Refused(404, f"There is no report {name!r}.", code="unknown_url")
        return FileResponse(known[name], media_type="text/html; charset=utf-8")


def _whole(connection: Connection, experiment: str, episode: str) -> dict[str, Any]:
    row = find_episode(connection, experiment, episode)
    case = case_of(row["content"])
    return {
        "episode": episode,
        "question": case.question.text,
        "reference": case.answer,
        "known": case.known,
        "verdict": verdict_json(verdict_of(row["verdict"])),
        "calls": list(calls_of(connection, json.loads(row["transcript"]))),
        "seconds": row["seconds"],
        "asked_at": row["created_at"],
    }


def _short(row: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "episode": f"ep_{row['repeat']:08x}{row['question']}",
        "question": case_of(row["content"]).question.text,
        "answer": row["answer"],
        "outcome": row["outcome"],
        "model": names.get(row["cell"], row["label"]),
        "seconds": row["seconds"],
        "asked_at": row["created_at"],
    }


def _reports(folder: Path | None) -> dict[str, Path]:
    return {each.name: each for each in folder.glob("*.html")} if folder is not None else {}


def _simulated(live: LiveTeam) -> list[str]:
    return [name for name, spec in live.experiment.spec.models.items() if spec.provider == "simulated"]


def _file(name: str) -> Response:
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff", "Referrer-Policy": "no-referrer"}
    return FileResponse(PAGE / name, media_type=FILES[name], headers=headers)


def _json(body: object) -> Response:
    return Response(orjson.dumps(body), media_type="application/json")
