// Every route of keys and of the guard, called so that each of its answers is seen.

import type { Reply } from "./reply.ts"
import type { CallOptions } from "./test-server.ts"

type Call = (route: string, options?: CallOptions) => Promise<Reply>

export async function callKeyRoutes(call: Call): Promise<void> {
  const body = { name: "billing", scopes: ["jobs:work"], limit: { requests: 600, windowSeconds: 60 } }
  const headers = { "idempotency-key": "key-once" }
  const { id } = (await call("POST /v1/api-keys", { body, headers })).body
  await call("POST /v1/api-keys", { body, headers })
  await call("POST /v1/api-keys", { body: { name: "" } })
  await call("GET /v1/api-keys")
  await call(`DELETE /v1/api-keys/${id}`)
  await call("DELETE /v1/api-keys/nobody")
}

export async function callGuardRoutes(call: Call): Promise<void> {
  await call("POST /admin/block-ip/192.0.2.7", { body: { reason: "scrapes", for: "PT1H" } })
  await call("POST /admin/block-ip/nowhere")
  await call("POST /admin/soft-block-ip/192.0.2.7")
  await call("POST /admin/block-agent?user_agent=BadBot/1.0")
  await call("POST /admin/block-agent", { body: { user_agent: "BadBot/2.0" } })
  await call("POST /admin/block-agent")
  for (const query of ["", "?pageSize=1", "?cursor=nonsense"]) await call(`GET /admin/blocks${query}`)
  await call("GET /admin/block-status/192.0.2.7")
  await call("GET /admin/client-status/ip:192.0.2.7")
  await call("GET /admin/client-status/nonsense")
  await call("DELETE /admin/block-ip/192.0.2.7")
  await call("DELETE /admin/soft-block-ip/192.0.2.7")
  await call("DELETE /admin/block-agent?user_agent=BadBot/1.0")
  await call("POST /admin/pardons/key:0f3a9c1d2e4b5a67")
  await call("POST /admin/shadow-mode?enabled=true")
  await call("POST /admin/shadow-mode?enabled=perhaps")
  for (const name of ["shadow-mode", "shadow-stats", "shadow-report", "guard"]) await call(`GET /admin/${name}`)
}
