// Warnings of an upload: which paths beside a step complete the instance.
import { expect, test } from "vitest"
import { definitionWarnings } from "./definition-warnings.ts"
import {
  decision,
  document,
  end,
  fork,
  join,
  parsed,
  type Raw,
  service,
  timer,
  transformation,
  wait,
} from "./fixtures.ts"

const warningsOf = (steps: Raw[], more: Raw = {}) => definitionWarnings(parsed(document(steps, more)))

const parked = (event: Raw) => wait("hold", { nextStep: "done", boundaryEvents: [event] })

test("W-01: a non-interrupting path that reaches an END is warned of, with its place and both names", () => {
  const [warning, ...more] = warningsOf([parked(timer("remind", false)), service("remind", "done"), end("done")])
  expect(more).toEqual([])
  expect(warning).toContain("$.steps[0].boundaryEvents[0].targetStepId: ")
  expect(warning).toContain("timer of hold reaches the END done")
})

test("W-01: a path that ends with its last task, and an interrupting one, are not", () => {
  expect(warningsOf([parked(timer("remind", false)), service("remind"), end("done")])).toEqual([])
  expect(warningsOf([parked(timer("remind", true)), service("remind", "done"), end("done")])).toEqual([])
})

test("W-01: loops, decisions and forks on the way are followed", () => {
  const looped = decision("again", { conditionalNextSteps: { "n < 1": "remind", true: "split" } })
  const steps = [
    parked(timer("remind", false)),
    service("remind", "again"),
    looped,
    fork("split", ["left", "right"], "meet"),
    service("left", "meet"),
    service("right", "meet"),
    join("meet", { nextStep: "over" }),
    end("over"),
    end("done"),
  ]
  expect(warningsOf(steps)).toEqual([expect.stringContaining("the END over")])
})

test("W-01: a timer on a step of the path is told for itself, once", () => {
  const reminding = service("remind", undefined, { boundaryEvents: [timer("late", false)] })
  const warnings = warningsOf([parked(timer("remind", false)), reminding, service("late", "done"), end("done")])
  expect(warnings).toEqual([expect.stringContaining("timer of remind reaches")])
})

test("text around an expression of a transformation is warned of: it is taken as it is", () => {
  const transformations = {
    "loan label": `loan of \${name}`,
    list: [{ inner: `\${name}` }],
    whole: `\${'loan of ' + name}`,
    brace: `\${'}' + name}`,
    price: "5 $ {net}",
    none: null,
  }
  const steps = [transformation("prepare", { transformations, nextStep: "done" }), end("done")]
  expect(warningsOf(steps).map((warning) => warning.split(": ")[0])).toEqual([
    '$.steps[0].transformations["loan label"]',
    "$.steps[0].transformations.list",
  ])
})

test("W-01: there are at most twenty of them", () => {
  const boundaryEvents = Array.from({ length: 25 }, () => timer("done", false))
  expect(warningsOf([wait("hold", { nextStep: "done", boundaryEvents }), end("done")])).toHaveLength(20)
})

test("W-01: a step list has none", () => {
  expect(warningsOf([service("one"), service("two")], { execution: "steplist" })).toEqual([])
})

test("W-02: a next definition that is never started is warned of; one that is started is not", () => {
  const next = { nextWorkflowId: "archive" }
  expect(warningsOf([end("done")], next)).toEqual([
    expect.stringMatching(/^\$\.nextWorkflowId: archive is not started/),
  ])
  expect(warningsOf([end("done")], { ...next, autoStartNextWorkflow: false })).toHaveLength(1)
  expect(warningsOf([end("done")], { ...next, autoStartNextWorkflow: true })).toEqual([])
})
