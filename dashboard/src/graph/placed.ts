// What a layout is made of: steps and lines with their places.
import type { Point } from "./curves.ts"
import type { GraphEdge } from "./edges.ts"

export interface PlacedNode {
  readonly id: string
  /** The position of the upper left corner. */
  readonly x: number
  readonly y: number
  readonly width: number
  readonly height: number
}

export interface PlacedEdge extends GraphEdge {
  readonly path: string
  /** The label's middle. */
  readonly labelAt?: Point
}

export interface GraphLayout {
  /** In the order of the steps. */
  readonly nodes: readonly PlacedNode[]
  readonly edges: readonly PlacedEdge[]
}
