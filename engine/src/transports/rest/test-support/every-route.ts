// One request for each route, with ids that fit its path: for tests that go through all of them.
import type { RestOptions } from "../../calls/options.ts"
import type { Route } from "../../calls/route.ts"
import { restRoutes } from "../server.ts"

/** The same routes as the server's. Their operations cannot be called through these. */
export const everyRoute = restRoutes({ metricsOnRest: true, shownSettings: () => [] } as unknown as RestOptions)

const IDS: Readonly<Record<string, string>> = {
  definitionId: "nobody",
  version: "1",
  instanceId: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C",
  stepId: "nowhere",
  userTaskId: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001",
  jobId: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C-0001",
  key: "0b6f8c1e-7f3a-4b57-9d55-2f6f3c1d9a10",
  deadLetterId: "01JN8Z3V5E8Q2R7W4Y6T9A1B3C",
  bulkId: "01JN8Z9ZZZZZZZZZZZZZZZZZZZ",
  scheduleId: "never",
  ip: "192.0.2.7",
  client: "ip:192.0.2.7",
  keyId: "0f3a9c1d2e4b5a67",
}

/** `/v1/instances/{instanceId}` with an id in it. */
export const pathFor = (path: string): string => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => IDS[name] ?? "x")

export const requestFor = ({ method, path }: Route): string => `${method} ${pathFor(path)}`
