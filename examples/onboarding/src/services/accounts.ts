// The accounts service. Addresses at existing.example have an account, those at recent.example get one from another flow.
import { randomUUID } from "node:crypto"
import type { Random } from "../seeded.ts"
import type { Answer, Routes } from "./service.ts"

interface Account {
  readonly patientUuid: string
  readonly createdBy?: string
}

export interface OtherFlow {
  readonly random: Random
  /** Share of its accounts that are not there yet when they are first asked for. */
  readonly late: number
  /** Its event. */
  readonly onCreated: (email: string) => void
}

const LATE_MS = 500

export function accounts({ random, late, onCreated }: OtherFlow): Routes {
  const byEmail = new Map<string, Account>()
  const onTheirWay = new Set<string>()

  const create = (email: string, createdBy?: string): Account => {
    const account = { patientUuid: randomUUID(), ...(createdBy === undefined ? {} : { createdBy }) }
    byEmail.set(email, account)
    return account
  }
  const createLater = (email: string): void => {
    if (onTheirWay.has(email)) return
    onTheirWay.add(email)
    setTimeout(() => {
      create(email)
      onCreated(email)
    }, LATE_MS)
  }
  const get = (email: string): Account | undefined => {
    const known = byEmail.get(email)
    if (known || onTheirWay.has(email)) return known
    if (email.endsWith("@existing.example")) return create(email)
    if (!email.endsWith("@recent.example")) return undefined
    return random() < late ? void createLater(email) : create(email)
  }

  return {
    "GET /accounts": ({ query }): Answer => {
      const account = get(query.get("email") ?? "")
      return account ? { status: 200, body: account } : { status: 404, body: { error: "no account" } }
    },
    "POST /accounts": ({ body: { email = "", createdBy } }): Answer => {
      if (get(email)) return { status: 409, body: { error: `${email} has an account` } }
      const { patientUuid } = create(email, createdBy)
      return { status: 201, body: { patientUuid }, effect: `account ${email}` }
    },
  }
}
