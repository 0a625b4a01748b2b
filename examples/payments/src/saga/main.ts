// A saga: an order is charged and reserved, cannot be shipped, and is taken back step by step. Then it is restarted, and goes through.
import { millrace, NonRetryableError, type Step, step, workflow } from "millrace"
import { startProvider } from "../provider/server.ts"
import { Provider } from "../settlement/provider.ts"

interface Order {
  order: string
  item: string
  amount: string
  address?: string
}

const mock = await startProvider({ hangShare: 0, hangMs: 0, successShare: 1 })
const provider = new Provider(mock.url, 10_000)
/** What the warehouse has set aside and sent. A real one is asked over the network, too, and does nothing twice for the same key. */
const warehouse = new Map<string, string>()

const checkout = workflow("saga", {
  recover: "resume",
  steps: [
    step("charge", charge, { undo: ({ stepKey }) => refund(stepKey) }),
    step("reserve", ({ input, key }: Step<Order>) => ({ place: put("reserve", key, input.item) }), {
      undo: ({ result }) => free(result.place),
    }),
    step("ship", ({ input, key }: Step<Order>) => {
      if (!input.address) throw new NonRetryableError("there is no address to ship to") // fails the run for good
      return { parcel: put("ship", key, `${input.item} to ${input.address}`) }
    }),
  ],
})

/** The key is the same at each attempt, so a repeat after a crash is no second charge. A decline is final. */
async function charge({ input, key, signal }: Step<Order>) {
  const { order: paymentId, amount } = input
  const answer = await provider.charge({ paymentId, version: 1, amount, currency: "EUR", chargeKey: key }, signal)
  if (answer.status !== "succeeded") throw new NonRetryableError(`the charge has ${answer.status}`)
  console.log("charge  ", amount, "EUR")
  return { transaction: answer.transaction_id }
}

async function refund(chargeKey: string): Promise<void> {
  const { transaction_id } = await provider.refund(chargeKey)
  console.log("refund  ", transaction_id)
}

function put(what: string, key: string, entry: string): string {
  console.log(what.padEnd(8), entry)
  warehouse.set(key, entry)
  return key
}

function free(key: string): void {
  console.log("free    ", warehouse.get(key))
  warehouse.delete(key)
}

/** What is left on the books: charges that were not given back, and what is in the warehouse's. */
function books(): string {
  const { charged, refunded } = mock.ledger.totals
  return `charged ${charged}, refunded ${refunded}, in the warehouse ${warehouse.size}`
}

const mill = await millrace({ database: process.env.DATABASE_URL })
await mill.work([checkout])

const first = await mill.start(checkout, { order: "order-1", item: "a lamp", amount: "42.00" })
const failed = await mill.runs.handle(first.id).ended()
console.log(failed.status, failed.failureReason)
const undo = await mill.runs.handle(failed.undoneBy as string).ended() // a run of its own, there from the moment the first has failed
console.log("undone:", undo.variables.undone, books())

const second = await mill.runs.handle(first.id).restart({ input: { address: "1 High Street" } })
console.log((await mill.runs.handle(second.id).ended()).status, books())
await mill.stop()
await mock.close()
