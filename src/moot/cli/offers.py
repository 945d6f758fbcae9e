"""What `moot init` has to offer: models that were found, in the order in which one would take them."""

from __future__ import annotations

import asyncio
import importlib.util
import os
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby

from moot.cli.choosing import numbers, several, typed
from moot.cli.safe_text import fitted, say
from moot.errors import CallError, UsageError
from moot.experiment import starter_file
from moot.experiment.starter_file import StarterModel
from moot.live.discovery.hosted import HostedKey, hosted_keys, hosted_models
from moot.live.discovery.servers import HOST, FoundServer, answers_questions, find_servers
from moot.models.packaged import CATALOGUE, PackagedModel

MOST_PROPOSED = 6
"""More players than that cost much and add little; whoever wants them says so."""
MOST_LISTED = 60
MENU_LINES = 16
"""So many of a screen the list of models may take, beside what is said before and after it."""
LINE = 79
EMBEDDED = "smollm2-135m"


@dataclass(frozen=True, slots=True)
class Offer:
    """One line of the list."""

    title: str
    where: str
    models: tuple[StarterModel, ...] = ()
    key: HostedKey | None = None
    """Of an API whose models are not known before it is asked, or somebody names them."""
    rank: int = 0
    """Of those that could be proposed the lowest are; 0: not proposed."""
    first: str = ""
    """What has to be typed before its model is there."""


def find_offers(ports: Sequence[int], key_env: str | None = None, *, yes: bool = False, again: str = "") -> list[Offer]:
    """`key_env`: the variable with a key for servers of this machine that want one. `yes`: nobody is there to choose another
    model, so a server that was asked for by its port and wants a key is a mistake. `again`: what else was typed."""
    servers = asyncio.run(find_servers(ports, _key_of(key_env)))
    closed = _closed_words(servers, key_env, again)
    if yes and (asked_for := [words for port, words in closed.items() if port in ports]):
        raise UsageError("\n".join([*asked_for, "Nothing was written."]))
    _say_what_is_missing(servers, ports, closed.values())
    offers = [offer for server in servers for offer in _of_server(server, key_env)]
    offers += [Offer(key.api.name, f"hosted; {key.variable} is set", key=key) for key in hosted_keys()]
    offers += [_of_packaged(model) for model in CATALOGUE.values() if model.answers]
    simulated = tuple(starter_file.simulated())
    return [*offers, Offer("three simulated models", "not real, for trying the commands", simulated, rank=4)]


def _key_of(variable: str | None) -> str | None:
    if variable is None:
        return None
    key = os.environ.get(variable, "").strip()
    if not key:
        raise UsageError(f"--key-env {variable}: no such variable is set")
    return key


def _closed_words(servers: Sequence[FoundServer], key_env: str | None, again: str) -> dict[int, str]:
    """By port, of servers that want a key, or another."""
    told = {}
    for server in servers:
        if server.wants_key and key_env is not None:
            told[server.port] = f"{server.kind} at {server.place} refuses the key in {key_env}"
        elif server.wants_key:
            told[server.port] = (
                f"{server.kind} at {server.place} needs a key. Put it in a variable, such as SERVER_KEY:\n"
                f"  moot init --port {server.port} --key-env SERVER_KEY{again}"
            )
    return told


def _say_what_is_missing(servers: Sequence[FoundServer], ports: Sequence[int], closed: Iterable[str]) -> None:
    found = {server.port for server in servers}
    for port in dict.fromkeys(port for port in ports if port not in found):
        say(f"No model server answers at {HOST}:{port}")
    for words in closed:
        say(words)


def _of_server(server: FoundServer, key_env: str | None) -> Iterable[Offer]:
    variable = key_env if server.by_key else None
    for model in server.models:
        where = f"{server.kind} at {server.place}"
        rank = 2 if server.simulated else 1
        if server.simulated:
            where += ", simulated: not real"
        elif server.serves_teams:
            where, rank = f"{where}, a team", 0
        elif not answers_questions(model):
            where, rank = f"{where}, by its name not for questions", 0
        made = starter_file.endpoint(
            server.base_url,
            model,
            where,
            variable=variable,
            concurrent=server.concurrent,
            small=model in server.small,
            simulated=server.simulated,
        )
        yield Offer(model, where, (made,), rank=rank)


def _of_packaged(model: PackagedModel) -> Offer:
    needs = []
    if importlib.util.find_spec("xllamacpp") is None:
        needs.append("pip install 'moot[local]'")
    if not model.there:
        needs.append(f"moot models add {model.name}")
    first = " && ".join(needs)
    where = f"a small model inside moot{f'; needs: {first}' if first else ', no server needed'}"
    rank = 3 if model.name == EMBEDDED and not needs else 0
    return Offer(model.name, where, (starter_file.packaged(model.name),), rank=rank, first=first)


def proposed(offers: Sequence[Offer]) -> list[int]:
    """Real models of servers; without any simulated servers, then the embedded model, then simulated ones."""
    best = min(offer.rank for offer in offers if offer.rank)
    return [place for place, offer in enumerate(offers) if offer.rank == best][:MOST_PROPOSED]


@dataclass(frozen=True, slots=True)
class _Menu:
    """The list of models as it is printed."""

    lines: Sequence[str]
    hanging: int
    whole: bool
    """Every offer has a line, with all its words."""

    @property
    def height(self) -> int:
        """Rows of the screen: what is longer than a line goes on in the next."""
        return sum(fitted(line, sys.stdout, self.hanging).count("\n") + 1 for line in self.lines)


def show(offers: Sequence[Offer], chosen: Sequence[int], most: int | None = MENU_LINES) -> None:
    """One line each; where these are more rows of the screen than `most`, of every place the first few and its others in one
    line; and where these are more too, every line as far as it goes."""
    menu = _menu(offers, chosen, most)
    for line in menu.lines:
        say(line, hanging=menu.hanging)


def _menu(offers: Sequence[Offer], chosen: Sequence[int], most: int | None) -> _Menu:
    places = [list(group) for _, group in groupby(range(len(offers)), key=lambda place: offers[place].where)]
    largest = max(map(len, places))
    menu = _menu_of(offers, chosen, places, largest, cut=False)
    for cut in (False, True):
        for each in range(largest, 0, -1):
            if most is None or menu.height <= most:
                return menu
            menu = _menu_of(offers, chosen, places, each, cut=cut)
    return menu


def _menu_of(
    offers: Sequence[Offer], chosen: Sequence[int], places: Sequence[Sequence[int]], each: int, *, cut: bool
) -> _Menu:
    """`each`: how many of every place have a line of their own. `cut`: no line goes on in a second."""
    width = min(40, max(len(offer.title) for offer in offers))
    lines, whole = [], not cut
    for group in places:
        # A line that says how many others there are is as long as the one that it stands for.
        alone = group if len(group) <= each + 1 else group[:each]
        for place in alone:
            mark = "*" if place in chosen else " "
            line = f" {mark}{place + 1:3}  {offers[place].title.ljust(width)}  {offers[place].where}"
            lines.append(f"{line[: LINE - 1]}…" if cut and len(line) > LINE else line)
        if others := group[len(alone) :]:
            whole = False
            mark = "*" if {*others} & {*chosen} else " "
            told = f" {mark}{others[0] + 1:3}-{others[-1] + 1}  {len(others)} more: "
            lines.append(told + _few(", ".join(offers[place].title for place in others), LINE - len(told)))
    return _Menu(lines, width + 9, whole)


def _few(names: str, room: int) -> str:
    return names if len(names) <= room else f"{names[: room - 2].rpartition(',')[0] or names[: room - 2]}, …"


def choose(offers: Sequence[Offer]) -> list[StarterModel]:
    """The models that somebody wants; those of a hosted API by their names, or from its list if it may be asked."""
    taken = proposed(offers)
    listed = "" if _menu(offers, taken, MENU_LINES).whole else "; 'list' shows all"
    while True:
        places = several(
            f"Which, such as 1,3-4{listed}? Enter accepts",
            range(len(offers)),
            taken,
            whole=lambda: show(offers, taken, None),
        )
        models = [model for place in places for model in _models_of(offers[place])]
        if models:
            return models
        say("no model chosen; an experiment needs at least one")


def _models_of(offer: Offer) -> list[StarterModel]:
    key = offer.key
    return list(offer.models) if key is None else [hosted_model(key, name) for name in _hosted_names(key)]


def hosted_model(key: HostedKey, name: str) -> StarterModel:
    return starter_file.hosted(
        key.api.base_url, name, key.api.name, variable=key.variable, through_proxy=key.through_proxy
    )


def _hosted_names(key: HostedKey) -> list[str]:
    host = key.api.base_url.split("/")[2]
    line = typed(f"Models of {key.api.name}, separated by commas; Enter gets the list from {host}:")
    if line:
        return _names(line)
    try:
        listed = asyncio.run(hosted_models(key))
    except (CallError, UsageError) as error:
        say(f"moot: {error}", file=sys.stderr)
        listed = []
    for place, name in enumerate(listed[:MOST_LISTED]):
        say(f"  {place + 1:3}  {name}")
    if len(listed) > MOST_LISTED:
        say(f"       and {len(listed) - MOST_LISTED} more, which you can name")
    return _from_list(listed)


def _from_list(listed: Sequence[str]) -> list[str]:
    """A number is a place in the list, and never the name of a model."""
    shown = min(len(listed), MOST_LISTED)
    while True:
        line = typed("Which? Numbers or names; Enter for none:")
        places = numbers(line, range(shown)) if line else []
        if places is not None:
            return [listed[place] for place in places]
        if not re.fullmatch(r"[-0-9,;\s]+", line):
            return _names(line)
        say(f"expected numbers from 1 to {shown}, or names")


def _names(line: str) -> list[str]:
    return list(dict.fromkeys(name for part in line.split(",") if (name := part.strip())))
