// How wide an element is, in whole pixels, from before the first paint on.
import { type RefObject, useLayoutEffect, useRef, useState } from "react"

export function useWidth<E extends HTMLElement>(): readonly [RefObject<E | null>, number | undefined] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState<number>()
  useLayoutEffect(() => {
    const { current } = element
    if (!current) return
    const measure = () => setWidth(Math.floor(current.clientWidth))
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
