// The class of a route, by which the guard knows its limits: said on the route, or told by what it needs.
import type { RouteClass } from "@millrace/guard"
import type { Permission, Route } from "../route.ts"

type Classed = Pick<Route, "permission" | "streams" | "routeClass">

export function classOf({ permission, streams, routeClass }: Classed): RouteClass {
  if (routeClass !== undefined) return routeClass
  return streams ? "stream" : classOfPermission(permission)
}

function classOfPermission(permission: Permission): RouteClass {
  if (permission === "anyone") return "public"
  if (permission === "jobs:work") return "worker"
  if (permission === "metrics:read") return "metrics"
  return permission === "admin" ? "admin" : "client"
}
