// The way in, of every wire: who calls, whether they may, and what the guard says. Nothing of a body has been read yet.
import type { KnownVisit, Limit, Visit } from "@millrace/guard"
import type { Principal } from "../../../operations/people/api-keys.ts"
import { authorize, type Visitor } from "../authorize.ts"
import type { RestOptions } from "../options.ts"
import type { Permission } from "../route.ts"
import { whenDone } from "../when-done.ts"
import { clientName, type Guarding, obey, type Reply } from "./guard-verdicts.ts"
import { identify, knownCaller } from "./guarded-credentials.ts"

/** A call as its wire has it. */
export interface Entrance extends Reply {
  readonly visitor: Visitor
  readonly permission: Permission
}

/** Undefined on routes that anyone may call. Not a promise where nothing has to be waited for. */
export function enter(
  options: RestOptions,
  entrance: Entrance,
): Principal | undefined | Promise<Principal | undefined> {
  const { visitor, permission } = entrance
  if (permission === "anyone") return enterOpen(options, entrance)
  return whenDone(identify(options, visitor, entrance), (principal) => {
    authorize(principal, permission)
    return guarded(options.guarding, entrance, principal)
  })
}

/** For what anyone may ask, and for what no route takes: the guard's word alone. A good credential is what it counts by here, too. */
export const enterOpen = (
  options: RestOptions,
  entrance: Omit<Entrance, "permission">,
): undefined | Promise<undefined> =>
  whenDone(knownCaller(options, entrance.visitor), (caller) =>
    whenDone(guarded(options.guarding, entrance, caller), () => undefined),
  )

function guarded<P extends Principal | undefined>(
  guarding: Guarding | undefined,
  entrance: Omit<Entrance, "permission">,
  principal: P,
): P | Promise<P> {
  const { visit } = entrance.visitor
  if (!guarding || !visit) return principal
  const client = clientName(principal, visit.address)
  return whenDone(guarding.guard.judge(knownVisit(visit, client, principal?.limit)), (verdict) => {
    guarding.note(visit, verdict, client)
    return whenDone(obey(guarding.guard, { visit, verdict }, entrance), () => principal)
  })
}

/** Field by field: to spread the visit cost a microsecond of every request. */
function knownVisit(before: Visit, client: string | undefined, limit: Limit | undefined): KnownVisit {
  const { routeClass, address, agent, path, requestId, liftsBlocks } = before
  return { routeClass, address, agent, path, requestId, liftsBlocks, before, client, limit }
}
