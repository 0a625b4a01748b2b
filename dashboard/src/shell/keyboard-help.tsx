// The keys that lead somewhere, and the dialog that names them (?).
import { useNavigate } from "@tanstack/react-router"
import { useState } from "react"
import { Dialog } from "../kit/dialog.tsx"
import { useKeys } from "../kit/keys.ts"
import { PLACES } from "./places.ts"

const OTHERS = [
  ["⌘K, /", "Find a screen, a definition, a job type, an id or a business key"],
  ["?", "This help"],
  ["Esc", "Close a dialog without doing anything"],
  ["j, k", "Next, previous row or step, where there is a list"],
  ["Enter", "Open it"],
  ["f", "Add a filter, where a list has filters"],
] as const

export function KeyboardHelp() {
  const [isOpen, setIsOpen] = useState(false)
  const navigate = useNavigate()
  const goTo = Object.fromEntries(PLACES.map(({ keys, to }) => [keys, () => void navigate({ to })]))
  useKeys({ ...goTo, "?": () => setIsOpen(true) })
  if (!isOpen) return null
  return (
    <Dialog title="Keys" onClose={() => setIsOpen(false)}>
      <dl className="grid grid-cols-[6rem_1fr] gap-y-1.5">
        {[...PLACES.map(({ keys, label }) => [keys, label] as const), ...OTHERS].map(([keys, label]) => (
          <div key={keys} className="contents">
            <dt>
              <kbd className="bg-sunken border-line rounded border px-1.5 py-0.5 font-mono text-xs">{keys}</kbd>
            </dt>
            <dd>{label}</dd>
          </div>
        ))}
      </dl>
    </Dialog>
  )
}
