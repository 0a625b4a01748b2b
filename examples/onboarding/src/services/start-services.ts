// Starts the six services, each on a port of its own, and says where they are.
import type { AddressInfo } from "node:net"
import type { Service } from "../call.ts"
import { seeded } from "../seeded.ts"
import { accounts } from "./accounts.ts"
import { care, identity, insurance, payments, profile } from "./routes.ts"
import { FakeService, type Faults, type Routes } from "./service.ts"

export type Urls = Readonly<Record<Service, string>>

export interface ServicesOptions {
  readonly faults: Faults
  readonly seed: number
  /** Share of recently created accounts that appear only after they were first asked for. */
  readonly lateAccounts: number
  readonly onAccountCreated: (email: string) => void
}

export async function startServices({ faults, seed, lateAccounts, onAccountCreated }: ServicesOptions) {
  const random = seeded(seed)
  const routes: Record<Service, Routes> = {
    accounts: accounts({ random, late: lateAccounts, onCreated: onAccountCreated }),
    identity,
    profile,
    insurance,
    payments,
    care,
  }
  const started = await Promise.all(
    Object.entries(routes).map(async ([name, of]) => {
      const server = await new FakeService(of, faults, random).listen()
      return { name, server, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
    }),
  )
  return {
    urls: Object.fromEntries(started.map(({ name, url }) => [name, url])) as Urls,
    stop: () => started.map(({ server }) => server.close().closeAllConnections()),
  }
}

/** Where the steps of a process look for the services. */
export const environmentOf = (urls: Urls): Record<string, string> =>
  Object.fromEntries(Object.entries(urls).map(([name, url]) => [`${name.toUpperCase()}_URL`, url]))
