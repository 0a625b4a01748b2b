// Moves a part of the picture at a rate that may change at any moment, without a jump; still for people who want less motion.
import { type RefObject, useEffect, useRef, useSyncExternalStore } from "react"

const wish = () => matchMedia("(prefers-reduced-motion: reduce)")

const subscribe = (listener: () => void): (() => void) => {
  const query = wish()
  query.addEventListener("change", listener)
  return () => query.removeEventListener("change", listener)
}

const useIsStill = (): boolean => useSyncExternalStore(subscribe, () => wish().matches)

/** `frames` is what happens in one second at a rate of 1. */
export function useMotion<E extends Element>(frames: Keyframe[], perSecond: number): RefObject<E | null> {
  const element = useRef<E>(null)
  const motion = useRef<Animation>(undefined)
  const isStill = useIsStill()
  const script = JSON.stringify(frames)
  useEffect(() => {
    if (isStill) return
    const animation = element.current?.animate(JSON.parse(script) as Keyframe[], {
      duration: 1_000,
      iterations: Number.POSITIVE_INFINITY,
    })
    motion.current = animation
    return () => animation?.cancel()
  }, [script, isStill])
  useEffect(() => {
    const animation = motion.current
    if (isStill || !animation) return
    // What stands still costs nothing: a paused animation paints no frames.
    if (perSecond === 0) animation.pause()
    else {
      animation.updatePlaybackRate(perSecond)
      animation.play()
    }
  }, [perSecond, isStill])
  return element
}
