"""What a judge was asked is tied to the case that it was asked about: whoever forgets the one can forget the other.

A judge's prompt holds the question and somebody's answer. The call is stored under a key of its own and paid for by the
file that grades, so nothing in it says whose words it holds.
"""

from __future__ import annotations

from moot.models.model import Model, Wrapper, call_key
from moot.store import schema
from moot.store.store import Store
from moot.types import Case, Reply, Request


class LinkedCalls(Wrapper):
    """A judge's model, whose every request is noted before it is made: so a kill leaves none behind unknown."""

    def __init__(self, inner: Model, store: Store, case: Case) -> None:
        super().__init__(inner)
        self._store = store
        self._case = case.digest

    async def generate(self, request: Request) -> Reply:
        key = call_key(self.inner, request)
        self._note(key)
        reply = await self.inner.generate(request)
        if reply.key and reply.key != key:  # a refusal that another experiment met is asked again under another key
            self._note(reply.key)
        return reply

    def _note(self, key: str) -> None:
        self._store.put_later([(schema.judge_calls, {"case": self._case, "key": key})])
