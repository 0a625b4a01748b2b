// Short words about what was just done, read aloud, gone by themselves. They stand where nothing is worked on: at the foot of the menu,
// and on a phone at the edge of the screen that is away from what was pressed last.
import { useSyncExternalStore } from "react"
import { cx } from "./classes.ts"
import { Words } from "./cut-text.tsx"
import { type Word, withWord } from "./toast-words.ts"

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
  change(withWord(words, { id, text, times: 1 }))
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
      className={cx(
        "pointer-events-none fixed z-50 flex flex-col gap-2 max-md:inset-x-4 md:bottom-24 md:left-3 md:w-48",
        shown.length > 0 && worksAbove() ? "max-md:bottom-4" : "max-md:top-2",
      )}
    >
      {shown.map(({ id, text, times }, index) => (
        <p
          key={id}
          className={cx(
            "bg-text text-ground flex max-w-full justify-between gap-2 rounded-md px-3 py-2 text-xs shadow-lg",
            // On a phone there is room for the last one.
            index < shown.length - 1 && "max-md:hidden",
          )}
        >
          <span className="line-clamp-3 min-w-0">
            <Words text={text} />
          </span>
          {times > 1 && <span className="shrink-0 font-medium">×{times}</span>}
        </p>
      ))}
    </div>
  )
}

/** What was pressed or entered last. A button that is busy loses the focus, and is still what a person looks at. */
let lastUsed: Element | undefined
for (const event of ["pointerdown", "focusin"])
  document.addEventListener(event, ({ target }) => (lastUsed = target instanceof Element ? target : undefined), true)

/** Whether that is in the upper half of the screen. */
const worksAbove = (): boolean =>
  lastUsed?.isConnected === true && lastUsed.getBoundingClientRect().top < window.innerHeight / 2
