// A saga: an order is charged and reserved, cannot be shipped, and is taken back step by step. Then it is restarted, and goes through.
import { millrace, type Step, step, workflow } from "millrace"

interface Order {
  item: string
  amount: number
  address?: string
}

/** What the bank and the warehouse have on their books. A real one is given `key`, and does nothing twice for the same. */
const books = new Map<string, string>()

const checkout = workflow("saga", {
  recover: "resume",
  steps: [
    step("charge", ({ input, key }: Step<Order>) => ({ charge: write("charge", key, `${input.amount} charged`) }), {
      undo: ({ result }) => strike("refund", result.charge),
    }),
    step("reserve", ({ input, key }: Step<Order>) => ({ place: write("reserve", key, `${input.item} reserved`) }), {
      undo: ({ result }) => strike("free", result.place),
    }),
    step("ship", ({ input, key }: Step<Order>) => {
      if (!input.address) throw new Error("there is no address to ship to") // fails the run for good
      return { parcel: write("ship", key, `${input.item} sent to ${input.address}`) }
    }),
  ],
})

function write(what: string, key: string, entry: string): string {
  console.log(what.padEnd(8), entry)
  books.set(key, entry)
  return key
}

function strike(what: string, key: string): void {
  console.log(what.padEnd(8), books.get(key))
  books.delete(key)
}

const mill = await millrace({ database: process.env.DATABASE_URL })
await mill.work([checkout])

const first = await mill.start(checkout, { item: "a lamp", amount: 42 })
const failed = await mill.runs.handle(first.id).ended()
console.log(failed.status, failed.failureReason)
const undo = await mill.runs.handle(failed.undoneBy as string).ended() // a run of its own, there from the moment the first has failed
console.log("undone:", undo.variables.undone, "left on the books:", books.size)

const second = await mill.runs.handle(first.id).restart({ input: { address: "1 High Street" } })
console.log((await mill.runs.handle(second.id).ended()).status, "left on the books:", books.size)
await mill.stop()
