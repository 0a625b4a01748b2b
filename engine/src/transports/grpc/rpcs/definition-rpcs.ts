// RPCs of definitions.
import type { wire } from "@millrace/sdk"
import {
  GetDefinitionResponse,
  ListDefinitionsResponse,
  UploadDefinitionResponse,
  WorkflowDefinition,
} from "@millrace/sdk/proto"
import { definitionRoutes } from "../../routes/definitions/definitions.ts"
import { definitionDocument, definitionMessage } from "../messages/definitions.ts"
import { orderWarnings } from "../messages/order-warnings.ts"
import { given, type Rpcs, routeNamed } from "../rpc.ts"

const upload = routeNamed(definitionRoutes, "POST", "/v1/definitions")
const list = routeNamed(definitionRoutes, "GET", "/v1/definitions")
const get = routeNamed(definitionRoutes, "GET", "/v1/definitions/{definitionId}")
const getVersion = routeNamed(definitionRoutes, "GET", "/v1/definitions/{definitionId}/versions/{version}")

export const definitionRpcs: Rpcs<"uploadDefinition" | "getDefinition" | "listDefinitions"> = {
  uploadDefinition: {
    route: upload,
    ask: ({ definition }) => ({
      body: definition ? definitionDocument(definition) : {},
      warnings: () => (definition ? orderWarnings(definition) : []),
    }),
    say: ({ id, version, uploadedAt, warnings = [] }: wire.UploadedDefinition, { warnings: ofMessage }) =>
      UploadDefinitionResponse.fromPartial({ id, version, uploadedAt, warnings: [...warnings, ...ofMessage] }),
  },
  getDefinition: {
    route: get,
    ask: ({ id, version }) =>
      version === 0
        ? { params: { definitionId: id } }
        : { route: getVersion, params: { definitionId: id, version: String(version) } },
    say: (said: wire.StoredDefinition) => GetDefinitionResponse.fromPartial({ definition: definitionMessage(said) }),
  },
  listDefinitions: {
    route: list,
    ask: ({ keyword, page, pageSize }) => ({ query: given({ keyword, page, pageSize }) }),
    say: ({ items, total }: wire.DefinitionPage) =>
      ListDefinitionsResponse.fromPartial({
        total,
        definitions: items.map((item) => WorkflowDefinition.fromPartial(item)),
      }),
  },
}
