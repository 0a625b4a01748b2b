// The steps of a graph as a list: how the keyboard walks through them, and what is read to those who do not see the drawing.
import { type KeyboardEvent, useId, useState } from "react"
import type { Step } from "../api/definitions.ts"
import type { StepMark } from "./step-node.tsx"
import { kindWords } from "./step-type.tsx"

interface Props {
  readonly label: string
  readonly steps: readonly Step[]
  readonly marks: Readonly<Record<string, StepMark>>
  readonly selected: string | undefined
  readonly onSelect: ((stepId: string) => void) | undefined
  /** The step the keyboard stands at; undefined when it has left. */
  readonly onActive: (stepId: string | undefined) => void
}

const MOVES: Readonly<Record<string, (at: number, last: number) => number>> = {
  ArrowDown: (at, last) => Math.min(last, at + 1),
  ArrowRight: (at, last) => Math.min(last, at + 1),
  ArrowUp: (at) => Math.max(0, at - 1),
  ArrowLeft: (at) => Math.max(0, at - 1),
  Home: () => 0,
  End: (_at, last) => last,
}

/** A mark may say nothing but what kind of step it is: that is read once. */
const wordsOf = (step: Step, mark: StepMark | undefined): string =>
  [...new Set([step.name, kindWords(step), ...(mark?.lines ?? [])])].join(", ")

export function StepListbox({ label, steps, marks, selected, onSelect, onActive }: Props) {
  const id = useId()
  const [at, setAt] = useState(0)
  const current = steps[Math.min(at, steps.length - 1)]
  const go = (index: number) => {
    setAt(index)
    onActive(steps[index]?.id)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const move = MOVES[event.key]
    if (move) go(move(at, steps.length - 1))
    else if ((event.key === "Enter" || event.key === " ") && current) onSelect?.(current.id)
    else return
    event.preventDefault()
  }
  return (
    <div
      role="listbox"
      aria-label={`${label}, steps`}
      aria-activedescendant={`${id}-${Math.min(at, steps.length - 1)}`}
      tabIndex={0}
      className="peer sr-only"
      onKeyDown={onKeyDown}
      onFocus={() =>
        go(
          Math.max(
            0,
            steps.findIndex((step) => step.id === (selected ?? current?.id)),
          ),
        )
      }
      onBlur={() => onActive(undefined)}
    >
      {steps.map((step, index) => (
        <div key={step.id} id={`${id}-${index}`} role="option" tabIndex={-1} aria-selected={step.id === selected}>
          {wordsOf(step, marks[step.id])}
        </div>
      ))}
    </div>
  )
}
