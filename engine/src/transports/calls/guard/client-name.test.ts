// The name by which the guard counts a caller: no two kinds of callers can have the same, whatever an issuer calls its people.
import { expect, test } from "vitest"
import { LOCAL } from "../route.ts"
import { trustNetworks } from "../trusted-networks.ts"
import { clientName } from "./guard-verdicts.ts"

const ADDRESS = "192.0.2.7"
const named = (id: string, subject?: string) =>
  clientName({ id, name: "x", scopes: [], ...(subject === undefined ? {} : { subject }) }, ADDRESS)

test("SEC-62: a key, a user, a token of another issuer and a person of a provider with equal ids are four callers", () => {
  const names = ["key:1", "user:1", "token:1", "oidc:1"].map((subject) => named("1", subject))
  expect([new Set(names).size, named("1")]).toEqual([4, "key:1"])
})

test("SEC-62: only callers from a trusted network are counted by their address, not one whose issuer calls it like them", () => {
  const trusted = trustNetworks(["192.0.2.0/24"], [])?.(ADDRESS)
  expect(clientName(trusted, ADDRESS)).toBe("network:192.0.2.7")
  expect(named("trusted-network", "token:trusted-network")).toBe("token:trusted-network")
  expect(named("trusted", "oidc:trusted")).toBe("oidc:trusted")
})

test("E-X11: a caller without a credential has no name: its address counts", () => {
  expect([clientName(undefined, ADDRESS), clientName(LOCAL, ADDRESS)]).toEqual([undefined, undefined])
})
