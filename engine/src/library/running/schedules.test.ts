// Schedules from a program's own process.
import { afterAll, beforeAll, expect, test } from "vitest"
import { EVERYTHING } from "../../model/people/reach.ts"
import { changeSchedule } from "../../operations/schedules/change-schedule.ts"
import { putSchedule } from "../../operations/schedules/schedules.ts"
import { holdLoops } from "../../test-support/loops.ts"
import { type Mills, openMills } from "../../test-support/mills.ts"
import { step } from "../authoring/elements.ts"
import { job } from "../authoring/job.ts"
import type { StandardSchemaV1 } from "../authoring/standard-schema.ts"
import type { Step } from "../authoring/step-types.ts"
import { workflow } from "../authoring/workflow.ts"
import { type ScheduleOptions, Schedules } from "./schedules.ts"
import { Workers } from "./workers.ts"

let mills: Mills
let schedules: Schedules
beforeAll(async () => {
  mills = await openMills()
  await holdLoops(mills.kernel)
  const workers = new Workers(mills.kernel, "p")
  schedules = new Schedules(mills.kernel, (of) => workers.versionOf(of))
})
afterAll(() => mills.close())

const ran: unknown[] = []
const report = workflow("report", {
  steps: [
    step("write", async ({ input }: Step<object>) => {
      ran.push(input)
    }),
  ],
})
const mail = job("mail", ({ payload }) => {
  ran.push(payload)
})

test("B-19: a workflow and a job, put at every start and run by hand", async () => {
  for (const start of [report, mail]) {
    const options = { start, cron: "0 3 * * *", timezone: "Europe/Berlin", input: { to: "ada" } }
    const first = await schedules.put("nightly", options)
    expect(await schedules.put("nightly", options)).toMatchObject({ nextAt: first.nextAt, upcoming: first.upcoming })
    await mills.advanceClock(1)
    expect(await schedules.run("nightly")).toMatchObject({ cause: "manual", outcome: "started" })
    expect(await mills.mill.drain([report, mail])).toMatchObject({ processed: 1 })
    expect(ran.splice(0)).toMatchObject([{ to: "ada" }])
  }
  expect((await schedules.runs("nightly", { pageSize: 1 })).items).toHaveLength(1)
  expect((await schedules.list()).items).toMatchObject([{ id: "nightly", jobType: "mail" }])
  await schedules.delete("nightly")
  await expect(schedules.get("nightly")).rejects.toMatchObject({ code: "not-found" })
})

test("B-19: the name of a workflow starts it, and is no type of jobs", async () => {
  await schedules.put("named", { start: report, cron: "0 3 * * *" })
  expect(await schedules.put("named", { start: "report", cron: "0 3 * * *" })).toMatchObject({ definitionId: "report" })
  expect(await schedules.change("named", { start: "elsewhere" })).toMatchObject({ jobType: "elsewhere" })
  const spec = { id: "as-job", cron: "0 3 * * *", jobType: "report" }
  const by = { actor: "a route", reach: EVERYTHING }
  const refusal = { code: "bad-request", message: expect.stringContaining("report is a workflow, and no type of jobs") }
  await expect(putSchedule(mills.kernel, spec, by)).rejects.toMatchObject(refusal)
  await expect(changeSchedule(mills.kernel, { id: "named", jobType: "report" }, by)).rejects.toMatchObject(refusal)
  await schedules.delete("named")
})

test("input is judged when the schedule is made, not at night", async () => {
  const input: StandardSchemaV1<{ n: number }, { n: number }> = {
    "~standard": {
      version: 1,
      vendor: "test",
      validate: (value) =>
        typeof (value as { n?: unknown }).n === "number"
          ? { value: value as { n: number } }
          : { issues: [{ message: "no number", path: ["n"] }] },
    },
  }
  const counted = job("counted", () => {}, { input })
  const put = (n: unknown) => schedules.put("counted", { start: counted, cron: "@daily", input: { n } })
  await expect(put("one")).rejects.toMatchObject({ code: "bad-request" })
  expect(await put(1)).toMatchObject({ input: { n: 1 } })
})

test.each([
  ["no cron", { cron: undefined }],
  ["a cron that is none", { cron: "never" }],
  ["a zone that is none", { timezone: "Mars/Olympus" }],
  ["nothing to start", { start: undefined }],
  ["a name that no job can have", { start: "a b" }],
  ["an overlap that is none", { overlap: "allow" }],
  ["a catch-up that is none", { catchUp: true }],
  ["enabled as a text", { enabled: "yes" }],
  ["a priority that is none", { priority: "low" }],
  ["input that is a list", { input: [] }],
])("%s is refused", async (_, wrong) => {
  const options = { start: mail, cron: "* * * * *", ...wrong } as unknown as ScheduleOptions
  await expect(schedules.put("wrong", options)).rejects.toMatchObject({ code: "bad-request" })
})
