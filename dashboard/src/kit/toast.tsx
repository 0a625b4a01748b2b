// Short words about what was just done, in a corner, read aloud, gone by themselves.
import { useSyncExternalStore } from "react"
import { Words } from "./cut-text.tsx"

interface Word {
  readonly id: number
  readonly text: string
}

const SHOWN_MS = 5_000
let words: readonly Word[] = []
let lastId = 0
const listeners = new Set<() => void>()

function change(next: readonly Word[]): void {
  words = next
  for (const listener of listeners) listener()
}

export function say(text: string): void {
  const id = ++lastId
  change([...words, { id, text }])
  setTimeout(() => change(words.filter((word) => word.id !== id)), SHOWN_MS)
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

export function Toasts() {
  const shown = useSyncExternalStore(subscribe, () => words)
  return (
    <div
      role="status"
      aria-live="polite"
      className="pointer-events-none fixed inset-x-4 bottom-4 z-50 mx-auto flex max-w-sm flex-col items-center gap-2"
    >
      {shown.map(({ id, text }) => (
        <p key={id} className="bg-text text-ground max-w-full rounded-md px-4 py-2 shadow-lg">
          <Words text={text} />
        </p>
      ))}
    </div>
  )
}
