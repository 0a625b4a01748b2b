// One step in the graph: a calm box with its name, what kind it is, and how it stands.
import type { Node, NodeProps } from "@xyflow/react"
import { memo } from "react"
import type { Step } from "../api/definitions.ts"
import { cx } from "../kit/classes.ts"
import type { Tone } from "../kit/status.tsx"
import type { PlacedNode } from "./placed.ts"
import { StepIcon } from "./step-type.tsx"

export interface StepMark {
  readonly tone: Tone
  /** Small texts; the first says how it stands. */
  readonly lines: readonly string[]
}

export interface StepNodeData extends Record<string, unknown> {
  readonly step: Step
  /** What it is, in words. */
  readonly kind: string
  readonly mark: StepMark | undefined
  /** The instance has not come here. */
  readonly isUntouched: boolean
  readonly isSelected: boolean
  /** The keyboard stands here. */
  readonly isActive: boolean
}

export type StepNode = Node<StepNodeData, "step">

const EDGES: Readonly<Record<Tone, string>> = {
  good: "border-line border-l-good bg-surface",
  calm: "border-line border-l-calm bg-surface",
  warn: "border-warn bg-warn-soft",
  info: "border-info bg-info-soft",
  bad: "border-bad bg-bad-soft",
}

const WORDS: Readonly<Record<Tone, string>> = {
  good: "text-good",
  calm: "text-calm",
  warn: "text-warn",
  info: "text-info",
  bad: "text-bad",
}

export const StepBox = memo(function StepBox({ data }: NodeProps<StepNode>) {
  const { step, kind, mark, isUntouched, isSelected, isActive } = data
  const lines = mark?.lines ?? [kind]
  return (
    <div
      aria-hidden="true"
      title={[step.name, kind, ...(mark?.lines ?? []), step.description ?? ""].filter(Boolean).join("\n")}
      className={cx(
        "flex size-full cursor-pointer flex-col justify-center rounded-md border border-l-4 px-2.5 text-left",
        mark ? EDGES[mark.tone] : isUntouched ? "border-line bg-ground border-dashed" : "border-line bg-surface",
        isSelected && "ring-accent ring-2",
        isActive && "outline-accent outline-2 outline-offset-2",
      )}
    >
      <div className={cx("flex items-center gap-1.5", isUntouched && "text-muted")}>
        <StepIcon type={step.type} className="text-muted" />
        <span className="truncate text-sm leading-5 font-medium">{step.name}</span>
      </div>
      {lines.map((line, index) => (
        <div
          key={line}
          className={cx("truncate text-xs leading-4", mark && index === 0 ? WORDS[mark.tone] : "text-muted")}
        >
          {line}
        </div>
      ))}
    </div>
  )
})

/** Its size is known: nothing has to be measured before it is drawn. */
export const flowNode = ({ id, x, y, width, height }: PlacedNode, data: StepNodeData): StepNode => ({
  id,
  type: "step",
  position: { x, y },
  width,
  height,
  measured: { width, height },
  // None, and said so: a node whose handles are not known is drawn once to look for them, however far away it is.
  handles: [],
  // The list of steps is what is read out.
  domAttributes: { "aria-roledescription": undefined },
  data,
})
