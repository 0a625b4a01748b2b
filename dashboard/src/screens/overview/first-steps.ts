// Three ways to run something for the first time, as code to copy: a list of functions, a call, the calendar.

export interface FirstStep {
  readonly title: string
  readonly text: string
  readonly code: string
}

const LIST = `import { millrace, workflow } from "millrace"

const greet = workflow("greet", {
  steps: [
    function compose({ input }) {
      return { text: "Hello, " + input.name }
    },
    function send({ context }) {
      console.log(context.text)
    },
  ],
})

const mill = await millrace({ database: process.env.DATABASE_URL })
await mill.work([greet])
const run = await mill.start(greet, { name: "Ada" })
console.log(await run.result())
await mill.stop()
`

const startBody = (definitionId: string) => JSON.stringify({ definitionId, variables: { name: "Ada" } })

export const startCall = (origin: string, definitionId: string): string =>
  `curl -X POST ${origin}/v1/instances \\
  -H 'content-type: application/json' \\
  -d '${startBody(definitionId)}'`

const scheduleBody = (definitionId: string) =>
  JSON.stringify({ cron: "0 9 * * 1-5", timezone: "Europe/Berlin", definitionId, input: { name: "Ada" } })

const schedule = (origin: string, definitionId: string): string =>
  `curl -X PUT ${origin}/v1/schedules/every-morning \\
  -H 'content-type: application/json' \\
  -d '${scheduleBody(definitionId)}'`

/** `definitionId` is what the calls start: a sample that is there, or the list of the first step. */
export const firstSteps = (origin: string, definitionId: string): readonly FirstStep[] => [
  {
    title: "Write a list of functions",
    text: "In your own process, with nothing else to deploy. Each step is stored before the next begins.",
    code: LIST,
  },
  {
    title: "Start one from anywhere",
    text: "Any service starts an instance with one call, and any worker does its jobs.",
    code: startCall(origin, definitionId),
  },
  {
    title: "Let the calendar start it",
    text: "In any time zone; each tick starts it once, whatever crashes.",
    code: schedule(origin, definitionId),
  },
]
