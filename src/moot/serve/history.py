"""The page where people watch the table, the questions asked before, and reports beside them."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from moot.config.type_words import told
from moot.errors import MootError, UsageError
from moot.experiment.plan import Cell
from moot.live.beside_episodes import titles_of
from moot.live.edited_team import players_of, strategies_of, strategy_gives_texts
from moot.live.forgotten_episode import purge_episode
from moot.live.served_names import gives_long_answers
from moot.live.simulated_replies import shapes_of, simulated_by_file, simulated_by_replies
from moot.live.team import LiveTeam
from moot.openai_form.refusal import Refused, json_response
from moot.serve.admission import Admission
from moot.serve.asked_before import AskedBefore, asked_before
from moot.serve.discretion import public_record
from moot.serve.long_past import TooLong, answer_alone, listed_episodes, whole_episode
from moot.serve.openapi import DescribedRoute, read_whole_number, whole_number
from moot.serve.page_files import page_file, page_with_token
from moot.serve.reports import HEADERS as REPORT_HEADERS
from moot.serve.reports import Reports
from moot.store.examined import examined
from moot.store.same_options import line_up
from moot.types import digest

VENDORED = ("markdown-it.umd.min.js", "highlight.min.js", "katex.min.js", "purify.min.js")
OURS = (
    *("table.js", "server.js", "stages.js", "written.js", "rich.js", "markdown.js"),
    *("tabs.js", "turns.js", "edit.js", "duel.js", "left.js", "asking.js", "ballots.js", "letters.js", "given.js"),
    *("blind.js", "filled.js", "form.js"),
)
SCRIPTS = (*OURS, *(f"vendor/{name}" for name in VENDORED))
FILES = ("table.html", "table.css", *SCRIPTS)


SCRUBBED_S = 10.0
"""How long whoever forgets a question waits until it is gone from the store's files too."""
NOT_SCRUBBED = (
    "It is forgotten, and nobody is shown it any more. Its words are still in the store's files: another process may be reading "
    "an earlier state of the store. The server tries again until they are gone."
)

_LIMIT = whole_number("limit", least=1, most=500, default=50)


@dataclass(frozen=True, slots=True)
class PastAndPage:
    """What is behind the addresses of the page: each method answers one of them."""

    gate: Admission
    live: LiveTeam
    reports: Reports
    page_token: str | None
    edit_teams: bool = True

    async def page(self, request: Request) -> Response:
        return page_with_token("table.html", self.page_token)

    async def page_file(self, request: Request) -> Response:
        return page_file(request.path_params["name"], FILES)

    async def teams(self, request: Request) -> Response:
        """Who sits at which table, for the page."""
        self.gate.holder(request)
        offer, names = self.live.offer, self._names()
        listed = [
            {
                "model": name,
                "called": names[cell.id],
                "team": None if cell.player else cell.team.name,
                "strategy": cell.label,
                "captain": cell.captain,
                "declared": name == self.live.declared,
                "best": offer is not None and offer.from_run and name == self.live.usual,
                "players": _seats(cell),
                "texts": gives_long_answers(cell),
                "line_up": digest(line_up(cell.spec, alone=cell.player is not None)),
            }
            for name, cell in self.live.cells.items()
        ]
        told = {"name": self.live.experiment.name, "kind": self.live.kind, "simulated": await self._simulated()}
        return json_response({**told, "teams": listed, "parts": _parts(self.live) if self.edit_teams else None})

    async def _simulated(self) -> list[str]:
        """Models that are not real, by the file, by its run, or by what they have answered here."""
        live = self.live
        spec = live.experiment.spec
        found = simulated_by_file(spec) | set(live.offer.simulated if live.offer is not None else ())
        with suppress(MootError):  # what is wrong with the store is told with the list of what was asked
            shapes = shapes_of(live.experiment)
            async with examined(live.store):
                found |= await live.store.read(partial(simulated_by_replies, name=live.record.name, shapes=shapes))
        return [name for name in spec.models if name in found]

    async def episodes(self, request: Request) -> Response:
        """What was asked last."""
        holder = self.gate.holder(request)
        limit = read_whole_number(request, _LIMIT)
        await self.live.record.all_written()
        names = self._names()
        async with examined(self.live.store):
            rows = await self.live.store.read(
                partial(listed_episodes, name=self.live.record.name, most=limit, asker=holder.sees)
            )
            unnamed = {row["cell"] for row in rows} - {*names}
            if unnamed:  # put together for an earlier server, or asked before the file was changed
                find = partial(asked_before, name=self.live.record.name, cells=unnamed)
                before = await self.live.store.read(find)
                names = {**names, **{cell: self._called(asked, names) for cell, asked in before.items()}}
            listed = [_short(row, names) for row in rows]
            called = partial(titles_of, person=holder.name, episodes=[each["episode"] for each in listed])
            titles = await self.live.store.read(called)
            return json_response({"episodes": [{**each, "title": titles.get(each["episode"])} for each in listed]})

    def _called(self, asked: AskedBefore, names: Mapping[str, str]) -> str:
        """As whoever answers to that name now is called; by the name itself, where nobody does any more."""
        cell = self._answering_to(asked)
        return asked.name if cell is None else names[cell.id]

    def _answering_to(self, asked: AskedBefore) -> Cell | None:
        """Whom of the file one asks by that name now, whatever was changed since."""
        if asked.team is not None:
            return None
        try:
            return self.live.cell_of_file(asked.name)
        except UsageError:
            return None

    def _names(self) -> dict[str, str]:
        """What cells are called by, of their names the first."""
        every = {
            **self.live.cells,
            **self.live.every,
            **self.live.edited.cells,
        }  # what is not served any more has a name too
        return {cell.id: name for name, cell in reversed(every.items())}

    async def episode(self, request: Request) -> Response:
        """One question whole: every prompt, reply, ballot and grade."""
        sees = self.gate.holder(request).sees
        ident, live = request.path_params["episode"], self.live
        await live.record.all_written()
        try:
            async with examined(live.store):
                record = await live.store.read(
                    partial(
                        whole_episode, name=live.record.name, episode=ident, asker=sees, grading=live.record.grading
                    )
                )
                return json_response({**public_record(record), **await self._asked_of(record)})
        except TooLong as error:
            raise Refused(413, str(error), code="episode_too_long", param="episode") from None
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None

    async def answer(self, request: Request) -> Response:
        """The answer to one question alone: nothing that tells whose it is, for who is to judge it."""
        sees = self.gate.holder(request).sees
        ident, live = request.path_params["episode"], self.live
        await live.record.all_written()
        try:
            async with examined(live.store):
                return json_response(
                    await live.store.read(partial(answer_alone, name=live.record.name, episode=ident, asker=sees))
                )
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None

    async def _asked_of(self, record: dict[str, Any]) -> dict[str, Any]:
        """Whom it was asked of, and whether the next question can be: under its name, whatever was changed in the file since."""
        ident: str = record.pop("cell")
        before: AskedBefore | None = record.pop("asked_of")
        cells = {cell.id: cell for cell in (*self.live.every.values(), *self.live.edited.cells.values())}
        team = None if before is None else before.team
        cell, names = cells.get(ident), self._names()
        name, served = names.get(ident), ident in {cell.id for cell in self.live.cells.values()}
        if before is not None and team is not None:
            name = before.name
        elif before is not None and name is None:
            name, served = self._called(before, names), self._answering_to(before) is not None
        if team is not None:
            served = self.edit_teams and await self.live.edited.can_be_made(team)
        return {
            "model": name,
            "served": served,
            "team": None if team is None else asdict(team),
            "captain": cell.captain if cell is not None else before and before.captain,
            "players": _seats(cell) if cell is not None else before and before.players,
        }

    async def forget_episode(self, request: Request) -> Response:
        """Forget one question: its answer, every prompt and reply, in every byte of the store."""
        sees = self.gate.holder(request).sees
        ident, record = request.path_params["episode"], self.live.record
        await record.all_written(forgetting=ident)
        forget = partial(purge_episode, name=record.name, episode=ident, asker=sees)
        try:
            async with examined(self.live.store):
                removed = await self.live.store.run(forget)
        except UsageError as error:
            raise Refused(404, str(error), code="no_such_episode", param="episode") from None
        try:
            await record.flush()  # a call that was written in that moment goes too
        finally:
            record.files.scrub_soon()
        gone = await record.files.gone(SCRUBBED_S)
        told: dict[str, Any] = {"episode": ident, "forgotten": removed, "scrubbed": gone}
        return json_response(told) if gone else json_response({**told, "note": NOT_SCRUBBED}, 202)

    async def list_reports(self, request: Request) -> Response:
        """The reports that lie beside the page."""
        self.gate.holder(request)
        names = await asyncio.to_thread(self.reports.names)
        return json_response({"reports": [_link(name, self.reports.ticket(name)) for name in names]})

    async def report(self, request: Request) -> Response:
        name = request.path_params["name"]
        if not self.reports.opens(name, request.query_params.get("ticket", "")):
            self.gate.holder(request)
        content = await asyncio.to_thread(self.reports.read, name)
        if content is None:
            raise Refused(404, f"There is no report {told(name)}.", code="unknown_url")
        return Response(content, media_type="text/html; charset=utf-8", headers=REPORT_HEADERS)


def history_routes(
    gate: Admission, live: LiveTeam, reports: Reports, page_token: str | None, *, edit_teams: bool = True
) -> list[BaseRoute]:
    doors = PastAndPage(gate, live, reports, page_token, edit_teams)
    return [
        Route("/", doors.page),
        Route("/page/{name:path}", doors.page_file),
        DescribedRoute("/v1/moot/teams", doors.teams),
        DescribedRoute("/v1/moot/episodes", doors.episodes, parameters=[_LIMIT]),
        DescribedRoute("/v1/moot/episodes/{episode}", doors.episode),
        DescribedRoute("/v1/moot/episodes/{episode}/answer", doors.answer),
        DescribedRoute(
            "/v1/moot/episodes/{episode}",
            doors.forget_episode,
            method="DELETE",
            unfinished="Forgotten, not yet scrubbed.",
        ),
        DescribedRoute("/v1/moot/reports", doors.list_reports),
        Route("/reports/{name}", doors.report),
    ]


def _short(row: dict[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    return {
        "episode": f"ep_{row['repeat']:08x}{row['question']}",
        "question": row["text"],
        "further": row["further"],
        "answer": row["answer"],
        "choice": row["choice"],
        "cut": ["question" if name == "text" else name for name in row["cut"]],
        "outcome": row["outcome"],
        "model": names.get(row["cell"], row["label"]),
        "seconds": row["seconds"],
        "asked_at": row["created_at"],
    }


def _parts(live: LiveTeam) -> dict[str, Any]:
    """What a team can be put together from."""
    seated = {player.name for player in live.cell(live.usual).team.players}
    players = [{"name": name, "model": model, "seated": name in seated} for name, model in players_of(live).items()]
    strategies = strategies_of(live)
    texts = [name for name in strategies if strategy_gives_texts(live, name)]
    return {"players": players, "strategies": strategies, "texts": texts}


def _seats(cell: Cell) -> list[dict[str, str]]:
    return [{"name": player.name, "model": player.model.name} for player in cell.team.players]


def _link(name: str, ticket: str) -> dict[str, str]:
    return {"name": name.removesuffix(".html"), "url": f"/reports/{quote(name)}?ticket={ticket}"}
