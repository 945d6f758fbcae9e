"""A model whose own mistakes are failed calls: whatever an object or a package of somebody else's raises or returns.

Whoever asks a model, be it a player, a judge or one that groups, then hears of it in one way and goes on with the rest.
"""

from __future__ import annotations

from moot.errors import ModelBroke, MootError
from moot.models.model import Wrapper
from moot.plugins import in_one_line
from moot.types import Reply, Request


class Answerable(Wrapper):
    """The innermost around a model."""

    async def generate(self, request: Request) -> Reply:
        try:
            reply: object = await self.inner.generate(request)
        except MootError:
            raise
        except Exception as error:
            raise ModelBroke(f"model {self.name!r}: {in_one_line(error)}") from error
        if not isinstance(reply, Reply):
            raise ModelBroke(f"model {self.name!r}: expected a Reply, found {type(reply).__name__}")
        return reply
