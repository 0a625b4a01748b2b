// The jobs of the story, submitted before anybody works.
import type { Mill } from "millrace"
import { generateReport, sendEmail } from "./handlers.ts"

export async function submitAll(mill: Mill): Promise<readonly string[]> {
  const news = ["ada", "grace", "edsger"].map((name) => ({ to: `${name}@example.org` }))
  const newsletter = await mill.enqueueMany(sendEmail, news, { fairKey: "newsletter" })
  const others = [
    await mill.enqueue(generateReport, { month: "2025-02" }, { priority: "high", timeout: "PT2M" }),
    await mill.enqueue(sendEmail, { to: "slow@example.org", busyFor: 2 }, { priority: "high" }),
    await mill.enqueue(sendEmail, { to: "reset@example.org" }, { priority: "critical", key: "password-reset-7" }),
    // A click too many: the same key is the same job.
    await mill.enqueue(sendEmail, { to: "reset@example.org" }, { priority: "critical", key: "password-reset-7" }),
    await mill.enqueue(sendEmail, { to: "nowhere" }),
    await mill.enqueue("send_fax", { type: "send_fax", to: "+43 1 234" }),
  ]
  return [...new Set([...newsletter, ...others].map(({ id }) => id))]
}
