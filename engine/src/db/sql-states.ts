// What an SQLSTATE says of the database, as opposed to the statement: every class that a pooler, a time-out, a fail-over or an
// administrator can cause is known here. Any other is a fault of ours: a statement that should not have been sent.

/**
 * away: the connection or the server; another connection may be better.
 * contention: in the way of another transaction; nothing was changed, the same again may work.
 * passing: this statement was not done, by no fault of its own: cancelled, out of space, an object in use.
 * refused: our role or our database is not as it was; only an administrator can help, and may be about to.
 */
export type Trouble = "away" | "contention" | "passing" | "refused"

/** By code, or by class; the code wins. */
const BY_STATE: Readonly<Record<string, Trouble>> = {
  // The connection. A pooler says whatever it has to say with 08P01.
  "08": "away",
  // Read-only: the server was the primary before a fail-over.
  "25006": "away",
  // Ended because it sat idle in a transaction, or because the transaction took too long.
  "25P03": "away",
  "25P04": "away",
  // The statement that was prepared is not there, or another is: a pooler has changed the server connection.
  "26000": "away",
  "42P05": "away",
  // The password or pg_hba.conf was changed; the database is being renamed or restored.
  "28": "refused",
  "3D000": "refused",
  "42501": "refused",
  "40000": "passing",
  "40001": "contention",
  "40003": "passing",
  "40P01": "contention",
  // Disk, memory, locks. No connection is left, or none of this configuration.
  "53": "passing",
  "53300": "away",
  "53400": "away",
  // In use, or not in the state it should be in: a database that takes no connections, an index that is being built.
  "55": "passing",
  "55P03": "contention",
  // Shut down, starting, dropped, idle for too long. Only a cancelled statement leaves the connection.
  "57": "away",
  "57014": "passing",
  // Files and devices.
  "58": "passing",
  "72000": "passing",
  // Internal: a relation that was dropped in between, a catalogue row that two sessions change; some poolers say it of themselves.
  XX000: "passing",
}

/** The same code has other causes as well: told by the function of the server that raised it. */
const BY_ROUTINE: Readonly<Record<string, Trouble>> = {
  // A table was altered under a prepared statement. Prepared again, on another connection, it works.
  "0A000 RevalidateCachedQuery": "away",
  // A standby that is not promoted yet refuses a transaction that says `read write`.
  "0A000 call_bool_check_hook": "away",
  // No transaction id is left before the next vacuum.
  "54000 GetNewTransactionId": "passing",
}

const troubles = new Map(Object.entries({ ...BY_STATE, ...BY_ROUTINE }))

export function troubleOf(error: object): Trouble | undefined {
  const { code, routine } = error as { readonly code?: unknown; readonly routine?: unknown }
  const state = String(code)
  // A name of our own catalogue, or of the operating system.
  if (!/^[0-9A-Z]{5}$/.test(state)) return undefined
  return troubles.get(state) ?? troubles.get(state.slice(0, 2)) ?? troubles.get(`${state} ${routine}`)
}

/** The server has ended the connection with it, whatever the reason. */
export const isFatal = (error: object): boolean =>
  ["FATAL", "PANIC"].includes(String((error as { severity?: unknown }).severity))
