// Every step of the instance in a list, with how it stands.
import { memo } from "react"
import type { Definition } from "../../api/definitions.ts"
import type { StepMark } from "../../graph/step-node.tsx"
import { kindWords, StepIcon } from "../../graph/step-type.tsx"
import { cx } from "../../kit/classes.ts"
import type { Tone } from "../../kit/status.tsx"

interface Props {
  readonly definition: Definition
  readonly marks: Readonly<Record<string, StepMark>>
  /** Whether a step without a mark has not been reached, or was simply not recorded. */
  readonly isKnown: boolean
  readonly onSelect: (stepId: string) => void
}

const TONES: Readonly<Record<Tone, string>> = {
  good: "text-good",
  warn: "text-warn",
  bad: "text-bad",
  info: "text-info",
  calm: "text-calm",
}

export const StepList = memo(({ definition, marks, isKnown, onSelect }: Props) => (
  <div className="py-2">
    <h2 className="px-4 py-1 font-semibold">Steps</h2>
    <p className="text-muted px-4 pb-2 text-xs">Select one to see what it did (j and k go through them).</p>
    <ol>
      {definition.steps.map((step) => {
        const { id, name, type } = step
        const mark = marks[id]
        return (
          // What is not seen is not laid out.
          <li key={id} className="[contain-intrinsic-size:auto_3rem] [content-visibility:auto]">
            <button
              type="button"
              onClick={() => onSelect(id)}
              className="hover:bg-sunken grid w-full grid-cols-[1rem_minmax(0,1fr)] items-center gap-x-2.5 px-4 py-1.5 text-left"
            >
              <StepIcon type={type} className="text-muted" />
              <span className={cx("truncate", isKnown && !mark && "text-muted")}>{name}</span>
              <span className={cx("col-start-2 truncate text-xs", mark ? TONES[mark.tone] : "text-muted")}>
                {mark ? mark.lines[0] : `${kindWords(step)}${isKnown ? " · not reached" : ""}`}
              </span>
            </button>
          </li>
        )
      })}
    </ol>
  </div>
))
