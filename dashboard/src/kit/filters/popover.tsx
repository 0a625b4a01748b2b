// A button with a panel below it. Escape and a click elsewhere close the panel, and the focus goes back to the button.
import {
  type FocusEvent,
  type KeyboardEvent,
  type ReactNode,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from "react"
import { cx } from "../classes.ts"

interface Props {
  /** Has `data-opens` on the button that opens the panel. */
  readonly button: ReactNode
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly className?: string
  readonly children: ReactNode
}

export function Popover({ button, isOpen, onClose, className, children }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const close = () => {
    frame.current?.querySelector<HTMLElement>("[data-opens]")?.focus()
    onClose()
  }
  useClickOutside(frame, isOpen, onClose)
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isOpen || event.key !== "Escape") return
    event.stopPropagation()
    close()
  }
  const onBlur = ({ relatedTarget }: FocusEvent) => {
    if (isOpen && relatedTarget && !frame.current?.contains(relatedTarget)) onClose()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: it listens to what its button and its panel do not take.
    <div ref={frame} className={cx("min-w-0 sm:relative", className)} onKeyDown={onKeyDown} onBlur={onBlur}>
      {button}
      {isOpen && <Panel>{children}</Panel>}
    </div>
  )
}

/** On a phone it is as wide as the bar. Elsewhere it begins at its button, or ends there where the window ends. */
function Panel({ children }: { readonly children: ReactNode }) {
  const panel = useRef<HTMLDivElement>(null)
  const [isAtEnd, setIsAtEnd] = useState(false)
  useLayoutEffect(() => {
    const { right = 0 } = panel.current?.getBoundingClientRect() ?? {}
    setIsAtEnd(right > document.documentElement.clientWidth)
  }, [])
  return (
    <div
      ref={panel}
      className={cx(
        "border-line bg-surface absolute top-full z-30 mt-1 max-h-96 overflow-y-auto rounded-lg border p-1.5 shadow-lg",
        "max-sm:inset-x-0 sm:w-80",
        isAtEnd ? "sm:right-0" : "sm:left-0",
      )}
    >
      {children}
    </div>
  )
}

function useClickOutside(frame: { readonly current: HTMLElement | null }, isOpen: boolean, onClose: () => void): void {
  const current = useRef(onClose)
  current.current = onClose
  useEffect(() => {
    if (!isOpen) return
    const onPress = ({ target }: Event) => {
      if (!frame.current?.contains(target as Node)) current.current()
    }
    document.addEventListener("pointerdown", onPress)
    return () => document.removeEventListener("pointerdown", onPress)
  }, [frame, isOpen])
}
