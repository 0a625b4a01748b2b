// Properties of the validator over generated definitions (C-T2).
import fc from "fast-check"
import { expect, test } from "vitest"
import { canonicalText } from "./canonical.ts"
import { compileDefinition } from "./compile-definition.ts"
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
} from "./fixtures.ts"
import { parseDefinition } from "./parse-definition.ts"

/** A part of a workflow with one way in and one way out, of any shape, put together from the rules. */
type Part =
  | { kind: "task" }
  | { kind: "row" | "choice" | "fork"; parts: Part[] }
  | { kind: "guarded"; interrupting: boolean }

const part: fc.Arbitrary<Part> = fc.letrec<{ part: Part }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.constant<Part>({ kind: "task" }),
    fc.record({ kind: fc.constant("guarded" as const), interrupting: fc.boolean() }),
    fc.record({
      kind: fc.constantFrom("row" as const, "choice" as const, "fork" as const),
      parts: fc.array(tie("part"), { minLength: 2, maxLength: 3 }),
    }),
  ),
})).part

/** Lays a part out as steps that go on to `next`; gives the id of its first step. */
function layOut(part: Part, next: string, steps: Raw[]): string {
  const id = `s${steps.length}`
  if (part.kind === "task") {
    steps.push(service(id, next))
  } else if (part.kind === "guarded") {
    steps.push(service(id, next, { boundaryEvents: [timer(`${id}t`, part.interrupting)] }))
    steps.push(part.interrupting ? service(`${id}t`, next) : service(`${id}t`))
  } else if (part.kind === "row") {
    return part.parts.reduceRight((following, inner) => layOut(inner, following, steps), next)
  } else layOutBranches(part, id, next, steps)
  return id
}

function layOutBranches(
  { kind, parts }: Part & { kind: "row" | "choice" | "fork" },
  id: string,
  next: string,
  steps: Raw[],
): void {
  const slot = steps.push({}) - 1
  if (kind === "fork") steps.push(join(`${id}j`, { nextStep: next }))
  const targets = parts.map((inner) => layOut(inner, kind === "fork" ? `${id}j` : next, steps))
  const conditions = Object.fromEntries(targets.map((target, index) => [`v == ${index}`, target]))
  steps[slot] = kind === "fork" ? fork(id, targets, `${id}j`) : decision(id, { conditionalNextSteps: conditions })
}

function definitionOf(part: Part): Raw & { steps: Raw[] } {
  const steps: Raw[] = []
  const entry = layOut(part, "e", steps)
  const first = steps.filter((step) => step.id === entry)
  return { ...document([]), steps: [...first, ...steps.filter((step) => step.id !== entry), end("e")] }
}

const valid = part.map(definitionOf)
const check = <Ts>(property: fc.IProperty<Ts>): void => fc.assert(property, { numRuns: 200 })
/** The definition with one step, picked by a number, changed. */
const changed = (definition: { steps: Raw[] }, pick: number, change: (step: Raw) => Raw): Raw => {
  const target = pick % definition.steps.length
  return { ...definition, steps: definition.steps.map((step, index) => (index === target ? change(step) : step)) }
}

test("C-T2: what is put together by the rules is valid, at any nesting", () => {
  check(
    fc.property(valid, (definition) => {
      expect(faults(definition)).toEqual([])
    }),
  )
})

test("C-T2: a valid definition comes out as it went in, and parsing again changes nothing", () => {
  check(
    fc.property(valid, (definition) => {
      expect(parsed(definition)).toEqual(definition)
      expect(canonicalText(parsed(JSON.parse(canonicalText(parsed(definition)))))).toBe(
        canonicalText(parsed(definition)),
      )
    }),
  )
})

test("C-T2: an unknown field on any step is one violation, at its path", () => {
  check(
    fc.property(valid, fc.nat(), (definition, pick) => {
      const found = faults(changed(definition, pick, (step) => ({ ...step, colour: 1 })))
      expect(found).toEqual([`$.steps[${pick % definition.steps.length}].colour unknown field \`colour\``])
    }),
  )
})

test("C-T2: a repeated id is found", () => {
  check(
    fc.property(valid, fc.nat(), (definition, pick) => {
      const twin = definition.steps[pick % definition.steps.length] as Raw
      expect(faults({ ...definition, steps: [...definition.steps, twin] })).toEqual([
        `$.steps[${definition.steps.length}].id another step has the id \`${twin.id}\``,
      ])
    }),
  )
})

test("C-T2: a step that nothing leads to is found", () => {
  check(
    fc.property(valid, (definition) => {
      const found = faults({ ...definition, steps: [...definition.steps, service("lost", "e")] })
      expect(found).toEqual([`$.steps[${definition.steps.length}] step \`lost\` cannot be reached from the first step`])
    }),
  )
})

test("C-T2: a reference to a step that was removed is found", () => {
  check(
    fc.property(valid, fc.nat(), (definition, pick) => {
      const gone = definition.steps[1 + (pick % (definition.steps.length - 1))] as Raw
      const steps = definition.steps.filter((step) => step !== gone)
      expect(faults({ ...definition, steps }).join("\n")).toContain(`there is no step \`${gone.id}\``)
    }),
  )
})

test("C-T2: a step inside a fork that goes straight to the END is found, one outside is not", () => {
  check(
    fc.property(part, part, (inside, after) => {
      const steps: Raw[] = []
      const next = layOut(after, "e", steps)
      const branch = layOut(inside, "j", steps)
      const first = fork("f", [branch, "short"], "j")
      const whole = [first, ...steps, service("short", "j"), join("j", { nextStep: next }), end("e")]
      expect(faults(document(whole))).toEqual([])
      const broken = whole.map((step) => (step.id === "short" ? service("short", "e") : step))
      expect(faults(document(broken)).join("\n")).toContain("can miss its join `j`: edge `short` → `e`")
    }),
  )
})

test("C-T2: faults in different places are reported together", () => {
  check(
    fc.property(valid, fc.nat(), (definition, pick) => {
      const broken = { ...changed(definition, pick, (step) => ({ ...step, name: 1 })), id: "no good", colour: 1 }
      const at = `$.steps[${pick % definition.steps.length}].name`
      expect(faults(broken).map((fault) => fault.split(" ")[0])).toEqual(["$.id", at, "$.colour"])
    }),
  )
})

test("C-T2: any JSON at any place gives violations with path and hint, or a definition that compiles; it never throws", () => {
  const keys = [...Object.keys(everything), ...(everything.steps as Raw[]).flatMap((step) => Object.keys(step))]
  const key = fc.constantFrom(...new Set(keys))
  const json = fc.oneof(fc.jsonValue(), fc.constantFrom("e", "s0", "END", "WAIT", "PT1S", ["e", "s0"], { true: "e" }))
  check(
    fc.property(valid, fc.nat(), key, json, fc.boolean(), (definition, pick, field, value, onTop) => {
      const odd = onTop
        ? { ...definition, [field]: value }
        : changed(definition, pick, (step) => ({ ...step, [field]: value }))
      const result = parseDefinition(odd)
      if ("definition" in result) expect(compileDefinition(result.definition, 1).entry).toBeDefined()
      else
        for (const { path, hint } of result.violations)
          expect([path.startsWith("$"), Boolean(hint)]).toEqual([true, true])
    }),
  )
})

test("C-T2: any JSON at all is answered", () => {
  check(
    fc.property(fc.jsonValue(), (value) => {
      expect(faults(value).length).toBeGreaterThan(0)
    }),
  )
})
