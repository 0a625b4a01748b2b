// A number that leads to where it comes from.
import { createLink } from "@tanstack/react-router"
import type { AnchorHTMLAttributes, ReactNode } from "react"
import { cx } from "./classes.ts"

interface Props extends AnchorHTMLAttributes<HTMLAnchorElement> {
  readonly label: string
  readonly value: ReactNode
  readonly tone?: "bad" | "warn"
}

const TONES = { bad: "text-bad", warn: "text-warn" } as const

function Tile({ label, value, tone, className, ...rest }: Props) {
  return (
    <a
      className={cx(
        "border-line bg-surface text-text hover:border-accent flex flex-col rounded-lg border px-4 py-3 hover:no-underline",
        className,
      )}
      {...rest}
    >
      <span className="text-muted text-xs">{label}</span>
      <span className={cx("text-2xl font-semibold tabular-nums", tone && TONES[tone])}>{value}</span>
    </a>
  )
}

export const LinkTile = createLink(Tile)
