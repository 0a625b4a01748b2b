// A commit that a standby has not confirmed: PostgreSQL answers COMMIT, and says in a warning that the wait was cancelled.
import type pg from "pg"

/** The transaction is committed here, but would be lost if the standby took over now. To the caller the outcome is unknown. */
export class UnconfirmedCommitError extends Error {
  override name = "UnconfirmedCommitError"
}

const unconfirmed = new WeakSet<object>()

/** Told by the function of the server that raised it: its text is in the language of the server. */
export function watchCommits(client: pg.PoolClient): void {
  client.on("notice", ({ routine }) => {
    if (routine === "SyncRepWaitForLSN") unconfirmed.add(client)
  })
}

/** Throws after a COMMIT of this connection that no standby has confirmed though it should have. */
export function expectConfirmed(client: pg.PoolClient): void {
  if (unconfirmed.delete(client)) throw new UnconfirmedCommitError("the standby has not confirmed the commit")
}
