// A clerk at work during the chaos: tries some failed payments again by hand, and refunds some that are settled.
import { setTimeout as sleep } from "node:timers/promises"
import { type Db, rowsOf } from "../payments/database.ts"
import type { Market } from "./buyer.ts"

const EVERY_MS = 250
const AT_ONCE = 5
/** A payment that is tried again has more events: their order is what the run is to prove. */
const MOST_ROUNDS = 6

/** A request that fails is not repeated: the payment is found again, or not. */
export async function attend({ apiUrl, client, signal }: Market, db: Db): Promise<void> {
  while (!signal.aborted) {
    const [failed, settled] = [await find(db, "FAILED"), await find(db, "SETTLED")]
    await Promise.all([
      ...failed.map(({ id }) => client.post(`${apiUrl}/payments/${id}/retry`, {})),
      ...settled.map(({ id }) => client.post(`${apiUrl}/payments/${id}/refund`, {})),
    ])
    await sleep(EVERY_MS)
  }
}

async function find(db: Db, status: string): Promise<readonly { readonly id: string }[]> {
  const some = `select id from payments where status = $1 and charge_round < ${MOST_ROUNDS} order by random() limit ${AT_ONCE}`
  return rowsOf<{ id: string }>(db, some, [status]).catch(() => [])
}
