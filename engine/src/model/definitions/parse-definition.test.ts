// The strict parser: what is accepted, and that every fault is reported with its path and a hint.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: `${…}` is the expression notation
import { describe, expect, test } from "vitest"
import {
  decision,
  document,
  end,
  everything,
  faults,
  fork,
  join,
  parsed,
  type Raw,
  service,
  timer,
  transformation,
  user,
  wait,
} from "./fixtures.ts"
import { parseDefinition } from "./parse-definition.ts"

const one = (step: Raw, ...others: Raw[]): Raw => document([{ ...step, nextStep: "done" }, ...others, end("done")])
const task = (more: Raw): Raw => one(service("a", "done", more))

describe("C-17: what is accepted", () => {
  test("C-17: a minimal definition", () => {
    expect(parsed(document([end("only")]))).toEqual(document([end("only")]))
  })

  test("C-17: a definition with every field there is", () => {
    expect(parsed(everything)).toEqual(everything)
  })

  test("C-17: version and uploadedAt are accepted and ignored, so that a GET can be posted back", () => {
    expect(parsed({ ...everything, version: 7, uploadedAt: "2026-01-01T00:00:00.000Z" })).toEqual(everything)
  })

  test("C-50: a timer that does not say so is not interrupting", () => {
    const { interrupting: _, ...event } = timer("done", false)
    expect(parsed(one(service("a", "", { boundaryEvents: [event] }))).steps[0]?.boundaryEvents).toEqual([
      timer("done", false),
    ])
  })

  test("C-17: the parsed definition keeps the order of conditions", () => {
    const conditionalNextSteps = { "z > 1": "done", "a > 1": "done", "m > 1": "done" }
    const [first] = parsed(document([decision("a", { conditionalNextSteps }), end("done")])).steps
    expect(Object.keys((first as unknown as Raw).conditionalNextSteps as Raw)).toEqual(["z > 1", "a > 1", "m > 1"])
  })
})

const long = (length: number): string => "x".repeat(length)
const conditions = (map: unknown): Raw => document([decision("a", { conditionalNextSteps: map }), end("done")])
const assigning = (map: unknown): Raw => one(transformation("a", { transformations: map }))

describe("every rule has a document that breaks only it", () => {
  test.each<[string, unknown, string]>([
    ["C-17: not an object", [], "$ must be an object, not an array"],
    ["C-17: null", null, "$ must be an object, not null"],
    ["C-17: unknown top-level field", document([end("a")], { colour: 1 }), "$.colour unknown field `colour`"],
    ["C-17: unknown step field", document([end("a", { colour: 1 })]), "$.steps[0].colour unknown field `colour`"],
    [
      "C-17: unknown field in a nested object",
      task({ timeout: { runs: "PT1S" } }),
      "$.steps[0].timeout.runs unknown field `runs`",
    ],
    ["C-41: no id", { name: "n", steps: [end("a")] }, "$.id is required"],
    [
      "C-41: id of 257 characters",
      { ...document([end("a")]), id: long(257) },
      "$.id is not a valid name: 1 to 256 characters, only letters, digits, `_`, `:` and `-`",
    ],
    [
      "C-41: id with a space",
      { ...document([end("a")]), id: "a b" },
      "$.id is not a valid name: 1 to 256 characters, only letters, digits, `_`, `:` and `-`",
    ],
    [
      "C-41: id with a dot",
      { ...document([end("a")]), id: "a.b" },
      "$.id is not a valid name: 1 to 256 characters, only letters, digits, `_`, `:` and `-`",
    ],
    ["C-41: no name", { id: "a", steps: [end("a")] }, "$.name is required"],
    [
      "C-41: blank name",
      { ...document([end("a")]), name: "  " },
      "$.name must have 1 to 200 characters and not be blank",
    ],
    ["C-41: name of two lines", { ...document([end("a")]), name: "one\ntwo" }, "$.name has control characters"],
    [
      "C-41: name of 201 characters",
      { ...document([end("a")]), name: long(201) },
      "$.name must have 1 to 200 characters and not be blank",
    ],
    [
      "C-41: description is no text",
      document([end("a")], { description: 1 }),
      "$.description must be a string, not a number",
    ],
    ["C-41: no steps", document([]), "$.steps must have at least 1 entries"],
    ["C-41: steps missing", { id: "a", name: "a" }, "$.steps is required"],
    ["C-41: steps are no array", { ...document([]), steps: {} }, "$.steps must be an array, not an object"],
    ["C-41: 1,001 steps", document(Array(1001).fill(end("a"))), "$.steps must have at most 1000 entries"],
    [
      "C-41: auto-start is no flag",
      document([end("a")], { autoStartNextWorkflow: "yes" }),
      "$.autoStartNextWorkflow must be true or false, not a string",
    ],
    [
      "C-41: auto-start without a next workflow",
      document([end("a")], { autoStartNextWorkflow: true }),
      "$.nextWorkflowId is required with autoStartNextWorkflow",
    ],
    ["W-24: events is no flag", document([end("a")], { events: 1 }), "$.events must be true or false, not a number"],
    [
      "W-24: an id with a colon cannot be part of a topic",
      document([end("a")], { id: "a:b", events: true }),
      "$.events cannot be published: workflow.events.<id> is the name of a topic, of letters, digits, _, - and ., 249 at most",
    ],
    [
      "W-24: nor can one that makes the topic too long",
      document([end("a")], { id: "a".repeat(234), events: true }),
      "$.events cannot be published: workflow.events.<id> is the name of a topic, of letters, digits, _, - and ., 249 at most",
    ],
    [
      "C-41: next workflow id",
      document([end("a")], { nextWorkflowId: "" }),
      "$.nextWorkflowId is not a valid name: 1 to 256 characters, only letters, digits, `_`, `:` and `-`",
    ],
    [
      "C-41: metadata is no object",
      document([end("a")], { metadata: [] }),
      "$.metadata must be an object, not an array",
    ],
    ["C-41: null is no value", document([end("a")], { description: null }), "$.description must be a string, not null"],
    [
      "priority of a definition",
      document([end("a")], { priority: "low" }),
      '$.priority must be one of "critical", "high", "normal"',
    ],
    ["execution", document([end("a")], { execution: "list" }), '$.execution must be one of "graph", "steplist"'],
    [
      "recover",
      document([end("a")], { execution: "steplist", recover: "no" }),
      '$.recover must be one of "resume", "restart"',
    ],
    ["recover in a graph", document([end("a")], { recover: "resume" }), "$.recover `recover` means nothing in a graph"],
    ["C-128: deadline", document([end("a")], { deadline: "P1M" }), "$.deadline is not a valid duration"],
    ["C-128: retain", document([end("a")], { retain: 5 }), "$.retain must be a duration, not a number"],
    [
      "C-55: input schema",
      document([end("a")], { inputSchema: { required: 1 } }),
      "$.inputSchema.required must be an array, not a number",
    ],
    [
      "C-42: a step that is no object",
      document([end("a"), 1 as unknown as Raw]),
      "$.steps[1] must be an object, not a number",
    ],
    [
      "C-42: step id of 129 characters",
      document([end(long(129))]),
      "$.steps[0].id is not a valid name: 1 to 128 characters, only letters, digits, `_`, `:`, `-` and `.`",
    ],
    [
      "C-42: step id with a slash",
      document([end("a/b")]),
      "$.steps[0].id is not a valid name: 1 to 128 characters, only letters, digits, `_`, `:`, `-` and `.`",
    ],
    ["C-42: no step name", document([{ id: "a", type: "END" }]), "$.steps[0].name is required"],
    [
      "C-42: two steps of one id",
      document([{ ...service("a", "b") }, end("b"), end("b")]),
      "$.steps[2].id another step has the id `b`",
    ],
    [
      "C-42: boundary events on a DECISION",
      document([decision("a", { conditionalNextSteps: { true: "b" }, boundaryEvents: [] }), end("b")]),
      "$.steps[0].boundaryEvents `boundaryEvents` does not belong on a DECISION",
    ],
    [
      "C-42: boundary events on a fork",
      document([
        { ...fork("f", ["a", "b"], "j"), boundaryEvents: [] },
        service("a", "j"),
        service("b", "j"),
        join("j", { nextStep: "e" }),
        end("e"),
      ]),
      "$.steps[0].boundaryEvents `boundaryEvents` does not belong on a PARALLEL_GATEWAY",
    ],
    [
      "C-43: SERVICE_TASK without jobType",
      one({ id: "a", name: "a", type: "SERVICE_TASK" }),
      "$.steps[0].jobType is required",
    ],
    [
      "C-43: jobType with a space",
      task({ jobType: "a b" }),
      "$.steps[0].jobType is not a valid name: 1 to 200 characters, only letters, digits, `_`, `:`, `-` and `.`",
    ],
    ["C-43: retryCount below 0", task({ retryCount: -1 }), "$.steps[0].retryCount must be an integer from 0 to 10000"],
    ["C-43: retryCount of 1.5", task({ retryCount: 1.5 }), "$.steps[0].retryCount must be an integer from 0 to 10000"],
    ["C-43: retryCount as text", task({ retryCount: "3" }), "$.steps[0].retryCount must be an integer, not a string"],
    [
      "retry and retryCount",
      task({ retryCount: 1, retry: { retries: 1 } }),
      "$.steps[0].retryCount `retry` and `retryCount` exclude each other",
    ],
    ["retry without retries", task({ retry: {} }), "$.steps[0].retry.retries is required"],
    [
      "retry factor",
      task({ retry: { retries: 1, base: "PT1S", factor: 0.5 } }),
      "$.steps[0].retry.factor must be a number from 1 to 100",
    ],
    [
      "retry jitter",
      task({ retry: { retries: 1, base: "PT1S", jitter: "some" } }),
      '$.steps[0].retry.jitter must be one of "none", "partial", "full"',
    ],
    ["retry base", task({ retry: { retries: 1, base: "1s" } }), "$.steps[0].retry.base is not a valid duration"],
    [
      "retry factor without base",
      task({ retry: { retries: 1, factor: 2 } }),
      "$.steps[0].retry.factor `factor` means nothing without `base`",
    ],
    [
      "retry cap below base",
      task({ retry: { retries: 1, base: "PT2S", cap: "PT1S" } }),
      "$.steps[0].retry.cap `cap` is shorter than `base`",
    ],
    ["timeout", task({ timeout: { run: "PT0S" } }), "$.steps[0].timeout.run is not a valid duration"],
    ["onError", task({ onError: "ignore" }), '$.steps[0].onError must be one of "fail", "continue"'],
    ["priority of a step", task({ priority: 1 }), '$.steps[0].priority must be one of "critical", "high", "normal"'],
    [
      "downstream",
      task({ downstream: "a/b" }),
      "$.steps[0].downstream is not a valid name: 1 to 200 characters, only letters, digits, `_`, `:`, `-` and `.`",
    ],
    ["C-55: output schema", task({ outputSchema: [] }), "$.steps[0].outputSchema must be an object, not an array"],
    [
      "assignee belongs to user tasks",
      task({ assignee: "ada" }),
      "$.steps[0].assignee `assignee` does not belong on a SERVICE_TASK",
    ],
    ["C-44: dueIn", one(user("a", { dueIn: "tomorrow" })), "$.steps[0].dueIn is not a valid duration"],
    [
      "C-44: run timeout of a user task",
      one(user("a", { timeout: { run: "PT1S" } })),
      "$.steps[0].timeout.run unknown field `run`",
    ],
    [
      "C-44: form",
      one(user("a", { form: { properties: { a: { type: "date" } } } })),
      '$.steps[0].form.properties.a.type must be one of "string", "number", "integer", "boolean"',
    ],
    [
      "C-44: empty conditions on a user task",
      one(user("a", { conditionalNextSteps: {} })),
      "$.steps[0].conditionalNextSteps must have at least one entry",
    ],
    [
      "C-45: an integer as a condition",
      conditions({ true: "done", "0": "done" }),
      '$.steps[0].conditionalNextSteps["0"] an integer as a key would lose its place in the order',
    ],
    [
      "C-45: a target that is no id",
      conditions({ true: 1, false: "done" }),
      "$.steps[0].conditionalNextSteps.true must be the id of a step, not a number",
    ],
    [
      "C-45: a condition that does not parse",
      conditions({ "a >": "done" }),
      '$.steps[0].conditionalNextSteps["a >"] is not a valid expression: expected a value, found the end (at position 4)',
    ],
    [
      "C-45: nextStep on a DECISION",
      {
        ...conditions({ true: "done" }),
        steps: [decision("a", { conditionalNextSteps: { true: "done" }, nextStep: "done" }), end("done")],
      },
      "$.steps[0].nextStep `nextStep` does not belong on a DECISION",
    ],
    ["C-46: no assignment", assigning({}), "$.steps[0].transformations must have at least one entry"],
    ["C-46: assignments missing", one(transformation("a")), "$.steps[0].transformations is required"],
    [
      "C-46: an integer as a name",
      assigning({ 12: 1 }),
      '$.steps[0].transformations["12"] an integer as a key would lose its place in the order',
    ],
    [
      "C-46: an empty name",
      assigning({ "": 1 }),
      '$.steps[0].transformations[""] must have 1 to 200 characters and not be blank',
    ],
    [
      "C-46: an expression that is not closed",
      assigning({ a: "${b" }),
      "$.steps[0].transformations.a is not a valid expression: unclosed `${` (at position 1)",
    ],
    [
      "C-46: an expression that does not parse",
      assigning({ a: "${b +}" }),
      "$.steps[0].transformations.a is not a valid expression: expected a value, found `}` (at position 6)",
    ],
    [
      "C-48: one branch",
      document([fork("f", ["a"], "j"), service("a", "j"), join("j", { nextStep: "e" }), end("e")]),
      "$.steps[0].parallelNextSteps must have at least 2 entries",
    ],
    [
      "C-48: the same branch twice",
      document([fork("f", ["a", "a"], "j"), service("a", "j"), join("j", { nextStep: "e" }), end("e")]),
      "$.steps[0].parallelNextSteps[1] the branch `a` is listed twice",
    ],
    [
      "C-50: type of a boundary event",
      task({ boundaryEvents: [{ ...timer("done", true), type: "SIGNAL" }] }),
      '$.steps[0].boundaryEvents[0].type must be one of "TIMER", "ERROR"',
    ],
    [
      "C-50: a duration of a month",
      task({ boundaryEvents: [timer("done", true, "P1M")] }),
      "$.steps[0].boundaryEvents[0].duration is not a valid duration",
    ],
    [
      "C-50: a duration of zero",
      task({ boundaryEvents: [timer("done", true, "PT0S")] }),
      "$.steps[0].boundaryEvents[0].duration is not a valid duration",
    ],
    [
      "C-50: interrupting is no flag",
      task({ boundaryEvents: [{ ...timer("done", true), interrupting: 1 }] }),
      "$.steps[0].boundaryEvents[0].interrupting must be true or false, not a number",
    ],
    [
      "C-50: no target",
      task({ boundaryEvents: [{ type: "TIMER", duration: "PT1S" }] }),
      "$.steps[0].boundaryEvents[0].targetStepId is required",
    ],
    [
      "SEC-41: a key that reaches the prototype",
      document([end("a")], { metadata: JSON.parse('{"__proto__":{}}') }),
      "$.metadata.__proto__ `__proto__` may not be used as a name",
    ],
    [
      "a variable named constructor",
      assigning({ constructor: 1 }),
      "$.steps[0].transformations.constructor `constructor` may not be used as a name",
    ],
    ["a line break in a name", { ...document([end("a")]), name: "a\nb" }, "$.name has control characters"],
    [
      "NUL in a text",
      document([end("a")], { description: "a\u0000b" }),
      "$.description holds a character that cannot be stored (NUL or half a surrogate pair)",
    ],
    [
      "half a surrogate pair in a key",
      document([end("a")], { metadata: { "\ud800": 1 } }),
      '$.metadata["\\ud800"] holds a character that cannot be stored (NUL or half a surrogate pair)',
    ],
    [
      "a number that is none",
      document([end("a")], { metadata: { a: Number.NaN } }),
      "$.metadata.a is not JSON: a number",
    ],
  ])("%s", (_rule, value, fault) => expect(faults(value)).toEqual([fault]))

  test("C-45: conditions that are no object lead nowhere", () => {
    expect(faults(conditions([]))[0]).toBe("$.steps[0].conditionalNextSteps must be an object, not an array")
  })

  test("C-42: an unknown type is reported, and fields of other types are then left alone", () => {
    const steps = [{ id: "a", name: "a", type: "SERVICE_TASKS", jobType: "x", colour: 1 }]
    expect(faults(document(steps))).toEqual([
      `$.steps[0].type must be one of ${["SERVICE_TASK", "USER_TASK", "DECISION", "TRANSFORMATION", "WAIT", "PARALLEL_GATEWAY", "JOIN_GATEWAY", "END"].map((type) => `"${type}"`).join(", ")}`,
      "$.steps[0].colour unknown field `colour`",
      "$.steps no END can be reached",
    ])
  })

  test.each([
    ["C-45", decision("a")],
    ["C-46", transformation("a", { transformations: { a: 1 } })],
    ["C-47", wait("a")],
    ["C-48", join("a")],
  ])("%s: the way onward of such a step is required", (_id, step) => {
    const field = step.type === "DECISION" ? "conditionalNextSteps" : "nextStep"
    expect(faults(document([step, end("done")]))).toContain(`$.steps[0].${field} is required`)
  })

  test("C-49: an END has no fields of its own", () => {
    expect(faults(document([end("a", { nextStep: "a" })]))).toContain(
      "$.steps[0].nextStep `nextStep` does not belong on a END",
    )
  })

  test("SEC-42: a document nested deeper than 32 is refused, whatever its depth", () => {
    let metadata: unknown = {}
    for (let level = 0; level < 50_000; level += 1) metadata = { a: metadata }
    expect(faults(document([end("a")], { metadata }))[0]).toMatch(/is nested deeper than 32$/)
  })
})

describe("C-17: violations help", () => {
  const hints = (value: unknown): (string | undefined)[] => {
    const result = parseDefinition(value)
    return "violations" in result ? result.violations.map(({ hint }) => hint) : []
  }

  test("C-17: a near typo gets a hint, from both sides", () => {
    expect(hints(document([{ ...service("a"), nextstep: "b" }]))).toEqual(["did you mean `nextStep`?"])
    expect(hints({ id: "a", nmae: "n", steps: [end("a")] })).toEqual([
      "is it written `nmae` here?",
      "did you mean `name`?",
    ])
  })

  test("C-51: a near miss of a step's id gets a hint", () => {
    expect(hints(document([service("approve", "finsh"), service("x", "finish"), end("finish")]))).toContain(
      "did you mean `finish`?",
    )
  })

  test("C-51: hints are sought for the first twenty misses", () => {
    const branches = Array.from({ length: 21 }, (_, n) => `finis${n}`)
    const missing = hints(document([fork("f", branches, "j"), join("j", { nextStep: "finish" }), end("finish")]))
    expect(missing.filter((hint) => hint === "add the step, or correct the reference")).toHaveLength(1)
  })

  test("C-17: a long name is shortened where it is told", () => {
    expect(faults(document([service("a", "n".repeat(300)), end("e")])).join()).toContain(`${"n".repeat(199)}…\``)
  })

  test("C-43: a retry that is no object is told so once", () => {
    expect(faults(document([service("a", "e", { retry: "often" }), end("e")]))).toEqual([
      "$.steps[0].retry must be an object, not a string",
    ])
  })

  test("C-51: a reference or a timer of another kind is told where it stands", () => {
    const found = faults(document([service("a", "e", { nextStep: 7, boundaryEvents: ["soon"] }), end("e")]))
    expect(found).toEqual(
      expect.arrayContaining([
        "$.steps[0].nextStep must be the id of a step, not a number",
        "$.steps[0].boundaryEvents[0] must be an object, not a string",
      ]),
    )
  })

  test("C-17: what is no value at all is named", () => {
    expect(faults({ ...document([end("e")]), metadata: { a: undefined } }).join()).toContain("is not JSON: nothing")
  })

  test("C-17: a field of another type says where it belongs", () => {
    expect(hints(document([wait("a", { jobType: "x", nextStep: "e" }), end("e")]))).toEqual([
      "it belongs on SERVICE_TASK, USER_TASK",
    ])
  })

  test("C-51: all violations are reported together, of every kind", () => {
    const found = faults({
      name: "",
      colour: "red",
      steps: [
        service("a", "nowhere", { retryCount: -1, retry: {} }),
        decision("b", { conditionalNextSteps: { "x >": "a", "7": "zzz" } }),
        end("b"),
        1,
      ],
    })
    expect(found).toHaveLength(12)
    expect(found.map((fault) => fault.split(" ")[0])).toEqual(
      expect.arrayContaining([
        "$.id",
        "$.name",
        "$.colour",
        "$.steps[0].retryCount",
        "$.steps[0].retry.retries",
        "$.steps[0].nextStep",
        '$.steps[1].conditionalNextSteps["x',
        '$.steps[1].conditionalNextSteps["7"]',
        "$.steps[2].id",
        "$.steps[3]",
      ]),
    )
  })

  test("C-17: a flood of faults is cut, and says so", () => {
    const colours = Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`colour${index}`, 1]))
    expect(faults(document([end("a", colours)]))).toHaveLength(21)
    const violations = faults(document(Array.from({ length: 1000 }, (_, index) => end(`s${index}`, colours))))
    expect(violations).toHaveLength(1001)
    expect(violations.at(-1)).toMatch(/^\$ \d+ further violations$/)
  })
})
