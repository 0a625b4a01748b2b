"""Definitions: upload them, read them, see where their instances stand."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from millrace.client.part import Part
from millrace.transport.call import Call, CallOptions, ChangeOptions
from millrace.types import DefinitionActivity, DefinitionPage, DefinitionVersion, DefinitionVersions, UploadedDefinition
from millrace.wire.codec import body

if TYPE_CHECKING:
    from typing_extensions import Unpack


class DefinitionCalls(Part):
    async def upload_definition(
        self, definition: Mapping[str, Any], **options: Unpack[ChangeOptions]
    ) -> UploadedDefinition:
        """The same content again gives the version that is there; changed content makes the next one."""
        return await self._get(UploadedDefinition, Call("uploadDefinition", body=dict(definition)), options)

    async def get_definition(
        self, id: str, version: int | None = None, **options: Unpack[CallOptions]
    ) -> dict[str, Any]:
        """The document, with its `version`; the latest unless one is named."""
        call = Call("getDefinition", path={"definitionId": id})
        if version is not None:
            call = Call("getDefinitionVersion", path={"definitionId": id, "version": version})
        answer: dict[str, Any] = await self._wire.ask(call, **options)
        return answer

    async def list_definitions(
        self,
        *,
        keyword: str | None = None,
        page: int | None = None,
        page_size: int | None = None,
        **options: Unpack[CallOptions],
    ) -> DefinitionPage:
        """One page of the latest versions; `page` counts from 0."""
        query = body(keyword=keyword, page=page, page_size=page_size)
        return await self._get(DefinitionPage, Call("listDefinitions", query=query), options)

    async def list_definition_versions(self, id: str, **options: Unpack[CallOptions]) -> list[DefinitionVersion]:
        """Newest first, at most 200."""
        call = Call("listDefinitionVersions", path={"definitionId": id})
        return (await self._get(DefinitionVersions, call, options)).items

    async def get_definition_activity(
        self, id: str, *, older_than: str | None = None, **options: Unpack[CallOptions]
    ) -> DefinitionActivity:
        """At which steps its live instances stand, and how many for longer than `older_than`."""
        call = Call("getDefinitionActivity", path={"definitionId": id}, query=body(older_than=older_than))
        return await self._get(DefinitionActivity, call, options)
