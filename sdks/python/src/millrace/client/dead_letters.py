"""Dead letters: what was given up, looked at, put back or thrown away."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from millrace.client.part import Part, follow_cursor
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import (
    DeadLetter,
    DeadLetterBulk,
    DeadLetterDetail,
    DeadLetterFilter,
    DeadLetterGroup,
    DeadLetterGroups,
    DeadLetterPage,
    ReplayedDeadLetter,
)
from millrace.wire.codec import body, encode

if TYPE_CHECKING:
    from typing_extensions import Unpack


class DeadLetterClient(Part):
    async def list(
        self,
        filter: DeadLetterFilter | None = None,
        *,
        limit: int | None = None,
        cursor: str | None = None,
        **options: Unpack[CallOptions],
    ) -> DeadLetterPage:
        """One page, newest first."""
        query = {**(encode(filter) if filter else {}), **body(limit=limit, cursor=cursor)}
        return await self._get(DeadLetterPage, Call("listDeadLetters", query=query), options)

    def all(self, filter: DeadLetterFilter | None = None, **options: Unpack[CallOptions]) -> AsyncIterator[DeadLetter]:
        """Every one that matches, page after page."""
        query = encode(filter) if filter else {}

        async def fetch(cursor: str | None) -> DeadLetterPage:
            call = Call("listDeadLetters", query={**query, **body(cursor=cursor)})
            return await self._get(DeadLetterPage, call, options)

        return follow_cursor(fetch)

    async def groups(
        self, *, since: str | None = None, before: str | None = None, **options: Unpack[CallOptions]
    ) -> list[DeadLetterGroup]:  # type: ignore[valid-type]
        """By error, the most frequent first."""
        call = Call("groupDeadLetters", query=body(since=since, before=before))
        return (await self._get(DeadLetterGroups, call, options)).items

    async def get(self, id: str, **options: Unpack[CallOptions]) -> DeadLetterDetail:
        """With how each of its attempts ended."""
        return await self._get(DeadLetterDetail, Call("getDeadLetter", path={"deadLetterId": id}), options)

    async def replay(self, id: str, **options: Unpack[ChangeOptions]) -> ReplayedDeadLetter:
        """Back into its lane, with its budget of retries as it was."""
        return await self._get(ReplayedDeadLetter, Call("replayDeadLetter", path={"deadLetterId": id}), options)

    async def discard(self, id: str, **options: Unpack[ChangeOptions]) -> None:
        await self._do(Call("discardDeadLetter", path={"deadLetterId": id}), options)

    async def replay_all(
        self, filter: DeadLetterFilter, *, dry_run: bool | None = None, **options: Unpack[ChangeOptions]
    ) -> DeadLetterBulk:
        """Follow it with `get_bulk`."""
        call = Call("replayDeadLetters", body=body(filter=filter, dry_run=dry_run))
        return await self._get(DeadLetterBulk, call, options)

    async def discard_all(
        self, filter: DeadLetterFilter, *, dry_run: bool | None = None, **options: Unpack[ChangeOptions]
    ) -> DeadLetterBulk:
        call = Call("discardDeadLetters", body=body(filter=filter, dry_run=dry_run))
        return await self._get(DeadLetterBulk, call, options)
