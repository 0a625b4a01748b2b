// What the runner and its lanes tell each other, and what becomes of it in the report.
import type { Mutant } from "./mutant.ts"

export interface Order {
  /** None: the tests as they are, which have to pass. */
  readonly mutant: Mutant | undefined
  readonly tests: readonly string[]
}

export type Found =
  | { readonly kind: "failed"; readonly file: string; readonly test: string }
  | { readonly kind: "passed"; readonly skipped: number }
  /** It cannot be planted, or the tests cannot be loaded with it: it says nothing about the tests. */
  | { readonly kind: "broken"; readonly why: string }

export interface Verdict {
  readonly id: string
  readonly verdict: "killed" | "survived" | "broken"
  readonly file?: string
  readonly test?: string
  readonly why?: string
  readonly seconds: number
}
