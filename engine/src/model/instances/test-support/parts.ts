// Workflows of random shape: parts with one way in and one way out, put together to any depth. `lay-out` writes them as steps.
import fc from "fast-check"

export interface TaskPart {
  readonly kind: "service" | "user" | "wait"
  /** Step fields that do not refer to other steps. */
  readonly retry: "none" | "once" | "twice" | "delayed"
  readonly timeout: "none" | "run" | "queue" | "total"
  readonly onError: "fail" | "continue"
  readonly schema: boolean
  readonly boundaries: readonly Boundary[]
  /** Where an error leads that is not passed over; empty: straight to where the task would have gone. */
  readonly catches: readonly Part[] | undefined
  /** For a wait: how many seconds it lasts, and whether it keeps signals that come early. */
  readonly lasts: number | undefined
  readonly keeps: boolean
  /** A condition of its own, and the way it leads. */
  readonly aside: { readonly condition: number; readonly parts: readonly Part[] } | undefined
}

export interface Boundary {
  readonly interrupting: boolean
  readonly seconds: number
  /** Empty: straight to where the task would have gone. */
  readonly parts: readonly Part[]
}

export type Part =
  | TaskPart
  | { readonly kind: "transformation"; readonly variable: number }
  | {
      readonly kind: "choice"
      readonly condition: number
      readonly otherwise: boolean
      readonly ways: readonly (readonly Part[])[]
    }
  | { readonly kind: "loop"; readonly times: number; readonly body: readonly Part[] }
  | { readonly kind: "fork"; readonly branches: readonly (readonly Part[])[] }
  /** A choice between two forks that share their join. */
  | { readonly kind: "twins"; readonly condition: number; readonly forks: readonly (readonly (readonly Part[])[])[] }

const seldom = <T>(arbitrary: fc.Arbitrary<T>, usual: T, outOf: number): fc.Arbitrary<T> =>
  fc.oneof({ weight: outOf - 1, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary })

const condition = fc.nat({ max: 40 })
const SIMPLE = {
  retry: "none",
  timeout: "none",
  onError: "fail",
  schema: false,
  boundaries: [],
  catches: undefined,
  lasts: undefined,
  keeps: false,
  aside: undefined,
} as const

function task(ways: fc.Arbitrary<readonly Part[]>): fc.Arbitrary<Part> {
  const boundary = fc.record({ interrupting: fc.boolean(), seconds: fc.integer({ min: 2, max: 40 }), parts: ways })
  const kind = fc.constantFrom("service" as const, "service" as const, "user" as const, "wait" as const)
  return fc.oneof(
    { weight: 2, arbitrary: kind.map((one): Part => ({ kind: one, ...SIMPLE })) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind,
        retry: fc.constantFrom("none" as const, "once" as const, "twice" as const, "delayed" as const),
        timeout: seldom(fc.constantFrom("run" as const, "queue" as const, "total" as const), "none", 4),
        onError: seldom(fc.constant("continue" as const), "fail", 4),
        schema: seldom(fc.constant(true), false, 8),
        boundaries: seldom(fc.array(boundary, { minLength: 1, maxLength: 2 }), [], 3),
        catches: seldom(ways, undefined, 3),
        lasts: seldom(fc.integer({ min: 2, max: 40 }), undefined, 3),
        keeps: fc.boolean(),
        aside: seldom(fc.record({ condition, parts: ways }), undefined, 6),
      }),
    },
  )
}

const transformation: fc.Arbitrary<Part> = fc.record({
  kind: fc.constant("transformation" as const),
  variable: fc.nat({ max: 3 }),
})

/** Level 0 has tasks and transformations only; each level may hold forks, choices and loops of the one below. */
function row(level: number): fc.Arbitrary<readonly Part[]> {
  if (level === 0)
    return fc.array(
      fc.oneof({ weight: 4, arbitrary: task(fc.constant([])) }, { weight: 1, arbitrary: transformation }),
      { minLength: 1, maxLength: 2 },
    )
  const inner = row(level - 1)
  const maybeEmpty = fc.oneof(fc.constant<readonly Part[]>([]), row(0))
  const branches = fc.array(inner, { minLength: 2, maxLength: 3 })
  const part = fc.oneof(
    { weight: 5, arbitrary: task(maybeEmpty) },
    { weight: 1, arbitrary: transformation },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant("fork" as const), branches }) },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constant("choice" as const),
        condition,
        otherwise: seldom(fc.constant(false), true, 6),
        ways: fc.array(maybeEmpty, { minLength: 2, maxLength: 3 }),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("loop" as const), times: fc.integer({ min: 1, max: 3 }), body: inner }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant("twins" as const), condition, forks: fc.tuple(branches, branches) }),
    },
  )
  return fc.array(part, { minLength: 1, maxLength: 3 })
}

/** Forks nest to depth 3. */
export const parts: fc.Arbitrary<readonly Part[]> = fc.oneof(
  { weight: 1, arbitrary: row(0) },
  { weight: 3, arbitrary: row(1) },
  { weight: 6, arbitrary: row(2) },
  { weight: 4, arbitrary: row(3) },
)
