// The drawing of definitions: in rows, nothing on top of anything else, and large ones in time.
import { describe, expect, test } from "vitest"
import type { Step } from "../api/definitions.ts"
import { chainsOf } from "./chains.ts"
import { edgesOf } from "./edges.ts"
import { layoutDefinition } from "./layout.ts"
import type { GraphLayout, PlacedNode } from "./placed.ts"
import { rowsOf, splitBySpan } from "./spans.ts"

const step = (id: string, more: Partial<Step> = {}): Step => ({ id, name: id, type: "SERVICE_TASK", ...more })
const chain = (length: number): Step[] =>
  Array.from({ length }, (_, at) => step(`s${at}`, at + 1 < length ? { nextStep: `s${at + 1}` } : {}))

/** Every step may go to the end: edges as long as the graph. */
const exits = (length: number): Step[] => [
  ...Array.from({ length: length - 1 }, (_, at) =>
    step(`s${at}`, { conditionalNextSteps: { bad: "end", true: at + 2 < length ? `s${at + 1}` : "end" } }),
  ),
  step("end"),
]

const loan = [
  step("fork", { parallelNextSteps: ["score", "identity"], joinStep: "join" }),
  step("score", { nextStep: "join" }),
  step("identity", { nextStep: "join" }),
  step("join", { nextStep: "approve" }),
  step("approve", {
    conditionalNextSteps: { approved: "pay", true: "fork" },
    boundaryEvents: [{ type: "TIMER", duration: "P1D", interrupting: false, targetStepId: "remind" }],
  }),
  step("remind"),
  step("pay"),
]

const top = ({ nodes }: GraphLayout, id: string): number => nodes.find((node) => node.id === id)?.y ?? Number.NaN

const left = ({ nodes }: GraphLayout, id: string): number => nodes.find((node) => node.id === id)?.x ?? Number.NaN

const overlap = (a: PlacedNode, b: PlacedNode): boolean =>
  a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height

const overlaps = ({ nodes }: GraphLayout): string[] =>
  nodes.flatMap((a, index) => nodes.slice(index + 1).flatMap((b) => (overlap(a, b) ? [`${a.id} and ${b.id}`] : [])))

describe("layout", () => {
  test("steps are in the order of the definition, each below the one that leads to it, none on another", () => {
    const layout = layoutDefinition({ steps: loan })
    expect(layout.nodes.map(({ id }) => id)).toEqual(loan.map(({ id }) => id))
    for (const [above, below] of [
      ["fork", "score"],
      ["score", "join"],
      ["join", "approve"],
      ["approve", "pay"],
      ["approve", "remind"],
    ] as const)
      expect(top(layout, above), `${above} above ${below}`).toBeLessThan(top(layout, below))
    expect(top(layout, "score")).toBe(top(layout, "identity"))
    expect(left(layout, "score")).toBeLessThan(left(layout, "identity"))
    expect(overlaps(layout)).toEqual([])
  })

  test("every edge has a path, and a label its place", () => {
    const { edges } = layoutDefinition({ steps: loan })
    expect(edges.map(({ id }) => id).sort()).toEqual(
      edgesOf({ steps: loan })
        .map(({ id }) => id)
        .sort(),
    )
    for (const { path, label, labelAt } of edges) {
      expect(path).toMatch(/^M[-\d. CLQ]+$/)
      expect(labelAt !== undefined).toBe(label !== undefined)
    }
  })

  test("the same definition gives the same drawing; more lines make taller steps", () => {
    expect(layoutDefinition({ steps: loan })).toEqual(layoutDefinition({ steps: loan }))
    const height = (lines: number) => layoutDefinition({ steps: loan }, lines).nodes[0]?.height ?? 0
    expect(height(2)).toBeGreaterThan(height(1))
  })

  test("a list is one column", () => {
    const { nodes } = layoutDefinition({ steps: chain(20).map(({ id }) => step(id)), execution: "steplist" })
    expect(new Set(nodes.map(({ x }) => x)).size).toBe(1)
    expect(nodes.map(({ y }) => y)).toEqual(nodes.map(({ y }) => y).sort((a, b) => a - b))
  })

  test("a step that leads to itself, a step alone, and no step at all are drawn", () => {
    expect(layoutDefinition({ steps: [step("a", { nextStep: "a" })] }).edges).toHaveLength(1)
    expect(layoutDefinition({ steps: [step("a")] }).nodes).toHaveLength(1)
    expect(layoutDefinition({ steps: [] })).toEqual({ nodes: [], edges: [] })
  })

  test.each([
    ["a chain", chain(500)],
    ["a graph where every step may end", exits(500)],
    ["a ring", chain(499).map((one) => (one.nextStep ? one : { ...one, nextStep: "s0" }))],
  ])("500 steps: %s, with nothing on top of anything else", (_name, steps) => {
    const layout = layoutDefinition({ steps })
    expect(layout.nodes).toHaveLength(steps.length)
    expect(layout.edges).toHaveLength(edgesOf({ steps }).length)
    expect(overlaps(layout)).toEqual([])
  })
})

describe("what makes large graphs cheap", () => {
  test("a run of steps without a turn is laid out as one, and a turn begins another", () => {
    const steps = [...chain(4), step("x", { conditionalNextSteps: { a: "s2", b: "y" } }), step("y")]
    const { chains, edges } = chainsOf(
      steps.map(({ id }) => id),
      edgesOf({ steps }),
    )
    expect(chains.map((one) => one.steps)).toEqual([["s0", "s1"], ["s2", "s3"], ["x"], ["y"]])
    expect(edges.map(({ id }) => id)).toEqual(["s1 → s2", "x → s2", "x → y"])
  })

  test("edges over many rows go around, whether they go down or back", () => {
    const steps = chain(20).map((one) => (one.id === "s15" ? { ...one, conditionalNextSteps: { again: "s1" } } : one))
    const { far } = splitBySpan(
      steps.map(({ id }) => id),
      edgesOf({ steps: [...steps.slice(0, -1), step("s19")] }),
    )
    expect(far.map(({ id }) => id)).toEqual(["s15 → s1"])
  })

  test("a row is the longest way from the entry, loops left out", () => {
    const steps = [
      step("a", { conditionalNextSteps: { x: "c", true: "b" } }),
      step("b", { nextStep: "c" }),
      step("c", { conditionalNextSteps: { again: "a" }, nextStep: "d" }),
      step("d"),
    ]
    expect([
      ...rowsOf(
        steps.map(({ id }) => id),
        edgesOf({ steps }),
      ),
    ]).toEqual([
      ["a", 0],
      ["b", 1],
      ["c", 2],
      ["d", 3],
    ])
  })
})
