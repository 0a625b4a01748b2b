// How the guard at the doors stands, who calls, and why an address or a client is refused.
import type { wire } from "@millrace/sdk"
import { get } from "../http.ts"
import { queryClient } from "../query-client.ts"
import type { Window } from "../stats.ts"

export type GuardState = wire.GuardState
export type Caller = wire.GuardCaller
export type TrafficPoint = NonNullable<GuardState["traffic"]>[number]
/** The answer for an address also says whether an operator has blocked it. */
export type WhyAnswer = wire.ClientStatus | wire.BlockStatus

export const GUARD = ["guard"]
/** Ten seconds are one point of the traffic. */
export const READ_EVERY_MS = 10_000

export const guardQuery = (window: Window) => ({
  queryKey: [...GUARD, "state", window],
  queryFn: () => get<"getGuard">("/admin/guard", { window }),
  refetchInterval: READ_EVERY_MS,
})

/** Clients have a kind before their name, `key:0f3a`; addresses are digits and dots, or hexadecimal with two colons and more. */
const isAddress = (name: string): boolean =>
  /^\d+(\.\d+){3}$/.test(name) || /^[\da-f]*:[\da-f.]*:[\da-f:.]*(\/64)?$/i.test(name)

export const whyQuery = (name: string) => ({
  queryKey: [...GUARD, "why", name],
  queryFn: (): Promise<WhyAnswer> =>
    isAddress(name)
      ? get<"getBlockStatus">(`/admin/block-status/${encodeURIComponent(name)}`)
      : get<"getClientStatus">(`/admin/client-status/${encodeURIComponent(name)}`),
})

/** Everything that the screen shows is read again. */
export const refreshGuard = (): Promise<void> => queryClient.invalidateQueries({ queryKey: GUARD })
