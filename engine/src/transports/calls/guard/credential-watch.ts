// What stands beside every route that takes a password, a key or a registration: asked before anything is hashed or looked up, and
// told what came of it. The guard is behind it where there is one.
import type { Verdict, Visit } from "@millrace/guard"
import type { Call } from "../route.ts"
import { type Guarding, obeyNoted } from "./guard-verdicts.ts"

export interface CredentialWatch {
  /** Throws where the attempt is refused. `user` is the name that is tried, where there is one. */
  before(call: Call, user?: string): void | Promise<void>
  /** Throws where so many have failed meanwhile that the caller is not even told that this one was wrong. */
  failed(call: Call, user?: string): void | Promise<void>
  /** Throws as `failed` does. `user` is the name as it is stored. */
  signedIn(call: Call, user?: string): void | Promise<void>
  /** Whether the owner of the name has signed in from where the call comes from. */
  isOwners(call: Call, user: string): boolean | Promise<boolean>
}

type Watching = Pick<Guarding, "guard" | "note">

/** The guard beside them. */
export const watchWith = (guarding: Watching): CredentialWatch => ({
  before: (call, user) => judged(guarding, call, (visit) => guarding.guard.beforeCredential(visit, user)),
  failed: (call, user) => judged(guarding, call, (visit) => guarding.guard.credentialFailed(visit, { user })),
  signedIn: (call, user) => judged(guarding, call, (visit) => guarding.guard.signedIn(visit, user)),
  isOwners: ({ visit }, user) => visit !== undefined && guarding.guard.isOwners(visit, user),
})

async function judged(
  guarding: Watching,
  { visit, tell = nothing, gone }: Call,
  judge: (visit: Visit) => Verdict | Promise<Verdict>,
): Promise<void> {
  if (visit) await obeyNoted(guarding, { visit, verdict: await judge(visit) }, { tell, gone })
}

const nothing = (): void => {}

export const UNWATCHED: CredentialWatch = {
  before: nothing,
  failed: nothing,
  signedIn: nothing,
  isOwners: () => false,
}
