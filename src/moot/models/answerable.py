"""A model whose own mistakes are failed calls: whatever an object or a package of somebody else's raises or returns.

Whoever asks a model, be it a player, a judge or one that groups, then hears of it in one way and goes on with the rest.
Here every reply and every error of a run passes the border, whichever kind of model it comes from.
"""

from __future__ import annotations

from moot.errors import CallError, ModelBroke, MootError
from moot.models import border
from moot.models.model import Wrapper
from moot.types import Reply, Request


class Answerable(Wrapper):
    """The innermost around a model."""

    async def generate(self, request: Request) -> Reply:
        try:
            reply: object = await self.inner.generate(request)
            if isinstance(reply, Reply):
                return border.admitted(reply)
        except CallError as error:
            border.clean_error(error)
            raise
        except MootError:
            raise
        except border.NoReply as error:
            raise ModelBroke(f"model {self.name!r}: {error}") from None
        except Exception as error:
            said = " ".join(border.words(error).split())
            raise ModelBroke(f"model {self.name!r}: {type(error).__name__}: {said}") from error
        raise ModelBroke(f"model {self.name!r}: expected a Reply, found {type(reply).__name__}")
