// Filters with a name, kept in this browser.
import { useSyncExternalStore } from "react"
import type { InstanceFilter } from "../../api/instances.ts"
import { readInstanceFilter } from "./search.ts"

export interface SavedFilter {
  readonly name: string
  readonly filter: InstanceFilter
}

const KEY = "millrace-instance-filters"
const listeners = new Set<() => void>()

/** What is stored can be anything: another version of this page, or a person, wrote it. */
export function parseSaved(stored: string | null): readonly SavedFilter[] {
  try {
    const list: unknown = JSON.parse(stored ?? "[]")
    return Array.isArray(list) ? list.flatMap(savedOf) : []
  } catch {
    return []
  }
}

function savedOf(one: { name?: unknown; filter?: unknown } | null): SavedFilter[] {
  if (typeof one?.name !== "string" || typeof one.filter !== "object" || one.filter === null) return []
  return [{ name: one.name, filter: readInstanceFilter(one.filter as Record<string, unknown>) }]
}

/** One of the same name is replaced; by name. */
export const withSaved = (list: readonly SavedFilter[], added: SavedFilter): readonly SavedFilter[] =>
  [...withoutSaved(list, added.name), added].sort((a, b) => a.name.localeCompare(b.name))

export const withoutSaved = (list: readonly SavedFilter[], name: string): readonly SavedFilter[] =>
  list.filter((one) => one.name !== name)

let cache: { readonly stored: string | null; readonly list: readonly SavedFilter[] } | undefined

function readSaved(): readonly SavedFilter[] {
  const stored = localStorage.getItem(KEY)
  if (cache?.stored !== stored) cache = { stored, list: parseSaved(stored) }
  return cache?.list ?? []
}

function write(list: readonly SavedFilter[]): void {
  localStorage.setItem(KEY, JSON.stringify(list))
  for (const listener of listeners) listener()
}

export const saveFilter = (added: SavedFilter): void => write(withSaved(readSaved(), added))
export const forgetFilter = (name: string): void => write(withoutSaved(readSaved(), name))

/** Another tab's changes are seen, too. */
function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  addEventListener("storage", listener)
  return () => {
    listeners.delete(listener)
    removeEventListener("storage", listener)
  }
}

export const useSavedFilters = (): readonly SavedFilter[] => useSyncExternalStore(subscribe, readSaved)
