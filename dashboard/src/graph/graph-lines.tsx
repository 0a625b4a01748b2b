// The lines of the graph, in one drawing under the steps: dashed where a timer leads, strong where the instance has gone.
import { ViewportPortal } from "@xyflow/react"
import { memo } from "react"
import { cx } from "../kit/classes.ts"
import type { Point } from "./curves.ts"
import { labelText, labelWidth } from "./measures.ts"
import type { PlacedEdge } from "./placed.ts"

interface Props {
  readonly edges: readonly PlacedEdge[]
  /** Undefined where there is no instance. */
  readonly taken: ReadonlySet<string> | undefined
}

type Travel = "taken" | "not-taken" | "unknown"

const LINES: Readonly<Record<Travel, string>> = {
  taken: "stroke-accent",
  "not-taken": "stroke-muted",
  unknown: "stroke-muted",
}

/** Drawn once and moved as a whole: the library's own edges are each measured, and left out when their ends are not seen. */
export const GraphLines = memo(function GraphLines({ edges, taken }: Props) {
  const [gone, other] = [edges.filter(({ id }) => taken?.has(id)), edges.filter(({ id }) => !taken?.has(id))]
  return (
    <ViewportPortal>
      <svg aria-hidden="true" className="pointer-events-none absolute -z-10 size-px overflow-visible">
        <defs>
          <Arrow id="arrow-taken" className="fill-accent" />
          <Arrow id="arrow-not-taken" className="fill-muted" />
          <Arrow id="arrow-unknown" className="fill-muted" />
        </defs>
        {/* Faint as a whole: where lines share a track, they would add up. */}
        <g className={cx(taken && "opacity-40")}>
          {other.map((edge) => (
            <Line key={edge.id} edge={edge} travel={taken ? "not-taken" : "unknown"} />
          ))}
        </g>
        {gone.map((edge) => (
          <Line key={edge.id} edge={edge} travel="taken" />
        ))}
        {edges.map(
          ({ id, label, labelAt }) => label !== undefined && labelAt && <Label key={id} label={label} at={labelAt} />,
        )}
      </svg>
    </ViewportPortal>
  )
})

/** What leaves a step by the side is broken: in dashes by a timer, in dots by an error. */
const DASHES: Readonly<Partial<Record<PlacedEdge["kind"], string>>> = { timer: "5 4", error: "1.5 3.5" }

const Line = ({ edge, travel }: { readonly edge: PlacedEdge; readonly travel: Travel }) => (
  <path
    d={edge.path}
    fill="none"
    strokeWidth={travel === "taken" ? 2 : 1.4}
    strokeDasharray={DASHES[edge.kind]}
    markerEnd={`url(#arrow-${travel})`}
    className={LINES[travel]}
  />
)

const LABEL_HEIGHT = 16

function Label({ label, at }: { readonly label: string; readonly at: Point }) {
  const width = labelWidth(label)
  return (
    <g transform={`translate(${at.x - width / 2} ${at.y - LABEL_HEIGHT / 2})`} className="pointer-events-auto">
      <title>{label}</title>
      <rect width={width} height={LABEL_HEIGHT} rx={4} className="fill-sunken stroke-line" />
      <text
        x={width / 2}
        y={LABEL_HEIGHT / 2}
        textAnchor="middle"
        dominantBaseline="central"
        className="fill-muted font-mono text-xs"
      >
        {labelText(label)}
      </text>
    </g>
  )
}

const Arrow = ({ id, className }: { readonly id: string; readonly className: string }) => (
  <marker
    id={id}
    viewBox="0 0 8 8"
    refX="7"
    refY="4"
    markerWidth="8"
    markerHeight="8"
    markerUnits="userSpaceOnUse"
    orient="auto"
  >
    <path d="M0 0.6 7.6 4 0 7.4Z" className={className} />
  </marker>
)
