// What a list can be filtered by. Each filter is a value of the page's address, which has them as text.
import type { ComponentType } from "react"

export type FilterValues = { readonly [name: string]: string | undefined }

export interface EditorProps {
  readonly label: string
  readonly value: string | undefined
  /** All filters that are set. */
  readonly values: FilterValues
  readonly onPick: (value: string) => void
}

export interface FilterKind {
  /** In the address. */
  readonly name: string
  readonly label: string
  /** What it means, where its name does not say it. */
  readonly help?: string
  /** A value as people say it; the value itself where it is absent. */
  readonly words?: (value: string) => string
  /** Where the words have to be asked for. */
  readonly Value?: ComponentType<{ readonly value: string }>
  readonly Editor: ComponentType<EditorProps>
  /** Filters that mean the same in another way: they go when this one is set. */
  readonly replaces?: readonly string[]
}

const wordsOf = ({ words }: FilterKind, value: string): string => words?.(value) ?? value

/** One line for each filter that is set. */
export const filterLines = (kinds: readonly FilterKind[], values: FilterValues): readonly string[] =>
  kinds.flatMap((kind) => {
    const value = values[kind.name]
    return value === undefined ? [] : [`${kind.label}: ${wordsOf(kind, value)}`]
  })

export const withFilter = (values: FilterValues, kind: FilterKind, value: string): FilterValues => {
  const gone = Object.fromEntries((kind.replaces ?? []).map((name) => [name, undefined]))
  return { ...values, ...gone, [kind.name]: value }
}

export const withoutFilters = (values: FilterValues, kinds: readonly FilterKind[]): FilterValues => ({
  ...values,
  ...Object.fromEntries(kinds.map(({ name }) => [name, undefined])),
})
