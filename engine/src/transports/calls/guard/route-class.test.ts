// Every route and every RPC has the class that it should have: written down once more, so that a slip is seen.
import { ROUTE_CLASSES, type RouteClass } from "@millrace/guard"
import { expect, test } from "vitest"
import { unaryRpcs } from "../../grpc/server.ts"
import { everyRoute } from "../../rest/test-support/every-route.ts"
import { classOf } from "./route-class.ts"

const PROBES = [
  "/healthz",
  "/readyz",
  "/health",
  "/openapi.json",
  "/",
  "/ui",
  "/ui/{path}",
  "/docs",
  "/.well-known/jwks.json",
]
const LOGINS = [
  "GET /auth/oidc/callback",
  "POST /auth/login",
  "POST /auth/password",
  "POST /auth/register",
  "POST /v1/session",
]

function expected({ method, path, permission, streams }: (typeof everyRoute)[number]): RouteClass {
  if (PROBES.includes(path)) return "health"
  if (LOGINS.includes(`${method} ${path}`)) return "login"
  if (streams) return "stream"
  if (["/admin/", "/v1/api-keys", "/debug/"].some((start) => path.startsWith(start))) return "admin"
  if (["/metrics", "/v1/overview", "/v1/stats"].includes(path)) return "metrics"
  if (/^\/v1\/jobs\/(poll|exchange|complete|fail|\{jobId\}\/(complete|fail|heartbeat))$/.test(path)) return "worker"
  return permission === "anyone" ? "public" : "client"
}

test.each(everyRoute.map((route) => ({ name: `${route.method} ${route.path}`, route })))(
  "E-38: the class of $name",
  ({ route }) => {
    expect(ROUTE_CLASSES).toContain(classOf(route))
    expect(classOf(route)).toBe(expected(route))
  },
)

test("E-38: only these routes are limited where nothing is set on the key", () => {
  const limited = everyRoute.filter((route) => ["public", "login", "gateway"].includes(classOf(route)))
  expect(limited.map(({ method, path }) => `${method} ${path}`).sort()).toEqual([
    "DELETE /v1/session",
    ...LOGINS.slice(0, 1),
    "GET /auth/oidc/start",
    "GET /v1/session",
    ...LOGINS.slice(1),
  ])
})

test("E-38: an RPC has the class of its route, and none is a caller's without a credential", () => {
  const classes = Object.fromEntries(Object.entries(unaryRpcs).map(([name, { route }]) => [name, classOf(route)]))
  const workers = ["pollJobs", "completeJob", "failJob", "heartbeat", "exchangeJobs"]
  for (const [name, routeClass] of Object.entries(classes))
    expect([name, routeClass]).toEqual([name, workers.includes(name) ? "worker" : "client"])
})
