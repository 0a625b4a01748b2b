// Why an instance waits: its people, its signals, its jobs and its timers.
import { expect, test } from "vitest"
import { compileDefinition } from "../definitions/compile-definition.ts"
import type { Definition } from "../definitions/definition.ts"
import type { Waiting } from "./waiting.ts"
import { type InstanceFacts, whyInstanceWaits } from "./why-instance-waits.ts"

const NOW = Date.parse("2025-03-01T10:00:00.000Z")
const at = (seconds: number): string => new Date(NOW + seconds * 1_000).toISOString()

const definition = compileDefinition(
  {
    id: "loan",
    version: 1,
    name: "Loan",
    steps: [
      {
        id: "ask",
        name: "Ask",
        type: "USER_TASK",
        nextStep: "sign",
        boundaryEvents: [{ type: "TIMER", duration: "PT1H", interrupting: true, targetStepId: "sign" }],
      },
      { id: "sign", name: "Sign", type: "WAIT", nextStep: "end" },
      { id: "end", name: "End", type: "END" },
    ],
  } as Definition,
  1,
)

const task = { stepId: "ask", name: "Ask", assignee: null, assigneeGroup: null, dueAt: null, createdAt: NOW - 1_000 }
const open = (stepId: string, execution: number) => ({ stepId, execution, attempt: 1, startedAt: NOW - 1_000, fork: 0 })
const word = (...signals: string[]): Waiting => ({ kind: "signal", stepId: "loan", since: at(0), detail: { signals } })

const due = { dueAt: NOW, failures: 0, lastError: null }

const why = (more: Partial<InstanceFacts>) =>
  whyInstanceWaits({
    definition,
    startedAt: NOW - 9_000,
    open: [],
    tasks: [],
    jobs: [],
    timers: [],
    failing: [],
    ...more,
  })

test("a person, a signal, what its jobs say, and the timers, in this order", () => {
  const given = { open: [open("ask", 1), open("sign", 2)], tasks: [task], jobs: [word("go")] }
  const timers = [
    { execution: 1, timer: "boundary:0", ...due },
    { execution: 2, timer: "total", ...due },
    { execution: 0, timer: "deadline", ...due },
  ]
  expect(why({ ...given, timers })).toEqual([
    { kind: "user-task", stepId: "ask", since: at(-1), detail: { task: "Ask" } },
    { kind: "signal", stepId: "sign", since: at(-1), detail: { signals: ["sign"] } },
    word("go"),
    {
      kind: "timer",
      stepId: "ask",
      since: at(-1),
      detail: { timer: "boundary:0", dueAt: at(0), targetStepId: "sign", interrupting: true },
    },
    { kind: "timer", stepId: "sign", since: at(-1), detail: { timer: "total", dueAt: at(0) } },
    { kind: "timer", since: at(-9), detail: { timer: "deadline", dueAt: at(0) } },
  ])
})

test("whose task it is, and when it is due", () => {
  const [reason] = why({ tasks: [{ ...task, assignee: "ada", assigneeGroup: "credit", dueAt: NOW }] })
  expect(reason?.detail).toEqual({ task: "Ask", assignee: "ada", assigneeGroup: "credit", dueAt: at(0) })
})

test("a run that waits for word of its own task waits for the person, not for a signal", () => {
  expect(why({ tasks: [task], jobs: [word("ask")] }).map(({ kind }) => kind)).toEqual(["user-task"])
  expect(why({ tasks: [task], jobs: [word("ask", "go")] })).toHaveLength(2)
})

test("a definition that cannot be read, and an event that it does not have", () => {
  const timers = [{ execution: 1, timer: "boundary:7", ...due }]
  const given = { open: [open("ask", 1)], timers }
  const detail = { timer: "boundary:7", dueAt: at(0) }
  expect(why(given)).toMatchObject([{ kind: "timer", detail }])
  expect(why({ ...given, definition: undefined })).toMatchObject([{ kind: "timer", detail }])
})

test("a timer that could not fire is set aside, with its last error and when it is tried again", () => {
  const timers = [{ execution: 1, timer: "total", dueAt: NOW, failures: 3, lastError: "too large" }]
  expect(why({ open: [open("ask", 1)], timers })).toEqual([
    {
      kind: "set-aside",
      stepId: "ask",
      since: at(-1),
      detail: { what: "timer", failures: 3, reason: "too large", dueAt: at(0) },
    },
  ])
})

test("a next workflow or a request that could not be done is set aside, with the reason and the next try", () => {
  const chain = { what: "chain", failures: 4, reason: "no definition", dueAt: null, since: NOW } as const
  const request = { ...chain, what: "request", dueAt: NOW } as const
  expect(why({ failing: [chain, request] })).toEqual([
    { kind: "set-aside", since: at(0), detail: { what: "chain", failures: 4, reason: "no definition" } },
    {
      kind: "set-aside",
      since: at(0),
      detail: { what: "request", failures: 4, reason: "no definition", dueAt: at(0) },
    },
  ])
})
