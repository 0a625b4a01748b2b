// The worker of compose.yaml: emails and reports that go nowhere. Put handlers of your own in their place.
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { EngineClient, NonRetryableError, Runner } from "@millrace/sdk"

const { MILLRACE_URL = "http://127.0.0.1:8080", MILLRACE_KEY_FILE } = process.env
const apiKey = MILLRACE_KEY_FILE && readFileSync(MILLRACE_KEY_FILE, "utf8").trim()
const client = new EngineClient({ url: MILLRACE_URL, apiKey })

const handlers = {
  send_email: ({ variables: { to } }) => {
    if (!String(to).includes("@")) throw new NonRetryableError(`${to} is no address`) // another try would not help
    return { sent: true, to }
  },
  // The key is the same at every attempt: a report is not made twice.
  generate_report: ({ idempotencyKey }) => ({ report_id: `report-${idempotencyKey}` }),
}

const runner = new Runner({ client, workerId: `worker-${hostname()}`, handlers, stopOn: ["SIGTERM", "SIGINT"] })
console.log(`Working on ${Object.keys(handlers).join(", ")} at ${MILLRACE_URL}.`)
await runner.run()
client.close()
