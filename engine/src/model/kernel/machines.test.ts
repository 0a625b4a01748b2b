// The state machines as data: whole, closed, and ending where they say.
import { expect, test } from "vitest"
import { type InstanceStatus, instanceMachine, isTerminal } from "../instances/instance-machine.ts"
import { stepMachine } from "../instances/step-machine.ts"
import { jobMachine, LIVE_JOB_STATUSES } from "../jobs/job-machine.ts"
import { type Machine, mayMove } from "./machine.ts"

const machines: readonly Machine<string>[] = [instanceMachine, stepMachine, jobMachine]

test.each(machines)(
  "C-56, C-57, C-59: the $name machine moves only between its own states, and each move is listed once",
  ({ states, moves }) => {
    const pairs = moves.map(([from, to]) => `${from} ${to}`)
    expect(new Set(pairs).size).toBe(pairs.length)
    for (const [from, to, by] of moves)
      expect([states.includes(from), states.includes(to), by !== ""]).toEqual([true, true, true])
  },
)

test.each(machines)(
  "S4: the $name machine can end from every state that is not an end",
  ({ states, terminal, moves }) => {
    const ends = new Set<string>(terminal)
    const open = states.filter((state) => !ends.has(state))
    for (const state of open)
      expect(
        moves.some(([from, to]) => from === state && ends.has(to)),
        state,
      ).toBe(true)
  },
)

test("S4, C-56: COMPLETED and CANCELLED never change, FAILED only by a retry", () => {
  const fromEnds = instanceMachine.moves.filter(([from]) => isTerminal(from))
  expect(new Set(fromEnds.map(([from, , by]) => `${from} by ${by}`))).toEqual(new Set(["FAILED by retry"]))
  expect(mayMove(instanceMachine, "FAILED", "CANCELLED")).toBe(false)
})

test("C-56: the instance's states and its ends are those of the contract", () => {
  const all: readonly InstanceStatus[] = ["ACTIVE", "WAITING", "COMPLETED", "FAILED", "CANCELLED"]
  expect(instanceMachine.states).toEqual(all)
  expect(all.filter(isTerminal)).toEqual(["COMPLETED", "FAILED", "CANCELLED"])
})

test("C-57: a step execution is closed once, as COMPLETED, FAILED or SKIPPED", () => {
  expect(stepMachine.moves.map(([from, to]) => `${from} ${to}`)).toEqual([
    "RUNNING COMPLETED",
    "RUNNING FAILED",
    "RUNNING SKIPPED",
  ])
})

test("C-59: a job ends once, from wherever its live row stands; only a ready one is claimed", () => {
  for (const end of jobMachine.terminal) {
    for (const from of LIVE_JOB_STATUSES) expect(mayMove(jobMachine, from, end)).toBe(true)
    for (const to of jobMachine.states) expect(mayMove(jobMachine, end, to)).toBe(false)
  }
  expect(jobMachine.moves.filter(([, to]) => to === "leased")).toEqual([["ready", "leased", "claim"]])
})
