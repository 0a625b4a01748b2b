// A checkout as a list of plain functions. Kill it anywhere, start it again: it goes on, and no order is done twice.
import { bestEffort, millrace, RetryableError, type Step, workflow } from "millrace"

interface Order {
  email: string
  amount: number
}

function validate({ input }: Step<Order>) {
  if (input.amount <= 0) throw new Error("the amount must be positive") // fails the run
}

async function createAccount({ input }: Step<Order>) {
  return { accountId: `account of ${input.email}` } // merged into the context, typed
}

async function charge({ input, context, key, attempt }: Step<Order, { accountId: string }>) {
  if (attempt === 1) throw new RetryableError("the bank is busy", { baseDelay: "PT1S" }) // the list runs again later
  return { receipt: `${input.amount} from ${context.accountId}, once, by the key ${key}` }
}

async function sendPostcard() {
  throw new Error("out of stamps")
}

const checkout = workflow("checkout", { steps: [validate, createAccount, charge, bestEffort(sendPostcard)] })

const mill = await millrace({ database: process.env.DATABASE_URL }) // unset: a PostgreSQL in ./.millrace, and an error in production
await mill.work([checkout])

// One run per key, however often it is asked for. With { tx } it begins with the commit of your own transaction.
const run = await mill.start(checkout, { email: "ada@example.test", amount: 42 }, { key: "order-1" })
const { receipt } = await run.result() // typed; throws, with the reason, if the run fails
console.log(await run.status(), receipt)
const { items } = await mill.runs.failures({ workflow: checkout, step: sendPostcard })
console.log("failed, but not worth stopping for:", items)
await mill.stop()
