// A narrow screen has room for the list or for one task: the focus goes to what is shown, and back to the row that it came from.
import { type RefObject, useEffect, useRef } from "react"

interface Places {
  readonly list: RefObject<HTMLDivElement | null>
  readonly task: RefObject<HTMLDivElement | null>
}

export function useListOrTask(chosen: string | undefined): Places {
  const list = useRef<HTMLDivElement>(null)
  const task = useRef<HTMLDivElement>(null)
  const before = useRef(chosen)
  useEffect(() => {
    const left = before.current
    before.current = chosen
    if (left === chosen) return
    // Where both are shown the focus stays in the list, whose keys go on from there.
    if (chosen !== undefined) return list.current?.checkVisibility() ? undefined : task.current?.focus()
    list.current?.querySelector<HTMLElement>(`[data-task="${CSS.escape(left ?? "")}"]`)?.focus()
  }, [chosen])
  return { list, task }
}
