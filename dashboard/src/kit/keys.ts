// Keys that do something wherever the focus is, except while text is typed or a dialog is open.
import { useEffect, useRef } from "react"

type Bindings = Readonly<Record<string, () => void>>

const SEQUENCE_MS = 1_000

/** Pairs that mean something anywhere: their second key does nothing by itself, here or elsewhere. */
const pairs = new Set<string>()

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement &&
  (target.isContentEditable || target.matches("input:not([type=checkbox], [type=radio]), textarea, select"))

/** `{ "/": focusSearch, "g i": openInstances }`: a key, or two in a row. */
export function useKeys(bindings: Bindings): void {
  const current = useRef(bindings)
  current.current = bindings
  useEffect(() => {
    for (const keys of Object.keys(current.current)) if (keys.includes(" ")) pairs.add(keys)
    let first: { key: string; at: number } | undefined
    const onKey = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return
      if (document.querySelector("dialog[open]")) return
      const pair = first && event.timeStamp - first.at < SEQUENCE_MS ? `${first.key} ${event.key}` : ""
      const act = current.current[pair] ?? (pairs.has(pair) ? undefined : current.current[event.key])
      first = { key: event.key, at: event.timeStamp }
      if (!act) return
      event.preventDefault()
      act()
    }
    document.addEventListener("keydown", onKey)
    return () => document.removeEventListener("keydown", onKey)
  }, [])
}
