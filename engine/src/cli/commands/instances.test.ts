// `millrace instances` against an engine that speaks the contract.
import { expect, test } from "vitest"
import { useTerminal } from "../test-support/use-terminal.ts"

const { engine, run } = useTerminal()

const instance = {
  id: "01RUN",
  definitionId: "onboarding",
  definitionVersion: 2,
  status: "ACTIVE",
  currentStepIds: ["onboarding"],
  variables: { plan: "pro" },
  startedAt: "2025-03-01T09:31:00.000Z",
  priority: "normal",
}
const show = (...more: string[]) => run(["instances", "show", "01RUN", ...more], { columns: 100 })

test("show: fact by fact, with why it does not move, its times as all others", async () => {
  const message = "Sleeps until 2025-03-02T09:31:00.000Z (in 24 h)."
  const reasons = [
    { kind: "sleep", stepId: "onboarding", since: instance.startedAt, detail: { step: "cool-off", message } },
    { kind: "moon", since: instance.startedAt, detail: {} },
  ]
  engine.answers["GET /v1/instances/01RUN"] = { body: instance }
  engine.answers["GET /v1/instances/01RUN/waiting"] = { body: { reasons } }
  const { out } = await show()
  expect(out).toMatch(/^Definition +onboarding version 2$/m)
  expect(out).toMatch(/^Waits +cool-off: Sleeps until 2025-03-02 09:31:00 UTC \(in 24 h\)\.$/m)
  expect(out).toMatch(/^Waits +moon$/m)
  expect(JSON.parse((await show("--json")).out)).toEqual({ ...instance, waiting: reasons })
})

test("show: one that has ended waits for nothing, and is not asked", async () => {
  const ended = { status: "FAILED", failureReason: "pay: closed", completedAt: "2025-03-01T09:32:00.000Z" }
  engine.answers["GET /v1/instances/01RUN"] = { body: { ...instance, ...ended, currentStepIds: [] } }
  engine.asked.length = 0
  const { out } = await show()
  expect(out).toMatch(/^Failure +pay: closed$/m)
  expect(out).not.toMatch(/Waits|Steps/)
  expect(engine.asked.map(({ route }) => route)).toEqual(["GET /v1/instances/01RUN"])
})
